"""What the build of Weaviate leaves out of its source code."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.local_cloud.weaviate_build import leave_out_modules

SOURCE = """package rest

import (
	"github.com/weaviate/weaviate/usecases/modules"
	modaws "github.com/weaviate/weaviate/modules/text2vec-aws"
	modgoogle "github.com/weaviate/weaviate/modules/text2vec-google"
	modelsext "github.com/weaviate/weaviate/entities/modelsext"
)

func registerModules(state *State) {
	state.Modules = modules.NewProvider(modelsext.Name)
	enabled := []string{modaws.Name, modgoogle.LegacyName}
	if _, ok := enabledModules[modaws.Name]; ok {
		appState.Modules.Register(modaws.New())
	}
}
"""
LEFT = """package rest

import (
	"github.com/weaviate/weaviate/usecases/modules"
	modelsext "github.com/weaviate/weaviate/entities/modelsext"
)

func registerModules(state *State) {
	state.Modules = modules.NewProvider(modelsext.Name)
	enabled := []string{"", ""}
	if _, ok := enabledModules[""]; ok {
	}
}
"""


def test_modules_are_left_out_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "configure_api.go"
    file.write_text(SOURCE, encoding="utf-8")

    leave_out_modules(file)

    assert file.read_text(encoding="utf-8") == LEFT


def test_a_file_without_modules_is_of_another_weaviate(tmp_path: Path) -> None:
    file = tmp_path / "configure_api.go"
    file.write_text(LEFT, encoding="utf-8")

    with pytest.raises(ValueError, match="imports no modules"):
        leave_out_modules(file)
