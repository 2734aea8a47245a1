"""A promise that was broken."""

from __future__ import annotations


class Violation(BaseException):
    """`rule` names the promise, `what` says in one line how it was broken. No handler of the pipeline catches it."""

    def __init__(self, rule: str, what: str) -> None:
        super().__init__(f"{rule}: {what}")
        self.rule = rule
        self.what = what
