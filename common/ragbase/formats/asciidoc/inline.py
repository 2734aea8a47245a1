"""The marks inside of a paragraph of AsciiDoc. Bold, italic and code are written in Markdown as they stand."""

from __future__ import annotations

import re
from collections.abc import Callable

MARK = re.compile(
    r"\+\+\+(?P<pass>(?:[^+]++|\+(?!\+\+))++)\+\+\+"
    r"|``(?P<quoted>(?:[^`']|'(?!')|`(?!`)){1,300}+)''"
    r"|(?P<code>`+)(?P<codetext>[^`\n]{1,400}+)(?P=code)"
    r"|(?P<link>(?:https?|ftp|irc)://[^\s\[\]<>]{1,1000}+|(?:link|mailto):[^\s\[\]]{1,500}+)\[(?P<label>[^\]\n]{0,500}+)\]"
    r"|(?P<macro>\b[a-z]\w{1,20}+)::?(?P<target>[^\s\[\],;]{0,300}+)\[(?P<attributes>(?:[^\]\\]|\\.){0,600}+)\]"
    r"|<<(?P<xref>[^<>,\n]{1,200}+)(?:,(?P<xreftext>[^<>]{0,300}+))?>>"
    r"|\[\[(?P<anchor>[\w:.-]{1,100}+)(?:,[^\]\n]{0,200}+)?\]\]"
    r"|\(\(\((?P<hidden>[^()]{1,300}+)\)\)\)|\(\((?P<term>[^()]{1,300}+)\)\)"
    r"|\[(?P<role>[.#]?[\w.-]{1,60}+)\]#(?P<marked>[^#\n]{1,300}+)#"
    r"|(?<=\w)\^(?P<sup>[^\s^]{1,40}+)\^|(?<=\w)~(?P<sub>[^\s~]{1,40}+)~"
    r"|\{(?P<attribute>[\w-]{1,60}+)\}"
    r"|[ \t]\+(?P<break>)$",
    re.MULTILINE,
)
"""Each kind ends at the next mark of its kind or after some characters, so that the scan is linear."""
CHARACTERS = {
    "empty": "", "blank": "", "sp": " ", "nbsp": " ", "zwsp": "", "wj": "", "asterisk": "*", "plus": "+", "caret": "^",
    "tilde": "~", "backtick": "`", "pipe": "|", "vbar": "|", "lt": "<", "gt": ">", "amp": "&", "startsb": "[",
    "endsb": "]", "two-colons": "::", "two-semicolons": ";;", "backslash": "\\", "cpp": "C++", "apos": "'", "quot": '"',
    "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "deg": "°", "brvbar": "¦", "cxx": "C++", "litdd": "--",
}  # fmt: skip
"""Attributes that AsciiDoc has of itself."""
NUMBER = re.compile(r"[-+−]?[\d.,]+")
ATTRIBUTE = re.compile(r"(?:^|,)\s*(?:[\w-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^,]*))(?=,|$)")
LINK_OF_IMAGE = re.compile(r"\blink=\"?([^\",\s]{1,500})")
FORMULAS = frozenset(("stem", "latexmath", "asciimath"))
SILENT = frozenset(("anchor", "icon", "toc", "bibitem"))


class Inline:
    """Writes paragraphs; knows the attributes of the document. `leave_out` is told what is not read."""

    def __init__(self, leave_out: Callable[[str, str], None]) -> None:
        self.attributes: dict[str, str] = {}
        self.used: set[str] = set()
        self._leave_out = leave_out

    def to_markdown(self, text: str) -> str:
        if not any(mark in text for mark in "`[{<^~(+"):
            return text
        return MARK.sub(self._shown, text)

    def value(self, text: str) -> str:
        """The value of an attribute, where others stand in it."""
        return re.sub(r"\{([\w-]{1,60})\}", lambda name: self._attribute(name[1], name[0]), text)

    def _attribute(self, name: str, otherwise: str) -> str:
        if name.lower() in self.attributes:
            self.used.add(name.lower())
            return self.attributes[name.lower()]
        return CHARACTERS.get(name, otherwise)

    def _shown(self, mark: re.Match[str]) -> str:
        shown = mark[0]
        if mark["pass"] is not None:
            shown = mark["pass"]
        elif mark["quoted"] is not None:
            shown = f"“{mark['quoted']}”"
        elif mark["codetext"] is not None:
            shown = f"`{self.value(mark['codetext']).strip('+')}`"
        elif mark["link"] is not None:
            shown = self._link(mark["link"], mark["label"])
        elif mark["macro"] is not None:
            shown = self._macro(mark["macro"], mark["target"], mark["attributes"].replace("\\]", "]"), mark[0])
        elif mark["xref"] is not None:
            shown = (mark["xreftext"] or mark["xref"].lstrip("#")).strip()
        elif mark["anchor"] is not None or mark["break"] is not None:
            shown = ""
        elif mark["hidden"] is not None:
            self._leave_out("entries of the index", mark["hidden"])
            shown = ""
        elif mark["term"] is not None or mark["marked"] is not None:
            shown = mark["term"] or mark["marked"]
        elif mark["sup"] is not None:
            shown = f"^{mark['sup']}" if NUMBER.fullmatch(mark["sup"]) else mark["sup"]
        elif mark["sub"] is not None:
            shown = mark["sub"]
        elif mark["attribute"] is not None:
            shown = self._attribute(mark["attribute"], mark[0])
        return shown

    def _link(self, target: str, label: str) -> str:
        target = self.value(target.removeprefix("link:"))
        text = self.to_markdown(_without_attributes(label)).rstrip("^").strip()
        return f"[{text}]({target})" if text else target.removeprefix("mailto:")

    def _macro(self, name: str, target: str, attributes: str, otherwise: str) -> str:
        """`name:target[attributes]`. One that is not known stays as it is; only a kind of link is shown without its
        name."""
        if name in FORMULAS:
            return f"${attributes}$"
        if name == "indexterm":
            self._leave_out("entries of the index", attributes)
            return ""
        text = attributes if name == "pass" else self.to_markdown(_without_attributes(attributes)).strip()
        picture = f"![{text}]({self.value(target)})"
        link = LINK_OF_IMAGE.search(attributes) if name == "image" else None
        shown = {
            "image": f"[{picture}]({self.value(link[1])})" if link else picture,
            "footnote": f" ({text})",
            "footnoteref": f" ({text})",
            "xref": text or target,
            "menu": f"{target} > {text}" if text else target,
            **dict.fromkeys(("kbd", "btn", "pass", "indexterm2"), text),
            **dict.fromkeys(SILENT, ""),
        }
        return shown.get(name, f"{target}[{attributes}]" if target and name.startswith("link") else otherwise)


def _without_attributes(text: str) -> str:
    """The text in brackets, without `window=_blank` and the like."""
    if "=" not in text:
        return text.strip('"') if text.startswith('"') and text.endswith('"') else text
    if text.startswith('"') and '"' in text[1:]:
        return text[1 : text.index('"', 1)]
    named = re.search(r"\b(?:alt|title)=\"([^\"]*)\"", text)
    rest = ATTRIBUTE.sub("", text)
    return rest if rest.strip(" ,") or named is None else named[1]
