"""The image: the real Dockerfile, built on a base from Debian's packages, and docs/container.md, followed in a
container with a read-only root file system and no capability."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase.access.password import PasswordHash
from ragbase.version import NUMBER
from scripts.container.place import NOTICE, Place, blocks, newcomer, to_the_first_answer
from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.missing_server import Missing
from scripts.locked import ROOT, NotInstalled
from tests.office_documents import DOCUMENTS
from tests.old_office_documents import OLD_DOCUMENTS
from tests.page_blocks import block_of, blocks_of
from tests.unit.formats.pdf.scans import scan

pytestmark = pytest.mark.prove

ASK = next(block for block in blocks() if "/api/answer" in block).partition("\n")[2]


@pytest.fixture(scope="module")
def followed(ragbase_image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, str, str]]:
    """Where the page was followed up to the first answer, the key, and the answer."""
    try:
        with newcomer(tmp_path_factory.mktemp("container"), ragbase_image) as there:
            *_, answer, key = there.shell(f'{to_the_first_answer()}\nprintf "\\n%s\\n" "$RAGBASE_KEY"')
            yield there, key, answer
    except NotInstalled as error:
        raise Missing(str(error)) from error


def inside(there: Place, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["podman", "exec", there.container("ragbase"), *command],
        env=there.environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_leads_to_an_answer_over_http_with_the_key(followed: tuple[Place, str, str]) -> None:
    _, _, answer = followed
    assert json.loads(answer)["text"] == NOTICE


def test_nothing_of_the_local_cloud_starts_with_it(followed: tuple[Place, str, str]) -> None:
    there, _, _ = followed
    assert there.containers() == [there.container("ragbase")]


def test_nobody_is_answered_without_the_key(followed: tuple[Place, str, str]) -> None:
    there, _, _ = followed
    (refused,) = there.shell(ASK.replace("Bearer $RAGBASE_KEY", "Bearer nobody"))
    assert json.loads(refused)["error"] == "UNAUTHORIZED"


def test_the_process_has_no_right_that_it_does_not_need(followed: tuple[Place, str, str]) -> None:
    there, _, _ = followed
    status = inside(there, "cat", "/proc/1/status").stdout
    found = dict(re.findall(r"^(\w+):\s+(.*)$", status, re.MULTILINE))
    assert set(found["Uid"].split()) == set(found["Gid"].split()) == {"10001"}
    assert {int(found[name], 16) for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")} == {0}
    assert (found["Name"], found["NoNewPrivs"]) == ("tini", "1")
    assert "Read-only file system" in inside(there, "touch", "/opt/models/other").stderr
    assert inside(there, "find", "/data", "-maxdepth", "1", "-perm", "/077", "-name", "ragbase").stdout == ""
    assert inside(there, "stat", "--format=%a %u", "/data").stdout == "700 10001\n"


def test_the_sandbox_of_readers_holds_in_the_container(followed: tuple[Place, str, str]) -> None:
    there, _, _ = followed
    checks = {one["name"]: one for one in json.loads(inside(there, "ragbase", "doctor", "--json").stdout)["checks"]}
    assert checks["sandbox"]["ok"], checks["sandbox"]
    assert [name for name, check in checks.items() if check["needed"] and not check["ok"]] == []


def test_the_image_lacks_only_the_extras_that_the_page_names(followed: tuple[Place, str, str]) -> None:
    """And what makes its model, which is made."""
    there, _, _ = followed
    checks = json.loads(inside(there, "ragbase", "doctor", "--json").stdout)["checks"]
    lacking = {one["name"] for one in checks if one["name"].startswith("extra ") and not one["ok"]}
    assert lacking == {"extra eval", "extra minilm-export"}
    assert "- Not the extra `eval`" in (ROOT / "docs" / "container.md").read_text(encoding="utf-8")


def test_settings_reach_the_commands_from_the_override_and_not_from_env(followed: tuple[Place, str, str]) -> None:
    there, _, _ = followed
    (there.folder / ".env").write_text("RAGBASE_LANGUAGE=french\nRAGBASE_TOP_K=7\n", encoding="utf-8")
    try:
        shown = "\n".join(there.shell(block_of("docs/container.md", "Settings").text))
    finally:
        (there.folder / ".env").unlink()
        (there.folder / "compose.override.yaml").unlink(missing_ok=True)
    assert re.search(r"^language +german +RAGBASE_LANGUAGE", shown, re.MULTILINE), shown
    assert re.search(r"^top_k +5 +default", shown, re.MULTILINE), shown


def test_the_image_says_its_number_without_a_commit(followed: tuple[Place, str, str]) -> None:
    there, _, _ = followed
    assert inside(there, "ragbase", "--version").stdout == f"ragbase {NUMBER}\n"


def test_the_health_check_of_the_image_tells_a_running_server(followed: tuple[Place, str, str]) -> None:
    there, _, _ = followed
    there.podman("healthcheck", "run", there.container("ragbase"))


def test_the_health_check_asks_the_server_alone(followed: tuple[Place, str, str]) -> None:
    """No proxy that Docker's client gives to each container, and no module that lies in the folder of the data."""
    there, _, _ = followed
    container = there.container("ragbase")
    inspected = json.loads(there.podman("inspect", "--format", "{{json .Config.Healthcheck.Test}}", container))
    assert inspected[0] == "CMD"
    check = inspected[1:]
    proxies = [f"--env={name}=http://127.0.0.1:9" for name in ("HTTP_PROXY", "http_proxy")]
    assert inside(there, "sh", "-c", "echo 'raise SystemExit(7)' > /data/http.py").returncode == 0
    try:
        there.podman("exec", *proxies, container, *check)
    finally:
        inside(there, "rm", "/data/http.py")
    other_page = [part.replace("/readyz", "/no-page") for part in check]
    assert inside(there, *other_page).returncode == 1
    assert inside(there, *(part.replace("8080", "9") for part in check)).returncode == 1


