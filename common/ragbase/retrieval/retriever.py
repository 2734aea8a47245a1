"""Retriever: search as a library (docs/contracts/retriever.md, sections 1 to 3 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import PurePosixPath

from ragbase.domain.answer import GeneratedAnswer, QuestionPart
from ragbase.domain.context import Context, expansion
from ragbase.domain.conversation import Standalone, Turn, check_history
from ragbase.domain.limits import (
    DEFAULT_EVIDENCE_TOKENS,
    DEFAULT_SIMILARITY_THRESHOLD,
    DEFAULT_TOP_K,
    MIN_SEARCH_LENGTH,
)
from ragbase.domain.near_miss import NearMiss
from ragbase.domain.question import Question
from ragbase.domain.search_filter import SearchFilter
from ragbase.ports import Embedder, Generator
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.answer import answer, whole
from ragbase.retrieval.context import EvidenceLimits
from ragbase.retrieval.expand import with_contexts
from ragbase.retrieval.scoring import ScoreBreakdown
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_parts import parts_of, search_parts
from ragbase.retrieval.search_result import ResultSource, SearchResult, near_miss_of

Metadata = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A passage and its place, with the names of the contract: `content == extracted_text[char_start:char_end]`, and
    `source_file` is the document's `source`.

    `metadata` has source_file, header_path ("Guide > Installation", or the file's name if no heading is above the
    passage), document_id, chunk_id, generation, char_start, char_end, in documents with pages page, and in CSV and TSV
    files row. If the passage begins in the rows of a table, table_header is the table's header row. What the document
    says of itself is in title, date, url and tags (with commas between them); a key is missing where it says nothing.
    """

    content: str
    metadata: Metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalResult:
    """A SearchResult with the names of the contract. All scores are in 0..1; `rank` counts from 1.

    `similarity_score` is its `score`, which the threshold is compared with. `score_breakdown` has dense_score,
    sparse_score and combined_score, and rerank_score if a reranker has decided the rank. `sources` holds the metadata
    of every place where the same text was found, this one first. `lacks` are the identifiers and numbers of the query
    that the passage does not have. `context` is the text around it, if the query asks for it; `context_of` is the rank
    of a result whose context has this passage, too.
    """

    chunk: RetrievedChunk
    similarity_score: float
    score_breakdown: dict[str, float]
    rank: int
    sources: list[Metadata]
    lacks: tuple[str, ...] = ()
    context: Context | None = None
    context_of: int | None = None


class RetrievalResults(list[RetrievalResult]):
    """The results, best first. If there are none, `near_miss` says which passages were nearest; None if there was no
    passage to look at. `searched_for` is the question that was searched for, if the history completed it.
    `parts` are those of a query that asks for several things."""

    def __init__(
        self,
        results: Iterable[RetrievalResult] = (),
        near_miss: NearMiss | None = None,
        searched_for: str | None = None,
        parts: Sequence[QuestionPart] = (),
    ) -> None:
        super().__init__(results)
        self.near_miss = near_miss
        self.searched_for = searched_for
        self.parts = tuple(parts)


Find = Callable[[Question], list[SearchResult]]
"""Searches, in the current index or in one that it was given."""
Ask = Callable[[Question], GeneratedAnswer]
"""Answers a question, from the current index or from one that it was given."""


class Retriever:
    """Finds the passages that answer a question, and answers it from them."""

    def __init__(
        self,
        embedder: Embedder | None,
        vector_store: ActiveChunks | None,
        language: str = "english",
        generator: Generator | None = None,
    ) -> None:
        """`language` is the one in which the index was analysed. Only `generate` needs a generator."""
        self._find: Find | None = None
        self._ask: Ask | None = None
        self._missing = "embedder" if embedder is None else "vector store"
        if embedder is not None and vector_store is not None:
            self._find = partial(_found, chunks=vector_store, embedder=embedder, language=language)
            self._missing = "generator"
            if generator is not None:
                self._ask = partial(
                    _answered, find=self._find, chunks=vector_store, generator=generator, language=language
                )

    @classmethod
    def of(cls, find: Find, ask: Ask) -> Retriever:
        """A retriever that lets `find` do the search, and `ask` answer."""
        retriever = cls(None, None)
        retriever._find, retriever._ask = find, ask
        return retriever

    def search(
        self,
        query_text: str,
        top_k: int = DEFAULT_TOP_K,
        similarity_threshold: float = DEFAULT_SIMILARITY_THRESHOLD,
        within: SearchFilter | None = None,
        *,
        history: Sequence[Turn] = (),
        expand: str | None = None,
        expand_tokens: int | None = None,
    ) -> RetrievalResults:
        """At most `top_k` passages whose similarity_score reaches the threshold, best first; [] if none does. With
        `within`, only passages of documents that match it. An empty list says in `near_miss` what was nearest. A query
        that only makes sense after the turns of `history`, oldest first, is completed from them. With `expand`
        (section, page or document), each has in `context` the text around it, of at most `expand_tokens` tokens.

        Raises ValueError for a query of fewer than 3 characters, a top_k below 1, a threshold outside 0..1, a history
        that is too long or an `expand` that there is not, and RuntimeError if the retriever was given no embedder or no
        vector store. Only the first 1,000 characters of a query are read.
        """
        if self._find is None:
            raise RuntimeError(f"Retriever is not initialized: it has no {self._missing}. Create it with both.")
        question = _checked(query_text, top_k, similarity_threshold, within, history)
        found = self._find(replace(question, expand=expansion(expand, expand_tokens)))
        return RetrievalResults(
            map(_retrieved, found), near_miss_of(found), getattr(found, "searched_for", None), parts_of(found)
        )

    def generate(
        self,
        query_text: str,
        top_k: int = DEFAULT_TOP_K,
        similarity_threshold: float = DEFAULT_SIMILARITY_THRESHOLD,
        within: SearchFilter | None = None,
        *,
        history: Sequence[Turn] = (),
    ) -> GeneratedAnswer:
        """An answer to the question, from the passages that `search` finds with the same arguments. Each sentence has
        its citations, and says whether they support it. If nothing is found, the answer has no information.

        Raises ValueError as `search`, RuntimeError if the retriever was given no embedder, no vector store or no
        generator, and Unavailable (domain/errors.py) if the generator's service does not answer.
        """
        if self._ask is None:
            raise RuntimeError(f"Retriever is not initialized: it has no {self._missing}. Create it with one.")
        return self._ask(_checked(query_text, top_k, similarity_threshold, within, history))


