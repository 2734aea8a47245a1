"""What every generator promises (ports/generator.py)."""

from __future__ import annotations

from ragbase.ports import Billed, DraftSentence, Generator
from ragbase.testing.passages import passage

EVIDENCE = (
    passage(1, "Bread is baked at four. The oven is cleaned on Sundays.", name="bakery.md"),
    passage(2, "The lighthouse is old. Its keeper counts the ships.", name="tower.md", header="Tower > Work"),
)


def sentences(generator: Generator, question: str) -> list[DraftSentence]:
    parts = list(generator.generate(question, EVIDENCE))
    return [part for part in parts if isinstance(part, DraftSentence)]


class GeneratorContract:
    """Inherit from it, and give it a fixture `generator`."""

    def test_a_sentence_names_the_passage_that_it_is_from_and_words_of_it(self, generator: Generator) -> None:
        given = sentences(generator, "Who counts the ships?")
        sentence = next(one for one in given if "counts the ships" in one.text)
        (drafted,) = sentence.citations
        assert drafted.passage == "2"
        assert drafted.words in EVIDENCE[1].text

    def test_the_same_question_gets_the_same_answer(self, generator: Generator) -> None:
        assert sentences(generator, "When is bread baked?") == sentences(generator, "When is bread baked?")

    def test_a_generator_has_a_name(self, generator: Generator) -> None:
        assert generator.model

    def test_no_sentence_is_blank_or_goes_over_lines(self, generator: Generator) -> None:
        for one in sentences(generator, "oven lighthouse bread ships"):
            assert one.text == one.text.strip() != ""

    def test_a_question_without_a_known_word_is_answered_without_an_error(self, generator: Generator) -> None:
        list(generator.generate("???", EVIDENCE))

    def test_a_half_of_a_surrogate_pair_does_no_harm(self, generator: Generator) -> None:
        evidence = (passage(1, "The keeper counts \ud83d ships."),)
        assert [
            part for part in generator.generate("Who counts \ud83d ships?", evidence) if not isinstance(part, Billed)
        ]
