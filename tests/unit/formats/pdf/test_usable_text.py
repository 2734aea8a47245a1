"""Which text layers say what stands on their page."""

from __future__ import annotations

import pytest

from ragbase.formats.pdf.usable_text import is_scan, needs_ocr

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
        ("\uf041\uf042\uf043 \uf044\uf045 \uf046\uf047\uf048 x", False, True),
        ("\ufffd\ufffd\ufffd \ufffd\ufffd and", False, True),
    ],
)
def test_a_layer_without_meaning_needs_ocr(text: str, images: bool, wanted: bool) -> None:
    assert needs_ocr(text, images=images) is wanted


def test_what_ocr_finds_replaces_a_stamp_and_no_title() -> None:
    assert is_scan("ACME-0017", SENTENCE)
    assert not is_scan("Annual report of the harbour", "Annual report of the harbour 2024")
    assert is_scan("\ufffd\ufffd\ufffd \ufffd\ufffd a", "")
