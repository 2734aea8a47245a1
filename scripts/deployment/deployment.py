"""One environment on Google Cloud: what would change is shown, somebody agrees, and that, and no more, is applied."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scripts.deployment.commands import Terraform, gcloud
from scripts.deployment.delays import GRANT_SECONDS, PAUSE, TRIES, holds_addresses, may_pass
from scripts.deployment.plan import Plan
from scripts.deployment.risks import risks
from scripts.deployment.settings_changes import LastSettings

FIRST = (
    "module.ragbase.google_project_service.required",
    "module.ragbase.google_secret_manager_secret.this",
    "module.ragbase.google_storage_bucket_iam_member.build",
    "module.ragbase.google_project_iam_member.build_sources",
    "module.ragbase.google_project_iam_member.build",
)
"""These come first. Everything else needs the APIs, a person has to fill the secrets, and the first builds need grants
that Google knows everywhere."""
AGENTS = ("pubsub", "firestore", "secretmanager", "cloudscheduler", "artifactregistry", "monitoring", "iap")
"""The services whose own accounts get grants. Google creates such an account at its first use, which is too late."""


NETWORK_LEFT = "Only the network is still there."
NOTHING_TO_DESTROY = "There is nothing to destroy."


@dataclass(slots=True)
class Deployment:
    """`options` are for every plan. `agreed` says that somebody has agreed to every change beforehand."""

    project: str
    terraform: Terraform
    options: Sequence[str]
    agreed: bool = False
    last_settings: LastSettings = field(default_factory=LastSettings)
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _builds_from: float = field(default=0.0, init=False)

    def prepare(self) -> None:
        """Create what the first apply needs: APIs, Google's own accounts, the grants of the account that builds, and
        the secrets, which have no values yet."""
        if "google_cloudfunctions2_function" in str(self.terraform.state()):
            return
        print(
            "There are no functions yet. What the rest needs comes first: APIs, secrets, and the account that builds."
        )
        targets = [f"-target={address}" for address in FIRST]
        plan = self._plan(targets)
        if plan.is_empty:
            return
        self._agree(plan)
        self._apply(plan, targets)
        for service in AGENTS:
            name = f"--service={service}.googleapis.com"
            gcloud("beta", "services", "identity", "create", name, f"--project={self.project}")
        self._builds_from = self.clock() + GRANT_SECONDS

    def change(self) -> None:
        plan = self._plan()
        if plan.is_empty:
            print("Nothing to change.")
        else:
            self._need_values(plan)
            self.last_settings.check(plan)
            self._agree(plan)
            self._wait_for_grants()
            self._apply(plan)
        print(self.terraform.output("how_to_upload_and_ask"))

    def show(self, options: Sequence[str] = ()) -> bool:
        """Only show what would change, and say whether anything would."""
        plan = self._plan(options)
        if plan.is_empty:
            print("Nothing would change.")
        self.last_settings.show(plan)
        _show(plan)
        return not plan.is_empty

    def destroy(self, *, sure: str = "") -> None:
        """Destroy everything, or nothing if something is protected (docs/deploy.md: how to remove the protection).

        It asks for the project's id, unless `sure` is just that."""
        plan = self._plan(["-destroy"])
        if plan.is_empty:
            print(NOTHING_TO_DESTROY)
            return
        _show(plan)
        if sure != self.project:
            ask(self.project)
        self._apply(plan, ["-destroy"])

    def _plan(self, options: Sequence[str] = ()) -> Plan:
        return self.terraform.plan([*self.options, *options])

    def _need_values(self, plan: Plan) -> None:
        """Exit unless every secret has a value. The plan lists all secrets; the state may have only some of them."""
        empty = []
        for secret in plan.outputs["secrets"].values():
            latest = ["--filter=state=ENABLED", "--limit=1", "--format=value(name)", f"--project={self.project}"]
            if not gcloud("secrets", "versions", "list", secret, *latest):
                empty.append(secret)
        if empty:
            add = "\n".join(
                f"    printf %s VALUE | gcloud secrets versions add {secret} --data-file=- --project={self.project}"
                for secret in empty
            )
            sys.exit(
                f"The functions need a value for {', '.join(empty)}. Add it, then deploy again:\n{add}\n"
                "You choose the key for your own Weaviate, for example with `openssl rand -hex 24`."
            )

    def _agree(self, plan: Plan) -> None:
        """Show the plan, and exit unless somebody agrees to it."""
        _show(plan)
        if not self.agreed:
            ask(self.project)

    def _wait_for_grants(self) -> None:
        seconds = self._builds_from - self.clock()
        if seconds > 0:
            print(f"Waiting {seconds:.0f} seconds, until Google knows everywhere what the account that builds may do.")
            self.sleep(seconds)

    def _apply(self, approved: Plan, options: Sequence[str] = ()) -> None:
        """Apply the last plan. If Google does not know yet what was just created, wait, plan the rest, and apply that,
        as long as it is what was approved."""
        for tried in range(1, TRIES + 1):
            errors = self.terraform.apply()
            if not errors:
                return
            print(errors, file=sys.stderr)
            if holds_addresses(errors):
                sys.exit(
                    f"{NETWORK_LEFT} Cloud Run keeps the addresses of functions for 1 to 2 hours "
                    "after these are gone. Run the same command again after that: it destroys the rest."
                )
            if tried == TRIES or not may_pass(errors):
                sys.exit("Not everything was applied. The lines above say what went wrong. Fix it, and deploy again.")
            print(f"Google does not know everything yet that was just created. Trying again in {PAUSE} seconds.")
            self.sleep(PAUSE)
            rest = self._plan(options)
            if not rest.goes_no_further_than(approved):
                _show(rest)
                print("This goes further than the plan from before.")
                if self.agreed:
                    sys.exit("Nothing of it was applied. Look at it, then deploy again.")
                ask(self.project)
                approved = rest


def ask(project: str) -> None:
    """Exit unless somebody types the project's id."""
    if not sys.stdin.isatty():
        sys.exit("Nothing was changed: there is nobody to ask. Use --yes to apply, or --plan to see the changes.")
    if input(f"Type {project} to do this: ").strip() != project:
        sys.exit("Nothing was changed.")


def _show(plan: Plan) -> None:
    for line in plan.lines():
        print(line)
    if found := list(risks(plan)):
        print("Look twice at", *found, sep="\n")
