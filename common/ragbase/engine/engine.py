"""RAGEngine: the pipeline as a library (docs/contracts/engine.md, sections 1 to 3 and 8)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.answer import GeneratedAnswer
from ragbase.domain.conversation import Turn
from ragbase.domain.document import Document
from ragbase.domain.identity import document_id
from ragbase.domain.question import Question
from ragbase.domain.search_filter import SearchFilter
from ragbase.engine.answer import answer
from ragbase.engine.calibrate_when_due import calibrate_when_due
from ragbase.engine.identify import find_documents
from ragbase.engine.ingest import Outcome, ingest
from ragbase.engine.remove import remove
from ragbase.engine.search import search
from ragbase.extras import naming_extras
from ragbase.retrieval.answer import whole
from ragbase.retrieval.retriever import RetrievalResults, Retriever
from ragbase.retrieval.search_result import SearchResult
from ragbase.settings import DEFAULT_BUCKET, Config
from ragbase.sources.folder import LocalFile, object_name


def hash_file_path(file_path: str | os.PathLike[str]) -> str:
    """The id of the document that ingesting this path makes, in the default bucket."""
    return document_id(DEFAULT_BUCKET, object_name(Path(file_path)))


class RAGEngine:
    """Ingests files, answers questions, deletes documents. Everything is durable in the data folder of `config`.

    Several engines, in one process or many, may use one data folder at once. Use an engine as a context manager, or
    call `close()`, to release the folder. Nothing is lost if neither is done. Every method raises MissingExtra for what
    is not installed.
    """

    @naming_extras()
    def __init__(self, config: Config | None = None) -> None:
        """Raises ConfigurationError if a setting is wrong or the data folder cannot be used."""
        self.config = config if config is not None else load_config()
        self.profile = open_profile(self.config)
        self.retriever = Retriever.of(self._search, self._answer)

    @naming_extras()
    def ingest(self, file_paths: Sequence[str | os.PathLike[str]]) -> dict[str, Any]:
        """Bring the index in step with these files and return when every one has settled.

        Returns `ingested_count` (files whose text is now in the index, unchanged ones included), `failed_count`,
        `chunk_count` (the chunks of the ingested files), `failed_files` (paths as given), and beyond the contract
        `unchanged_count` (files for which nothing had to be done) and `errors` (a message for each failed path).
        A file that fails does not stop the others. Raises ValueError for an empty list, and ConfigurationError, before
        any file is taken, if no text can be embedded.
        """
        if isinstance(file_paths, str | bytes):
            raise TypeError("file_paths must be a list of paths, not one string: write ingest([path]).")
        if not file_paths:
            raise ValueError("file_paths cannot be empty: name at least one file.")
        sources = dict.fromkeys(str(os.fspath(path)) for path in file_paths)
        files = [LocalFile(Path(source), source) for source in sources]
        outcomes = list(ingest(files, self.profile))
        calibrate_when_due(self.profile)
        failed = {outcome.source: outcome.error for outcome in outcomes if outcome.error is not None}
        return {
            "ingested_count": len(outcomes) - len(failed),
            "failed_count": len(failed),
            "chunk_count": sum(map(_chunks, outcomes)),
            "failed_files": [file.source for file in files if file.source in failed],
            "unchanged_count": sum(outcome.unchanged for outcome in outcomes),
            "errors": failed,
        }

    @naming_extras()
    def query(
        self,
        query_text: str,
        within: SearchFilter | None = None,
        *,
        history: Sequence[Turn] = (),
        expand: str | None = None,
        expand_tokens: int | None = None,
    ) -> RetrievalResults:
        """The best `config.top_k` chunks that score at least `config.similarity_threshold`, best first. With `within`,
        only those of documents that match it. An empty list says in `near_miss` what was nearest. A question that only
        makes sense after the turns of `history`, oldest first, is completed from them: `searched_for` says how. With
        `expand` (section, page or document), each has in `context` the text around it, of at most `expand_tokens`.

        Raises ValueError for a text under three characters, a history that is too long or an `expand` that there is
        not, and RuntimeError after `close()`.
        """
        if self.profile.closed:
            raise RuntimeError("The engine is not initialized: it was closed. Make a new RAGEngine.")
        return self.retriever.search(
            query_text,
            self.config.top_k,
            self.config.similarity_threshold,
            within,
            history=history,
            expand=expand,
            expand_tokens=expand_tokens,
        )

    @naming_extras()
    def generate(
        self, query_text: str, within: SearchFilter | None = None, *, history: Sequence[Turn] = ()
    ) -> GeneratedAnswer:
        """An answer to the question from what `query` finds, in sentences with verified citations. If nothing is found,
        it has no information, and no generator is asked. `history` is that of `query`.

        Raises ValueError for a text under three characters or a history that is too long, RuntimeError after `close()`,
        and Unavailable (domain/errors.py) if the generator's service does not answer.
        """
        if self.profile.closed:
            raise RuntimeError("The engine is not initialized: it was closed. Make a new RAGEngine.")
        return self.retriever.generate(
            query_text, self.config.top_k, self.config.similarity_threshold, within, history=history
        )

    @naming_extras()
    def delete(self, document_ids: Sequence[str]) -> dict[str, Any]:
        """Delete documents, named by their ids, by `hash_file_path` or by the paths that they were ingested from.

        When it returns, no search shows them, and their chunks are gone. Returns `deleted_count`, `deleted_ids` and
        `not_found_ids`, both as given. Raises ValueError for an empty list.
        """
        if isinstance(document_ids, str | bytes):
            raise TypeError("document_ids must be a list of ids, not one string: write delete([id]).")
        if not document_ids:
            raise ValueError("document_ids cannot be empty: name at least one document.")
        found = self._find(document_ids)
        remove([document for document in found.values() if document is not None], self.profile)
        deleted = [id for id, document in found.items() if document is not None]
        return {
            "deleted_count": len({document.id for document in found.values() if document is not None}),
            "deleted_ids": deleted,
            "not_found_ids": [id for id, document in found.items() if document is None],
        }

    def find(self, identifier: str) -> Document | None:
        """The document with this id or this name in the bucket, or that was ingested from this path; None if there is
        none, or it is deleted."""
        return self._find([identifier])[identifier]

    def _find(self, identifiers: Sequence[str]) -> dict[str, Document | None]:
        profile = self.profile
        return find_documents(identifiers, profile.documents, profile.bucket, profile.bucket_folder)

    def _search(self, question: Question) -> list[SearchResult]:
        return search(question, self.profile)

    def _answer(self, question: Question) -> GeneratedAnswer:
        return whole(answer(question, self.profile))

    def close(self) -> None:
        """Release the data folder. May be called twice."""
        self.profile.close()

    def __enter__(self) -> RAGEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _chunks(outcome: Outcome) -> int:
    return outcome.chunks or 0 if outcome.error is None else 0
