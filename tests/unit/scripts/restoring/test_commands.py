"""What scripts/restore refuses before it asks Google or Terraform for anything."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from scripts.restoring.__main__ import restore


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("bucket dev --at yesterday", "yesterday is no time. Write it as 2026-11-26T08:15:00Z."),
        ("bucket dev --at 2026-11-26T08:15:00", "has no time zone. Write it as 2026-11-26T08:15:00Z for UTC."),
        ("bucket dev --at 9999-01-01T00:00:00Z", "9999-01-01T00:00:00Z is in the future."),
        ("bucket staging --at 2026-11-26T08:15:00Z", "'staging' is not one of 'dev', 'prod'"),
        ("records dev --into ragbase-2", "Give either --at or --backup."),
        ("records dev --into r --backup b --at 2026-01-01T00:00:00Z", "Give either --at or --backup."),
        ("records dev --at 2026-01-01T00:00:00Z", "Missing option '--into'"),
        ("vectors dev --into data-2", "Missing option '--snapshot'"),
    ],
)
def test_a_mistake_in_a_command_is_named(command: str, said: str) -> None:
    ended = CliRunner().invoke(restore, command.split())
    assert ended.exit_code == 2
    assert said in " ".join(ended.output.split())
