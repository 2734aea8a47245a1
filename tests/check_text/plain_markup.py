"""The marks of a markup, which have words in them that are no text: names of directives, roles, macros, environments
and tags, labels, attributes, options of layout. A reader may give them, or leave them away."""

from __future__ import annotations

import html
import re

RST_LAYOUT = (
    "linenos|lineno-start|emphasize-lines|name|class|align|width|height|scale|widths|header-rows|stub-columns|maxdepth|"
    "hidden|glob|noindex|no-index|no-index-entry|no-typesetting|nowrap|columns|sync|gutter|figwidth|figclass|target|"
    "numbered|titlesonly|includehidden|reversed|force|dedent|encoding|canonical|module|delim|quote|escape|open|color|"
    "animate|depth|backlinks|local|keepspace|format|start-after|end-before|lines|language|orphan|nosearch|tocdepth|"
    "nocomments|caption|include-source|context|close-figs|nofigs|label|auto|colwidths|alt|file|url"
)
OUR_WORDS = (
    *("c", "console", "default", "doctest", "none", "python", "sh", "text"),
    *("added", "changed", "deprecated", "in", "note", "removed", "version"),
)
"""Languages of code that does not name its own, and labels in place of marks."""

MARKS = {
    "md": (
        r"(?m)^[ ]{0,3}\[[^\]\n]+\]:[ \t]*\S.*$",
        r"(?m)^[ ]{0,3}</[\w.:-]+>[ \t]*$",
    ),
    "rst": (
        r"(?m)^\s*\.\. (?:[\w-]+:)?(?:currentmodule|highlight|contents|program|default-domain|default-role|container|"
        r"role|cssclass|rst-class|tabularcolumns|sectnum|only|ifconfig)::.*$",
        r"(?m)^\s*\.\. _(?:`[^`\n]*`|[^:\n]*):.*(?:\n[ \t]+\S*://\S*$)?",
        r"\.\. (?:\|[^|\n]+\| +)?[\w:+.-]+ ?::",
        rf"(?m)^\s*:(?:{RST_LAYOUT}):(?:\s.*)?$",
        r":[\w:+.-]+:(?=`)",
        r"(?<=`):[\w-]+:",
        r"\s+<[^<>`]*>(?=`)(?!`_)",
        r"\|[^|\n]{1,60}\|",
    ),
    "adoc": (
        r"(?m)^\[.*\]$",
        r"(?m)^(?:ifdef|ifndef|endif|ifeval)::\S*\[\]$",
        r"\[\[.*?\]\]",
        r"<<[^,<>\n]*,",
        r"\b(?:link|linkgit|linkcss|xref|kbd|btn|menu|footnote|footnoteref|stem|latexmath|asciimath|icon|image|indexterm2?|"
        r"pass|anchor)::?(?=\S*\[)",
        r"\{[\w-]+\}",
        r"(?m)^:[\w-]+:",
    ),
    "man": (
        r"\\X'[^']*'",
        r"(?m)^[.']\s*\\[\"#].*$",
        r"(?m)\\\".*$",
        r"\bT[{}]",
        r"(?m)(?<=\s)-?\d+[a-z]?$",
        r"(?m)^[.']\s*(?:IX|el|tm|nr|ds|if t)\b.*$",
        r"(?s)\.TS.*?\.$",
        r"(?m)^[.']\s*(?:PD|IP|TP|RS|HP|sp|nr|ne|in|ti|ta|ft|ds|ie|if|el|de|hy|ad|TS|T&|so|Bl|Bd|INDENT)\b.*?(?=\"|$)",
        r"(?m)^[.']\s*\S+",
        r"\\f(?:\(..|\[[^\]]*\]|.)|\\\(..|\\s[-+]?\d+|\\\*(?:\(..|\[[^\]]*\]|.)|\\\[[^\]]*\]|\\[hv]'[^']*'|\\[a-zA-Z]",
    ),
    "org": (r"(?m)^\s*#\+\w+:?", r"(?m)^\s*:[\w-]+:\s*$"),
    "tex": (
        r"\\[A-Za-z@]+(?:\{[-\d. ]+\})+",
        r"\\(?:begin|end)\{[^}]*\}(?:\[[^\]]*\])?(?:\{[^}]*\})?",
        r"\\(?:label|vspace|hspace|setlength|setcounter|usepackage|pagestyle|bibliographystyle|includegraphics|index|cline|"
        r"cmidrule|multicolumn|textcolor|color)\*?(?:\[[^\]]*\])?\{[^}]*\}(?:\{[^}]*\})?",
        r"\\[A-Za-z@]+\*?(?:\[[^\]]*\])?",
    ),
    "xml": (
        r"<\?.*?\?>",
        r"(?s)<!DOCTYPE[^>\[]*(?:\[.*?\])?>",
        r"xmlns(?::\w+)?=\"[^\"]*\"",
        r"</?[\w:.-]+",
        r"\s[\w:.-]+=(?:\"[^\"]*\"|'[^']*')",
        r"<!\[CDATA\[",
    ),
}
"""By the format's name."""


def without_marks(text: str, format: str) -> tuple[str, str]:
    """The text with a blank for each mark, and the marks."""
    marks: list[str] = []

    def taken(found: re.Match[str]) -> str:
        marks.append(found[0])
        return " "

    for pattern in MARKS[format]:
        text = re.sub(pattern, taken, text)
    return html.unescape(text) if format == "xml" else text, " ".join([*marks, *OUR_WORDS])
