"""Settings, variables, options, routes and fields that sentences of the documentation and messages name are there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import click
import pytest

from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.interfaces.api.description import document
from ragbase.interfaces.cli.application import application
from ragbase.settings import Config
from tests.architecture.test_house import ROOT, tracked
from tests.docs.test_inline_commands import messages_of
from tests.page_blocks import code_in_sentences, pages

VARIABLE = re.compile(r"(?<![A-Z_])RAGBASE_[A-Z_]*[A-Z]")
SETTING = re.compile(
    r"[Ss]ettings? `([a-z]\w*)`|`([a-z]\w*)` setting|\(setting (\w+)\)|the setting ([a-z]+_\w+)|[Ss]et `([a-z]\w*)`"
)
ASSIGNED = re.compile(r"([a-z]\w*) ?= ?(.+)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]+")
ROUTE = re.compile(r"(GET|POST|PUT|DELETE) (…?)(/[^ ?]*)(?:\?(\w+)=\S*)?")
NAME = re.compile(r"[A-Za-z]+_\w+|[a-z]+[A-Z]\w*")
KEY = re.compile(r'"(\w+)":')
OF_OTHERS = {
    "--hash": "an option of pip, in lock files",
    "--ragbase-accent": "a property of CSS",
    "AWS_PROFILE": "a variable of the AWS SDK",
    "RAG_CSV_ENCODING": "made of rag.csv.encoding",
    "RAG_VECTORSTORE_TOP_K": "made of rag.vectorstore.top-k",
    "REQUEST_TIMEOUT": "made of the status 408",
    "SECURITY_POLICIES": "a quota of Google Cloud",
    "html_content": "a word of the contract",
    "vs_acme": "an id with the name of a tenant",
}
"""Names that are not in the code, each with what it is."""


@cache
def options() -> frozenset[str]:
    """Those of all commands of ragbase. The help of our scripts writes theirs in quotation marks."""

    def of(command: click.Command) -> Iterator[str]:
        for parameter in command.params:
            yield from (*parameter.opts, *parameter.secondary_opts)
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                yield from of(below)

    scripts = "".join(file.read_text(encoding="utf-8") for file in tracked("scripts/*.py", "scripts/deploy"))
    return frozenset((*of(application), *re.findall(r'"(--[\w-]+)"', scripts), "--help"))


@cache
def routes() -> Mapping[tuple[str, str], Sequence[str]]:
    """The names of the parameters of each route of /openapi.json, by its method and its path."""
    paths = document(is_open=False)["paths"]
    return {
        (method.upper(), bare(path)): [one["name"] for one in operation["parameters"]]
        for path, methods in paths.items()
        for method, operation in methods.items()
    } | {("GET", path): [] for path in ("/openapi.json", "/docs")}


def bare(path: str) -> str:
    """A path with `{}` for what each request fills in: `{id}`, `:id` or `ID`."""
    return re.sub(r"(?<=/)(?:\{\w+\}|:\w+|[A-Z]+)(?=/|$)", "{}", path)


@cache
def words_of_code() -> frozenset[str]:
    """The words of all files but pages, as they are, and as JSON writes the name of a field."""
    files = [file for file in tracked() if file.suffix not in (".md", ".webp") and file.parent != Path(__file__).parent]
    text = "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)
    words = set(re.findall(r"\w+", text))
    return frozenset(words | {re.sub(r"_(\w)", lambda found: found[1].upper(), word) for word in words if "_" in word})


@cache
def variables_of_terraform() -> frozenset[str]:
    files = (file.read_text(encoding="utf-8") for file in tracked("terraform/*.tf"))
    return frozenset(name for text in files for name in re.findall(r'^variable "(\w+)"', text, re.MULTILINE))


def wrong_in_text(text: str) -> Iterator[str]:
    """The variables and settings of a text that there are not."""
    for variable in VARIABLE.findall(text):
        try:
            load_config(home="/nowhere", environment={variable: ""})
        except ConfigurationError:
            yield variable
    settings = (name for found in SETTING.findall(text) for name in found if name)
    yield from (name for name in settings if name not in Config.model_fields | dict.fromkeys(variables_of_terraform()))


def wrong_in_code(code: str) -> Iterator[str]:
    """What is not there of the code that a sentence has in backticks."""
    yield from (option for option in OPTION.findall(code)[:1] if code.startswith(option) and option not in options())
    yield from (key for key in KEY.findall(code) if key not in words_of_code())
    if NAME.fullmatch(code) and code not in words_of_code():
        yield code
    if found := ROUTE.fullmatch(code):
        method, cut, path, parameter = found.groups()
        names = [
            named
            for (one, whole), named in routes().items()
            if one == method and (whole.endswith(bare(path)) if cut else whole == bare(path))
        ]
        if not names or (parameter and parameter not in names[0]):
            yield code
    if found := ASSIGNED.fullmatch(code):
        name, value = found.groups()
        if name in Config.model_fields:
            yield from filter(None, [refusal(name, value)])
        elif name not in words_of_code():
            yield code


def refusal(name: str, written: str) -> str:
    """Why a setting does not take this value, in the syntax of TOML or as a variable has it; empty if it does."""
    try:
        value = tomllib.loads(f"value = {written}")["value"]
    except tomllib.TOMLDecodeError:
        value = written
    try:
        load_config(home="/nowhere", environment={}, **{name: value})
    except ConfigurationError as error:
        return str(error)
    return ""


@cache
def wrong_on_page(page: str) -> frozenset[str]:
    in_text = wrong_in_text((ROOT / page).read_text(encoding="utf-8"))
    return frozenset((*in_text, *(one for code in code_in_sentences(page) for one in wrong_in_code(code))))


@cache
def wrong_in_messages() -> frozenset[str]:
    messages = [message for file in tracked("common/*.py") for message in messages_of(file) if " " in message]
    wrong = (name for message in messages for name in (*wrong_in_text(message), *OPTION.findall(message)))
    return frozenset(wrong) - options()


@pytest.mark.parametrize("page", pages())
def test_what_a_page_names_is_there(page: str) -> None:
    assert wrong_on_page(page) - OF_OTHERS.keys() == set()


def test_what_a_message_names_is_there() -> None:
    assert wrong_in_messages() - OF_OTHERS.keys() == set()


def test_each_name_of_others_is_needed() -> None:
    found = wrong_in_messages().union(*map(wrong_on_page, pages()))
    assert OF_OTHERS.keys() - found == set()


@pytest.mark.parametrize(
    ("wrong", "mistake"),
    [
        (wrong_in_text, "Set RAGBASE_CHUNKSIZE before."),
        (wrong_in_text, "The setting `chunk_sise` is wrong."),
        (wrong_in_text, "more memory (setting extract_memry)"),
        (wrong_in_code, "--dryrun"),
        (wrong_in_code, "--tenants NAME"),
        (wrong_in_code, "POST /api/questions"),
        (wrong_in_code, "GET /api/documents/ID/txt"),
        (wrong_in_code, "GET …/reread"),
        (wrong_in_code, "GET /api/documents?state=FAILED"),
        (wrong_in_code, "chunk_sizes"),
        (wrong_in_code, "chunkSizes"),
        (wrong_in_code, '{"whare": [{"key": "author"}]}'),
        (wrong_in_code, "embeder = e5"),
        (wrong_in_code, 'embedder = "e6"'),
        (wrong_in_code, "chunk_size = many"),
    ],
)
def test_a_name_that_is_not_there_is_found(wrong: Callable[[str], Iterator[str]], mistake: str) -> None:
    assert len(list(wrong(mistake))) == 1
