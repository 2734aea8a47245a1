"""A page of each script that PDFs come in: shaped by HarfBuzz, in fonts that the file has a part of."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf_file, pdf_with_font

pytestmark = pytest.mark.usefixtures("read_here")

SCRIPTS = Path(__file__).parents[3] / "data" / "pdf" / "scripts"


def markdown(data: bytes) -> str:
    return FormatExtractor().extract(data, "pdf", ProcessingConfig()).markdown


@pytest.mark.parametrize("file", sorted(SCRIPTS.glob("*.pdf")), ids=lambda file: file.stem)
def test_a_page_says_what_was_written(file: Path) -> None:
    assert markdown(file.read_bytes()) == file.with_suffix(".txt").read_text(encoding="utf-8").strip()


def letters(text: str, width: int = 6) -> list[tuple[str, int]]:
    return [(f"{ord(letter):04X}", width) for letter in text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("밸브는 봉인된다", "밸브는 봉인된다"),
        ("安全 阀门", "安全阀门"),  # a narrow gap in Chinese is none
        ("วาล์ว นิรภัย", "วาล์ว นิรภัย"),
        ("the valve", "the valve"),
    ],
    ids=["Korean", "Chinese", "Thai", "English"],
)
def test_a_blank_is_one_where_the_script_has_blanks(text: str, expected: str) -> None:
    glyphs = [("0020", 3) if letter == " " else (f"{ord(letter):04X}", 10) for letter in text]
    assert markdown(pdf_with_font(glyphs, size=12)) == expected


@pytest.mark.parametrize(
    ("glyphs", "expected"),
    [
        ([*letters("Donau"), ("00AD", 3), *letters("dampf"), ("00AD", 0), *letters("schiff")], "Donaudampfschiff"),
        ([*letters("AX"), ("00AD", 3), *letters("44"), ("00AD", 3), *letters("b")], "AX-44-b"),
    ],
    ids=["soft hyphens", "a font that calls its hyphen soft"],
)
def test_a_soft_hyphen_divides_no_word(glyphs: list[tuple[str, int]], expected: str) -> None:
    assert markdown(pdf_with_font(glyphs, size=12)) == expected


def test_the_letters_of_one_glyph_are_in_order() -> None:
    """A word that the font has as one glyph, as some fonts have the name of God."""
    word = "\u0627\u0644\u0644\u0647"
    assert markdown(pdf_with_font([("".join(f"{ord(letter):04X}" for letter in word), 12)], size=12)) == word


def test_glyphs_that_stand_for_no_letter_add_none() -> None:
    """A word as one glyph, beside others whose letters it has, as HarfBuzz and some fonts make them."""
    word = "\u062d\u0628\u064a\u0628\u064a"
    to_unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <0000> <FFFF> "
        "endcodespacerange\n3 beginbfchar\n<03F2> <>\n<0392> <>\n<0100> <"
        f"{''.join(f'{ord(letter):04X}' for letter in word)}>\nendbfchar\nendcmap end end"
    ).encode()
    content = b"BT /F1 20 Tf 100 700 Td <03F20392010003F2> Tj ET"
    data = pdf_file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> "
            b"/Contents 6 0 R >>",
            b"<< /Type /Font /Subtype /Type0 /BaseFont /Word /Encoding /Identity-H /ToUnicode 5 0 R /DescendantFonts "
            b"[<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Word /DW 500 /CIDSystemInfo << /Registry (Adobe) "
            b"/Ordering (Identity) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /Word /Flags 4 "
            b"/FontBBox [0 -200 1000 900] /Ascent 900 /Descent -200 >> >>] >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(to_unicode), to_unicode),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    )
    assert markdown(data) == word
