"""Whether somebody wants what a plan does. Asked before anything is applied.

Most changes ask for the project's id, or for `--yes`. What loses data, or the protection of data, asks for the name of
the environment: `--yes` is no answer to that, because it stands in a workflow's file for every deployment to come. What
is still protected is refused.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from scripts.deployment.losses import losses, protected
from scripts.deployment.plan import Plan
from scripts.deployment.risks import risks

NOBODY = "Nothing was changed: there is nobody to ask."
"""Without a terminal, the answers are options of the command."""


@dataclass(frozen=True, slots=True)
class Consent:
    """`environment` is its folder in terraform/envs. `agreed` stands for a yes to every change that loses nothing, and
    `sure`, the name of the environment or its project's id, for a yes to one that does."""

    environment: str
    project: str
    agreed: bool = False
    sure: str = ""

    def show(self, plan: Plan) -> None:
        """Every change, what to look at twice, and what an apply would ask for."""
        for line in plan.lines():
            print(line)
        if found := list(risks(plan)):
            print("Look twice at", *found, sep="\n")
        if list(protected(plan)):
            print("An apply refuses this: something that it destroys is protected.")
        elif lost := list(losses(plan)):
            print(f"An apply asks for the name {self.environment}, or for --sure {self.environment}: it loses data, or")
            print(f"what protects data, in {len(lost)} {'place' if len(lost) == 1 else 'places'}.")

    def ask(self, plan: Plan, *, destroys: bool = False) -> None:
        """Show the plan, and exit unless somebody agrees to it. `destroys` says that everything goes."""
        self.show(plan)
        self.refuse_protected(plan, destroys=destroys)
        if destroys or list(losses(plan)):
            if self.sure not in (self.environment, self.project):
                self._need_name()
        elif not self.agreed:
            ask(self.project)

    def ask_again(self, rest: Plan) -> None:
        """The same for a plan that goes further than the one that somebody has agreed to: no option is an answer."""
        self.show(rest)
        self.refuse_protected(rest)
        print("This goes further than the plan from before.")
        if self.agreed:
            sys.exit("Nothing of it was applied. Look at it, then deploy again.")
        if list(losses(rest)):
            self._need_name()
        else:
            ask(self.project)

    def refuse_protected(self, plan: Plan, *, destroys: bool = False) -> None:
        """Exit if something would be destroyed that is protected, and say what to do first."""
        locked = list(protected(plan))
        if not locked:
            return
        lines = "\n".join(f"  - {loss.text}: {loss.address}" for loss in locked)
        lift = (
            f"set protect = false in terraform/envs/{self.environment}/terraform.tfvars, and run ./scripts/deploy "
            f"{self.environment}. It asks for the name {self.environment}: from then on the data can be destroyed."
        )
        again = f"Run this command again. It says what is lost, and asks for the name {self.environment}."
        sys.exit(
            f"Nothing was changed: this would destroy what is protected. Google would refuse only after other "
            f"resources are gone.\n{lines}\n"
            + (
                f"To destroy it, take two steps:\n  1. {lift[0].upper()}{lift[1:]}\n  2. {again}"
                if destroys
                else "If you do not want this, take back the change that causes it. If you do, take two steps:\n"
                f"  1. Take the change back for now, {lift}\n  2. Make the change again. {again}"
            )
        )

    def _need_name(self) -> None:
        ask(
            self.environment,
            f"{NOBODY} This loses data, or what protects data: the lines above say what. If that "
            f"is what you want, add --sure {self.environment}, for this one run. --yes is not enough.",
        )


def ask(word: str, without_terminal: str = f"{NOBODY} Use --yes to apply, or --plan to see the changes.") -> None:
    """Exit unless somebody types the word."""
    if not sys.stdin.isatty():
        sys.exit(without_terminal)
    if input(f"Type {word} to do this: ").strip() != word:
        sys.exit("Nothing was changed.")
