"""The checks bite: each of these mistakes, made in a copy, is found by one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terraform.configured import apply, configuration, environment, initialise, run
from tests.terraform.test_agreement import unknown_settings

pytestmark = pytest.mark.slow


def mutate(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old} is {text.count(old)} times in {file.name}"
    file.write_text(text.replace(old, new), encoding="utf-8")


def keep_one_promise(file: Path, name: str) -> None:
    """Leave out the others, which take a second each. The first run makes what the others look at."""
    head, first, *others = file.read_text(encoding="utf-8").split('\nrun "')
    (promised,) = (other for other in others if other.startswith(f'{name}"'))
    file.write_text('\nrun "'.join((head, first, promised)), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("modules/function/function.tf", "timeout_seconds  ", "time_out_seconds  "),
        ("modules/lane/subscription.tf", "dead_letter_policy {", "dead_letters {"),
        ("database.tf", '"OPTIMISTIC"', '"HOPEFUL"'),
    ],
)
def test_a_broken_attribute_is_not_valid(file: str, old: str, new: str) -> None:
    with environment("dev") as folder:
        mutate(folder.parents[1] / file, old, new)
        ended = run("validate", folder=folder)
        assert ended.returncode == 1
        assert Path(file).name in ended.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "promise"),
    [
        (
            "topics.tf",
            ", kept = google_pubsub_topic.kept.name }",
            " }",
            "lanes/every_subscription_has_a_dead_letter_and_its_grants",
        ),
        (
            "secrets.tf",
            '(local.secret_ids.cohere)   = ["fast_lane", "heavy_lane", "api", "janitor"]',
            '(local.secret_ids.cohere)   = ["fast_lane", "heavy_lane", "janitor"]',
            "access/every_secret_is_granted_to_just_its_readers",
        ),
        (
            "modules/function/function.tf",
            'var.public ? "ALLOW_ALL" : "ALLOW_INTERNAL_ONLY"',
            '"ALLOW_ALL"',
            "functions/only_the_api_can_be_reached_from_outside",
        ),
    ],
)
def test_a_missing_grant_or_guard_breaks_its_promise(file: str, old: str, new: str, promise: str) -> None:
    theme, _, name = promise.partition("/")
    with configuration() as copy:
        mutate(copy / file, old, new)
        keep_one_promise(copy / "tests" / f"{theme}.tftest.hcl", name)
        initialise(copy)
        ended = run("test", f"-filter=tests/{theme}.tftest.hcl", folder=copy)
        assert ended.returncode == 1
        assert f'run "{name}"... fail' in ended.stdout


@pytest.mark.parametrize("setting", ["RAGBASE_FAST_TOPIC", "RAGBASE_PDF_TIMEOUT", "GOOGLE_CLOUD_PROJECT"])
def test_a_renamed_setting_is_known_to_nobody(setting: str) -> None:
    with environment("dev") as folder:
        mutate(folder.parents[1] / "functions.tf", f"    {setting} ", f"    {setting}_RENAMED ")
        assert unknown_settings(apply(folder)) == {f"{setting}_RENAMED"}
