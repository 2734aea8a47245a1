"""What somebody can choose in their assistant: requests that say how to work with these documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.interfaces.mcp.arguments import listed
from ragbase.interfaces.mcp.frames import quoted

_MOST_OF_A_NAME = 100


@dataclass(frozen=True, slots=True)
class _Request:
    """`text` has each argument once, in braces."""

    prompt: Prompt
    text: str

    def filled(self, given: Mapping[str, str]) -> str:
        """Raises MCPError for an argument that is unknown, missing, empty or too long."""
        wanted = [argument.name for argument in self.prompt.arguments or ()]
        for name in given:
            if name not in wanted:
                raise _refused(
                    f"{quoted(name[:_MOST_OF_A_NAME])} is unknown. {self.prompt.name} takes {listed(wanted)}."
                )
        for name in wanted:
            if not given.get(name, "").strip():
                raise _refused(f"{quoted(name)} is missing. {self.prompt.name} takes {listed(wanted)}.")
            if len(given[name]) > MAX_QUERY_LENGTH:
                raise _refused(f"{quoted(name)} is over the limit of {MAX_QUERY_LENGTH:,} characters. Shorten it.")
        return self.text.format(**{name: value.strip() for name, value in given.items()})


def _prompt(name: str, description: str, **arguments: str) -> Prompt:
    return Prompt(
        name=name,
        description=description,
        arguments=[PromptArgument(name=name, description=said, required=True) for name, said in arguments.items()],
    )


_QUESTION = "What you want to know"
_REQUESTS = {
    request.prompt.name: request
    for request in (
        _Request(
            _prompt("answer_with_sources", "Answer from these documents alone, and cite each.", question=_QUESTION),
            "Answer this question from the knowledge base alone: {question}\n\n"
            "Call searchKnowledge, and read on with get_document where a passage is not enough. Name the document and "
            "the page or heading after each statement. Say what the documents do not answer, and do not fill it from "
            "what you know otherwise.",
        ),
        _Request(
            _prompt("compare_documents", "Compare what several documents say of a subject.", subject="The subject"),
            "Compare what the documents of the knowledge base say about this: {subject}\n\n"
            "Call searchKnowledge several times, with other words each time. Make a table with a row for each "
            "document: what it says, from when it is, and where it says so. Then name what they agree on, and where "
            "they contradict each other. Do not decide who is right.",
        ),
        _Request(
            _prompt("find_gaps", "Find which parts of a subject the documents leave open.", subject="The subject"),
            "Which questions about this do the documents of the knowledge base leave open: {subject}\n\n"
            "Write down ten questions that somebody would ask about it. Call the tool answer with each one. List those "
            "without an answer first, with the nearest document for each, then those with one, with its citation.",
        ),
    )
}
PROMPTS = tuple(request.prompt for request in _REQUESTS.values())


def filled_prompt(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Raises MCPError for a prompt or arguments that there are not."""
    request = _REQUESTS.get(name)
    if request is None:
        raise _refused(f"There is no prompt {quoted(name[:_MOST_OF_A_NAME])}. The prompts are {listed([*_REQUESTS])}.")
    message = PromptMessage(role="user", content=TextContent(type="text", text=request.filled(given)))
    return GetPromptResult(description=request.prompt.description, messages=[message])


def _refused(message: str) -> MCPError:
    return MCPError(INVALID_PARAMS, message)
