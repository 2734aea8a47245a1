"""Org, the markup of Emacs, as Markdown."""
