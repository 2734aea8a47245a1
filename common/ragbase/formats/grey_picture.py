"""A page as a picture in grey, as OCR reads it."""

from __future__ import annotations

from dataclasses import dataclass

MOST_PIXELS = 12_000_000
"""A larger page is drawn more coarsely. A4 has 8.7 million at 300 dots an inch."""

DARK = bytes(range(128, 256))
"""The values of pixels that are rather white."""
LEAST_INK = 5e-5
"""The share of dark pixels below which a page shows nothing but dust."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page in grey, a byte a pixel, in rows of `stride` bytes."""

    pixels: bytes
    width: int
    height: int
    stride: int

    @property
    def has_ink(self) -> bool:
        return len(self.pixels.translate(None, DARK)) > LEAST_INK * len(self.pixels)
