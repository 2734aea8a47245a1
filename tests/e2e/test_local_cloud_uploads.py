"""The Google Cloud profile on the local cloud, through its public interfaces: the bucket and the HTTP API."""

from __future__ import annotations

import json

import pytest

from ragbase.domain.name_forms import nfd
from scripts.local_cloud.inside import EmbeddingServer, Index, profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.pdf import pdf
from scripts.local_cloud.user import User, eventually

GUIDE = "# Backups\n\nThe nightly backup of the {site} site starts at {time} and is kept for ninety days.\n"

pytestmark = pytest.mark.prove


def test_an_uploaded_file_is_completed_and_answers_with_a_citation(user: User) -> None:
    text = GUIDE.format(site="Aarhus", time="02:30")
    user.upload("guides/cited.md", text)

    document = user.settled("guides/cited.md")
    assert document["status"] == "COMPLETED"
    best = user.ask("When does the nightly backup of the Aarhus site start?")[0]
    where = best["metadata"]
    assert (best["documentId"], best["filename"]) == (document["id"], "guides/cited.md")
    assert best["content"] == text[where["charStart"] : where["charEnd"]]
    assert where["heading"] == "Backups"


def test_an_overwritten_file_answers_with_its_new_text_alone(user: User) -> None:
    user.upload("guides/edited.md", GUIDE.format(site="Bergen", time="03:45"))
    user.settled("guides/edited.md")
    question = "When does the nightly backup of the Bergen site start?"
    assert any("03:45" in result["content"] for result in user.ask(question))

    user.upload("guides/edited.md", GUIDE.format(site="Bergen", time="04:50"))
    eventually(lambda: [result for result in user.ask(question) if "04:50" in result["content"]])
    assert not any("03:45" in result["content"] for result in user.ask(question))


def test_a_deleted_file_is_found_no_more(user: User) -> None:
    user.upload("guides/deleted.md", GUIDE.format(site="Cadiz", time="05:55"))
    user.settled("guides/deleted.md")
    question = "When does the nightly backup of the Cadiz site start?"
    assert any("Cadiz" in result["content"] for result in user.ask(question))

    user.delete("guides/deleted.md")
    eventually(lambda: "gone" if user.document("guides/deleted.md") is None else None)
    assert not any("Cadiz" in result["content"] for result in user.ask(question))


def test_a_name_in_two_forms_is_one_document(user: User, cloud: LocalCloud) -> None:
    """Cloud Storage keeps names byte for byte: an upload from a Mac has its name in NFD."""
    name, question = "vertr\u00e4ge/m\u00fcnchen.md", "When does the nightly backup of the Munich site start?"
    user.upload(nfd(name), GUIDE.format(site="Munich", time="06:05"))
    first = user.settled(name)
    asked = {"query": question, "filter": {"pathPrefix": nfd("vertr\u00e4ge/")}}
    found = user.api.send("POST", "/api/query", json.dumps(asked).encode(), {"Content-Type": "application/json"}).json
    assert [result["documentId"] for result in found["results"]] == [first["id"]]
    user.upload(name, GUIDE.format(site="Munich", time="07:15"))
    eventually(lambda: [result for result in user.ask(question) if "07:15" in result["content"]])
    assert not any("06:05" in result["content"] for result in user.ask(question))
    with profile_of(cloud) as profile:
        assert [one.is_shadowed for one in profile.bucket.list_all() if one.name == name] == [True, False]

    assert user.api.send("DELETE", f"/api/documents/{first['id']}").status == 204
    eventually(lambda: "gone" if user.document(name) is None else None)
    with profile_of(cloud) as profile:
        assert not [one for one in profile.bucket.list_all() if one.name == name]


