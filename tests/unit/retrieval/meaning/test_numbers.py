"""Numbers of every script and in words are read by their value, with what they measure."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ragbase.retrieval.meaning.numbers import numbers_in


def amounts(text: str, code: str = "en") -> list[tuple[set[Decimal], str | None]]:
    return [(set(one.values), one.unit.dimension if one.unit else None) for one in numbers_in(text, code)]


@pytest.mark.parametrize(
    ("code", "text", "value", "unit"),
    [
        ("en", "two hundred and five users", 205, None),
        ("en", "ninety-five days", 95, "time"),
        ("en", "5.5 million euros", 5_500_000, "EUR"),
        ("en", "€5", 5, "EUR"),
        ("en", "15%", 15, "percent"),
        ("en", "20k rows", 20_000, None),
        ("en", "the 3rd floor", 3, None),
        ("de", "fünfundzwanzig Tage", 25, "time"),
        ("de", "zweihundert Leute", 200, None),
        ("de", "5 Mio. Euro", 5_000_000, "EUR"),
        ("fr", "quatre-vingt-dix-sept", 97, None),
        ("fr", "4 Go", 4, "bytes"),
        ("es", "treinta y dos países", 32, None),
        ("es", "500 mil euros", 500_000, "EUR"),
        ("it", "ventotto ore", 28, "time"),
        ("nl", "vijfentwintig dagen", 25, "time"),
        ("ru", "2 500 000 человек", 2_500_000, None),
        ("ru", "двадцать пять дней", 25, "time"),
        ("tr", "on beş gün", 15, "time"),
        ("vi", "hai mươi ngày", 20, "time"),
        ("id", "dua belas hari", 12, "time"),
        ("id", "Rp150.000,00", 150_000, "IDR"),
        ("ar", "٣٥٠ يوما", 350, "time"),
        ("hi", "५ लाख", 500_000, None),
        ("zh", "一百二十万", 1_200_000, None),
        ("zh", "120万元", 1_200_000, "CNY"),
        ("ja", "1億2000万円", 120_000_000, "JPY"),
        ("ko", "3만 권", 30_000, None),
    ],
)
def test_a_number_is_read_by_its_value(code: str, text: str, value: int, unit: str | None) -> None:
    if code in {"ar", "hi"}:
        from ragbase.retrieval.meaning.read_text import even

        text = even(text)
    ((values, of),) = amounts(text, code)
    assert Decimal(value) in values
    assert of == unit


def test_a_mark_before_three_digits_parts_thousands_or_decimals() -> None:
    assert amounts("1.250") == [({Decimal(1250), Decimal("1.25")}, None)]
    assert amounts("1.250,50") == [({Decimal("1250.5")}, None)]
    assert amounts("1,250,000") == [({Decimal(1_250_000)}, None)]


@pytest.mark.parametrize("text", ["at 10:30", "v2.3.1", "web-17", "E0382", "3D", "6½ sacks", "http://a/5"])
def test_a_part_of_an_identifier_is_no_number(text: str) -> None:
    assert amounts(text) == []


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("90 minutes", "1.5 hours", True),
        ("24 hours", "one day", True),
        ("2 GB", "2000 MB", True),
        ("2 GB", "2048 MB", True),
        ("4 GB", "4 MB", False),
        ("5 euros", "5 dollars", False),
        ("5 days", "5", True),
        ("12 months", "1 year", True),
    ],
)
def test_amounts_agree_by_their_size(one: str, other: str, agree: bool) -> None:
    (first,), (second,) = numbers_in(one, "en"), numbers_in(other, "en")
    assert first.agrees(second) is agree
    assert second.agrees(first) is agree
