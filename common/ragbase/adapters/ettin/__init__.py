"""Ettin, a cross-encoder for English, on this machine."""
