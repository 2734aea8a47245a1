"""The settings of an environment, as Terraform reads its terraform.tfvars. They are checked before anything is made,
and compared with those of the last apply, which the state has (terraform/envs/settings.tf)."""

from __future__ import annotations

import ast
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.deployment.commands import Diagnostic, diagnostics
from scripts.deployment.plan import MISSING, as_text

ROOT = Path(__file__).resolve().parents[2]
FILE = "terraform.tfvars"
DECLARED = ("variables.tf", "shared_variables.tf", "shared_settings.tf")
"""What in an environment's folder says which settings there are. Terraform needs no provider and no state for these."""
WITHOUT_PROVIDER = """
terraform {
  required_version = "VERSION"
  required_providers {
    terraform = { source = "terraform.io/builtin/terraform" }
  }
}
output "given" {
  value = local.given
}
"""
OF_ANOTHER_FOLDER = ("TF_DATA_DIR", "TF_WORKSPACE", "TF_CLI_ARGS")
UNDECLARED = "Value for undeclared variable"
_UNKNOWN = re.compile(
    r"(?:there is no variable|has no) (\S+)\. (?:The variables are|It can have) (.*)\.$", re.MULTILINE
)
"""A line of the error of terraform/envs/settings.tf."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`now` has every setting, as Terraform understands it. `given` is what terraform.tfvars sets, and nothing else."""

    project: str
    region: str
    now: Mapping[str, Any]
    given: Mapping[str, Any]

    @classmethod
    def read(cls, place: Path) -> Settings:
        """Those of an environment's folder. Exits if the file is missing, if it has a setting that nobody reads or a
        value that cannot be, or if there are settings elsewhere."""
        file, short = place / FILE, Path("terraform", "envs", place.name)
        if not file.exists():
            sys.exit(f"{short}/{file.name} is missing. Copy {short}/example.tfvars to it and fill in your project.")
        if others := [*_other_files(place), *_variables_of_environment(place)]:
            sys.exit(
                f"The settings of {place.name} have one home, {short}/{FILE}. Move there what {', '.join(others)} "
                "sets, so that the next deployment has it, too, and then remove it."
            )
        with tempfile.TemporaryDirectory(prefix="settings-") as folder:
            outputs = _outputs(place, Path(folder))
        settings = outputs["settings"]["value"]
        if unknown := list(_unknown_to_ragbase(settings["settings"])):
            sys.exit("\n".join((*unknown, _unchanged(place))))
        return cls(settings["project"], settings["region"], settings, outputs["given"]["value"])


def note_on_commit(place: Path) -> str:
    """What to do if the settings are not in git yet, as they are now. Empty if they are, or without git."""
    try:
        command = ["git", "-C", str(place), "status", "--porcelain", "--", FILE]
        changed = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    if changed.returncode or not changed.stdout.strip():
        return ""
    return (
        f"terraform/envs/{place.name}/{FILE} is not committed. Commit it, so that everybody and CI have the same "
        "settings. They hold no secret."
    )


def _other_files(place: Path) -> Iterator[str]:
    """Files that Terraform reads without being asked, too
    (developer.hashicorp.com/terraform/language/values/variables#variable-definitions-tfvars-files)."""
    for pattern in ("terraform.tfvars.json", "*.auto.tfvars", "*.auto.tfvars.json"):
        yield from sorted(path.name for path in place.glob(pattern))


def _variables_of_environment(place: Path) -> Sequence[str]:
    declared = "\n".join((place / name).read_text(encoding="utf-8") for name in DECLARED)
    names = re.findall(r'^variable "(\w+)"', declared, re.MULTILINE)
    return [variable for name in sorted(names) if (variable := f"TF_VAR_{name}") in os.environ]


def _outputs(place: Path, folder: Path) -> Mapping[str, Any]:
    for name in (*DECLARED, FILE):
        shutil.copyfile(place / name, folder / name)
    version = re.search(r'required_version = "(.*)"', (place / "versions.tf").read_text(encoding="utf-8"))
    declared = WITHOUT_PROVIDER.replace("VERSION", version[1] if version else "")
    (folder / "without_provider.tf").write_text(declared, encoding="utf-8")
    planned = _terraform(folder, "plan", "-json", "-input=false", "-out=plan", "-var=archives={}")
    if planned.returncode:
        said = "\n".join(_explained(diagnostics(planned.stdout)))
        sys.exit(f"{said or planned.stdout + planned.stderr}\n{_unchanged(place)}")
    shown = json.loads(_terraform(folder, "show", "-json", "plan").stdout)
    outputs: Mapping[str, Any] = shown["planned_values"]["outputs"]
    return outputs


