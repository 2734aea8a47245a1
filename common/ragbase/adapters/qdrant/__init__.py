"""Qdrant: a vector database."""
