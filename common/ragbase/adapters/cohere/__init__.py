"""Cohere: hosted embedding models."""
