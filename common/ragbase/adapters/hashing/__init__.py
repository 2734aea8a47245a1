"""Vectors made of word hashes: no model, no meaning, fast. For tests and first steps."""
