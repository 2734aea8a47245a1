"""Files are read and cut beside this process: the same comes out, and nothing depends on it."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

import ragbase
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.adapters.text_process import FILES_BEFORE, TextProcess
from ragbase.adapters.text_process_script import answer
from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.chunk_size import ChunkSize
from ragbase.domain.errors import PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.sandbox.protections import this_kernel
from ragbase.pipeline.cut_text import Cutter, CutText, FileToCut
from ragbase.pipeline.fingerprint import file_fingerprint
from scripts.local_cloud.user import eventually
from tests.unit.formats.test_large_text import FILES

PATIENCE = 60.0
CUTTER = Cutter(FormatExtractor(), MarkdownChunker(300, 50), HashingEmbedder())
ANY_TEXT = ProcessingConfig(min_text_length=0)


def file(data: bytes, format: str = "md", config: ProcessingConfig = ANY_TEXT) -> FileToCut:
    model, language = "hashing-384", "english"
    fingerprint = file_fingerprint(
        format, config, extractor=CUTTER.extractor, chunker=CUTTER.chunker, model=model, language=language
    )
    return FileToCut(data=data, format=format, config=config, language=language, model=model, fingerprint=fingerprint)


SAILS = file(FILES["md"])


def here(file: FileToCut) -> CutText:
    cut = CUTTER.cut(file)
    assert cut is not None
    return cut


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "ragbase")


@pytest.fixture
def unstarted() -> Iterator[TextProcess]:
    process = TextProcess(CUTTER, callers=3)
    yield process
    process.close()


@pytest.fixture
def process(unstarted: TextProcess) -> TextProcess:
    unstarted.start()
    eventually(lambda: unstarted.cut(SAILS), PATIENCE)
    return unstarted


def same(one: CutText | None, other: CutText) -> bool:
    return (
        one is not None
        and (one.passages, one.terms) == (other.passages, other.terms)
        and one.vectors is not None
        and other.vectors is not None
        and np.array_equal(one.vectors, other.vectors)
        and replace(one.extraction, rows=list(one.extraction.rows))
        == replace(other.extraction, rows=list(other.extraction.rows))
    )


@pytest.mark.slow
def test_the_same_comes_out_of_every_format(process: TextProcess) -> None:
    for format, data in FILES.items():
        assert same(process.cut(file(data, format)), here(file(data, format))), format


def test_a_text_without_a_passage_has_no_vector(process: TextProcess) -> None:
    cut = process.cut(file(b" \n"))
    assert cut is not None
    assert (cut.passages, cut.terms, cut.vectors) == ([], [], None)


def test_the_uploaders_wishes_hold_there_too(process: TextProcess) -> None:
    text = b"The wind fills the sail, and the boat leaves the harbour. " * 20
    small = file(text, "txt", config=replace(ANY_TEXT, chunk_size=ChunkSize.read("120/0 characters")))
    assert same(process.cut(small), here(small))
    assert len(here(small).passages) > len(here(file(text, "txt")).passages)


def test_each_caller_gets_the_answer_to_its_own_file(process: TextProcess) -> None:
    wrong: list[bytes] = []

    def ask(caller: int) -> None:
        for number in range(40):
            one = file(f"# Boat {caller}\n\nIt is the {number}th, and it sails.".encode())
            found = process.cut(one)
            if found is not None and not same(found, here(one)):
                wrong.append(one.data)

    callers = [Thread(target=ask, args=(caller,)) for caller in range(5)]  # two more than may wait
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []
    assert same(process.cut(SAILS), here(SAILS))


LONG = file(b"This one takes long.")
BEGAN, MAY_END = Event(), Event()


class SlowExtractor(FormatExtractor):
    """Takes as long for one file as the test wants."""

    def extract(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction:
        if data == LONG.data:
            BEGAN.set()
            MAY_END.wait(PATIENCE)
        return super().extract(data, format, config)


def test_nobody_waits_for_a_long_text() -> None:
    (one, its), (other, others) = Pipe(), Pipe()
    with one, other:
        one.send(replace(CUTTER, extractor=SlowExtractor()))
        answer([its, others])
        assert one.recv() is None, "it is ready"
        one.send(LONG)
        assert BEGAN.wait(PATIENCE)
        other.send(SAILS)
        assert other.poll(PATIENCE)
        assert same(other.recv(), here(SAILS))
        assert not one.poll()
        MAY_END.set()
        assert same(one.recv(), here(LONG))


@pytest.mark.slow
@pytest.mark.parametrize("refused", [file(b'{"a": [1, 2,,]}', "json"), file(b"short", config=ProcessingConfig())])
def test_a_file_that_is_refused_is_for_the_caller(process: TextProcess, refused: FileToCut) -> None:
    with pytest.raises(PermanentError):
        here(refused)
    assert process.cut(refused) is None
    assert same(process.cut(SAILS), here(SAILS))


def test_a_cutter_of_another_version_cuts_nothing(process: TextProcess) -> None:
    assert process.cut(replace(SAILS, fingerprint=f"{SAILS.fingerprint}.1")) is None


def test_texts_of_another_model_have_terms_and_no_vectors(process: TextProcess) -> None:
    fingerprint = SAILS.fingerprint.replace("hashing-384", "other")
    cut = process.cut(replace(SAILS, model="other", fingerprint=fingerprint))
    assert cut is not None
    assert cut.vectors is None
    assert cut.terms == here(SAILS).terms


def test_it_starts_when_there_is_enough_to_do(unstarted: TextProcess) -> None:
    for _ in range(FILES_BEFORE):
        assert unstarted.cut(SAILS) is None
        assert unstarted.pid is None
    unstarted.cut(SAILS)
    assert unstarted.pid is not None
    eventually(lambda: unstarted.cut(SAILS), PATIENCE)


def test_it_starts_at_once_when_enough_is_known_to_come(unstarted: TextProcess) -> None:
    unstarted.expect(FILES_BEFORE)
    assert unstarted.pid is None
    unstarted.expect(FILES_BEFORE + 1)
    assert unstarted.pid is not None


def test_after_its_death_all_is_for_the_caller(process: TextProcess, caplog: pytest.LogCaptureFixture) -> None:
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    eventually(lambda: process.cut(SAILS) is None, PATIENCE)
    assert [process.cut(SAILS) for _ in range(FILES_BEFORE + 5)] == [None] * (FILES_BEFORE + 5)
    assert {record.message for record in caplog.records} == {"text_process.lost"}


def test_where_no_process_can_be_started_all_is_for_the_caller(
    unstarted: TextProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/no/python")
    assert [unstarted.cut(SAILS) for _ in range(FILES_BEFORE + 5)] == [None] * (FILES_BEFORE + 5)
    assert [record.message for record in caplog.records] == ["text_process.not_started"]


def test_a_script_that_breaks_leaves_all_to_the_caller(
    unstarted: TextProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = tmp_path / "script.py"
    broken.write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.setattr("ragbase.adapters.text_process.SCRIPT", broken)
    unstarted.start()
    eventually(lambda: caplog.records, PATIENCE)
    assert [record.message for record in caplog.records] == ["text_process.not_started"]
    assert unstarted.cut(SAILS) is None


def test_closing_ends_it_whatever_it_does(process: TextProcess, caplog: pytest.LogCaptureFixture) -> None:
    pid = process.pid
    assert pid is not None
    long = file(FILES["md"] * 300)
    callers = [Thread(target=process.cut, args=(long,)) for _ in range(3)]
    for caller in callers:
        caller.start()
    process.close()
    for caller in callers:
        caller.join()
    assert not is_running(pid)
    process.start()
    assert process.cut(SAILS) is None
    assert caplog.records == []


class HostileExtractor(FormatExtractor):
    """What a file's hostile code would do, as the text of the file."""

    def extract(self, data: bytes, format: str, config: ProcessingConfig) -> Extraction:
        possible = []
        attempts: dict[str, Callable[[], object]] = {
            "read": lambda: os.open(data, os.O_RDONLY),
            "write": lambda: os.open(data, os.O_WRONLY),
            "connect": socket.socket,
            "start": os.fork,
            "signal": lambda: os.kill(os.getppid(), 0),
        }
        for name, attempt in attempts.items():
            with suppress(PermissionError):
                attempt()
                possible.append(name)
        return Extraction(f"possible: {possible}, seen: {'RAGBASE_COHERE_API_KEY' in os.environ}")


