"""What cannot be run is at least there: bash reads each block of NOT_RUN, with programs that only note how they are
called, and each call is one that the real program takes."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from ragbase.config import load_config
from tests.docs.calls import GCLOUD, Call, calls, check
from tests.docs.not_run import NOT_RUN
from tests.page_blocks import Block, block_of

BLOCKS = [block_of(*place) for places in NOT_RUN.values() for place in places]
SETTING = re.compile(r"\b(RAGBASE_[A-Z_]+)=(\S+)")


@pytest.mark.skipif(GCLOUD is None, reason="The Google Cloud CLI says which commands it has. Install it.")
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_each_call_is_one_that_the_program_takes(block: Block, tmp_path: Path) -> None:
    called = calls(block.text, tmp_path)
    assert called
    for program, arguments in called:
        check(program, arguments)
    load_config(home=tmp_path, environment=dict(SETTING.findall(block.text)))


@pytest.mark.parametrize(
    "call",
    [
        ("ragbase", ["keys", "create", "me", "--scop", "read"]),
        ("ragbase", ["--profile", "gcp", "synch", "gs://a"]),
        ("restore", ["switch", "dev", "--databases", "a"]),
        ("deploy", ["dev", "--plans"]),
        ("bench/scale", ["delete", "--datas", "a"]),
        ("gcloud", ["secrets", "versions", "ad", "a"]),
        ("gcloud", ["secrets", "versions", "add", "a", "--data-files=-"]),
        ("terraform", ["-chdir=terraform/ci", "apply", "-var", "projects=a"]),
        ("terraform", ["-chdir=terraform/envs/prod", "output", "load_balancer"]),
        ("docker", ["build", "--secret", "id=pipp,src=pip.conf"]),
        ("pip", ["install", ".[locale]"]),
        ("python", ["-m", "ragbase.website"]),
    ],
    ids=str,
)
def test_a_mistake_in_a_call_is_found(call: Call) -> None:
    with pytest.raises((AssertionError, click.UsageError, SystemExit)):
        check(*call)
