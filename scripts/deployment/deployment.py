"""One environment on Google Cloud: what would change is shown, somebody agrees, and that, and no more, is applied."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scripts.deployment.commands import Terraform, gcloud
from scripts.deployment.consent import Consent
from scripts.deployment.delays import GRANT_SECONDS, TRIES, holds_addresses, pause, remedy
from scripts.deployment.plan import Plan
from scripts.deployment.service_agents import make_service_agents
from scripts.deployment.settings import LastSettings

FIRST = (
    "module.ragbase.google_project_service.required",
    "module.ragbase.google_project_service.vertex",
    "module.ragbase.google_secret_manager_secret.this",
    "module.ragbase.google_storage_bucket_iam_member.build",
    "module.ragbase.google_project_iam_member.build_sources",
    "module.ragbase.google_project_iam_member.build",
)
"""These come first. Everything else needs the APIs, a person has to fill the secrets, and the first builds need grants
that Google knows everywhere."""

NETWORK_LEFT = "Only the network is still there."
NOTHING_TO_DESTROY = "There is nothing to destroy."


@dataclass(slots=True)
class Deployment:
    """`options` are for every plan."""

    project: str
    terraform: Terraform
    options: Sequence[str]
    consent: Consent
    last_settings: LastSettings = field(default_factory=LastSettings)
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _builds_from: float = field(default=0.0, init=False)
    _has_agents: bool = field(default=False, init=False)

    def prepare(self) -> None:
        """Create what the first apply needs: APIs, the grants of the account that builds, and the secrets, which have
        no values yet."""
        state = self.terraform.state()
        self.last_settings.check(state)
        if "google_cloudfunctions2_function" in str(state):
            return
        print(
            "There are no functions yet. What the rest needs comes first: APIs, secrets, and the account that builds."
        )
        targets = [f"-target={address}" for address in FIRST]
        plan = self._plan(targets)
        if plan.is_empty:
            return
        self.consent.ask(plan)
        self._make_agents()
        self._apply(plan, targets)
        self._builds_from = self.clock() + GRANT_SECONDS

    def change(self) -> None:
        plan = self._plan()
        if plan.is_empty:
            print("Nothing to change.")
        else:
            self.consent.refuse_protected(plan)
            self._need_values(plan)
            self.consent.ask(plan)
            self._make_agents()
            self._wait_for_grants()
            self._apply(plan)
        print(self.terraform.output("how_to_upload_and_ask"))

    def show(self, options: Sequence[str] = ()) -> bool:
        """Only show what would change, and say whether anything would."""
        plan = self._plan(options)
        if plan.is_empty:
            print("Nothing would change.")
        elif not options:
            self.last_settings.show(self.terraform.state())
        self.consent.show(plan)
        return not plan.is_empty

    def destroy(self) -> None:
        """Destroy everything, or nothing if something is protected."""
        plan = self._plan(["-destroy"])
        if plan.is_empty:
            print(NOTHING_TO_DESTROY)
            return
        self.consent.ask(plan, destroys=True)
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

    def _make_agents(self) -> None:
        """Once in a run, after somebody has agreed to a plan, and before anything of it is applied."""
        if not self._has_agents:
            make_service_agents(self.project, self.sleep)
            self._has_agents = True

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
            seconds = pause(errors, was_granted=approved.grants)
            if tried == TRIES or not seconds:
                failed = "Not everything was applied. The lines above say what went wrong. Fix it, and deploy again."
                sys.exit("\n".join(filter(None, (failed, "" if seconds else remedy(errors)))))
            print(f"Google does not know everything yet that was just created. Trying again in {seconds} seconds.")
            self.sleep(seconds)
            rest = self._plan(options)
            if not rest.goes_no_further_than(approved):
                self.consent.ask_again(rest)
                approved = rest
