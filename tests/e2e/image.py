"""The image of the Dockerfile, for each test that needs it. One process builds it, and the others wait."""

from __future__ import annotations

from scripts.container.base import lay_out_base
from scripts.container.build import build
from scripts.local_cloud.process import cache_folder, exclusive

TAG = "localhost/ragbase-test:latest"


def built_image() -> str:
    """Its name. What has not changed is not built again. Raises Missing, NotBuilt."""
    with exclusive(cache_folder("image")):
        lay_out_base()
        return build(TAG, "buildah", pull=False).tag
