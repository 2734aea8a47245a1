"""The profile local-cloud of the real compose.yaml, as docs/local-cloud.md tells to use it. Our image is the real one;
those of others are laid out from the programs that the local cloud has on this machine."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator

import pytest

from ragbase.settings import DEFAULT_BUCKET
from scripts.container.build import build
from scripts.container.place import Place, place
from scripts.local_cloud.contained import PARTS
from scripts.local_cloud.local_parts import SERVERS
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.user import User, eventually, user_with
from scripts.locked import NotInstalled
from tests.e2e.local_cloud_images import lay_out_local_cloud_images
from tests.page_blocks import block_of

pytestmark = pytest.mark.prove

UP = block_of("docs/local-cloud.md", "In containers", 2).text
UPLOAD = block_of("docs/local-cloud.md", "In containers", 3).text
ASK = block_of("docs/local-cloud.md", "In containers", 4).text
DOWN = block_of("docs/local-cloud.md", "In containers", 5).text
SERVICES = {*SERVERS, *PARTS} - {"vertex"}
FILE = "# Backups\n\nThe backups start at three o'clock every night, after the last ship has left.\n"
START_SECONDS = 180
BEHIND_A_PROXY = "export HTTP_PROXY=http://127.0.0.1:9 http_proxy=http://127.0.0.1:9"
"""Podman gives these variables to each container that does not set them. Docker does so with those of its client."""


@pytest.fixture(scope="module")
def there(ragbase_image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Where all parts of the profile are healthy."""
    lay_out_local_cloud_images()
    ours = build("localhost/ragbase-local-cloud-test:latest", "buildah", target="local-cloud", pull=False).tag
    images = {"ragbase": ragbase_image, "ragbase-local-cloud": ours}
    try:
        with place(tmp_path_factory.mktemp("local-cloud-in-containers"), images) as there:
            (there.folder / "backups.md").write_text(FILE, encoding="utf-8")
            there.shell(f"{BEHIND_A_PROXY}\n{UP}")
            for service in sorted(SERVICES):
                await_health(there, service)
            yield there
    except NotInstalled as error:
        raise Missing(str(error)) from error


@pytest.fixture(scope="module")
def user(there: Place) -> Iterator[User]:
    settings = {
        "GOOGLE_CLOUD_PROJECT": "ragbase-local",
        "STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{there.ports['4443']}",
        "RAGBASE_BUCKET": DEFAULT_BUCKET,
        "LOCAL_CLOUD_API": f"http://127.0.0.1:{there.ports['8081']}",
    }
    with user_with(settings) as user:
        yield user


def await_health(there: Place, service: str) -> None:
    """Wait until the health check of the compose file holds: without systemd, Podman makes none by itself."""
    check = ["podman", "healthcheck", "run", there.container(service)]

    def healthy() -> bool:
        return not subprocess.run(check, env=there.environment, capture_output=True, check=False).returncode

    try:
        eventually(healthy, START_SECONDS, every=0.5)
    except TimeoutError:
        pytest.fail(f"{service} is not healthy. The end of its log:\n{there.log(service)[-3000:]}")


def test_every_part_runs_in_its_container_and_the_embedded_server_does_not(there: Place) -> None:
    assert set(there.containers()) == {there.container(service) for service in SERVICES}


def test_a_file_in_the_bucket_is_answered_from_with_a_citation_until_it_is_deleted(there: Place, user: User) -> None:
    there.shell(UPLOAD)
    assert user.settled("guides/backups.md")["status"] == "COMPLETED"
    answer = json.loads("".join(there.shell(ASK)))
    ((cited,),) = [sentence["citations"] for sentence in answer["sentences"]]
    assert (answer["answered"], cited["filename"]) == (True, "guides/backups.md")
    assert "three o'clock" in answer["text"] and cited["text"] in FILE

    user.delete("guides/backups.md")
    assert eventually(lambda: user.document("guides/backups.md") is None)
    assert not json.loads("".join(there.shell(ASK)))["answered"]


def test_a_large_file_goes_through_the_heavy_lane_in_parts_of_an_upload(user: User) -> None:
    user.upload("log.txt", "The crane of the harbour turns at noon. " * 250_000, "text/plain")
    done = user.settled("log.txt")
    assert (done["status"], done["lane"]) == ("COMPLETED", "heavy")


def test_only_the_bucket_and_the_api_are_published_and_to_this_machine_alone(there: Place) -> None:
    published = {service: there.podman("port", there.container(service)) for service in SERVICES}
    assert {service: ports for service, ports in published.items() if ports} == {
        "storage": f"4443/tcp -> 127.0.0.1:{there.ports['4443']}",
        "api": f"8080/tcp -> 127.0.0.1:{there.ports['8081']}",
    }


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_no_part_has_a_right_that_it_does_not_need_or_writes_to_a_disk(there: Place, service: str) -> None:
    status = there.podman("exec", there.container(service), "cat", "/proc/1/status")
    found = dict(re.findall(r"^(\w+):\s+(.*)$", status, re.MULTILINE))
    assert set(found["Uid"].split()) == {"10001"}
    assert {int(found[name], 16) for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")} == {0}
    assert found["NoNewPrivs"] == "1"
    mounted = there.podman("exec", there.container(service), "cat", "/proc/1/mounts")
    assert re.search(r"^\S+ / \S+ ro\b", mounted, re.MULTILINE)
    assert there.podman("inspect", "--format", "{{len .Mounts}}", there.container(service)) == "0"


def test_down_ends_every_part_and_leaves_nothing(there: Place) -> None:
    there.shell(DOWN)
    assert there.containers() == []
    assert there.podman("network", "ls", "--filter", f"name={there.project}", "--quiet") == ""
    assert there.podman("volume", "ls", "--filter", f"name={there.project}", "--quiet") == ""
