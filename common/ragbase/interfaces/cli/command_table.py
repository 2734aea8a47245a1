"""The commands in groups, with a summary and two examples of each. They are imported only when they are called."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

GROUPS: Mapping[str, Mapping[str, str]] = {
    "First steps": {
        "demo": "Try the whole pipeline on sample documents.",
        "doctor": "Check the installation and show how to fix it.",
        "config": "Show every setting, its value and its origin.",
    },
    "Documents": {
        "ingest": "Make files searchable.",
        "sync": "Bring the bucket in step with a folder, bucket or website.",
        "sources": "Show or run the sources that are synced by schedule.",
        "list": "List the documents.",
        "status": "Show the state of a document.",
        "text": "Print a document's text, to check a citation.",
        "delete": "Delete documents.",
        "retry": "Process a failed document again.",
    },
    "Questions": {
        "query": "Find the passages that answer a question.",
        "ask": "Answer a question in sentences with citations.",
        "chat": "Ask one question after the other, and get answers with citations.",
        "explain": "Say why a question does not find a document.",
        "eval": "Measure how good the answers are.",
    },
    "For others": {
        "serve": "Answer queries over HTTP and watch the bucket's folder.",
        "mcp": "Give an assistant the documents, over standard input and output.",
        "keys": "Make, list or revoke API keys.",
        "audit": "Show, check or export the record of who did what.",
        "password": "Make the hash of a password for the HTTP API.",
        "tenants": "Show the tenants, or delete one with all it has.",
    },
    "Upkeep": {
        "reindex": "Rebuild the index with the current settings.",
        "calibrate": "Fit the scores to the embedding model of the index.",
        "reconcile": "Find and repair differences between bucket, records and index.",
        "backfill": "Process objects that were in the bucket before ragbase.",
        "dead-letters": "Show, replay or discard undeliverable messages.",
    },
}

COMMANDS: Mapping[str, str] = dict(chain.from_iterable(group.items() for group in GROUPS.values()))
"""Name and summary. The summary is the first line of the command's own help."""

EXAMPLES: Mapping[str, tuple[str, str]] = {
    "demo": ("ragbase demo", "ragbase demo | less"),
    "doctor": ("ragbase doctor", "ragbase doctor --json"),
    "config": ("ragbase config", "ragbase config --home my-index --json"),
    "ingest": ("ragbase ingest ~/notes", "ragbase ingest report.pdf 'notes/**/*.md' --verbose"),
    "sync": ("ragbase sync ~/handbook --delete", "ragbase sync s3://company-docs/handbook --dry-run"),
    "sources": ("ragbase sources list", "ragbase sources run handbook"),
    "sources list": ("ragbase sources list", "ragbase sources list --json"),
    "sources run": ("ragbase sources run", "ragbase sources run handbook --force"),
    "list": ("ragbase list", "ragbase list --status FAILED --limit 100"),
    "status": ("ragbase status notes/guide.md", "ragbase status notes/guide.md --verbose"),
    "text": ("ragbase text notes/guide.md", "ragbase text report.pdf > report.txt"),
    "delete": ("ragbase delete notes/guide.md", "ragbase delete 'notes/old/**/*.md' --yes"),
    "retry": ("ragbase retry scan.pdf", "ragbase retry scan.pdf --json"),
    "query": (
        'ragbase query "How do I request leave?"',
        'ragbase query "backup" --path handbook --format pdf --top-k 3',
    ),
    "ask": ('ragbase ask "How do I request leave?"', 'ragbase ask "Who approves it?" --where year=2024..'),
    "chat": ("ragbase chat", "ragbase chat --path handbook --json < questions.txt"),
    "explain": (
        'ragbase explain "How do I request leave?" --document handbook/leave.md',
        'ragbase explain "backup" --document report.pdf --format pdf --json',
    ),
    "eval": ("ragbase eval", "ragbase eval questions.csv --compare similarity_threshold=0.4"),
    "serve": ("ragbase serve --open", "ragbase serve --host 0.0.0.0 --port 9000"),
    "mcp": ("ragbase mcp", "ragbase mcp --endpoint https://rag.example.com"),
    "keys": ("ragbase keys create robot", "ragbase keys list"),
    "keys create": (
        "ragbase keys create robot",
        "ragbase keys create uploads --scope write --prefix finance/ --expires 30 --limit bytes=1GB",
    ),
    "keys list": ("ragbase keys list", "ragbase keys list --json"),
    "keys revoke": ("ragbase keys revoke 5f0e1c2d3b4a5968", "ragbase keys revoke 5f0e1c2d3b4a5968 0a1b2c3d4e5f6071"),
    "keys open": ("ragbase keys open", "ragbase keys open --yes"),
    "keys renew-upload-addresses": (
        "ragbase keys renew-upload-addresses",
        "ragbase keys renew-upload-addresses --json",
    ),
    "audit": ("ragbase audit list", "ragbase audit verify"),
    "audit list": (
        "ragbase audit list --since 2026-11-01",
        "ragbase audit list --caller key: --action document.delete",
    ),
    "audit verify": ("ragbase audit verify", "ragbase audit verify --head HASH"),
    "audit export": ("ragbase audit export > audit.jsonl", "ragbase audit export | tail -n 1"),
    "password": ("ragbase password", "ragbase password --json < password.txt"),
    "tenants": ("ragbase tenants list", "ragbase tenants delete red"),
    "tenants list": ("ragbase tenants list", "ragbase tenants list --json"),
    "tenants delete": ("ragbase tenants delete red", 'ragbase tenants delete "" --yes'),
    "reindex": ("ragbase reindex --dry-run", "ragbase reindex --gate questions.csv"),
    "calibrate": ("ragbase calibrate", "ragbase calibrate --show"),
    "reconcile": ("ragbase reconcile", "ragbase reconcile --repair"),
    "backfill": ("ragbase backfill", "ragbase backfill guides/ --dry-run"),
    "dead-letters": ("ragbase dead-letters list", "ragbase dead-letters replay --all"),
    "dead-letters list": ("ragbase dead-letters list", "ragbase dead-letters list --reason CORRUPT_FILE"),
    "dead-letters show": ("ragbase dead-letters show 0b6c3f52", "ragbase dead-letters show 0b6c3f52 --json"),
    "dead-letters replay": ("ragbase dead-letters replay --all", "ragbase dead-letters replay 0b6c3f52 --no-wait"),
    "dead-letters discard": ("ragbase dead-letters discard 0b6c3f52", "ragbase dead-letters discard --all --yes"),
}
"""By the words of the command. Its help shows them."""
