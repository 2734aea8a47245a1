"""The terms of what a text says."""

from __future__ import annotations

import re

from ragbase.text.terms import terms_in

_TARGET = re.compile(r"\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"\n]*\"\s*)?\)")
_TAG = re.compile(r"<[A-Za-z][\w-]*\s[^<>]*=[^<>]*>")
_SIGNED = re.compile(r"(?<![^\s()\[{\"'`|*,;=/“«„])[-+^%@~$]{1,2}\w[\w-]*")


def said_terms(text: str, spoken: str) -> list[str]:
    """The terms of the text, analysed in the language `spoken` (text/terms.py). The targets of links and the attributes
    of tags are not said. A word with a sign before it, such as `-M`, `--amend`, `^A` or `%n`, is a term as it is
    written, too: `-m` is another option, and one letter has no other term."""
    read = _TAG.sub(" ", _TARGET.sub("]", text))
    return [*terms_in(read, spoken), *_SIGNED.findall(read)]
