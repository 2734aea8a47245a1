"""TeX and LaTeX as Markdown."""
