"""An answer without a model quotes what can stand alone: a whole row, an entry without its question, a list with the
sentence that leads to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config

pytestmark = pytest.mark.slow

FAQ = """question,answer
How do I reset my VPN token?,"Open the portal, choose Tokens and press Reset. It takes five minutes."
Who approves purchases above 5000 euro?,The head of finance approves them within two working days.
Comment réserver une salle ?,Ouvrez le calendrier et invitez la salle.
"""
BOARDS = """# Warning boards

The station puts up a warning board when there is:

- a fuel leak
- a storm of force nine or more
- a failure of the main pump

## Who decides

The duty engineer decides. Boards are kept in the shed behind the workshop and are washed every spring.
"""
VALVES = """# Valve settings

| Setting | Description | Default |
| --- | --- | --- |
| retry | Tries once more if the valve does not move. *Since version 1.8.* | false |
| alarm_on_error | Whether an error (such as a stuck valve) sounds the alarm. Only used if quiet is off. | true |
| quiet | Suppresses all messages. *Since version 1.6.* | false |
"""
SEARCH = """# Offline search

The offline plugin makes sure that [site search] works on a stick. See also the [list of plugins].

  [site search]: ../setup/search-on-a-stick-works-offline.md
  [list of plugins]: ../plugins/offline-and-other-plugins.md
"""
QUESTIONS = """# Pump house

Who may open the pump house?

Only the duty engineer and the chief may open it.
"""
SETTINGS = """# Settings

- lock_seconds

  How long the gate stays locked after a wrong code. A guard can open it before that time with the master key, which
  hangs in the office behind the door, and which nobody may take home or lend to a visitor. Each lock is written down.

  Default: `45`

- lock_tries

  How many wrong codes lock the gate.

  Default: `3`

## Lamp

Default: 600

How long the lamp burns in seconds.

## Bell

How loud the bell rings in decibels.

Default: 70
"""
MANUAL = """gate.hold::
\tSeconds that the gate is held open. It closes by itself after
\tthat. The default value is 20.

gate.holdLimit::
\tThe most seconds that anybody may hold the gate open by hand. The
\tdefault value is 90. Setting this to 0 lets it stand open.
"""
RULES = """# Rules

