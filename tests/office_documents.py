"""Real office documents, written by hand: just enough of each format for a reader to accept them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from email.message import EmailMessage

WIND = "The wind fills the sail & the boat begins to move."
ROPE = "A rope is tied to the pier when the boat comes in."
ROWS = (("Length", "Night"), ("8 m", "12"))
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def archive(files: Mapping[str, str | bytes], *, stored: str = "") -> bytes:
    """A ZIP archive. The file `stored` is not compressed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in files.items():
            kind = zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED
            zipped.writestr(zipfile.ZipInfo(name), content, kind)
    return file.getvalue()


def _package(main_part: str, content_type: str, parts: Mapping[str, str]) -> bytes:
    types = f'<Override PartName="/{main_part}" ContentType="{content_type}.main+xml"/>'
    head = {
        "[Content_Types].xml": f'{_XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{types}</Types>',
        "_rels/.rels": relationships(("rId1", "officeDocument", main_part)),
    }
    return archive(head | dict(parts))


def relationships(*targets: tuple[str, str, str], external: bool = False) -> str:
    mode = ' TargetMode="External"' if external else ""
    lines = "".join(
        f'<Relationship Id="{id}" Type="{RELATIONSHIPS}/{kind}" Target="{target}"{mode}/>'
        for id, kind, target in targets
    )
    return f'{_XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{lines}</Relationships>'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def docx(body: str | None = None, *, before: str = "", parts: Mapping[str, str] | None = None) -> bytes:
    """A heading, two paragraphs and a table; or `body` in place of them. `before` is XML before the document."""

    def paragraph(text: str, style: str = "") -> str:
        look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{look}<w:r><w:t>{_escaped(text)}</w:t></w:r></w:p>"

    cells = "".join(f"<w:tr>{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in row)}</w:tr>" for row in ROWS)
    if body is None:
        body = paragraph("Sailing", "Heading1") + paragraph(WIND) + f"<w:tbl>{cells}</w:tbl>" + paragraph(ROPE)
    styles = '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    return _package(
        "word/document.xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        {
            "word/document.xml": f'{_XML}{before}<w:document xmlns:w="{_W}" xmlns:r="{RELATIONSHIPS}"><w:body>{body}'
            "</w:body></w:document>",
            "word/styles.xml": f'{_XML}<w:styles xmlns:w="{_W}">{styles}</w:styles>',
            **(parts or {}),
        },
    )


def pptx(shapes: str = "", *, parts: Mapping[str, str] | None = None, look: str = "") -> bytes:
    """Two slides, each with a title and a text. The first one also has `shapes` in XML, and `look` among its
    attributes; `parts` replace or add files."""

    def shape(id: int, kind: str, text: str) -> str:
        return (
            f'<p:sp><p:nvSpPr><p:cNvPr id="{id}" name="{kind}"/><p:cNvSpPr/><p:nvPr><p:ph type="{kind}"/></p:nvPr>'
            f"</p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{_escaped(text)}</a:t></a:r></a:p></p:txBody></p:sp>"
        )

    def slide(title: str, text: str, shapes: str = "", look: str = "") -> str:
        return (
            f'{_XML}<p:sld xmlns:a="{_A}" xmlns:p="{_P}" xmlns:r="{RELATIONSHIPS}"{look}>'
            '<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/>'
            f"<p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{shape(2, 'title', title)}{shape(3, 'body', text)}"
            f"{shapes}</p:spTree></p:cSld></p:sld>"
        )

    return _package(
        "ppt/presentation.xml",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        {
            "ppt/presentation.xml": f'{_XML}<p:presentation xmlns:p="{_P}" xmlns:r="{RELATIONSHIPS}"><p:sldIdLst>'
            '<p:sldId id="256" r:id="rId1"/><p:sldId id="257" r:id="rId2"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relationships(
                ("rId1", "slide", "slides/slide1.xml"), ("rId2", "slide", "slides/slide2.xml")
            ),
            "ppt/slides/slide1.xml": slide("Sailing", WIND, shapes, look),
            "ppt/slides/slide2.xml": slide("Mooring", ROPE),
            **(parts or {}),
        },
    )


def xlsx(rows: str | None = None, *, parts: Mapping[str, str] | None = None, sheets: str = "") -> bytes:
    """A sheet with a table, or with `rows` in XML. `sheets` are further ones of the workbook, and `parts` replace or
    add files."""

    def cells(row: tuple[str, str]) -> str:
        return "".join(f'<c t="inlineStr"><is><t>{_escaped(cell)}</t></is></c>' for cell in row)

    if rows is None:
        rows = "".join(f"<row>{cells(row)}</row>" for row in (*ROWS, (WIND, "3")))
    return _package(
        "xl/workbook.xml",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        {
            "xl/workbook.xml": f'{_XML}<workbook xmlns="{_S}" xmlns:r="{RELATIONSHIPS}"><sheets>'
            f'<sheet name="Fees" sheetId="1" r:id="rId1"/>{sheets}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relationships(("rId1", "worksheet", "worksheets/sheet1.xml")),
            "xl/worksheets/sheet1.xml": f'{_XML}<worksheet xmlns="{_S}"><sheetData>{rows}</sheetData></worksheet>',
            **(parts or {}),
        },
    )


