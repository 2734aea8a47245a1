"""The TypeScript client in a browser, as a page loads it that the server's own address has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragbase import Client
from tests.chromium import chromium
from tests.clients.asked_server import QUESTIONS, AskedServer, results
from tests.unit.client.scripted_server import answer, scripted_server

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.prove

PROGRAM = """async ([endpoint, key, questions]) => {
  const { Client } = await import("/client/index.js");
  const client = new Client(endpoint, { key });
  const found = [];
  for (const question of questions) found.push((await client.query(question)).results);
  const parts = [];
  for await (const part of client.answerParts(questions[0])) parts.push(part.type);
  const file = new File(["The visitor's badge is kept at the gate until the evening, in the box."], "badge.md");
  const { id, filename } = await client.upload(file);
  const { status } = await client.wait(id);
  await client.delete(id);
  const refused = await client.get(id).catch((error) => `${error.name} ${error.code}`);
  return { found, parts, filename, status, refused };
}"""


CONTENT = """async (endpoint) => {
  const { Client } = await import("/client/index.js");
  const content = await new Client(endpoint, { key: "rb_key", deadline: 10 }).content("abc");
  return [content.type, await content.text()];
}"""


FOLLOW = """async ([endpoint, key, after, id]) => {
  const { Client } = await import("/client/index.js");
  const sleep = () => Promise.reject(new Error("There is no stream."));
  const events = new Client(endpoint, { key, sleep }).events({ after });
  for await (const changes of events) if (changes.documents.some((one) => one.id === id)) return "streamed";
}"""


@contextmanager
def page_of(origin: str, built: Path) -> Iterator[Page]:
    """A page of this origin, which can import the client."""
    with chromium() as browser:
        page = browser.new_page()
        page.route("**/client/page", lambda route: route.fulfill(body="<title>Page</title>", content_type="text/html"))
        page.route(
            "**/client/*.js", lambda route: route.fulfill(path=built / "dist" / route.request.url.rpartition("/")[2])
        )
        page.goto(f"{origin}/client/page")
        yield page


def test_it_asks_streams_and_uploads(own_server: AskedServer, built: Path) -> None:
    ours = own_server.found()
    with page_of(own_server.endpoint, built) as page:
        said = page.evaluate(PROGRAM, [own_server.endpoint, own_server.key, QUESTIONS])
    assert [results(found) for found in said.pop("found")] == ours
    assert said == {
        "parts": ["evidence", "sentence", "done"],
        "filename": "badge.md",
        "status": "COMPLETED",
        "refused": "ApiError NOT_FOUND",
    }


def test_a_page_of_another_origin_goes_on_with_the_stream_of_changes(own_server: AskedServer, built: Path) -> None:
    with scripted_server() as script, Client(own_server.endpoint, own_server.key) as client:
        script.then(answer(200, b"<title>Page</title>", Content_Type="text/html"))
        key = client.operator.create_key("page", origins=[script.url]).key
        after = next(client.events()).next
        id = client.upload(b"The ladder of the library stands behind the shelf with the maps.", path="ladder.md").id
        with page_of(script.url, built) as page:
            page.goto(f"{script.url}/page")  # as below
            page.evaluate("import('/client/index.js')")
            page.unroute_all()  # with a route, Playwright itself allows what the server would refuse
            assert page.evaluate(FOLLOW, [own_server.endpoint, key, after, id]) == "streamed"
        client.delete(id)


def test_a_bucket_gives_the_file_without_the_key(built: Path) -> None:
    with scripted_server() as bucket, scripted_server() as script:
        there = answer(302, Location=f"{bucket.url}/signed?right=1")
        page_itself = answer(200, b"<title>Page</title>", Content_Type="text/html")
        script.then(page_itself, there, there)  # a browser hides the first redirect
        bucket.then(answer(200, b"the file", Content_Type="text/plain", Access_Control_Allow_Origin="*"))
        with page_of(script.url, built) as page:
            # Chromium lets a page ask another port of this machine only if the page came from this machine.
            page.goto(f"{script.url}/page")
            assert page.evaluate(CONTENT, script.url) == ["text/plain", "the file"]
    assert [asked.headers["authorization"] for asked in script.asked[1:]] == ["Bearer rb_key"] * 2
    (got,) = bucket.asked
    assert (got.method, got.path, got.headers.get("authorization")) == ("GET", "/signed?right=1", None)
