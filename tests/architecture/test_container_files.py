"""The Dockerfile, compose.yaml and kubernetes/: linters and schemas find nothing, and would find a mistake."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.container.build import TAG
from scripts.local_cloud import contained, storage, weaviate
from scripts.local_cloud.local_parts import SERVERS
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.wiring import BUCKET, PROJECT, UPLOADS
from scripts.locked import ROOT, NotInstalled, locked_environment, locked_go_tool
from tests.page_blocks import block_of

DOCKERFILE = ROOT / "Dockerfile"
COMPOSE = ROOT / "compose.yaml"
KUBERNETES = ROOT / "kubernetes"
NOT_PINNED = "DL3008"
"""hadolint wants a version of each of Debian's packages. The archive keeps one: an update would end every build."""
KUBERNETES_VERSION = "1.34"
PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
"""Docker gives them to each container whose service does not set them, where its client has a proxy
(https://docs.docker.com/engine/cli/proxy/). The parts of the local cloud would ask it for each other."""
COMPOSE_SPEC = "import sys; from compose_spec import PyCompose; PyCompose.from_yaml(sys.stdin.read()).validate()"


def tool(*command: str, given: str) -> subprocess.CompletedProcess[str]:
    try:
        folder = locked_environment("podman-compose", "container")
    except NotInstalled as error:
        raise Missing(str(error)) from error
    return subprocess.run([folder / command[0], *command[1:]], input=given, capture_output=True, text=True, check=False)


def merged(text: str) -> str:
    """With what it takes from its anchors in place: compose_spec knows no merge keys."""
    return yaml.safe_dump(yaml.safe_load(text), sort_keys=False)


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    return found


def go_program(name: str) -> Path:
    try:
        return locked_go_tool(Path(__file__).with_name(name))
    except NotInstalled as error:
        raise Missing(str(error)) from error


