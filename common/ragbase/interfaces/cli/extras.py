"""The extras of the distribution, and the modules that they bring."""

from __future__ import annotations

EXTRAS = {
    "process": ("chardet", "numpy", "Stemmer"),
    "embedded": ("watchdog",),
    "minilm": ("onnxruntime", "tokenizers"),
    "pdf": ("pypdfium2", "liteparse"),
    "serve": ("flask", "waitress"),
    "cli": ("click", "rich"),
}
NEEDED = frozenset({"process", "embedded", "minilm", "cli"})
"""The extras without which nothing can be ingested. Without pdf PDFs fail, without serve `ragbase serve` does."""


def extra_of(module: str) -> str:
    """The extra that brings a module; where none is known to, the one that brings everything."""
    package = module.partition(".")[0]
    return next((extra for extra, modules in EXTRAS.items() if package in modules), "local")
