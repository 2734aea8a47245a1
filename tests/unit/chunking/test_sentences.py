"""Where sentences are, in texts of all kinds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.chunking.sentences import sentence_spans


def sentences(text: str, *cuts: int) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, cuts)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("A line\nthat goes on. Next.", ["A line\nthat goes on.", "Next."]),
        ("Use it, e.g. here. It costs 2.50 now.", ["Use it, e.g. here.", "It costs 2.50 now."]),
        ("# Title\nText follows. More.", ["# Title", "Text follows.", "More."]),
        ("Before\n## Title\nAfter", ["Before", "## Title", "After"]),
        ("Before\r## Title\r\r- one\r- two", ["Before", "## Title", "- one", "- two"]),
        ("Items:\n- one\n- two\n\nThe end", ["Items:", "- one", "- two", "The end"]),
        ("| a | b |\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("Run it:\n```sh\nls. Now\n\nmore\n```\nDone.", ["Run it:", "```sh\nls. Now\n\nmore\n```", "Done."]),
        ("他来了。她走了！", ["他来了。", "她走了！"]),
        ("**他来了？**\n\n**她**走了。**他**来。", ["**他来了？**", "**她**走了。", "**他**来。"]),
        ('He said "yes." Then he left.', ['He said "yes."', "Then he left."]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Es gilt § 5 Abs. 2 des Gesetzes.",
        "Es gilt § 106 Abs. Der Rest entfällt.",
        "Siehe Nr. 3, z. B. Wasser, i.d.R. Eis.",
        "Am 3. März kam er.",
        "Im 19. Jahrhundert starb, wie 44 v. Chr. Caesar, der Dipl.-Ing. Meyer.",
        "Según el art. 5, p. ej. Madrid, el Sr. López vive en la Av. Goya.",
        "Он жил, т. е. Иванов, на ул. Ленина, см. Рис. 3, до 1990 г. Потом уехал.",
        "Ông sống ở TP. Hồ Chí Minh và TP. HCM.",
        "See Fig. 3 and p. 5, e.g. St. John by J. R. R. Tolkien, Smith et al. 2003.",
        "Mr. Smith of the U.S. Army met Prof. Miller.",
        "M. Dupont est né vers 50 av. J.-C. Rome existait.",
        "Il sig. Rossi e la dott. Bianchi arrivano.",
        "Mieszka przy ul. Nowej, tj. w domu nr. 5.",
        "Τον κ. Παπαδόπουλο, βλ. Σελ. 5, είδα.",
        "Bijv. Amsterdam, dhr. Jansen, nr. 5.",
        "Jl. Sudirman No. 5 di Jakarta.",
        "डॉ. सिंह आए",
    ],
)
def test_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Do it. Then stop.",
        "He came in 1990. The war began.",
        "It scored 24. The team won.",
        "Use HTTP. The port is 80.",
        "Use the API. Send it.",
        "The file is config.yaml. Open it.",
        "He said no. Then he left.",
        "Das Ergebnis war 24. Die Mannschaft ging.",
        "Der Zug fährt am Tag. Nachts ruht er.",
        "Está aquí. No viene.",
        "Это дом. Он стоит.",
        "Nó ở đây. Tôi đi.",
        "C'est ici. On part.",
        "To jest to. Jan idzie.",
        "यह घर है। वह आया।",
        "هل هذا بيت؟ نعم هو.",
    ],
)
def test_other_full_stops_do(text: str) -> None:
    assert len(sentences(text)) == 2


def test_a_cut_ends_a_sentence() -> None:
    assert sentences("one long sentence", 4) == ["one", "long sentence"]


def test_the_mark_of_an_item_closes_no_sentence() -> None:
    text = "One. Two.\n* Three four.\n* Five.\n"
    assert [text[start:end] for start, end in sentence_spans(text)] == ["One.", "Two.", "* Three four.", "* Five."]


def test_the_number_of_an_item_is_no_sentence() -> None:
    text = "Two ways:\n\n1. Turn the key. It is brass.\n   2. Pull it.\n> 3. Call.\n\nIt was 1999. Then it rang.\n"
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        *("Two ways:", "1. Turn the key.", "It is brass.", "2. Pull it.", "> 3. Call.", "It was 1999.", "Then it rang.")
    ]


@given(st.text("ab .!?\n#-|`。", max_size=60), st.lists(st.integers(0, 60), max_size=3))
def test_nothing_but_blanks_is_between_sentences_and_none_goes_beyond_a_cut(text: str, places: list[int]) -> None:
    cuts = [place for place in places if place <= len(text)]
    spans = sentence_spans(text, cuts)
    left = [0, *(place for span in spans for place in span), len(text)]
    assert left == sorted(left)
    assert not any(text[end:start].strip() for end, start in zip(left[::2], left[1::2], strict=True))
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert not any(start < cut < end for start, end in spans for cut in cuts)
