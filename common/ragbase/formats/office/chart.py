"""A chart of an office document as the table that it shows."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ragbase.formats.office.markdown import paragraph_of, table_of
from ragbase.formats.office.number_format import GENERAL, shown_by
from ragbase.formats.office.parts import Parts, tree

MOST_POINTS = 10_000
"""Of a series. More are a line to look at, and no table."""


def chart_markdown(parts: Parts, name: str) -> Iterator[str]:
    """Its titles, and its series as columns. Raises Damaged and TooLarge."""
    root = tree(parts.read(name))
    for title in root.iter("title"):
        for paragraph in title.iter("p"):
            text = " ".join("".join(one.text or "" for one in paragraph.iter("t")).split())
            if text:
                yield paragraph_of(text)
    series = [(_texts(one.find("tx")), _axis(one), _values(one)) for one in root.iter("ser")]
    names = [next(iter(said.values()), "") for said, _, _ in series]
    rows: dict[tuple[int, str], list[str]] = {}
    for column, (_, axis, values) in enumerate(series):
        for at in sorted({*axis, *values}):
            rows.setdefault((at, axis.get(at, "")), [""] * len(series))[column] = values.get(at, "")
    if rows:
        yield table_of([["", *names], *([label, *cells] for (_, label), cells in sorted(rows.items(), key=_place))])


def _place(row: tuple[tuple[int, str], list[str]]) -> int:
    return row[0][0]


def _axis(series: Element) -> dict[int, str]:
    return _texts(next((found for name in ("cat", "xVal") if (found := series.find(name)) is not None), None))


def _values(series: Element) -> dict[int, str]:
    return _texts(next((found for name in ("val", "yVal") if (found := series.find(name)) is not None), None))


def _texts(element: Element | None) -> dict[int, str]:
    """The values of a series that the file keeps, as they are shown, by their places. Categories of several levels are
    one text."""
    found: dict[int, str] = {}
    if element is None:
        return found
    code = next((one.text for one in element.iter("formatCode")), None) or GENERAL
    shown = shown_by(code)
    for point in element.iter("pt"):
        place = point.get("idx", "")
        value = next((one.text for one in point.iter("v")), None)
        if value and place.isdigit() and len(found) < MOST_POINTS:
            text = value
            if any(True for _ in element.iter("numCache")):
                try:
                    text = shown(float(value))
                except ValueError:
                    text = value
            found[int(place)] = f"{text} {found[int(place)]}" if int(place) in found else text
    if not found and (value := next((one.text for one in element.iter("v")), None)):
        found[0] = value
    return found
