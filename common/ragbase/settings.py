"""Every setting of ragbase, once: its name, default, meaning and bounds. config.py finds the values in force."""

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, SecretStr
from pydantic_core import PydanticCustomError

from ragbase.domain.chunk_size import ChunkUnit
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.limits import (
    DEFAULT_ANSWER_TOKENS,
    DEFAULT_EVIDENCE_TOKENS,
    DEFAULT_SIMILARITY_THRESHOLD,
    DEFAULT_TOP_K,
    KEEP_ALIVE,
    LONGEST_WAIT,
    MAX_BATCH,
    MAX_CHUNK_OVERLAP,
    MAX_CHUNK_SIZE,
    MAX_TOP_K,
    MIN_CHUNK_SIZE,
)
from ragbase.domain.ocr import OCR_LANGUAGES, OcrMode
from ragbase.domain.program_files import ProgramFiles
from ragbase.domain.public_url import checked_public_url
from ragbase.domain.tenant import Tenancy
from ragbase.plugins import EMBEDDERS, GENERATORS, RERANKERS, VECTOR_STORES, PluginKind

PREFIX = "RAGBASE_"
FORMER_NAMES = {"extract_timeout": "pdf_timeout", "extract_memory": "pdf_memory"}
"""Settings that once had another name, which still sets them."""
TOKEN_CHUNKS = {"chunk_size": 512, "chunk_overlap": 50}
"""The defaults in tokens (docs/contracts/website-pipeline.md, section 3)."""
VERTEX_MODEL = {"embedding_model": "gemini-embedding-001", "embedding_dimension": 768}
"""The defaults with Vertex AI: its model for all languages. 768 dimensions are one of the sizes that Google recommends
for it (https://ai.google.dev/gemini-api/docs/embeddings), and all that its older models have."""
CLOUD_DEFAULTS: Mapping[str, Any] = {"embedder": "cohere", "sign_in": "required", "trusted_proxies": 1}
"""Those of the profile gcp. The front end of Cloud Run is one proxy: X-Forwarded-For ends with the address of who
called it. Behind an external Application Load Balancer, two are trusted: then it ends with "client, load balancer"
(https://cloud.google.com/load-balancing/docs/https#x-forwarded-for_header)."""
COHERE_CHAT_MODEL = "command-a-03-2025"
"""The default of `chat_model` with Cohere. Other services have no model that all accounts have for long."""
JINA_MODEL = {"rerank_model": "jina-reranker-v2-base-multilingual"}
"""The default with `reranker = jina`."""
DEFAULT_BUCKET = "ragbase"
SOURCES_FILE = "sources.toml"
"""It describes the scheduled sources (sources/sources_file.py)."""


