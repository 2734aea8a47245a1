"""HTML → Markdown. `html.py` reads a page in the order of the other files here."""
