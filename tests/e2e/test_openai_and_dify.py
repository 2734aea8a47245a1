"""The official Python package of OpenAI, and what Dify sends, against `ragbase serve`: all that docs/openai-and-dify.md
tells to paste, and the errors that the package raises."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import openai
import pytest

from ragbase import Client
from ragbase.domain.document import Status
from tests.e2e.command_line import TIMEOUT, CommandLine
from tests.e2e.test_access import hashed, serving, settings
from tests.functions.foreign_schemas import validated
from tests.page_blocks import blocks_of

GUIDE = "# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
QUESTION = "When does the nightly backup start?"

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Served:
    """A server with one document, guides/backup.md, and a key that may read."""

    ragbase: CommandLine
    url: str
    key: str

    def client(self, key: str | None = None) -> openai.OpenAI:
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key=key or self.key, max_retries=0, timeout=TIMEOUT)

    def shown(self, block: str) -> str:
        """A block of the page for this server."""
        assert "http://127.0.0.1:8080" in block and "KEY" in block
        return block.replace("http://127.0.0.1:8080", self.url).replace("KEY", self.key)


def new_key(ragbase: CommandLine, *options: str) -> str:
    return str(ragbase.call("keys", "create", "robot", *options, "--json").json["key"])


@contextmanager
def served_in(home: Path) -> Iterator[Served]:
    ragbase = CommandLine(home)
    settings(ragbase, password_hash=hashed(), similarity_threshold=0.0)
    with serving(ragbase) as announced:
        url = f"http://127.0.0.1:{urlsplit(str(announced['url'])).port}"
        served = Served(ragbase, url, new_key(ragbase, "--scope", "read"))
        with Client(url, key=new_key(ragbase, "--scope", "read", "--scope", "write")) as client:
            uploaded = client.upload(GUIDE.encode(), path="guides/backup.md")
            assert client.wait(uploaded.id).status is Status.COMPLETED
        yield served


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_in(tmp_path_factory.mktemp("served")) as served:
        yield served


def test_what_the_page_says_about_openai_is_so(served: Served, tmp_path: Path) -> None:
    blocks = blocks_of("docs/openai-and-dify.md", "OpenAI's vector stores")
    program = tmp_path / "program.py"
    program.write_text(served.shown("\n".join(block.text for block in blocks)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=TIMEOUT, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^guides/backup.md 0\.\d+ # Backups$", done.stdout, re.MULTILINE)
    assert done.stdout.count("starts at 02:30") == 2, "the passage, and the text of the file"


@pytest.mark.skipif(shutil.which("curl") is None, reason="The example needs curl. Install it with your system.")
def test_what_the_page_says_about_dify_is_so(served: Served) -> None:
    (command,) = blocks_of("docs/openai-and-dify.md", "Dify's external knowledge")
    done = subprocess.run(
        ["sh", "-c", served.shown(command.text)], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    (record,) = validated(json.loads(done.stdout), "dify", "records")["records"]
    assert "starts at 02:30" in record["content"] and record["metadata"]["filename"] == "guides/backup.md"


def test_the_package_reads_every_answer(served: Served) -> None:
    client = served.client()
    (store,) = client.vector_stores.list()
    assert (store.id, store.status, store.file_counts.completed) == ("ragbase", "completed", 1)
    assert client.vector_stores.retrieve("ragbase").name == "ragbase"
    (file,) = client.vector_stores.files.list("ragbase", limit=1)
    assert client.vector_stores.files.retrieve(file.id, vector_store_id="ragbase").status == "completed"
    (part,) = client.vector_stores.files.content(file.id, vector_store_id="ragbase")
    page = client.vector_stores.search("ragbase", query=[QUESTION], max_num_results=1)
    (passage,) = page.data
    assert page.object == "vector_store.search_results.page"
    assert passage.file_id == file.id and passage.attributes is not None and part.text is not None
    start, end = (int(passage.attributes[name]) for name in ("char_start", "char_end"))  # the package reads floats
    assert part.text[start:end] == passage.content[0].text


def test_the_package_raises_its_own_errors(served: Served) -> None:
    client = served.client()
    with pytest.raises(openai.AuthenticationError) as raised:
        served.client("sk-none").vector_stores.list()
    assert raised.value.code == "invalid_api_key"
    with pytest.raises(openai.NotFoundError, match="There is no store vs_none"):
        client.vector_stores.search("vs_none", query=QUESTION)
    with pytest.raises(openai.BadRequestError, match="rewrite_query") as refused:
        client.vector_stores.search("ragbase", query=QUESTION, rewrite_query=True)
    assert (refused.value.code, refused.value.type) == ("invalid_request", "invalid_request_error")
    (file,) = client.vector_stores.files.list("ragbase")
    with pytest.raises(openai.PermissionDeniedError):
        client.vector_stores.files.delete(file.id, vector_store_id="ragbase")
    with pytest.raises(openai.APIStatusError, match="POST /api/documents") as unanswered:
        client.vector_stores.create(name="new")
    assert unanswered.value.status_code == 405
    with pytest.raises(openai.NotFoundError, match="POST /api/documents"):
        client.files.create(file=b"text", purpose="user_data")
    with pytest.raises(openai.APIStatusError, match="over the limit of 65,536 bytes") as too_large:
        client.vector_stores.search("ragbase", query=" " * 70_000)
    assert too_large.value.status_code == 413 and too_large.value.code == "request_entity_too_large"
    limited = served.client(new_key(served.ragbase, "--scope", "read", "--limit", "requests=1"))
    limited.vector_stores.search("ragbase", query=QUESTION)
    with pytest.raises(openai.RateLimitError) as limit:
        limited.vector_stores.search("ragbase", query=QUESTION)
    assert int(limit.value.response.headers["Retry-After"]) > 0


def test_the_package_deletes_every_document_of_a_list(tmp_path: Path) -> None:
    with served_in(tmp_path) as served:
        key = new_key(served.ragbase, "--scope", "read", "--scope", "write")
        client = served.client(key)
        with Client(served.url, key=key) as own:
            for number in range(3):
                uploaded = own.upload(GUIDE.encode(), path=f"guides/{number}.md")
                assert client.vector_stores.files.poll(uploaded.id, vector_store_id="ragbase").status == "completed"
        for file in client.vector_stores.files.list("ragbase", limit=2):
            assert client.vector_stores.files.delete(file.id, vector_store_id="ragbase").deleted
        assert not client.vector_stores.files.list("ragbase").data
        assert not client.vector_stores.search("ragbase", query=QUESTION).data