def go_tool(name: str, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([go_program(name), *arguments], input=given, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kubernetes' schemas from the package kubernetes-validate, which locks them. They name each other by addresses of
    a site. In this folder they do by file names, as kubeconform reads them without a network."""
    find = "import kubernetes_validate; print(kubernetes_validate.__path__[0])"
    package = Path(tool("python", "-c", find, given="").stdout.strip())
    folder = tmp_path_factory.mktemp("schemas")
    for file in (package / "kubernetes-json-schema" / f"v{KUBERNETES_VERSION}.0-local-strict").glob("*.json"):
        schema = json.loads(file.read_text(encoding="utf-8").replace("/api/_definitions.json", "_definitions.json"))
        schema.pop("$id", None)
        (folder / file.name).write_text(json.dumps(schema), encoding="utf-8")
    return folder


def documents() -> list[Any]:
    files = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]
    return [yaml.safe_load((KUBERNETES / file).read_text(encoding="utf-8")) for file in files]


def of_kind(kind: str) -> Any:
    (found,) = [document for document in documents() if document["kind"] == kind]
    return found


@pytest.mark.prove
def test_hadolint_finds_nothing_and_would_find_a_mistake() -> None:
    text = DOCKERFILE.read_text(encoding="utf-8")
    assert tool("hadolint", "--ignore", NOT_PINNED, "-", given=text).stdout == ""
    wrong = text.replace("USER 10001:10001", "USER root")
    assert wrong != text and "DL3002" in tool("hadolint", "--ignore", NOT_PINNED, "-", given=wrong).stdout


@pytest.mark.prove
@pytest.mark.parametrize(
    ("right", "wrong"), [("read_only:", "readonly:"), ("[ALL]", "ALL"), ("restart: ", "restart: x")]
)
def test_the_compose_file_is_one_and_a_mistake_would_be_found(right: str, wrong: str) -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    assert not tool("python", "-c", COMPOSE_SPEC, given=merged(text)).returncode
    assert right in text and tool("python", "-c", COMPOSE_SPEC, given=merged(text.replace(right, wrong))).returncode


@pytest.mark.prove
def test_kubeconform_finds_nothing_in_what_kustomize_makes_and_would_find_a_mistake(schemas: Path) -> None:
    made = go_tool("kustomize", "build", str(KUBERNETES))
    assert made.returncode == 0, made.stderr
    files = len(list(KUBERNETES.glob("*.yaml"))) - 1
    options = ("-strict", "-summary", "-schema-location", f"{schemas}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json")
    checked = go_tool("kubeconform", *options, given=made.stdout)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert f"{files} resources found parsing stdin - Valid: {files}," in checked.stdout
    wrong = made.stdout.replace("readOnlyRootFilesystem", "readOnlyRootFileSystem")
    found = go_tool("kubeconform", *options, given=wrong)
    assert found.returncode and "readOnlyRootFileSystem" in found.stdout and "Invalid: 1," in found.stdout


@pytest.mark.prove
def test_kustomize_refuses_a_resource_that_is_not_there(tmp_path: Path) -> None:
    shutil.copytree(KUBERNETES, tmp_path / "kubernetes")
    (tmp_path / "kubernetes" / "volume.yaml").unlink()
    refused = go_tool("kustomize", "build", str(tmp_path / "kubernetes"))
    assert refused.returncode and "volume.yaml" in refused.stderr


@pytest.mark.prove
def test_the_page_puts_your_image_into_the_deployment(tmp_path: Path) -> None:
    """Its commands, with the real kustomize. There is no cluster: what kubectl would apply is printed."""
    shutil.copytree(KUBERNETES, tmp_path / "kubernetes")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "kustomize").symlink_to(go_program("kustomize"))
    for name, text in {"docker": "", "kubectl": '[ "$1" = create ] || kustomize build "${3:?}"'}.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    (tmp_path / "password.txt").touch()
    block = block_of("docs/container.md", "On Kubernetes").text
    applied = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", block],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert applied.returncode == 0, applied.stderr
    assert re.findall(r"^ +image: (.*)$", applied.stdout, re.MULTILINE) == ["registry.example.com/ragbase:1"]


def test_every_resource_is_in_the_kustomization() -> None:
    assert len(documents()) == len(list(KUBERNETES.glob("*.yaml"))) - 1


def test_the_image_and_both_ways_to_run_it_agree() -> None:
    """On the user, the port, the path of the data, and what is locked up."""
    image = DOCKERFILE.read_text(encoding="utf-8")
    server = services()["ragbase"]
    pod = of_kind("Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    user, group = re.findall(r"^USER (\d+):(\d+)$", image, re.MULTILINE)[0]
    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["fsGroup"]) == (int(user), int(group))
    (port,) = re.findall(r"^EXPOSE (\d+)$", image, re.MULTILINE)
    assert server["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert [one["containerPort"] for one in container["ports"]] == [int(port)]
    (data,) = re.findall(r"^VOLUME (\S+)$", image, re.MULTILINE)
    assert server["volumes"] == [f"data:{data}"]
    assert {one["mountPath"] for one in container["volumeMounts"]} == {data, "/tmp"}
    assert server["read_only"] and container["securityContext"]["readOnlyRootFilesystem"]
    assert server["cap_drop"] == container["securityContext"]["capabilities"]["drop"] == ["ALL"]
    assert server["security_opt"] == ["no-new-privileges:true"]
    assert container["securityContext"]["allowPrivilegeEscalation"] is False


def test_a_start_may_take_as_long_as_the_largest_database_of_the_volume_is_copied() -> None:
    """A start that is ended in the middle of that begins again, and would never be done. The copy takes half of the
    volume at most, and a slow disk of a network takes 10 MB a second."""
    pod = of_kind("Deployment")["spec"]["template"]["spec"]
    probe = pod["containers"][0]["startupProbe"]
    (gigabytes,) = re.findall(
        r"^(\d+)Gi$", of_kind("PersistentVolumeClaim")["spec"]["resources"]["requests"]["storage"]
    )
    needed = int(gigabytes) / 2 * 1024**3 / 10_000_000
    assert probe["periodSeconds"] * probe["failureThreshold"] >= needed
    (minutes,) = re.findall(
        r"^HEALTHCHECK .*--start-period=(\d+)m ", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert int(minutes) * 60 >= needed


def test_the_image_is_built_under_the_name_that_compose_starts() -> None:
    assert f"{services()['ragbase']['image']}:latest" == TAG


def test_no_two_servers_write_one_volume() -> None:
    spec = of_kind("Deployment")["spec"]
    assert (spec["replicas"], spec["strategy"]["type"]) == (1, "Recreate")
    assert of_kind("PersistentVolumeClaim")["spec"]["accessModes"] == ["ReadWriteOnce"]


def test_a_builder_gets_only_what_the_dockerfile_copies() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = re.findall(r"^COPY (?!--)(.*) \S+$", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE)
    assert "*" in ignored
    assert {source for line in copied for source in line.split()} == {path.removesuffix("/ragbase") for path in sent}
    assert all((ROOT / Path(path)).exists() for path in sent)


def test_the_local_cloud_is_all_of_its_parts_and_starts_only_when_its_profile_is_named() -> None:
    parts = {name: service for name, service in services().items() if service.get("profiles") == ["local-cloud"]}
    assert set(services()) == {"ragbase", *parts}
    assert set(parts) == {*SERVERS, *contained.PARTS} - {"vertex"}
    ours = {name: service["command"] for name, service in parts.items() if "build" in service}
    assert ours == {name: [name] for name in contained.PARTS}
    assert {*parts["api"]["depends_on"], "api"} == set(parts)


@pytest.mark.parametrize("name", [name for name in services() if name != "ragbase"])
def test_every_part_of_the_local_cloud_is_locked_up(name: str) -> None:
    part = services()[name]
    assert (part["user"], part["read_only"], part["cap_drop"]) == ("10001:10001", True, ["ALL"])
    assert part["security_opt"] == ["no-new-privileges:true"]
    assert part["mem_limit"] and part["pids_limit"] and part["healthcheck"]["test"] and "volumes" not in part
    assert all(port.startswith("127.0.0.1:") for port in part.get("ports", []))
    assert bool(part.get("ports")) == (name in ("storage", "api"))
    assert not re.search("key|token|password|secret", str(part.get("environment", "")), re.IGNORECASE)
    assert {variable: part["environment"][variable] for variable in PROXIES} == dict.fromkeys(PROXIES, "")
    assert re.fullmatch(r"ragbase-local-cloud|\S+\.\S+/\S+:\d+\.\d+\.\d+(-emulators)?", part["image"])


def test_the_servers_of_the_compose_file_are_those_of_the_local_cloud() -> None:
    """They have its version, and its names of what is made in them, and listen where its wiring looks."""
    parts = services()
    assert parts["weaviate"]["image"].endswith(f":{weaviate.VERSION}")
    command = parts["storage"]["command"]
    told = dict(zip(command[::2], command[1::2], strict=True))
    assert (told["-event.pubsub-project-id"], told["-event.pubsub-topic"]) == (PROJECT, UPLOADS)
    assert (told["-event.bucket"], told["-event.list"]) == (BUCKET, storage.EVENTS)
    assert parts["storage"]["environment"]["PUBSUB_EMULATOR_HOST"] == contained.SERVERS["pubsub"]
    for name in ("storage", "pubsub", "firestore", "weaviate"):
        host, _, port = contained.SERVERS[name].partition(":")
        assert host == name and port in re.findall(r"\d+", " ".join(parts[name]["command"]))
