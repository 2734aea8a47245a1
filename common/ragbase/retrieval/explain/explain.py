"""The use case: say at which stage a search loses a document, or where it shows it.

A document that a search shows is found. Otherwise the stages are looked at in the order of the way from the bucket to a
result (explanation.py), and the first one that loses the document is named. Two of them need a rule:

- EXTRACTION: the file has terms of the question near each other that none of its chunks has, and they have at least two
  fifths of the words' worth. (Markup has words, too, but seldom those of a question together.) The file has to be a
  text. Of a PDF it is said if most of the words' worth is in no chunk, and there are pages that gave no text: the words
  may be on them.
- CHUNK_CUT: a piece of the text over a border has at least a fifth of the words' worth more than any chunk. It is as
  long as the longest chunk, and as a chunk it would be a result; or it has nearly all of the worth, and is not longer
  than two such chunks. A document that others outrank is held to both: there is one chunk that answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from ragbase.domain.comparable_values import folded
from ragbase.domain.document import Document, IndexedGeneration, Status
from ragbase.domain.left_out import LeftOutFile, left_out_notes
from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.domain.loss_stage import LossStage
from ragbase.domain.search_filter import SearchFilter
from ragbase.ports import Bucket, DocumentStore, Hit, OpenIndex, StoredObject
from ragbase.retrieval.calibration import origin_of
from ragbase.retrieval.explain.explanation import Explanation, InIndex, JoinedFigures, WordFigures
from ragbase.retrieval.explain.judge import Judge
from ragbase.retrieval.explain.reasons import reason_of, remedy_of
from ragbase.retrieval.explain.words import Worth, densest_span, word_figures, words_of_file
from ragbase.retrieval.remembering_embedder import RememberingEmbedder
from ragbase.retrieval.search import search
from ragbase.text.terms import terms_in

_LOST = 0.4
"""Share of the words' worth that the file has in one place, and no chunk has."""
_NEAR = 1000
"""Characters of a file in which words are near each other, if its chunks are not longer."""
_MOST = 2 / 3
"""Share of the words' worth that has to be in no chunk of a PDF with pages without text."""
_DIVIDED = 0.2
"""Share of the words' worth that a piece of the text has to have beyond the best chunk."""
_WHOLE = 0.9
"""Share of the words' worth that counts as all."""
_MOST_READ = 5 * 1024 * 1024
"""Bytes of a file that is looked at for words: finding them takes a quarter of a second for each MB."""
_DEEP = 100
"""Ranks that are looked at to find the document's among those of several tenants."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, and what `search` takes with it."""

    query: str
    top_k: int
    threshold: float
    within: SearchFilter | None = None
    tenant: str | None = None
    group_versions: bool = True


def explain(
    asked: Asked,
    name: str,
    *,
    current: Callable[[], OpenIndex | None],
    bucket: Bucket,
    documents: DocumentStore,
    record: Document | None,
    left_out: LeftOutFile | None = None,
    is_document: bool = True,
) -> Explanation:
    """Why this search does not show the document of this name in the bucket, or where it shows it. `record` is its
    record, if there is one. `left_out` says why it is not taken from the folder or the source that has it;
    without `is_document`, why no object of this name becomes one.

    Raises what `search` raises, and PermanentError or Unavailable if a text cannot be embedded.
    """
    index = current()
    index = replace(index, embedder=RememberingEmbedder(index.embedder)) if index is not None else None
    asked = replace(asked, query=asked.query[:MAX_QUERY_LENGTH])
    stored = bucket.stat(name)
    return _Explaining(asked, name, index, bucket, documents, record, stored, left_out, is_document).explanation()


