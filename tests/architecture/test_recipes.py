"""The recipes of CONTRIBUTING.md: each is followed in a copy of this checkout, step by step, and works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ragbase.version import NUMBER

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("common", "docs", "functions", "requirements", "scripts", "terraform", "tests")
COPIED = (*FOLDERS, "CHANGELOG.md", "CONTRIBUTING.md", "mkdocs.yml", "pyproject.toml")


def steps(recipe: str) -> list[str]:
    """The files that the steps of a recipe name, in their order, with `<name>` and the like in them."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition(f"### {recipe}\n")[2].partition("\n### ")[0]
    return re.findall(r"^\d+\. `([^`]+)`:", section, re.MULTILINE)


@dataclass
class Checkout:
    """A copy of this checkout, in which a recipe is followed."""

    root: Path
    names: dict[str, str] = field(default_factory=dict)
    """What stands for <name> and the like."""
    changed: list[str] = field(default_factory=list)

    def new(self, path: str, text: str) -> None:
        file = self._file(path)
        assert not file.exists()
        file.parent.mkdir(exist_ok=True)
        if file.parent.parent.name == "adapters":
            (file.parent / "__init__.py").touch()
        file.write_text(text, encoding="utf-8")

    def below(self, path: str, *changes: tuple[str, str]) -> None:
        """Write lines below the first line that begins so, whatever its indentation."""
        file = self._file(path)
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        for begins, text in changes:
            place = next(at for at, line in enumerate(lines) if line.strip().startswith(begins))
            lines.insert(place + 1, text)
        file.write_text("".join(lines), encoding="utf-8")

    def replace(self, path: str, *changes: tuple[str, str]) -> None:
        file = self._file(path)
        text = file.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new, 1)
        file.write_text(text, encoding="utf-8")

    def added(self, path: str) -> str:
        """Where something new comes that a command writes."""
        return str(self._file(path))

    def _file(self, path: str) -> Path:
        self.changed.append(path)
        return self.root / path if path.split("/", maxsplit=1)[0] in COPIED else self.root / "common" / "ragbase" / path

    def followed(self, recipe: str) -> None:
        """The files that were changed are those of the recipe, in the order of its steps."""
        named = steps(recipe)
        for placeholder, name in self.names.items():
            named = [path.replace(placeholder, name) for path in named]
        assert self.changed == named

    def python(self, *arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.root / "home"),
                "PYTHONPATH": f"{self.root / 'common'}:{self.root}",
                "RAGBASE_HOME": str(self.root / "data"),
                "RAGBASE_EMBEDDER": "hashing",
                **{name: value for name, value in os.environ.items() if name == "TF_CLI_CONFIG_FILE"},
            },
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=1200,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def ragbase(self, *arguments: str) -> str:
        return self.python("-m", "ragbase.interfaces.cli.main", *arguments)

    def tests(self, *files: str, only: str = "") -> None:
        """These tests pass in the copy, too."""
        said = self.python("-m", "pytest", "-q", "-p", "no:xdist", *files, *(["-k", only] if only else []))
        assert re.search(r"[1-9]\d* passed", said)

    def layers(self) -> None:
        said = self.python("-c", "from importlinter.cli import lint_imports_command as lint; lint()")
        assert "0 broken" in said


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    left_out = shutil.ignore_patterns("__pycache__", ".hypothesis", ".terraform*", "test_recipes.py")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=left_out)
        else:
            shutil.copy(ROOT / name, tmp_path)
    return Checkout(tmp_path)


def test_every_recipe_is_followed_here() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Recipes\n")[2]
    mine = Path(__file__).read_text(encoding="utf-8")
    recipes = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert len(recipes) >= 7
    assert re.findall(r'followed\("(.+)"\)', mine) == recipes
    assert all(steps(recipe) for recipe in recipes)


