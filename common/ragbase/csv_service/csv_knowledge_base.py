"""The parts of the CSV service, put together, and its tool for assistants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.csv_service.csv_document_loader import CsvDocumentLoader
from ragbase.csv_service.properties import CsvProperties, RagProperties, VectorStoreProperties
from ragbase.csv_service.rag_service import RagService
from ragbase.csv_service.row_store import RowStore
from ragbase.csv_service.vector_store_initializer import VectorStoreInitializer
from ragbase.settings import Config

NOTHING_FOUND = "No relevant information found."


class CsvKnowledgeBase:
    """Its rows are in the vector store when it has been made, unless there is no CSV file (docs/csv.md)."""

    def __init__(
        self,
        properties: RagProperties | None = None,
        config: Config | None = None,
        *,
        loader: Callable[[CsvProperties, RowStore], CsvDocumentLoader] = CsvDocumentLoader,
        service: Callable[[RowStore, VectorStoreProperties], RagService] = RagService,
        initializer: Callable[[CsvDocumentLoader, RowStore], VectorStoreInitializer] = VectorStoreInitializer,
    ) -> None:
        """Open the data folder or the services that `config` names, and call `initialize()`.

        Without arguments, the settings are those of `RagProperties.load()` and `load_config()`. `loader`, `service` and
        `initializer` are classes of yours that extend the defaults. Raises ConfigurationError for a wrong setting,
        PermanentError for a CSV file that is no text, and Unavailable if a service does not answer.
        """
        self.properties = properties if properties is not None else RagProperties.load()
        with ExitStack() as opened:
            store = opened.enter_context(open_row_store(config if config is not None else load_config()))
            self.loader = loader(self.properties.csv, store)
            self.service = service(store, self.properties.vectorstore)
            self.initializer = initializer(self.loader, store)
            self.initializer.initialize()
            self._opened = opened.pop_all()

    def search_knowledge(self, query: str) -> str:
        """Search knowledge base for relevant information

        Args:
            query: The search query
        """
        return self.service.get_context(query) or NOTHING_FOUND

    def close(self) -> None:
        """Release the data folder. May be called twice."""
        self._opened.close()

    def __enter__(self) -> CsvKnowledgeBase:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def open_row_store(config: Config) -> Iterator[RowStore]:
    """The row store, until the context ends. It has a data folder of its own, `csv` in that of the settings, or an
    index of its own in the cloud's vector store. So the documents of a bucket and the rows of a CSV file are apart."""
    if config.profile == "embedded":
        with suppress(OSError):  # to open the profile will say why
            config.home.mkdir(0o700, parents=True, exist_ok=True)  # private, as the folder in it
    profile = open_profile(
        config.model_copy(
            update={
                "home": config.home / "csv",
                "weaviate_alias": f"{config.weaviate_alias}Csv",
                "qdrant_collection": f"{config.qdrant_collection}-csv",
            }
        )
    )
    profile.fills_index = True
    try:
        yield RowStore(
            checkpoints=profile.checkpoints,
            indexes=profile.indexes,
            embedder=profile.embedder,
            embedder_for=profile.embedder_for,
            chunker=profile.chunker,
            language=config.language,
            clock=profile.clock,
            owner=profile.worker_name,
        )
    finally:
        profile.close()
