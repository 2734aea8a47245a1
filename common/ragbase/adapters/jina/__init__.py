"""Rerank models behind an API like Jina's."""
