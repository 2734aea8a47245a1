"""The promises of the ports as suites for pytest: the adapters of ragbase pass them, and so should yours
(docs/extend.md).

They need pytest and hypothesis: pip install 'ragbase[testing]'.
"""

from ragbase.extras import naming_extras

with naming_extras():
    import pytest

pytest.register_assert_rewrite(
    *(
        f"{__name__}.{port}"
        for port in (
            "audit_log",
            "chat_model",
            "embedder",
            "format",
            "generator",
            "indexes",
            "reranker",
            "source",
            "vector_store",
        )
    )
)