def epub(parts: Mapping[str, str] | None = None) -> bytes:
    """A book of two chapters, which stand in another order in the archive. `parts` replace or add files."""

    def chapter(title: str, text: str) -> str:
        return (
            f'{_XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>'
            f"<h1>{title}</h1><p>{_escaped(text)}</p></body></html>"
        )

    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": f'{_XML}<container version="1.0" '
            'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" '
            'media-type="application/oebps-package+xml"/></rootfiles></container>',
            "book.opf": f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The harbour book</dc:title>'
            '<dc:identifier id="id">x</dc:identifier><dc:language>en</dc:language></metadata><manifest>'
            '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
            "b.xhtml": chapter("Mooring", ROPE),
            "a.xhtml": chapter("Sailing", WIND),
            **(parts or {}),
        },
        stored="mimetype",
    )


def odt(manifest: str = "") -> bytes:
    """A heading, two paragraphs and a table. `manifest` is what its list of files says besides."""
    office = "urn:oasis:names:tc:opendocument:xmlns"
    cells = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell><text:p>{cell}</text:p></table:table-cell>' for cell in row)}"
        "</table:table-row>"
        for row in ROWS
    )
    return archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "META-INF/manifest.xml": f'{_XML}<manifest:manifest xmlns:manifest="{office}:manifest:1.0">{manifest}'
            "</manifest:manifest>",
            "content.xml": f'{_XML}<office:document-content xmlns:office="{office}:office:1.0" '
            f'xmlns:text="{office}:text:1.0" xmlns:table="{office}:table:1.0"><office:body><office:text>'
            f'<text:h text:outline-level="1">Sailing</text:h><text:p>{_escaped(WIND)}</text:p>'
            f'<table:table table:name="Fees">{cells}</table:table><text:p>{ROPE}</text:p>'
            "</office:text></office:body></office:document-content>"
            if not manifest
            else b"\x93\x01 encrypted \xff" * 20,
        },
        stored="mimetype",
    )


def open_document(kind: str, body: str, styles: str = "") -> bytes:
    """An OpenDocument file of this kind (spreadsheet, presentation) with this body."""
    office = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = " ".join(
        f'xmlns:{name}="{office}:{place}:1.0"'
        for name, place in {
            "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style",
            "presentation": "presentation",
        }.items()
    )  # fmt: skip
    return archive(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"{_XML}<office:document-content {spaces}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
            "</office:document-content>",
        },
        stored="mimetype",
    )


def ods() -> bytes:
    """A sheet with a table, in a million rows."""

    def cells_of(row: tuple[str, str]) -> str:
        return "".join(f"<table:table-cell><text:p>{_escaped(cell)}</text:p></table:table-cell>" for cell in row)

    cells = "".join(f"<table:table-row>{cells_of(row)}</table:table-row>" for row in (*ROWS, (WIND, "3")))
    empty = (
        '<table:table-row table:number-rows-repeated="1048573"><table:table-cell table:number-columns-repeated="1024"/>'
    )
    return open_document(
        "spreadsheet", f'<table:table table:name="Fees">{cells}{empty}</table:table-row></table:table>'
    )


def odp() -> bytes:
    """Two slides, each with a title and a text."""
    return open_document(
        "presentation",
        "".join(
            f'<draw:page draw:name="page{number}"><draw:frame presentation:class="title"><draw:text-box><text:p>{title}'
            f"</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>{_escaped(text)}</text:p>"
            "</draw:text-box></draw:frame></draw:page>"
            for number, (title, text) in enumerate((("Sailing", WIND), ("Mooring", ROPE)), start=1)
        ),
    )


def rtf() -> bytes:
    text = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}{\info{\title The harbour}}{\pard\b Sailing\par}{\pard "
    return f"{text}{WIND} Gr\\'f6\\'dfe: \\u8364?5.\\par}}{{\\pard {ROPE}\\par}}}}".encode("ascii")


def eml() -> bytes:
    """A mail in two forms, and with an attachment."""
    mail = EmailMessage()
    mail["Subject"] = "The Möwe needs paint"
    mail["From"] = "Ann <ann@example.com>"
    mail["To"] = "bob@example.com"
    mail.set_content(f"{WIND}\n\n{ROPE}\n")
    mail.add_alternative(
        f"<html><body><h2>Sailing</h2><p>{_escaped(WIND)}</p><p>{ROPE}</p></body></html>", subtype="html"
    )
    mail.add_attachment(b"what is attached", maintype="text", subtype="plain", filename="list.txt")
    return bytes(mail)


def encrypted_package() -> bytes:
    """The beginning of a Word document with a password, and the name of the stream that holds it."""
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    return header + "EncryptionInfo".encode("utf-16-le").ljust(128, b"\0") + "EncryptedPackage".encode("utf-16-le")


DOCUMENTS = {
    "docx": docx(), "pptx": pptx(), "xlsx": xlsx(), "epub": epub(), "odt": odt(), "ods": ods(), "odp": odp(),
    "rtf": rtf(), "eml": eml(),
}  # fmt: skip
"""One of each format."""
