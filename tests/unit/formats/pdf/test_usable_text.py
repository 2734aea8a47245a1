"""Which text layers say what stands on their page."""

from __future__ import annotations

import pytest

from ragbase.formats.pdf.usable_text import is_garbage, is_scan, needs_ocr

SENTENCE = "The wind fills the sail, and the boat begins to move at last."


@pytest.mark.parametrize(
    ("text", "images", "wanted"),
    [
        (SENTENCE, False, False),
        (SENTENCE, True, False),
        ("Gió thổi căng buồm, và con thuyền bắt đầu chuyển động trên mặt nước.", True, False),
        (
            "風が帆をふくらませ、舟はゆっくりと動きはじめ、やがて岸を離れて沖へ向かい、夕日の中に小さく消えていった。",
            True,
            False,
        ),
        ("\uf0b7 one\n\uf0b7 two\n\uf0b7 three", False, False),  # bullets of a font of its own
        ("| 12 | 17.5 |\n| --- | --- |", False, False),
        ("", False, True),
        ("– · –", False, True),
        ("Page 3", False, False),
        ("Page 3", True, True),
    ],
)
def test_a_layer_that_says_little_of_a_picture_needs_ocr(text: str, images: bool, wanted: bool) -> None:
    assert needs_ocr(text, images=images) is wanted


def test_what_ocr_finds_replaces_a_stamp_and_no_title() -> None:
    assert is_scan("ACME-0017", SENTENCE)
    assert not is_scan("Annual report of the harbour", "Annual report of the harbour 2024")


@pytest.mark.parametrize(
    "text",
    [
        "\uf041\uf042\uf043 \uf044\uf045 \uf046\uf047\uf048 x",  # a font of symbols
        "\ufffd\ufffd\ufffd \ufffd\ufffd and",
        "\x18\x1a\x12\x15 \x18\x19\x01 2024\r\n\x7f\x08\x05",  # a font that calls its letters 1, 2, 3 …
    ],
)
def test_letters_without_a_meaning_are_no_text(text: str) -> None:
    assert is_garbage(text)


@pytest.mark.parametrize(
    "text", ["", SENTENCE, "Gió thổi căng buồm\r\nвода и ветер", "\uf0b7 one\r\n\uf0b7 two\tthree"]
)
def test_a_text_with_some_signs_of_its_own_font_is_a_text(text: str) -> None:
    assert not is_garbage(text)
