"""Count how often the verification of answers marks a sentence that holds, and misses one that does not.

Prints a line of JSON for 200 pairs by hand that the rules were made beside (`tuned`), and for 100 that no rule was
changed for (`held_out`), in 27 languages. With `--data`, lines for each language of XQuAD follow: its sentences as they
are, rewritten as a model may say them, and with one planted change (`meaning_stand_ins.py`); and its questions, each
with its answer behind it.
`false_alarms` is the share of the sentences that hold and are marked, `detected` the share of the changes that are
marked, and `named` the share that is marked for the reason that was planted. `ms` is the
processor's time for a sentence, once the tables are loaded.
"""

from __future__ import annotations

import csv
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.answer import AnswerSentence
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.extraction import Extraction
from ragbase.pipeline.make_chunks import chunk_of
from ragbase.ports import DraftCitation, DraftSentence
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.verify import Verifier
from ragbase.testing.passages import document
from scripts.bench.corpus import DATA
from scripts.bench.harness import Bench, Figures, share
from tests.meaning_stand_ins import on_xquad, questions_of_xquad

HALVES = {"tuned": "meaning_pairs.tsv", "held_out": "meaning_pairs_held_out.tsv"}


@dataclass(frozen=True)
class Pair:
    """`kind` is what was planted; None for a sentence that holds. `way` is how it was rewritten."""

    language: str
    passage: str
    sentence: str
    kind: str | None
    way: str = "by hand"


def main() -> None:
    bench = Bench("meaning", __doc__)
    bench.add_argument("--data", type=Path, metavar="FOLDER", help="has xquad/")
    bench.add_argument(
        "--show", action="store_true", help="print what is judged wrongly, too; not of the half that is held out"
    )
    options = bench.parse_args()
    for name, file in HALVES.items():
        bench.say({"set": name, **measure(by_hand(DATA / file), show=options.show and name == "tuned")})
    for path in sorted((options.data / "xquad").glob("xquad.*.json")) if options.data else ():
        language = path.suffixes[0][1:]
        pairs = [Pair(language, *one) for one in on_xquad(path, language)]
        bench.say({"set": f"xquad {language}", **measure(pairs, show=options.show)})
        asked = [Pair(language, *one) for one in questions_of_xquad(path)]
        bench.say({"set": f"xquad {language}, questions with answers", **measure(asked, show=options.show)})


def by_hand(file: Path) -> Iterator[Pair]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield Pair(row["language"], row["passage"], row["holds"], None)
            yield Pair(row["language"], row["passage"], row["changed"], row["kind"])


def measure(pairs: Iterable[Pair], *, show: bool) -> Figures:
    holding: dict[str, list[bool]] = defaultdict(list)
    changed: dict[str, list[bool]] = defaultdict(list)
    named: dict[str, list[bool]] = defaultdict(list)
    by_language: dict[str, list[bool]] = defaultdict(list)
    reasons: dict[str, int] = defaultdict(int)
    times = []
    verified(Pair("en", "It loads its tables.", "It must load 5 tables before May.", None))
    for pair in pairs:
        began = time.process_time()
        sentence = verified(pair)
        times.append((time.process_time() - began) * 1000)
        because = sentence.unsupported_because
        is_marked = not sentence.supported
        by_language[pair.language].append(is_marked == (pair.kind is not None))
        if pair.kind is None:
            holding[pair.way].append(is_marked)
            for reason in because:
                reasons[reason] += 1
        else:
            changed[pair.kind].append(is_marked)
            named[pair.kind].append(pair.kind in because)
        if show and is_marked != (pair.kind is not None):
            print(f"{pair.language} {pair.kind or pair.way} {because}\n  {pair.passage}\n  {pair.sentence}")
    return {
        "false_alarms": share(one for ones in holding.values() for one in ones),
        "false_alarms_by_rewriting": _shares(holding),
        "false_alarms_by_reason": dict(sorted(reasons.items())),
        "holding": sum(map(len, holding.values())),
        "detected": share(one for ones in changed.values() for one in ones),
        "detected_by_kind": _shares(changed),
        "named_by_kind": _shares(named),
        "changed": sum(map(len, changed.values())),
        "right_by_language": _shares(by_language),
        "ms": round(sum(times) / len(times), 2),
    }


def verified(pair: Pair) -> AnswerSentence:
    """The sentence with a citation of the passage, whose words are the sentence: a model that says only where it has
    it from."""
    record = document("passage.md", 1)
    chunks = tuple(
        chunk_of(passage, record.id, 1, place, "bench")
        for place, passage in enumerate(MarkdownChunker(2_000, 0).split(Extraction(pair.passage)))
    )
    evidence = EvidencePassage(id="1", document=record, chunks=chunks, score=1.0)
    verifier = Verifier([evidence], lambda _: cast(ActiveChunks, _Shown()), "english")
    return verifier.verified(DraftSentence(pair.sentence, (DraftCitation("1", pair.sentence),)))


class _Shown:
    """An index that shows all chunks."""

    def shown(self, chunks: object, within: object) -> object:
        return chunks


def _shares(kinds: Mapping[str, list[bool]]) -> Figures:
    return {kind: share(ones) for kind, ones in sorted(kinds.items())}


if __name__ == "__main__":
    main()
