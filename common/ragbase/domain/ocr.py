"""Which pages are read as pictures (OCR), and the languages that may stand there."""

from __future__ import annotations

import re
from enum import StrEnum

_LANGUAGE = "[a-z]{2,3}(_[A-Za-z_]{2,20})?"
OCR_LANGUAGES = f"^{_LANGUAGE}(,{_LANGUAGE}){{0,9}}$"
"""Languages with commas between them, each as in ISO 639-1 (en) or in Tesseract (eng, chi_sim)."""

DEFAULT_OCR_LANGUAGES = ("en", "vi")
"""Where neither the uploader nor a setting names others."""


class OcrMode(StrEnum):
    AUTO = "auto"
    FORCE = "force"
    NEVER = "never"


def ocr_languages(text: str) -> tuple[str, ...]:
    """The languages in a list with commas. Raises ValueError for what is no such list."""
    if not re.match(OCR_LANGUAGES, text):
        raise ValueError(f"{text[:40]!r} does not name languages as en,vi does")
    return tuple(text.split(","))
