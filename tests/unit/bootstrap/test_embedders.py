"""Which rate an embedder keeps to, by the settings."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ragbase.bootstrap.cloud import CloudProfile
from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.index import index_of
from ragbase.domain.rate import ServiceRate

COHERE = {"CO_API_KEY": "key"}
OPENAI = {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "RAGBASE_EMBEDDER": "openai"}
VERTEX = {"RAGBASE_EMBEDDER": "vertex", "RAGBASE_VERTEX_LOCATION": "europe-west4", "GOOGLE_CLOUD_PROJECT": "project"}
CLOUD = {"RAGBASE_PROFILE": "gcp", "GOOGLE_CLOUD_PROJECT": "project"}


def profile(home: Path, **environment: str) -> closing[Profile]:
    return closing(open_profile(load_config(home=home, environment=environment)))


@pytest.mark.parametrize(
    ("environment", "rate"),
    [
        ({**CLOUD, **COHERE}, ServiceRate(2_000, 0.05)),
        ({**COHERE, "RAGBASE_EMBEDDER": "cohere", "RAGBASE_QUERY_SHARE": "0.5"}, ServiceRate(2_000, 0.5)),
        ({**CLOUD, **COHERE, "RAGBASE_COHERE_RATE": "0"}, None),
        ({**CLOUD, **OPENAI}, None),
        ({**CLOUD, **OPENAI, "RAGBASE_OPENAI_RATE": "40"}, ServiceRate(40, 0.05)),
        ({**CLOUD, **VERTEX}, ServiceRate(10_000, 0.05)),
        ({**VERTEX, "RAGBASE_VERTEX_RATE": "500", "RAGBASE_QUERY_SHARE": "0.2"}, ServiceRate(500, 0.2)),
        ({**VERTEX, "RAGBASE_VERTEX_RATE": "0"}, None),
        ({"RAGBASE_EMBEDDER": "hashing"}, None),
    ],
)
def test_a_service_has_the_rate_of_the_settings_and_a_model_on_this_machine_has_none(
    environment: dict[str, str], rate: ServiceRate | None, tmp_path: Path
) -> None:
    with profile(tmp_path, **environment) as opened:
        assert (opened.rate_limiter.rate if opened.rate_limiter is not None else None) == rate
        if rate is not None:
            assert opened.embedder.max_batch == rate.largest_call(96)


@pytest.mark.parametrize(
    ("environment", "calls"),
    [
        ({**CLOUD, **COHERE}, 1),
        ({**CLOUD, **COHERE, "RAGBASE_COHERE_RATE": "20000"}, 3),
        ({**CLOUD, **COHERE, "RAGBASE_COHERE_RATE": "1000000"}, 4),
        ({**CLOUD, **OPENAI}, 4),
        ({**CLOUD, **VERTEX}, 1),
        ({"RAGBASE_EMBEDDER": "hashing"}, 1),
        ({"RAGBASE_EMBEDDER": "minilm"}, 1),
        ({"RAGBASE_EMBEDDER": "e5"}, 1),
    ],
)
def test_a_document_makes_as_many_calls_at_a_time_as_the_rate_lets_through_in_a_second(
    environment: dict[str, str], calls: int, tmp_path: Path
) -> None:
    with profile(tmp_path, **environment) as opened:
        assert opened.embedder.at_a_time == calls


def test_an_index_that_another_service_has_made_keeps_to_the_rate_of_that_service(tmp_path: Path) -> None:
    """While a reindex builds the next index, both services are in use."""
    index = index_of("made", model="embed-multilingual-v3.0-1024", dimension=1024, language="english")

    with profile(tmp_path, **CLOUD, **COHERE, **OPENAI, RAGBASE_COHERE_RATE="40") as opened:
        assert opened.embedder.max_batch == 96
        assert opened.embedder_for(index).max_batch == 38


def test_an_index_of_vertex_is_asked_there_although_other_services_serve_its_model(tmp_path: Path) -> None:
    with profile(tmp_path, **VERTEX) as opened:
        mine = opened.embedder
        assert (mine.model, mine.dimension) == ("vertex-gemini-embedding-001-768", 768)
    made = index_of("made", model=mine.model, dimension=mine.dimension, language="english")
    theirs = index_of("theirs", model="gemini-embedding-001-768", dimension=768, language="english")

    with profile(tmp_path, **{**OPENAI, **VERTEX, "RAGBASE_EMBEDDER": "openai"}) as opened:
        assert type(opened.embedder_for(made)).__name__ == "VertexEmbedder"
        assert opened.embedder_for(made).model == made.model
        assert type(opened.embedder_for(theirs)).__name__ == "OpenAIEmbedder"
    with profile(tmp_path) as opened, pytest.raises(ConfigurationError, match=r"GOOGLE_CLOUD_PROJECT.* reindex"):
        opened.embedder_for(made)


def test_a_process_that_embeds_nothing_knows_the_model_of_vertex_by_its_name(tmp_path: Path) -> None:
    settings = {
        **CLOUD,
        **VERTEX,
        "RAGBASE_EMBEDDING_MODEL": "text-embedding-005",
        "RAGBASE_EMBEDDING_DIMENSION": "256",
    }
    with profile(tmp_path, **settings) as opened:
        assert isinstance(opened, CloudProfile)
        opened.embeds = False
        assert opened.embedder.model == "vertex-text-embedding-005-256"


@pytest.mark.parametrize("embedder", ["minilm", "e5"])
def test_functions_have_no_model_on_their_machine(embedder: str, tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=f"embedder` is {embedder}.*RAGBASE_EMBEDDER to cohere, openai or vertex"
    ):
        open_profile(load_config(home=tmp_path, environment={**CLOUD, "RAGBASE_EMBEDDER": embedder}))


@pytest.mark.parametrize("embedder", ["hashing", "minilm", "e5"])
def test_an_index_keeps_the_model_on_this_machine_that_has_made_it(embedder: str, tmp_path: Path) -> None:
    with profile(tmp_path, RAGBASE_EMBEDDER=embedder) as opened:
        index = index_of("made", model=opened.embedder.model, dimension=opened.embedder.dimension, language="english")

    with profile(tmp_path, RAGBASE_EMBEDDER="hashing") as opened:
        assert opened.embedder_for(index).model == index.model
