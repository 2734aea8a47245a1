"""Large texts are read in a process of their own, with the limits of one file, and give the same text there."""

from __future__ import annotations

import json

import pytest

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.limits import LARGE_TEXT
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.readers import READERS
from ragbase.formats.table import FORMATS, lane_of

WORDS = "Der Wind füllt das Segel 風 🌊\u0000 und das Boot fährt los.\r\n"
FILES = {
    "md": f"---\ntitle: Segel\ntags: [a, b]\nweight: 3\n---\n# Segel\n\n{WORDS}".encode() * 40,
    "txt": (WORDS.replace("\0", "") * 40).encode("utf-16"),
    "html": f"<!doctype html><title>Segel</title><main><h1>Segel</h1><p>{WORDS}</main>".encode(),
    "json": json.dumps([{"name": f"boat {n}", "text": WORDS * 9, "of": [n, {"a": None}]} for n in range(30)]).encode(),
    "jsonl": b"\n".join(json.dumps({"n": n, "text": WORDS}).encode() for n in range(30)),
    "csv": f"name,text,empty\nMöwe,{WORDS.strip()},\n".encode() + b'"a\nb",2,3,4\n' * 30,
    "tsv": "name\ttext\nMöwe\tweiß\n".encode("latin-1") * 30,
}
"""With metadata, entries, rows, and notes of what is doubtful in them."""


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.formats.extractor.READ_HERE", 10)


def failure(data: bytes, format: str, limits: ExtractionLimits | None = None) -> PermanentError:
    with pytest.raises(PermanentError) as caught:
        FormatExtractor(limits).extract(data, format, ProcessingConfig())
    return caught.value


@pytest.mark.slow
@pytest.mark.parametrize("format", FILES)
def test_the_text_is_the_same_in_either_process(format: str) -> None:
    apart = FormatExtractor().extract(FILES[format], format, ProcessingConfig())
    here = READERS[format].extract(FILES[format], ExtractionLimits(), ProcessingConfig())
    assert list(apart.rows) == list(here.rows)
    assert (apart.markdown, apart.entries, apart.metadata, apart.notes) == (
        here.markdown,
        here.entries,
        here.metadata,
        here.notes,
    )
    assert (apart.left_out, apart.plain_until) == (here.left_out, here.plain_until)


@pytest.mark.slow
@pytest.mark.parametrize(("data", "format"), [(b'{"a": [1, 2,,]}', "json"), (b"\xff\xfe" + b"a\0\0\0" * 20, "txt")])
def test_a_refusal_is_the_same_in_either_process(data: bytes, format: str) -> None:
    with pytest.raises(PermanentError) as here:
        READERS[format].extract(data, ExtractionLimits(), ProcessingConfig())
    apart = failure(data, format)
    assert (apart.code, apart.reason) == (here.value.code, here.value.reason)


@pytest.mark.slow
def test_want_of_memory_ends_the_document_and_not_the_lane() -> None:
    text = json.dumps(["x" * 1_000_000] * 40).encode()
    error = failure(text, "json", ExtractionLimits(memory_bytes=128 * 1024**2))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    assert "setting extract_memory" in error.reason


def test_a_reader_that_takes_too_long() -> None:
    error = failure(FILES["json"], "json", ExtractionLimits(timeout_seconds=0.001))
    assert error.code is ErrorCode.TIMEOUT
    assert "setting extract_timeout" in error.reason


def test_more_text_than_one_document_may_have() -> None:
    assert failure(FILES["csv"], "csv", ExtractionLimits(max_text_characters=50)).code is ErrorCode.FILE_TOO_LARGE


def test_large_texts_take_the_heavy_lane() -> None:
    for name in ("json", "txt", "md"):
        assert lane_of(FORMATS[name], LARGE_TEXT) is Lane.FAST
        assert lane_of(FORMATS[name], LARGE_TEXT + 1) is Lane.HEAVY
    assert lane_of(FORMATS["pdf"], 1) is Lane.HEAVY
    assert (lane_of(None, 1), lane_of(None, LARGE_TEXT + 1)) == (Lane.FAST, Lane.HEAVY)
