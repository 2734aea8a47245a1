"""What a bad file does to itself and to others: each code of the contract by a real file, and readers that hang."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ConfigurationError, ErrorCode
from ragbase.domain.identity import document_id
from ragbase.domain.object_event import EventKind
from ragbase.engine.lanes import lanes
from ragbase.engine.wait import Mailbox
from ragbase.formats.office import office
from ragbase.formats.pdf import pdf
from ragbase.formats.sandbox import protections, run
from ragbase.formats.sandbox.protections import Kernel
from ragbase.interfaces.cli.checks import check_all
from ragbase.pipeline.route import route
from tests.office_documents import DOCUMENTS, encrypted_package
from tests.unit.formats.pdf.pdf_files import pdf as pdf_file

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data" / "pdf"
TEXT = "The wind fills the sail and the boat begins to move, and then it turns."
GOOD = pdf_file([(10, TEXT)])
PATIENCE = 60
"""Seconds after which a document does not come to its end."""

OpenProfile = Callable[..., Profile]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenProfile]:
    profiles: list[Profile] = []

    def open(**settings: object) -> Profile:
        config = load_config(environment={}, home=tmp_path / "home", embedder="hashing", **settings)
        profiles.append(open_profile(config))
        return profiles[-1]

    yield open
    for profile in profiles:
        profile.close()


def put(profile: Profile, name: str, data: bytes) -> str:
    """The id of the document."""
    route(profile.bucket.put(name, data).event(EventKind.FINALISED), profile)
    return document_id(profile.bucket.name, name)


def ended(profile: Profile, *ids: str) -> list[Document]:
    """The records of these documents, as soon as none needs work any more."""
    settled: Mailbox[str] = Mailbox()
    with lanes(profile, settled.put, routes=False):
        return [wait_for(profile, id, settled) for id in ids]


def wait_for(profile: Profile, id: str, settled: Mailbox[str]) -> Document:
    for _ in range(PATIENCE):
        record = profile.documents.get(id)
        assert record is not None
        if not record.needs_work:
            return record
        settled.get()
    raise AssertionError(f"The document {id} has not ended.")


def script(folder: Path, text: str) -> Path:
    path = folder / "reader.py"
    path.write_text(text)
    return path


def test_every_code_is_reached_by_a_real_file(opened: OpenProfile) -> None:
    profile = opened(allowed_formats="standard,docx,odt")
    files = {
        "password.pdf": (DATA / "password.pdf").read_bytes(),
        "password.docx": encrypted_package(),
        "cut.pdf": GOOD[: len(GOOD) // 3],
        "cut.docx": DOCUMENTS["docx"][:500],
        "packed.odt": b"PK\x03\x04" + bytes(500),
        "other.xlsx": DOCUMENTS["xlsx"],
        "program.txt": b"MZ\x90\x00\x03" * 20,
        "good.pdf": GOOD,
        "good.docx": DOCUMENTS["docx"],
    }
    records = ended(profile, *(put(profile, name, data) for name, data in files.items()))
    codes = {record.name: record.failure.code if record.failure else record.status for record in records}
    assert codes == {
        "password.pdf": ErrorCode.PASSWORD_PROTECTED,
        "password.docx": ErrorCode.PASSWORD_PROTECTED,
        "cut.pdf": ErrorCode.CORRUPT_FILE,
        "cut.docx": ErrorCode.CORRUPT_FILE,
        "packed.odt": ErrorCode.CORRUPT_FILE,
        "other.xlsx": ErrorCode.UNSUPPORTED_FORMAT,
        "program.txt": ErrorCode.UNSUPPORTED_FORMAT,
        "good.pdf": Status.COMPLETED,
        "good.docx": Status.COMPLETED,
    }


@pytest.mark.parametrize(
    ("crash", "expected"),
    [
        ("import os; os.abort()", (ErrorCode.CORRUPT_FILE, "extract_memory")),
        ("import time; time.sleep(600)", (ErrorCode.TIMEOUT, "extract_timeout")),
    ],
    ids=["crash", "hang"],
)
def test_a_reader_that_breaks_ends_its_document_and_names_the_setting(
    opened: OpenProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crash: str, expected: tuple[ErrorCode, str]
) -> None:
    profile = opened(allowed_formats="pdf,docx,txt", extract_timeout=1)
    for reader in (pdf, office):
        monkeypatch.setattr(reader, "CHILD_PROCESS", script(tmp_path, crash))
    ids = [put(profile, name, data) for name, data in (("a.pdf", GOOD), ("b.docx", DOCUMENTS["docx"]))]
    for record in ended(profile, *ids):
        assert record.status is Status.FAILED and record.failure is not None
        code, setting = expected
        assert record.failure.code is code
        assert f"setting {setting}" in record.failure.reason


def test_a_fault_of_our_own_is_tried_again_and_then_internal(
    opened: OpenProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "CHILD_PROCESS", script(tmp_path, "raise ValueError('a bug of ours')"))
    profile = opened()
    (record,) = ended(profile, put(profile, "good.pdf", GOOD))
    assert record.status is Status.FAILED and record.failure is not None
    assert record.failure.code is ErrorCode.INTERNAL_ERROR
    assert "a bug of ours" in record.failure.reason
    assert record.attempts == 4


def test_a_reader_that_hangs_holds_up_no_other_document(
    opened: OpenProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader of one file waits until the others are searchable, for as long as it takes."""
    gate = tmp_path / "gate"
    child = f"""
import io, os, sys, time
data = sys.stdin.buffer.read()
while b"hangs" in data and not os.path.exists({str(gate)!r}):
    time.sleep(0.01)
sys.stdin = io.TextIOWrapper(io.BytesIO(data))
exec({pdf.CHILD_PROCESS.read_text()!r})
"""
    monkeypatch.setattr(pdf, "CHILD_PROCESS", script(tmp_path, child))
    profile = opened()
    hangs = put(profile, "hangs.pdf", GOOD + b"\n% hangs")
    others = [put(profile, name, data) for name, data in (("a.pdf", GOOD), ("b.md", TEXT.encode()), ("c.pdf", GOOD))]
    settled: Mailbox[str] = Mailbox()
    with lanes(profile, settled.put, routes=False):
        for id in others:
            assert wait_for(profile, id, settled).status is Status.COMPLETED
        record = profile.documents.get(hangs)
        assert record is not None and record.needs_work
        gate.touch()
        assert wait_for(profile, hangs, settled).status is Status.COMPLETED