def _standing_alone(question: Question) -> Standalone:
    if not question.history:
        return Standalone(question.text)
    from ragbase.retrieval.conversation.standalone import standalone

    return standalone(question.text, question.history)


def _found(question: Question, *, chunks: ActiveChunks, embedder: Embedder, language: str) -> list[SearchResult]:
    alone = _standing_alone(question)
    find = partial(
        search_one_index,
        chunks=chunks,
        embedder=embedder,
        top_k=question.top_k_or(DEFAULT_TOP_K),
        threshold=question.threshold_or(DEFAULT_SIMILARITY_THRESHOLD),
        language=language,
        within=question.within,
    )
    found = search_parts(
        alone.text,
        lambda text, follow_up: find(text, follow_up=follow_up),
        top_k=question.top_k_or(DEFAULT_TOP_K),
        follow_up=alone.follow_up,
    )
    found.searched_for = alone.searched_for
    if question.expand is not None:
        found[:] = with_contexts(found, question.expand, chunks_of=lambda _: chunks, within=question.within)
    return found


def _answered(
    question: Question, *, find: Find, chunks: ActiveChunks, generator: Generator, language: str
) -> GeneratedAnswer:
    alone = _standing_alone(question)
    return whole(
        answer(
            alone.text,
            find(question),
            generator=lambda: generator,
            chunks_of=lambda _: chunks,
            limits=EvidenceLimits(DEFAULT_EVIDENCE_TOKENS),
            language=language,
            within=question.within,
            alone=alone,
        )
    )


def _checked(
    query_text: str,
    top_k: int,
    similarity_threshold: float,
    within: SearchFilter | None,
    history: Sequence[Turn],
) -> Question:
    query = query_text.strip()
    if not query:
        raise ValueError("query_text cannot be empty. Ask a question, or name what you look for.")
    if len(query) < MIN_SEARCH_LENGTH:
        raise ValueError(
            f"query_text {query!r} is too short: at least {MIN_SEARCH_LENGTH} characters. Ask in more words."
        )
    if top_k < 1:
        raise ValueError(f"top_k is {top_k}, but must be at least 1. Leave it out for {DEFAULT_TOP_K}.")
    if not 0.0 <= similarity_threshold <= 1.0:
        raise ValueError(
            f"similarity_threshold is {similarity_threshold}, but must be from 0 (everything) to 1. "
            f"Leave it out for {DEFAULT_SIMILARITY_THRESHOLD}."
        )
    check_history(history)
    return Question(query, top_k, similarity_threshold, within, history=tuple(history))


def _retrieved(result: SearchResult) -> RetrievalResult:
    return RetrievalResult(
        chunk=RetrievedChunk(content=result.chunk.text, metadata=_metadata(result.sources[0])),
        similarity_score=result.score,
        score_breakdown={name: score for name in _SCORES if (score := getattr(result.breakdown, name)) is not None},
        rank=result.rank,
        sources=[_metadata(source) for source in result.sources],
        lacks=result.lacks,
        context=result.context,
        context_of=result.context_of,
    )


_SCORES = tuple(one.name for one in fields(ScoreBreakdown))


def _metadata(source: ResultSource) -> Metadata:
    document, chunk = source.document, source.chunk
    metadata: Metadata = {
        "source_file": document.source,
        "header_path": " > ".join(chunk.header_path) or PurePosixPath(document.name).stem,
        "document_id": document.id,
        "chunk_id": chunk.id,
        "generation": chunk.generation,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
    }
    if chunk.page is not None:
        metadata["page"] = chunk.page
    if chunk.row is not None:
        metadata["row"] = chunk.row
    if chunk.table_header:
        metadata["table_header"] = chunk.table_header
    said = document.metadata
    of_document = {"title": said.title, "date": said.date, "url": said.url, "tags": ", ".join(said.tags)}
    metadata.update({key: value for key, value in of_document.items() if value})
    return metadata
