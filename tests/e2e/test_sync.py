"""`ragbase sync`: what a source has is found, what it no longer has is not, and nothing is done twice."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.sources.folder_source import FolderSource
from ragbase.sources.sync import sync
from tests.contract.source_worlds import s3_client
from tests.contract.web_server import Page, website
from tests.doubles.s3_server import s3_server
from tests.e2e.command_line import CommandLine, Ended

SUBJECTS = ("backups", "invoices", "holidays", "printers", "passwords", "lunch")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for subject in SUBJECTS:
        (folder / f"{subject}.md").write_text(page(subject), encoding="utf-8")
    return folder


def page(subject: str) -> str:
    return f"# {subject}\n\nThis page tells all that there is to know about {subject}, and nothing else at all.\n"


def names(ragbase: CommandLine) -> list[str]:
    return sorted(Path(document["filename"]).stem for document in ragbase.call("list", "--json").json["documents"])


def counts(ended: Ended) -> dict[str, int]:
    counted = {name: count for name, count in ended.json.items() if name not in ("failed", "leftOut") and count}
    left_out = sum(kind["count"] for kind in ended.json.get("leftOut", ()))
    return counted | ({"leftOut": left_out} if left_out else {})


@contextmanager
def opened(ragbase: CommandLine) -> Iterator[Profile]:
    profile = open_profile(load_config(home=ragbase.home, embedder="hashing"))
    try:
        yield profile
    finally:
        profile.close()


def embedded(ragbase: CommandLine) -> int:
    with opened(ragbase) as profile:
        return sum(record.usage.embedded_texts for record in profile.documents.page(limit=100))


def test_a_folder_is_searched_as_it_is_now(ragbase: CommandLine, docs: Path) -> None:
    assert counts(ragbase.call("sync", docs, "--json")) == {"added": 6}
    assert names(ragbase) == sorted(SUBJECTS)
    paid = embedded(ragbase)
    assert counts(ragbase.call("sync", docs, "--json")) == {"unchanged": 6}
    assert embedded(ragbase) == paid

    (docs / "lunch.md").write_text(page("dinner"), encoding="utf-8")
    (docs / "backups.md").unlink()
    assert counts(ragbase.call("sync", docs, "--json")) == {"changed": 1, "unchanged": 4, "vanished": 1}
    assert counts(ragbase.call("sync", docs, "--json", "--delete")) == {"unchanged": 5, "deleted": 1}
    assert names(ragbase) == sorted({*SUBJECTS} - {"backups"})
    found = ragbase.call("query", "what is there to know about dinner?", "--json").json
    assert Path(found["results"][0]["filename"]).name == "lunch.md"


@pytest.mark.slow
def test_a_website_is_searched_with_the_address_of_each_page(
    ragbase: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGBASE_ALLOWED_HOSTS", "127.0.0.1")
    html = "<!doctype html><head><link rel=canonical href='https://real.example/x'><title>{0}</title><main><h1>{0}</h1>"
    with website({f"/{subject}": Page(html.format(subject)) for subject in SUBJECTS}) as site:
        urls = "".join(f"<url><loc>{{site}}/{subject}</loc></url>" for subject in SUBJECTS)
        site.pages["/sitemap.xml"] = Page(f"<urlset>{urls}</urlset>")
        assert counts(ragbase.call("sync", site.url, "--json")) == {"added": 6}
        site.pages["/lunch"] = Page(html.format("dinner"))
        del site.pages["/backups"]
        assert counts(ragbase.call("sync", site.url, "--json", "--delete")) == {
            "changed": 1,
            "deleted": 1,
            "unchanged": 4,
        }

        url = f"{site.url}/lunch"
        found = ragbase.call("query", "dinner", "--url", url, "--json").json["results"]
        assert [(one["filename"], one["documentMetadata"]) for one in found] == [(url, {"title": "dinner", "url": url})]


def test_a_dry_run_says_what_would_be_done(ragbase: CommandLine, docs: Path) -> None:
    said = ragbase.call("sync", docs, "--dry-run")
    assert said.out.splitlines()[0] == f"added: {docs}/backups.md"
    assert said.out.splitlines()[-1].startswith("6 added, 0 changed, 0 deleted")
    assert names(ragbase) == []


def test_much_is_deleted_only_by_force(ragbase: CommandLine, docs: Path) -> None:
    ragbase.call("sync", docs)
    for subject in SUBJECTS[:2]:
        (docs / f"{subject}.md").unlink()
    refused = ragbase.call("sync", docs, "--delete")
    assert refused.code == 1
    assert "2 of 6 documents have vanished" in refused.err
    assert "--force" in refused.err
    assert names(ragbase) == sorted(SUBJECTS)
    assert ragbase.call("sync", docs, "--delete", "--force").code == 0
    assert names(ragbase) == sorted(SUBJECTS[2:])


@pytest.mark.slow
def test_documents_of_others_stay_as_they_are(ragbase: CommandLine, docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text(page("other"), encoding="utf-8")
    ragbase.call("ingest", other, docs / "lunch.md")
    with opened(ragbase) as profile:
        profile.bucket.put(f"{docs}/printers.md".lstrip("/"), b"Somebody uploaded this text about printers.")
    ended = ragbase.call("sync", docs, "--delete", "--json")
    assert (ended.code, counts(ended)) == (1, {"added": 4, "unchanged": 1})
    assert "printers.md" in ended.json["failed"][0]["error"]
    assert counts(ragbase.call("sync", docs, "--prefix", "team", "--json")) == {"added": 6}
    for subject in SUBJECTS:
        (docs / f"{subject}.md").unlink()
    ragbase.call("sync", docs, "--delete", "--force")
    ragbase.call("sync", docs, "--prefix", "/team/", "--delete", "--force")
    assert names(ragbase) == ["other", "printers"]


@pytest.mark.slow
def test_a_folder_that_was_ingested_is_taken_over(
    ragbase: CommandLine, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(docs.parent)
    ragbase.call("ingest", "docs", "--chunk-size", "300/0 characters")
    paid = embedded(ragbase)
    (docs / "lunch.md").write_text(page("dinner"), encoding="utf-8")
    assert counts(ragbase.call("sync", docs, "--dry-run", "--json")) == {"changed": 1, "unchanged": 5}
    ended = ragbase.call("sync", docs, "--json")
    assert (ended.code, counts(ended)) == (0, {"changed": 1, "unchanged": 5})
    assert embedded(ragbase) == paid + 1
    assert counts(ragbase.call("sync", docs, "--json")) == {"unchanged": 6}

    again = ragbase.call("ingest", "docs", "--chunk-size", "300/0 characters", "--json")
    assert again.json["unchanged"] == 6
    (docs / "lunch.md").unlink()
    assert counts(ragbase.call("sync", docs, "--delete", "--json")) == {"deleted": 1, "unchanged": 5}
    assert names(ragbase) == sorted({*SUBJECTS} - {"lunch"})


@pytest.mark.slow
def test_a_document_that_is_failed_is_said_each_time(ragbase: CommandLine, docs: Path) -> None:
    (docs / "broken.json").write_text('{"a": ', encoding="utf-8")
    first, second = (ragbase.call("sync", docs, "--json") for _ in range(2))
    assert (first.code, second.code) == (1, 1)
    assert first.json["failed"] == second.json["failed"]
    assert counts(second) == {"unchanged": 6}


@pytest.mark.slow
def test_all_files_of_a_folder_are_in_the_summary(ragbase: CommandLine, docs: Path) -> None:
    (docs / "README").write_text(page("start"), encoding="utf-8")
    (docs / "guide.rst").write_text("Pumps\n=====\n\nThe pump starts at noon.\n", encoding="utf-8")
    for name in ("photo.psd", "scan.psd", "data.bin", ".git/config", ".git/HEAD"):
        (docs / name).parent.mkdir(exist_ok=True)
        (docs / name).write_bytes(b"\0")
    (docs / "hosts").symlink_to("/etc/hosts")
    for command in ("ingest", "sync"):
        said = ragbase.call(command, docs, "--json").json["leftOut"]
        kinds = {kind["kind"]: (kind["count"], kind["endings"]) for kind in said}
        assert kinds == {
            "pictures": (2, [".psd"]),
            "binary files": (1, [".bin"]),
            "hidden files": (2, []),
            "links out of the folder": (1, ["hosts"]),
        }
        each = ragbase.call(command, docs, "--json", "--verbose").json["leftOut"]
        assert {name for kind in each for name in kind["files"]} >= {f"{docs}/photo.psd", f"{docs}/hosts"}
        text = ragbase.call(command, docs)
        assert (text.code, "left out: 2 pictures (.psd)." in text.out, "6 left out" in text.out) == (0, True, True)
        assert f"left out: {docs}/hosts: link out of the folder." in ragbase.call(command, docs, "-v").out
    assert names(ragbase) == sorted([*SUBJECTS, "README", "guide"])


@pytest.mark.slow
def test_a_source_without_anything_is_an_error(ragbase: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ended = ragbase.call("sync", tmp_path / "empty")
    assert (ended.code, "there is nothing at this address" in ended.err) == (1, True)


@pytest.mark.slow
def test_what_a_killed_sync_brought_or_deleted_is_processed_by_the_next(ragbase: CommandLine, docs: Path) -> None:
    """Its process ended after the bucket was changed, and before a lane did anything."""
    ragbase.call("sync", docs)
    (docs / "new.md").write_text(page("new"), encoding="utf-8")
    (docs / "lunch.md").unlink()
    with opened(ragbase) as profile:
        list(sync(FolderSource(docs), profile.bucket, delete=True))
    assert names(ragbase) == sorted(SUBJECTS)

    assert ragbase.call("sync", docs, "--delete").code == 0
    assert names(ragbase) == sorted({*SUBJECTS, "new"} - {"lunch"})


@pytest.mark.slow
def test_a_file_that_cannot_be_read_as_text_fails_alone(ragbase: CommandLine, docs: Path) -> None:
    (docs / "broken.json").write_text('{"a": ', encoding="utf-8")
    ended = ragbase.call("sync", docs, "--json")
    assert (ended.code, counts(ended)) == (1, {"added": 6})
    assert "broken.json" in ended.json["failed"][0]["filename"]


@pytest.mark.parametrize(
    ("source", "message"),
    [("missing", "there is no such folder"), ("ftp://host/x", "cannot sync from ftp://"), ("s3://", "names no bucket")],
)
def test_a_source_that_cannot_be_is_refused(ragbase: CommandLine, source: str, message: str) -> None:
    ended = ragbase.call("sync", source)
    assert ended.code == 1
    assert message in ended.err


@pytest.fixture
def s3() -> Iterator[Any]:
    with s3_server() as variables, patch.dict(os.environ, variables):
        client = s3_client(variables)
        client.create_bucket(Bucket="company")
        yield client


@pytest.mark.slow
def test_a_bucket_of_s3_is_searched_as_it_is_now(ragbase: CommandLine, s3: Any) -> None:
    for subject in SUBJECTS:
        s3.put_object(Bucket="company", Key=f"docs/{subject}.md", Body=page(subject).encode())
    s3.put_object(Bucket="company", Key="docs/photo.heic", Body=b"\xff\xd8")
    s3.put_object(Bucket="company", Key="private/secret.md", Body=page("secrets").encode())
    assert counts(ragbase.call("sync", "s3://company/docs", "--json")) == {"added": 6, "leftOut": 1}
    assert counts(ragbase.call("sync", "s3://company/docs/", "--json")) == {"unchanged": 6, "leftOut": 1}
    s3.put_object(Bucket="company", Key="docs/README", Body=page("start").encode())
    s3.put_object(Bucket="company", Key="docs/core", Body=b"\x7fELF\0")
    assert counts(ragbase.call("sync", "s3://company/docs/", "--json")) == {"added": 1, "unchanged": 6, "leftOut": 2}
    s3.delete_object(Bucket="company", Key="docs/README")
    mistyped = ragbase.call("sync", "s3://company/dosc")
    assert (mistyped.code, "s3://company/dosc/: there is nothing at this address" in mistyped.err) == (1, True)
    s3.delete_object(Bucket="company", Key="docs/lunch.md")
    assert counts(ragbase.call("sync", "s3://company/docs/", "--delete", "--force", "--json"))["deleted"] == 2
    assert names(ragbase) == sorted({*SUBJECTS} - {"lunch"})
    found = ragbase.call("query", "what is there to know about backups?", "--json").json
    assert found["results"][0]["filename"] == "s3://company/docs/backups.md"
