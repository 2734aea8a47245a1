"""The objects that terraform/ passes to its modules have only keys that the modules declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.deployment.module_calls import ANY, keys, unknown_arguments

ROOT = Path(__file__).resolve().parents[4]
VARIABLES = """
variable "vm" {
  description = "A = b { in a text."
  type = object({
    zone    = optional(string) # size = here
    network = optional(object({ name = string, tags = optional(map(string), {}) }))
  })
  default = {}
  validation {
    condition     = var.vm.zone != ""
    error_message = "zone = {"
  }
}

variable "limits" {
  type = map(object({
    cpu = optional(number)
  }))
}

variable "labels" {
  type = map(string)
}
"""
CALL = """
locals {
  limits = {
    api = { cpu = 1 }
  }
}

module "it" {
  source = "../module"

  labels = { any = "thing" }
  vm = var.vm == null ? null : {
    zone    = "${var.region}-b"
    network = { name = "n", tags = { mine = "x" } }
  }
  limits = { for name, value in local.limits : name => merge(value, { cpu = 2 }) }
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("module", VARIABLES), ("root", CALL)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.tf").write_text(text, encoding="utf-8")
    return tmp_path


def test_what_is_declared_is_passed(folder: Path) -> None:
    assert list(unknown_arguments(folder)) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("zone    =", "zones   =", "vm has no zones. It can have network, zone. Did you mean zone?"),
        ("{ name = ", "{ nam = ", "vm.network has no nam. It can have name, tags. Did you mean name?"),
        ("api = { cpu", "api = { cpus", "limits.api has no cpus. It can have cpu. Did you mean cpu?"),
        ("{ cpu = 2", "{ gpu = 2", "limits.* has no gpu. It can have cpu."),
    ],
)
def test_what_is_not_declared_is_named(folder: Path, old: str, new: str, line: str) -> None:
    assert CALL.count(old) == 1
    (folder / "root" / "main.tf").write_text(CALL.replace(old, new), encoding="utf-8")
    (found,) = unknown_arguments(folder)
    assert found.startswith(f"terraform/root/main.tf: {line}")


def test_a_variable_that_is_handed_on_is_compared_by_its_type(folder: Path) -> None:
    """Its own check would let a key through that the module drops."""
    handed_on = 'module "it" {\n  source = "../module"\n\n  vm = var.machine\n}\n'
    declared = 'variable "machine" {\n  type = object({ zone = string, spot = bool })\n}\n'
    (folder / "root" / "main.tf").write_text(handed_on + declared, encoding="utf-8")
    assert list(unknown_arguments(folder)) == ["terraform/root/main.tf: vm has no spot. It can have network, zone."]


def test_this_checkout_passes_only_what_is_declared() -> None:
    assert list(unknown_arguments(ROOT / "terraform")) == []


def test_keys_are_those_of_objects() -> None:
    assert keys('merge({ a = 1 }, b == c ? { d = { "e" = { f = 2 } } } : null) # g = {') == {
        ("a",),
        ("d",),
        ("d", ANY, "f"),
    }