@dataclass(frozen=True, slots=True)
class _Explaining:
    asked: Asked
    name: str
    index: OpenIndex | None
    bucket: Bucket
    documents: DocumentStore
    record: Document | None
    stored: StoredObject | None
    left_out: LeftOutFile | None
    is_document: bool

    def explanation(self) -> Explanation:
        held = self._held()
        rank = self._rank(self.asked.top_k)
        refused_by = _refused_by(self.asked.within, self.record)
        stage = LossStage.FOUND if rank is not None else self._stage_before_the_words(held, refused_by)
        in_index = self._in_index(rank) if held else None
        if stage is None and in_index is not None:
            stage = _stage_in_index(in_index, self.asked)
        bare = Explanation(
            stage=stage or LossStage.NOT_IN_INDEX,
            reason="",
            remedy=None,
            name=self.name,
            stored=self.stored,
            record=self.record,
            held_chunks=held,
            refused_by=refused_by,
            top_k=self.asked.top_k,
            threshold=self.asked.threshold,
            in_index=in_index,
            model=self.index.embedder.model if self.index is not None else None,
            left_out=self.left_out,
        )
        return replace(bare, reason=reason_of(bare), remedy=remedy_of(bare))

    def _held(self) -> int | None:
        """How many chunks of the active generation the index has; None if it should have none."""
        record, index = self.record, self.index
        if record is None or record.active is None or index is None or record.indexed_in(index.index.name) is None:
            return None
        return index.vectors_of(record.name).held([record.id]).get(record.id, {}).get(record.active.generation, 0)

    def _rank(self, top_k: int) -> int | None:
        """The document's rank in a search for `top_k` results."""
        record, asked = self.record, self.asked
        if record is None or record.active is None:
            return None
        results = search(
            asked.query,
            current=lambda: self.index,
            documents=self.documents,
            top_k=top_k,
            threshold=asked.threshold,
            within=asked.within,
            tenant=asked.tenant,
            group_versions=asked.group_versions,
        )
        return next(
            (one.rank for one in results if any(source.document.id == record.id for source in one.sources)), None
        )

    def _stage_before_the_words(self, held: int | None, refused_by: Mapping[str, str]) -> LossStage | None:
        """The stage that loses the document, if its chunks are not what matters; None otherwise."""
        record, stored = self.record, self.stored
        if stored is None or stored.shows_folder or not self.is_document:
            return LossStage.NOT_IN_BUCKET if self.left_out is None else LossStage.LEFT_OUT
        if record is None or not record.wants(stored.generation):
            return LossStage.NO_RECORD
        if not record.shows(record.generation):
            return LossStage.WAITING if record.needs_work else _unshown(record)
        made = record.indexed_in(self.index.index.name) if self.index is not None else None
        if made is None or not held or held < made.chunk_count:
            return LossStage.NOT_IN_INDEX
        if self._is_of_another_tenant(record):
            return LossStage.OTHER_TENANT
        return LossStage.FILTERED if refused_by else None

    def _is_of_another_tenant(self, record: Document) -> bool:
        tenant, index = self.asked.tenant, self.index
        return tenant is not None and index is not None and index.index.tenant_of(record.name) != tenant

    @property
    def _asks_all_tenants(self) -> bool:
        return self.index is not None and self.index.index.is_split and self.asked.tenant is None

    def _in_index(self, rank: int | None) -> InIndex | None:
        asked, record, index = self.asked, self.record, self.index
        if record is None or record.active is None or index is None:
            return None
        chunks = index.vectors_of(record.name).read(record.id, record.active.generation)
        if not chunks:
            return None
        within = asked.within
        if within is not None and not within.matches(record):
            within = within.asked_facts  # as if nothing had been asked for: what is out of reach stays so
        judge = Judge(
            asked.query,
            record,
            chunks,
            index,
            self.documents,
            asked.top_k,
            asked.threshold,
            within,
            asked.group_versions,
        )
        passing = judge.passing()
        rank_here = judge.rank_in(passing)
        if rank is None and rank_here is not None and rank_here <= asked.top_k and self._asks_all_tenants:
            rank_here = self._rank(max(_DEEP, asked.top_k)) or _DEEP + 1  # other tenants have better passages
        words, lost_together = self._words(judge, judge.language, record)
        return InIndex(
            index=index.index.name,
            calibration=origin_of(index.embedder.model, index.fitted()),
            pages_without_text=_pages_without_text(record.active, judge.hits),
            words=words,
            lost_together=lost_together,
            candidates=judge.candidates(),
            best=judge.best,
            joined=_joined(judge, is_outranked=rank_here is not None) if rank is None else None,
            rank=rank or rank_here,
            better=judge.better(passing),
        )

    def _words(self, judge: Judge, language: str, record: Document) -> tuple[list[WordFigures], float]:
        """The terms of the question, and the worth of those that the file has near each other and no chunk has."""
        words = word_figures(judge.worth, judge.found.candidates, judge.hits, ())
        missing = judge.worth.without([word.term for word in words if word.chunks])
        is_read = bool(missing.shares) and self.stored is not None and self.stored.size <= _MOST_READ
        text = words_of_file(self.name, record.generation, self.bucket) if is_read else ""
        if not text:
            return self._words_of_notes(judge, missing, language, record, words)
        span = densest_span(text, missing, language, length=max(_NEAR, judge.longest))
        words = word_figures(judge.worth, judge.found.candidates, judge.hits, frozenset(terms_in(text, language)))
        return words, span[2] if span is not None else 0.0

    def _words_of_notes(
        self, judge: Judge, missing: Worth, language: str, record: Document, words: list[WordFigures]
    ) -> tuple[list[WordFigures], float]:
        """The same for a file that is no text: its notes show the beginning of what its reader left out."""
        text = " ".join(left_out_notes(record.active.notes)) if record.active is not None else ""
        span = densest_span(text, missing, language, length=max(_NEAR, judge.longest)) if text else None
        noted = frozenset(terms_in(text, language))
        figures = [replace(word, in_file=True) if not word.chunks and word.term in noted else word for word in words]
        return figures, span[2] if span is not None else 0.0


