"""The pages of a picture's file in grey, as OCR wants them.

Pillow decodes them. How many pixels a picture has is known before any of them is decoded.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PIL import Image, ImageOps

from ragbase.formats.grey_picture import MOST_PIXELS, Picture
from ragbase.formats.unreadable import Damaged, TooLarge

if TYPE_CHECKING:
    from collections.abc import Iterator

DECODERS = {"jpeg": ("JPEG", "MPO"), "tiff": ("TIFF",)}
"""Pillow's names of the formats whose name is another than ours."""

PAGED = "tiff"
"""The format whose pictures are the pages of a document. Those of others are a film, or smaller forms of the first."""

FEW_PIXELS = 1_500_000
"""A smaller picture is most likely one of a screen, whose letters are a third as high as Tesseract wants them
(tesseract-ocr.github.io/tessdoc/ImproveQuality.html)."""
ENLARGED = 3
LARGEST_SIDE = 32_000
"""Pixels. Tesseract takes 32,767."""
ORIENTATION = 0x0112
"""The tag of EXIF that says how a camera was held."""
ON_ITS_SIDE = (5, 6, 7, 8)
WHITE, BLACK = 255, 0
TRANSPARENT = ("RGBA", "LA", "PA")
GREYS = ("1", "L", "I", "I;16", "I;16L", "I;16B", "I;16N", "F")


class Frames:
    """The `pages` of a file. Raises Damaged and TooLarge, as its methods do."""

    def __init__(self, data: bytes, format: str, max_pixels: int) -> None:
        Image.MAX_IMAGE_PIXELS = None  # our own limit holds
        self._max_pixels = max_pixels
        with _decoding():
            self._image = Image.open(io.BytesIO(data), formats=DECODERS.get(format, (format.upper(),)))
            self.pages: int = getattr(self._image, "n_frames", 1) if format == PAGED else 1

    def page(self, index: int) -> Picture:
        with _decoding():
            self._image.seek(index)
            width, height = self._image.size
            if width * height > self._max_pixels:
                raise TooLarge
            if self._image.format == "JPEG":
                self._image.draft("L", _within(width, height))
            return _picture(_grey(ImageOps.exif_transpose(self._image)))

    def size(self, index: int) -> tuple[int, int]:
        """The width and the height of the page as people see it, in pixels. It is not decoded for that."""
        with _decoding():
            self._image.seek(index)
            width, height = self._image.size
            return (height, width) if self._image.getexif().get(ORIENTATION) in ON_ITS_SIDE else (width, height)

    def shown(self, index: int, width: int, most_pixels: int) -> Image.Image:
        """The page as people see it, in grey or in colours. It is at most `width` pixels wide, has at most about
        `most_pixels`, and is never enlarged."""
        with _decoding():
            self._image.seek(index)
            if self._image.width * self._image.height > self._max_pixels:
                raise TooLarge
            if self._image.format == "JPEG":
                self._image.draft("RGB", (2 * width, 2 * width))
            image = ImageOps.exif_transpose(self._image)
            image = _grey(image) if image.mode in GREYS else _in_colours(image)
            scale = min(1.0, width / image.width, (most_pixels / (image.width * image.height)) ** 0.5)
            if scale < 1:
                size = max(round(image.width * scale), 1), max(round(image.height * scale), 1)
                image = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2)
            return image


@contextmanager
def _decoding() -> Iterator[None]:
    try:
        yield
    except (MemoryError, TooLarge):
        raise
    except Exception as error:  # a decoder raises whatever a damaged file makes of it
        raise Damaged from error


def _grey(image: Image.Image) -> Image.Image:
    """What is transparent is white, or black where all that is there is light."""
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        low, high = (float(value) for value in image.getextrema() if not isinstance(value, tuple))
        scale = WHITE / (high - low) if high > low else 0.0
        return image.point(lambda value: value * scale - low * scale).convert("L")
    if image.mode not in TRANSPARENT and "transparency" not in image.info:
        return image.convert("L")
    layered = image.convert("LA")
    grey, alpha = layered.getchannel("L"), layered.getchannel("A")
    is_light = grey.histogram(alpha.point(lambda value: value > WHITE // 2 and WHITE, "1"))
    ground = BLACK if sum(is_light[:192]) < sum(is_light) * 0.05 else WHITE
    return Image.composite(grey, Image.new("L", grey.size, ground), alpha)


def _in_colours(image: Image.Image) -> Image.Image:
    if image.mode not in TRANSPARENT and "transparency" not in image.info:
        return image.convert("RGB")
    layered = image.convert("RGBA")
    ground = Image.new("RGBA", image.size, (WHITE, WHITE, WHITE, WHITE))
    return Image.alpha_composite(ground, layered).convert("RGB")


def _picture(image: Image.Image) -> Picture:
    width, height = image.size
    small = width * height < FEW_PIXELS
    scale = ENLARGED if small else min(1.0, (MOST_PIXELS / (width * height)) ** 0.5)
    scale = min(scale, LARGEST_SIDE / max(width, height))
    if scale != 1:
        size = max(round(width * scale), 1), max(round(height * scale), 1)
        image = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2 if scale < 1 else None)
    return Picture(image.tobytes(), image.width, image.height, image.width)


def _within(width: int, height: int) -> tuple[int, int]:
    """The size that OCR wants of a large picture: a JPEG need not be decoded in full."""
    scale = min(1.0, (MOST_PIXELS / (width * height)) ** 0.5)
    return max(int(width * scale), 1), max(int(height * scale), 1)
