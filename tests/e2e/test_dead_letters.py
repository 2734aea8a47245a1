"""`ragbase dead-letters`, as an operator uses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.dead_letter import UnreadMessage
from ragbase.domain.document import Document, Status
from ragbase.domain.identity import document_id
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.object_event import EventKind
from ragbase.engine.lanes import collect_dead_letters
from ragbase.pipeline.route import route
from ragbase.ports import Topic
from ragbase.upkeep.dead_letters.keep import keep_dead_letter
from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

TEXT = "The nightly backup of {name} starts at half past two and takes ten minutes or less.\n"


@pytest.fixture
def profile(ragbase: CommandLine) -> Iterator[EmbeddedProfile]:
    profile = open_profile(load_config(home=ragbase.home, embedder="hashing", environment={}))
    assert isinstance(profile, EmbeddedProfile)
    yield profile
    profile.close()


def use_up(profile: EmbeddedProfile, record: Document) -> None:
    """The document has no attempt left."""
    profile.documents.update(record.id, lambda _: replace(record, attempts=MAX_RETRIES + 1))


def lose(profile: EmbeddedProfile, *names: str, reason: str = "The embedder was away.") -> list[str]:
    """Upload documents whose jobs a lane then gives up; return the ids of their dead letters."""
    ids = []
    for name in names:
        stored = profile.bucket.put(name, TEXT.format(name=name).encode())
        route(stored.event(EventKind.FINALISED), profile)
        record = profile.documents.get(document_id(profile.bucket.name, name))
        assert record is not None
        use_up(profile, record)
        profile.publisher.publish(Topic.DEAD_LETTER, record.job, reason=reason)
        collect_dead_letters(profile)
        ids.append(profile.dead_letters.about(record.id)[0].id)
    # Without the queue's own copies, only the replay makes a lane work on a document again.
    for topic in ("uploads", Topic.FAST.value):
        profile.publisher.receive(topic, 0, [one.id for one in profile.publisher.receive(topic, 1000)])
    return ids


def status(profile: EmbeddedProfile, name: str) -> Status | None:
    record = profile.documents.get(document_id(profile.bucket.name, name))
    return record.status if record else None


def test_nothing_was_given_up(ragbase: CommandLine) -> None:
    assert ragbase.call("dead-letters", "list").out == "No dead letters.\n"
    assert ragbase.call("dead-letters", "list", "--reason", "x").out == "No dead letters match.\n"
    assert ragbase.call("dead-letters", "list", "--json").json == {"deadLetters": [], "more": False}
    replayed = ragbase.call("dead-letters", "replay", "--all")
    assert (replayed.code, replayed.out) == (0, "0 dead letters: 0 replayed, 0 outdated, 0 refused\n")


def test_dead_letters_are_listed_with_what_has_become_of_their_documents(
    ragbase: CommandLine, profile: EmbeddedProfile
) -> None:
    lost, replaced = lose(profile, "lost.md", "replaced.md")
    newer = profile.bucket.put("replaced.md", TEXT.format(name="newer").encode())
    route(newer.event(EventKind.FINALISED), profile)

    listed = ragbase.call("dead-letters", "list")
    assert listed.code == 0
    rows = {line.split()[0]: line for line in listed.out.splitlines()[1:] if line}
    assert all(words in rows[lost] for words in ("job", "lost.md", "FAILED", "INTERNAL_ERROR: The embedder was away."))
    assert "REPLACED" in rows[replaced]
    assert listed.out.endswith("\n2 dead letters\n")
    assert ragbase.call("dead-letters", "list", "--limit", "1").out.endswith("\n1 dead letter, and there are more\n")
    assert lost in ragbase.call("dead-letters", "list", "--document", "lost.md").out
    assert replaced not in ragbase.call("dead-letters", "list", "--document", "lost.md").out

    (found,) = ragbase.call("dead-letters", "list", "--json", "--document", document_id("ragbase", "lost.md")).json[
        "deadLetters"
    ]
    assert {"firstSeen", "lastSeen", "generation"} <= set(found)
    assert {name: found[name] for name in ("id", "kind", "filename", "documentStatus", "attempts", "code")} == {
        "id": lost,
        "kind": "job",
        "filename": "lost.md",
        "documentStatus": "FAILED",
        "attempts": MAX_RETRIES + 1,
        "code": "INTERNAL_ERROR",
    }


def test_show_prints_everything_and_the_message_as_it_was(ragbase: CommandLine, profile: EmbeddedProfile) -> None:
    (lost,) = lose(profile, "lost.md")
    shown = ragbase.call("dead-letters", "show", lost)
    assert shown.code == 0
    assert all(words in shown.out for words in ("lost.md", "FAILED", "The embedder was away.", '"filePath": "lost.md"'))
    assert ragbase.call("dead-letters", "show", lost, "--json").json["message"]["filePath"] == "lost.md"
    keep_dead_letter(UnreadMessage.of(b"\x1b[2J\xff", {}), "Nobody reads it.", profile, deliveries=20)
    (id,) = {one["id"] for one in ragbase.call("dead-letters", "list", "--json").json["deadLetters"]} - {lost}
    message = ragbase.call("dead-letters", "show", id, "--json").json["message"]
    assert (message["payload"], message["size"]) == ("G1sySv8=", 5)
    assert "\x1b" not in ragbase.call("dead-letters", "show", id).out


def test_a_replay_works_until_the_documents_have_settled(ragbase: CommandLine, profile: EmbeddedProfile) -> None:
    lost, _ = lose(profile, "a.md", "b.md")
    lose(profile, "c.md", reason="Other.")
    replayed = ragbase.call("dead-letters", "replay", lost)
    assert (replayed.code, replayed.out) == (0, "1 dead letter: 1 replayed, 0 outdated, 0 refused\n")
    assert (status(profile, "a.md"), status(profile, "b.md")) == (Status.COMPLETED, Status.FAILED)
    replayed = ragbase.call("dead-letters", "replay", "--reason", "the EMBEDDER was")
    assert (replayed.code, replayed.out) == (0, "1 dead letter: 1 replayed, 0 outdated, 0 refused\n")
    assert status(profile, "b.md") is Status.COMPLETED
    replayed = ragbase.call("dead-letters", "replay", "--all", "--json")
    assert (replayed.code, replayed.json) == (0, {"replayed": 1, "outdated": 0, "refused": 0, "failed": 0})
    assert status(profile, "c.md") is Status.COMPLETED
    assert ragbase.call("dead-letters", "list").out == "No dead letters.\n"


def test_a_replay_that_fails_again_says_so(ragbase: CommandLine, profile: EmbeddedProfile) -> None:
    stored = profile.bucket.put("broken.json", b'{"a": ' * 20)
    route(stored.event(EventKind.FINALISED), profile)
    record = profile.documents.get(document_id("ragbase", "broken.json"))
    assert record is not None
    use_up(profile, record)
    keep_dead_letter(record.job, "The disk was full.", profile, deliveries=20)
    ended = ragbase.call("dead-letters", "replay", "--document", "broken.json")
    assert ended.code == 1
    assert "failed: broken.json: CORRUPT_FILE: " in ended.err
    assert ended.out == "1 dead letter: 1 replayed, 0 outdated, 0 refused\n"


def test_outdated_and_unreadable_dead_letters(ragbase: CommandLine, profile: EmbeddedProfile) -> None:
    lose(profile, "gone.md")
    ragbase.call("delete", "gone.md")
    keep_dead_letter(UnreadMessage.of(b"?", {}), "Nobody reads it.", profile, deliveries=20)
    ended = ragbase.call("dead-letters", "replay", "--all")
    assert ended.code == 1
    assert ended.out == "2 dead letters: 0 replayed, 1 outdated, 1 refused\n"
    assert "outdated: gone.md: The document is DELETED." in ended.err
    assert "ragbase cannot read this message. Look at it, and discard it." in ended.err
    assert len(ragbase.call("dead-letters", "list", "--json").json["deadLetters"]) == 1


def test_a_retry_removes_the_documents_dead_letter(ragbase: CommandLine, profile: EmbeddedProfile) -> None:
    lose(profile, "a.md", "b.md")
    assert ragbase.call("retry", "a.md").code == 0
    (left,) = ragbase.call("dead-letters", "list", "--json").json["deadLetters"]
    assert left["filename"] == "b.md"


def test_discard_asks_first(ragbase: CommandLine, profile: EmbeddedProfile) -> None:
    lost, *_ = lose(profile, "a.md", "b.md")
    refused = ragbase.call("dead-letters", "discard", "--all")  # nobody answers
    assert refused.code == 1 and "Discard 2 dead letters?" in refused.err
    assert len(list(profile.dead_letters.page(limit=10))) == 2
    discarded = ragbase.call("dead-letters", "discard", lost, "--yes")
    assert (discarded.code, discarded.out) == (0, "1 dead letter discarded\n")
    assert ragbase.call("dead-letters", "discard", "--all", "--yes", "--json").json == {"discarded": 1}
    assert status(profile, "a.md") is Status.FAILED


@pytest.mark.parametrize("action", ["replay", "discard"])
def test_a_choice_is_made_and_made_once(action: str, ragbase: CommandLine) -> None:
    nothing = ragbase.call("dead-letters", action)
    assert nothing.code == 2
    assert "Which dead letters? Give their ids, or --document or --reason, or --all." in nothing.err
    twice = ragbase.call("dead-letters", action, "id", "--all")
    assert twice.code == 2 and "only one of these" in twice.err


@pytest.mark.parametrize("action", [("show",), ("replay",), ("discard", "--yes")])
def test_a_dead_letter_that_is_not_there_is_named(action: tuple[str, ...], ragbase: CommandLine) -> None:
    ended = ragbase.call("dead-letters", *action, "absent")
    assert ended.code == 1
    assert "absent: there is no such dead letter. `ragbase dead-letters list` shows them." in ended.err


def test_what_a_lane_has_given_up_is_there_at_once(ragbase: CommandLine, profile: EmbeddedProfile) -> None:
    """Also where the process that gave it up ended before it had taken the dead letter in."""
    stored = profile.bucket.put("a.md", TEXT.encode())
    route(stored.event(EventKind.FINALISED), profile)
    (delivery,) = profile.publisher.receive(Topic.FAST.value, 1)
    record = profile.documents.get(document_id("ragbase", "a.md"))
    assert record is not None
    use_up(profile, record)
    profile.publisher.publish(Topic.DEAD_LETTER, delivery.job, reason="Gave up after 3 retries. The disk is full.")
    (found,) = ragbase.call("dead-letters", "list", "--json").json["deadLetters"]
    assert found["reason"] == "Gave up after 3 retries. The disk is full."
