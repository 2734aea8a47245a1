"""The blocks of the documentation that no test runs, each with the reason.

tests/docs/test_pasted_commands.py looks whether there are such programs, commands, options and variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Place = tuple[str, str, int]
"""A page, the heading above the block, and which block below it."""

NOT_RUN: Mapping[str, Sequence[Place]] = {
    "It needs a project of Google Cloud, with somebody who is signed in.": (
        ("README.md", "Two profiles, one code", 2),
        ("docs/access.md", "The setting sign_in", 1),
        ("docs/access.md", "Ways in when the API is not public", 1),
        ("docs/access.md", "The password", 2),
        ("docs/deploy.md", "From an empty project to the first answer", 1),
        ("docs/deploy.md", "From an empty project to the first answer", 2),
        ("docs/deploy.md", "From an empty project to the first answer", 3),
        ("docs/deploy.md", "From an empty project to the first answer", 4),
        ("docs/deploy.md", "What is checked", 1),
        ("docs/operate.md", "The log of one upload", 1),
        ("docs/operate.md", "Who did what", 2),
        ("docs/operate.md", "Commands against a deployment", 1),
        ("docs/operate.md", "Commands against a deployment", 2),
        ("docs/restore.md", "Ways back after a loss", 1),
        ("docs/restore.md", "Objects", 1),
        ("docs/restore.md", "Records", 1),
        ("docs/restore.md", "Weaviate", 1),
        ("docs/restore.md", "A region", 1),
        ("docs/restore.md", "A VM that does not start", 1),
        ("docs/restore.md", "A VM that does not start", 3),
        ("examples/ci/github/README.md", "Identities without keys", 1),
    ),
    "It needs Docker, a registry or a cluster. The tests build the same Dockerfile with buildah.": (
        ("docs/container.md", "Run it in a container", 1),
        ("docs/container.md", "On Kubernetes", 1),
        ("docs/container.md", "Behind a mirror", 1),
        ("docs/local-cloud.md", "In containers", 1),
    ),
    "It runs these tests, or the same programs for much longer than they do.": (
        ("README.md", "ragbase", 1),
        ("CONTRIBUTING.md", "Contributing", 1),
        ("docs/correctness.md", "The evidence", 1),
    ),
}
