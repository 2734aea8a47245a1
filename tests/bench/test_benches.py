"""Each bench runs to its end in its smallest size, prints the lines that it promises, and finds nothing broken. What it
measures is no matter here."""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scripts.bench import cloud, scale_large, scale_servers
from scripts.bench.scale import TABLE
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.temporary_cloud import temporary_cloud
from scripts.local_cloud.user import User
from scripts.locked import NotInstalled
from tests.bench.made_collection import make_collection
from tests.e2e.image import TAG

pytestmark = pytest.mark.prove

BENCHES = Path(__file__).resolve().parents[2] / "scripts" / "bench"

RATE = 100_000
"""Inputs a minute that the local cloud's embedding server takes: more than anything here asks for."""
IN_CLOUD = ("cloud", "scale large-cloud", "scale lanes", "scale rate")

Line = Mapping[str, Any]


def _anything(line: Line) -> bool:
    return True


@dataclass(frozen=True)
class Small:
    """The arguments of a bench, what each of its lines has, and what has to be true of them. DATA is the folder with
    all that is made, and TO one to write to. Lines beyond the last of `keys` have the same keys as that."""

    arguments: str
    keys: Sequence[str]
    lines: int = 1
    holds: Callable[[Line], bool] = _anything
    embedder: str = "hashing"


