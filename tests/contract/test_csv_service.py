"""The contract of the CSV service (docs/contracts/csv-service.md), sentence by sentence, over every vector store."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ragbase import load_config
from ragbase.chunking.chunker import MarkdownChunker
from ragbase.csv_service import (
    CsvDocument,
    CsvDocumentLoader,
    CsvKnowledgeBase,
    CsvProperties,
    RagProperties,
    RagService,
    VectorStoreInitializer,
    VectorStoreProperties,
)
from ragbase.domain.errors import ConfigurationError, PermanentError, Unavailable
from tests.contract.csv_worlds import WORLDS, CsvWorld, csv_world
from tests.contract.real_servers import in_prove

ROWS = (
    "How do I request leave?,Ask your manager by mail ten days before.",
    "Where is the printer?,In the corridor behind the kitchen.",
    '"When is payday, exactly?","On the 25th, or the Friday before."',
)


@pytest.fixture(params=in_prove(WORLDS))
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CsvWorld]:
    with csv_world(request.param, tmp_path) as world:
        world.write(*ROWS)
        yield world


@pytest.fixture
def here(tmp_path: Path) -> Iterator[CsvWorld]:
    """For what does not depend on the store."""
    with csv_world("memory", tmp_path) as world:
        world.write(*ROWS)
        yield world


@pytest.fixture(autouse=True)
def _logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ragbase")


def logged(caplog: pytest.LogCaptureFixture, action: str) -> list[dict[str, Any]]:
    found = [
        {"level": one.levelname, "text": one.getMessage(), **vars(one)["fields"]}
        for one in caplog.records
        if vars(one).get("action") == action
    ]
    caplog.clear()
    return found


# Section 1: CsvDocumentLoader


def test_each_row_is_a_document_with_the_names_of_the_header(here: CsvWorld) -> None:
    documents = here.process().loader.load_documents()

    assert [document.content for document in documents] == [
        "question: How do I request leave?\nanswer: Ask your manager by mail ten days before.",
        "question: Where is the printer?\nanswer: In the corridor behind the kitchen.",
        "question: When is payday, exactly?\nanswer: On the 25th, or the Friday before.",
    ]
    assert {document.similarity_score for document in documents} == {None}


def test_metadata_has_source_row_and_timestamp_and_the_fields(here: CsvWorld) -> None:
    documents = here.process().loader.load_documents()

    assert [document.metadata["row"] for document in documents] == [1, 2, 3]
    assert {document.metadata["source"] for document in documents} == {str(here.file)}
    assert {datetime.fromisoformat(document.metadata["timestamp"]) for document in documents} == {here.clock.now()}
    assert documents[1].metadata["question"] == "Where is the printer?"


def test_loading_alone_changes_no_store(here: CsvWorld) -> None:
    process = here.process()
    process.loader.load_documents()
    assert not process.initializer.is_initialized()
    assert here.embedder.texts == []


def test_a_reload_replaces_the_rows(world: CsvWorld) -> None:
    process = world.process().start()
    world.write("Where is the lift?,Beside the entrance.", ROWS[0])

    process.loader.reload_documents()

    assert [text.splitlines()[0] for _, text in world.shown] == [
        "question: Where is the lift?",
        "question: How do I request leave?",
    ]
    assert process.rows("Where is the lift?") == [1]
    assert process.rows("How do I request leave?") == [2]
    assert process.rows("Where is the printer?") == []
    assert world.held == 2


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("frage;antwort\nWo ist die Küche?;Im Flur, ganz hinten\n", "utf-8"),
        ("frage;antwort\nWo ist die Küche?;Im Flur, ganz hinten\n", "utf-16"),
        ("frage\tantwort\nWo ist die Küche?\tIm Flur, ganz hinten\n", "utf-8-sig"),
        ("frage|antwort\nWo ist die Küche?|Im Flur, ganz hinten\n", "utf-8"),
    ],
)
def test_delimiter_and_encoding_are_detected(here: CsvWorld, text: str, encoding: str) -> None:
    here.file.write_bytes(text.encode(encoding))
    (document,) = here.process().loader.load_documents()
    assert document.content == "frage: Wo ist die Küche?\nantwort: Im Flur, ganz hinten"


def test_delimiter_and_encoding_can_be_set(here: CsvWorld) -> None:
    here.file.write_bytes("a;b,c\nπ;1,2\n".encode("iso8859-7"))
    here.settings = {"delimiter": ",", "encoding": "ISO-8859-7"}
    (document,) = here.process().loader.load_documents()
    assert document.content == "a;b: π;1\nc: 2"


def test_equal_names_in_the_header_are_told_apart(here: CsvWorld) -> None:
    here.write("1,2,3,4", header="note,note,note (2),row")
    (document,) = here.process().loader.load_documents()
    assert document.content == "note: 1\nnote (2): 2\nnote (2) (2): 3\nrow: 4"
    assert document.metadata["row"] == 1


# Section 2: RagService


def test_search_finds_rows_with_scores_best_first(world: CsvWorld) -> None:
    service = world.process().start().service

    found = service.search("Where is the printer?")

    assert found[0].content.startswith("question: Where is the printer?")
    assert found[0].metadata == {
        "source": str(world.file),
        "row": 2,
        "timestamp": world.clock.now().isoformat(),
        "question": "Where is the printer?",
        "answer": "In the corridor behind the kitchen.",
    }
    scores = [document.similarity_score or 0 for document in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0.7 <= score <= 1 for score in scores)


def test_top_k_is_the_most_and_by_default_that_of_the_settings(world: CsvWorld) -> None:
    world.write(*(f"Where is the printer of floor {floor}?,Room {floor}" for floor in range(1, 10)))
    service = world.process().start().service
    assert len(service.search("Where is the printer?")) == 5
    assert len(service.search("Where is the printer?", top_k=2)) == 2
    assert len(service.search("Where is the printer?", 9)) == 9


def test_the_threshold_comes_from_the_settings(here: CsvWorld) -> None:
    here.search_settings = VectorStoreProperties(similarity_threshold=0)
    everything = here.process().start().service.search("printer")
    scores = [document.similarity_score or 0 for document in everything]
    assert len(scores) == 3 and scores[0] > scores[1]
    here.search_settings = VectorStoreProperties(similarity_threshold=scores[0])
    assert len(here.process().service.search("printer")) == 1


def test_a_question_about_something_else_finds_nothing(world: CsvWorld) -> None:
    service = world.process().start().service
    assert service.search("How many moons does Jupiter have?") == []
    assert service.get_context("How many moons does Jupiter have?") == ""


def test_what_makes_no_sense_is_refused_and_a_blank_query_finds_nothing(here: CsvWorld) -> None:
    service = here.process().start().service
    assert service.search(" ") == []
    with pytest.raises(ValueError, match="top_k"):
        service.search("printer", top_k=0)


def test_the_context_has_the_rows_that_were_found(world: CsvWorld) -> None:
    service = world.process().start().service
    assert service.get_context("Where is the printer?") == (
        f"[{world.file}, row 2]\nquestion: Where is the printer?\nanswer: In the corridor behind the kitchen."
    )


def test_equal_rows_are_found_once_and_rows_that_share_a_text_each(here: CsvWorld) -> None:
    here.write("printer,first", "printer,first", "printer,second", header="topic,note")
    process = here.process(TopicLoader).start()
    found = process.service.search("printer")
    assert [(one.metadata["row"], one.metadata["note"]) for one in found] == [(1, "first"), (3, "second")]
    assert here.embedder.texts == ["printer"]


class TopicLoader(CsvDocumentLoader):
    def format_row_as_content(self, row: Mapping[str, str]) -> str:
        return row["topic"]


def test_a_long_row_is_split_and_its_passages_know_the_row(world: CsvWorld) -> None:
    long = " ".join(f"Sentence {number} tells of boats." for number in range(200))
    world.write(ROWS[0], f"Tell me of the Zanzibar ferry,{long} The harbour master is called Ximena.")
    process = world.process().start()

    (found, *_) = process.service.search("Who is the harbour master called Ximena?")

    assert found.metadata["row"] == 2
    assert "Ximena" in found.content and len(found.content) <= 1000
    assert "answer" not in found.metadata  # too long to be repeated with each result
    assert 2 in process.rows("Zanzibar ferry")
    assert all(len(text) <= 1000 + len("question: Tell me of the Zanzibar ferry\n") for text in world.embedder.texts)
    world.write(ROWS[0])
    process.start()
    assert world.held == 1


# Section 3: VectorStoreInitializer


def test_initialize_fills_the_store_and_may_be_called_again(world: CsvWorld) -> None:
    process = world.process()
    assert not process.initializer.is_initialized()
    process.start()
    assert process.initializer.is_initialized()
    assert len(world.embedder.taken()) == 3
    before = process.store.version

    process.start()
    world.process().start()

    assert world.embedder.taken() == []
    assert process.store.version == before
    assert [number for number, _ in world.shown] == [1, 2, 3]
    assert world.held == 3


def test_clear_removes_everything(world: CsvWorld) -> None:
    process = world.process().start()
    process.initializer.clear()
    assert not process.initializer.is_initialized()
    assert process.service.search("Where is the printer?") == []
    assert world.held == 0
    process.start()
    assert process.rows("Where is the printer?") == [2]


@pytest.mark.slow
def test_rows_are_added_in_batches_and_progress_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with csv_world("sqlite", tmp_path) as world:
        world.write(*(f"question {number},answer {number}" for number in range(20_500)))
        world.process().start()
        assert world.embedder.largest_batch == world.embedder.max_batch
        assert [entry["rows"] // 10_000 for entry in logged(caplog, "csv.loading")] == [1, 2]


def test_a_changed_file_embeds_changed_rows_only(world: CsvWorld) -> None:
    process = world.process().start()
    world.embedder.taken()
    world.write("Where is the lift?,Beside the entrance.", ROWS[2], ROWS[0])

    process.start()

    assert world.embedder.taken() == ["question: Where is the lift?\nanswer: Beside the entrance."]
    assert process.rows("When is payday, exactly?") == [2]
    assert world.held == 3


def test_other_settings_make_another_index_beside_and_drop_the_first(world: CsvWorld) -> None:
    process = world.process().start()
    other = world.process(chunker=MarkdownChunker(size=100, overlap=0))
    world.embedder.budget = 3 + 1
    world.write(*ROWS, *(f"filler {number},{'long words ' * 20}" for number in range(60)))

    with pytest.raises(Unavailable):
        other.start()
    assert process.rows("Where is the printer?") == [2]

    world.embedder.budget = 1_000
    other.start()
    assert process.rows("Where is the printer?") == [2]
    assert len(process.service.search("filler 7")) > 0
    assert len(world.indexes().all()) == 1


def test_a_change_of_metadata_costs_no_embedding(here: CsvWorld) -> None:
    here.write("printer,old", header="topic,note")
    here.process(TopicLoader).start()
    here.embedder.taken()
    here.write("printer,new", header="topic,note")
    (found,) = here.process(TopicLoader).start().service.search("printer")
    assert found.metadata["note"] == "new"
    assert here.embedder.taken() == []


def test_one_process_at_a_time_loads(here: CsvWorld) -> None:
    first, second = here.process(), here.process()
    before = here.clock.now()
    with first.store.alone():
        first.start()
    second.start()
    assert here.clock.now() == before  # nobody had to wait

    with here.process().store.alone():  # stands still, as a process that was killed
        second.start()
        assert (here.clock.now() - before).total_seconds() >= 10


# Section 4: configuration


def test_defaults_are_the_contracts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    properties = RagProperties.load(environment={})
    assert properties == RagProperties(csv=CsvProperties(), vectorstore=VectorStoreProperties())
    assert properties.csv.path == "classpath:data/knowledge.csv"
    assert (properties.vectorstore.top_k, properties.vectorstore.similarity_threshold) == (5, 0.7)


CONTRACTS_FILE = """\
# application.yml structure
rag:
  csv:
    path: classpath:data/other.csv  # Resource path to CSV
    # TODO: Add delimiter, encoding options if needed

  vectorstore:
    top-k: 7                    # Default number of results
    similarity-threshold: 0.6   # Minimum similarity score

  embedding:
    # TODO: Configure embedding model specifics
