"""A condition on front matter as it is typed: `KEY=VALUE` or `KEY=FROM..TO`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from datetime import date

    from ragbase.domain.condition import Condition

_HOW = "Write KEY=VALUE, or KEY=FROM..TO with numbers or days, such as author=Ann or updated=2024-01-01.."


def typed_condition(typed: str) -> Condition:
    """What looks like a number is one, unless it stands in double quotation marks. Raises BadParameter."""
    from ragbase.domain.comparable_values import number_of
    from ragbase.domain.condition import Condition

    key, separator, value = (part.strip() for part in typed.partition("="))
    if not separator:
        raise click.BadParameter(f"{typed!r} has no `=`. {_HOW}")
    try:
        if len(value) > 1 and value[0] == value[-1] == '"':
            return Condition(key=key, equals=value[1:-1])
        first, dots, last = (part.strip() for part in value.partition(".."))
        ends = [_end(end) for end in (first, last) if end]
        if dots and ends and None not in ends:
            return Condition(key=key, at_least=_end(first), at_most=_end(last))
        number = number_of(value)
        return Condition(key=key, equals=value if number is None else number)
    except ValueError as error:
        raise click.BadParameter(f"{typed!r}: {error}. {_HOW}") from None


def _end(typed: str) -> float | date | None:
    from ragbase.domain.comparable_values import number_of
    from ragbase.domain.condition import day_in

    number = number_of(typed)
    return number if number is not None else day_in(typed)
