"""The checks work: each of these mistakes is made in a copy, and one of the checks finds it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import Resource, copied, of_type, planned, run, with_variables
from tests.terraform.test_agreement import unknown_settings
from tests.terraform.test_load_balancer import PUBLIC, refused

pytestmark = pytest.mark.prove

POLICY, FRONTEND, BACKEND = (f"modules/load_balancer/{name}.tf" for name in ("policy", "frontend", "backend"))
SETTINGS = ("RAGBASE_FAST_TOPIC", "RAGBASE_EXTRACT_TIMEOUT", "GOOGLE_CLOUD_PROJECT")


def mutate(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old} is {text.count(old)} times in {file.name}"
    file.write_text(text.replace(old, new), encoding="utf-8")


def keep_one_promise(file: Path, name: str) -> None:
    """Drop all other runs of a test file. Each takes a second."""
    head, *runs = file.read_text(encoding="utf-8").split('\nrun "')
    (kept,) = (one for one in runs if one.startswith(f'{name}"'))
    file.write_text('\nrun "'.join((head, kept)), encoding="utf-8")


def validated(prepared: Path, file: str, old: str, new: str) -> tuple[str, CompletedProcess[str]]:
    """The changed file, and what `terraform validate` says of dev after the change."""
    with copied(prepared) as copy:
        mutate(copy / file, old, new)
        return file, run("validate", folder=copy / "envs" / "dev")


def promised(prepared: Path, promise: str, file: str, old: str, new: str) -> tuple[str, CompletedProcess[str]]:
    """The name of one promise, and what `terraform test` says of it after the change."""
    theme, _, name = promise.partition("/")
    with copied(prepared) as copy:
        mutate(copy / file, old, new)
        keep_one_promise(copy / "tests" / f"{theme}.tftest.hcl", name)
        return name, run("test", f"-filter=tests/{theme}.tftest.hcl", folder=copy)


def renamed(prepared: Path) -> Sequence[Resource]:
    """The resources of dev, with other names for some settings of the functions."""
    with copied(prepared) as copy:
        for setting in SETTINGS:
            mutate(copy / "functions.tf", f"    {setting} ", f"    {setting}_RENAMED ")
        return planned(copy / "envs" / "dev")


def narrowed(prepared: Path) -> Sequence[Resource]:
    """The resources of prod, whose load balancer lets no large body through to a route that takes one."""
    with copied(prepared) as copy:
        mutate(copy / POLICY, "|internal/callback)$", ")$")
        return planned(with_variables(copy / "envs" / "prod", json.dumps(PUBLIC)))


@looks_at(
    Job(validated, ("modules/function/function.tf", "timeout_seconds  ", "time_out_seconds  ")),
    Job(validated, ("modules/lane/subscription.tf", "dead_letter_policy {", "dead_letters {")),
    Job(validated, ("database.tf", '"OPTIMISTIC"', '"HOPEFUL"')),
)
def test_a_broken_attribute_is_not_valid(result: tuple[str, CompletedProcess[str]]) -> None:
    file, ended = result
    assert ended.returncode == 1
    assert Path(file).name in ended.stderr


@looks_at(
    Job(
        promised,
        (
            "lanes/every_subscription_has_a_dead_letter_and_its_grants",
            "topics.tf",
            ", kept = google_pubsub_topic.kept.name }",
            " }",
        ),
        seconds=2,
    ),
    Job(
        promised,
        (
            "access/every_secret_is_granted_to_just_its_readers",
            "models.tf",
            'embedding_functions = ["fast_lane", "heavy_lane", "api"]',
            'embedding_functions = ["fast_lane", "heavy_lane", "api", "janitor"]',
        ),
        seconds=2,
    ),
    Job(
        promised,
        (
            "functions/a_public_api_answers_only_who_signs_in",
            "invokers.tf",
            'var.api_public || var.api_sign_in ? "required" : "iam"',
            'var.api_sign_in ? "required" : "iam"',
        ),
        seconds=2,
    ),
    Job(
        promised,
        (
            "ci/only_workflows_of_one_repository_on_one_branch_deploy",
            "modules/ci/identity.tf",
            ' && ${local.on_branch} && assertion.event_name in [\\"push\\"',
            ' && assertion.event_name in [\\"push\\"',
        ),
        seconds=2,
    ),
    Job(
        promised,
        (
            "ci/who_plans_is_of_the_repository_and_no_stranger",
            "modules/ci/identity.tf",
            'assertion.event_name == \\"pull_request\\"',
            'assertion.event_name.startsWith(\\"pull_request\\")',
        ),
        seconds=2,
    ),
    Job(
        promised,
        (
            "limits/functions_framework_logs_by_no_handler_of_its_own",
            "modules/function/function.tf",
            ', LOG_EXECUTION_ID = "false" })',
            " })",
        ),
        seconds=2,
    ),
    Job(
        promised,
        (
            "functions/only_the_api_can_be_reached_from_outside",
            "functions.tf",
            'each.key != "api" ? "ALLOW_INTERNAL_ONLY"',
            'each.key != "api" ? "ALLOW_ALL"',
        ),
        seconds=2,
    ),
)
def test_a_missing_grant_or_guard_breaks_its_promise(result: tuple[str, CompletedProcess[str]]) -> None:
    name, ended = result
    assert ended.returncode == 1
    assert f'run "{name}"... fail' in ended.stdout
    assert "Test assertion failed" in ended.stderr


@looks_at(
    *(
        Job(promised, (f"load_balancer/{promise}", file, old, new), seconds=3)
        for promise, file, old, new in (
            (
                "there_is_no_load_balancer_by_default",
                "load_balancer.tf",
                "== null ? {} : {",
                '== null ? { RAGBASE_TRUSTED_PROXIES = "2" } : {',
            ),
            ("nobody_goes_around_the_load_balancer", "functions.tf", '"ALLOW_INTERNAL_AND_GCLB"', '"ALLOW_ALL"'),
            ("the_domain_leads_to_the_api", FRONTEND, "target_https_proxy.this.id", "target_http_proxy.this.id"),
            ("the_domain_has_a_certificate_and_modern_tls", FRONTEND, '"TLS_1_2"', '"TLS_1_0"'),
            ("nothing_is_answered_without_tls", FRONTEND, '"PERMANENT_REDIRECT"', '"FOUND"'),
            ("cloud_armor_stands_in_front_of_the_api", BACKEND, "google_compute_security_policy.this.id", "null"),
            ("one_address_asks_only_so_often", POLICY, 'enforce_on_key = "IP"', 'enforce_on_key = "ALL"'),
            (
                "a_body_that_is_too_large_is_refused_at_the_edge",
                POLICY,
                "has(request.headers['content-length']) && int",
                "int",
            ),
            ("the_client_is_found_behind_the_load_balancer", "load_balancer.tf", '"2"', '"1"'),
            (
                "the_check_from_outside_comes_through_the_load_balancer",
                "uptime.tf",
                'local.uses_iap ? module.function["api"].uri : local.endpoint',
                'module.function["api"].uri',
            ),
            ("a_public_api_is_not_behind_identity_aware_proxy", BACKEND, "== 0 ? [] : [true]", ">= 0 ? [true] : []"),
            ("only_members_come_through_identity_aware_proxy", "invokers.tf", "[local.agents.iap]", '["allUsers"]'),
        )
    )
)
def test_a_gap_in_the_load_balancer_breaks_its_promise(result: tuple[str, CompletedProcess[str]]) -> None:
    name, ended = result
    assert ended.returncode == 1
    assert f'run "{name}"... fail' in ended.stdout
    assert "Test assertion failed" in ended.stderr


LOAD_BALANCER = "variables_load_balancer.tf"


@looks_at(
    *(
        Job(promised, (f"load_balancer/{promise}", file, old, new), seconds=3)
        for promise, file, old, new in (
            (
                "the_number_of_proxies_is_not_set_twice",
                "functions.tf",
                "merge(local.proxy_settings, {",
                "merge({}, {",
            ),
            (
                "a_load_balancer_that_lets_nobody_through_is_refused",
                LOAD_BALANCER,
                "|| var.api_public != (length(",
                "|| !(var.api_public && length(",
            ),
            (
                "identity_aware_proxy_in_front_of_a_public_api_is_refused",
                LOAD_BALANCER,
                "|| var.api_public != (length(",
                "|| (var.api_public || length(",
            ),
            (
                "all_users_behind_identity_aware_proxy_are_refused",
                LOAD_BALANCER,
                "|domain|principal|principalSet):.+",
                "|domain|principal|principalSet|all).+",
            ),
            (
                "an_address_in_place_of_a_domain_is_refused",
                LOAD_BALANCER,
                "^([a-z0-9]([a-z0-9-]",
                "([a-z0-9]([a-z0-9-]",
            ),
            (
                "half_a_request_a_minute_is_refused",
                LOAD_BALANCER,
                "_per_minute >= 1 &&",
                "_per_minute >= 0 || 1 == 1 ||",
            ),
        )
    )
)
def test_without_its_validation_a_mistake_is_not_refused(result: tuple[str, CompletedProcess[str]]) -> None:
    name, ended = result
    assert ended.returncode == 1
    assert f'run "{name}"... fail' in ended.stdout
    assert "Missing expected failure" in ended.stderr


@looks_at(Job(renamed, seconds=4))
def test_renamed_settings_are_known_to_nobody(result: Sequence[Resource]) -> None:
    assert unknown_settings(result) == {f"{setting}_RENAMED" for setting in SETTINGS}


@looks_at(Job(narrowed, seconds=4))
def test_a_body_that_only_the_edge_refuses_is_noticed(result: Sequence[Resource]) -> None:
    (policy,) = of_type(result, "google_compute_security_policy")
    assert refused(policy, "/internal/callback", 1024 * 1024)