CASES = {
    "answers": Small(
        "--data DATA/markdown/book --questions 4 --rows 4 --embedder hashing",
        ["documents chunks answers citations unequal off_topic_refused p50_ms", "collection asked said refused"],
        lines=9,
        holds=lambda line: not line.get("unequal"),
    ),
    "background": Small("TO/background.npy", ["embedder points"]),
    "calibrate": Small("--data DATA", ["embedder rank confidence means differ_much judged by_set"]),
    "cloud": Small("--data DATA/markdown/book --only upload --uploads 1", ["files p50 p99 max"]),
    "cold-start": Small("1 --only router", ["rounds router"]),
    "console": Small("--documents 40 --times 1", ["profile first_view page_image status scroll filter_ms"]),
    "container": Small(
        f"--quick --tag {TAG}", ["answered size_megabytes"], holds=lambda line: line["answered"] is True
    ),
    "follow-ups": Small("--data DATA --only en rust --most 3", ["embedder follow_ups ratio refused kinds held_out"]),
    "formats": Small(
        "--data DATA/pages --rounds 1 --rows 50 --mib 1 --only html rows json emoji",
        ["of pages pages_per_second", "of rows rows_per_second", "of mebibytes memory_per_byte_of_file passages"],
        lines=4,
    ),
    "http": Small(
        "--data DATA --chunks 20 --clients 2 --seconds 2 --pause 0.1 --uploads 0.5 --large 100000",
        ["query_p50_ms uploads_taken uploads_lost documents_too_many memory_peak_mib", "files taken memory_peak_mib"],
        lines=3,
        holds=lambda line: (line.get("uploads_lost", 0), line.get("documents_too_many", 0)) == (0, 0),
    ),
    "ingest": Small(
        "--data DATA/markdown/book --rounds 1 --files 3",
        ["documents chunks documents_per_second ratio_vs_langchain embedded_after_edit durable_peers"],
        holds=lambda line: line["embedded_when_unchanged"] == 0,
    ),
    "known-items": Small(
        "--data DATA/markdown/book=Book --items 3", ["documents chunks items wrappers folders foreign_refused"]
    ),
    "losses": Small(
        "--data DATA --losses 12", ["losses right by_stage"], holds=lambda line: line["right"] == line["losses"] > 6
    ),
    "marks": Small("--data DATA/pdf", ["text scans"], holds=lambda line: line["text"]["equal"] == 1, embedder="minilm"),
    "meaning": Small("--data DATA", ["set false_alarms detected named_by_kind ms"], lines=4),
    "odd-questions": Small("--data DATA --questions 2", ["collection kind refused"], lines=70),
    "page-images": Small("--data DATA/pdf --pages 1 --width 100", ["pages drawn first_ms again_ms marks_ms"]),
    "pdf": Small("--data DATA/pdf --pages 1 --rounds 1", ["ragbase markitdown pypdf citations dense scans"]),
    "query": Small("--data DATA --embedder hashing --sizes 20", ["embedder sizes"]),
    "question-sets": Small("DATA/markdown/book --language en --name a --to TO", ["file passages questions"], lines=3),
    "retrieval": Small("--data DATA", ["collection answered refused"], lines=4),
    "same-results": Small(
        "--data DATA --documents 60 --questions 3",
        ["documents answers with_results different"],
        holds=lambda line: not any(line["different"].values()),
    ),
    "scale csv": Small(
        "--rows 100",
        ["rows rows_loaded_per_second memory_mib milliseconds_a_query megabytes_on_disk"],
    ),
    "scale delete": Small("--data DATA --documents 5", ["documents seconds cpu_seconds"]),
    "scale growth": Small("--data DATA --documents 6 --call 3", ["documents documents_per_second ratio"]),
    "scale lanes": Small("--data DATA --mib 1", ["completed attempts heavy_mib fast_mib"]),
    "scale large": Small(
        "--data DATA --mib 1 --kill-at 100",
        ["file kept chunks right embedded then_seconds first_mib then_mib"],
        lines=2,
        holds=lambda line: line["right"] is True,
    ),
    "scale large-cloud": Small(
        "--data DATA --mib 1 --kill-at 100",
        ["file kept chunks right embedded then_seconds first_mib then_mib"],
        lines=2,
        holds=lambda line: line["right"] is True,
    ),
    "scale rate": Small(
        f"--data DATA --files 2 --rate {RATE}",
        ["files statuses dead_letters share_of_limit calls queries"],
        holds=lambda line: line["statuses"] == {"COMPLETED": 2} and not line["dead_letters"],
    ),
    "scale reconcile": Small("--documents 10", ["documents chunks seconds memory_mib memory_mib_of_a_tenth"]),
    "scale shell": Small("--data DATA --chunks 2100 --rounds 1", ["chunks file_mib file_seconds database_memory_mib"]),
    "scale sync": Small("--objects 10", ["objects memory_mib own_cpu_seconds memory_mib_of_a_tenth"]),
    "scale weaviate": Small(
        "--chunks 100 --dimension 8 --questions 5", ["index chunks p50_ms recall own_mib files_mib"], lines=2
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_collection(folder)
    return folder


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path) -> Iterator[None]:
    """A bench is a program: it may change the variables and the handlers of its process."""
    before, on_end = dict(os.environ), signal.getsignal(signal.SIGTERM)
    os.environ["RAGBASE_HOME"] = str(tmp_path / "home")
    yield
    os.environ.clear()
    os.environ.update(before)
    signal.signal(signal.SIGTERM, on_end)


@pytest.fixture(scope="module")
def local_cloud() -> Iterator[tuple[LocalCloud, User]]:
    """One for all benches: its start costs more than all that they do in it."""
    with temporary_cloud(RATE) as running:
        yield running


@pytest.fixture
def in_local_cloud(local_cloud: tuple[LocalCloud, User], monkeypatch: pytest.MonkeyPatch) -> None:
    def running(rate: int = 0) -> AbstractContextManager[tuple[LocalCloud, User]]:
        return nullcontext(local_cloud)

    for module in (cloud, scale_large, scale_servers):
        monkeypatch.setattr(module, "temporary_cloud", running)


def test_each_bench_has_a_smallest_size() -> None:
    commands = {file.name for file in BENCHES.iterdir() if file.is_file() and not file.suffix} - {"scale"}
    assert set(CASES) == commands | {f"scale {name}" for name in TABLE}


@pytest.mark.parametrize("name", [name for name in CASES if name not in IN_CLOUD])
def test_a_bench_ends_and_says_what_it_promises(
    name: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _check(name, made, tmp_path, monkeypatch, capsys)


@pytest.mark.usefixtures("in_local_cloud")
@pytest.mark.parametrize("name", IN_CLOUD)
def test_a_bench_in_the_local_cloud_does_so(
    name: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _check(name, made, tmp_path, monkeypatch, capsys)


def _check(
    name: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case, (command, *what) = CASES[name], name.split()
    words = case.arguments.replace("DATA", str(made)).replace("TO", str(tmp_path)).split()
    (module,) = re.findall(r"^run (\S+)", (BENCHES / command).read_text(encoding="utf-8"), re.MULTILINE)
    monkeypatch.setattr(sys, "argv", [command, *what, *words])
    monkeypatch.setenv("RAGBASE_EMBEDDER", case.embedder)
    try:
        importlib.import_module(module).main()
    except SystemExit as ended:
        assert not ended.code, ended.code
    except NotInstalled as error:
        raise Missing(str(error)) from error

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == case.lines
    for place, line in enumerate(lines):
        assert line["bench"].startswith(name)
        assert line["machine"]["cores"]
        assert set(case.keys[min(place, len(case.keys) - 1)].split()) <= set(line), line
        assert case.holds(line), line
