"""Vertex AI: Google's hosted models, asked with this process's own identity."""
