"""Read damaged PDFs and office documents, each in its own process, and look for one that ends in neither text nor a
code, or that outlives its limits.

Each case comes from a number: `--seed N --cases 1` repeats case N. Stops at the first fault, writes the file that shows
it, and prints its seed.
"""

from __future__ import annotations

import argparse
import io
import random
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path

from ragbase.domain.errors import PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from scripts.local_cloud.pdf import pdf
from tests.office_documents import DOCUMENTS
from tests.old_office_documents import OLD_DOCUMENTS

SECONDS = 30.0
"""The time limit of a reader. How much longer a case may take, until its reader is dead, is MARGIN."""
MARGIN = 10.0
SAMPLES = {**DOCUMENTS, **OLD_DOCUMENTS, "pdf": pdf("The wind fills the sail.", "A rope is tied.")}


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/fuzz-documents", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=500, help="how many cases")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first case")
    options = parser.parse_args()
    extractor = FormatExtractor(ExtractionLimits(timeout_seconds=SECONDS))
    ends: Counter[str] = Counter()
    slowest = (0.0, options.seed)
    for seed in range(options.seed, options.seed + options.cases):
        promised, data = make(random.Random(seed))
        start = time.monotonic()
        try:
            ends[read(extractor, promised, data)] += 1
            took = within_limits(time.monotonic() - start)
        except Exception as error:
            file = Path(tempfile.gettempdir()) / f"fuzz-{seed}.{promised}"
            file.write_bytes(data)
            print(f"case {seed}: {promised}, {len(data)} bytes, in {file}: {type(error).__name__}: {error}")
            raise
        slowest = max(slowest, (took, seed))
    print(
        f"{options.cases} cases from {options.seed} on, no fault: {dict(ends.most_common())}; the slowest is "
        f"{slowest[1]}: {slowest[0]:.2f} s"
    )


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


if __name__ == "__main__":
    main()
