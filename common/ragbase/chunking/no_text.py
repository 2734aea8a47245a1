"""Lines that a reader does not see as text: definitions of links, tags without attributes, and rules."""

from __future__ import annotations

import re

NO_TEXT = re.compile(
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