@pytest.mark.prove
def test_add_a_format(checkout: Checkout) -> None:
    checkout.names = {"<name>": "srt"}
    checkout.replace(
        "formats/table.py",
        (
            "_OFFICE = tuple(",
            'SRT = Format(\n    name="srt", extensions=(".srt",), content_types=("application/x-subrip",), '
            "lane=Lane.FAST\n)\n_OFFICE = tuple(",
        ),
        ("CODE, TEXT)", "CODE, SRT, TEXT)"),
    )
    checkout.new(
        "formats/srt.py",
        '''"""Subtitles."""

import re

from ragbase.domain.extraction import Extraction
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within


def read_srt_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    text = re.sub(r"^\\d+\\n.* --> .*\\n", "", decode_within(data, limits).text, flags=re.MULTILINE)
    return Extraction(text, plain_until=len(text))


READER = Reader(version="srt-v1", check=check_text_file, read=read_srt_file)
''',
    )
    checkout.replace(
        "formats/readers.py",
        (
            "from ragbase.formats import code, config, csv, json, jsonl, log, markdown, notebook,",
            "from ragbase.formats import srt, code, config, csv, json, jsonl, log, markdown, notebook,",
        ),
        ('    "code": code.READER,\n', '    "code": code.READER,\n    "srt": srt.READER,\n'),
    )
    film = "1\\n00:00:01,000 --> 00:00:02,000\\nThe keeper counts the ships.\\n"
    checkout.below(
        "tests/contract/test_format.py",
        ("SAMPLES = {", f'    "srt": Sample(b"{film}", ("keeper", "ships")),\n'),
    )
    checkout.followed("Add a format")
    checkout.tests("tests/contract/test_format.py", "tests/unit/formats/test_table.py")
    (checkout.root / "films").mkdir()
    (checkout.root / "films" / "a.srt").write_text(film.encode().decode("unicode_escape"))
    assert "a.srt" in checkout.ragbase("ingest", "films")
    found = checkout.ragbase("query", "Who counts the ships?")
    assert "The keeper counts the ships." in found
    assert "-->" not in found


@pytest.mark.prove
def test_add_a_setting(checkout: Checkout) -> None:
    checkout.below(
        "settings.py", ("fast_workers: int", '    tide_hours: int = Field(6, ge=1, description="hours of a tide")\n')
    )
    checkout.followed("Add a setting")
    checkout.tests("tests/unit/interfaces/cli/test_settings.py", "tests/unit/test_config.py")
    assert "tide_hours" in checkout.ragbase("config")
    program = (
        "import os; os.environ['RAGBASE_TIDE_HOURS'] = '12'; import ragbase; print(ragbase.load_config().tide_hours)"
    )
    assert checkout.python("-c", program).strip() == "12"


@pytest.mark.prove
def test_add_a_command(checkout: Checkout) -> None:
    checkout.new(
        "interfaces/cli/commands/tide.py",
        '''"""ragbase tide"""

import click


@click.command("tide")
def command() -> None:
    """Say when the tide is high."""
    click.echo("at noon")
''',
    )
    checkout.below(
        "interfaces/cli/command_table.py",
        ('"config": "Show', '        "tide": "Say when the tide is high.",\n'),
        ('"config": (', '    "tide": ("ragbase tide", "ragbase tide | cat"),\n'),
    )
    checkout.names = {"<name>": "tide"}
    checkout.followed("Add a command")
    assert "Say when the tide is high." in checkout.ragbase("--help")
    assert checkout.ragbase("tide") == "at noon\n"


@pytest.mark.prove
def test_add_a_route(checkout: Checkout) -> None:
    checkout.new(
        "messages/api/tide.py",
        '''"""The tide as JSON."""

from pydantic import Field

from ragbase.messages.json_model import JsonModel


class Tide(JsonModel):
    high_at: str = Field(description="when the tide is high")
''',
    )
    checkout.replace(
        "interfaces/api/models.py",
        (
            "from ragbase.messages.api.tenants import TenantsResponse\n",
            "from ragbase.messages.api.tenants import TenantsResponse\nfrom ragbase.messages.api.tide import Tide\n",
        ),
        ('    "UploadForm",\n', '    "Tide",\n    "UploadForm",\n'),
    )
    checkout.replace(
        "interfaces/api/operations.py",
        (
            "OPERATIONS = (\n",
            """OPERATIONS = (
    Operation(
        id="readTide",
        method="GET",
        path="/api/tide",
        summary="When the tide is high.",
        scope=Scope.READ,
        answers={200: Answer(meaning="The tide.", body=Model("Tide"))},
    ),
""",
        ),
    )
    checkout.new(
        "interfaces/api/tide.py",
        '''"""GET /api/tide"""

from flask import Blueprint, Response

from ragbase.bootstrap.profile import Profile
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.json_answer import json_answer


def tide(profile: Profile) -> Blueprint:
    blueprint = Blueprint("tide", __name__)

    @route(blueprint, operation("readTide"))
    def read_tide() -> Response:
        from ragbase.messages.api.tide import Tide

        return json_answer(Tide(high_at="noon"))

    return blueprint
''',
    )
    checkout.replace(
        "interfaces/api/app.py",
        (
            "from ragbase.interfaces.api.uploads",
            "from ragbase.interfaces.api.tide import tide\nfrom ragbase.interfaces.api.uploads",
        ),
        ("*about_documents, *of_operator,", "*about_documents, tide, *of_operator,"),
    )
    checkout.names = {"<name>": "tide"}
    checkout.followed("Add a route")
    said = checkout.python(
        "-c",
        """
from ragbase import load_config
from ragbase.bootstrap.open_profile import open_profile
from ragbase.interfaces.api.app import create_app
client = create_app(open_profile(load_config())).test_client()
print(client.get("/api/tide").text, client.get("/openapi.json").json["paths"]["/api/tide"]["get"]["summary"])
""",
    )
    assert "noon" in said
    assert "When the tide is high." in said


