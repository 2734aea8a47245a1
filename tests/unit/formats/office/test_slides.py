"""Presentations: what stands on a slide, and what belongs to it."""

from __future__ import annotations

import pytest

from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.office_documents import ROPE, WIND, open_document, pptx, relationships

pytestmark = pytest.mark.usefixtures("read_here")

A = "http://schemas.openxmlformats.org/drawingml/2006"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
SLIDE = "ppt/slides/_rels/slide1.xml.rels"


def read(data: bytes, format: str = "pptx") -> Extraction:
    return FormatExtractor().extract(data, format, ProcessingConfig())


def slides(extraction: Extraction) -> list[str]:
    return [extraction.markdown[page.start : page.end] for page in extraction.pages]


def run(text: str, look: str = "") -> str:
    return f"<a:r><a:rPr {look}/><a:t>{text}</a:t></a:r>"


def paragraph(*runs: str, look: str = "") -> str:
    return f"<a:p>{look}{''.join(runs)}</a:p>"


def shape(*paragraphs: str, place: str = "") -> str:
    return f"<p:sp><p:nvSpPr><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody>{''.join(paragraphs)}</p:txBody></p:sp>"


def test_lists_marks_and_high_letters() -> None:
    shapes = shape(
        paragraph(run("European ", 'b="1"'), run(" ", 'b="1"'), run("Knights"), look='<a:pPr lvl="0"/>'),
        paragraph(run("of 10"), run("6", 'baseline="30000"'), run(" m"), look='<a:pPr lvl="1"/>'),
        place='<p:ph idx="1"/>',
    ) + shape(
        paragraph(run("Lock it"), look='<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>'),
        paragraph(run("Leave"), look='<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>'),
    )
    first = slides(read(pptx(shapes)))[0]
    assert first == f"## Sailing\n\n{WIND}\n\n- European Knights\n   - of 10^6 m\n\n1. Lock it\n2. Leave"


def test_tables_charts_and_diagrams() -> None:
    cells = "".join(
        f"<a:tr>{''.join(f'<a:tc><a:txBody>{paragraph(run(cell))}</a:txBody></a:tc>' for cell in row)}</a:tr>"
        for row in (("Part", "Bar"), ("Valve | A", "4.2"))
    )
    shapes = "".join(
        f"<p:graphicFrame><a:graphic><a:graphicData>{inner}</a:graphicData></a:graphic></p:graphicFrame>"
        for inner in (
            f"<a:tbl>{cells}</a:tbl>",
            f'<c:chart xmlns:c="{A}/chart" r:id="rId5"/>',
            f'<dgm:relIds xmlns:dgm="{A}/diagram" r:dm="rId6"/>',
        )
    )
    points = "<c:pt idx='0'><c:v>{}</c:v></c:pt><c:pt idx='1'><c:v>{}</c:v></c:pt>"
    chart = (
        f'<c:chartSpace xmlns:c="{A}/chart" xmlns:a="{A}/main"><c:title>{paragraph(run("Water"))}</c:title><c:ser>'
        "<c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>Share</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{points.format('May', 'June')}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache><c:formatCode>0%</c:formatCode>{points.format('0.19', '0.3')}"
        "</c:numCache></c:numRef></c:val>"
        "</c:ser></c:chartSpace>"
    )
    parts = {
        SLIDE: relationships(
            ("rId5", "chart", "../charts/chart1.xml"), ("rId6", "diagramData", "../diagrams/data1.xml")
        ),
        "ppt/charts/chart1.xml": chart,
        "ppt/diagrams/data1.xml": f'<dgm:dataModel xmlns:dgm="{A}/diagram" xmlns:a="{A}/main">'
        f"<dgm:pt><dgm:t>{paragraph(run('Plan'))}</dgm:t></dgm:pt><dgm:pt><dgm:t>{paragraph(run('Build'))}</dgm:t></dgm:pt></dgm:dataModel>",
    }  # fmt: skip
    assert slides(read(pptx(shapes, parts=parts)))[0].split(f"{WIND}\n\n")[1] == (
        "| Part | Bar |\n| --- | --- |\n| Valve \\| A | 4.2 |\n\nWater\n\n|  | Share |\n| --- | --- |\n| May | 19% |\n"
        "| June | 30% |\n\n- Plan\n- Build"
    )


def test_notes_and_comments_stand_below_their_slide() -> None:
    number = shape(paragraph(run("1")), place='<p:ph type="sldNum"/>')
    said = shape(paragraph(run("Say it slowly.")), place='<p:ph type="body"/>')
    parts = {
        SLIDE: relationships(
            ("rId5", "notesSlide", "../notesSlides/notesSlide1.xml"), ("rId6", "comments", "../comments/comment1.xml")
        ),
        "ppt/notesSlides/notesSlide1.xml": f'<p:notes xmlns:p="{P}" xmlns:a="{A}/main">{number}{said}</p:notes>',
        "ppt/comments/comment1.xml": f'<p:cmLst xmlns:p="{P}"><p:cm authorId="0">'
        "<p:text>Which sail?</p:text></p:cm></p:cmLst>",
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst xmlns:p="{P}"><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
        "ppt/_rels/presentation.xml.rels": relationships(
            ("rId1", "slide", "slides/slide1.xml"),
            ("rId2", "slide", "slides/slide2.xml"),
            ("rId3", "commentAuthors", "commentAuthors.xml"),
        ),
    }
    extraction = read(pptx(parts=parts))
    assert slides(extraction) == [
        f"## Sailing\n\n{WIND}\n\nSpeaker notes: Say it slowly.\n\nComment by Ann: Which sail?",
        f"## Mooring\n\n{ROPE}",
    ]
    assert extraction.all_notes == ("Left out: footers, dates and numbers of slides: “1” (1 word).",)


def test_a_hidden_slide_is_read_with_a_note() -> None:
    extraction = read(pptx(look=' show="0"'))
    assert WIND in extraction.markdown
    assert extraction.all_notes == ("Read, though hidden in the presentation: slide 1.",)


def test_an_empty_presentation_has_no_text() -> None:
    slide = f'<p:sld xmlns:p="{P}"/>'
    data = pptx(parts={"ppt/slides/slide1.xml": slide, "ppt/slides/slide2.xml": slide})
    assert read(data).markdown.strip() == ""


def test_open_document_slides_are_pages_with_their_notes() -> None:
    body = (
        '<draw:page draw:name="page1"><draw:frame presentation:class="title"><draw:text-box><text:p>Sailing</text:p>'
        "</draw:text-box></draw:frame><draw:frame><draw:text-box><text:list><text:list-item><text:p>Wind</text:p>"
        "</text:list-item></text:list></draw:text-box></draw:frame><presentation:notes><draw:frame "
        'presentation:class="notes"><draw:text-box><text:p>Say it slowly.</text:p></draw:text-box></draw:frame>'
        '</presentation:notes></draw:page><draw:page draw:name="page2"><draw:custom-shape><text:p>Rope</text:p>'
        "</draw:custom-shape></draw:page>"
    )
    assert slides(read(open_document("presentation", body), "odp")) == [
        "## Sailing\n\n- Wind\n\nSpeaker notes: Say it slowly.",
        "Rope",
    ]
