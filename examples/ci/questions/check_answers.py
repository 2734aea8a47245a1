"""Fails if a question of `ragbase eval --json` does not find what it has to, or the mean recall is too low."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MEASURE = "recall@5"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("answers", type=Path, help="what `ragbase eval --json` has printed")
    parser.add_argument("--recall", type=float, required=True, help="the least mean recall@5, 0 to 1")
    arguments = parser.parse_args()
    try:
        answers = json.loads(arguments.answers.read_text(encoding="utf-8"))
        wrong = list(faults(answers, arguments.recall))
    except (OSError, ValueError, LookupError, TypeError) as error:
        parser.error(f"{arguments.answers} is not what `ragbase eval --json` prints: {error}. See what it says there.")
    sys.stdout.writelines(f"- {fault}\n" for fault in wrong)
    sys.stdout.write(f"{len(answers['questions'])} questions asked, {len(wrong)} faults\n")
    return 1 if wrong else 0


def faults(answers: dict[str, Any], least: float) -> Iterator[str]:
    """What is wrong, at the threshold: what people get."""
    for question in answers["questions"]:
        if question["isAnswerable"] and not question["atThreshold"][MEASURE]:
            yield f"not found: {question['text']}"
        if not question["isAnswerable"] and question["results"]:
            yield f"found, but nothing answers it: {question['text']}"
    for recall in (one["atThreshold"] for one in answers["measures"] if one["name"] == MEASURE):
        if recall < least:
            yield f"the mean {MEASURE} is {recall:.2f}, and has to be {least:.2f} or more"


if __name__ == "__main__":
    sys.exit(main())