| Question | Answer |
| --- | --- |
| Who may ring the bell? | The keeper. Nobody else may touch it. |
| When is the gate shut? | At nine in the evening. |
"""
WIDE = ",".join(["part", *(f"column{n}" for n in range(24)), "supplier"]) + "\n" + "".join(
    ",".join([n, *(f"filler {n[:3]}{k}" for k in range(24)), f"{n} Supplies"]) + "\n" for n in ("windlass", "capstan")
)  # fmt: skip

Ask = Callable[[str, str, str], str]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """Of one file, given its name and its text, what the answer to a question says."""
    with RAGEngine(load_config(environment={}, home=tmp_path / "home", embedder="hashing")) as engine:

        def asked(name: str, text: str, question: str) -> str:
            (tmp_path / name).write_text(text)
            assert engine.ingest([str(tmp_path / name)])["failed_files"] == []
            answer = engine.generate(question)
            assert all(sentence.supported for sentence in answer.sentences)
            return answer.text

        yield asked


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How do I reset my VPN token?", "Open the portal, choose Tokens and press Reset. It takes five minutes."),
        ("Who approves purchases above 5000 euro?", "The head of finance approves them within two working days."),
        ("Comment réserver une salle ?", "Ouvrez le calendrier et invitez la salle."),
    ],
)
def test_a_row_with_a_question_gives_its_answer(ask: Ask, question: str, answer: str) -> None:
    assert ask("faq.csv", FAQ, question) == f"answer: {answer}"


def test_a_sentence_that_ends_with_a_colon_brings_its_list(ask: Ask) -> None:
    said = ask("boards.md", BOARDS, "When does the station put up a warning board?")
    assert said == (
        "The station puts up a warning board when there is: a fuel leak; a storm of force nine or more; a failure of "
        "the main pump"
    )


def test_a_row_of_a_table_is_whole(ask: Ask) -> None:
    said = ask("valves.md", VALVES, "What is the default of alarm_on_error?")
    assert "sounds the alarm. Only used if quiet is off. | true |" in said
    assert "Since" not in said


def test_a_definition_of_a_link_is_no_sentence(ask: Ask) -> None:
    said = ask("search.md", SEARCH, "Which plugin makes site search work offline on a stick?")
    assert "The offline plugin makes sure" in said
    assert "../" not in said


def test_a_question_in_the_text_gives_what_follows_it(ask: Ask) -> None:
    said = ask("pumps.md", QUESTIONS, "Who may open the pump house?")
    assert said == "Only the duty engineer and the chief may open it."


def test_the_paragraph_below_a_question_is_its_answer(ask: Ask) -> None:
    text = "Who may ring the bell?\n\nThe keeper. Nobody else may touch it.\n\nThe bell was cast in 1901. It is red.\n"
    assert ask("bell.md", text, "Who may ring the bell?") == "The keeper. Nobody else may touch it."


def test_a_question_in_bold_letters_of_chinese_is_one(ask: Ask) -> None:
    text = "**如何重置密码？**\n\n在个人资料页面点击安全。\n\n**食堂什么时候开门？**\n\n每天上午十一点半。\n"
    assert ask("help.md", text, "如何重置密码？") == "在个人资料页面点击安全。"


def test_of_a_long_row_its_key_and_what_was_asked(ask: Ask) -> None:
    said = ask("parts.csv", WIDE, "supplier of the part capstan")
    assert said.startswith("part: capstan; supplier: capstan Supplies")
    assert "filler" not in said


def test_rows_that_only_look_like_the_right_one_are_no_answer(ask: Ask) -> None:
    hosts = "".join(f"web-{n:02},{('Ana', 'Ben')[n % 2]},R{n}\n" for n in range(20))
    said = ask("hosts.csv", f"Host,Owner,Rack\n{hosts}", "Who is the owner of web-17?")
    assert said == "Host: web-17; Owner: Ben; Rack: R17"


def test_a_sentence_without_the_name_that_was_asked_for_is_no_answer(ask: Ask) -> None:
    """Payslips say the same of everybody: a line belongs to the name that stands beside it."""
    slips = "\n\n".join(
        f"# Payslip {number}\n\nEmployee {name}\n\nGross {2000 + 111 * number} EUR\n\nNet pay: {1500 + 77 * number} EUR"
        for number, name in enumerate(("Ann", "Bert", "Carl", "Dora", "Emil", "Fay"))
    )
    said = ask("slips.md", slips, "What is the net pay of Dora?")
    assert "Net pay: 1731 EUR" in said
    assert said.count("Net pay") == 1


def test_what_stands_below_a_question_answers_it(ask: Ask) -> None:
    text = """# Help

## Who may open the pump house?

Only the two people on duty.

## Building

The pump house opens to the south. The pump house was built in 1931. Nobody may open a pump in the house by hand.
"""
    assert ask("help.md", text, "Who may open the pump house?").startswith("Only the two people on duty.")


@pytest.mark.parametrize(
    ("question", "name", "value"),
    [
        ("What is the default of lock_seconds?", "lock_seconds", "Default: `45`"),
        ("What is the default of lock_tries?", "lock_tries", "Default: `3`"),
        ("How many seconds does the lamp burn by default?", "How long the lamp burns", "Default: 600"),
        ("How loud does the bell ring by default?", "How loud the bell rings", "Default: 70"),
    ],
)
def test_a_value_stands_with_what_it_is_of(ask: Ask, question: str, name: str, value: str) -> None:
    said = ask("settings.md", SETTINGS, question)
    assert name in said
    assert value in said


def test_another_term_is_no_answer(ask: Ask) -> None:
    assert "lock_tries" not in ask("settings.md", SETTINGS, "What is the default of lock_seconds?")
    assert "lock_seconds" not in ask("settings.md", SETTINGS, "What is the default of lock_tries?")


@pytest.mark.parametrize(
    ("question", "name", "value"),
    [
        ("What is the default value of gate.hold?", "gate.hold::", "default value is 20"),
        ("What is the default of gate.holdLimit?", "gate.holdLimit::", "default value is 90"),
    ],
)
def test_a_description_stands_with_its_term(ask: Ask, question: str, name: str, value: str) -> None:
    said = ask("manual.txt", MANUAL, question)
    assert name in said
    assert value in said


def test_a_term_on_a_line_of_its_own_stands_with_its_description(ask: Ask) -> None:
    text = """# Options

