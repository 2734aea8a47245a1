"""The demo: documents go into a bucket, and every claim about the result is checked before it is printed."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable

from ragbase.config import load_config
from ragbase.domain.document import Status
from ragbase.domain.errors import RagbaseError
from ragbase.engine.lanes import lanes
from ragbase.interfaces.demo.stage import Stage
from ragbase.interfaces.demo.story import DELETED, EDIT, OFF_TOPIC, QUESTIONS
from ragbase.retrieval.search_result import SearchResult

Say = Callable[[str], None]
Show = Callable[[SearchResult, str], str]
"""A result and its question, as text."""

_ENVIRONMENT = ("RAGBASE_MODEL_FOLDER", "RAGBASE_LOG_LEVEL")
"""The settings that the demo takes from the environment. All others keep the defaults that its story needs."""


class DemoFailed(RagbaseError):
    """A claim of the demo is not true."""


def run(say: Say, show: Show) -> None:
    """Play the story in a temporary data folder. Each text of it goes to `say`.

    Raises DemoFailed if a claim is not true.
    """
    began = time.monotonic()
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    with tempfile.TemporaryDirectory(prefix="ragbase-demo-") as folder:
        stage = Stage(load_config(home=folder, environment=environment), say)
        try:
            demo = _Demo(stage, say, show)
            with lanes(stage.profile):
                demo.play()
        finally:
            stage.profile.close()
    say(f"\n{demo.checks} claims checked in {time.monotonic() - began:.1f} s. The demo's data folder was removed.")


def samples() -> Mapping[str, bytes]:
    """The sample documents by name in the bucket."""
    return dict(_files(resources.files(__package__) / "documents"))


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.read_bytes()


class _Demo:
    def __init__(self, stage: Stage, say: Say, show: Show) -> None:
        self.checks = 0
        self._documents = dict(samples())
        self._stage = stage
        self._say = say
        self._show = show

    def play(self) -> None:
        self._upload()
        self._ask()
        self._edit()
        self._delete()
        self._ask_off_topic()

    def _upload(self) -> None:
        self._say(f"1. {len(self._documents)} documents go into the bucket. Each goes through the router and its lane")
        with self._stage.act():
            for name, data in self._documents.items():
                self._stage.put(name, data)
        for name in self._documents:
            status = self._stage.record(name).status
            self._check(status is Status.COMPLETED, f"{name} is COMPLETED, but it is {status}")

    def _ask(self) -> None:
        self._say("\n2. Each question finds a passage and its place in the document")
        for question in QUESTIONS:
            self._answer(question.text, question.source, question.answer)

    def _edit(self) -> None:
        self._say(f"\n3. {EDIT.name} is edited: “{EDIT.before}” becomes “{EDIT.after}”")
        self._answer(EDIT.question, EDIT.name, EDIT.before)
        paid = self._stage.record(EDIT.name).usage.embedded_texts
        edited = self._documents[EDIT.name].replace(EDIT.before.encode(), EDIT.after.encode())
        with self._stage.act():
            self._documents[EDIT.name] = edited
            self._stage.put(EDIT.name, edited)
        paid = self._stage.record(EDIT.name).usage.embedded_texts - paid
        self._check(paid == 1, f"one chunk is embedded again, not {paid}")
        results = self._answer(EDIT.question, EDIT.name, EDIT.after)
        old = any(EDIT.before in result.chunk.text for result in results)
        self._check(not old, "the old text is no longer found")
        self._say("   Only the changed chunk was embedded again, and the old text is no longer found.")

    def _delete(self) -> None:
        self._say(f"\n4. {DELETED.source} is deleted")
        self._answer(DELETED.text, DELETED.source, DELETED.answer)
        with self._stage.act():
            self._stage.delete(DELETED.source)
        found = any(result.document.name == DELETED.source for result in self._stage.search(DELETED.text))
        self._check(not found, f"{DELETED.source} is no longer found")
        self._say(f"   ? {DELETED.text}\n   No passage of {DELETED.source} is found any more.")

    def _ask_off_topic(self) -> None:
        self._say("\n5. A question about another subject finds nothing, instead of an unrelated passage")
        self._check(self._stage.search(OFF_TOPIC) == [], f"nothing is found for “{OFF_TOPIC}”")
        self._say(f"   ? {OFF_TOPIC}\n   Nothing found.")

    def _answer(self, question: str, source: str, answer: str) -> list[SearchResult]:
        """Ask, check that the best passage is the expected one and its citation is right, and show it."""
        results = self._stage.search(question)
        best = results[0] if results else None
        self._check(
            best is not None and best.document.name == source and answer in " ".join(best.chunk.text.split()),
            f"“{question}” is answered by “{answer}” in {source}",
        )
        if best is not None:
            self._check(self._is_cited_right(best), f"the citation of {source} is right")
            self._say(f"   ? {question}\n{self._show(best, question)}")
        return results

    def _is_cited_right(self, result: SearchResult) -> bool:
        """Whether the passage is the text at its characters. For Markdown and text, that is the file's own text."""
        name, chunk = result.document.name, result.chunk
        if not name.endswith((".md", ".txt")):
            return chunk.char_end - chunk.char_start == len(chunk.text)
        return self._documents[name].decode()[chunk.char_start : chunk.char_end] == chunk.text

    def _check(self, holds: bool, claim: str) -> None:
        self.checks += 1
        if not holds:
            raise DemoFailed(f"The demo expected that {claim}. Please report it, with the output of `ragbase doctor`.")
