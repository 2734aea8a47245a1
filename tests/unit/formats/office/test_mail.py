"""E-mails."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

import pytest

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor

pytestmark = pytest.mark.usefixtures("read_here")


def read(data: bytes) -> Extraction:
    return FormatExtractor().extract(data, "eml", ProcessingConfig())


def mail(subject: str, text: str, **kind: Any) -> EmailMessage:
    new = EmailMessage()
    new["Subject"] = subject
    new["From"] = "Ann <ann@example.com>"
    new.set_content(text, **kind)
    return new


def test_attached_mails_have_their_subjects_and_texts() -> None:
    inner = mail("The old paint", "It was blue.\n")
    inner.add_attachment(b"x", maintype="image", subtype="png", filename="blue.png")
    outer = mail("The Möwe needs paint", "See below.\n> quoted\n")
    outer["Cc"] = "bob@example.com"
    outer.add_attachment(inner)
    outer.add_attachment(b"x", maintype="application", subtype="pdf", filename="plan Ü.pdf")
    extraction = read(bytes(outer))
    assert extraction.metadata.title == "The Möwe needs paint"
    assert extraction.markdown == (
        "**Subject**: The Möwe needs paint\n\n**From**: Ann <ann@example.com>\n\n**Cc**: bob@example.com\n\n"
        "See below.\n> quoted\n\nAttachments:\n\n- plan Ü.pdf\n\n## Attached mail: The old paint\n\n"
        "**From**: Ann <ann@example.com>\n\nIt was blue.\n\nAttachments:\n\n- blue.png"
    )


def test_a_page_is_read_where_there_is_no_plain_text() -> None:
    page = "<h1>Größe</h1><p>Paint <b>it</b>.</p><script>no()</script>"
    alone = mail("x", page, subtype="html", charset="iso-8859-1")
    assert read(bytes(alone)).markdown.endswith("# Größe\n\nPaint **it**.")
    both = mail("x", " \n")
    both.add_alternative(page, subtype="html")
    assert read(bytes(both)).markdown.endswith("Paint **it**.")


def test_unknown_encodings_and_damaged_headers_are_read() -> None:
    data = (
        b"Subject: =?utf-8?b?bad\r\nFrom: <<>>\r\nTo: ,,;\r\nContent-Type: text/plain; charset=klingon\r\n\r\nh\xe4llo"
    )
    assert read(data).markdown.endswith("hällo")


def test_a_text_without_headers_is_no_mail() -> None:
    with pytest.raises(PermanentError) as caught:
        read(b"hello world\n" * 9)
    assert caught.value.code is ErrorCode.CORRUPT_FILE


def test_a_mail_whose_parts_are_missing_is_read_as_text() -> None:
    data = b"Subject: x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\nHello there\r\n"
    assert read(data).markdown == "**Subject**: x\n\nHello there"


def test_mails_that_are_too_deep_are_named_with_their_words() -> None:
    inner = mail("Deepest", "The pump stands in cellar nine.")
    for level in range(10):
        outer = mail(f"Level {level}", f"This is level {level}.")
        outer.add_attachment(inner)
        inner = outer
    read_mail = read(inner.as_bytes())
    assert "This is level 1." in read_mail.markdown
    assert "level 0" not in read_mail.markdown
    (left_out,) = read_mail.left_out
    assert left_out.note.startswith(
        "Left out: a mail that is more than 8 mails deep: “Level 0 This is level 0. Deepest The pump"
    )