@pytest.mark.prove
def test_add_a_function(checkout: Checkout) -> None:
    checkout.new(
        "functions/catch_up/main.py",
        '''"""Routes the objects of the bucket that were never announced."""

import time

import functions_framework
from flask import Request

import ragbase.interfaces.http.cold_start  # noqa: F401 - importing it is its use
from ragbase.interfaces.http.start import start
from ragbase.upkeep.backfill import backfill

profile = start()


@functions_framework.http
def catch_up(_: Request) -> dict[str, list[str]]:
    visits = backfill("", profile, rate=50, sleep=time.sleep)
    return {"routed": [visit.stored.name for visit in visits if visit.record is not None]}
''',
    )
    checkout.below("scripts/lock", ("functions dead_letter", "functions catch_up storage pubsub firestore\n"))
    # Equal extras give equal locks. Nothing is resolved here, which would need the package index.
    locks = checkout.root / "requirements" / "functions"
    shutil.copy(locks / "dead_letter.txt", locks / "catch_up.txt")
    checkout.replace(
        "terraform/functions.tf",
        ("max_instances = 3\n", "max_instances = 2\n"),
        (
            "    janitor = {\n",
            """    catch_up = {
      memory_mib    = 512
      cpu           = 1
      timeout       = 540
      concurrency   = 1
      min_instances = 0
      max_instances = 1
    }
    janitor = {
""",
        ),
    )
    checkout.below(
        "terraform/accounts.tf",
        (
            "access = {",
            '    catch_up    = { records = true, objects = "read", texts = false, '
            'publishes = ["fast_lane", "heavy_lane"], weaviate = false }\n',
        ),
    )
    sources = (ROOT / "terraform" / "sources.tf").read_text(encoding="utf-8")
    schedule = sources[sources.index('resource "google_cloud_run_v2_service_iam_member"') :]
    schedule = schedule.replace("  paused      = length(var.sources) == 0\n", "").replace(
        "local.functions.sources", "local.functions.catch_up"
    )
    checkout.new(
        "terraform/catch_up.tf",
        schedule.replace('"sources"', '"catch_up"')
        .replace("}-sources", "}-catch-up")
        .replace("iam_member.sources", "iam_member.catch_up"),
    )
    checkout.replace("terraform/alerts_events.tf", ("(janitor|sources)", "(catch-up|janitor|sources)"))
    checkout.below(
        "terraform/tests/defaults.auto.tfvars",
        ("archives = {", f'  catch_up    = {{ path = "catch_up.zip", sha256 = "{"8" * 64}" }}\n'),
    )
    checkout.replace(
        "terraform/tests/access.tftest.hcl",
        ("== { router =", '== { catch_up = "roles/storage.objectViewer", router ='),
        ('concat(["router to', 'concat(["catch_up to fast_lane", "catch_up to heavy_lane", "router to'),
    )
    checkout.replace(
        "tests/functions/journeys.py",
        (
            "def sources(",
            """def catch_up(world: World) -> set[str]:
    for name, data in (("a.md", TEXT), ("b.pdf", PAGES)):
        world.put(name, data)
    module, used = world.function("catch_up")
    assert module.catch_up(None) == {"routed": ["a.md", "b.pdf"]}
    return used


def sources(""",
        ),
        ("(api, dead_letter", "(api, catch_up, dead_letter"),
    )
    checkout.names = {"<name>": "catch_up"}
    checkout.followed("Add a function")
    assert checkout.python("scripts/stage-functions", "staged", "catch_up").startswith("catch_up ")
    (checkout.root / "tower.md").write_text("The keeper counts the ships.")
    said = checkout.python(
        "-c",
        """
import os
from pathlib import Path
from ragbase import load_config
from ragbase.bootstrap.open_profile import open_profile
from tests.functions.recorded import Recorded
from tests.functions.served import serve
log, staged = Path("log"), Path("staged")
cloud = {"RAGBASE_PROFILE": "gcp", "GOOGLE_CLOUD_PROJECT": "project", "RAGBASE_EMBEDDER": "cohere", "PYTHONPATH": ""}
with serve("catch_up", cloud, log, folder=staged):
    print("It starts with what was staged.")
open_profile(load_config()).bucket.put("tower.md", b"The keeper counts the ships.")
folder = {name: os.environ[name] for name in ("PYTHONPATH", "RAGBASE_HOME", "RAGBASE_EMBEDDER")}
with serve("catch_up", folder, log, folder=staged, program="tests.functions.on_a_folder") as function:
    print([function.post(Recorded({}, {})).json for _ in range(2)])
""",
    )
    assert "It starts with what was staged." in said
    assert "[{'routed': ['tower.md']}, {'routed': []}]" in said
    agree = ("test_agreement.py", "test_least_privilege.py", "test_terraform.py")
    checkout.tests(
        *(f"tests/terraform/{file}" for file in agree),
        only="(function and not prod) or promises and access or formatted",
    )