-q, --quiet

Ring no bell. The lamp burns.

-r, --repeat

Ring the bell twice. A lamp burns in between.
"""
    assert ask("ring.md", text, "What does --repeat do?").startswith("-r, --repeat; Ring the bell twice.")


def test_a_row_of_a_table_has_the_names_of_its_columns(ask: Ask) -> None:
    said = ask("valves.md", VALVES, "What is the default of alarm_on_error?")
    assert said.startswith("| Setting | Description | Default | | alarm_on_error |")


def test_of_a_row_with_a_question_only_the_answer(ask: Ask) -> None:
    assert ask("rules.md", RULES, "Who may ring the bell?") == "The keeper. Nobody else may touch it."
    assert ask("rules.md", RULES, "who rings the bell") == "The keeper. Nobody else may touch it."


def test_a_link_that_only_names_what_was_asked_for_is_no_answer(ask: Ask) -> None:
    text = """# gate-wash

Wash a gate

## Description

This command hoses down the bars and oils the hinges.

## See also

* [gate-wash](/commands/gate-wash)
* [gate-lock](/commands/gate-lock)
"""
    assert "hoses down" in ask("gate.md", text, "What does gate-wash do?")
    assert "](" not in ask("gate.md", text, "What does gate-wash do?")
    assert "hoses down" in ask("gate.md", text, "How do I wash a gate?")


def test_a_sentence_with_only_the_words_of_the_question_can_be_the_answer(ask: Ask) -> None:
    text = "# Gate\n\nThe gate needs a key. The gate was painted in spring by two boys.\n"
    assert "The gate needs a key." in ask("gate.md", text, "Does the gate need a key?")


def test_the_target_of_a_link_has_no_words(ask: Ask) -> None:
    text = """# Lists

Each has a number.

