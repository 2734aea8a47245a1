"""What is filled into forms, and free text on pages, is read beside what it belongs to."""

from __future__ import annotations

import pytest

from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf_file

pytestmark = pytest.mark.usefixtures("read_here")

SURNAME = "/Subtype /Widget /FT /Tx /T (surname) /V (Lindqvist) /Rect [200 694 400 714]"


def document(*annotations: str, content: str = "", label: str = "Surname:") -> bytes:
    """A page with a label at (72, 700) and these annotations, whose fields are a form."""
    content = f"BT /F1 12 Tf 72 700 Td ({label}) Tj ET\n{content}"
    first = 7
    numbers = [f"{first + index} 0 R" for index in range(len(annotations))]
    fields = [number for number, one in zip(numbers, annotations, strict=True) if "/Widget" in one]
    return pdf_file(
        [
            f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{' '.join(fields)}] /DA (/F1 12 Tf 0 g) "
            "/DR << /Font << /F1 4 0 R >> >> >> >>".encode(),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Annots [{' '.join(numbers)}] "
            "/Resources << /Font << /F1 4 0 R >> >> >>".encode(),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream".encode("latin-1"),
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 10 10] /Length 0 >>\nstream\n\nendstream",
            *(f"<< /Type /Annot /P 3 0 R {one} >>".encode("latin-1") for one in annotations),
        ]
    )


def extract(data: bytes) -> Extraction:
    return FormatExtractor().extract(data, "pdf", ProcessingConfig())


STATES = "/AP << /N << /Yes 6 0 R /Off 6 0 R >> >>"


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (SURNAME, "Lindqvist"),
        (
            "/Subtype /Widget /FT /Tx /T (a) /V <FEFF004D00FC006C006C0065007200200410> /Rect [130 694 400 714]",
            "Müller А",
        ),
        (
            "/Subtype /Widget /FT /Ch /Ff 131072 /T (a) /Opt [(Zone A) (Zone B)] /V (Zone B) /Rect [130 694 400 714]",
            "Zone B",
        ),
        (
            "/Subtype /Widget /FT /Ch /Ff 131072 /T (a) /Opt [[(a) (Pier 1)] [(b) (Pier 2)]] /V (b) "
            "/Rect [130 694 400 714]",
            "Pier 2",
        ),
        (f"/Subtype /Widget /FT /Btn /T (a) /V /Yes /AS /Yes {STATES} /Rect [130 698 142 710]", "☑ Yes"),
        (f"/Subtype /Widget /FT /Btn /T (a) /V /Off /AS /Off {STATES} /Rect [130 698 142 710]", "☐"),
        ("/Subtype /FreeText /DA (/F1 12 Tf) /Contents (seen by Ann) /Rect [130 694 400 714]", "seen by Ann"),
    ],
    ids=["text", "letters of other scripts", "choice", "choice with labels", "checked", "not checked", "free text"],
)
def test_a_value_stands_beside_its_label(annotation: str, value: str) -> None:
    said = extract(document(annotation)).markdown.replace("|", " ").split("\n")[0]
    assert said.split() == ["Surname:", *value.split()]


def test_a_value_of_several_lines_is_read_in_its_field() -> None:
    value = "The boat needs a new sail and a rope before the summer comes to the bay"
    field = f"/Subtype /Widget /FT /Tx /Ff 4096 /T (a) /V ({value}) /Rect [72 500 250 690]"
    assert value in extract(document(field)).markdown


def test_a_value_that_the_page_shows_itself_is_not_doubled() -> None:
    drawn = "BT /F1 12 Tf 202 700 Td (Lindqvist) Tj ET"
    assert extract(document(SURNAME, content=drawn)).markdown.count("Lindqvist") == 1


@pytest.mark.parametrize(
    "annotation",
    [
        "/Subtype /Widget /FT /Tx /Ff 8192 /T (a) /V (secret) /Rect [130 694 400 714]",
        "/Subtype /Widget /FT /Tx /F 2 /T (a) /V (secret) /Rect [130 694 400 714]",
        "/Subtype /Text /Contents (secret) /Rect [130 694 400 714]",
    ],
    ids=["password", "hidden", "a note that has to be opened"],
)
def test_what_the_page_does_not_show_is_not_read(annotation: str) -> None:
    assert extract(document(annotation)).markdown == "Surname:"


def test_a_form_of_values_alone_is_a_text() -> None:
    assert extract(document(SURNAME, label="")).markdown == "Lindqvist"
