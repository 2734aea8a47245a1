"""Make the chunks of a file: extract, check, chunk, embed, write. Everything that writes new text to an index does
it here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from ragbase.domain.chunk import Chunk, EmbeddedChunk, Passage, embedding_text
from ragbase.domain.document import Document, IndexedGeneration, Usage
from ragbase.domain.errors import ConfigurationError, PermanentError, TransientError, Unavailable
from ragbase.domain.extraction import Extraction
from ragbase.domain.identity import chunk_id, text_hash
from ragbase.domain.labels import Labels, labels_of
from ragbase.domain.limits import LARGE_TEXT
from ragbase.domain.names import names_of
from ragbase.formats.markdown import read_markdown
from ragbase.formats.table import MARKDOWN
from ragbase.pipeline.concurrent_calls import CallConcurrently, call_concurrently
from ragbase.pipeline.cut_text import CutInTextProcess, CutText, FileToCut, checked
from ragbase.pipeline.fingerprint import file_fingerprint, reader_name
from ragbase.pipeline.read_given_text import format_with
from ragbase.pipeline.remove_stale_chunks import remove_surplus_chunks
from ragbase.ports import Chunker, Extractor, OpenIndex, TextRefused, VectorStore
from ragbase.ports.embedder import in_calls
from ragbase.text.named_terms import with_names
from ragbase.text.terms import index_terms

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector, Vectors
    from ragbase.domain.extraction import PageText
    from ragbase.domain.given_text import GivenText
    from ragbase.domain.job import ProcessingConfig
    from ragbase.domain.page_range import PageRange


_LONGEST_BATCH = 1_000
"""Chunks. With 1,024 dimensions each takes 40 KB of memory while it is written."""


@dataclass(frozen=True, slots=True)
class Made:
    """A generation whose chunks are written, and what was paid since the last call of `between_batches`, if any."""

    indexed: IndexedGeneration
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Makes the chunks of documents in one index, as the settings of this process say. `call_concurrently` makes
    several calls of the embedder at the same time, and `text_process` reads a file outside of this process; None if
    nobody does. `check` raises ConfigurationError if a setting of the embedder is known to be wrong, so that no file is
    read without use."""

    extractor: Extractor
    chunker: Chunker
    index: OpenIndex
    call_concurrently: CallConcurrently = call_concurrently
    text_process: CutInTextProcess | None = None
    check: Callable[[], None] = lambda: None

    def fingerprint(self, format: str, config: ProcessingConfig, given: GivenText | None = None) -> str:
        """Names everything that decides the chunks and vectors of a file of this format, or of the text that was given
        for it."""
        return file_fingerprint(
            format,
            config,
            extractor=self.extractor,
            chunker=self.chunker,
            model=self.index.embedder.model,
            language=self.index.index.language,
            given_by=f"given-{given.hash}-{self.extractor.version(MARKDOWN.name, config)}" if given is not None else "",
        )

    def fingerprint_of(self, record: Document) -> str | None:
        """What would decide the document's chunks today; None while nobody knows its format."""
        format = format_with(record.given_text, record.format)
        return self.fingerprint(format, record.config, record.given_text) if format is not None else None

    def is_outdated(self, record: Document) -> bool:
        """Whether today's readers and settings would make anything differently in what search shows of the document.

        A document that is being overwritten says nothing: its record tells the format of the new generation.
        """
        if record.active is None or not record.shows(record.wanted):
            return False
        return self.fingerprint_of(record) not in (None, record.active.fingerprint)

    def reader(self, format: str, config: ProcessingConfig) -> str:
        return reader_name(format, config, self.extractor)

    def extract(self, data: bytes, format: str, config: ProcessingConfig, given: GivenText | None = None) -> Extraction:
        """The text of a file; or, if `data` is the UTF-8 of a given text, that. Raises PermanentError if it has none,
        or none that is worth indexing."""
        extraction = self.extractor.extract(data, format, config) if given is None else read_markdown(data.decode())
        return checked(extraction, config)

    def cut_in_text_process(self, data: bytes, format: str, config: ProcessingConfig) -> CutText | None:
        """The text of a small file that is to have this format, cut, if somebody reads it beside this process."""
        if self.text_process is None or len(data) > LARGE_TEXT:
            return None
        return self.text_process(
            FileToCut(
                data=data,
                format=format,
                config=config,
                language=self.index.index.language,
                model=self.index.embedder.model,
                fingerprint=self.fingerprint(format, config),
            )
        )

    def extract_or_cut(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction | tuple[PageRange, ...]:
        """The text of a file; or the ranges of pages that a long one is read in. Raises as `extract`."""
        text = self.extractor.extract_or_cut(data, format, config)
        return checked(text, config) if isinstance(text, Extraction) else text

    def extract_in_parts(
        self, data: bytes, format: str, config: ProcessingConfig, given: GivenText | None = None
    ) -> Extraction:
        """As `extract`, but a long file is read a part at a time: the limits of a reader are for one part."""
        if given is not None:
            return self.extract(data, format, config, given)
        text = self.extract_or_cut(data, format, config)
        if isinstance(text, Extraction):
            return text
        ranges = (self.extractor.extract_pages(data, format, config, pages) for pages in text)
        return self.join([page for pages in ranges for page in pages], format, config)

    def join(self, pages: Sequence[PageText], format: str, config: ProcessingConfig) -> Extraction:
        """The text of a file whose pages were all read. Raises as `extract`."""
        return checked(self.extractor.join(format, pages), config)

    def cut(self, extraction: Extraction, config: ProcessingConfig) -> CutText:
        """The text, cut into passages."""
        return CutText(extraction, self.chunker.sized(config.chunk_size).split(extraction))

    def make(
        self,
        text: CutText,
        format: str,
        config: ProcessingConfig,
        *,
        name: str,
        source: str,
        document_id: str,
        generation: int,
        md5: str,
        given: GivenText | None = None,
        known: Mapping[str, Vector] = MappingProxyType({}),
        before_write: Callable[[], None] = lambda: None,
        between_batches: Callable[[Usage], None] = lambda usage: None,
    ) -> Made:
        """Write the chunks of one generation of the document of this name and source, a batch at a time.

        A batch holds as many new texts as the calls take that the embedder makes at the same time for a document, and
        1,000 chunks at most. If some calls fail, what the others have answered is written. `before_write` is called
        before texts are paid for and before anything in the index is changed, and `between_batches` with what was paid
        since its last call; an exception from either ends the work. The next attempt writes no chunk again that is
        there, except for those of the write that was cut off. It finds by hash which texts are already written, or were
        not changed by an edit, and does not pay for them again. `known` holds embeddings of the same model from
        elsewhere, by text hash.

        At the end the store has to prove that a search finds every chunk. Raises Unavailable if it does not.
        """
        fingerprint = self.fingerprint(format, config, given)
        vectors, extraction = self.index.vectors_of(name), text.extraction
        metadata = extraction.metadata.at(source)
        chunk_count, usage = self._write(
            vectors,
            text,
            document_id,
            generation,
            fingerprint,
            labels=labels_of(name, format, metadata),
            names=names_of(name, metadata),
            known=known,
            before_write=before_write,
            between_batches=between_batches,
        )
        _prove(vectors, document_id, generation, chunk_count, fingerprint, before_write=before_write)
        indexed = IndexedGeneration(
            generation=generation,
            chunk_count=chunk_count,
            md5=md5,
            fingerprint=fingerprint,
            text_length=len(extraction.markdown),
            page_count=given.page_count if given is not None else len(extraction.pages) or None,
            index_name=self.index.index.name,
            metadata=extraction.metadata,
            notes=extraction.all_notes,
            ocr_pages=extraction.ocr_pages,
            textless_pages=extraction.textless_pages,
            given=given,
        )
        return Made(indexed, usage)

    def _write(
        self,
        vectors: VectorStore,
        text: CutText,
        document_id: str,
        generation: int,
        fingerprint: str,
        *,
        labels: Labels,
        names: str,
        known: Mapping[str, Vector],
        before_write: Callable[[], None],
        between_batches: Callable[[Usage], None],
    ) -> tuple[int, Usage]:
        """How many chunks were written, and what was paid since the last call of `between_batches`."""
        chunks = [
            chunk_of(passage, document_id, generation, ordinal, fingerprint)
            for ordinal, passage in enumerate(text.passages)
        ]
        held = vectors.embeddings(document_id)
        embeddings = {**known, **held}
        doubt = _Doubt(bool(held) and vectors.held([document_id]).get(document_id, {}).get(generation, 0) > 0)
        chunk_count, usage = 0, Usage()
        for batch in self._batches(chunks, embeddings):
            new = {chunk.text_hash: chunk for chunk in batch if chunk.text_hash not in embeddings}
            if chunk_count:
                between_batches(usage)
                usage = Usage()
            if new:
                before_write()  # a worker that has stalled beyond its lease pays for nothing
            paid, failures = self._embed(new, embeddings, text.vectors)
            usage += paid
            if failures and paid == Usage():
                raise _gravest(failures)
            try:
                missing = _missing(batch, vectors) if held else batch
                doubted = doubt.of(batch, is_whole=not missing)
                if written := [one for one in doubted or missing if one.text_hash in embeddings]:
                    before_write()
                    write = vectors.restore if doubted else vectors.write
                    write([self._embedded(one, embeddings, labels, names, text.terms) for one in written])
                if failures:
                    between_batches(usage)
            except TransientError as error:
                failures.append(error)
            if failures:
                raise _gravest(failures)
            chunk_count += len(batch)
        if doubted := doubt.rest():
            before_write()
            vectors.restore([self._embedded(one, embeddings, labels, names, text.terms) for one in doubted])
        if held:
            remove_surplus_chunks(document_id, generation, {one.id for one in chunks}, vectors, before_write)
        return chunk_count, usage

    def _batches(self, chunks: Sequence[Chunk], embeddings: Mapping[str, Vector]) -> Iterator[list[Chunk]]:
        embedder = self.index.embedder
        batch: list[Chunk] = []
        new: set[str] = set()
        for chunk in chunks:
            if chunk.text_hash not in embeddings:
                new.add(chunk.text_hash)
            if len(new) > embedder.max_batch * embedder.at_a_time or len(batch) == _LONGEST_BATCH:
                yield batch
                batch, new = [], {chunk.text_hash} - embeddings.keys()
            batch.append(chunk)
        if batch:
            yield batch

    def _embed(
        self, new: Mapping[str, Chunk], embeddings: dict[str, Vector], vectors: Vectors | None
    ) -> tuple[Usage, list[Exception]]:
        """Add the embeddings of chunks, given by their texts' hashes, to `embeddings`, except those whose call has
        failed. Those of all chunks may be in `vectors`. Returns what was paid, and the errors."""
        if vectors is not None:
            embeddings.update({hash: vectors[chunk.ordinal] for hash, chunk in new.items()})
            return Usage(embedded_texts=len(new)), []
        embedder = self.index.embedder
        parts = in_calls(list(new), embedder)
        calls = [partial(embedder.embed_documents, [embedding_text(new[hash]) for hash in part]) for part in parts]
        usage, failures = Usage(), list[Exception]()
        for part, outcome in zip(parts, self.call_concurrently(calls), strict=True):
            if isinstance(outcome, TextRefused):
                embeddings.update(zip(part, outcome.made, strict=False))
                usage += Usage(embedded_texts=len(outcome.made), billed_tokens=outcome.billed_tokens)
                failures.append(_of_passage(outcome, part, new))
            elif isinstance(outcome, Exception):
                failures.append(outcome)
            else:
                embeddings.update(zip(part, outcome.vectors, strict=True))
                usage += Usage(embedded_texts=len(part), billed_tokens=outcome.billed_tokens)
        return usage, failures

    def _embedded(
        self, chunk: Chunk, embeddings: Mapping[str, Vector], labels: Labels, names: str, known: Sequence[str]
    ) -> EmbeddedChunk:
        """`known` has the terms of all chunks, or of none."""
        language = self.index.index.language
        terms = known[chunk.ordinal] if known else index_terms(embedding_text(chunk), language)
        return EmbeddedChunk(chunk, embeddings[chunk.text_hash], with_names(terms, names, language), labels)


_BATCHES_IN_DOUBT = 2
"""Batches from the first one of which something is missing. An attempt may divide the chunks in another way than the
one before."""


class _Doubt:
    """Which chunks that are there may lack entries in the store's own indexes, when an attempt goes on.

    A store that is killed in the middle of a write may hold a chunk, and have it in some of its indexes and not in
    others: one that is found by its vector was not found by its generation (Weaviate 1.39.0). It ignores a chunk that
    is written again unchanged. The write that was cut off is the last one that the attempt before has begun, so it is
    where the chunks end. Those around are restored.
    """

    def __init__(self, goes_on: bool) -> None:
        self._left = _BATCHES_IN_DOUBT if goes_on else 0
        self._before: Sequence[Chunk] = ()

    def of(self, batch: Sequence[Chunk], *, is_whole: bool) -> Sequence[Chunk]:
        """Those to restore together with this batch; none if it is not in doubt. `is_whole` says that all of it is
        there."""
        if is_whole or not self._left:
            self._before = batch
            return ()
        doubted, self._before = [*self._before, *batch], ()
        self._left -= 1
        return doubted

    def rest(self) -> Sequence[Chunk]:
        """Those to restore in the end: all batches are there, so the last one is in doubt."""
        return self._before if self._left == _BATCHES_IN_DOUBT else ()


def _missing(batch: Sequence[Chunk], vectors: VectorStore) -> list[Chunk]:
    """Those of the batch that the store does not hold: an attempt that goes on writes none of them twice."""
    first = batch[0]
    there = vectors.chunks(first.document_id, first.generation, first=first.ordinal, limit=len(batch))
    held = {chunk.id for chunk in there}
    return [chunk for chunk in batch if chunk.id not in held]


def _of_passage(refused: TextRefused, hashes: Sequence[str], new: Mapping[str, Chunk]) -> PermanentError:
    """The error of a call with the texts of these hashes, with the place of the passage. Its headings are not named:
    the reason goes into the log."""
    chunk = new[hashes[refused.place]]
    place = [f"page {chunk.page}"] if chunk.page is not None else []
    place += [f"row {chunk.row}"] if chunk.row is not None else []
    place += [f"characters {chunk.char_start:,}–{chunk.char_end:,}"]
    return PermanentError(refused.code, f"Passage {chunk.ordinal + 1} ({', '.join(place)}): {refused}")


def _gravest(failures: Sequence[Exception]) -> Exception:
    """The failure that decides what becomes of an attempt. If no document can be processed now, the attempt does not
    count, whatever else has failed."""
    return min(failures, key=lambda failure: not isinstance(failure, Unavailable | ConfigurationError))


def _prove(
    vectors: VectorStore,
    document_id: str,
    generation: int,
    chunk_count: int,
    fingerprint: str,
    *,
    before_write: Callable[[], None],
) -> None:
    """Raise Unavailable unless a search finds every chunk.

    A store that was killed may hold a chunk and have no entry for it in its own indexes, and ignore the chunk when
    it is written again unchanged. A call that seemed to fail may have removed chunks later. So those that can be
    read are restored, the ids of the others are made free, and the next attempt goes on.
    """
    found = vectors.held([document_id]).get(document_id, {}).get(generation, 0)
    if found == chunk_count:
        return
    readable = vectors.read(document_id, generation)
    before_write()
    vectors.restore(readable)
    before_write()
    lost = {chunk_id(document_id, generation, ordinal, fingerprint) for ordinal in range(chunk_count)}
    vectors.delete_chunks(sorted(lost - {one.chunk.id for one in readable}))
    raise Unavailable(f"A search finds {found} of the {chunk_count} chunks that were written. They are written again.")


def chunk_of(passage: Passage, document_id: str, generation: int, ordinal: int, fingerprint: str) -> Chunk:
    """The passage as a chunk of a generation of a document, made with the settings of `fingerprint`. `ordinal` counts
    the document's chunks from 0."""
    return Chunk(
        id=chunk_id(document_id, generation, ordinal, fingerprint),
        document_id=document_id,
        generation=generation,
        ordinal=ordinal,
        text=passage.text,
        char_start=passage.char_start,
        char_end=passage.char_end,
        header_path=passage.header_path,
        page=passage.page,
        row=passage.row,
        text_hash=text_hash(embedding_text(passage)),
        table_header=passage.table_header,
    )
