"""Calls that fail and take effect later: the client stops waiting, but the server has the request and carries it out.

Clients of Weaviate and of Firestore have seen writes fail that were there afterwards
(https://github.com/weaviate/weaviate/issues/2722, https://github.com/firebase/firebase-admin-node/issues/2854). How
late they come is an assumption: no server works on a request for longer than LATEST_EFFECT. The embedded stores have no
such requests.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ragbase.domain.document import Document, Transition
from tests.simulated_world.promises import Promises

LATEST_EFFECT = 60.0
"""Seconds from a call to its effect, at most."""


def late_effect(
    label: str,
    method: Callable[..., Any],
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    promises: Promises,
) -> Callable[[], object] | None:
    """What a call does when it takes effect; it raises what the call raises. None for a call that only reads, or
    that no retry can meet.

    A changed record is written only if it is still the one that was changed: Firestore compares the time of its last
    update (adapters/google/document_store.py).
    """
    match label:
        case "documents.update":
            id, transition = arguments
            return partial(method, id, _if_unchanged(promises.records.get(id), transition))
        case "publisher.publish" | "texts.put" | "texts.delete" | "word_boxes.put" | "word_boxes.delete":
            return partial(method, *arguments, **named)
        case "part_texts.put" | "part_texts.delete":
            return partial(_change_part_texts, partial(method, *arguments, **named), arguments[0], promises)
        case "vectors.write" | "vectors.restore" | "vectors.hide" | "vectors.delete" | "vectors.delete_chunks":
            return partial(_change_index, label, partial(method, *arguments, **named), arguments[0], promises)
    return None


def _if_unchanged(seen: Document | None, transition: Transition) -> Transition:
    return lambda record: transition(record) if record is seen else record


def _change_part_texts(change: Callable[[], object], document_id: str, promises: Promises) -> None:
    promises.late_writes.add(document_id)
    change()


def _change_index(label: str, change: Callable[[], object], about: Any, promises: Promises) -> None:
    """`about` is the first argument of the call: chunks, a document's id, or the ids of chunks."""
    if label in ("vectors.hide", "vectors.delete"):
        ids = {about}
    elif label == "vectors.delete_chunks":
        ids = {promises.owner(about)}
    else:
        ids = {one.chunk.document_id for one in about}
        promises.late_writes |= ids
    change()
    for id in ids:
        promises.damage(id)
        if label in ("vectors.delete", "vectors.delete_chunks"):
            promises.removed_late(id)
