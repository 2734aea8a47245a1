"""The extras of the distribution, and the modules that they install."""

from __future__ import annotations

EXTRAS = {
    "process": ("chardet", "html_to_markdown", "numpy", "selectolax", "Stemmer", "yaml"),
    "answers": ("quicktok",),
    "embedded": ("watchdog",),
    "minilm": ("onnxruntime", "tokenizers"),
    "minilm-export": ("onnx", "safetensors", "tqdm"),
    "pdf": ("pypdfium2",),
    "office": ("xberg",),
    "ocr": ("PIL", "tesserocr"),
    "serve": ("flask", "waitress"),
    "cli": ("click", "rich"),
    "client": ("httpx2",),
    "eval": ("ir_measures",),
    "mcp": ("mcp",),
    "s3": ("boto3", "botocore"),
    "sources": ("protego",),
}
NEEDED = frozenset({"process", "embedded", "minilm", "cli"})
"""Without these extras nothing can be ingested. Without answers, `ragbase ask` fails; without pdf,
office or ocr, PDFs, some office documents, or pictures and scanned pages fail; without serve, `ragbase serve` fails;
without mcp, `ragbase mcp` fails; without s3 or sources, `ragbase sync` fails for s3:// or https://; without
minilm-export, the embedding model cannot be prepared here."""

CLOUD_EXTRAS = {
    "storage": ("google.cloud.storage",),
    "pubsub": ("google.pubsub_v1",),
    "firestore": ("google.cloud.firestore",),
    "weaviate": ("weaviate",),
    "qdrant": ("qdrant_client",),
    "cohere": ("cohere",),
    "openai": ("httpx2",),
    "website": ("bs4", "dotenv", "requests", "tenacity"),
}
"""The clients for the services of the profile gcp. The functions do the rest of the work."""


def cloud_extras(vector_store: str, embedder: str) -> list[str]:
    """The extras that the profile gcp needs with these settings."""
    return ["storage", "pubsub", "firestore", *(one for one in (vector_store, embedder) if one in CLOUD_EXTRAS)]


def extra_of(module: str) -> str:
    """The extra that installs a module; if none is known, the extra that installs everything."""
    for extra, packages in (EXTRAS | CLOUD_EXTRAS).items():
        if any(_within(module, package) or _within(package, module) for package in packages):
            return extra
    return "local"


def _within(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")