def test_a_text_that_an_extractor_elsewhere_gives_is_what_search_shows(user: User, cloud: LocalCloud) -> None:
    user.upload("scans/page.md", GUIDE.format(site="Delft", time="06:15"))
    id = user.settled("scans/page.md")["id"]
    given = {
        "markdown": GUIDE.format(site="Delft", time="07:45"),
        "pageCount": 1,
        "ocrApplied": True,
        "processingTimeMs": 812,
    }
    body = json.dumps({"documentId": id, "success": True, "result": given}).encode()
    answer = user.api.send("POST", "/internal/callback", body, {"Content-Type": "application/json"})
    assert answer.status == 202, answer.body

    question = "When does the nightly backup of the Delft site start?"
    eventually(lambda: [result for result in user.ask(question) if "07:45" in result["content"]])
    assert not any("06:15" in result["content"] for result in user.ask(question))
    user.delete("scans/page.md")
    eventually(lambda: "gone" if user.document("scans/page.md") is None else None)
    with profile_of(cloud) as profile:
        eventually(lambda: "gone" if not profile.texts.scan(limit=1) else None)


def test_a_pdf_is_cited_by_its_page(user: User) -> None:
    rivers = " ".join(f"River {number} of the plain runs late in the year." for number in range(20))
    glaciers = " ".join(f"Glacier {number} of the Karakoram keeps its mass." for number in range(20))
    user.upload("papers/ice.pdf", pdf(rivers, glaciers), "application/pdf")
    assert user.settled("papers/ice.pdf")["status"] == "COMPLETED"
    best = user.ask("Which glacier of the Karakoram keeps its mass?")[0]
    assert (best["filename"], best["metadata"]["page"]) == ("papers/ice.pdf", 2)


def test_a_kind_of_file_that_nothing_reads_is_failed_with_its_code(user: User) -> None:
    user.upload("slides.key", "no slides\0" * 20, "application/x-iwork-keynote")
    document = user.settled("slides.key")
    assert document["status"] == "FAILED"
    assert document["failReason"].startswith("UNSUPPORTED_FORMAT: ")


def test_a_file_that_is_deleted_while_it_is_processed_leaves_nothing_behind(cloud: LocalCloud, user: User) -> None:
    EmbeddingServer(cloud).fail("slow", seconds=5)
    user.upload("guides/hasty.md", GUIDE.format(site="Narvik", time="07:10"))
    eventually(lambda: (document := user.document("guides/hasty.md")) and document["status"] == "PROCESSING")
    user.delete("guides/hasty.md")
    eventually(lambda: user.document("guides/hasty.md") is None)
    with profile_of(cloud) as profile:
        record = Index(profile).record("guides/hasty.md")
        assert record is not None
        # The lane has noticed, and taken back what it wrote, once its log says so.
        eventually(lambda: f'"process.superseded", "document_id": "{record.id}"' in cloud.log("fast_lane").read_text())
        eventually(lambda: Index(profile).held("guides/hasty.md") == 0)
    assert user.document("guides/hasty.md") is None
    assert not any("Narvik" in result["content"] for result in user.ask("When does the Narvik site start?"))


def test_the_same_bytes_under_two_names_are_embedded_once_and_cited_together(user: User, cloud: LocalCloud) -> None:
    text = GUIDE.format(site="Funchal", time="08:20")
    question = "When does the nightly backup of the Funchal site start?"
    user.upload("guides/original.md", text)
    assert user.settled("guides/original.md")["status"] == "COMPLETED"
    embedded = EmbeddingServer(cloud).embedded
    user.upload("copies/twin.md", text)
    assert user.settled("copies/twin.md")["status"] == "COMPLETED"
    assert EmbeddingServer(cloud).embedded == embedded

    (found,) = [result for result in user.ask(question) if "Funchal" in result["content"]]
    assert {source["filename"] for source in found["sources"]} == {"guides/original.md", "copies/twin.md"}

    user.delete("guides/original.md")
    eventually(lambda: user.document("guides/original.md") is None)
    (found,) = [result for result in user.ask(question) if "Funchal" in result["content"]]
    assert [source["filename"] for source in found["sources"]] == ["copies/twin.md"]
