"""What the settings are when nobody has set them."""

from __future__ import annotations

from pathlib import Path

from ragbase.config import load_config


def test_chunks_of_tokens_have_their_own_default_sizes(tmp_path: Path) -> None:
    config = load_config(home=tmp_path, environment={"RAGBASE_CHUNK_UNIT": "tokens"})
    assert (config.chunk_size, config.chunk_overlap) == (512, 50)
    given = load_config(home=tmp_path, environment={}, chunk_unit="tokens", chunk_size=300)
    assert (given.chunk_size, given.chunk_overlap, given.origin("chunk_size")) == (300, 50, "argument")


def test_on_google_cloud_a_key_for_cohere_makes_cohere_write_answers() -> None:
    gcp = {"RAGBASE_PROFILE": "gcp", "GOOGLE_CLOUD_PROJECT": "project"}
    assert load_config(environment={}).generator == "extractive"
    assert load_config(environment={"CO_API_KEY": "key"}).generator == "extractive"
    assert load_config(environment=gcp).generator == "extractive"
    assert load_config(environment={**gcp, "CO_API_KEY": "key"}).generator == "cohere"
    assert load_config(environment={**gcp, "CO_API_KEY": "key", "RAGBASE_GENERATOR": "extractive"}).generator == (
        "extractive"
    )


def test_a_former_name_still_sets_a_setting(tmp_path: Path) -> None:
    (tmp_path / "ragbase.toml").write_text("pdf_memory = 512\n")
    config = load_config(home=tmp_path, environment={"RAGBASE_PDF_TIMEOUT": "20"})
    assert (config.extract_memory, config.extract_timeout) == (512, 20)
    assert config.origin("extract_timeout") == "RAGBASE_PDF_TIMEOUT"
    both = {"RAGBASE_PDF_TIMEOUT": "20", "RAGBASE_EXTRACT_TIMEOUT": "30"}
    assert load_config(home=tmp_path, environment=both).extract_timeout == 30
    assert load_config(home=tmp_path, environment={}, pdf_memory=300).extract_memory == 300
