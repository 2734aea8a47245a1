"""An answer says what is missing: of the question, or of each part, by the rule or by a language model."""

from __future__ import annotations

from ragbase.adapters.extractive.generator import ExtractiveGenerator
from ragbase.domain.answer import GeneratedAnswer
from ragbase.domain.answer_type import AnswerType
from ragbase.domain.confidence import Confidence
from ragbase.ports import ChatModel
from ragbase.retrieval.answer import answer, whole
from ragbase.retrieval.context import EvidenceLimits
from ragbase.retrieval.search_parts import search_parts
from ragbase.testing.chat_model import MemoryChatModel
from tests.unit.retrieval.indexed import Indexed

BRIDGE = "The old bridge over the river Tyne was built in 1849 by Robert Stephenson.\n"
MUSEUM = "The entrance to the Victoria museum is in the old hall beside the library.\n"
COST = "How much does the entrance to the Victoria museum cost?"
BOTH = f"When was the bridge over the Tyne built and {COST[0].lower()}{COST[1:]}"
UNTOLD = "The passages mention “entrance, Victoria, museum”, but no sentence on it names an amount of money."


def answered(question: str, model: ChatModel | None = None) -> GeneratedAnswer:
    world = Indexed()
    world.put("bridge.md", BRIDGE)
    world.put("museum.md", MUSEUM)
    return whole(
        answer(
            question,
            search_parts(question, lambda text, _: world.search(text, threshold=0.5), top_k=5),
            generator=lambda: ExtractiveGenerator("english"),
            chunks_of=lambda _: world.chunks,
            limits=EvidenceLimits(2_000),
            language="english",
            chat_model=lambda: model,
        )
    )


def test_each_part_says_what_is_missing_of_it() -> None:
    given = answered(BOTH)
    there, missing = given.parts
    assert (there.covered, there.missing) == (True, None)
    assert not missing.covered
    assert missing.missing is not None
    assert (missing.missing.asked, missing.missing.text) == (AnswerType.AMOUNT, UNTOLD)
    assert given.missing is None
    assert given.text == f"{UNTOLD} {BRIDGE.strip()} {MUSEUM.strip()}"


def test_a_question_with_one_part_says_it_itself() -> None:
    given = answered(COST)
    assert given.missing is not None
    assert given.text == f"{UNTOLD} {MUSEUM.strip()}"


def test_what_lacks_the_answer_is_fair_at_most() -> None:
    question = "How much does the entrance to the Victoria museum in the old hall beside the library cost?"
    told = "When was the old bridge over the river Tyne built by Robert Stephenson?"
    assert answered(told).confidence is Confidence.STRONG
    given = answered(question)
    assert given.missing is not None
    assert given.confidence is Confidence.FAIR


def test_a_model_is_asked_about_one_part_and_its_tokens_count() -> None:
    model = MemoryChatModel(lambda *_: "1849")
    given = answered("When was the old bridge over the Tyne built?", model)
    assert given.missing is None
    assert len(model.asked) == 1
    assert (given.input_tokens > 0, given.output_tokens) == (True, 1)
    answered(BOTH, model)
    assert len(model.asked) == 1


def test_no_model_is_asked_where_nothing_passes() -> None:
    model = MemoryChatModel(lambda *_: "1849")
    given = answered("What do crocodiles eat?", model)
    assert (given.missing, model.asked) == (None, [])
    assert given.confidence is Confidence.NEAR_MISS
