"""The settings of an environment: read by Terraform, and refused if nobody reads one of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from scripts.deployment.settings import Settings, note_on_commit
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import ENVIRONMENTS, ROOT, copied, run, terraform

BASE = {
    "dev": 'project = "ragbase-dev-example"\n',
    "prod": 'project = "ragbase-prod-example"\nalert_emails = ["oncall@example.com"]\n'
    'budget = { billing_account = "012345-6789AB-CDEF01", amount = 300 }\n',
}


NEEDS_TERRAFORM = pytest.mark.prove
"""Terraform reads the settings. What scripts/deploy sees without it stays with the tests of each change."""


def place_with(folder: Path, environment: str, tfvars: str) -> Path:
    """The folder of an environment that has these settings."""
    own = shutil.ignore_patterns(".terraform*", "*.auto.tfvars*", "*.tfvars.json")
    place = shutil.copytree(ROOT / "terraform" / "envs" / environment, folder / environment, ignore=own)
    (place / "terraform.tfvars").write_text(tfvars, encoding="utf-8")
    return place


@pytest.fixture(autouse=True)
def with_terraform(request: pytest.FixtureRequest) -> None:
    """Skips what needs Terraform where there is none."""
    if request.node.get_closest_marker("prove"):
        assert terraform()


def refusal(folder: Path, environment: str, tfvars: str) -> str:
    with pytest.raises(SystemExit) as refused:
        Settings.read(place_with(folder, environment, tfvars))
    return str(refused.value)


MISTAKES: Mapping[str, tuple[str, str, str]] = {
    "a variable": ("dev", 'regoin = "us-east1"', "there is no variable regoin.* Did you mean region?"),
    "an object": ("dev", 'weaviate_vm = { versio = "1.40.0" }', "weaviate_vm has no versio.* Did you mean version?"),
    "a map of objects": (
        "dev",
        "functions = { api = { max_instance = 10 } }",
        "functions.api has no max_instance. It can have concurrency, cpu, max_instances, memory_mib, min_instances. "
        "Did you mean max_instances?",
    ),
    "an object in an object": (
        "dev",
        'weaviate = { url = "https://w.example.com", network = { network = "n", subnetwork = "s", subnet = "t" } }',
        "weaviate.network has no subnet.* Did you mean subnetwork?",
    ),
    "a source": (
        "dev",
        'sources = { site = { address = "https://example.com/", every = 5 } }',
        "sources.site has no every. It can have address, delete, every_minutes, force, prefix.",
    ),
    "a block over lines": ("dev", "quota = {\n  cpus = 30 # of Google\n}", "quota has no cpus.* Did you mean cpu?"),
    "only prod has it": ("dev", 'kms_key = "k"', "there is no variable kms_key."),
    "prod's own": ("prod", 'load_balancer = { domain = "a.example.com", iap = [] }', "load_balancer has no iap."),
    "no key looks like it": ("prod", "alert_when = { shoe_size = 1 }", "alert_when has no shoe_size. It can have "),
    "a value of another kind": ("dev", 'weaviate_vm = { disk_gib = "a lot" }', "a number is required"),
    "a setting of ragbase": (
        "dev",
        'settings = { chunk_siz = "800" }',
        "settings has no chunk_siz. Did you mean chunk_size?",
    ),
    "no assignment": ("dev", "weaviate_vm = {", "terraform.tfvars, line"),
}


@NEEDS_TERRAFORM
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_setting_that_nobody_reads_is_refused(tmp_path: Path, mistake: str) -> None:
    environment, text, said = MISTAKES[mistake]
    message = refusal(tmp_path, environment, f"{BASE[environment]}{text}\n")
    at = 0
    for part in said.split(".*"):
        assert part in message[at:], message
        at = message.index(part, at)
    assert f"Nothing was changed. These settings are in terraform/envs/{environment}/terraform.tfvars." in message


@NEEDS_TERRAFORM
def test_each_mistake_is_named_once(tmp_path: Path) -> None:
    message = refusal(tmp_path, "dev", f'{BASE["dev"]}regoin = "us-east1"\nweaviate_vm = {{ versio = "1.40.0" }}\n')
    assert message.count("regoin") == 1 and message.count("versio.") == 1, message


@NEEDS_TERRAFORM
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_variable_is_a_setting_that_the_state_keeps(tmp_path: Path, environment: str) -> None:
    declared = "\n".join(file.read_text("utf-8") for file in (ROOT / "terraform" / "envs" / environment).glob("*.tf"))
    kept = re.search(r"The variables are (.*?)\.", refusal(tmp_path, environment, f"{BASE[environment]}x = 1\n"))
    assert kept
    assert set(kept[1].split(", ")) == set(re.findall(r'^variable "(\w+)"', declared, re.MULTILINE)) - {"archives"}


@NEEDS_TERRAFORM
def test_a_file_without_a_project_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, "dev", 'projct = "p"\n')
    assert '"project" is not set' in message and '"projct"' in message


@pytest.mark.parametrize("name", ["more.auto.tfvars", "terraform.tfvars.json"])
def test_settings_have_one_home(tmp_path: Path, name: str) -> None:
    place = place_with(tmp_path, "dev", BASE["dev"])
    (place / name).write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit, match=f"one home, terraform/envs/dev/terraform.tfvars. Move there what {name} sets"):
        Settings.read(place)


def test_a_setting_from_the_environment_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_VAR_region", "us-east1")
    monkeypatch.setenv("TF_VAR_something_else", "of another folder")
    with pytest.raises(SystemExit, match="what TF_VAR_region sets"):
        Settings.read(place_with(tmp_path, "dev", BASE["dev"]))


@NEEDS_TERRAFORM
def test_a_terraform_that_is_too_old_is_named(tmp_path: Path) -> None:
    place = place_with(tmp_path, "dev", BASE["dev"])
    versions = place / "versions.tf"
    versions.write_text(versions.read_text("utf-8").replace(">= 1.11", ">= 99.1"), encoding="utf-8")
    with pytest.raises(SystemExit, match="Unsupported Terraform Core version"):
        Settings.read(place)


@NEEDS_TERRAFORM
def test_what_a_shell_says_of_another_folder_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TF_WORKSPACE", "other"), ("TF_DATA_DIR", "/nowhere"), ("TF_CLI_ARGS_plan", "-destroy")):
        monkeypatch.setenv(name, value)
    assert Settings.read(place_with(tmp_path, "dev", BASE["dev"])).now["region"] == "europe-west1"


@NEEDS_TERRAFORM
def test_the_region_is_that_of_terraform(tmp_path: Path) -> None:
    """Also if an object before it has a region of its own."""
    s3 = 's3 = {\n  access_key_id = "a"\n  secret_access_key = "b"\n  region = "eu-west-1"\n}\n'
    settings = Settings.read(place_with(tmp_path, "dev", f'{s3}project="p-example"# this one\n'))
    assert (settings.project, settings.region) == ("p-example", "europe-west1")
    assert settings.given["s3"]["region"] == "eu-west-1" and "region" not in settings.given


@NEEDS_TERRAFORM
def test_a_setting_of_ragbase_is_taken(tmp_path: Path) -> None:
    settings = Settings.read(place_with(tmp_path, "dev", f'{BASE["dev"]}settings = {{ chunk_size = "800" }}\n'))
    assert settings.given["settings"] == {"chunk_size": "800"}


def test_settings_that_are_not_committed_are_named(tmp_path: Path) -> None:
    place = place_with(tmp_path, "dev", BASE["dev"])
    assert note_on_commit(place) == "", "There is no git here."

    def git(*arguments: str) -> None:
        names = ("-c", "user.name=n", "-c", "user.email=n@example.com")
        subprocess.run(["git", "-C", tmp_path, *names, *arguments], check=True, capture_output=True)

    git("init")
    assert note_on_commit(place).startswith("terraform/envs/dev/terraform.tfvars is not committed.")
    git("add", ".")
    git("commit", "-m", "Settings")
    assert note_on_commit(place) == ""
    (place / "terraform.tfvars").write_text(f'{BASE["dev"]}region = "us-east1"\n')
    assert note_on_commit(place)


def test_git_does_not_ignore_the_settings() -> None:
    """They would be on one machine only, and CI would guess them."""
    command = ["git", "check-ignore", "--no-index", "terraform/envs/dev/terraform.tfvars"]
    ignored = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not ignored.stdout


def mistyped(prepared: Path, environment: str) -> CompletedProcess[str]:
    """How a plan without scripts/deploy ends."""
    with copied(prepared) as copy:
        place = copy / "envs" / environment
        with (place / "terraform.tfvars").open("a", encoding="utf-8") as file:
            file.write('weaviate_vm = { versio = "1.40.0" }\nregoin = "us-east1"\n')
        return run("plan", "-input=false", folder=place)


@looks_at(*(Job(mistyped, (name,), seconds=3) for name in ENVIRONMENTS))
def test_terraform_itself_refuses_a_setting_that_nobody_reads(result: CompletedProcess[str]) -> None:
    said = " ".join(result.stderr.replace("│", "").split())
    assert result.returncode == 1
    assert "there is no variable regoin. The variables are" in said
    assert "weaviate_vm has no versio. It can have " in said
