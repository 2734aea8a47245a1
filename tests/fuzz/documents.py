"""Damaged PDFs and office documents, each read in its own process: one that ends in neither text nor a code, or that
outlives its limits."""

from __future__ import annotations

import io
import random
import time
import traceback
import zipfile
from collections import Counter

from ragbase.domain.errors import PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from scripts.local_cloud.pdf import pdf
from tests.fuzz.budget import Budget, Finding, Report, kept
from tests.office_documents import DOCUMENTS
from tests.old_office_documents import OLD_DOCUMENTS

SECONDS = 30.0
"""The time limit of a reader. How much longer a case may take, until its reader is dead, is MARGIN."""
MARGIN = 10.0
SAMPLES = {**DOCUMENTS, **OLD_DOCUMENTS, "pdf": pdf("The wind fills the sail.", "A rope is tied.")}


def fuzz(budget: Budget) -> Report:
    """Read a damaged document for each number."""
    report, slowest = Report(), (0.0, budget.seed)
    extractor = FormatExtractor(ExtractionLimits(timeout_seconds=SECONDS))
    ends: Counter[str] = Counter()
    for case in budget.cases(report):
        promised, data = make(random.Random(case))
        start = time.monotonic()
        try:
            ends[read(extractor, promised, data)] += 1
            slowest = max(slowest, (within_limits(time.monotonic() - start), case))
        except Exception as error:  # noqa: BLE001 - it is what we look for
            traceback.print_exc()
            report.add(Finding(case, f"{promised}: {type(error).__name__}: {error}", file=kept(case, promised, data)))
    report.figures |= {"ends": dict(ends.most_common()), "slowest": slowest}
    return report


def within_limits(took: float) -> float:
    if took > SECONDS + MARGIN:
        raise AssertionError(f"it took {took:.0f} s")
    return took


def make(chance: random.Random) -> tuple[str, bytes]:
    """A format that the name promises, and a damaged document: its bytes, or those of a file in it."""
    promised = chance.choice(list(SAMPLES))
    data = SAMPLES[promised]
    if zipfile.is_zipfile(io.BytesIO(data)) and chance.random() < 0.7:
        return promised, repacked(data, chance)
    return promised, damaged(data, chance)


def repacked(data: bytes, chance: random.Random) -> bytes:
    """The archive with one of its files damaged."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        victim = chance.choice(old.namelist())
        for entry in old.infolist():
            content = old.read(entry)
            new.writestr(entry, damaged(content, chance) if entry.filename == victim else content)
    return file.getvalue()


def damaged(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 3, 10))):
        place = chance.randrange(len(changed) + 1)
        match chance.randrange(4):
            case 0:
                changed[place:] = b""
            case 1:
                changed[place : place + chance.randrange(1, 40)] = chance.randbytes(chance.randrange(20))
            case 2:
                changed[place:place] = changed[: chance.randrange(200)] * chance.choice((1, 1, 500))
            case _:
                changed[place : place + 1] = chance.randbytes(1)
    return bytes(changed)


def read(extractor: FormatExtractor, promised: str, data: bytes) -> str:
    """How it ends: `text`, or a code. Raises whatever a reader should not raise."""
    try:
        extraction = extractor.extract(data, extractor.detect(data, promised), ProcessingConfig())
    except PermanentError as error:
        return error.code
    extraction.markdown.encode()
    if "\0" in extraction.markdown:
        raise AssertionError("a NUL is left")
    return "text"
