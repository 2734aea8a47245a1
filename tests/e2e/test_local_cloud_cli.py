"""`ragbase --profile gcp` on the local cloud: the same commands, and the functions do the work."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from google.cloud import storage

from ragbase import Client, Filter
from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.domain.document import Status
from ragbase.sources.folder import object_name
from scripts.local_cloud.inside import profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import Api, User, eventually
from tests.e2e.command_line import COMMON, TIMEOUT, Ended

pytestmark = pytest.mark.prove

Ragbase = Callable[..., Ended]


@pytest.fixture
def ragbase(cloud: LocalCloud, tmp_path: Path) -> Ragbase:
    """Runs a command in a process of its own. `settings` are added to the environment variables of the local cloud."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("RAGBASE_")}
    of_cloud = {name: value for name, value in cloud.settings().items() if name != "RAGBASE_PROFILE"}

    def run(*arguments: str | Path, **settings: str) -> Ended:
        environment = {**own, **of_cloud, "RAGBASE_HOME": str(tmp_path / "home"), "PYTHONPATH": str(COMMON), **settings}
        command = [sys.executable, "-m", "ragbase.interfaces.cli.main", "--profile", "gcp", *map(str, arguments)]
        done = subprocess.run(command, env=environment, capture_output=True, timeout=TIMEOUT, check=False)
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def test_a_folder_is_ingested_asked_listed_and_deleted(ragbase: Ragbase, tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "pilots.md").write_text("# Pilots\n\nThe pilot station of Gdynia answers on channel fourteen.\n")
    (folder / "tides.txt").write_text("The tide at Gdynia is hardly ever higher than a hand, whatever the moon does.\n")

    first = ragbase("ingest", folder, "--json")
    assert (first.code, first.err) == (0, "")
    assert (first.json["documents"], first.json["unchanged"], first.json["failed"]) == (2, 0, [])
    again = ragbase("ingest", folder, "--json").json
    assert (again["documents"], again["unchanged"]) == (2, 2)

    asked = ragbase("query", "On which channel does the pilot station of Gdynia answer?")
    assert (asked.code, asked.err) == (0, "")
    assert "channel fourteen" in asked.out

    pilots = str(folder / "pilots.md")
    assert pilots in {
        document["filename"] for document in ragbase("list", "--limit", "100", "--json").json["documents"]
    }
    assert ragbase("status", pilots, "--json").json["status"] == "COMPLETED"
    assert ragbase("retry", pilots).out == f"{pilots}: already COMPLETED, 1 chunk\n"

    deleted = ragbase("delete", pilots, "--json")
    assert (deleted.code, deleted.json) == (0, {"deleted": [pilots], "notFound": []})
    assert "channel fourteen" not in ragbase("query", "On which channel does the pilot station of Gdynia answer?").out
    assert ragbase("status", pilots).code == 1
    assert ragbase("delete", folder / "tides.txt").code == 0


def test_a_folder_is_synced_and_the_functions_do_the_work(ragbase: Ragbase, user: User, tmp_path: Path) -> None:
    folder = tmp_path / "yard"
    folder.mkdir()
    (folder / "slips.md").write_text("# Slips\n\nThe slipway of Puck is greased with tallow on each Monday.\n")
    (folder / "ropes.md").write_text("# Ropes\n\nThe ropewalk of Puck is three hundred metres long, under one roof.\n")

    first = ragbase("sync", folder, "--json")
    assert (first.code, first.json["added"], first.json["failed"]) == (0, 2, [])
    for name in ("slips.md", "ropes.md"):
        assert user.settled(object_name(folder / name))["status"] == "COMPLETED"
    assert ragbase("sync", folder, "--json").json["unchanged"] == 2

    (folder / "slips.md").write_text("# Slips\n\nThe slipway of Puck is closed for good.\n")
    (folder / "ropes.md").unlink()
    assert ragbase("sync", folder, "--json").json["vanished"] == 1
    again = ragbase("sync", folder, "--delete", "--force", "--json").json
    assert (again["unchanged"], again["deleted"]) == (1, 1)
    eventually(lambda: "closed for good" in ragbase("query", "How is the slipway of Puck?").out or None)
    eventually(lambda: "ropewalk" not in ragbase("query", "How long is the ropewalk of Puck?").out or None)
    assert ragbase("delete", folder / "slips.md").code == 0


