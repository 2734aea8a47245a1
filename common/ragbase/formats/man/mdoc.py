"""The macros inside of a line of mdoc, the macros of BSD's manual pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

PAIRS = {
    "Op": "[]", "Bq": "[]", "Brq": "{}", "Pq": "()", "Aq": "<>", "Dq": "“”", "Qq": '""', "Sq": "‘’", "Ql": "‘’",
    "Oo": "[", "Bo": "[", "Bro": "{", "Po": "(", "Ao": "<", "Do": "“", "Qo": '"', "So": "‘",
    "Oc": "]", "Bc": "]", "Brc": "}", "Pc": ")", "Ac": ">", "Dc": "”", "Qc": '"', "Sc": "’",
}  # fmt: skip
"""What encloses the rest of the line, or opens or closes."""
NAMES = {
    "Ux": "UNIX", "Bx": "BSD", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD", "Dx": "DragonFly", "Bsx": "BSD/OS",
    "At": "AT&T UNIX", "St": "", "Bt": "is currently in beta test.", "Ud": "currently under development.",
}  # fmt: skip
PLAIN = frozenset(
    ("Ar", "Cm", "Ic", "Em", "Sy", "Li", "No", "Pa", "Va", "Vt", "Ev", "Er", "Dv", "Ad", "An", "Fa", "Ft", "Fd",
    "In", "Lb", "Mt", "Lk", "Tn", "Xo", "Xc", "Nm", "Nd", "Xr", "Fl", "Fn", "Fo", "Fc", "Ns", "Ap", "Sm", "Ms",
    "Cd", "Rv", "Ex", "Ta", "Sx", "Tg", "Hf", "Ef", "Bf", "Es", "En", "Pf", "Eo", "Ec", "Rs", "Re", "%A", "%B",
    "%C", "%D", "%I", "%J", "%N", "%O", "%P", "%Q", "%R", "%T", "%U", "%V")
)  # fmt: skip
CALLABLE = PLAIN | PAIRS.keys() | NAMES.keys()
CLOSING = frozenset((".", ",", ":", ";", ")", "]", "?", "!"))
OPENING = frozenset(("(", "["))


def mdoc_line(words: Sequence[str], name: str, plain: Callable[[str], str]) -> str:
    """The text of a line that begins with a macro. `name` is what the page is about."""
    line = _Line(name)
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else None
        if word in CALLABLE:
            line.macro(word, following)
        else:
            line.text(plain(word), words[max(index - 2, 0) : index])
    return line.end()


class _Line:
    def __init__(self, name: str) -> None:
        self._name = name
        self._out: list[str] = []
        self._closing: list[str] = []
        self._is_glued = False
        self._prefix = ""
        self._suffix = ""

    def _put(self, text: str, *, glued: bool = False) -> None:
        if self._out and (glued or self._is_glued):
            self._out[-1] += text
        else:
            self._out.append(text)
        self._is_glued = False

    def macro(self, macro: str, following: str | None) -> None:
        """A macro inside of the line; `following` is the next word."""
        self._prefix = self._suffix = ""
        is_alone = following is None or following in CALLABLE
        if macro in PAIRS:
            self._pair(PAIRS[macro], closes=macro.endswith("c"))
        elif macro in NAMES:
            self._put(NAMES[macro])
        elif macro == "Fl":
            self._prefix = "-"
            if is_alone:
                self._put("-")
                self._is_glued = following is not None
        elif macro in ("Ns", "Ap"):
            if macro == "Ap":
                self._put("'", glued=True)
            self._is_glued = True
        elif macro == "Nm" and (is_alone or following in CLOSING):
            self._put(self._name)
        elif macro == "Fn":
            self._suffix = "()"

    def _pair(self, marks: str, *, closes: bool) -> None:
        if len(marks) == 1 and closes:
            self._put(marks, glued=True)
            return
        self._put(marks[0])
        self._is_glued = True
        self._closing.extend(marks[1:])

    def text(self, text: str, before: Sequence[str]) -> None:
        """A word that is no macro; `before` are the two words before it."""
        if text in CLOSING:
            self._put(text, glued=True)
        elif text in OPENING:
            self._put(text)
            self._is_glued = True
        elif len(before) > 1 and before[0] == "Xr" and text[:1].isdigit():
            self._put(f"({text})", glued=True)
        else:
            self._put(self._prefix + text + self._suffix if text != "|" else text)
            self._suffix = ""

    def end(self) -> str:
        """The line. A full stop at its end stands behind the brackets."""
        closing = "".join(reversed(self._closing))
        last = self._out[-1] if self._out else ""
        if closing and last[:-1] and last[-1] in ".,:;":
            self._out[-1] = last[:-1] + closing + last[-1]
        elif closing:
            self._put(closing, glued=True)
        return " ".join(self._out)