Our [list](https://boats.example/lamp/colour/of/the/lamp-colour) hangs in the hall.

# Boats

At night they show a red lamp.
"""
    said = ask("boats.md", text, "What colour is the lamp of the boats?")
    assert "red lamp" in said
    assert "hangs in the hall" not in said


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does the option -M of ring do?", "Mute the second bell."),
        ("What does the option -m of ring do?", "Open the manual of bells."),
        ("What does ring ^B do?", "Strike the big bell."),
        ("What does ring @noon do?", "Play a tune at lunch."),
    ],
)
def test_an_option_of_one_letter_is_told_from_others(ask: Ask, question: str, answer: str) -> None:
    text = """# Options of ring

-a, --all

Ring all bells of the tower, as the option of a ring.

-m, --manual

Open the manual of bells.

-M, --mute

Mute the second bell.

^A

Strike the small bell, as the option of a ring.

^B

Strike the big bell.

@noon

Play a tune at lunch.
"""
    assert ask("ring.md", text, question).endswith(answer)


def test_nothing_is_quoted_twice(ask: Ask) -> None:
    said = ask("boards.md", BOARDS, "Does the station put up a warning board when there is a storm of force nine?")
    assert said.count("a storm of force nine") == 1


def test_words_that_only_frame_a_question_choose_no_sentence(ask: Ask) -> None:
    text = """# Preface

By the keeper.

The documentation says a lot, and the manual describes it: please tell us, thanks.

# Gate

Its key hangs in the office.
"""
    said = ask("gate.md", text, "Hello! Please tell me what the documentation says about the key of the gate. Thanks!")
    assert "hangs in the office" in said
    assert "thanks" not in said


def test_the_first_sentence_below_a_name_tells_what_it_is(ask: Ask) -> None:
    text = """# Windlass

## Description

A drum that lifts the anchor.

The chief greases it in May. If the windlass squeaks, the chief was late.
"""
    assert ask("deck.md", text, "What is a windlass?").startswith("A drum that lifts the anchor.")


def test_a_piece_of_code_is_no_sentence(ask: Ask) -> None:
    """A long block is in several passages, of which some are found."""
    lines = "".join(f'paint("bell {n}", colour{n}, "{"red green blue " * 6}")\n' for n in range(60))
    text = f"# Paint\n\n```go\n{lines}```\n\nA bell that rusts is painted again.\n"
    said = ask("paint.md", text, "How is bell 57 painted again in colour57?")
    assert "paint(" not in said


def test_a_question_is_no_answer(ask: Ask) -> None:
    text = "# Bell\n\nIt is rung at noon. And what even is the bell rope made of?\n"
    assert "?" not in ask("bell.md", text, "What is the bell rope made of?")


def test_an_item_that_ends_with_a_semicolon_asks_nothing(ask: Ask) -> None:
    text = "# Cloche\n\nOn sonne la cloche :\n\n- à midi ;\n- à minuit ;\n- par gros temps.\n"
    said = ask("cloche.md", text, "Quand sonne la cloche ?")
    assert said == "On sonne la cloche : à midi ; à minuit ; par gros temps."


def test_a_greek_question_is_one(ask: Ask) -> None:
    text = "Πότε ανοίγει η βιβλιοθήκη;\n\nΣτις εννέα το πρωί.\n\nΠοιος χτυπά την καμπάνα;\n\nΟ φύλακας.\n"
    assert ask("help.md", text, "Πότε ανοίγει η βιβλιοθήκη;") == "Στις εννέα το πρωί."


def test_a_comment_is_not_quoted(ask: Ask) -> None:
    text = "# ring(bell)\n\n<!-- YAML\nadded: v1.2\n\nchanges: ring takes a bell.\n-->\n\nStrikes it once.\n"
    assert ask("ring.md", text, "What does ring(bell) do?") == "Strikes it once."


def test_nothing_is_said_of_a_name_that_no_passage_has(ask: Ask) -> None:
    said = ask("settings.md", SETTINGS, "What is the default of lock_minutes?")
    assert said == "The documents have no information on this."


def test_a_list_of_items_with_several_sentences_is_whole(ask: Ask) -> None:
    text = """# Gate

The gate is locked in these cases:

- There is a storm. The keeper says so.

  It is written down.
- The key is lost.

Nobody may climb over.
"""
    said = ask("gate.md", text, "In which cases is the gate locked?")
    assert said.startswith(
        "The gate is locked in these cases: There is a storm. The keeper says so. It is written down. The key is lost."
    )
    assert "climb" not in said


def test_the_next_sentence_of_a_paragraph_goes_on_with_the_best_one(ask: Ask) -> None:
    text = (
        "# Lamp\n\nThere is a way to light the lamp in the tower by hand. Turn the brass key.\n\nIt is dusted weekly.\n"
    )
    said = ask("lamp.md", text, "Is there a way to light the lamp in the tower by hand?")
    assert said == "There is a way to light the lamp in the tower by hand. Turn the brass key."


@pytest.mark.parametrize("between", ["\n\n", "\n## Care\n", "\n- "])
def test_what_stands_below_a_paragraph_does_not_go_on_with_it(ask: Ask, between: str) -> None:
    text = f"# Lamp\n\nThe lamp in the tower is lit at dusk.{between}The chain is dusted weekly.\n"
    assert ask("lamp.md", text, "When is the lamp in the tower lit?") == "The lamp in the tower is lit at dusk."


def test_a_lead_in_brings_the_items_of_a_numbered_list(ask: Ask) -> None:
    text = "# Lamp\n\nThe lamp in the tower is lit in two ways:\n\n1. Turn the brass key.\n2. Pull the chain.\n"
    said = ask("lamp.md", text, "In which ways is the lamp in the tower lit?")
    assert said == "The lamp in the tower is lit in two ways: Turn the brass key. Pull the chain."
