"""A stand-in for gcloud that answers from a table and writes down each call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass
class Recorded:
    """`answers`: what a command prints, by its first words. A list is answered one by one."""

    answers: Mapping[str, object]
    calls: list[Sequence[str]] = field(default_factory=list)

    def __call__(self, *arguments: str) -> str:
        self.calls.append(arguments)
        words = " ".join(one for one in arguments if not one.startswith("--"))
        for start, answer in self.answers.items():
            if words.startswith(start):
                return json.dumps(answer.pop(0) if isinstance(answer, list) and start.endswith("describe") else answer)
        return ""

    def commands(self) -> list[str]:
        """What each call does: its words without names and options."""
        return [" ".join(call[:3]) for call in self.calls]

    def options(self, command: str) -> set[str]:
        """The options of the one call that begins like this."""
        (call,) = (call for call in self.calls if " ".join(call).startswith(command))
        return {one for one in call if one.startswith("--")}
