"""AsciiDoc as Markdown."""
