"""The embedding models that tests load. The first test that needs one prepares it, for all processes of the run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ragbase.bootstrap.local_models import local_embedder
from ragbase.config import load_config
from scripts.local_cloud.process import exclusive


@cache
def model_folder(*names: str) -> Path:
    """The folder of models, with those of these names in it. Raises ConfigurationError if one cannot be had."""
    models = load_config().model_folder
    with exclusive(models):
        for name in names:
            local_embedder(name, models).files()
    return models
