"""What every format promises: the formats of texts and tables, which this process reads."""

from __future__ import annotations

import pytest

from ragbase.formats.added import AddedFormat
from ragbase.formats.readers import READERS
from ragbase.formats.table import OURS, STANDARD
from ragbase.testing.contracts.format import FormatContract, Sample

SAMPLES = {
    "html": Sample(b"<!doctype html><title>Log</title><h1>Harbour</h1><p>The ferry leaves.</p>", ("Harbour", "ferry")),
    "jsonl": Sample(b'{"ship": "Ann"}\n{"ship": "Bea"}\n', ("Ann", "Bea")),
    "json": Sample(b'{"ships": [{"name": "Ann"}, {"name": "Bea"}]}', ("ships", "Ann", "Bea")),
    "md": Sample(b"# Harbour\n\nThe ferry leaves.\n", ("Harbour", "The ferry leaves.")),
    "tsv": Sample(b"ship\tport\nAnn\tRiga\nBea\tTurku\n", ("Ann", "Riga", "Bea", "Turku")),
    "csv": Sample(b"ship,port\nAnn,Riga\nBea,Turku\n", ("Ann", "Riga", "Bea", "Turku")),
    "txt": Sample("Die Fähre fährt.\n\nJeden Tag.".encode(), ("Die Fähre fährt.", "Jeden Tag.")),
    "ipynb": Sample(
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", "metadata": {}, '
        b'"source": ["# Tides"]}, {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["print(1)"]}]}',
        ("Tides", "print(1)"),
    ),
    "xml": Sample(b"<?xml version='1.0'?><ships><ship>Ann</ship><ship>Bea</ship></ships>", ("Ann", "Bea")),
    "man": Sample(b".TH FERRY 1\n.SH NAME\nferry \\- crosses water\n", ("NAME", "crosses water")),
    "adoc": Sample(b"= Harbour\n\nThe ferry leaves.\n\n== Times\n\nAt noon.\n", ("Harbour", "leaves", "Times", "noon")),
    "rst": Sample(b"Harbour\n=======\n\nThe ferry leaves.\n", ("Harbour", "The ferry leaves.")),
    "org": Sample(b"* Harbour\nThe ferry leaves.\n** Times\nAt noon.\n", ("Harbour", "leaves", "Times", "noon")),
    "tex": Sample(
        b"\\documentclass{article}\n\\begin{document}\n\\section{Harbour}\nThe ferry leaves.\n\\end{document}\n",
        ("Harbour", "The ferry leaves."),
    ),
    "yaml": Sample(b"ships:\n  - name: Ann\n  - name: Bea\n", ("ships", "Ann", "Bea")),
    "config": Sample(b"[harbour]\nferry = 'noon'\n", ("harbour", "ferry", "noon")),
    "log": Sample(b"2026-01-01 12:00:00 INFO ferry left\n2026-01-01 13:00:00 INFO ferry back\n", ("left", "back")),
    "code": Sample(b"def leave():\n    return 'noon'\n", ("def leave", "noon")),
}


@pytest.fixture(params=SAMPLES, scope="module")
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def added(name: str) -> AddedFormat:
    return AddedFormat(format=OURS[name], reader=READERS[name])


@pytest.fixture(scope="module")
def sample(name: str) -> Sample:
    return SAMPLES[name]


def test_every_standard_format_but_pdf_has_a_sample() -> None:
    """PDFs, office documents and pictures are read by processes of their own, and have suites of their own."""
    assert SAMPLES.keys() == STANDARD - {"pdf"}


class TestFormats(FormatContract):
    """Each of these."""
