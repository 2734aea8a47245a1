"""What a project needs before Terraform can plan: APIs, also those of Google's own accounts, and the state's bucket."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scripts.deployment.commands import gcloud, try_gcloud
from scripts.deployment.service_agents import SERVICES

READ_BY_PLANS = ("cloudresourcemanager", "iam", "serviceusage", "storage")
"""APIs that a plan calls: it reads the project's number and the account of Cloud Storage. A service account needs them
on in the project that it belongs to as well, where this script cannot see."""


@dataclass(slots=True)
class Preparation:
    """The steps that are still missing. A project that was prepared before needs none."""

    project: str
    region: str
    state_bucket: str
    steps: list[tuple[str, Callable[[], object]]] = field(default_factory=list)

    @classmethod
    def of(cls, project: str, region: str, state_bucket: str) -> Preparation:
        """Exits if the bucket belongs to another project: its owner could read and change the state."""
        preparation = cls(project, region, state_bucket)
        preparation._look_at_apis()
        preparation._look_at_bucket()
        return preparation

    def lines(self) -> Sequence[str]:
        return [f"  {text}" for text, _ in self.steps]

    def carry_out(self) -> None:
        for text, step in self.steps:
            print(f"{text[:1].upper()}{text[1:]}.")
            step()

    def _look_at_apis(self) -> None:
        names = [f"{name}.googleapis.com" for name in (*READ_BY_PLANS, *SERVICES)]
        listed = gcloud("services", "list", "--enabled", "--format=value(config.name)", f"--project={self.project}")
        missing = [name for name in names if name not in listed.split()]
        if missing:
            self._add(
                f"switch on {', '.join(missing)}",
                lambda: gcloud("services", "enable", *missing, f"--project={self.project}"),
            )

    def _look_at_bucket(self) -> None:
        url = f"gs://{self.state_bucket}"
        described = try_gcloud("storage", "buckets", "describe", url, "--raw", "--format=json")
        guarded = ("--uniform-bucket-level-access", "--public-access-prevention")
        if described.returncode:
            if "not found" not in described.stderr:
                sys.exit(
                    f"{described.stderr}This account cannot look at {url}: the bucket may belong to somebody else. "
                    "Sign in with an account of the project, or choose another name with --state-bucket."
                )
            place = (f"--project={self.project}", f"--location={self.region}")
            self._add(
                f"create the bucket {self.state_bucket} in {self.region}, for Terraform's state",
                lambda: gcloud("storage", "buckets", "create", url, *guarded, *place),
            )
            self._add("keep old versions of the state", lambda: self._update(url, "--versioning"))
            return
        bucket = json.loads(described.stdout)
        number = gcloud("projects", "describe", self.project, "--format=value(projectNumber)")
        if str(bucket.get("projectNumber")) != number:
            sys.exit(
                f"{url} belongs to project number {bucket.get('projectNumber')}, but {self.project} has {number}. "
                "The owner of the bucket could read and change the state. Choose another name with --state-bucket."
            )
        if not bucket.get("versioning", {}).get("enabled"):
            self._add("keep old versions of the state", lambda: self._update(url, "--versioning"))
        access = bucket.get("iamConfiguration", {})
        is_uniform = access.get("uniformBucketLevelAccess", {}).get("enabled")
        if not is_uniform or access.get("publicAccessPrevention") != "enforced":
            self._add(
                "let nobody read the state by a grant on one object, or in public", lambda: self._update(url, *guarded)
            )

    def _update(self, url: str, *arguments: str) -> None:
        gcloud("storage", "buckets", "update", url, *arguments)

    def _add(self, text: str, step: Callable[[], object]) -> None:
        self.steps.append((text, step))