ROOM = '"ragbase.adapters.amazon", '
"""In the contract of import-linter that lists the vendors' rooms."""


@pytest.mark.prove
def test_add_a_source(checkout: Checkout) -> None:
    memory = (
        (ROOT / "common" / "ragbase" / "testing" / "source.py").read_text().replace("MemorySource", "HarbourSource")
    )
    checkout.new("adapters/harbour/source.py", memory)
    checkout.replace("plugins.py", ('("s3", "gs", "https", "http")', '("s3", "gs", "harbour", "https", "http")'))
    checkout.replace(
        "bootstrap/sources.py",
        (
            "def _cloud_storage(",
            """def _harbour(rest: str, config: Config) -> DocumentSource:
    from ragbase.adapters.harbour.source import HarbourSource

    source = HarbourSource(f"harbour://{rest}", root="harbour/")
    source.files["tower.md"] = b"The keeper counts the ships."
    return source


def _cloud_storage(""",
        ),
        ('"gs": _cloud_storage', '"gs": _cloud_storage, "harbour": _harbour'),
    )
    checkout.replace(
        "tests/contract/source_worlds.py",
        (
            "@contextmanager\ndef _folder",
            """@contextmanager
def _harbour(_: Path) -> Iterator[SourceUnderTest]:
    from ragbase.adapters.harbour.source import HarbourSource

    source = HarbourSource("harbour://docs/", root="docs/")
    yield SourceUnderTest(
        source, "harbour://docs/", "docs/", source.files.__setitem__, source.files.__delitem__, lambda: None
    )


@contextmanager
def _folder""",
        ),
        ('    "folder": _folder,\n', '    "folder": _folder,\n    "harbour": _harbour,\n'),
    )
    checkout.replace("pyproject.toml", (ROOM, ROOM + '"ragbase.adapters.harbour", '))
    checkout.names = {"<vendor>": "harbour"}
    checkout.followed("Add a source")
    checkout.layers()
    checkout.tests("tests/contract/test_source.py", only="harbour")
    assert "tower.md" in checkout.ragbase("sync", "harbour://north/")
    assert "counts the ships" in checkout.ragbase("query", "Who counts the ships?")


def _attic(name: str) -> str:
    """The store in memory as that of a vendor."""
    text = (ROOT / "common" / "ragbase" / "testing" / f"{name}.py").read_text().replace("Memory", "Attic")
    return text.replace("ragbase.testing.vector_store", "ragbase.adapters.attic.vector_store")


