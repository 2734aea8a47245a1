"""Vertex AI, Google Cloud's own models, by the identity of the process."""
