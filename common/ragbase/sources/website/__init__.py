"""A documentation website becomes vectors in Qdrant: a batch script (docs/contracts/website-pipeline.md).

`python -m ragbase.sources.website` runs it. It stands beside the pipeline for documents and shares its parts, not its
records: it writes points with the names and ids of its contract.
"""

from ragbase.sources.website.chunk_text import TextChunk, chunk_text
from ragbase.sources.website.discover_urls import discover_urls
from ragbase.sources.website.fetch_and_parse import fetch_and_parse
from ragbase.sources.website.generate_embeddings import generate_embeddings
from ragbase.sources.website.run import main
from ragbase.sources.website.store_vectors import store_vectors

__all__ = [
    "TextChunk",
    "chunk_text",
    "discover_urls",
    "fetch_and_parse",
    "generate_embeddings",
    "main",
    "store_vectors",
]
