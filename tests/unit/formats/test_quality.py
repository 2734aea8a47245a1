"""Which texts are worth an index."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.formats.quality import check_text, noise_ratio

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
}
BAD = {
    "replaced": "\ufffd" * 90 + "ten chars.",
    "private use": "\ue000\ue001\uf8ff" * 30 + "words",
    "symbols": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" * 3 + "words",
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


@given(st.text())
def test_the_ratio_is_one_whatever_the_text_and_ignores_blanks(text: str) -> None:
    ratio = noise_ratio(text)
    assert 0 <= ratio <= 1
    assert noise_ratio(" \n\t\u00a0".join(text)) == ratio


@given(st.integers(0, 50), st.integers(0, 50))
def test_the_ratio_counts_characters(signal: int, noise: int) -> None:
    characters = ["a", "中"] * signal + ["#", "\ufffd"] * noise
    random.Random(0).shuffle(characters)
    assert noise_ratio("".join(characters)) == pytest.approx(noise / max(signal + noise, 1))


def test_the_threshold_itself_passes() -> None:
    check_text("a" + "#" * 4, 0, 0.8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The document is empty; at least 50 characters are needed"),
        (" \n\t ", "The document is empty"),
        ("x", "has only 1 character of text"),
        (" too short \n", "has only 9 characters of text"),
    ],
)
def test_short_texts_are_refused_with_their_length(text: str, words: str) -> None:
    with pytest.raises(PermanentError, match=words) as caught:
        check_text(text, 50, 0.8)
    assert caught.value.code is ErrorCode.TEXT_TOO_SHORT


def test_without_a_minimum_any_text_will_do() -> None:
    check_text("", 0, 0.8)
    check_text("x", 0, 0.8)
