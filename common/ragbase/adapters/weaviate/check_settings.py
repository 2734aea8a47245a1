"""Checks over plain HTTP whether the settings fit Weaviate. This takes milliseconds; loading its client takes a second.

The check leaves no connection and no thread behind, so that it can run before a process is forked.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any

from ragbase.adapters.weaviate.alias import WeaviateAlias, address_of, no_weaviate, refused_key
from ragbase.domain.errors import Unavailable

if TYPE_CHECKING:
    from ragbase.domain.index import Index


def check_weaviate(
    url: str, api_key: str, alias: WeaviateAlias, *, model: str, fills: bool, seconds: float
) -> Index | None:
    """The current index, or None if there is none yet.

    Raises ConfigurationError, naming the setting, for a server that is not Weaviate, a key that it refuses, or an alias
    that does not fit. Raises Unavailable if there is no answer within `seconds`.
    """
    aliases = _asked(url, api_key, "aliases", seconds)["aliases"]
    collection = next((one["class"] for one in aliases if one["alias"] == alias.name), None)
    held = {one["class"]: one.get("description", "") for one in _asked(url, api_key, "schema", seconds)["classes"]}
    if collection is None:
        return alias.left(held, model=model, fills=fills)
    return alias.index(collection, held.get(collection, ""))


def _asked(url: str, api_key: str, what: str, seconds: float) -> dict[str, list[dict[str, Any]]]:
    secure, host, port = address_of(url, "weaviate_url")
    connection = (HTTPSConnection if secure else HTTPConnection)(host, port, timeout=seconds)
    try:
        connection.request("GET", f"/v1/{what}", headers={"Authorization": f"Bearer {api_key}"} if api_key else {})
        answer = connection.getresponse()
        status, body = answer.status, answer.read()
    except (OSError, HTTPException) as error:
        raise Unavailable(f"Weaviate at {url} (setting `weaviate_url`) does not answer: {error!r}") from error
    finally:
        connection.close()
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise refused_key(url)
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise Unavailable(f"Weaviate at {url} (setting `weaviate_url`) answered {status}.")
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    if status != HTTPStatus.OK or not isinstance(content, dict) or not content.keys() & {"aliases", "classes"}:
        raise no_weaviate(url)
    return content
