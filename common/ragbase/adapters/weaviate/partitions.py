"""The tenants of a collection of Weaviate: each of them is a partition of an index that is split by tenant.

Weaviate's names of tenants have letters, digits, `-` and `_` only, at most 64 of them
(https://docs.weaviate.io/weaviate/manage-collections/multi-tenancy), and the names of folders are any text. So a
tenant is named by a digest there, and each of its objects keeps the name.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weaviate.collections import CollectionAsync

TENANT = "tenant"
"""The property with the tenant's name."""


def partition_of(tenant: str) -> str:
    """The name of this tenant in Weaviate."""
    return hashlib.sha256(tenant.encode()).hexdigest()[:32]


async def list_partitions(collection: CollectionAsync[Any, Any]) -> list[str]:
    """The names of all tenants in Weaviate."""
    return sorted(await collection.tenants.get())


async def is_empty(collection: CollectionAsync[Any, Any]) -> bool:
    """Whether no tenant has an object."""
    for partition in await list_partitions(collection):
        counted = await collection.with_tenant(partition).aggregate.over_all(total_count=True)
        if counted.total_count:
            return False
    return True


async def names_of(collection: CollectionAsync[Any, Any], partitions: Sequence[str]) -> dict[str, str]:
    """The tenants of these partitions, without those that have no object."""
    found = await asyncio.gather(
        *(
            collection.with_tenant(partition).query.fetch_objects(limit=1, return_properties=[TENANT])
            for partition in partitions
        )
    )
    return {
        partition: str(first.objects[0].properties[TENANT])
        for partition, first in zip(partitions, found, strict=True)
        if first.objects
    }
