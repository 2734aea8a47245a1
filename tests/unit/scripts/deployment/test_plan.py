"""What a person is shown of a plan, and which later plans go no further."""

from __future__ import annotations

import pytest

from scripts.deployment.plan import Plan
from scripts.deployment.risks import risks
from tests.unit.scripts.deployment.plans import change, plan

FUNCTION = "module.ragbase.module.function.google_cloudfunctions2_function.this"
BUCKET = "module.ragbase.google_storage_bucket.documents"
INVOKER = "module.ragbase.google_cloud_run_v2_service_iam_member.callers"


def test_every_resource_is_listed_and_counted() -> None:
    shown = list(plan(change(BUCKET, ["create"]), change(FUNCTION, ["delete"]), change(INVOKER, ["no-op"])).lines())
    assert shown == [f"  create   {BUCKET}", f"  destroy  {FUNCTION}", "Plan: create 1, destroy 1."]


def test_each_value_that_changes_is_shown_with_its_path() -> None:
    before = {"config": [{"cpu": "1", "variables": {"A": "1", "B": "2"}}], "uri": "https://…", "name": "api"}
    after = {"config": [{"cpu": "2", "variables": {"A": "1", "C": "3"}}], "name": "api"}
    shown = plan(change(FUNCTION, ["update"], before, after, {"uri": True})).lines()
    assert [line.strip() for line in shown][1:-1] == [
        'config.0.cpu: "1" -> "2"',
        'config.0.variables.B: "2" -> (nothing)',
        'config.0.variables.C: (nothing) -> "3"',
        'uri: "https://…" -> (known when it is applied)',
    ]


@pytest.mark.parametrize("mark", ["before_sensitive", "after_sensitive"])
def test_a_sensitive_value_is_not_shown(mark: str) -> None:
    changed = change(FUNCTION, ["update"], {"key": "old-secret"}, {"key": "new-secret"}, **{mark: {"key": True}})
    shown = "\n".join(plan(changed).lines())
    assert "key: (hidden) -> (hidden)" in shown and "secret" not in shown


def test_a_resource_that_only_moves_is_no_empty_plan() -> None:
    moved = plan(change(BUCKET, ["no-op"], {"name": "b"}, {"name": "b"}, previous_address="google_storage_bucket.old"))
    assert list(moved.lines())[:2] == [f"  move     {BUCKET}", "               was: google_storage_bucket.old"]
    assert not moved.is_empty and moved.goes_no_further_than(moved)


def test_an_old_object_of_a_resource_is_not_taken_for_the_new_one() -> None:
    approved = plan(change(FUNCTION, ["create"], after={"name": "f"}), change(FUNCTION, ["delete"], deposed="ab12"))
    assert [one.address for one in approved.changes] == [FUNCTION, f"{FUNCTION} (deposed ab12)"]
    assert plan(change(FUNCTION, ["create"], after={"name": "f"})).goes_no_further_than(approved)


def test_an_empty_plan_is_empty() -> None:
    assert plan(change(BUCKET, ["no-op"])).is_empty
    assert not Plan.read({"output_changes": {"endpoint": {"actions": ["update"]}}}).is_empty


def test_the_rest_of_a_plan_goes_no_further() -> None:
    approved = plan(change(BUCKET, ["create"], after={"name": "b"}), change(FUNCTION, ["create"], after={"name": "f"}))
    assert plan(change(FUNCTION, ["create"], after={"name": "f"})).goes_no_further_than(approved)


def test_a_resource_that_was_made_by_half_may_be_replaced() -> None:
    approved = plan(change(FUNCTION, ["create"], after={"name": "f"}, unknown={"uri": True}))
    tainted = change(FUNCTION, ["delete", "create"], {"name": "f", "uri": "u"}, {"name": "f", "uri": "v"})
    assert plan(tainted).goes_no_further_than(approved)


@pytest.mark.parametrize(
    "other",
    [
        change(BUCKET, ["delete"], {"name": "b"}),
        change(FUNCTION, ["create"], after={"name": "f", "ingress": "ALLOW_ALL"}),
        change(FUNCTION, ["delete"], {"name": "f"}),
        change(FUNCTION, ["create"], after={"name": "f", "env": [{"A": "2"}]}),
    ],
    ids=["another resource", "another value", "another action", "a value inside a list"],
)
def test_a_plan_with_anything_else_goes_further(other: dict[str, object]) -> None:
    approved = plan(change(FUNCTION, ["create"], after={"name": "f", "ingress": "INTERNAL", "env": [{"A": "1"}]}))
    assert not plan(other).goes_no_further_than(approved)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (change(INVOKER, ["create"], after={"role": "roles/run.invoker", "member": "allUsers"}), "everybody on the"),
        (
            change("p.google_project_iam_member.x", ["create"], after={"role": "roles/owner", "member": "user:a"}),
            "owner",
        ),
        (
            change(
                BUCKET,
                ["update"],
                {"public_access_prevention": "enforced"},
                {"public_access_prevention": "inherited"},
            ),
            "may make this bucket public",
        ),
        (
            change("n.google_compute_firewall.f", ["create"], after={"allow": [{}], "source_ranges": ["0.0.0.0/0"]}),
            "the whole internet may connect",
        ),
        (
            change(
                "v.google_compute_instance.i",
                ["create"],
                after={"network_interface": [{"access_config": [{"nat": 1}]}]},
            ),
            "a public address",
        ),
        (change("l.google_compute_global_forwarding_rule.https", ["create"], after={}), "an address on the internet"),
    ],
)
def test_what_opens_something_is_called_out(changed: dict[str, object], said: str) -> None:
    (line,) = risks(plan(changed))
    assert said in line and str(changed["address"]) in line


def test_what_stays_open_is_not_called_out_again() -> None:
    grant = {"role": "roles/run.invoker", "member": "allUsers"}
    assert not list(risks(plan(change(INVOKER, ["update"], grant, {**grant, "etag": "x"}))))
