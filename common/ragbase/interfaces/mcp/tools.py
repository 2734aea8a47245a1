"""The tools that an assistant can call. Each reads; none changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ragbase.domain.context import expansion
from ragbase.domain.question import Question
from ragbase.interfaces.knowledge.knowledge import DocumentPageResponse
from ragbase.interfaces.mcp.arguments import AnswerArguments, DocumentArguments, ListArguments, SearchArguments
from ragbase.interfaces.mcp.result_texts import found_texts, page_text
from ragbase.interfaces.mcp.search_and_fetch import FETCH, SEARCH
from ragbase.interfaces.mcp.tool import Documents, Tool, ToolAnswer, ToolRefused, no_document
from ragbase.interfaces.wire.history import turns
from ragbase.messages.api.answer import AnswerResponse, whole
from ragbase.messages.api.documents import ListResponse
from ragbase.messages.api.query import QueryResponse


def _search(documents: Documents, asked: SearchArguments) -> ToolAnswer:
    try:
        expand = expansion(asked.expand, asked.expand_tokens)
    except ValueError as error:
        raise ToolRefused(str(error)) from None
    question = replace(_question(asked), expand=expand)
    found = documents.knowledge.query(question) if asked.query.strip() else QueryResponse(results=())
    return ToolAnswer(found, found_texts(found))


def _document(documents: Documents, asked: DocumentArguments) -> ToolAnswer:
    page = documents.knowledge.read(asked.id, offset=asked.offset, limit=asked.limit)
    if page is None:
        raise ToolRefused(no_document(asked.id))
    return ToolAnswer(page, (page_text(page, asked.offset),))


def _list(documents: Documents, asked: ListArguments) -> ToolAnswer:
    return ToolAnswer(documents.knowledge.list(status=asked.status, limit=asked.limit, cursor=asked.cursor))


def _answer(documents: Documents, asked: AnswerArguments) -> ToolAnswer:
    return ToolAnswer(whole(documents.knowledge.answer(replace(_question(asked), top_k=asked.top_k))))


TOOLS: Mapping[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        Tool(
            "searchKnowledge",
            "Search knowledge base for relevant information",
            SearchArguments,
            QueryResponse,
            _search,
        ),
        Tool(
            "get_document",
            "Read one document: its status, and its text page by page.",
            DocumentArguments,
            DocumentPageResponse,
            _document,
        ),
        Tool("list_documents", "List the documents, newest first.", ListArguments, ListResponse, _list),
        Tool(
            "answer",
            "Answer a question in sentences, with citations that were compared with the documents.",
            AnswerArguments,
            AnswerResponse,
            _answer,
        ),
        SEARCH,
        FETCH,
    )
}


def _question(asked: SearchArguments | AnswerArguments) -> Question:
    within = asked.filter.search_filter() if asked.filter is not None else None
    return Question(asked.query.strip(), within=within, history=turns(asked.history))
