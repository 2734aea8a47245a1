"""The script: from the website's address to its vectors (docs/contracts/website-pipeline.md, section 6)."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError
from ragbase.website_pipeline.chunk_text import TextChunk, chunk_text
from ragbase.website_pipeline.discover_urls import checked_url, discover_urls
from ragbase.website_pipeline.fetch_and_parse import fetch_and_parse
from ragbase.website_pipeline.generate_embeddings import DIMENSIONS, MAX_BATCH, generate_embeddings
from ragbase.website_pipeline.store_vectors import COLLECTION, store_vectors

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

_LOG = logging.getLogger("ragbase.website_pipeline")


@dataclass(frozen=True, slots=True)
class WebsiteSettings:
    """What the environment says (docs/contracts/website-pipeline.md, section 7). The keys are in no text of it."""

    cohere_api_key: str = field(repr=False)
    qdrant_url: str
    qdrant_api_key: str = field(repr=False)
    docusaurus_url: str
    collection: str
    max_tokens: int
    overlap_tokens: int

    @classmethod
    def from_environment(cls) -> WebsiteSettings:
        """Raises ConfigurationError for what is missing and for what cannot be."""
        required = ("COHERE_API_KEY", "QDRANT_URL", "QDRANT_API_KEY", "DOCUSAURUS_URL")
        if missing := [name for name in required if not os.environ.get(name, "").strip()]:
            raise ConfigurationError(f"Missing required environment variables: {', '.join(missing)}")
        max_tokens, overlap = _positive("MAX_TOKENS_PER_CHUNK", 512), _positive("CHUNK_OVERLAP_TOKENS", 50)
        if overlap >= max_tokens:
            raise ConfigurationError("CHUNK_OVERLAP_TOKENS has to be less than MAX_TOKENS_PER_CHUNK.")
        return cls(
            cohere_api_key=os.environ["COHERE_API_KEY"].strip(),
            qdrant_url=_url("QDRANT_URL"),
            qdrant_api_key=os.environ["QDRANT_API_KEY"].strip(),
            docusaurus_url=_url("DOCUSAURUS_URL"),
            collection=os.environ.get("QDRANT_COLLECTION_NAME", "").strip() or COLLECTION,
            max_tokens=max_tokens,
            overlap_tokens=overlap,
        )


@dataclass(slots=True)
class PipelineState:
    """What a run has done so far."""

    pages_discovered: int = 0
    pages_processed: int = 0
    pages_failed: int = 0
    chunks_created: int = 0
    vectors_stored: int = 0
    started: float = field(default_factory=monotonic)

    def log_summary(self) -> None:
        minutes, seconds = divmod(round(monotonic() - self.started), 60)
        _LOG.info("========== Summary ==========")
        _LOG.info("Pages discovered: %d", self.pages_discovered)
        _LOG.info("Pages processed: %d", self.pages_processed)
        _LOG.info("Pages failed: %d", self.pages_failed)
        _LOG.info("Chunks created: %d", self.chunks_created)
        _LOG.info("Vectors stored: %d", self.vectors_stored)
        _LOG.info("Execution time: %dm %ds", minutes, seconds)


def main() -> None:
    """Run the pipeline with the settings of the environment and of a file `.env`. Exits with 1 if it fails."""
    from dotenv import find_dotenv, load_dotenv

    logging.basicConfig(format="%(asctime)s [%(levelname)s] %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
    _LOG.setLevel(logging.INFO)
    _LOG.info("Starting RAG pipeline")
    load_dotenv(find_dotenv(usecwd=True))
    try:
        settings = WebsiteSettings.from_environment()
    except ConfigurationError as error:
        _LOG.error("%s", error)
        sys.exit(1)
    try:
        state = _run(settings)
    except Exception:  # noqa: BLE001 - the contract: its traceback in the log, and 1
        _LOG.exception("Pipeline failed")
        sys.exit(1)
    if not state.pages_processed:
        _LOG.error("No page of %s was processed.", settings.docusaurus_url)
        sys.exit(1)


def _run(settings: WebsiteSettings) -> PipelineState:
    import cohere
    from qdrant_client import QdrantClient

    cohere_client = cohere.Client(api_key=settings.cohere_api_key)
    qdrant_client = QdrantClient(url=settings.qdrant_url, api_key=settings.qdrant_api_key)
    _create_collection(qdrant_client, settings.collection)
    state = PipelineState()
    urls = discover_urls(settings.docusaurus_url)
    state.pages_discovered = len(urls)
    for batch in _batches(_chunks(urls, settings, state)):
        embeddings = generate_embeddings(batch, cohere_client)
        state.vectors_stored += store_vectors(embeddings, batch, qdrant_client, settings.collection)
    _LOG.info("Pipeline complete")
    state.log_summary()
    return state


def _create_collection(client: QdrantClient, name: str) -> None:
    from qdrant_client.models import Distance, VectorParams

    if not client.collection_exists(name):
        client.create_collection(name, vectors_config=VectorParams(size=DIMENSIONS, distance=Distance.COSINE))
        _LOG.info("Created collection %s", name)


def _chunks(urls: list[str], settings: WebsiteSettings, state: PipelineState) -> Iterator[TextChunk]:
    """The chunks of all pages. Their ids count on from page to page. A page that cannot be read is left out."""
    import requests

    for number, url in enumerate(urls, start=1):
        try:
            title, text, headings = fetch_and_parse(url)
            chunks = chunk_text(text, headings, url, title, settings.max_tokens, settings.overlap_tokens)
        except (requests.RequestException, ValueError) as error:
            state.pages_failed += 1
            _LOG.warning("Failed page %d/%d: %s: %s", number, len(urls), url, error)
            continue
        _LOG.info("Processed page %d/%d: %s", number, len(urls), url)
        _LOG.info("Created %d chunks from page", len(chunks))
        state.pages_processed += 1
        for chunk in chunks:
            chunk["chunk_id"] = state.chunks_created
            state.chunks_created += 1
            yield chunk


def _batches(chunks: Iterable[TextChunk]) -> Iterator[list[TextChunk]]:
    chunks = iter(chunks)
    while batch := list(islice(chunks, MAX_BATCH)):
        yield batch


def _positive(name: str, default: int) -> int:
    written = os.environ.get(name, "").strip() or str(default)
    if not written.isdecimal() or int(written) < 1:
        raise ConfigurationError(f"{name} has to be a positive integer, not {written!r}.")
    return int(written)


def _url(name: str) -> str:
    try:
        return checked_url(os.environ[name].strip())
    except ValueError as error:
        raise ConfigurationError(f"{name}: {error}") from None
