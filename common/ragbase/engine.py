"""RAGEngine: the pipeline as a library (contracts/engine.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ragbase import telemetry
from ragbase.bootstrap import open_profile
from ragbase.config import Config
from ragbase.domain.document import Document
from ragbase.domain.identity import document_id
from ragbase.ingestion import Outcome, Progress, ingest
from ragbase.retrieval.retriever import RetrievalResult, Retriever
from ragbase.sources.folder import object_name

DEFAULT_BUCKET = "ragbase"
