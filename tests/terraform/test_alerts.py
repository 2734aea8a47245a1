"""Each alert on metrics is met when it should be: its query runs on series, in Prometheus's own engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import ROOT, Environment, environment, of_type
from tests.terraform.promql_engine import Series, met

pytestmark = pytest.mark.prove

MINUTE, HOUR, DAY = 60, 3600, 86400
RUN = {"monitored_resource": "cloud_run_revision"}
LANES = {"uploads": "router", "fast_lane": "fast-lane", "heavy_lane": "heavy-lane", "dead_letter": "dead-letter"}
LEVELS = {
    "searchable": ("delivered", "delivered_late"),
    "answered": ("asked", "asked_failed"),
    "quick": ("searched", "searched_slowly"),
}
Amount = Callable[[int], float]
"""How many there are in the minute that begins then (seconds)."""


def counter(name: str, labels: Mapping[str, str], amount: Amount, end: int, *, zeros: bool = True) -> Series:
    """A counter of Cloud Monitoring. Each point is about a range of time, and counts from its first one on
    (https://cloud.google.com/stackdriver/docs/managed-prometheus/promql-differences): in Prometheus, that is a point at
    both ends. Nothing says whether a minute without any has a point: `zeros`."""
    total, points = 0.0, []
    for start in range(0, end, MINUTE):
        more = amount(start)
        if more or zeros:
            points += [(float(start), total), (start + 59.0, total + more)]
        total += more
    return Series(name, {**RUN, **labels}, points)


def counted(metric: str, amount: Amount, end: int, *, service: str = "x", zeros: bool = True) -> Series:
    """A counter of log entries of ragbase."""
    name = f"logging_googleapis_com:user_ragbase_{metric}"
    return counter(name, {"service_name": f"ragbase-{service}"}, amount, end, zeros=zeros)


def gauge(name: str, labels: Mapping[str, str], value: Callable[[int], float | None], end: int, step: int) -> Series:
    points = [(float(at), one) for at in range(0, end, step) if (one := value(at)) is not None]
    return Series(name, dict(labels), points)


def during(first: int, last: int, then: float, otherwise: float = 0) -> Amount:
    return lambda at: then if first <= at < last else otherwise


def often(*spans: Amount) -> Amount:
    return lambda at: sum(span(at) for span in spans)


def once(*times: int) -> Amount:
    return lambda at: float(sum(at <= time < at + MINUTE for time in times))


@pytest.fixture
def policies(result: Environment) -> Mapping[str, Mapping[str, Any]]:
    """The alerts on metrics of prod, by their name."""
    found = of_type(result.resources, "google_monitoring_alert_policy")
    asking = [one for one in found if one["conditions"][0]["condition_prometheus_query_language"]]
    return {one["conditions"][0]["display_name"].replace(" ", "_"): one for one in asking}


PROD = looks_at(Job(environment, ("prod",), seconds=8))


def told(policy: Mapping[str, Any], series: Sequence[Series], end: int, step: int = MINUTE) -> list[int]:
    """When somebody gets a notification: the query has been met for its duration, and no incident is open."""
    (condition,) = policy["conditions"]
    (asked,) = condition["condition_prometheus_query_language"]
    times = range(0, end, step)
    lasting = int(asked["duration"].removesuffix("s"))
    opened, since, is_open = [], None, False
    for at, is_met in zip(times, met(asked["query"], series, times), strict=True):
        since = (since if since is not None else at) if is_met else None
        if since is not None and at - since >= lasting and not is_open:
            opened.append(at)
            is_open = True
        is_open = is_open and is_met
    return opened


def label_in(policy: Mapping[str, Any], label: str) -> str:
    query: str = policy["conditions"][0]["condition_prometheus_query_language"][0]["query"]
    found = re.search(rf'{label}="([^"]+)"', query)
    assert found, query
    return found[1]


@PROD
def test_each_alert_is_tried(policies: Mapping[str, Mapping[str, Any]]) -> None:
    tried = {f"{level}_burns_{burn}" for level in LEVELS for burn in ("fast", "slow")}
    tried |= {f"{lane}_stands_still" for lane in LANES} | {f"dead_letters_of_{lane}" for lane in LANES}
    tried |= {"failure_rate", "kept_messages", "no_snapshot_of_weaviate", "no_backup_of_firestore"}
    tried |= {"disk_of_weaviate", "memory_of_weaviate"}
    assert set(policies) == tried


@PROD
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("zeros", [True, False], ids=["with zeros", "without zeros"])
def test_a_budget_that_burns_fast_is_told_and_told_again(
    level: str, zeros: bool, policies: Mapping[str, Mapping[str, Any]]
) -> None:
    """Nine in ten go wrong for half an hour, twice."""
    total, wrong = LEVELS[level]
    end = 8 * HOUR
    half = HOUR // 2
    bad = often(during(2 * HOUR, 2 * HOUR + half, 9), during(6 * HOUR, 6 * HOUR + half, 9))
    series = [counted(total, lambda _: 10, end), counted(wrong, bad, end, zeros=zeros)]
    first, second = told(policies[f"{level}_burns_fast"], series, end)
    assert 2 * HOUR < first < 3 * HOUR
    assert 6 * HOUR < second < 7 * HOUR


@PROD
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("burn", "lasts", "after"), [("fast", HOUR, 10 * MINUTE), ("slow", 5 * HOUR, HOUR)])
def test_an_alert_ends_soon_after_the_trouble(
    level: str, burn: str, lasts: int, after: int, policies: Mapping[str, Mapping[str, Any]]
) -> None:
    """All go wrong until then. The long window alone would be met for much longer."""
    total, wrong = LEVELS[level]
    over, end = 2 * HOUR + lasts, 9 * HOUR
    series = [counted(total, lambda _: 10, end), counted(wrong, during(2 * HOUR, over, 10), end)]
    (query,) = policies[f"{level}_burns_{burn}"]["conditions"][0]["condition_prometheus_query_language"]
    assert met(query["query"], series, [over - MINUTE, over + after]) == [True, False]


@PROD
@pytest.mark.parametrize("level", LEVELS)
def test_a_share_of_few_is_not_told(level: str, policies: Mapping[str, Mapping[str, Any]]) -> None:
    """At night there are three in an hour, and all of one hour go wrong."""
    total, wrong = LEVELS[level]
    end = 12 * HOUR
    asked = range(0, end, 20 * MINUTE)
    wrongly = [at for at in asked if 5 * HOUR <= at < 6 * HOUR]
    series = [counted(total, once(*asked), end, zeros=False), counted(wrong, once(*wrongly), end, zeros=False)]
    assert told(policies[f"{level}_burns_fast"], series, end) == []
    assert told(policies[f"{level}_burns_slow"], series, end) == []


@PROD
@pytest.mark.parametrize("level", LEVELS)
def test_a_budget_that_burns_slowly_is_told_as_a_warning(level: str, policies: Mapping[str, Mapping[str, Any]]) -> None:
    """At seven times the rate that the budget bears, for eight hours: too slow for the one, enough for the other."""
    total, wrong = LEVELS[level]
    share, end = {"answered": 0.005}.get(level, 0.05) * 7, 16 * HOUR
    bad = during(2 * HOUR, 10 * HOUR, 10 * share)
    series = [counted(total, lambda _: 10, end), counted(wrong, bad, end)]
    assert told(policies[f"{level}_burns_fast"], series, end) == []
    (at,) = told(policies[f"{level}_burns_slow"], series, end)
    assert 4 * HOUR < at < 8 * HOUR
    assert (policies[f"{level}_burns_fast"]["severity"], policies[f"{level}_burns_slow"]["severity"]) == (
        "ERROR",
        "WARNING",
    )


@PROD
@pytest.mark.parametrize("level", LEVELS)
def test_what_a_budget_bears_is_not_told(level: str, policies: Mapping[str, Mapping[str, Any]]) -> None:
    total, wrong = LEVELS[level]
    share, end = {"answered": 0.005}.get(level, 0.05), 9 * HOUR
    minute_of_trouble = during(4 * HOUR, 4 * HOUR + 2 * MINUTE, 10, 10 * share)
    series = [counted(total, lambda _: 10, end), counted(wrong, minute_of_trouble, end)]
    for burn in ("fast", "slow"):
        assert told(policies[f"{level}_burns_{burn}"], series, end) == []


@PROD
def test_many_documents_that_fail_are_told_and_few_are_not(policies: Mapping[str, Mapping[str, Any]]) -> None:
    end = 4 * HOUR
    many = [counted("finished", lambda _: 2, end), counted("failed", during(HOUR, 2 * HOUR, 0.5), end, zeros=False)]
    few = [counted("finished", once(HOUR, HOUR + 90), end), counted("failed", once(HOUR, HOUR + 90), end)]
    assert len(told(policies["failure_rate"], many, end)) == 1
    assert told(policies["failure_rate"], few, end) == []


@PROD
@pytest.mark.parametrize("lane", LANES)
def test_a_lane_that_stands_still_is_told_and_one_that_is_busy_is_not(
    lane: str, policies: Mapping[str, Mapping[str, Any]]
) -> None:
    policy, end = policies[f"{lane}_stands_still"], 8 * HOUR
    labels = {"monitored_resource": "pubsub_subscription", "subscription_id": label_in(policy, "subscription_id")}
    name = "pubsub_googleapis_com:subscription_oldest_unacked_message_age"
    waiting = gauge(name, labels, lambda at: max(0, at - HOUR) if at < 5 * HOUR else 0, end, MINUTE)
    works = counted("delivered", lambda _: 4, end, service=LANES[lane])
    other = counted("delivered", lambda _: 4, end, service="another")
    assert len(told(policy, [waiting, other], end)) == 1
    assert told(policy, [waiting, works, other], end) == []


@PROD
@pytest.mark.parametrize("zeros", [True, False], ids=["with zeros", "without zeros"])
@pytest.mark.parametrize("lane", LANES)
def test_each_dead_letter_is_told_and_the_second_one_of_a_day_too(
    lane: str, zeros: bool, policies: Mapping[str, Mapping[str, Any]]
) -> None:
    policy, end = policies[f"dead_letters_of_{lane}"], 4 * HOUR
    labels = {"monitored_resource": "pubsub_subscription", "subscription_id": label_in(policy, "subscription_id")}
    name = "pubsub_googleapis_com:subscription_dead_letter_message_count"
    moved = counter(name, labels, once(HOUR, 3 * HOUR), end, zeros=zeros)
    assert [round(at / HOUR) for at in told(policy, [moved], end)] == [1, 3]
    if lane.endswith("_lane"):
        given_up = counted("given_up", once(HOUR, 3 * HOUR), end, service=LANES[lane], zeros=zeros)
        of_another = counted("given_up", once(2 * HOUR), end, service="another", zeros=zeros)
        assert [round(at / HOUR) for at in told(policy, [given_up, of_another], end)] == [1, 3]


@PROD
def test_a_message_that_waits_for_a_person_is_told(policies: Mapping[str, Mapping[str, Any]]) -> None:
    policy, end = policies["kept_messages"], 2 * HOUR
    labels = {"monitored_resource": "pubsub_subscription", "subscription_id": label_in(policy, "subscription_id")}
    name = "pubsub_googleapis_com:subscription_num_undelivered_messages"
    assert len(told(policy, [gauge(name, labels, lambda at: float(at > HOUR), end, MINUTE)], end)) == 1
    assert told(policy, [gauge(name, labels, lambda _: 0, end, MINUTE)], end) == []


@PROD
@pytest.mark.parametrize(("what", "full"), [("disk", 0.76), ("memory", 0.86)])
def test_a_weaviate_that_fills_up_is_told_before_it_stops(
    what: str, full: float, policies: Mapping[str, Mapping[str, Any]]
) -> None:
    policy, end = policies[f"{what}_of_weaviate"], 2 * HOUR
    vm = {"monitored_resource": "gce_instance", "instance_id": label_in(policy, "instance_id")}

    def used(device: str, share: Amount) -> list[Series]:
        name, labels = f"compute_googleapis_com:guest_{what}_bytes_used", {**vm, "device_name": device}
        return [
            gauge(name, {**labels, "state": "used"}, share, end, MINUTE),
            gauge(name, {**labels, "state": "free"}, lambda at: 1 - share(at), end, MINUTE),
        ]

    fills = during(HOUR, end, full, 0.5)
    assert len(told(policy, used("sdb", fills), end)) == 1
    assert told(policy, used("sdb", during(HOUR, HOUR + 5 * MINUTE, full, 0.5)), end) == []
    if what == "disk":
        assert len(told(policy, used("sda", lambda _: 0.1) + used("sdb", fills), end)) == 1


@PROD
def test_a_snapshot_that_does_not_come_is_told_also_if_there_never_was_one(
    policies: Mapping[str, Mapping[str, Any]],
) -> None:
    policy, end = policies["no_snapshot_of_weaviate"], 4 * DAY
    vm = {"monitored_resource": "gce_instance", "instance_id": label_in(policy, "instance_id")}
    runs = counter("compute_googleapis_com:instance_uptime", vm, lambda at: 60, end)

    def taken(*times: int) -> Series:
        name = "logging_googleapis_com:user_ragbase_snapshots"
        return counter(name, {"monitored_resource": "gce_disk"}, once(*times), end, zeros=False)

    every_12_hours = range(12 * HOUR, end, 12 * HOUR)
    assert told(policy, [runs, taken(*every_12_hours)], end, 10 * MINUTE) == []
    (never,) = told(policy, [runs], end, 10 * MINUTE)
    assert DAY <= never < 1.1 * DAY
    (stopped,) = told(policy, [runs, taken(12 * HOUR, DAY)], end, 10 * MINUTE)
    assert 2 * DAY <= stopped < 2.1 * DAY


@PROD
def test_backups_that_do_not_come_are_told_also_if_there_never_was_one(
    policies: Mapping[str, Mapping[str, Any]],
) -> None:
    policy, end, kept = policies["no_backup_of_firestore"], 60 * DAY, 30
    database = {"database_id": label_in(policy, "database_id")}
    data = gauge("firestore_googleapis_com:storage_data_and_index_storage_bytes", database, lambda _: 9, end, HOUR)

    def backups(exists: Callable[[int], bool]) -> Series:
        """Each has the size 9 and is kept for 30 days."""
        name = "firestore_googleapis_com:storage_backups_storage_bytes"
        days = [day for day in range(1, end // DAY) if exists(day)]
        size = {at: 9.0 * sum(day * DAY <= at < (day + kept) * DAY for day in days) for at in range(0, end, HOUR)}
        return gauge(name, database, size.get, end, HOUR)

    def days(series: Sequence[Series]) -> list[int]:
        return [at // DAY for at in told(policy, series, end, 6 * HOUR)]

    assert days([data, backups(lambda _: True)]) == []
    assert days([data]) == [2]
    assert days([data, backups(lambda day: day < 40)]) == [42]
    assert days([data, backups(lambda day: day != 40)]) == []


@PROD
def test_the_costs_count_each_condition(result: Environment) -> None:
    """Conditions on the log cost nothing (https://cloud.google.com/products/observability/pricing)."""
    policies = of_type(result.resources, "google_monitoring_alert_policy")
    paid = [one for policy in policies for one in policy["conditions"] if not one["condition_matched_log"]]
    stated = re.findall(r"(\d+) conditions", (ROOT / "docs" / "costs.md").read_text(encoding="utf-8"))
    assert stated == [str(len(paid))]


@PROD
def test_no_two_alerts_have_one_name(result: Environment) -> None:
    names = sorted(one["display_name"] for one in of_type(result.resources, "google_monitoring_alert_policy"))
    assert all(one != other for one, other in pairwise(names))
