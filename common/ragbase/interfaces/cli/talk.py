"""A conversation on the command line: what each line that is typed does."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ragbase.client.conversation import Conversation
from ragbase.domain.errors import RagbaseError
from ragbase.interfaces.cli.messages import ChatAnswer, ChatFailure
from ragbase.interfaces.cli.question import problem_of_question
from ragbase.interfaces.cli.result_text import passages_text
from ragbase.interfaces.cli.screen import print_json, visible
from ragbase.interfaces.cli.shown_answer import show_answer
from ragbase.messages.api.answer import whole

if TYPE_CHECKING:
    from ragbase.domain.question import Question
    from ragbase.interfaces.cli.filter_options import Wanted
    from ragbase.interfaces.knowledge.knowledge import Knowledge
    from ragbase.messages.api.answer import AnswerResponse

COMMANDS = "/new forgets the conversation, /sources shows the passages of the last answer, /exit ends"
_COMMAND = re.compile(r"/[^\W\d_]*(?:\s.*)?")
"""A path such as /etc/hosts is no command."""


class Talk:
    """`asked` is what all questions have in common. `is_typed` says that a person types them here: then an answer can
    be stopped, and each line stands on the screen already. `failed` says whether a line could not be answered."""

    def __init__(
        self, knowledge: Knowledge, asked: Question, wanted: Wanted, place: str, *, as_json: bool, is_typed: bool
    ) -> None:
        self.failed = False
        self._knowledge = knowledge
        self._asked = asked
        self._wanted = wanted
        self._place = place
        self._as_json = as_json
        self._is_typed = is_typed
        self._conversation = Conversation()
        self._last: tuple[str, AnswerResponse] | None = None

    def hear(self, line: str) -> bool:
        """Do what the line says. False if the conversation ends with it."""
        if not self._is_typed and not self._as_json:
            click.echo(f"> {visible(line)}")
        if _COMMAND.fullmatch(line):
            return self._do(line)
        problem = problem_of_question(line)
        if problem is not None:
            self._fail(line, f"The question cannot be asked: {problem}")
            return True
        try:
            self._answer(line)
        except RagbaseError as error:
            self._fail(line, str(error))
        except KeyboardInterrupt:
            if not self._is_typed:
                raise
            click.echo("\nStopped. The question and its answer are forgotten.", err=True)
        return True

    def _answer(self, question: str) -> None:
        parts = self._knowledge.answer(replace(self._asked, text=question, history=self._conversation.history))
        if self._as_json:
            answer = whole(parts)
            print_json(ChatAnswer(query=question, **dict(answer)))
        else:
            answer = show_answer(parts, question, self._wanted, self._place, self._knowledge)
            click.echo()
        self._conversation.add(question, answer)
        self._last = question, answer

    def _do(self, line: str) -> bool:
        match line:
            case "/exit":
                return False
            case "/new":
                self._conversation = Conversation()
                self._last = None
            case "/sources" if not self._as_json:
                self._show_sources()
            case "/sources":
                self._fail(line, "/sources goes with no --json: `evidence` has the passages.")
            case _:
                name = line.split(maxsplit=1)[0]
                said = f"{name} takes nothing." if name in COMMANDS.split() else f"There is no command {name}."
                self._fail(line, f"{said} {COMMANDS}. To ask a question that begins so, put it in quotation marks.")
        return True

    def _show_sources(self) -> None:
        question, answer = self._last or ("", None)
        shown = passages_text(answer.evidence, question) if answer is not None else ""
        click.echo(f"{shown or 'No passage was found for the last question.'}\n")

    def _fail(self, line: str, message: str) -> None:
        self.failed = True
        if self._as_json:
            print_json(ChatFailure(query=line, error=message))
        else:
            shown = "\n".join(map(visible, message.splitlines()))
            click.echo(f"Error: {shown}\n", err=True)
