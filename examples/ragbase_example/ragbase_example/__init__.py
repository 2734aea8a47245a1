"""Adds an embedder and a file format to ragbase."""
