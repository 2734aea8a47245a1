"""How a form on a PDF page places what is in it (ISO 32000-1, section 8.3.4)."""

from __future__ import annotations

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)

_matrix = pdfium.FS_MATRIX()


def matrix_within(thing: object, outer: Matrix) -> Matrix:
    """That of an object of a page, or of a form that `outer` places."""
    m = _matrix
    if not pdfium.FPDFPageObj_GetMatrix(thing, m):
        return outer
    a, b, c, d, e, f = outer
    return (
        m.a * a + m.b * c,
        m.a * b + m.b * d,
        m.c * a + m.d * c,
        m.c * b + m.d * d,
        m.e * a + m.f * c + e,
        m.e * b + m.f * d + f,
    )
