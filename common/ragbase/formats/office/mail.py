"""E-mails (RFC 5322): sender, recipients, subject, text, and the names of attachments. The text of attached mails is
below it, each with its own subject."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

from ragbase.domain.left_out import LeftOut
from ragbase.formats.unreadable import Damaged

HEADERS = ("Subject", "From", "To", "Cc", "Date")
TEXTS = ("text/plain", "text/html", "multipart/mixed", "multipart/alternative", "multipart/related")
"""Kinds of parts with text. What says that it has parts, and has none, is damaged, and a text."""
DEEPEST = 8
"""Mails within each other that are read."""
MIDDLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


PARSER_ERRORS = (ValueError, TypeError, LookupError, AttributeError)
"""What Python's parser of mails raises for damaged ones, where it should not."""


def read_eml(data: bytes, max_characters: int) -> dict[str, Any]:
    """Raises Damaged, and PermanentError (FILE_TOO_LARGE)."""
    try:
        mail = email.message_from_bytes(data, policy=email.policy.default)
    except PARSER_ERRORS as error:
        raise Damaged from error
    if not isinstance(mail, EmailMessage) or not mail.keys():
        raise Damaged("it has no headers")
    left_out: list[LeftOut] = []
    try:
        blocks = list(_blocks(mail, max_characters, left_out, 0))
    except PARSER_ERRORS as error:
        raise Damaged from error
    return {
        "title": _header(mail, "Subject") or None,
        "pages": ["\n\n".join(block for block in blocks if block)],
        "entries": [],
        "notes": [],
        "left_out": [(one.what, one.text, one.shown) for one in left_out],
    }


def _blocks(mail: EmailMessage, max_characters: int, left_out: list[LeftOut], depth: int) -> Iterator[str]:
    for name in HEADERS if not depth else HEADERS[1:]:
        if said := _header(mail, name):
            yield f"**{name}**: {said}"
    texts, mails, names = _parts(mail)
    for part in texts:
        yield _text(part, max_characters, left_out)
    if names:
        yield "Attachments:\n\n" + "\n".join(f"- {name}" for name in names)
    for attached in mails:
        if depth < DEEPEST:
            yield f"## Attached mail: {_header(attached, 'Subject') or 'without a subject'}"
            yield from _blocks(attached, max_characters, left_out, depth + 1)
        else:
            left_out.append(LeftOut(f"a mail that is more than {DEEPEST} mails deep", _all_texts(attached)))


def _all_texts(mail: EmailMessage) -> str:
    """Of a mail and of the mails in it, however deep."""
    said: list[str] = []
    waiting = [mail]
    while waiting:
        inner = waiting.pop()
        texts, mails, _ = _parts(inner)
        said += [_header(inner, "Subject"), *map(_content, texts)]
        waiting += reversed(mails)
    return "\n".join(said)


def _parts(mail: EmailMessage) -> tuple[list[EmailMessage], list[EmailMessage], list[str]]:
    """The parts with the text of the mail, of two forms the plain one; the mails in it; and the names of the rest."""
    texts: list[EmailMessage] = []
    mails: list[EmailMessage] = []
    names: list[str] = []
    waiting: list[Any] = [mail]
    while waiting:
        part = waiting.pop()
        kind = part.get_content_type()
        if kind == "message/rfc822":
            inner = part.get_payload()
            mails += [one for one in (inner if isinstance(inner, list) else ()) if isinstance(one, EmailMessage)]
        elif part.is_multipart():
            forms = part.get_payload()
            waiting += [_plainest(forms)] if kind == "multipart/alternative" and forms else reversed(forms)
        elif kind in TEXTS and not part.is_attachment() and not part.get_filename():
            texts.append(part)
        else:
            names.append(" ".join((part.get_filename() or f"without a name ({kind})").split()))
    return texts, mails, names


def _plainest(forms: list[Any]) -> Any:
    """The plain text, if it says anything; else the last form, which is the best one."""
    for form in forms:
        if form.get_content_type() == "text/plain" and _content(form).strip():
            return form
    return forms[-1]


def _text(part: EmailMessage, max_characters: int, left_out: list[LeftOut]) -> str:
    text = MIDDLE.sub("", _content(part).replace("\r\n", "\n").replace("\r", "\n"))
    if part.get_content_type() != "text/html":
        return "\n".join(line.rstrip() for line in text.strip().split("\n"))
    from ragbase.formats.office.html_page import read_page

    page = read_page(f"\ufeff{text}".encode(), max_characters)
    left_out += page.left_out
    return page.markdown


def _content(part: Any) -> str:
    """The text of a part, in its encoding, or in UTF-8 where the name of that is unknown."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    for encoding in (part.get_content_charset("utf-8"), "utf-8"):
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    return data.decode("latin-1")


def _header(mail: EmailMessage, name: str) -> str:
    try:
        said = str(mail[name] or "")
    except PARSER_ERRORS:
        said = next((str(value) for key, value in mail._headers if key.lower() == name.lower()), "")  # type: ignore[attr-defined]
    return " ".join(said.split())
