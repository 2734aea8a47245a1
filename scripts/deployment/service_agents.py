"""Google's own accounts in the project, with which its services act.

Google makes most of them at a service's first use. That is too late: a grant to an account that does not exist fails,
and with a key of your own (kms_key) nothing can be made before the grant. To make one that exists changes nothing, so
all are asked for before each apply, whatever broke in the run before (cloud.google.com/iam/docs/create-service-agents).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping

from scripts.deployment.commands import try_gcloud
from scripts.deployment.delays import TRIES, pause

SERVICES = (
    "artifactregistry",
    "cloudscheduler",
    "compute",
    "firestore",
    "iap",
    "monitoring",
    "pubsub",
    "secretmanager",
)
"""The services whose accounts get grants, apart from Cloud Storage: the plan itself reads its account, and Google makes
it then (terraform/services.tf). Their APIs have to be on."""

HAS_NONE = "has not been configured for service identities"
"""A service that makes its account when its API is switched on may answer this
(github.com/hashicorp/terraform-provider-google/issues/18649)."""


def make_service_agents(project: str, sleep: Callable[[float], None] = time.sleep) -> None:
    """Exits with the services whose accounts could not be made. The others are made, and the next run tries all."""
    refused: Mapping[str, str] = dict.fromkeys(SERVICES, "")
    for tried in range(1, TRIES + 1):
        refused = dict(_refused(project, refused))
        if not refused:
            return
        seconds = [pause(said, was_granted=True) for said in refused.values()]
        if tried == TRIES or not all(seconds):
            break
        print(f"Google does not know everywhere yet that {', '.join(refused)} is on. Trying again in {max(seconds)} s.")
        sleep(max(seconds))
    said = "".join(dict.fromkeys(refused.values()))
    sys.exit(
        f"{said}Nothing was applied: Google did not make its own accounts for {', '.join(refused)}. They need "
        "rights in this project. Deploy again: what is made already stays."
    )


def _refused(project: str, services: Iterable[str]) -> Iterable[tuple[str, str]]:
    """The services whose account could not be made, and what Google said."""
    for service in services:
        name = f"--service={service}.googleapis.com"
        done = try_gcloud("beta", "services", "identity", "create", name, f"--project={project}")
        if done.returncode and HAS_NONE not in done.stderr:
            yield service, done.stderr
