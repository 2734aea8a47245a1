"""The client on a real server: every method, and what it gives back."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from ragbase import Client, Filter
from ragbase.client.errors import ApiError
from ragbase.client.exchange import ApiRequest, Reply
from ragbase.domain.document import Status
from scripts.local_cloud.pdf import pdf
from tests.unit.client.served import served

pytestmark = pytest.mark.slow

LARGE = b"The text of a large file, which is larger than a form on its way may be."
GUIDE = b"""---
title: The guide
tags: [ops]
date: 2024-05-01
---
# Guide

## Backups

The nightly backup starts at half past two and takes ten minutes.
"""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with served(tmp_path / "home", similarity_threshold=0.0) as server, Client(server.url) as client:
        yield client


def refused(error: pytest.ExceptionInfo[ApiError]) -> tuple[int, str]:
    return error.value.status, error.value.code


def test_a_page_is_shown_with_its_marks(client: Client) -> None:
    uploaded = client.upload(pdf("The key of the vault hangs at the pier, and only the captain knows."), path="key.pdf")
    client.wait(uploaded.id)
    (found,) = client.query("Where is the key of the vault?", top_k=1)
    place = found.metadata
    assert client.page_image(uploaded.id, place.page or 0, width=300).startswith(b"\x89PNG")
    marked = client.page_marks(uploaded.id, place.page or 0, place.char_start, place.char_end)
    assert marked.known and len(marked.marks) == 1
    pages = client.pages(uploaded.id)
    assert pages.known and [(page.width, page.height, page.char_start) for page in pages.pages] == [(612, 792, 0)]
    halves = client.page_marks(uploaded.id, 1, place.char_start, place.char_end, breaks=[place.char_start + 8])
    assert len(halves.marks) == 2


def test_golden_questions_are_kept_listed_and_removed(client: Client) -> None:
    id = client.wait(client.upload(GUIDE, path="guide.md").id).id
    kept = client.keep_golden_question("When does the nightly backup start?", "guide.md")
    assert client.keep_golden_question("When does the nightly backup start?", id) == kept
    assert list(client.golden_questions()) == [kept]
    assert (kept.document_id, kept.filename) == (id, "guide.md")
    client.remove_golden_question(kept.id)
    assert list(client.golden_questions()) == []
    with pytest.raises(ApiError) as gone:
        client.remove_golden_question(kept.id)
    assert refused(gone) == (404, "NOT_FOUND")


def test_a_file_becomes_answers_and_goes(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "guide.md"
    file.write_bytes(GUIDE)
    uploaded = client.upload(file, path="guides/guide.md")
    assert (uploaded.filename, uploaded.format) == ("guides/guide.md", "md")

    state = client.wait(uploaded.id)
    assert (state.status, state.chunk_count, state.fail_reason) == (Status.COMPLETED, 1, None)
    assert client.get(uploaded.id) == state

    (found,) = client.query("When does the nightly backup start?", top_k=1)
    assert found.document_id == uploaded.id
    assert found.metadata.heading == "Guide > Backups"
    said = found.document_metadata
    assert said is not None and (said.title, said.tags) == ("The guide", ("ops",))
    assert [source.filename for source in found.sources] == ["guides/guide.md"]
    text = client.text(uploaded.id)
    assert text[found.metadata.char_start : found.metadata.char_end] == found.content
    assert client.content(uploaded.id) == GUIDE
    (chunk,) = client.chunks(uploaded.id)
    assert (chunk.chunk_index, chunk.content, chunk.metadata) == (0, found.content, found.metadata)

    with pytest.raises(ApiError) as error:
        client.page_image(uploaded.id, 1)
    assert refused(error) == (404, "NOT_FOUND")
    assert not client.page_marks(uploaded.id, 1, 0, 9).known

    client.delete(uploaded.id)
    assert client.query("When does the nightly backup start?") == ()
    with pytest.raises(ApiError) as error:
        client.get(uploaded.id)
    assert refused(error) == (404, "NOT_FOUND")


def test_an_answer_has_sentences_and_the_places_that_they_stand_on(client: Client) -> None:
    uploaded = client.upload(GUIDE, path="guides/guide.md")
    client.wait(uploaded.id)
    answer = client.answer("When does the nightly backup start?", top_k=3, filter=Filter(path_prefix="guides"))
    first = answer.sentences[0]
    assert (answer.answered, first.supported) == (True, True)
    (citation,) = first.citations
    text = client.text(uploaded.id)
    assert text[citation.metadata.char_start : citation.metadata.char_end] == citation.text
    assert citation.evidence in {passage.id for passage in answer.evidence}
    parts = list(client.answer_parts("When does the nightly backup start?", top_k=3))
    assert parts == [answer.evidence, *answer.sentences, answer]
    nothing = client.answer("anything", filter=Filter(path_prefix="elsewhere"))
    assert list(client.answer_parts("anything", filter=Filter(path_prefix="elsewhere"))) == [(), nothing]
    assert (nothing.answered, nothing.sentences, nothing.evidence, nothing.model) == (False, (), (), None)


def test_the_same_bytes_are_the_same_document_and_others_have_to_replace_it(client: Client) -> None:
    first = client.upload(b"The pump is red.", path="a.txt")
    again = client.upload(io.BytesIO(b"The pump is red."), path="a.txt")
    assert (first.is_new, again.id, again.is_new) == (True, first.id, False)
    with pytest.raises(ApiError) as error:
        client.upload(b"The pump is blue now.", path="a.txt")
    assert refused(error) == (409, "ALREADY_EXISTS")
    assert client.upload(b"The pump is blue now.", path="a.txt", replace=True).id == first.id


def test_a_name_may_have_any_letters(client: Client) -> None:
    uploaded = client.upload(b"Some text of a file.", path='päth/ü "b" %41;\u202f🙂.txt')
    assert uploaded.filename == 'päth/ü "b" %41;\u202f🙂.txt'


def test_a_list_of_many_pages_has_every_document_once(client: Client) -> None:
    ids = {
        client.upload(
            f"The text number {i} has quite enough characters to be worth an index.".encode(), path=f"{i}.txt"
        ).id
        for i in range(103)
    }
    listed = [document.id for document in client.list()]
    assert len(listed) == 103
    assert set(listed) == ids
    page = client.page(limit=2, offset=1)
    assert ([one.id for one in page.documents], page.total) == (listed[1:3], 103)
    assert list(client.list(status="FAILED")) == []


def test_a_long_text_has_many_chunks_in_order(client: Client) -> None:
    text = "\n\n".join(f"Paragraph number {i} says something about the pump." * 12 for i in range(230))
    uploaded = client.upload(text.encode(), path="long.txt")
    count = client.wait(uploaded.id).chunk_count
    assert count is not None and count > 100
    chunks = list(client.chunks(uploaded.id))
    assert [chunk.chunk_index for chunk in chunks] == list(range(count))
    assert client.text(uploaded.id)[chunks[-1].metadata.char_start :].startswith(chunks[-1].content)


def test_a_filter_narrows_a_query(client: Client) -> None:
    for name, data in {
        "a/guide.md": GUIDE,
        "b/guide.txt": b"The nightly backup starts at some other time than the guide says.",
    }.items():
        client.wait(client.upload(data, path=name).id)

    def names(**fields: object) -> set[str]:
        return {found.filename for found in client.query("nightly backup", filter=Filter.model_validate(fields))}

    assert names() == {"a/guide.md", "b/guide.txt"}
    assert names(path_prefix="b") == {"b/guide.txt"}
    assert names(formats=("md",), tags=("OPS",), date_from=date(2024, 5, 1)) == {"a/guide.md"}
    with pytest.raises(ApiError) as error:
        names(formats=("pages",))
    assert refused(error) == (400, "INVALID_REQUEST")


def test_a_document_that_failed_is_tried_again(client: Client) -> None:
    uploaded = client.upload(b"{", path="bad.json")
    failed = client.wait(uploaded.id)
    assert (failed.status, (failed.fail_reason or "")[:12]) == (Status.FAILED, "CORRUPT_FILE")
    client.retry(uploaded.id)
    assert client.wait(uploaded.id).status is Status.FAILED


def test_a_large_file_can_be_sent_in_a_request_of_its_own(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = client._exchange.ask

    def limited(request: ApiRequest) -> Reply:
        is_form = (request.method, request.path) == ("POST", "/api/documents")
        return Reply(status=413, headers={}, body=b"", repeated=False) if is_form else ask(request)

    monkeypatch.setattr(client._exchange, "ask", limited)
    uploaded = client.upload(LARGE, path="large.txt")
    assert client.wait(uploaded.id).status is Status.COMPLETED
    assert client.content(uploaded.id) == LARGE


def test_where_nothing_is_found_the_nearest_is_told(client: Client) -> None:
    assert client.query("backup").near_miss is None
    assert client.query("backup").warnings == ("There are no documents yet.",)
    client.wait(client.upload(GUIDE, path="guide.md").id)
    found = client.query("When does the backup of web-31 start?", threshold=1)
    assert len(found) == 0
    miss = found.near_miss
    assert miss is not None
    assert (miss.threshold, miss.unknown) == (1, ("web-31",))
    (near,) = miss.passages
    assert (near.filename, near.metadata.heading, near.lacks) == ("guide.md", "Guide > Backups", ("web-31",))
    answer = client.answer("When does the backup of web-31 start?", threshold=1)
    assert (answer.answered, answer.evidence, answer.near_miss) == (False, (), miss)
    *_, last = client.answer_parts("When does the backup of web-31 start?", threshold=1)
    assert last == answer


def test_what_is_found_says_what_it_lacks(client: Client) -> None:
    client.wait(client.upload(GUIDE, path="guide.md").id)
    (found,) = client.query("When does the backup of web-31 start?")
    assert (found.lacks, client.query("backup")[0].lacks) == (("web-31",), None)
    assert client.answer("When does the backup of web-31 start?").lacks == ("web-31",)
