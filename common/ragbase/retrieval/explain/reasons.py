"""An explanation in words: why, and what can be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragbase.domain.document import Document
from ragbase.domain.left_out import left_out_notes
from ragbase.domain.loss_stage import LossStage
from ragbase.domain.near_miss import below
from ragbase.retrieval.explain.explanation import Explanation, InIndex

_MOST_WORDS = 8
_MOST_NOTES = 5
_FILTER_PARTS = {
    "document_ids": "its id",
    "path_prefixes": "its name",
    "formats": "its format",
    "tags": "its tags",
    "title": "its title",
    "url_prefix": "its address",
    "date_from": "its date",
    "date_to": "its date",
    "where": "what its front matter has there",
}


def reason_of(one: Explanation) -> str:
    """What happened to the document, with the figures of the stage."""
    return _REASONS[one.stage](one)


def remedy_of(one: Explanation) -> str | None:
    """What can be done; None if nothing has to be."""
    if one.stage is LossStage.FAILED and one.record is not None and one.record.lane is None:
        return "Correct the file, and ingest it again."
    if one.stage is LossStage.LEFT_OUT and one.left_out is not None:
        return one.left_out.reason
    return _REMEDIES.get(one.stage)


def _found(one: Explanation) -> str:
    seen = one.in_index
    rank = f"It is result {seen.rank} of at most {one.top_k}." if seen is not None else "It is a result."
    record, stored = one.record, one.stored
    if stored is None:
        return f"{rank} But the bucket no longer has it: search follows soon."
    if record is not None and not record.shows(stored.generation):
        return f"{rank} But that is an older generation: the one in the bucket is {_state(record)}."
    return rank


def _not_in_bucket(one: Explanation) -> str:
    if one.record is not None and not one.record.tombstone:
        return f"The bucket does not have {one.name}. The record still says {one.record.status.value}."
    deleted = " It was deleted." if one.record is not None else ""
    return f"The bucket does not have {one.name}.{deleted}"


def _left_out_of_source(one: Explanation) -> str:
    if one.left_out is None:
        raise ValueError(f"{one.stage} without a reason")
    article = "an" if one.left_out.one[0] in "aeiou" else "a"
    return f"It is left out, because it is {article} {one.left_out.one}."


def _no_record(one: Explanation) -> str:
    generation = one.stored.generation if one.stored is not None else 0
    known = " The records know another generation." if one.record is not None and not one.record.tombstone else ""
    return f"The bucket has generation {generation} of it, and there is no record of that yet.{known}"


def _waiting(one: Explanation) -> str:
    record = _record(one)
    older = " Search shows an older generation, which does not answer." if record.active is not None else ""
    because = f" Its last attempt failed: {record.failure.told}" if record.failure is not None else ""
    return f"It is {_state(record)}.{older}{because}"


def _failed(one: Explanation) -> str:
    record = _record(one)
    reason = f"{record.failure.code.value}: {record.failure.told}" if record.failure is not None else "no reason noted"
    older = " Search shows an older generation, which does not answer." if record.active is not None else ""
    return f"It is FAILED. {reason}{older}"


def _not_in_index(one: Explanation) -> str:
    active = one.record.active if one.record is not None else None
    if active is None or one.held_chunks is None:
        return "It is COMPLETED, but not made for the current index."
    return f"The current index has {one.held_chunks:,} of its {active.chunk_count:,} chunks."


def _other_tenant(one: Explanation) -> str:
    return f"{one.name} belongs to another tenant than the one that was asked for."


def _filtered(one: Explanation) -> str:
    parts = "; ".join(
        f"{_FILTER_PARTS[name]} is {has!r}" if has else f"{_FILTER_PARTS[name]} is not known"
        for name, has in one.refused_by.items()
    )
    return f"The filter leaves it out: {parts}."


def _extraction(one: Explanation) -> str:
    seen = _seen(one)
    lost = [word.term for word in seen.words if word.in_file]
    if not lost:
        missing = _listed([word.term for word in seen.words if not word.chunks])
        pages = _listed([str(page) for page in seen.pages_without_text])
        return f"No chunk has these words of the question: {missing}. They may be on pages that gave no text: {pages}."
    said = _left_out(one)
    return f"These words of the question are in the file, but in none of its chunks: {_listed(lost)}.{said}"


def _chunk_cut(one: Explanation) -> str:
    joined = _seen(one).joined
    if joined is None:
        return "A border between two chunks divides the words of the question."
    return (
        f"A border between two chunks divides the words of the question. Characters {joined.char_start:,} to "
        f"{joined.char_end:,} have {joined.coverage:.0%} of their worth, and no chunk has more than "
        f"{joined.chunk_coverage:.0%}. In one chunk they would score {joined.confidence:.2f}"
        + (f" and be result {joined.rank}." if joined.rank is not None else ".")
    )


def _not_a_candidate(one: Explanation) -> str:
    ranks = _seen(one).candidates
    return (
        f"Search looks at the {ranks.limit:,} best chunks by meaning and the {ranks.limit:,} best by words, of "
        f"{ranks.passages:,}. The best chunk of this document is "
        f"{_place(ranks.by_meaning, ranks.looked_at)} by meaning "
        f"and {_place(ranks.by_words, ranks.looked_at)} by words.{_unknown_words(one)}"
    )


def _below_threshold(one: Explanation) -> str:
    best = _seen(one).best
    return (
        f"Its best chunk scores {below(best.confidence, one.threshold)}, and the threshold is {one.threshold:g}. "
        f"The cosine with the question is {best.facts.cosine:.2f}, where a text on any other subject has "
        f"{best.background:.2f}, and it has {best.facts.coverage:.0%} of the words' worth.{_unknown_words(one)}"
    )


def _outranked(one: Explanation) -> str:
    seen = _seen(one)
    names = list(dict.fromkeys(better.document.source for better in seen.better))
    return f"Its best chunk would be result {seen.rank}, and {one.top_k} were asked for. Better are {_listed(names)}."


_REASONS: dict[LossStage, Callable[[Explanation], str]] = {
    LossStage.FOUND: _found,
    LossStage.LEFT_OUT: _left_out_of_source,
    LossStage.NOT_IN_BUCKET: _not_in_bucket,
    LossStage.NO_RECORD: _no_record,
    LossStage.WAITING: _waiting,
    LossStage.FAILED: _failed,
    LossStage.NOT_IN_INDEX: _not_in_index,
    LossStage.OTHER_TENANT: _other_tenant,
    LossStage.FILTERED: _filtered,
    LossStage.EXTRACTION: _extraction,
    LossStage.CHUNK_CUT: _chunk_cut,
    LossStage.NOT_A_CANDIDATE: _not_a_candidate,
    LossStage.BELOW_THRESHOLD: _below_threshold,
    LossStage.OUTRANKED: _outranked,
}

_REMEDIES = {
    LossStage.NOT_IN_BUCKET: "Check the name with `ragbase list`, or ingest the file.",
    LossStage.NO_RECORD: "Its event may be on the way. If nothing changes: `ragbase reconcile --repair`.",
    LossStage.WAITING: "It waits for its turn. If nothing changes: `ragbase reconcile --repair`.",
    LossStage.FAILED: "`ragbase status` shows it. Correct the file and ingest it again, or use `ragbase retry`.",
    LossStage.NOT_IN_INDEX: "`ragbase reconcile --repair` makes its chunks. If a reindex is half done, run it again.",
    LossStage.OTHER_TENANT: "Name its tenant, or none.",
    LossStage.FILTERED: "Change the filter, or what the document says of itself.",
    LossStage.EXTRACTION: "`ragbase text` prints what was read. docs/formats.md says what each format gives.",
    LossStage.CHUNK_CUT: "Larger chunks or more overlap (settings chunk_size and chunk_overlap), and a reindex.",
    LossStage.NOT_A_CANDIDATE: "Use words of the document in the question, or ask for more results.",
    LossStage.BELOW_THRESHOLD: "Use words of the document in the question, or lower the threshold.",
    LossStage.OUTRANKED: "Ask for more results, or narrow the question with a filter.",
}


def _record(one: Explanation) -> Document:
    if one.record is None:
        raise ValueError(f"{one.stage} without a record")
    return one.record


def _seen(one: Explanation) -> InIndex:
    if one.in_index is None:
        raise ValueError(f"{one.stage} without anything in the index")
    return one.in_index


def _state(record: Document) -> str:
    return "deleted" if record.tombstone else record.status.value


def _place(place: int | None, looked_at: int) -> str:
    return f"number {place:,}" if place is not None else f"not among the first {looked_at:,}"


def _unknown_words(one: Explanation) -> str:
    missing = [word.term for word in _seen(one).words if not word.chunks and not word.in_file]
    if not missing:
        return ""
    return f" The document does not have these words of the question: {_listed(missing)}.{_left_out(one)}"


def _left_out(one: Explanation) -> str:
    """What the reader of the file left out."""
    active = one.record.active if one.record is not None else None
    notes = left_out_notes(active.notes) if active is not None else ()
    more = len(notes) - _MOST_NOTES
    also = f" and {more} more" if more > 0 else ""
    return f" Not all of the file was read: {' '.join(notes[:_MOST_NOTES])}{also}" if notes else ""


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_WORDS
    return ", ".join(names[:_MOST_WORDS]) + (f" and {more} more" if more > 0 else "")
