"""Which documents a search may show."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from ragbase.domain.comparable_values import day_number, day_of, folded
from ragbase.domain.condition import Condition
from ragbase.domain.labels import Fact, Labels, folder_label, is_in, label
from ragbase.domain.name_forms import nfc, stored_forms
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.domain.tenant import own_name

if TYPE_CHECKING:
    from ragbase.domain.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """What a document has to be to be shown. What is empty or None asks for nothing.

    It has one of the ids, is in one of the folders `path_prefixes` of the bucket or has one of these names, has one of
    the formats (names of formats/table.py), all of the tags, this title (tags and titles without regard to capitals), a
    url that is `url_prefix` or below it, and a date from `date_from` to `date_to`, both included, and its front matter
    meets all conditions of `where`. A prefix ends where a part between slashes ends: `guides` has guides/a.md and not
    guides-2/a.md; a slash at its end makes no difference.

    What the record says of the active generation counts. `matches` is the judge. A store narrows by the labels that are
    written with each chunk (`may_match`), so that its best chunks are those of documents that match. Chunks without
    labels (an older ragbase has written them) are left to the judge; `but_not` takes out the documents that it refused.

    `reach` is no wish but a right: to who asks, the index has nothing else, so the facts about the index that decide
    scores are those of the chunks within reach.
    """

    document_ids: frozenset[str] = frozenset()
    path_prefixes: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    title: str = ""
    url_prefix: str = ""
    date_from: date | None = None
    date_to: date | None = None
    where: tuple[Condition, ...] = ()
    refused: frozenset[str] = frozenset()
    reach: Reach = EVERYWHERE

    def but_not(self, document_ids: Collection[str]) -> SearchFilter:
        return replace(self, refused=self.refused.union(document_ids))

    def asked_by(self, tenant: str) -> SearchFilter:
        """The same, asked by somebody of this tenant: the paths may leave the tenant's folder out."""
        return replace(self, path_prefixes=frozenset(own_name(f"{folder}/", tenant) for folder in self.folders))

    @property
    def asked_facts(self) -> SearchFilter | None:
        """The filter of the chunks whose facts count; None if those of the whole index do."""
        return None if self.reach.is_everything else SearchFilter(reach=self.reach)

    def may_be_of(self, tenant: str) -> bool:
        """Whether a document of this tenant, which is the first folder of its name, can match."""
        if tenant and not self.reach.meets(tenant):
            return False
        if not self.path_prefixes:
            return True
        return any(is_in(folder, tenant) if tenant else "/" not in folder for folder in self.folders)

    @property
    def folders(self) -> Sequence[str]:
        """The path prefixes in NFC, without a slash at the end."""
        return sorted({nfc(prefix).removesuffix("/") for prefix in self.path_prefixes})

    @property
    def days(self) -> tuple[int | None, int | None]:
        """The first and the last day, as numbers of `Labels.day`; None for no bound."""
        first, last = self.date_from, self.date_to
        return day_number(first) if first else None, day_number(last) if last else None

    @property
    def labels(self) -> Sequence[Sequence[str]]:
        """A chunk may match if it has one label of each of these groups, and its day fits."""
        groups = [[label(Fact.TAG, tag)] for tag in sorted(map(folded, self.tags))]
        if self.path_prefixes:
            groups.append(_folder_labels(self.folders))
        if not self.reach.is_everything:
            groups.append(_folder_labels(self.reach.folders))
        if self.formats:
            groups.append([label(Fact.FORMAT, format) for format in sorted(self.formats)])
        if self.title:
            groups.append([label(Fact.TITLE, folded(self.title))])
        if self.url_prefix:
            groups.append([folder_label(Fact.URL, self.url_prefix.removesuffix("/"))])
        groups += [[label(Fact.FRONT_MATTER, fact) for fact in condition.facts] for condition in self.where]
        return groups

    def may_match(self, document_id: str, labels: Labels | None) -> bool:
        """Whether a chunk with these labels can be of a document that matches; `labels` is None if it has none."""
        if not self.may_be(document_id):
            return False
        return labels is None or (self._has_day(labels.day) and all(map(set(labels.names).intersection, self.labels)))

    def may_be(self, document_id: str) -> bool:
        """Whether the document with this id can match."""
        return (not self.document_ids or document_id in self.document_ids) and document_id not in self.refused

    def matches(self, document: Document) -> bool:
        """Whether search may show this document. One that shows nothing does not match."""
        if document.active is None or not self.may_be(document.id) or not self.reach.has(document.name):
            return False
        said = document.metadata
        return (
            (not self.path_prefixes or any(is_in(document.name, folder) for folder in self.folders))
            and (not self.formats or document.active.format in self.formats)
            and set(map(folded, self.tags)) <= set(map(folded, said.tags))
            and (not self.title or folded(said.title or "") == folded(self.title))
            and (not self.url_prefix or is_in(said.url or "", self.url_prefix.removesuffix("/")))
            and self._has_day(day_of(said.date))
            and self.is_met_by(said.front_matter)
        )

    def is_met_by(self, front_matter: Collection[tuple[str, str]]) -> bool:
        """Whether this front matter meets all conditions."""
        return all(condition.is_met_by(front_matter) for condition in self.where)

    def _has_day(self, day: int | None) -> bool:
        first, last = self.days
        if first is None and last is None:
            return True
        return day is not None and (first is None or first <= day) and (last is None or day <= last)


def _folder_labels(folders: Sequence[str]) -> list[str]:
    """Also those that an older version has written, which took the name as the bucket had it."""
    return [folder_label(Fact.PATH, form) for form in stored_forms(folders)]
