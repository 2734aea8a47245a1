"""Each setting of an environment that the documentation shows is one that Terraform takes."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

import pytest

from ragbase.settings import Config
from scripts.deployment.settings import Settings
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import ENVIRONMENTS, ROOT, copied, run, with_variables
from tests.terraform.documented_settings import Shown, shown_settings
from tests.terraform.test_settings import BASE, place_with

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
SHOWN = shown_settings(VARIABLES["prod"] - set(Config.model_fields))
ALONE = {"region", "locations", "kms_key", "api_public", "load_balancer"}
"""What one place says of these contradicts what another one says: they are not planned together."""
OF_THE_VM = {"weaviate_vm", "weaviate_digest", "weaviate_operators"}
"""Nothing looks at these beside `weaviate`."""


def read(shown: Shown, folder: Path) -> Mapping[str, object]:
    """The settings, as scripts/deploy reads them for prod, which has every variable. Exits if it refuses them."""
    base = [line for line in BASE["prod"].splitlines() if line.split(" = ")[0] not in shown.assigned]
    given = Settings.read(place_with(folder, "prod", "\n".join((*base, shown.tfvars)))).given
    return {name: given[name] for name in shown.assigned}


def together(all_given: Sequence[Mapping[str, object]]) -> Sequence[Mapping[str, object]]:
    """As few plans as there can be: what does not contradict is planned at once."""
    groups: list[dict[str, object]] = []
    for given in all_given:
        for group in groups:
            if not contradict(group.keys(), given.keys()):
                group.update(given)
                break
        else:
            groups.append(dict(given))
    return groups


def contradict(one: Set[str], other: Set[str]) -> bool:
    hosted = ("weaviate" in one and other & OF_THE_VM) or ("weaviate" in other and one & OF_THE_VM)
    return bool(one & other or (one & ALONE and other & ALONE) or hosted)


def documented(prepared: Path) -> Sequence[str]:
    """What Terraform has against the settings of the documentation."""
    refused, all_given = [], []
    for shown in SHOWN:
        with tempfile.TemporaryDirectory() as folder:
            try:
                all_given.append(read(shown, Path(folder)))
            except SystemExit as error:
                refused.append(f"{shown.page}: {shown.tfvars}{error}")
    for given in together(all_given):
        with copied(prepared) as copy:
            ended = run("plan", "-input=false", folder=with_variables(copy / "envs" / "prod", json.dumps(given)))
            if ended.returncode:
                refused.append(f"{json.dumps(given)}: {ended.stderr}")
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
