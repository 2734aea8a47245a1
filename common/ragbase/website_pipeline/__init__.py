"""A documentation website becomes vectors in Qdrant: a batch script (docs/contracts/website-pipeline.md).

`python -m ragbase.website_pipeline` runs it. It stands beside the pipeline for documents and shares its parts, not its
records: it writes points with the names and ids of its contract.
"""

from ragbase.extras import naming_extras

with naming_extras():
    from ragbase.website_pipeline.chunk_text import TextChunk, chunk_text
    from ragbase.website_pipeline.discover_urls import discover_urls
    from ragbase.website_pipeline.fetch_and_parse import fetch_and_parse
    from ragbase.website_pipeline.generate_embeddings import generate_embeddings
    from ragbase.website_pipeline.run import main
    from ragbase.website_pipeline.store_vectors import store_vectors

__all__ = [
    "TextChunk",
    "chunk_text",
    "discover_urls",
    "fetch_and_parse",
    "generate_embeddings",
    "main",
    "store_vectors",
]
