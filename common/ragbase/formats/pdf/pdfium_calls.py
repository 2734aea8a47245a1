"""PDFium's functions that are called often, without what ctypes does around each call."""

from __future__ import annotations

import ctypes

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

HANDLE, INT, POINTER = ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p


def typed(name: str, result: object, *arguments: object) -> ctypes._FuncPointer:
    """A PDFium function with handles as numbers, which can be compared and kept in tables."""
    return ctypes.CFUNCTYPE(result, *arguments)(_address(name))  # type: ignore[arg-type]


def quick(name: str, result: object) -> ctypes._FuncPointer:
    """A PDFium function that is called for each letter or word. It takes handles and pointers as ctypes has them, and
    whole numbers as C's int: to check their types would take as long again. It keeps Python's lock, as it returns
    before another thread could use it."""
    return ctypes.PYFUNCTYPE(result)(_address(name))  # type: ignore[arg-type]


def _address(name: str) -> int | None:
    return ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
