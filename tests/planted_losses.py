"""Losses of every kind among documents, for `ragbase explain` to find. scripts/bench/losses counts what it names."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.chunk_size import ChunkSize
from ragbase.domain.document import Document
from ragbase.domain.loss_stage import LossStage
from ragbase.domain.object_event import EventKind
from ragbase.domain.question import Question
from ragbase.domain.search_filter import SearchFilter
from ragbase.engine.engine import RAGEngine
from ragbase.engine.ingest import ingest
from ragbase.engine.search import search
from ragbase.pipeline.route import route
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.search_result import SearchResult
from ragbase.sources.folder import LocalFile
from ragbase.text.terms import terms_of

_NAMES = ("alpha", "beta")


class NoLoss(Exception):
    """This draw loses nothing: draw again."""


@dataclass(frozen=True)
class Loss:
    """A question that should find the document, and the stage that loses it."""

    query: str
    document: str
    top_k: int = 5
    threshold: float | None = None
    within: SearchFilter | None = None
    tenant: str | None = None

    @property
    def question(self) -> Question:
        return Question(self.query, self.top_k, self.threshold, self.within)


class World:
    """Real documents in an index, some of them cut small, and dice."""

    def __init__(self, engine: RAGEngine, tenants: RAGEngine, folder: Path, data: Path, seed: int) -> None:
        self.engine = engine
        self.tenants = tenants
        self.folder = folder
        self.dice = random.Random(seed)
        self.count = 0
        self._files = _files(data)
        self.dice.shuffle(self._files)
        count = min(len(self._files), 160)
        cut, plain = count // 4, count * 7 // 8
        small = [self._written(f"small-{i}.md", _prose(file)) for i, file in enumerate(self._files[:cut])]
        whole = [self._written(f"{i}-{file.name}", file.read_bytes()) for i, file in enumerate(self._files[cut:plain])]
        abstracts = [self._written(name, text.encode()) for name, text in _abstracts(data, self.dice)]
        for outcome in ingest(small, engine.profile, chunk_size=ChunkSize(400, 0)):
            if outcome.error:
                print(outcome.error, file=sys.stderr)
        list(ingest([*whole, *abstracts], engine.profile))
        self.small = self._records(small)
        self.all = self._records([*whole, *abstracts])
        for tenant in _NAMES:
            for file in self._files[plain:count]:
                tenants.profile.bucket.put(f"{tenant}/{file.name}", file.read_bytes(), metadata={"minTextLength": "1"})
        files = [LocalFile(path, str(path)) for path in sorted(tenants.config.home.glob("bucket/*/*"))]
        list(ingest(files, tenants.profile))

    def fresh(self, suffix: str = ".md") -> str:
        self.count += 1
        return f"planted-{self.count}{suffix}"

    def chunks(self, record: Document) -> Sequence[EmbeddedChunk]:
        vectors = self.engine.profile.open_index().vectors_of(record.name)
        return sorted(vectors.read(record.id, record.generation), key=lambda one: one.chunk.ordinal)

    def question(self, chunk: Chunk, words: int = 7) -> str:
        """Some words in a row of a sentence of the chunk."""
        sentences = [sentence for sentence in chunk.text.split(". ") if len(terms_of(sentence)) >= 5]
        if not sentences:
            raise NoLoss
        sentence = self.dice.choice(sentences).split()
        start = self.dice.randrange(max(1, len(sentence) - words))
        return " ".join(sentence[start : start + words])[:900]

    def results(self, loss: Loss) -> list[SearchResult]:
        return search(loss.question, self.engine.profile, tenant=loss.tenant)

    def is_found(self, loss: Loss, record: Document) -> bool:
        return any(source.document.id == record.id for one in self.results(loss) for source in one.sources)

    def ingested(self, name: str, data: bytes, size: ChunkSize | None = None) -> Document:
        """Write and ingest a file."""
        (outcome,) = ingest([self._written(name, data)], self.engine.profile, chunk_size=size)
        if outcome.document is None:
            raise NoLoss
        return outcome.document

    def _written(self, name: str, data: bytes) -> LocalFile:
        path = self.folder / name
        path.write_bytes(data)
        return LocalFile(path, str(path))

    def _records(self, files: Sequence[LocalFile]) -> list[Document]:
        found = [self.engine.find(file.source) for file in files]
        return [record for record in found if record is not None and record.active is not None]

    def any(self) -> tuple[Document, Chunk]:
        record = self.dice.choice(self.all)
        return record, self.dice.choice(self.chunks(record)).chunk


def not_in_bucket(world: World) -> Loss:
    _, chunk = world.any()
    query = world.question(chunk)
    if world.dice.random() < 0.5:
        return Loss(query, str(world.folder / world.fresh()))
    gone = world.ingested(world.fresh(), f"# Gone\n\n{chunk.text}".encode())
    world.engine.delete([gone.id])
    return Loss(query, gone.id if world.dice.random() < 0.5 else gone.source)


def no_record(world: World) -> Loss:
    _, chunk = world.any()
    name = world.fresh()
    folder = world.engine.profile.bucket_folder
    assert folder is not None
    (folder / name).write_text(chunk.text, encoding="utf-8")
    return Loss(world.question(chunk), name)


def waiting(world: World) -> Loss:
    _, chunk = world.any()
    stored = world.engine.profile.bucket.put(world.fresh(), chunk.text.encode(), metadata={"minTextLength": "1"})
    route(stored.event(EventKind.FINALISED), world.engine.profile)
    return Loss(world.question(chunk), stored.name)


def failed(world: World) -> Loss:
    _, chunk = world.any()
    suffix, data = world.dice.choice(
        [
            (".pdf", b"%PDF-1.7\n" + chunk.text.encode()),
            (".json", b'{"text": "' + chunk.text.encode().replace(b'"', b"'")),
            (".docx", chunk.text.encode()),
            (".txt", bytes(world.dice.randrange(256) for _ in range(3000))),
            (".html", b"<html><script>" + chunk.text.encode() + b"</script></html>"),
        ]
    )
    record = world.ingested(world.fresh(suffix), data)
    if record.failure is None:
        raise NoLoss
    return Loss(world.question(chunk), record.id)


def not_in_index(world: World) -> Loss:
    _, chunk = world.any()
    marker = f"{world.question(chunk)} zyx{world.count}"
    record = world.ingested(world.fresh(), f"# Note {world.count}\n\n{chunk.text}\n\n{marker}.".encode())
    chunks = world.chunks(record)
    world.engine.profile.open_index().vectors_of(record.name).delete_chunks([one.chunk.id for one in chunks])
    return Loss(marker, record.id)


def filtered(world: World) -> Loss:
    record, chunk = world.any()
    assert record.active is not None
    format = "pdf" if record.active.format != "pdf" else "html"
    within = world.dice.choice(
        [
            SearchFilter(formats=frozenset({format})),
            SearchFilter(tags=frozenset({"no such tag"})),
            SearchFilter(date_from=date(2031, 1, 1)),
            SearchFilter(path_prefixes=frozenset({"elsewhere"})),
            SearchFilter(title="No such title"),
            SearchFilter(document_ids=frozenset({world.dice.choice([r for r in world.all if r.id != record.id]).id})),
        ]
    )
    return Loss(world.question(chunk, 12), record.id, within=within)


def other_tenant(world: World) -> Loss:
    records = world.tenants.profile.documents.page(limit=100)
    record = world.dice.choice([one for one in records if one.active is not None])
    tenant = next(name for name in _NAMES if not record.name.startswith(f"{name}/"))
    _, chunk = world.any()
    return Loss(world.question(chunk), record.id, tenant=tenant)


def extraction(world: World) -> Loss:
    """The words stand where the reader of HTML does not look."""
    _, hidden = world.any()
    _, shown = world.any()
    before, after = world.dice.choice(
        [
            ("<script>/* ", " */</script>"),
            ("<!-- ", " -->"),
            ("<style>/* ", " */</style>"),
            ("<template>", "</template>"),
        ]
    )
    words = " ".join(word for word in hidden.text.split() if word.isalpha())
    if len(words) < 200:
        raise NoLoss
    page = f"<html><body><p>{_plain(shown.text)}</p>{before}{words}{after}</body></html>"
    record = world.ingested(world.fresh(".html"), page.encode())
    start = world.dice.randrange(len(words.split()) - 12)
    query = " ".join(words.split()[start : start + 12])
    missing = set(terms_of(query)) - {term for one in world.chunks(record) for term in one.terms.split()}
    if len(missing) < 0.7 * len(set(terms_of(query))):
        raise NoLoss
    return Loss(query, record.id)


def chunk_cut(world: World) -> Loss:
    """The words are from both sides of a border. With larger chunks, search would show the document."""
    record = world.dice.choice(world.small)
    chunks = [one.chunk for one in world.chunks(record)]
    if len(chunks) < 3:
        raise NoLoss
    at = world.dice.randrange(len(chunks) - 1)
    first, second = chunks[at], chunks[at + 1]
    left, right = _words(first.text)[-6:], _words(second.text)[:6]
    if len(set(terms_of(" ".join(left)))) < 4 or len(set(terms_of(" ".join(right)))) < 4:
        raise NoLoss
    query = " ".join([*left, *right])
    loss = Loss(query, record.id, threshold=world.dice.choice([None, 0.9, 0.97]), top_k=world.dice.choice([1, 3, 5]))
    if world.is_found(loss, record):
        raise NoLoss
    both = f"{first.text[-200:]}\n{second.text[:200]}"
    whole = world.ingested(world.fresh(), both.encode(), ChunkSize(1000, 0))
    would_be_found = world.is_found(loss, whole)
    world.engine.delete([whole.id])
    if not would_be_found:
        raise NoLoss
    return loss


def not_a_candidate(world: World) -> Loss:
    record = world.dice.choice(world.all)
    _, chunk = world.any()
    loss = Loss(world.question(chunk), record.id)
    if record.id in _candidates(world, loss) or _has_all_words(world, loss.query, record):
        raise NoLoss
    return loss


def below_threshold(world: World) -> Loss:
    record, chunk = world.any()
    low = Loss(world.question(chunk, world.dice.choice([3, 5, 8])), record.id, threshold=0.0, top_k=5)
    if not world.is_found(low, record):
        raise NoLoss
    loss = replace(low, threshold=world.dice.choice([None, 0.9, 0.99, 0.999]))
    if world.is_found(replace(loss, top_k=30), record):
        raise NoLoss
    return loss


def outranked(world: World) -> Loss:
    record, chunk = world.any()
    loss = Loss(world.question(chunk, world.dice.choice([2, 3, 5])), record.id, top_k=world.dice.choice([1, 2, 3, 5]))
    if world.is_found(loss, record):
        raise NoLoss
    ranked = world.results(replace(loss, top_k=10))  # with as many candidates
    if not any(source.document.id == record.id for one in ranked for source in one.sources):
        raise NoLoss
    return loss


PLANTS: dict[LossStage, Callable[[World], Loss]] = {
    LossStage.NOT_IN_BUCKET: not_in_bucket,
    LossStage.NO_RECORD: no_record,
    LossStage.WAITING: waiting,
    LossStage.FAILED: failed,
    LossStage.NOT_IN_INDEX: not_in_index,
    LossStage.OTHER_TENANT: other_tenant,
    LossStage.FILTERED: filtered,
    LossStage.EXTRACTION: extraction,
    LossStage.CHUNK_CUT: chunk_cut,
    LossStage.NOT_A_CANDIDATE: not_a_candidate,
    LossStage.BELOW_THRESHOLD: below_threshold,
    LossStage.OUTRANKED: outranked,
}


def _candidates(world: World, loss: Loss) -> set[str]:
    index = world.engine.profile.open_index()
    active = ActiveChunks(index.vectors(), world.engine.profile.documents)
    found = active.search(index.embedder.embed_query(loss.query), terms_of(loss.query), wanted=loss.top_k)
    return {hit.chunk.document_id for hit in found.candidates.hits}


def _has_all_words(world: World, query: str, record: Document) -> bool:
    """Whether a border may be what loses it."""
    terms = {term for one in world.chunks(record) for term in one.terms.split()}
    return set(terms_of(query)) <= terms


def _files(data: Path) -> list[Path]:
    markdown = sorted((data / "markdown").glob("*/*.md"))
    pdf = [file for file in sorted((data / "pdf").glob("*.pdf")) if file.stem not in ("password", "scanned")]
    return [file for file in markdown if file.stat().st_size > 1500] + pdf


def _abstracts(data: Path, dice: random.Random) -> list[tuple[str, str]]:
    """Abstracts as files of other formats."""
    rows = [json.loads(line) for line in (data / "cranfield" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    files = []
    long = [row for row in rows if len(row["text"]) > 300]
    for row in dice.sample(long, min(len(long), 60)):
        kind = dice.choice(["txt", "html", "json", "csv"])
        files.append((f"abstract-{row['_id']}.{kind}", _as_kind(kind, row["title"], row["text"])))
    return files


def _as_kind(kind: str, title: str, text: str) -> str:
    if kind == "html":
        return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"
    if kind == "json":
        return json.dumps({"title": title, "text": text})
    if kind == "csv":
        return f'title,text\n"{title}","{text}"\n'
    return f"{title}\n\n{text}"


def _prose(file: Path) -> bytes:
    """The text of a file without its front matter and its blocks of code."""
    if file.suffix == ".pdf":
        return (file.parent / f"{file.stem}.expected.md").read_bytes()
    text = file.read_text(encoding="utf-8")
    if text.startswith("---"):
        text = text.split("---", 2)[-1]
    return "".join(text.split("```")[::2]).encode()


def _words(text: str) -> list[str]:
    return [word for word in _plain(text).split() if word.isalpha()]


def _plain(text: str) -> str:
    return text.replace("<", " ").replace(">", " ").replace("&", " ")