def test_nothing_is_read_where_less_holds_than_is_required(
    opened: OpenProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = opened(sandbox="required")
    id = put(profile, "good.pdf", GOOD)
    with monkeypatch.context() as older:
        older.setattr(protections, "this_kernel", lambda: Kernel(0, has_filters=True))
        with pytest.raises(ConfigurationError, match="sandbox"):
            ended(profile, id)
    monkeypatch.setattr(protections, "this_kernel", lambda: Kernel(7, has_filters=True))
    assert ended(profile, id)[0].status is Status.COMPLETED


@pytest.mark.parametrize(
    ("kernel", "found", "is_ok"),
    [
        (Kernel(7, has_filters=True), "holds: environment, privileges, reading", True),
        (Kernel(0, has_filters=True), "does not hold: reading", False),
    ],
)
def test_the_doctor_tries_what_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: Kernel, found: str, is_ok: bool
) -> None:
    monkeypatch.setattr(run, "this_kernel", lambda: kernel)
    config = load_config(environment={}, home=tmp_path / "home", embedder="hashing", sandbox="required")
    (check,) = (check for check in check_all(lambda: config) if check.name == "sandbox")
    assert check.found.startswith(found)
    assert (check.ok, check.needed) == (is_ok, True)
    assert is_ok or "opens no file but its libraries" in (check.remedy or "")
