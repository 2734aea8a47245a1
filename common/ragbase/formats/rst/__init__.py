"""reStructuredText as Markdown, with what Sphinx adds to it."""
