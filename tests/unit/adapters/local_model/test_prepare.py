"""A model is made once, whole and right, or a line says what is missing."""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ragbase.adapters.e5.embedder import E5
from ragbase.adapters.local_model.model import GRAPH, TOKENIZER, LocalModel, checked_files
from ragbase.adapters.local_model.prepare import prepare
from ragbase.adapters.minilm.embedder import MINILM
from ragbase.domain.errors import ConfigurationError
from ragbase.extras import install_command

MADE = {GRAPH: b"products", TOKENIZER: b"pieces"}


def small(make: dict[str, bytes] = MADE) -> LocalModel:
    return replace(
        MINILM,
        folder="small",
        files={name: hashlib.sha256(data).hexdigest() for name, data in MADE.items()},
        make=lambda: make,
    )


def test_it_is_made_once(tmp_path: Path) -> None:
    folder = prepare(small(), tmp_path)

    assert {name: path.read_bytes() for name, path in checked_files(small(), folder).items()} == MADE
    assert prepare(small({}), tmp_path) == folder, "it is there"
    assert sorted(path.name for path in folder.iterdir()) == sorted(MADE)


def test_another_result_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"model\.onnx was made with sha256 .* is right\. Install the versions"
    ):
        prepare(small({**MADE, GRAPH: b"other products"}), tmp_path)

    assert list((tmp_path / "small").iterdir()) == []


@pytest.mark.parametrize("model", [MINILM, E5])
def test_the_extra_that_is_missing_is_named(model: LocalModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)

    with pytest.raises(
        ConfigurationError, match=re.escape(f"needs onnx. Install it with: {install_command('minilm-export')}")
    ):
        prepare(model, tmp_path)


def test_a_file_that_is_another_one_is_damaged(tmp_path: Path) -> None:
    folder = prepare(small(), tmp_path)
    (folder / TOKENIZER).write_bytes(b"other pieces")

    with pytest.raises(ConfigurationError, match=r"tokenizer\.json is damaged.*Delete it"):
        checked_files(small(), folder)
