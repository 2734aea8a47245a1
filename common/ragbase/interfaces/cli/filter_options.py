"""The options of `ragbase query` and `ragbase explain` that say which documents it may show."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragbase.domain.limits import MAX_CONDITIONS
from ragbase.interfaces.cli.typed_condition import typed_condition

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.client.answers import Filter
    from ragbase.client.client import Client
    from ragbase.domain.condition import Condition
    from ragbase.domain.search_filter import SearchFilter


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

    def within(self, profile: Profile) -> SearchFilter | None:
        """None without any option. Raises DocumentNotFound."""
        from ragbase.domain.search_filter import SearchFilter
        from ragbase.engine.identify import document_ids
        from ragbase.interfaces.cli.remote import not_found
        from ragbase.sources.folder import object_name

        self._check()
        if self == Wanted():
            return None
        paths = (self.path, object_name(Path(self.path), profile.bucket_folder)) if self.path else ()
        ids = {document: document_ids(document, profile) for document in self.documents}
        known = profile.documents.get_many([id for group in ids.values() for id in group]) if ids else {}
        for document, group in ids.items():
            if all(id not in known or known[id].tombstone for id in group):
                raise not_found(document)
        return SearchFilter(
            document_ids=frozenset(id for group in ids.values() for id in group),
            path_prefixes=frozenset(paths),
            formats=frozenset(self.formats),
            tags=frozenset(self.tags),
            title=self.title or "",
            url_prefix=self.url or "",
            date_from=_day(self.first),
            date_to=_day(self.last),
            where=self.where,
        )

    def remote_filter(self, client: Client) -> Filter | None:
        """The same for a deployment; None without any option."""
        from ragbase.client.answers import Filter
        from ragbase.interfaces.cli.remote import remote_document, remote_name

        self._check()
        if self == Wanted():
            return None
        return Filter(
            document_ids=tuple(remote_document(document, client).id for document in self.documents) or None,
            path_prefix=remote_name(self.path) if self.path else None,
            formats=self.formats or None,
            tags=self.tags or None,
            title=self.title,
            url_prefix=self.url,
            date_from=_day(self.first),
            date_to=_day(self.last),
            where=self.where or None,
        )

    def _check(self) -> None:
        from ragbase.formats.table import FORMATS

        if unknown := sorted(set(self.formats) - FORMATS.keys()):
            raise click.BadParameter(
                f"there is no format {', '.join(unknown)}. Take one of {', '.join(sorted(FORMATS))}.",
                param_hint="'--format'",
            )
        if self.first and self.last and self.first > self.last:
            raise click.BadParameter("it is after --to.", param_hint="'--from'")


def option_of(part: str) -> str:
    """The option for a part of a filter (retrieval/unmatched.py)."""
    return _OPTIONS.get(part, f"--{part}")


_OPTIONS = {
    "document_ids": "--document",
    "path_prefixes": "--path",
    "formats": "--format",
    "tags": "--tag",
    "url_prefix": "--url",
    "date": "--from/--to",
}


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
