"""Which texts are worth an index."""

from __future__ import annotations

import base64
import gzip
import hashlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.formats.quality import check_text, noise_ratio

PACKED = gzip.compress("".join(map(str, range(30_000))).encode(), mtime=0)[10:]
PROGRAM = struct.pack("<4000i", *(n * n % 7919 - 4000 for n in range(4000)))

GOOD = {
    "English": "The wind fills the sail and the boat begins to move.",
    "Chinese": "这是一个中文文档，用于测试编码检测。北京是中国的首都。",
    "Arabic": "تملأ الريح الشراع ويبدأ القارب في التحرك ثم يستدير.",
    "Hindi": "हवा पाल को भर देती है और नाव चलने लगती है।",
    "Thai": "ลมพัดใบเรือและเรือเริ่มเคลื่อนที่",
    "emoji": "👍🏽🎉🚀😀👩‍👩‍👧❤️" * 5,
    "code": "if (a[i] != b[j]) { x += f(&y, *z) << 2; } // {}[]()",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |",
    "box": "┌──────┬─────┐\n│ boat │ 7 m │\n└──────┴─────┘",
    "numbers": "3.14 2.71 1.41 1.73",
    "Vietnamese": "Gió thổi căng buồm và con thuyền bắt đầu chuyển động.",
    "Japanese": "風が帆を満たし、船が動き始める。「速い！」と彼は言った。",
    "log": ("=" * 80 + "\n2024-03-01 12:00:00,123 [main] INFO  c.e.App - \x1b[32mok\x1b[0m\n" + "-" * 80 + "\n") * 9,
    "drawn table": "+-------+------+\n| name  | n    |\n+-------+------+\n| sloop | 1    |\n+-------+------+",
    "wide table": "| a | b |\n|" + "-" * 200 + "|" + "-" * 200 + "|\n| 1 | 2 |\n",
    "empty cells": "1,,,,,,,,,,,\n" * 50,
    "hashes": "\n".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(50)),
    "identifiers": "getElementByIdAndClassName setXMLHttpRequestHeaderValue IOExceptionHandlerFactory\n" * 9,
    "LaTeX": r"$$\sum_{i=0}^{n} \frac{a_i}{b_i} = \left( \int_0^1 f(x)\,dx \right)^2$$",
    "bullets of a PDF": "\uf0b7 Check the oil.\n\uf0b7 Fill the tank with water.\n" * 20,
}
BAD = {
    "replaced": "\ufffd" * 90 + "ten chars.",
    "private use": "\ue000\ue001\uf8ff" * 30 + "words",
    "symbols": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" * 3 + "words",
    "program as Latin-1": PROGRAM.decode("latin-1"),
    "archive as Latin-1": PACKED.decode("latin-1"),
    "archive as Windows-1252": PACKED.decode("cp1252", "replace"),
    "archive as Mac Roman": PACKED.decode("mac_roman"),
    "archive as UTF-8": PACKED.decode("utf-8", "replace"),
    "archive as UTF-16": PACKED[: len(PACKED) // 2 * 2].decode("utf-16-le", "replace"),
    "base64": base64.encodebytes(PACKED).decode(),
    "Chinese as Latin-1": ("这是一个中文文档" * 9).encode().decode("latin-1"),
    "Russian as Windows-1252": "полный парус и попутный ветер".encode().decode("cp1252", "replace"),
    "unknown glyphs": "(cid:12)(cid:3) (cid:145)\n" * 30,
    "scan": ". , ' ` ~ — _ - | l i ; : ! / \\ ^ ., '' -- ~~ | . : ;' `' ,. ~ •• ¢ ° |_ \\_ / . ' i , ; l . ~\n" * 5,
    "controls": "\x01\x02\x03\x04\x05" * 20 + "words",
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_texts_of_all_kinds_pass(text: str) -> None:
    assert noise_ratio(text) < 0.75
    check_text(text, 10, 0.8)


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_noise_is_refused(text: str) -> None:
    with pytest.raises(PermanentError, match="at most 80%") as caught:
        check_text(text, 10, 0.8)
    assert caught.value.code is ErrorCode.TEXT_TOO_NOISY


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("replaced", "control characters and others that no text has. Save it again as UTF-8"),
        ("archive as Windows-1252", "control characters and others that no text has. Save it again as UTF-8"),
        ("controls", "control characters and others that no text has. Save it again as UTF-8"),
        ("Chinese as Latin-1", "UTF-8 that was read in another encoding. Save the original again"),
        ("Russian as Windows-1252", "UTF-8 that was read in another encoding. Save the original again"),
        ("base64", "binary data in base64. Upload the file that is packed in it"),
        ("symbols", "punctuation and other signs. Upload a document that has words"),
        ("scan", "punctuation and other signs. Upload a document that has words"),
        ("unknown glyphs", "fonts do not say which letters they show. Export it with embedded fonts"),
    ],
)
def test_the_reason_names_what_the_noise_is(kind: str, why: str) -> None:
    with pytest.raises(PermanentError, match=why):
        check_text(BAD[kind], 10, 0.8)


def test_fonts_are_the_reason_only_where_there_may_be_some() -> None:
    for text in (BAD["private use"], BAD["controls"]):
        with pytest.raises(PermanentError, match="embedded fonts"):
            check_text(text, 10, 0.8, has_pages=True)
    with pytest.raises(PermanentError, match="punctuation"):
        check_text("*** * --- *\n" * 9, 10, 0.8, has_pages=True)


@given(st.text())
def test_the_ratio_is_one_whatever_the_text_and_ignores_blanks(text: str) -> None:
    ratio = noise_ratio(text)
    assert 0 <= ratio <= 1
    assert noise_ratio(f" \n{text}\t\u00a0\n") == ratio


@given(st.integers(0, 50), st.integers(0, 50))
def test_the_ratio_counts_characters(signal: int, noise: int) -> None:
    text = "a中" * signal + "#?" * noise
    assert noise_ratio(text) == pytest.approx(noise / max(signal + noise, 1))


def test_a_sign_that_is_repeated_counts_once() -> None:
    assert noise_ratio("ab" + "-" * 100 + ". . . .") == 0.5


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_a_long_text_is_judged_by_all_its_parts(noise: float) -> None:
    words = "word " * 500_000
    rest = "#?" * 1_000_000 if noise else ""
    assert noise_ratio(words + rest) == pytest.approx(noise, abs=0.02)


def test_the_threshold_itself_passes() -> None:
    check_text("a#?#?", 0, 0.8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The document is empty; at least 50 characters are needed"),
        (" \n\t ", "The document is empty"),
        ("x", "has only 1 character of text; at least 50 characters are needed"),
        (" too short \n", "has only 9 characters of text"),
    ],
)
def test_short_texts_are_refused_with_their_length(text: str, words: str) -> None:
    with pytest.raises(PermanentError, match=words) as caught:
        check_text(text, 50, 0.8)
    assert caught.value.code is ErrorCode.TEXT_TOO_SHORT


def test_one_character_is_said_as_one() -> None:
    with pytest.raises(PermanentError, match="is empty; at least 1 character is needed"):
        check_text(" ", 1, 0.8)


def test_without_a_minimum_any_text_will_do() -> None:
    check_text("", 0, 0.8)
    check_text("x", 0, 0.8)