@pytest.mark.skipif(bool(this_kernel().lacks) and "CI" not in os.environ, reason="this system lacks protections")
def test_hostile_code_in_it_reaches_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGBASE_COHERE_API_KEY", "a key")
    secret = tmp_path / "secret"
    secret.touch()
    process = TextProcess(replace(CUTTER, extractor=HostileExtractor()), callers=1)
    try:
        process.start()
        found = eventually(lambda: process.cut(file(os.fsencode(secret), "txt")), PATIENCE)
    finally:
        process.close()
    assert found is not None and found.extraction.markdown == "possible: [], seen: False"


@pytest.mark.parametrize(
    "answer",
    [
        "pickle.dumps(Calls())",
        "pickle.dumps(Path('/'))",
        "pickle.dumps([1])",
        "b'nonsense'",
        "pickle.dumps(pickle.loads)",
        r"b'\x80\x04N\x85R.'",
    ],
)
def test_an_answer_is_a_text_or_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture, answer: str
) -> None:
    """A pickle can call anything when it is read: here, what would make a file."""
    made = tmp_path / "made"
    script = tmp_path / "script.py"
    script.write_text(
        "import pickle, sys\n"
        "from multiprocessing.connection import Connection\n"
        "from pathlib import Path\n"
        "class Calls:\n"
        f"    def __reduce__(self): return (open, ({str(made)!r}, 'w'))\n"
        "connection = Connection(int(sys.argv[1]))\n"
        "connection.recv()\n"
        "connection.send(None)\n"
        "connection.recv()\n"
        f"connection.send_bytes({answer})\n",
        encoding="utf-8",
    )
    monkeypatch.setattr("ragbase.adapters.text_process.SCRIPT", script)
    process = TextProcess(CUTTER, callers=1)
    process.start()
    eventually(lambda: process.cut(SAILS) is None and caplog.records, PATIENCE)
    process.close()
    assert [record.message for record in caplog.records] == ["text_process.lost"]
    assert not made.exists()


STARTER = """
from ragbase.adapters.text_process import TextProcess
from scripts.local_cloud.user import eventually
from tests.unit.adapters.test_text_process import CUTTER, PATIENCE, SAILS

process = TextProcess(CUTTER, callers=2)
process.start()
eventually(lambda: process.cut(SAILS), PATIENCE)
print(process.pid, flush=True)
input()
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="a process that nobody waits for is looked up in /proc")
def test_it_dies_with_the_process_that_started_it() -> None:
    root, common = Path(__file__).parents[3], Path(ragbase.__file__).parents[1]
    path = os.pathsep.join(map(str, (common, root)))
    with subprocess.Popen(
        [sys.executable, "-c", STARTER],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        assert is_running(pid)
        starter.kill()
    eventually(lambda: has_ended(pid), PATIENCE)


def has_ended(pid: int) -> bool:
    """Whether it is gone, or dead and nobody has asked how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
