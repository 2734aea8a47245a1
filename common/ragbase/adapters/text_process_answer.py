"""What the text process answers, taken with care: a file may have taken it over, and a pickle can call anything."""

from __future__ import annotations

import io
import pickle
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragbase.pipeline.cut_text import CutText

LONGEST = 512 * 1024 * 1024
"""Bytes: a text of 4 MB in passages of 50 characters has 80,000 vectors of 1.5 KB."""

OF_AN_ANSWER = {
    ("array", "_array_reconstructor"),
    ("array", "array"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("ragbase.domain.chunk", "Passage"),
    ("ragbase.domain.extraction", "Extraction"),
    ("ragbase.domain.extraction", "Section"),
    ("ragbase.domain.left_out", "LeftOut"),
    ("ragbase.domain.metadata", "DocumentMetadata"),
    ("ragbase.pipeline.cut_text", "CutText"),
}
"""All that is called to make one: values, lists of numbers, and nothing that does anything."""


def receive(connection: Connection) -> CutText | None:
    """Raises UnpicklingError for what is no answer, OSError for one that is too long, and EOFError at the end."""
    try:
        answer = _Answer(io.BytesIO(connection.recv_bytes(LONGEST))).load()
    except (EOFError, OSError, pickle.UnpicklingError):
        raise
    except Exception as error:  # a pickle can be wrong in every way
        raise pickle.UnpicklingError(f"It is no answer: {type(error).__name__}") from error
    from ragbase.pipeline.cut_text import CutText

    if answer is not None and not isinstance(answer, CutText):
        raise pickle.UnpicklingError(f"It is no text: {type(answer).__name__}")
    return answer


class _Answer(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        if (module, name) not in OF_AN_ANSWER:
            raise pickle.UnpicklingError(f"An answer has no {module}.{name}.")
        return super().find_class(module, name)