def test_a_function_of_the_image_starts_with_its_name(followed: tuple[Place, str, str], ragbase_image: str) -> None:
    there, _, _ = followed
    (block,) = blocks_of("docs/container.md", "Lanes and functions")
    (options,) = re.findall(r"^docker run (.*functions-framework .*)$", block.text.replace("\\\n", ""), re.MULTILINE)
    name, port = f"{there.project}_function", free_port()
    started = [
        "run",
        "--detach",
        "--name",
        name,
        "--network",
        "host",
        *options.replace(" ragbase ", f" {ragbase_image} ").split(),
    ]
    there.podman(*started, "--host", "127.0.0.1", "--port", str(port))
    try:
        wait = f"curl -s --retry 60 --retry-connrefused --retry-delay 1 http://127.0.0.1:{port} -d nothing"
        (refused,) = there.shell(wait)
        assert json.loads(refused)["error"] == "MALFORMED_MESSAGE"
    finally:
        there.podman("rm", "--force", "--ignore", "--volumes", name)


def test_the_image_makes_the_hash_that_kubernetes_gets(followed: tuple[Place, str, str], ragbase_image: str) -> None:
    there, _, _ = followed
    block = block_of("docs/container.md", "On Kubernetes").text
    (told,) = re.findall(r'"\$\(docker (run .* ragbase) (password) < password.txt\)"', block)
    (there.folder / "password.txt").write_text("a long password of a test", encoding="utf-8")
    (printed,) = there.shell(f"podman {told[0].replace('ragbase', ragbase_image)} {told[1]} < password.txt")
    assert PasswordHash.parse(printed).matches("a long password of a test")


def test_each_reader_of_the_image_reads(followed: tuple[Place, str, str], ragbase_image: str, tmp_path: Path) -> None:
    """With all that the Dockerfile takes away."""
    there, _, _ = followed
    html = b"<html><body><h1>Boat</h1><p>The wind fills the sail of the boat.</p></body></html>"
    documents = {
        **DOCUMENTS,
        **OLD_DOCUMENTS,
        "pdf": scan([(16, "The wind fills the sail and the boat"), (16, "begins to move over the bay.")]),
        "html": html,
    }
    tmp_path.chmod(0o755)
    for format, data in documents.items():
        (tmp_path / f"one.{format}").write_bytes(data)
    offline = ["--read-only", "--network", "none", "--volume", f"{tmp_path}:/documents:ro"]
    said = there.podman("run", "--rm", *offline, ragbase_image, "ingest", "/documents")
    indexed = {line.split(" (")[0] for line in said.splitlines() if line.startswith("indexed: ")}
    assert indexed == {f"indexed: /documents/one.{format}" for format in documents}


def test_the_image_knows_the_services_that_a_sync_from_s3_asks(followed: tuple[Place, str, str]) -> None:
    """S3, and those that botocore.credentials and botocore.tokens ask who this is."""
    there, _, _ = followed
    services = ("s3", "sts", "sso", "sso-oidc", "signin")
    make = f"import boto3; [boto3.client(one, region_name='eu-west-1') for one in {services}]"
    made = inside(there, "python", "-c", make)
    assert (made.returncode, made.stderr) == (0, "")


def test_it_stops_in_order_and_goes_on_with_its_data(followed: tuple[Place, str, str]) -> None:
    there, key, _ = followed
    there.podman("stop", "--time", "60", there.container("ragbase"))
    assert there.podman("inspect", "--format", "{{.State.ExitCode}}", there.container("ragbase")) == "0"
    assert "Stopped. Unfinished work goes on at the next start." in there.log("ragbase")
    down = next(block for block in blocks() if block.startswith("docker compose down"))
    up = next(block for block in blocks() if block.startswith("docker compose up"))
    *_, answer = there.shell(f"export RAGBASE_KEY={key}\n{down}{up}echo\n{ASK}")
    assert json.loads(answer)["text"] == NOTICE