"""


@pytest.mark.parametrize("named", [True, False])
def test_settings_come_from_the_contracts_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool) -> None:
    monkeypatch.chdir(tmp_path)
    Path("application.yml").write_text(CONTRACTS_FILE + "spring:\n  main: {}\n", encoding="utf-8")
    properties = RagProperties.load("application.yml" if named else None, environment={})
    assert properties.csv.path == "classpath:data/other.csv"
    assert (properties.vectorstore.top_k, properties.vectorstore.similarity_threshold) == (7, 0.6)


@pytest.mark.parametrize("name", ["top-k", "topK", "top_k"])
def test_a_name_may_be_spelt_as_in_spring(tmp_path: Path, name: str) -> None:
    file = tmp_path / "rag.yml"
    file.write_text(f"rag: {{vectorstore: {{{name}: 9}}}}", encoding="utf-8")
    assert RagProperties.load(file, environment={}).vectorstore.top_k == 9


def test_environment_variables_win(tmp_path: Path) -> None:
    file = tmp_path / "application.yml"
    file.write_text(CONTRACTS_FILE, encoding="utf-8")
    environment = {
        "RAG_CSV_PATH": "data.csv",
        "RAG_CSV_DELIMITER": r"\t",
        "RAG_VECTORSTORE_TOPK": "3",
        "RAG_VECTORSTORE_SIMILARITY_THRESHOLD": "0.25",
    }
    properties = RagProperties.load(file, environment=environment)
    assert properties.csv == CsvProperties(path="data.csv", delimiter="\t")
    assert properties.vectorstore == VectorStoreProperties(top_k=3, similarity_threshold=0.25)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("rag: {csv: {paht: x}}", "rag.csv.paht"),
        ("rag: {vectorstore: {top-k: 0}}", "rag.vectorstore.top_k"),
        ("rag: {vectorstore: {similarity-threshold: 7}}", "similarity_threshold"),
        ("rag: {csv: {delimiter: '::'}}", "delimiter"),
        ("rag: {csv: {encoding: klingon}}", "encoding"),
        ("rag: {embedding: {model: x}}", "RAGBASE_EMBEDDER"),
        ("rag: [1]", "settings by name"),
        ("rag: {", "not YAML"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "application.yml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"application\.yml") as error:
        RagProperties.load(file, environment={})
    assert named in str(error.value)


def test_a_misspelt_variable_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="RAG_CSV_PAHT"):
        RagProperties.load(environment={"RAG_CSV_PAHT": "x"})
    with pytest.raises(ConfigurationError, match=r"missing\.yml"):
        RagProperties.load(tmp_path / "missing.yml", environment={})


def test_the_class_path_is_the_working_folder_and_pythons_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("work/data", "package/data"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.syspath_prepend(tmp_path / "package")
    with csv_world("memory", tmp_path) as world:
        loader = CsvDocumentLoader(CsvProperties(), world.process().store)
        (tmp_path / "package/data/knowledge.csv").write_text("text\npackaged\n", encoding="utf-8")
        assert [document.content for document in loader.load_documents()] == ["text: packaged"]
        Path("data/knowledge.csv").write_text("text\nworking\n", encoding="utf-8")
        assert [document.content for document in loader.load_documents()] == ["text: working"]


# Section 5: the tool


@pytest.fixture
def properties(here: CsvWorld) -> RagProperties:
    return RagProperties(csv=CsvProperties(path=str(here.file)))


def test_the_tool_gives_the_context_or_says_that_there_is_none(tmp_path: Path, properties: RagProperties) -> None:
    config = load_config(home=tmp_path / "home", embedder="hashing")
    with CsvKnowledgeBase(properties, config) as knowledge:
        assert knowledge.search_knowledge("Where is the printer?") == knowledge.service.get_context(
            "Where is the printer?"
        )
        assert "behind the kitchen" in knowledge.search_knowledge("Where is the printer?")
        assert knowledge.search_knowledge("How many moons does Jupiter have?") == "No relevant information found."
        assert knowledge.search_knowledge("") == "No relevant information found."
        assert (knowledge.search_knowledge.__doc__ or "").startswith("Search knowledge base for relevant information")


def test_a_search_without_rows_says_which_were_nearest(world: CsvWorld) -> None:
    world.search_settings = VectorStoreProperties(similarity_threshold=0.9999)
    service = world.process().start().service
    found = service.search("Where is the printer prt-31?")
    assert found == []
    nearest = found.nearest[0]
    assert (nearest.row, nearest.lacks) == (2, ("prt-31",))
    assert 0 < nearest.similarity_score < 0.9999
    assert service.get_context("Where is the printer prt-31?") == ""
    assert service.search(" ").nearest == ()


def test_the_rows_are_apart_from_the_documents(tmp_path: Path, properties: RagProperties) -> None:
    from ragbase import RAGEngine

    config = load_config(home=tmp_path / "home", embedder="hashing")
    with CsvKnowledgeBase(properties, config), RAGEngine(config) as engine:
        assert engine.query("Where is the printer?") == []


# Section 6: errors


def test_a_missing_file_is_a_warning_and_search_finds_nothing(
    world: CsvWorld, caplog: pytest.LogCaptureFixture
) -> None:
    world.file.unlink()
    process = world.process().start()
    (warning,) = logged(caplog, "csv.missing")
    assert warning["level"] == "WARNING" and f"{world.file} is not there" in warning["text"]
    assert process.service.search("Where is the printer?") == []
    assert not process.initializer.is_initialized()
    assert process.loader.load_documents() == []


def test_a_file_that_comes_back_is_not_embedded_again(world: CsvWorld) -> None:
    process = world.process().start()
    data = world.file.read_bytes()
    world.file.unlink()
    process.start()
    assert process.service.search("Where is the printer?") == []
    world.embedder.taken()

    world.file.write_bytes(data)
    process.start()

    assert process.rows("Where is the printer?") == [2]
    assert world.embedder.taken() == []


def test_a_bad_row_is_an_error_with_its_number_and_is_skipped(
    world: CsvWorld, caplog: pytest.LogCaptureFixture
) -> None:
    world.write(ROWS[0], "too,many,values", ROWS[1], "too few", 'broken "quote,"x" y', ROWS[2])
    process = world.process().start()
    errors = logged(caplog, "csv.bad_row")
    assert [(error["level"], error["row"]) for error in errors] == [("ERROR", 2), ("ERROR", 4), ("ERROR", 5)]
    assert errors[0]["text"] == (
        f"{world.file}: row 2 (line 3) is skipped: it has 3 values, but the header has 2 names."
    )
    assert [number for number, _ in world.shown] == [1, 3, 6]
    assert process.rows("Where is the printer?") == [3]
    assert [document.metadata["row"] for document in process.loader.load_documents()] == [1, 3, 6]


@pytest.mark.parametrize("text", ["", "question,answer\n", "question,answer\n\n \n", "question,answer\nbad\n"])
def test_an_empty_file_is_a_warning_and_the_store_stays_empty(
    here: CsvWorld, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    here.file.write_text(text, encoding="utf-8")
    process = here.process().start()
    (warning,) = logged(caplog, "csv.empty")
    assert warning["level"] == "WARNING"
    assert not process.initializer.is_initialized()
    assert process.service.search("Where is the printer?") == []
    assert here.held == 0


def test_a_file_that_becomes_empty_empties_the_store(world: CsvWorld) -> None:
    process = world.process().start()
    world.write()
    process.start()
    assert (process.service.search("Where is the printer?"), world.held) == ([], 0)


def test_a_failure_of_the_embedder_is_raised_and_nothing_is_half_indexed(world: CsvWorld) -> None:
    rows = [f"What is item {number}?,It is thing {number}." for number in range(250)]
    world.write(*rows)
    world.embedder.budget = 150
    process = world.process()
    with pytest.raises(Unavailable):
        process.start()
    assert not process.initializer.is_initialized()
    assert process.service.search("What is item 3?") == []

    world.embedder.budget = 1_000
    process.start()
    assert len(world.embedder.taken()) == 250  # none of the first 150 was embedded again
    before = world.shown
    assert len(before) == 250

    world.write(*(row.replace("thing", "object") for row in rows))
    world.embedder.budget = 150
    with pytest.raises(Unavailable):
        process.start()
    assert world.shown == before
    assert all("thing" in document.content for document in process.service.search("What is item 3?"))


def test_a_vector_store_that_is_away_is_raised_at_the_start(here: CsvWorld) -> None:
    here.file.unlink()  # even if there is nothing to load

    class Away:
        def all(self) -> Sequence[object]:
            raise Unavailable("The vector store does not answer.")

    with pytest.raises(Unavailable):
        here.process(indexes=Away()).start()


@pytest.mark.slow
def test_a_vector_store_without_a_server_is_raised_at_the_start(properties: RagProperties) -> None:
    config = load_config(
        profile="gcp", project="p", weaviate_url="http://127.0.0.1:9", cohere_api_key="key", environment={}
    )
    with pytest.raises(Unavailable, match="Weaviate"):
        CsvKnowledgeBase(properties, config)


def test_a_file_that_is_no_text_or_cannot_be_read_is_raised(here: CsvWorld, tmp_path: Path) -> None:
    here.file.write_bytes(bytes(range(256)) * 40)
    with pytest.raises(PermanentError):
        here.process().start()
    here.file = tmp_path
    with pytest.raises(ConfigurationError, match="cannot be read"):
        here.process().start()


# Section 7: extension points


def test_format_row_as_content_decides_what_is_searched(here: CsvWorld) -> None:
    class Answers(CsvDocumentLoader):
        def format_row_as_content(self, row: Mapping[str, str]) -> str:
            return "" if "payday" in row["question"] else row["answer"]

    process = here.process(Answers).start()
    assert [text for _, text in here.shown] == [
        "Ask your manager by mail ten days before.",
        "In the corridor behind the kitchen.",
    ]
    assert process.service.search("kitchen corridor")[0].content == "In the corridor behind the kitchen."


def test_extract_metadata_adds_to_the_metadata(world: CsvWorld) -> None:
    class Tagged(CsvDocumentLoader):
        def extract_metadata(self, row: Mapping[str, str]) -> Mapping[str, Any]:
            return {"words": len(row["question"].split()), "source": "is not replaced"}

    process = world.process(Tagged).start()
    (found, *_) = process.service.search("Where is the printer?")
    assert (found.metadata["words"], found.metadata["source"]) == (4, str(world.file))
    assert process.loader.load_documents()[1].metadata == dict(found.metadata)


def test_format_context_decides_what_a_prompt_shows(here: CsvWorld) -> None:
    class Numbers(RagService):
        def format_context(self, documents: Sequence[CsvDocument]) -> str:
            return "; ".join(f"row {document.metadata['row']}" for document in documents)

    assert here.process(service=Numbers).start().service.get_context("Where is the printer?") == "row 2"


def test_should_reindex_decides_when_the_file_is_read_again(here: CsvWorld) -> None:
    class Never(VectorStoreInitializer):
        def should_reindex(self) -> bool:
            return not self.is_initialized()

    process = here.process(initializer=Never).start()
    here.write(*ROWS, "Where is the lift?,Beside the entrance.")
    process.start()
    assert len(here.shown) == 3
    here.process().start()
    assert len(here.shown) == 4


def test_the_parts_can_be_given_to_the_knowledge_base(tmp_path: Path, properties: RagProperties) -> None:
    class Loud(CsvDocumentLoader):
        def format_row_as_content(self, row: Mapping[str, str]) -> str:
            return row["question"].upper()

    config = load_config(home=tmp_path / "home", embedder="hashing")
    with CsvKnowledgeBase(properties, config, loader=Loud) as knowledge:
        assert "WHERE IS THE PRINTER?" in knowledge.search_knowledge("Where is the printer?")