def data_folder() -> Path:
    """The place for a user's data in the XDG base directory specification."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "ragbase"


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ragbase"


def _of_vendor(variable: str, description: str) -> Any:
    return Field("", description=description, json_schema_extra={"variable": variable})


def _secret_of_vendor(variable: str, description: str) -> Any:
    return Field(SecretStr(""), description=description, json_schema_extra={"variable": variable})


def _name_of(kind: PluginKind) -> AfterValidator:
    """One of ours, or one that an installed package adds."""

    def checked(name: str) -> str:
        kind.check(name)
        return name

    return _checked_by(checked)


def _checked_by(check: Callable[[str], str]) -> AfterValidator:
    """What `check` makes of the value. Its ConfigurationError is that of the setting."""

    def checked(value: str) -> str:
        try:
            return check(value)
        except ConfigurationError as error:
            raise PydanticCustomError("setting", "{reason}", {"reason": str(error).rstrip(".")}) from error

    return AfterValidator(checked)


def _checked_program_files(setting: str) -> str:
    ProgramFiles(setting)
    return setting


class Config(BaseModel):
    """The settings of one process. `variable_of` names the environment variable of each."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile: Literal["embedded", "gcp"] = Field("embedded", description="embedded (this machine) or gcp (Google Cloud)")
    home: Path = Field(default_factory=data_folder, description="the data folder: bucket, index and queue")
    bucket: str = Field(DEFAULT_BUCKET, min_length=1, description="the bucket's name; part of every document's id")
    texts_bucket: str = Field(
        "", description="the bucket for the texts that extractors elsewhere give; by default that of `bucket`-texts"
    )
    sources_bucket: str = Field(
        "",
        description="the bucket for sources.toml, which describes the scheduled sources; by default `bucket`-sources",
    )
    audit_bucket: str = Field(
        "",
        description="the bucket in which the janitor keeps daily exports of the audit log; without it, there are none",
    )
    embedder: Annotated[str, _name_of(EMBEDDERS)] = Field(
        "minilm",
        description="what makes embeddings: minilm, e5 (for documents in other languages than English), hashing, "
        "cohere, openai, vertex, or one of another package",
    )
    model_folder: Path = Field(
        default_factory=lambda: _cache_folder() / "models", description="where prepared models are kept"
    )
    language: str = Field(
        "english",
        description="that of texts that do not show their own: tables, names, a word or two; "
        "auto: english; none: no stems",
    )
    tenancy: Tenancy = Field(
        Tenancy.NONE, description="folder: the first folder of a name is its tenant, which is searched apart; or none"
    )
    chunk_unit: ChunkUnit = Field(
        ChunkUnit.CHARACTERS, description="what chunk_size and chunk_overlap count; tokens are those of cl100k_base"
    )
    chunk_size: int = Field(
        1000,
        ge=MIN_CHUNK_SIZE,
        le=MAX_CHUNK_SIZE,
        description="the longest chunk, in chunk_unit (512 if it counts tokens)",
    )
    chunk_overlap: int = Field(
        200,
        ge=0,
        le=MAX_CHUNK_OVERLAP,
        description="the longest overlap of two consecutive chunks, in chunk_unit (50 if it counts tokens)",
    )
    allowed_formats: str = Field(
        "",
        description="the formats that are read, with commas between them (md, txt, …), or the words standard, "
        "office and pictures; empty for all",
    )
    program_files: Annotated[str, _checked_by(_checked_program_files)] = Field(
        "",
        description="patterns, with commas between them, of more files that programs keep for themselves, so that they "
        "become no documents (*.bak,cache/); ! before one of yours or ours has such files read (!*.part)",
    )
    ocr_mode: OcrMode = Field(
        OcrMode.AUTO,
        description="which pages of PDFs are read as pictures, where the uploader does not say: auto (those whose text "
        "layer does not say what stands on them), force (all) or never",
    )
    ocr_languages: str = Field(
        ",".join(ProcessingConfig().ocr_languages),
        pattern=OCR_LANGUAGES,
        description="the languages of pages that are read as pictures, where the uploader does not say, with commas",
    )
    top_k: int = Field(DEFAULT_TOP_K, ge=1, le=MAX_TOP_K, description="the most results that a query returns")
    similarity_threshold: float = Field(
        DEFAULT_SIMILARITY_THRESHOLD, ge=0, le=1, description="results below this score are left out"
    )
    versions: Literal["group", "all"] = Field(
        "group",
        description="group: a passage that versions of one document share is one result, that of the newest; or all",
    )
    reranker: Annotated[str, _name_of(RERANKERS)] = Field(
        "none",
        description="what puts the results in a better order: none; cohere, jina (any server with an API like "
        "Jina's) or local (a model that reads each with the question); or one of another package",
    )
    reranker_folder: str = Field(
        "",
        description="a folder with a cross-encoder as ONNX and its tokenizer.json, for `reranker = local`; by default "
        "Ettin 17M, which is downloaded",
    )
    rerank_model: str = Field(
        "rerank-v3.5", min_length=1, description="the model of Cohere, or of the server of `reranker = jina`"
    )
    reranker_url: str = Field(
        "", description="for `reranker = jina`, where the API begins (http://tei:8080, …/v1); by default Jina's own"
    )
    reranker_api_key: SecretStr = Field(SecretStr(""), description="the key for that server, if it needs one")
    rerank_timeout: float = Field(
        1.5,
        ge=0.05,
        le=30,
        description="seconds that the reranker may take; after that, the results come in the order of the search",
    )
    generator: Annotated[str, _name_of(GENERATORS)] = Field(
        "extractive",
        description="what writes answers: extractive (sentences of the documents); cohere, openai, anthropic or vertex "
        "(a model that writes); or one of another package",
    )
    chat_model: str = Field(
        "", description="the model that writes answers, as its service names it; only cohere has a default"
    )
    chat_url: str = Field(
        "",
        description="the address of an OpenAI-compatible endpoint that only writes answers, ending in /v1; by default "
        "that of openai_url",
    )
    chat_api_key: SecretStr = Field(SecretStr(""), description="the key for chat_url, which gets no other")
    chat_timeout: float = Field(
        15,
        ge=1,
        le=300,
        description="seconds for which the model of openai, anthropic or vertex may be silent, before its first word "
        "and between two; its whole answer may take 40, or twice this if that is more",
    )
    answer_tokens: int = Field(
        DEFAULT_ANSWER_TOKENS,
        ge=16,
        le=32_000,
        description="the most tokens that a model writes for one answer, with its thoughts",
    )
    evidence_tokens: int = Field(
        DEFAULT_EVIDENCE_TOKENS,
        ge=100,
        le=50_000,
        description="the most tokens of the passages that an answer is written from",
    )
    evidence_hits_per_document: int = Field(
        0,
        ge=0,
        le=MAX_TOP_K,
        description="the most hits of one document that an answer is written from; 0 for no limit",
    )
    fast_workers: int = Field(8, ge=1, le=64, description="documents processed at once, fast lane")
    heavy_workers: int = Field(2, ge=1, le=64, description="documents processed at once, heavy lane")
    extract_timeout: int = Field(
        300, ge=1, le=3_600, description="seconds that reading one file may take in a process of its own"
    )
    extract_memory: int = Field(
        1024, ge=256, le=65_536, description="MiB of memory that reading one file may take in a process of its own"
    )
    sandbox: Literal["available", "required"] = Field(
        "available",
        description="what keeps the process that reads a file from the rest: all that this system has (available); or "
        "all there is, and nothing that reads files starts where something is lacking (required)",
    )
    extractor: Literal["own", "external"] = Field(
        "own",
        description="who reads PDF and office files: ragbase (own), or an extractor elsewhere, which answers "
        "POST /internal/callback (external)",
    )
    extractor_timeout: int = Field(
        3_600,
        ge=1,
        le=86_400,
        description="seconds after which a document is FAILED if the extractor elsewhere has not answered",
    )
    longest_wait: Annotated[float, Field(gt=0, le=720)] = Field(
        LONGEST_WAIT / timedelta(hours=1),
        description="hours that a document waits for a service that is away, before it is FAILED",
    )
    s3_requester_pays: bool = Field(
        False, description="whether `ragbase sync` may read buckets of S3 that charge the reader"
    )
    project: str = _of_vendor("GOOGLE_CLOUD_PROJECT", "the Google Cloud project")
    firestore_database: str = Field("(default)", description="the Firestore database with the documents' records")
    fast_topic: str = Field("ragbase-fast-lane", description="the Pub/Sub topic of the fast lane")
    heavy_topic: str = Field("ragbase-heavy-lane", description="the Pub/Sub topic of the heavy lane")
    dead_letter_topic: str = Field("ragbase-dead-letter", description="the Pub/Sub topic of undeliverable jobs")
    vector_store: Annotated[str, _name_of(VECTOR_STORES)] = Field(
        "weaviate",
        description="where chunks are kept: weaviate or qdrant (gcp), or a store of another package (also embedded)",
    )
    start_wait: float = Field(
        0, ge=0, le=200, description="seconds that a starting function waits for Weaviate or Qdrant to answer"
    )
    weaviate_url: str = _of_vendor("WEAVIATE_URL", "the address of Weaviate")
    weaviate_grpc_url: str = _of_vendor(
        "WEAVIATE_GRPC_URL", "the gRPC address of Weaviate, if not port 50051 of the same host"
    )
    weaviate_api_key: SecretStr = _secret_of_vendor("WEAVIATE_API_KEY", "the key for Weaviate, if it needs one")
    weaviate_alias: str = Field("Ragbase", description="the alias of the current index in Weaviate")
    weaviate_index: Literal["flat", "hnsw"] = Field(
        "flat",
        description="how Weaviate finds near vectors: flat (compares all of them) or hnsw (a graph, for more than "
        "100,000 chunks)",
    )
    qdrant_url: str = _of_vendor("QDRANT_URL", "the address of Qdrant")
    qdrant_api_key: SecretStr = _secret_of_vendor("QDRANT_API_KEY", "the key for Qdrant, if it needs one")
    qdrant_collection: str = Field("ragbase", description="the alias of the current index in Qdrant")
    cohere_api_key: SecretStr = _secret_of_vendor("CO_API_KEY", "the key for Cohere")
    cohere_url: str = _of_vendor("CO_API_URL", "the address of Cohere, if not its public one")
    openai_api_key: SecretStr = _secret_of_vendor("OPENAI_API_KEY", "the key for the OpenAI-compatible endpoint")
    openai_url: str = _of_vendor("OPENAI_BASE_URL", "the address of the OpenAI-compatible endpoint, ending in /v1")
    vertex_location: str = Field(
        "",
        description="where Vertex AI works: a region (europe-west4), us, eu, or global, which has no models that embed",
    )
    vertex_url: str = Field("", description="the address of Vertex AI, if not that of its location")
    embedding_model: str = Field(
        "embed-multilingual-v3.0",
        description="the model of Cohere, the OpenAI-compatible endpoint or Vertex AI (there gemini-embedding-001)",
    )
    embedding_dimension: int = Field(
        1024, ge=1, le=4_096, description="the dimension of the vectors of that model (768 with Vertex AI)"
    )
    embedding_batch_size: int = Field(
        MAX_BATCH,
        ge=1,
        le=MAX_BATCH,
        description="the most texts in one call of the embedding service; each process finds out by refused calls if "
        "it takes fewer",
    )
    cohere_rate: int = Field(
        2_000,
        ge=0,
        le=10_000_000,
        description="inputs a minute that Cohere accepts, for all that use the key; 0 for no limit",
    )
    openai_rate: int = Field(
        0,
        ge=0,
        le=10_000_000,
        description="inputs a minute that the OpenAI-compatible endpoint accepts; 0 for no limit",
    )
    vertex_rate: int = Field(
        10_000,
        ge=0,
        le=10_000_000,
        description="texts a minute that Vertex AI accepts of the project in the region; 0 for no limit",
    )
    query_share: float = Field(
        0.05,
        ge=0,
        le=0.9,
        description="the share of cohere_rate, openai_rate or vertex_rate that documents leave to queries",
    )
    anthropic_api_key: SecretStr = _secret_of_vendor("ANTHROPIC_API_KEY", "the key for Anthropic")
    anthropic_url: str = _of_vendor("ANTHROPIC_BASE_URL", "the address of Anthropic, if not its public one")
    public_url: Annotated[str, _checked_by(checked_public_url)] = Field(
        "",
        description="the address at which others reach the HTTP API, such as https://rag.example.com; by default what "
        "their requests say",
    )
    cors_origins: str = Field(
        "",
        description="the origins whose web pages may use the API, with commas between them (https://app.example.com); "
        "* for all",
    )
    allowed_hosts: str = Field(
        "",
        description="hosts that `ragbase sync` may read although their addresses are not public, with commas between "
        "them (wiki.internal,127.0.0.1)",
    )
    follow_links: bool = Field(
        False,
        description="whether `ingest`, `sync`, `eval` and scheduled sources follow links of a folder to files and "
        "folders elsewhere; the bucket's own folder follows none",
    )
    site_connections: int = Field(
        1, ge=1, le=16, description="how many requests `ragbase sync` may have at a time to one website"
    )
    site_pdf: bool = Field(
        False, description="whether `ragbase sync` also takes the PDFs that pages of a website link to"
    )
    sign_in: Literal["required", "local", "iam"] = Field(
        "local",
        description="who needs a token: everybody (required), everybody as soon as there is a password or a key "
        "(local), or nobody, because Google Cloud's IAM lets only its callers through (iam)",
    )
    password_hash: SecretStr = Field(SecretStr(""), description="the hash of the password; `ragbase password` makes it")
    session_hours: float = Field(
        12, gt=0, le=24 * 365, description="hours after which a sign-in with the password is over"
    )
    key_days: int = Field(
        90,
        ge=0,
        le=3_650,
        description="days after which a new API key is over, where `ragbase keys create` does not say; 0 for never",
    )
    tenant_limits: str = Field(
        "",
        description="what the keys of each tenant may use together in a day, with commas between them "
        "(requests=10000,uploads=500,bytes=1GB,tokens=1000000)",
    )
    trusted_proxies: int = Field(
        0, ge=0, le=10, description="how many proxies in front of the HTTP API append to X-Forwarded-For"
    )
    keep_alive: int = Field(
        KEEP_ALIVE,
        ge=10,
        le=3_600,
        description="seconds for which `ragbase serve` keeps a connection after an answer; make it longer than a proxy "
        "in front keeps one",
    )
    public_query: bool = Field(False, description="whether everybody may send queries over HTTP, without a token")
    public_queries_per_address: int = Field(
        20, ge=1, le=1_000_000, description="public queries a minute from one address"
    )
    public_queries_per_minute: int = Field(
        300, ge=1, le=1_000_000, description="public queries a minute from all addresses"
    )
    public_queries_per_day: int = Field(
        10_000, ge=1, le=1_000_000_000, description="public queries a day from all addresses: each costs an embedding"
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "WARNING", description="the lowest level that is logged"
    )

    _origins: dict[str, str] = PrivateAttr(default_factory=dict)

    def origin(self, setting: str) -> str:
        """Where the value of a setting came from: `default`, a file, an environment variable or `argument`."""
        return self._origins.get(setting, "default")

    @classmethod
    def from_origins(cls, values: Mapping[str, Any], origins: Mapping[str, str]) -> Self:
        """With these values, and where each of them came from. Raises ValidationError."""
        config = cls(**values)
        config._origins.update(origins)
        return config


def variable_of(setting: str) -> str:
    """The environment variable of a setting: RAGBASE_<NAME>, or the one that its vendor's tools use."""
    extra = Config.model_fields[setting].json_schema_extra
    return str(extra["variable"]) if isinstance(extra, dict) else own_variable(setting)


def own_variable(setting: str) -> str:
    """The environment variable RAGBASE_<NAME>, which every setting has."""
    return f"{PREFIX}{setting.upper()}"
