"""What `./scripts/test` leaves to `./scripts/prove`, by part: which tests a part has, and which changes need it.

`./scripts/test` runs the tests without the mark `prove`. A test that has the mark belongs to the part whose `tests` its
path begins with; the longest beginning counts. All tests of a part that is `whole` have the mark. `properties`
tries every property with more examples; `prose` and `site` are not tests of pytest.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Part:
    proves: str
    """What it proves, in a line for the table that `./scripts/prove` prints."""
    tests: tuple[str, ...] = ()
    """What the paths of its tests begin with, below tests/."""
    changed: tuple[str, ...] = ()
    """A change of a path like these needs it. A change of its own tests does, too."""
    whole: bool = False
    """None of its tests is in `./scripts/test`."""


PARTS = {
    "simulation": Part(
        "the promises of docs/correctness.md in the simulated world: fresh seeds, crash matrix, planted bugs",
        tests=("simulation/", "simulated_world/"),
        changed=(
            "common/ragbase/domain/**",
            "common/ragbase/leases/**",
            "common/ragbase/pipeline/**",
            "common/ragbase/upkeep/**",
            "common/ragbase/testing/**",
        ),
    ),
    "contracts": Part(
        "every contract on every real server",
        tests=("contract/", "unit/adapters/"),
        changed=("common/ragbase/adapters/**", "common/ragbase/ports/**", "common/ragbase/testing/**"),
    ),
    "text": Part(
        "what is read from files, with large models, OCR and long inputs",
        tests=("unit/",),
        changed=("common/ragbase/formats/**", "common/ragbase/chunking/**", "common/ragbase/text/**"),
    ),
    "api": Part(
        "the HTTP functions: whole matrices of filters, callers and requests",
        tests=("functions/",),
        changed=(
            "functions/**",
            "common/ragbase/interfaces/**",
            "common/ragbase/access/**",
            "common/ragbase/messages/**",
        ),
    ),
    "journeys": Part(
        "commands and servers as processes: kills, signals, full disks, upgrades, releases",
        tests=("e2e/", "warm/"),
        changed=("common/ragbase/interfaces/cli/**", "common/ragbase/engine/**", "common/ragbase/adapters/embedded/**"),
    ),
    "cloud": Part(
        "the whole cloud on this machine, with its faults",
        tests=("e2e/test_local_cloud", "e2e/test_restore", "e2e/test_embedding_rate"),
        changed=(
            "functions/**",
            "common/ragbase/adapters/google/**",
            "common/ragbase/adapters/weaviate/**",
            "common/ragbase/interfaces/push/**",
            "common/ragbase/bootstrap/**",
            "scripts/local_cloud/**",
        ),
        whole=True,
    ),
    "container": Part(
        "the image, compose.yaml and the Kubernetes base",
        tests=("e2e/test_container", "architecture/test_container_files"),
        changed=("Dockerfile", "compose.yaml", "kubernetes/**", "scripts/container/**", "requirements/image*"),
        whole=True,
    ),
    "terraform": Part(
        "the Google Cloud profile: plans, rights, alerts, deployments",
        tests=("terraform/",),
        changed=(
            "terraform/**",
            "scripts/deploy*",
            "scripts/restor*",
            "scripts/smoke",
            "scripts/deployment/**",
            "scripts/restoring/**",
            "functions/**",
            "common/ragbase/settings.py",
        ),
    ),
    "browser": Part(
        "the console in Chromium: long journeys, keyboard, accessibility",
        tests=("browser/",),
        changed=("common/ragbase/interfaces/console/**", "common/ragbase/interfaces/api/**"),
    ),
    "clients": Part(
        "the clients of ours and of others against a real server",
        tests=("clients/",),
        changed=(
            "clients/**",
            "common/ragbase/client/**",
            "common/ragbase/interfaces/mcp/**",
            "common/ragbase/interfaces/api/**",
            "common/ragbase/messages/**",
        ),
    ),
    "examples": Part(
        "what examples/ tells to paste, on booted machines",
        tests=("examples/",),
        changed=("examples/**",),
    ),
    "house": Part(
        "the recipes of CONTRIBUTING, the workflows, and what the docs tell to paste",
        tests=("architecture/", "docs/"),
        changed=("CONTRIBUTING.md", "docs/**", "examples/ci/**", "README.md"),
    ),
    "fuzz": Part(
        "hostile and damaged files, requests and routes",
        tests=("fuzz/",),
        changed=("common/ragbase/formats/**", "common/ragbase/interfaces/api/**", "common/ragbase/interfaces/http/**"),
    ),
    "benches": Part(
        "every bench at its smallest size",
        tests=("bench/",),
        changed=("scripts/bench/**",),
        whole=True,
    ),
    "properties": Part(
        "every property with 100 examples, with `all` 1,000",
        changed=("common/ragbase/domain/**", "common/ragbase/chunking/**", "common/ragbase/text/**"),
    ),
    "prose": Part("the English of the docs, by Vale", changed=("*.md", ".vale.ini", "scripts/prose/**")),
    "site": Part(
        "the documentation as a site: links, anchors, pages", changed=("docs/**", "mkdocs.yml", "scripts/site/**")
    ),
}


def part_of(file: str) -> str | None:
    """The part that a file below tests/ belongs to."""
    begun = [(len(start), name) for name, part in PARTS.items() for start in part.tests if file.startswith(start)]
    return max(begun)[1] if begun else None


def is_left_to_prove(file: str) -> bool:
    """Whether no test of a file below tests/ is in `./scripts/test`."""
    name = part_of(file)
    return name is not None and PARTS[name].whole


def parts_for(changed: str) -> set[str]:
    """The parts that a changed path of the checkout needs."""
    path = PurePosixPath(changed)
    if path.parts[0] == "tests":
        part = part_of(path.relative_to("tests").as_posix())
        return {part} if part else set()
    return {name for name, part in PARTS.items() if any(fnmatch(changed, pattern) for pattern in part.changed)}
