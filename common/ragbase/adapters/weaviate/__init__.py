"""Weaviate: a vector database."""
