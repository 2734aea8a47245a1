"""The TypeScript client in a browser, as a page loads it that the server's own address has."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.chromium import chromium
from tests.clients.asked_server import QUESTIONS, AskedServer, results

pytestmark = pytest.mark.slow

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


def test_it_asks_streams_and_uploads(server: AskedServer, built: Path) -> None:
    ours = server.found()
    with chromium() as browser:
        page = browser.new_page()
        page.route("**/client/page", lambda route: route.fulfill(body="<title>Page</title>", content_type="text/html"))
        page.route(
            "**/client/*.js", lambda route: route.fulfill(path=built / "dist" / route.request.url.rpartition("/")[2])
        )
        page.goto(f"{server.endpoint}/client/page")
        said = page.evaluate(PROGRAM, [server.endpoint, server.key, QUESTIONS])
    assert [results(found) for found in said.pop("found")] == ours
    assert said == {
        "parts": ["evidence", "sentence", "done"],
        "filename": "badge.md",
        "status": "COMPLETED",
        "refused": "ApiError NOT_FOUND",
    }
