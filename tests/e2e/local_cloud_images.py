"""The images of others in the profile local-cloud of compose.yaml, laid out from the programs that scripts/dev uses.

Where no registry is reached, the real compose file can still be run. What an image of others has is taken from its
Dockerfile: where its program is, and how it starts. That they have other versions of other base images is not seen.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from scripts.container.base import base_name
from scripts.container.build import NotBuilt, build_on
from scripts.local_cloud.emulators import command_line_folder
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.storage import storage_binary
from scripts.local_cloud.weaviate import weaviate_binary
from scripts.locked import ROOT

COMPOSE = ROOT / "compose.yaml"
_INSTALL = "RUN mkdir --parents /usr/share/man/man1 && apt-get update && apt-get install --yes --no-install-recommends"
"""Java's package wants the folder, which a slim image does not have."""
_ALPINE = f"{_INSTALL} busybox && ln --symbolic busybox /bin/wget"
"""Alpine's wget is that of BusyBox."""


@dataclass(frozen=True, slots=True)
class _Laid:
    """The instructions after the base, and the folders that they copy from, by name."""

    instructions: tuple[str, ...]
    folders: Mapping[str, Path] = field(default_factory=dict)


def image_of(service: str) -> str:
    """The name of a service's image in compose.yaml."""
    name: str = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"][service]["image"]
    return name


def lay_out_local_cloud_images() -> None:
    """Into Podman's and Buildah's store, unless they are there. The base must be. Raises Missing."""
    for service, laid in (("storage", _storage), ("weaviate", _weaviate), ("pubsub", _emulators)):
        name = image_of(service)
        if subprocess.run(["podman", "image", "exists", name], check=False).returncode:
            image = laid()
            try:
                build_on(base_name(), image.instructions, name, folders=image.folders, layers=False)
            except NotBuilt as error:
                raise Missing(f"{name} cannot be laid out: {str(error)[-500:]}") from error


def _storage() -> _Laid:
    """github.com/fsouza/fake-gcs-server, Dockerfile of v1.54.0."""
    binary = storage_binary()
    copied = f"COPY --from=program {binary.name} /bin/fake-gcs-server"
    return _Laid((_ALPINE, copied, 'ENTRYPOINT ["/bin/fake-gcs-server", "-data", "/data"]'), {"program": binary.parent})


def _weaviate() -> _Laid:
    """github.com/weaviate/weaviate, Dockerfile of v1.39.0."""
    binary = weaviate_binary()
    copied = f"COPY --from=program {binary.name} /bin/weaviate"
    return _Laid((_ALPINE, copied, 'ENTRYPOINT ["/bin/weaviate"]'), {"program": binary.parent})


def _emulators() -> _Laid:
    """github.com/GoogleCloudPlatform/cloud-sdk-docker, emulators/Dockerfile. The version is that of this machine's
    Google Cloud CLI."""
    root = command_line_folder()
    if root is None:
        raise Missing("The Google Cloud CLI is missing: Google's emulators are parts of it. Install it.")
    needed = ("bin/gcloud", "lib", ".install", "properties", "VERSION", "platform/bundledpythonunix")
    emulators = ("platform/pubsub-emulator", "platform/cloud-firestore-emulator")
    return _Laid(
        (
            f"{_INSTALL} curl default-jre-headless python3",
            *(f"COPY --from=sdk {path} /google-cloud-sdk/{path}" for path in (*needed, *emulators)),
            "ENV PATH=/google-cloud-sdk/bin:$PATH",
        ),
        {"sdk": root},
    )
