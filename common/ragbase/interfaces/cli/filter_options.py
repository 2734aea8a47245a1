"""The options of `ragbase query` and `ragbase explain` that say which documents it may show."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import click

from ragbase.domain.limits import MAX_CONDITIONS
from ragbase.interfaces.cli.typed_condition import typed_condition

if TYPE_CHECKING:
    from ragbase.domain.condition import Condition
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.interfaces.knowledge.knowledge import Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the options say, as it was typed."""

    documents: tuple[str, ...] = ()
    path: str | None = None
    formats: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    title: str | None = None
    url: str | None = None
    first: datetime | None = None
    last: datetime | None = None
    where: tuple[Condition, ...] = ()

    def within(self, knowledge: Knowledge) -> SearchFilter | None:
        """None without any option. Raises DocumentNotFound."""
        from ragbase.domain.search_filter import SearchFilter
        from ragbase.interfaces.cli.identified import identified

        self._check()
        if self == Wanted():
            return None
        return SearchFilter(
            document_ids=frozenset(identified(document, knowledge).id for document in self.documents),
            path_prefixes=knowledge.folders(self.path) if self.path else frozenset(),
            formats=frozenset(self.formats),
            tags=frozenset(self.tags),
            title=self.title or "",
            url_prefix=self.url or "",
            date_from=_day(self.first),
            date_to=_day(self.last),
            where=self.where,
        )

    def option_of(self, warning: str) -> str | None:
        """The option, with what was typed, for the field of a filter that a warning names (wire/nothing_to_search.py);
        None if it names none."""
        from ragbase.interfaces.wire.nothing_to_search import NO_MATCH

        field = warning.removeprefix(NO_MATCH).removesuffix(".")
        option = _OPTIONS.get(field) if warning.startswith(NO_MATCH) else None
        return f"{option} {self._typed(field)}".rstrip() if option is not None else None

    def _typed(self, field: str) -> str:
        days = [f"{moment:%Y-%m-%d}" if moment is not None else "" for moment in (self.first, self.last)]
        typed: dict[str, Sequence[str | None]] = {
            "documentIds": self.documents,
            "pathPrefix": (self.path,),
            "formats": self.formats,
            "tags": self.tags,
            "title": (self.title,),
            "urlPrefix": (self.url,),
            "dateFrom and dateTo": ("..".join(days),),
            "where": [condition.key for condition in self.where],
        }
        return ", ".join(filter(None, typed[field]))

    def _check(self) -> None:
        from ragbase.formats.table import FORMATS

        if unknown := sorted(set(self.formats) - FORMATS.keys()):
            raise click.BadParameter(
                f"there is no format {', '.join(unknown)}. Take one of {', '.join(sorted(FORMATS))}.",
                param_hint="'--format'",
            )
        if self.first and self.last and self.first > self.last:
            raise click.BadParameter("it is after --to.", param_hint="'--from'")


_OPTIONS = {
    "documentIds": "--document",
    "pathPrefix": "--path",
    "formats": "--format",
    "tags": "--tag",
    "title": "--title",
    "urlPrefix": "--url",
    "dateFrom and dateTo": "--from/--to",
    "where": "--where",
}
"""The option for each field of a filter of the HTTP API."""


def filter_options(command: Callable[..., None]) -> Callable[..., None]:
    """They come as one argument, `wanted`."""
    return _with_wanted(command, _filter_by_document, *_OTHER_FILTERS)


def filter_options_but_document(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command with its own --document."""
    return _with_wanted(command, *_OTHER_FILTERS)


def _with_wanted(command: Callable[..., None], *filters: Callable[..., Any]) -> Callable[..., None]:
    @functools.wraps(command)
    def with_wanted(*arguments: Any, **options: Any) -> None:
        given = {field.name: options.pop(field.name) for field in fields(Wanted) if field.name in options}
        command(*arguments, wanted=Wanted(**given), **options)

    for one in reversed(filters):
        with_wanted = one(with_wanted)
    return with_wanted


def _not_empty(_: click.Context, __: click.Parameter, given: Any) -> Any:
    """The text, or the texts. An empty one would ask for nothing."""
    for text in given if isinstance(given, tuple) else (given,):
        if text is None:
            continue
        if not text.strip():
            raise click.BadParameter("it is empty. Name what you look for, or leave the option out.")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise click.BadParameter("it is not valid UTF-8. Correct it.") from None
    return given


def _conditions(_: click.Context, __: click.Parameter, typed: tuple[str, ...]) -> tuple[Condition, ...]:
    if len(typed) > MAX_CONDITIONS:
        raise click.BadParameter(f"there are {len(typed)}, and the limit is {MAX_CONDITIONS}. Leave some out.")
    return tuple(map(typed_condition, _not_empty(_, __, typed)))


def _day(moment: datetime | None) -> date | None:
    return moment.date() if moment is not None else None


_DAY = click.DateTime(formats=["%Y-%m-%d"])
_filter_by_document = click.option(
    "--document",
    "documents",
    multiple=True,
    metavar="ID|PATH",
    callback=_not_empty,
    help="Only in this document. May be repeated: then in any of them.",
)
_OTHER_FILTERS = (
    click.option(
        "--path",
        metavar="PATH",
        callback=_not_empty,
        help="Only below this folder, by its name in the bucket or by the path that it was ingested from.",
    ),
    click.option(
        "--format",
        "formats",
        multiple=True,
        metavar="FORMAT",
        help="Only in documents of this format, such as pdf. May be repeated: then of any of them.",
    ),
    click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        callback=_not_empty,
        help="Only in documents with this tag. May be repeated: then with all of them.",
    ),
    click.option("--title", metavar="TITLE", callback=_not_empty, help="Only in documents with this title."),
    click.option(
        "--url", metavar="URL", callback=_not_empty, help="Only in documents whose address is this or below it."
    ),
    click.option("--from", "first", type=_DAY, metavar="DATE", help="Only in documents of this day or later."),
    click.option("--to", "last", type=_DAY, metavar="DATE", help="Only in documents of this day or earlier."),
    click.option(
        "--where",
        multiple=True,
        metavar="KEY=VALUE|KEY=FROM..TO",
        callback=_conditions,
        help="Only in documents whose front matter has this value, or one in this range of numbers or days, under the "
        "key. May be repeated: then with all of them.",
    ),
)
