"""What the demo does with its documents, and what it expects. run.py does it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """`answer` is in the passage of `source` that has to come first."""

    text: str
    source: str
    answer: str


@dataclass(frozen=True, slots=True)
class Edit:
    """The answer to `question` is `before`; after the edit it has to be `after`."""

    name: str
    before: str
    after: str
    question: str


QUESTIONS = (
    DemoQuestion("How deep is the hole for the mast?", "installation-handbook.pdf", "Dig a hole 60 centimetres deep"),
    DemoQuestion("Why does my rain gauge count on dry days?", "troubleshooting.md", "Spiders like the funnel"),
    DemoQuestion("What does a soil moisture sensor cost?", "spare-parts.json", "63"),
    DemoQuestion(
        "Until when can I telephone support in summer?", "support-hours.txt", "the line stays open until 19:00"
    ),
)

EDIT = Edit(
    "policies/warranty-and-returns.md",
    before="within 30 days of delivery",
    after="within 60 days of delivery",
    question="How long do I have to send a station back?",
)

DELETED = DemoQuestion("Which firmware version is called Marsh Harrier?", "release-notes.txt", "Codename Marsh Harrier")

OFF_TOPIC = "Who painted the ceiling of the Sistine Chapel?"
