"""The routes below /v1/vector_stores: OpenAI's vector stores over the caller's documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.domain.errors import DocumentNotFound, TextGone
from ragbase.interfaces.api.callers_documents import not_found
from ragbase.interfaces.api.callers_stores import Store, callers_store, callers_stores
from ragbase.interfaces.api.foreign_search import found_passages
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import json_body, parameters
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge
    from ragbase.interfaces.wire.vector_stores import StoreFilesRequest
    from ragbase.messages.api.documents import DocumentStatusResponse, DocumentSummary
    from ragbase.messages.api.vector_stores import VectorStoreBody


def vector_stores(profile: Profile) -> Blueprint:
    blueprint = Blueprint("vector_stores", __name__)

    @route(blueprint, operation("listVectorStores"))
    def stores() -> Response:
        from ragbase.interfaces.wire.vector_stores import StoresRequest
        from ragbase.messages.api.vector_stores import VectorStoresResponse

        wanted, all_stores = parameters(StoresRequest), callers_stores(profile)
        ids = [store.id for store in all_stores]
        if wanted.after is not None and wanted.after not in ids:
            raise _no_place("store")
        start = ids.index(wanted.after) + 1 if wanted.after is not None else 0
        page = all_stores[start : start + wanted.limit]
        return json_answer(
            VectorStoresResponse(
                data=tuple(_shown(store, profile) for store in page),
                first_id=page[0].id if page else None,
                last_id=page[-1].id if page else None,
                has_more=start + wanted.limit < len(all_stores),
            )
        )

    @route(blueprint, operation("getVectorStore"))
    def store(store: str) -> Response:
        return json_answer(_shown(callers_store(store, profile), profile))

    @route(blueprint, operation("searchVectorStore"))
    def search(store: str) -> Response:
        from ragbase.interfaces.wire.vector_stores import StoreSearchRequest, search_body

        wanted = json_body(StoreSearchRequest, example='{"query": "how are backups made?"}')
        return json_answer(search_body(wanted.queries, found_passages(wanted, store, profile)))

    @route(blueprint, operation("listVectorStoreFiles"))
    def files(store: str) -> Response:
        from ragbase.interfaces.wire.vector_stores import StoreFilesRequest, file_body
        from ragbase.messages.api.vector_stores import VectorStoreFilesResponse

        wanted, asked = parameters(StoreFilesRequest), callers_store(store, profile)
        listed = _listed(wanted, asked.knowledge(profile))
        page = listed[: wanted.limit]
        return json_answer(
            VectorStoreFilesResponse(
                data=tuple(file_body(one, asked.id) for one in page),
                first_id=page[0].id if page else None,
                last_id=page[-1].id if page else None,
                has_more=len(listed) > wanted.limit,
            )
        )

    @route(blueprint, operation("getVectorStoreFile"))
    def file(store: str, id: str) -> Response:
        from ragbase.interfaces.wire.vector_stores import file_body

        asked = callers_store(store, profile)
        return json_answer(file_body(_found(id, asked.knowledge(profile)), asked.id))

    @route(blueprint, operation("getVectorStoreFileContent"))
    def content(store: str, id: str) -> Response:
        from ragbase.messages.api.vector_stores import FileContentResponse, TextContent

        try:
            text = callers_store(store, profile).knowledge(profile).text(id)
        except DocumentNotFound:
            raise not_found(id) from None
        except TextGone as error:
            raise Refused(409, "TEXT_GONE", str(error)) from None
        return json_answer(FileContentResponse(data=(TextContent(text=text),)))

    @route(blueprint, operation("deleteVectorStoreFile"))
    def delete(store: str, id: str) -> Response:
        from ragbase.messages.api.vector_stores import DeletedFile

        knowledge = callers_store(store, profile).knowledge(profile)
        found = _found(id, knowledge)
        knowledge.delete([found.id])
        return json_answer(DeletedFile(id=found.id))

    return blueprint


def _shown(store: Store, profile: Profile) -> VectorStoreBody:
    from ragbase.interfaces.wire.vector_stores import store_body

    return store_body(store.id, store.name, store.knowledge(profile).counts())


def _found(id: str, knowledge: ProfileKnowledge) -> DocumentStatusResponse:
    document = knowledge.get(id)
    if document is None:
        raise not_found(id)
    return document


def _listed(wanted: StoreFilesRequest, knowledge: ProfileKnowledge) -> Sequence[DocumentSummary]:
    """The files of a page, newest first, and more if there are more. OpenAI has one status for two of ours, so two
    lists may have to be read."""
    from ragbase.interfaces.wire.cursor import Cursor

    cursor = None
    if wanted.after is not None:
        last = knowledge.place(wanted.after)  # a client may delete the files of a page before it asks for the next
        if last is None:
            raise _no_place("file")
        cursor = Cursor(last, total=0).text  # nobody asks for the total
    pages = [knowledge.list(status=one, limit=wanted.limit + 1, cursor=cursor) for one in wanted.statuses]
    listed = sorted((document for page in pages for document in page.documents), key=lambda one: one.id)
    return sorted(listed, key=lambda one: one.created_at, reverse=True)  # those of one time stay in the order of ids


def _no_place(what: str) -> Refused:
    return Refused(400, "INVALID_REQUEST", f"`after` is no {what} of this list. Send the `last_id` of a page.")
