"""Scheduled sources: due or not, one run at a time, in slices, and after a kill as a clean run."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.bootstrap.sources import scheduled_sources
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.engine.run_sources import SourceRun, into_bucket, run_sources
from ragbase.engine.sync import sync_source
from ragbase.ports import StoredObject
from ragbase.sources.described import DescribedSource
from ragbase.sources.rounds import LEASE, MAX_FAILURES, Rounds, SourceState
from ragbase.sources.sync import SourceChange
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock

HOUR = timedelta(hours=1)


class Ticking(VirtualClock):
    """Each look at it takes a second."""

    def now(self) -> Any:
        return super().advance(timedelta(seconds=1))


class Elsewhere(EmbeddedProfile):
    """The lanes are functions, as on Google Cloud, and time passes with each look at the clock."""

    clock = Ticking()
    runs_lanes = False


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Elsewhere]:
    Elsewhere.clock = Ticking()
    profile = Elsewhere(
        load_config(environment={"RAGBASE_HOME": str(tmp_path / "home"), "RAGBASE_EMBEDDER": "hashing"})
    )
    yield profile
    profile.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(20):
        (folder / f"{n:02}.md").write_text(f"# Page {n}\n\nThe boiler is inspected on day {n} of each month.\n")
    return folder


def described(folder: Path, **more: Any) -> DescribedSource:
    return DescribedSource(name="docs", address=str(folder), prefix="docs", every=1, **more)


def run(profile: Elsewhere, *sources: DescribedSource, **how: Any) -> SourceState | None:
    """The state of the first source that was run; None if none was due."""
    force = how.pop("force", False)

    def syncing(source: DescribedSource) -> Generator[tuple[SourceChange, str | None], None, None]:
        for step in sync_source(source.address, profile, root=source.root, delete=source.delete, force=force):
            yield step.step.change, step.error

    runs: list[SourceRun] = list(run_sources(sources, profile, syncing=syncing, **how))
    return runs[0].state if runs else None


def brought(profile: Elsewhere) -> Mapping[str, bytes]:
    return {one.name: profile.bucket.read(one.name, one.generation) for one in profile.bucket.list("docs/")}


def test_a_source_is_run_when_it_is_due_and_not_before(profile: Elsewhere, folder: Path) -> None:
    source = described(folder)
    first = run(profile, source)
    assert first is not None and first.added == 20 and first.completed is not None and not first.error
    assert run(profile, source) is None
    profile.clock.advance(HOUR)
    second = run(profile, source)
    assert second is not None and (second.added, second.unchanged) == (0, 20)


def test_a_source_that_somebody_asks_for_is_run_at_once(profile: Elsewhere, folder: Path) -> None:
    run(profile, described(folder))
    again = run(profile, described(folder), asked=["docs"])
    assert again is not None and again.unchanged == 20
    assert run(profile, described(folder), asked=["other"]) is None


def test_a_slice_without_time_goes_on_with_the_next_one_and_deletes_in_the_end(
    profile: Elsewhere, folder: Path
) -> None:
    source = described(folder, delete=True)
    run(profile, source)
    (folder / "07.md").unlink()
    (folder / "13.md").write_text("# Page 13\n\nThe boiler is now inspected each week, as the plumber said.\n")
    profile.clock.advance(HOUR)
    paused = run(profile, source, end=profile.clock.now() + timedelta(seconds=8))
    assert paused is not None and paused.ended is None and not paused.error and paused.deleted == 0
    assert "docs/07.md" in brought(profile)
    ended = run(profile, source)
    assert ended is not None and ended.begun == paused.begun and ended.ended is not None
    assert (ended.changed, ended.deleted) == (1, 1)
    assert sorted(brought(profile)) == [f"docs/{n:02}.md" for n in range(20) if n != 7]


def test_nothing_begins_after_the_end(profile: Elsewhere, folder: Path) -> None:
    assert run(profile, described(folder), end=profile.clock.now()) is None
    assert Rounds(profile.checkpoints).state("docs") is None


def test_an_error_is_in_the_state_and_stops_no_other_source(profile: Elsewhere, folder: Path) -> None:
    wrong = DescribedSource(name="gone", address=str(folder / "nowhere"))
    runs = {
        one.source.name: one.state
        for one in run_sources([wrong, described(folder)], profile, syncing=into_bucket(profile))
    }
    assert "nowhere" in runs["gone"].error and runs["gone"].completed is None
    assert runs["docs"].added == 20
    assert run(profile, wrong) is not None, "a round that broke off is due at once"


def test_too_many_vanished_are_an_error_and_nothing_is_deleted(profile: Elsewhere, folder: Path) -> None:
    source = described(folder, delete=True)
    run(profile, source)
    for file in folder.glob("0*.md"):
        file.unlink()
    profile.clock.advance(HOUR)
    state = run(profile, source)
    assert state is not None and "10 of 20" in state.error and len(brought(profile)) == 20
    forced = run(profile, source, asked=["docs"], force=True)
    assert forced is not None and forced.deleted == 10 and not forced.error


def test_the_first_failures_of_entries_are_kept(profile: Elsewhere, folder: Path) -> None:
    for n in range(8):
        profile.bucket.put(f"docs/{n:02}.md", b"somebody else's")
    state = run(profile, described(folder))
    assert state is not None and (state.added, state.failed) == (12, 8)
    assert len(state.failures) == MAX_FAILURES and "somebody else's" in state.failures[0]


def test_one_run_at_a_time() -> None:
    rounds, clock = Rounds(MemoryCheckpoints()), VirtualClock()
    first = rounds.take("docs", "first", every=HOUR, now=clock.now())
    assert first is not None
    assert rounds.take("docs", "second", every=HOUR, now=clock.now(), asked=True) is None
    clock.advance(LEASE)
    second = rounds.take("docs", "second", every=HOUR, now=clock.now())
    assert second is not None and second.begun == first.begun, "it goes on with the round of the one that was killed"
    assert not rounds.save("docs", first), "who was slow has to stop"
    assert rounds.save("docs", second)


class Killed(BaseException):
    """The process ends here: nothing is caught or cleaned up in its name."""


def test_a_run_that_is_killed_at_any_write_and_called_again_ends_as_a_clean_one(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = None
    for kill_at in (None, *range(1, 20, 4)):
        Elsewhere.clock = Ticking()
        settings = {"RAGBASE_HOME": str(tmp_path / f"home {kill_at}"), "RAGBASE_EMBEDDER": "hashing"}
        profile = Elsewhere(load_config(environment=settings))
        bucket, calls = profile.bucket, 0
        put = bucket.put

        def dying(name: str, data: bytes, **how: Any) -> StoredObject:
            nonlocal calls
            calls += 1
            if calls == kill_at:  # noqa: B023 - called in this turn of the loop alone
                raise Killed
            return put(name, data, **how)  # noqa: B023

        monkeypatch.setattr(bucket, "put", dying)
        if kill_at is None:
            run(profile, described(folder))
        else:
            with pytest.raises(Killed):
                run(profile, described(folder))
            assert run(profile, described(folder)) is None, "the killed one still holds the source"
            profile.clock.advance(LEASE)
            state = run(profile, described(folder))
            assert state is not None and state.ended is not None and not state.error
        wanted = wanted or brought(profile)
        assert brought(profile) == wanted and len(wanted) == 20
        profile.close()


def test_the_file_is_the_one_of_the_data_folder_or_of_the_setting(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "sources.toml").write_text("[[source]]\nname = 'a'\naddress = '/docs'\n")
    other = tmp_path / "other.toml"
    other.write_text("[[source]]\nname = 'b'\naddress = '/docs'\n")
    for setting, name in (("", "a"), (str(other), "b")):
        profile = EmbeddedProfile(load_config(environment={"RAGBASE_HOME": str(home), "RAGBASE_SOURCES_FILE": setting}))
        assert [source.name for source in scheduled_sources(profile)] == [name]
        profile.close()


def test_a_file_that_is_missing_is_told_with_the_setting(tmp_path: Path) -> None:
    profile = EmbeddedProfile(load_config(environment={"RAGBASE_HOME": str(tmp_path)}))
    with pytest.raises(ConfigurationError, match="sources_file"):
        scheduled_sources(profile)
    profile.close()
