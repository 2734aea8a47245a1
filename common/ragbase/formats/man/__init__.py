"""Manual pages of Unix as Markdown: the macros man and mdoc of roff."""
