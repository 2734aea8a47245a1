"""Each setting of an environment that the documentation shows is one that Terraform takes."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from pathlib import Path

import pytest

from ragbase.settings import Config
from scripts.deployment.settings import Settings
from tests.page_blocks import Block, block_of
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import ENVIRONMENTS, ROOT, copied, run
from tests.terraform.documented_settings import Shown, shown_settings
from tests.terraform.test_settings import BASE

pytestmark = pytest.mark.slow

VARIABLES = {
    name: set(
        re.findall(
            r'^variable "(\w+)"',
            "\n".join(file.read_text("utf-8") for file in (ROOT / "terraform" / "envs" / name).glob("*.tf")),
            re.MULTILINE,
        )
    )
    for name in ENVIRONMENTS
}
BLOCKS = (
    block_of("docs/deploy.md", "Settings", 1),
    block_of("docs/deploy.md", "Settings", 2),
    block_of("docs/deploy.md", "A domain and Cloud Armor"),
    block_of("docs/restore.md", "A VM that does not start", 2),
    block_of("docs/sources.md", "By schedule", 2),
)
"""Those that are nothing but settings."""
SHOWN = shown_settings(VARIABLES["prod"] - set(Config.model_fields))
ALONE = {"region", "locations", "kms_key", "api_public", "load_balancer"}
"""What one place says of these contradicts what another one says: they are not planned together."""
OF_THE_VM = {"weaviate_vm", "weaviate_digest", "weaviate_operators"}
"""Nothing looks at these beside `weaviate`."""


def together(shown: Sequence[Shown]) -> Sequence[Sequence[Shown]]:
    """As few plans as there can be: what does not contradict is planned at once."""
    groups: list[list[Shown]] = []
    for one in shown:
        for group in groups:
            if not any(contradict(one.assigned.keys(), other.assigned.keys()) for other in group):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def contradict(one: Set[str], other: Set[str]) -> bool:
    hosted = ("weaviate" in one and other & OF_THE_VM) or ("weaviate" in other and one & OF_THE_VM)
    return bool(one & other or (one & ALONE and other & ALONE) or hosted)


def documented(prepared: Path) -> Sequence[str]:
    """What scripts/deploy and Terraform have against the settings of the documentation, in prod, which has them all."""
    refused = []
    for group in together(SHOWN):
        names = {name for one in group for name in one.assigned}
        base = [f"{line}\n" for line in BASE["prod"].splitlines() if line.split(" = ")[0] not in names]
        with copied(prepared) as copy:
            place = copy / "envs" / "prod"
            (place / "terraform.tfvars").write_text("".join((*base, *(one.tfvars for one in group))), encoding="utf-8")
            archives = place / "archives.auto.tfvars.json"
            archives.rename(place / "archives.json")
            try:
                Settings.read(place)
                planned = run("plan", "-input=false", "-var-file=archives.json", folder=place)
                said = planned.stderr if planned.returncode else ""
            except SystemExit as error:
                said = str(error)
        if said:
            refused.append(f"{', '.join(dict.fromkeys(one.page for one in group))}: {said}")
    return refused


@looks_at(Job(documented, seconds=15))
def test_terraform_takes_each_setting_that_the_documentation_shows(result: Sequence[str]) -> None:
    assert not result, "\n\n".join(result)


def test_the_documentation_shows_settings() -> None:
    """If this finds none, it has forgotten how to read the pages."""
    pages = {shown.page for shown in SHOWN}
    assert {"docs/deploy.md", "docs/access.md", "docs/operate.md", "docs/scale.md"} <= pages
    assert {f"terraform/envs/{name}/example.tfvars" for name in ENVIRONMENTS} <= pages
    assert {"weaviate", "sources", "s3", "region", "settings"} <= {name for shown in SHOWN for name in shown.assigned}


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_of_settings_is_among_them(block: Block) -> None:
    names = set(re.findall(r"^(\w+) *=", block.text, re.MULTILINE))
    assert names and names <= {name for one in SHOWN if one.page == block.page for name in one.assigned}
