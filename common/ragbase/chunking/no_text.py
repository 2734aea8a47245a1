"""Lines that a reader does not see as text: definitions of links, tags without attributes, and rules."""

from __future__ import annotations

import re

_NO_TEXT = re.compile(
    r"""
    (?:
      [^\S\n]*+ (?:> [^\S\n]*+)*+
      (?:
        # A definition of a link. A footnote is text, and so is a sentence after a word in brackets and a colon.
        \[ (?!\^) (?: [^\[\]\\\n] | \\. )++ \]: [^\S\n]*+ (?: \n [^\S\n>]*+ )?
          (?: < [^<>\n]*+ > | (?= [^\s/.\#?=@-]*+ [/.\#?=@-] ) [^\s<] \S*+ )
          (?: [^\S\n]*+ (?: \n [^\S\n>]*+ )? (?: " [^"\n]*+ " | ' [^'\n]*+ ' | \( [^()\n]*+ \) ) )?
      |
        (?: < /?+ (?: [a-z] [\w.:-]*+ )?+ \s*+ /?+ > [^\S\n]*+ )++  # </Note>, <br/>, <>
      |
        [-=_*+~:`|\#$\ \t\r\f\v\u00a0]*+  # rules, the line under a table's header, fences and marks that stand alone
      )
      [^\S\n]*+ (?: \n | \Z )
    )++
    """,
    re.VERBOSE | re.IGNORECASE,
)
BEGINS_NO_TEXT = frozenset("[<>-=_*+~:`|$")
"""Characters with which such lines begin: most passages begin with others."""


def says_nothing(text: str, start: int, end: int) -> bool:
    """Whether a piece of a text has nothing but such lines."""
    return _NO_TEXT.fullmatch(text, start, end) is not None
