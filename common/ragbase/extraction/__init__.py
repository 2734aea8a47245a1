"""Bytes → Markdown."""