def _joined(judge: Judge, *, is_outranked: bool) -> JoinedFigures | None:
    """The shortest piece that a border divides; if there is none, what comes nearest to one."""
    pieces = [piece for chunks in (1, 2) if (piece := judge.joined(chunks)) is not None]
    divided = (piece for piece in pieces if _is_divided(piece, is_outranked=is_outranked))
    return next(divided, pieces[0] if pieces else None)


def _pages_without_text(active: IndexedGeneration, hits: Sequence[Hit]) -> list[int]:
    """Pages of a file with pages that no chunk is of."""
    return sorted(set(range(1, (active.page_count or 0) + 1)) - {hit.chunk.page for hit in hits})


def _unshown(record: Document) -> LossStage:
    return LossStage.FAILED if record.status is Status.FAILED else LossStage.NOT_IN_INDEX


def _stage_in_index(seen: InIndex, asked: Asked) -> LossStage:
    if _lost_words(seen):
        return LossStage.EXTRACTION
    if seen.joined is not None and _is_divided(seen.joined, is_outranked=seen.rank is not None):
        return LossStage.CHUNK_CUT
    if not seen.candidates.chunks:
        return LossStage.NOT_A_CANDIDATE
    return LossStage.BELOW_THRESHOLD if seen.rank is None else LossStage.OUTRANKED


def _lost_words(seen: InIndex) -> bool:
    there = sum(word.worth for word in seen.words if word.chunks)
    may_be_on_pages = bool(seen.pages_without_text) and 1 - there >= _MOST
    return may_be_on_pages or seen.lost_together >= _LOST


def _is_divided(joined: JoinedFigures, *, is_outranked: bool) -> bool:
    if joined.coverage - joined.chunk_coverage < _DIVIDED:
        return False
    is_whole, would_be_found = joined.coverage >= _WHOLE, joined.chunks == 1 and joined.rank is not None
    return is_whole and would_be_found if is_outranked else is_whole or would_be_found


def _refused_by(within: SearchFilter | None, record: Document | None) -> dict[str, str]:
    """The parts of the filter that the document does not match, with what it has instead."""
    if within is None or record is None or record.active is None:
        return {}
    said = record.metadata
    asked = {folded(condition.key.strip()) for condition in within.where}
    has = {
        "document_ids": record.id,
        "path_prefixes": record.name,
        "formats": record.active.format,
        "tags": ", ".join(said.tags),
        "title": said.title or "",
        "url_prefix": said.url or "",
        "date_from": said.date or "",
        "date_to": said.date or "",
        "where": ", ".join(f"{key}={text}" for key, text in said.front_matter if key in asked),
    }
    nothing = SearchFilter()
    parts = {one.name: getattr(within, one.name) for one in fields(SearchFilter) if one.name in has}
    return {
        name: has[name]
        for name, wanted in parts.items()
        if wanted != getattr(nothing, name) and not replace(nothing, **{name: wanted}).matches(record)
    }