@pytest.mark.prove
def test_add_a_vector_store(checkout: Checkout) -> None:
    checkout.new("adapters/attic/vector_store.py", _attic("vector_store"))
    checkout.new("adapters/attic/indexes.py", _attic("indexes"))
    checkout.replace("plugins.py", ('("weaviate", "qdrant")', '("weaviate", "qdrant", "attic")'))
    checkout.replace(
        "bootstrap/cloud.py",
        (
            "        from ragbase.adapters.weaviate.indexes import WeaviateIndexes\n",
            """        if self.config.vector_store == "attic":
            from ragbase.adapters.attic.indexes import AtticIndexes

            return AtticIndexes()
        from ragbase.adapters.weaviate.indexes import WeaviateIndexes
""",
        ),
    )
    checkout.replace(
        "tests/contract/vector_stores.py",
        (
            "from ragbase.adapters.embedded import snapshot_files\n",
            "from ragbase.adapters.attic.vector_store import "
            "AtticVectorStore\nfrom ragbase.adapters.embedded import snapshot_files\n",
        ),
        (
            "@contextmanager\ndef _sqlite(",
            "@contextmanager\ndef _attic() -> Iterator[VectorStore]:\n    yield AtticVectorStore()\n\n\n"
            "@contextmanager\ndef _sqlite(",
        ),
        ('    "sqlite": _sqlite,\n', '    "sqlite": _sqlite,\n    "attic": _attic,\n'),
    )
    checkout.replace(
        "tests/contract/indexes.py",
        (
            "from ragbase.adapters.embedded.database",
            "from ragbase.adapters.attic.indexes import AtticIndexes\nfrom ragbase.adapters.embedded.database",
        ),
        (
            "@contextmanager\ndef _sqlite(",
            "@contextmanager\ndef _attic() -> Iterator[Opened]:\n    indexes = AtticIndexes()\n"
            "    yield lambda: indexes\n\n\n@contextmanager\ndef _sqlite(",
        ),
        ('    "sqlite": _sqlite,\n', '    "sqlite": _sqlite,\n    "attic": _attic,\n'),
    )
    checkout.replace("pyproject.toml", (ROOM, ROOM + '"ragbase.adapters.attic", '))
    checkout.names = {"<vendor>": "attic"}
    checkout.followed("Add a vector store")
    checkout.layers()
    checkout.tests("tests/contract/test_vector_store.py", "tests/contract/test_indexes.py", only="attic")
    said = checkout.python(
        "-c",
        """
from ragbase import load_config
from ragbase.bootstrap.open_profile import open_profile
config = load_config(profile="gcp", project="here", vector_store="attic")
print(type(open_profile(config).indexes).__name__)
""",
    )
    assert said.strip() == "AtticIndexes"


@pytest.mark.prove
def test_add_an_embedder(checkout: Checkout) -> None:
    hashing = (ROOT / "common" / "ragbase" / "adapters" / "hashing" / "embedder.py").read_text()
    checkout.new(
        "adapters/sums/embedder.py", hashing.replace("hashing-", "sums-").replace("HashingEmbedder", "SumsEmbedder")
    )
    checkout.replace("plugins.py", ('"hashing", ', '"hashing", "sums", '))
    checkout.replace(
        "bootstrap/embedders.py",
        (
            "    if config.embedder in LOCAL_MODELS:\n",
            """    if config.embedder == "sums":
        from ragbase.adapters.sums.embedder import SumsEmbedder

        return SumsEmbedder()
    if config.embedder in LOCAL_MODELS:
""",
        ),
        ('{"hashing": "hashing-", ', '{"hashing": "hashing-", "sums": "sums-", '),
    )
    checkout.replace(
        "tests/contract/test_embedder.py",
        (
            "from ragbase.adapters.openai.embedder",
            "from ragbase.adapters.sums.embedder import SumsEmbedder\nfrom ragbase.adapters.openai.embedder",
        ),
        ('    "hashing": HashingEmbedder,\n', '    "hashing": HashingEmbedder,\n    "sums": SumsEmbedder,\n'),
    )
    checkout.replace("pyproject.toml", (ROOM, ROOM + '"ragbase.adapters.sums", '))
    checkout.names = {"<vendor>": "sums"}
    checkout.followed("Add an embedder")
    checkout.layers()
    checkout.tests("tests/contract/test_embedder.py", only="sums")
    (checkout.root / "tower.md").write_text("The keeper counts the ships.")
    said = checkout.python(
        "-c",
        """
from ragbase import RAGEngine, load_config
with RAGEngine(load_config(embedder="sums")) as engine:
    engine.ingest(["tower.md"])
with RAGEngine(load_config()) as engine:
    print([result.chunk.content for result in engine.query("Who counts the ships?")])
""",
    )
    assert "The keeper counts the ships." in said