def _unchanged(place: Path) -> str:
    return f"Nothing was changed. These settings are in terraform/envs/{place.name}/{FILE}."


def _terraform(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Without what somebody's shell tells Terraform of another folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OF_ANOTHER_FOLDER)}
    command = ["terraform", f"-chdir={folder}", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def _explained(found: Sequence[Diagnostic]) -> Iterator[str]:
    """Each of them for a person. A warning of a variable that an error names, too, is left to that error."""
    errors = "\n".join(one.detail for one in found if one.is_error)
    for one in found:
        if one.summary == UNDECLARED and set(re.findall(r'named "(\S+)"', one.detail)) & set(_unknown_names(errors)):
            continue
        matches = list(_UNKNOWN.finditer(one.detail))
        yield from (_with_nearest(match, one.detail) for match in matches) if matches else [str(one)]


def _unknown_to_ragbase(names: Iterable[str]) -> Iterator[str]:
    """A line for each setting of ragbase that there is not. A function would not start with it. The names are read and
    not imported, because this script has none of the packages of ragbase."""
    tree = ast.parse((ROOT / "common" / "ragbase" / "settings.py").read_text(encoding="utf-8"))
    (config,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Config")
    known = [
        node.target.id for node in config.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    for name in names:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {nearest[0]}?" if nearest else ""
            yield f"terraform.tfvars: settings has no {name}.{hint} docs/configuration.md has all settings of ragbase."


def _unknown_names(errors: str) -> Iterable[str]:
    return (match[1] for match in _UNKNOWN.finditer(errors))


def _with_nearest(match: re.Match[str], detail: str) -> str:
    line = next(line for line in detail.splitlines() if match[0] in line)
    nearest = difflib.get_close_matches(match[1], match[2].split(", "), n=1)
    return f"{line} Did you mean {nearest[0]}?" if nearest else line


OUTPUT = "settings"
"""The output of the environments that has every setting, as Terraform understood it."""


@dataclass(frozen=True, slots=True)
class LastSettings:
    """`now` has every setting as Terraform understands it, and `given` what terraform.tfvars sets. `agreed` says that
    nobody looks at a plan before it is applied, and `new_settings` that the settings may differ all the same."""

    now: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    agreed: bool = False
    new_settings: bool = False

    def show(self, state: Mapping[str, Any]) -> bool:
        """Print each setting that differs. Whether there is one."""
        before = state.get("values", {}).get("outputs", {}).get(OUTPUT, {}).get("value")
        changes = list(settings_changes(before, self.now, self.given))
        if changes:
            print("The settings are not those of the last apply:", *changes, sep="\n")
        return bool(changes)

    def check(self, state: Mapping[str, Any]) -> None:
        """Print each setting that differs, and exit if nobody looks at it: the last apply may have had settings that
        this checkout does not have."""
        if self.show(state) and self.agreed and not self.new_settings:
            sys.exit(
                "Nothing was changed: --yes applies only the settings of the last apply. If somebody deployed with "
                "other ones, commit theirs. If these are right, deploy once without --yes, or add --new-settings."
            )


def settings_changes(before: Any, now: Any, given: Any) -> Iterator[str]:
    """A line for each setting that differs in its meaning: comments, order and a default that is spelled out do not
    count. What the last apply did not know yet, and nobody sets, is left out, so that another version of ragbase may
    have more settings. Nothing differs if there was no apply, or one by a checkout that kept no settings."""
    if before is not None:
        yield from _changes("", before, now, given)


def _changes(path: str, before: Any, now: Any, given: Any) -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in sorted({*before, *now}):
            is_given = isinstance(given, Mapping) and key in given
            if key in before or is_given:
                inner = given[key] if is_given else None
                at = f"{path}.{key}" if path else key
                yield from _changes(at, before.get(key, MISSING), now.get(key, MISSING), inner)
    elif before != now and not (before in (MISSING, None) and now in (MISSING, None)):
        yield f"  {path}: {as_text(_set(before))} -> {as_text(_set(now))}"


def _set(value: Any) -> Any:
    """The value without what nobody has set in it."""
    if isinstance(value, Mapping):
        return {key: _set(inner) for key, inner in value.items() if inner is not None}
    return value
