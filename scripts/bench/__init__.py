"""Benches: each measures one thing and prints one line of JSON (scripts/README.md)."""