def test_the_function_syncs_a_scheduled_source_and_everybody_sees_how_it_ended(
    ragbase: Ragbase, cloud: LocalCloud
) -> None:
    assert ragbase("sources", "list").out == "No sources. Describe them in gs://ragbase-sources/sources.toml.\n"
    with profile_of(cloud) as profile:
        project = profile.config.project
        storage.Client(project=project).create_bucket("shipyard")
        theirs = CloudStorageBucket("shipyard", project=project)
        theirs.put("docs/cranes.md", b"# Cranes\n\nThe tallest crane of the shipyard in Elblag is called Bartek.\n")
        described = b'[shipyard]\naddress = "gs://shipyard/docs"\nprefix = "yard"\n'
        CloudStorageBucket("ragbase-sources", project=project).put("sources.toml", described)

    (port,) = [part.port for part in cloud.status() if part.name == "sources"]
    answer = Api(f"http://127.0.0.1:{port}").send("POST", "/", b"", {})
    assert answer.status == 200, cloud.log("sources").read_text()[-2000:]

    (source,) = ragbase("sources", "list", "--json").json["sources"]
    assert (source["name"], source["state"], source["counts"]["added"]) == ("shipyard", "done", 1)
    assert eventually(lambda: "Bartek" in ragbase("query", "How is the tallest crane in Elblag called?").out)
    (again,) = ragbase("sources", "run", "shipyard", "--json").json["sources"]
    assert (again["state"], again["counts"]["unchanged"]) == ("done", 1)


def test_a_deployment_is_used_over_http(cloud: LocalCloud) -> None:
    text = "# Lighthouse\n\nThe lighthouse of Hel has been lit by a keeper named Jadwiga for thirty years.\n"
    with Client(cloud.settings()["LOCAL_CLOUD_API"], timeout=60) as client:
        uploaded = client.upload(text.encode(), path="hel/lighthouse.md")
        state = client.wait(uploaded.id)
        assert (uploaded.is_new, state.status, state.chunk_count) == (True, Status.COMPLETED, 1)
        assert not client.upload(text.encode(), path="hel/lighthouse.md").is_new

        question = "Who has lit the lighthouse of Hel?"
        (found,) = client.query(question, filter=Filter(path_prefix="hel", formats=("md",)))
        assert found.content == text.strip()
        assert client.text(uploaded.id)[found.metadata.char_start : found.metadata.char_end] == found.content
        assert client.content(uploaded.id) == text.encode()
        assert client.query(question, filter=Filter(path_prefix="gdynia")) == ()
        client.delete(uploaded.id)
        assert client.query(question, filter=Filter(path_prefix="hel")) == ()


def test_doctor_asks_every_service_and_names_the_one_that_is_away(ragbase: Ragbase) -> None:
    well = ragbase("doctor", "--json")
    assert (well.code, well.err, well.json["ok"]) == (0, "", True)
    names = {check["name"] for check in well.json["checks"]}
    assert {"bucket", "records", "embedder", "vectors", "extra weaviate", "extra cohere"} <= names

    ill = ragbase("doctor", "--json", WEAVIATE_URL="http://127.0.0.1:9")
    failed = {check["name"]: check["remedy"] for check in ill.json["checks"] if not check["ok"]}
    assert (ill.code, list(failed)) == (1, ["vectors"])
    assert "weaviate_url" in failed["vectors"]


def test_what_the_profile_cannot_do_is_said(ragbase: Ragbase) -> None:
    unknown = ragbase("status", "/no/such/file.md")
    assert (unknown.code, unknown.out) == (1, "")
    assert unknown.err.startswith("Error: /no/such/file.md: there is no such document.")
    served = ragbase("serve", "--port", "0")
    assert (served.code, "is not a folder, so it cannot be watched" in served.err) == (1, True)
    without = ragbase("list", GOOGLE_CLOUD_PROJECT="")
    assert (without.code, "GOOGLE_CLOUD_PROJECT" in without.err) == (1, True)