@pytest.mark.prove
def test_add_a_planted_bug(checkout: Checkout) -> None:
    checkout.below(
        "tests/simulated_world/bugs_in_repair.py",
        (
            "from tests.simulated_world.planted_bug",
            """

@bug("nothing-is-stuck", "reconcile takes every document as one that somebody works on")
def _nothing_is_stuck() -> Sequence[Patch]:
    return [(compare_module.Sight, "is_in_motion", lambda *_: True)]
""",
        ),
    )
    checkout.names = {"<subject>": "repair"}
    checkout.followed("Add a planted bug")
    said = checkout.python("-m", "tests.simulated_world", "--bug", "nothing-is-stuck", "--seeds", "200", code=1)
    assert "nothing-is-stuck" in said


@pytest.mark.prove
def test_add_a_page_of_the_documentation(checkout: Checkout) -> None:
    checkout.new("docs/tides.md", "# Tides\n\nThe tide is high at noon.\n")
    checkout.below("mkdocs.yml", ("- Operate it: operate.md", "      - Know the tides: tides.md\n"))
    checkout.names = {"<name>": "tides"}
    checkout.followed("Add a page of the documentation")
    checkout.tests("tests/docs/test_project.py")


@pytest.mark.prove
def test_make_a_release(checkout: Checkout) -> None:
    def commit() -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@a")
        subprocess.run(["git", "add", "--all"], cwd=checkout.root, check=True)
        subprocess.run(["git", *who, "commit", "--quiet", "--message", "A release"], cwd=checkout.root, check=True)

    subprocess.run(["git", "init", "--quiet"], cwd=checkout.root, check=True)
    (checkout.root / ".gitignore").write_text("home/\n__pycache__/\n", encoding="ascii")
    number = "98.0.0"
    version = checkout.root / "common" / "ragbase" / "version.py"
    version.write_text(version.read_text(encoding="utf-8").replace(f'"{NUMBER}"', f'"{number}.dev0"'), encoding="utf-8")
    changelog = checkout.root / "CHANGELOG.md"
    text = re.sub(rf"^## {re.escape(NUMBER)} .*\n", "", changelog.read_text(encoding="utf-8"), flags=re.MULTILINE)
    entry = "## Unreleased\n\n### Fixed\n\n- The mast stands.\n"
    changelog.write_text(text.replace("## Unreleased\n", entry), encoding="utf-8")
    checkout.names = {"<version>": number}
    checkout.replace("version.py", (f'"{number}.dev0"', f'"{number}"'))
    checkout.replace("CHANGELOG.md", ("## Unreleased\n", f"## Unreleased\n\n## {number} – 2027-01-15\n"))
    commit()
    checkout.tests("tests/docs/test_project.py", "tests/e2e/test_released_data_folders.py")
    assert f"ragbase {number} can be released" in checkout.python("-m", "scripts.make_release", "--dry-run")

    folder = f"tests/data/releases/{number}"
    checkout.python("-m", "tests.write_data_folder", checkout.added(folder))
    checkout.replace("version.py", (f'"{number}"', '"99.0.0.dev0"'))
    checkout.followed("Make a release")
    commit()
    checkout.tests("tests/docs/test_project.py", "tests/e2e/test_released_data_folders.py")
    assert "ragbase 99.0.0.dev2" in checkout.ragbase("--version")
    assert "Remove .dev0" in checkout.python("-m", "scripts.make_release", "--dry-run", code=1)


@pytest.mark.prove
def test_note_a_decision(checkout: Checkout) -> None:
    parts = "\n\n".join(f"**{part}.** The tide is high." for part in ("Context", "Decision", "Consequences"))
    decisions = checkout.root / "docs" / "decisions"
    number = len(list(decisions.glob("0*.md"))) + 1
    page = f"{number:04}-the-tide.md"
    checkout.new(f"docs/decisions/{page}", f"# {number}. The tide\n\n{parts}\n")
    checkout.below("docs/decisions/README.md", (f"{number - 1}. ", f"{number}. [The tide]({page})\n"))
    checkout.below("mkdocs.yml", (f"- decisions/{number - 1:04}", f"          - decisions/{page}\n"))
    checkout.names = {"<number>-<name>": page.removesuffix(".md")}
    checkout.followed("Note a decision")
    checkout.tests("tests/docs/test_project.py")
