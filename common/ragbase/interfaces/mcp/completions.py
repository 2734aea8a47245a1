"""What a person may write into a prompt or an address: names and ids of documents that their key may see
(https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, Completion, CompletionArgument, PromptReference
from mcp.types import ResourceTemplateReference as TemplateReference

from ragbase.domain.name_forms import nfc
from ragbase.interfaces.mcp.arguments import listed
from ragbase.interfaces.mcp.frames import quoted, sendable
from ragbase.interfaces.mcp.prompts import PROMPTS
from ragbase.interfaces.mcp.resources import DOCUMENTS, NAMES, TEMPLATES
from ragbase.interfaces.mcp.tool import ToolRefused, explained

if TYPE_CHECKING:
    from ragbase.interfaces.knowledge.knowledge import Knowledge
    from ragbase.interfaces.mcp.newest_documents import NamedDocument, NewestDocuments

MOST_VALUES = 100
"""The specification's limit."""
_MOST_OF_A_NAME = 100


def _name(document: NamedDocument) -> str:
    return document.name


def _id(document: NamedDocument) -> str:
    return document.id


_VALUES: Mapping[tuple[str, str], Callable[[NamedDocument], str]] = {
    ("compare_documents", "subject"): _name,
    ("find_gaps", "subject"): _name,
    (DOCUMENTS.uri_template, "id"): _id,
    (NAMES.uri_template, "name"): _name,
}
"""By the prompt or template, and its argument. Nothing is offered for the others."""


def complete(
    knowledge: Knowledge,
    newest: NewestDocuments,
    reference: PromptReference | TemplateReference,
    argument: CompletionArgument,
) -> Completion:
    """Of the newest documents, those whose name has what was written, in upper or lower case, or whose id begins with
    it. Those whose name begins with it come first. Raises MCPError for a prompt or template that there is not."""
    value_of = _VALUES.get((_known(reference), argument.name))
    if value_of is None:
        return Completion(values=[], total=0, has_more=False)
    try:
        with explained():
            known = newest.of(knowledge)
    except ToolRefused as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from error
    fitting = _fitting(known.documents, nfc(argument.value).casefold())
    values = [sendable(value_of(one)) for one in fitting]
    return Completion(
        values=values[:MOST_VALUES],
        total=len(values) if known.is_all else None,
        has_more=not known.is_all or len(values) > MOST_VALUES,
    )


def _known(reference: PromptReference | TemplateReference) -> str:
    if isinstance(reference, PromptReference):
        kind, name, known = "prompt", reference.name, [one.name for one in PROMPTS]
    else:
        kind, name, known = "resource template", reference.uri, [one.uri_template for one in TEMPLATES]
    if name not in known:
        raise MCPError(
            INVALID_PARAMS, f"There is no {kind} {quoted(name[:_MOST_OF_A_NAME])}. The {kind}s are {listed(known)}."
        )
    return name


def _fitting(documents: Iterable[NamedDocument], written: str) -> list[NamedDocument]:
    def rank(name: str) -> int:
        return 0 if name.startswith(written) else 1 if name.rpartition("/")[2].startswith(written) else 2

    names = ((nfc(one.name).casefold(), one) for one in documents)
    found = [(rank(name), name, one.id, one) for name, one in names if written in name or one.id.startswith(written)]
    return [one for *_, one in sorted(found, key=lambda each: each[:3])]
