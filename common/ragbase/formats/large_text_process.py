"""The script that reads one large text: bytes on stdin (see formats/sandbox/answer.py), the name of the format and the
most characters as options.

Its answer is a line of JSON and then the Markdown in UTF-8: with a text that has a hundred million characters, there is
room for few copies. The line has the other fields of the extraction, or `code` and `reason` of why there is none.
"""

from __future__ import annotations

import json
from dataclasses import asdict, astuple

from ragbase.domain.errors import ConfigurationError, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.readers import reader_of
from ragbase.formats.sandbox.answer import answer


def read_text(data: bytes, format: str, max_characters: str) -> bytes:
    try:
        extraction = reader_of(format).extract(
            data, ExtractionLimits(max_text_characters=int(max_characters)), ProcessingConfig()
        )
    except PermanentError as error:
        return json.dumps({"code": error.code, "reason": error.reason}).encode() + b"\n"
    except ConfigurationError as error:
        return json.dumps({"code": None, "reason": str(error)}).encode() + b"\n"
    del data
    head = {
        "entries": extraction.entries,
        "rows": list(extraction.rows),
        "metadata": asdict(extraction.metadata),
        "notes": extraction.notes,
        "left_out": [asdict(text) for text in extraction.left_out],
        "plain_until": extraction.plain_until,
        "sections": None if extraction.sections is None else [astuple(section) for section in extraction.sections],
    }
    return json.dumps(head).encode() + b"\n" + extraction.markdown.encode()


if __name__ == "__main__":
    answer(read_text)
