"""Commands of LaTeX, and what a reader sees of them. Of a command that is not known, the arguments are text."""

from __future__ import annotations

SECTIONS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
"""From the outermost on."""
NO_TEXT = {
    "label": 1, "vspace": 1, "hspace": 1, "vskip": 0, "hskip": 0, "setlength": 2, "addtolength": 2, "setcounter": 2,
    "addtocounter": 2, "stepcounter": 1, "refstepcounter": 1, "pagestyle": 1, "thispagestyle": 1, "pagenumbering": 1,
    "addcontentsline": 3, "bibliographystyle": 1, "usepackage": 1, "RequirePackage": 1, "documentclass": 1,
    "documentstyle": 1, "hypersetup": 1, "newcounter": 1, "newlength": 1, "selectlanguage": 1, "fontsize": 2,
    "color": 1, "rowcolor": 1, "cellcolor": 1, "columncolor": 1, "definecolor": 3, "hyphenation": 1,
    "graphicspath": 1, "index": 1, "glossary": 1, "nocite": 1, "cline": 1, "cmidrule": 1, "enlargethispage": 1,
    "markboth": 2, "markright": 1, "lstset": 1, "captionsetup": 1, "newcommand": 2, "renewcommand": 2,
    "providecommand": 2, "newenvironment": 3, "renewenvironment": 3, "newtheorem": 2, "theoremstyle": 1,
    "DeclareMathOperator": 2, "def": 1, "let": 0, "geometry": 1, "setstretch": 1, "phantomsection": 0,
    "hypertarget": 1, "raisebox": 1, "parbox": 1, "makebox": 0, "rule": 2, "inputencoding": 1, "foreignlanguage": 1,
    "textcolor": 1, "colorbox": 1, "scalebox": 1, "resizebox": 2, "rotatebox": 1, "multirow": 2, "multicolumn": 2,
    "tikzset": 1, "usetikzlibrary": 1, "pgfplotsset": 1, "arraystretch": 0, "linespread": 1, "hyphenpenalty": 0,
    "begingroup": 0, "endgroup": 0, "fancyhead": 1, "fancyfoot": 1, "lhead": 1, "rhead": 1, "chead": 1, "lfoot": 1,
    "rfoot": 1, "cfoot": 1, "titleformat": 1, "setmainfont": 1, "setsansfont": 1, "setmonofont": 1, "bibstyle": 1,
}  # fmt: skip
"""How many of the arguments are no text."""
DEFINITIONS = frozenset(
    ("newcommand", "renewcommand", "providecommand", "newenvironment", "renewenvironment", "newtheorem", "def", "let",
    "DeclareMathOperator")
)  # fmt: skip
"""What they define is a program, not a text: it is left out, with a note."""
FILES = frozenset(
    ("input", "include", "subfile", "includeonly", "bibliography", "addbibresource", "lstinputlisting", "verbatiminput")
)
REFERENCES = frozenset(
    ("ref", "eqref", "pageref", "autoref", "cref", "Cref", "vref", "nameref", "cite", "citep", "citet",
    "parencite", "textcite", "autocite", "footcite")
)  # fmt: skip
WORDS = {
    "LaTeX": "LaTeX", "TeX": "TeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX", "ldots": "…", "dots": "…",
    "textellipsis": "…", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "texteuro": "€",
    "EUR": "€", "textdegree": "°", "degree": "°", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø",
    "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "i", "j": "j", "dag": "†", "ddag": "‡",
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textbar": "|", "textless": "<",
    "textgreater": ">", "textunderscore": "_", "textbullet": "•", "textendash": "–", "textemdash": "—",
    "textquotesingle": "'", "textregistered": "®", "texttrademark": "™", "quad": " ", "qquad": " ", "slash": "/",
    "textquotedblleft": "“", "textquotedblright": "”", "newline": "\n", "par": "\n\n", "tabularnewline": "\n",
    "linebreak": "\n", "hline": "", "toprule": "", "midrule": "", "bottomrule": "", "and": "\n", "guillemotleft": "«",
    "guillemotright": "»", "today": "", "-": "", "/": "", ",": " ", ";": " ", ":": " ", " ": " ", "textdollar": "$",
    "textpercent": "%", "textmu": "μ", "textohm": "Ω", "checkmark": "✓", "textrightarrow": "→",
}  # fmt: skip
ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
           "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a", "d": "\u0323",
           "b": "\u0331"}  # fmt: skip
VERBATIM = frozenset(
    ("verbatim", "Verbatim", "BVerbatim", "LVerbatim", "lstlisting", "minted", "alltt", "listing", "code",
    "pycode", "comment", "filecontents")
)  # fmt: skip
MATH = frozenset(
    ("equation", "align", "alignat", "gather", "multline", "eqnarray", "displaymath", "math", "flalign", "dmath",
    "IEEEeqnarray")
)  # fmt: skip
TABLES = {
    "tabular": 1,
    "tabularx": 2,
    "longtable": 1,
    "tabulary": 2,
    "supertabular": 1,
    "tabu": 1,
    "tblr": 1,
    "tabbing": 0,
}
"""And how many arguments say how the table looks."""
DRAWINGS = frozenset(("tikzpicture", "pgfpicture", "picture", "pspicture", "asy", "forest"))
RAW = VERBATIM | MATH | DRAWINGS
"""Environments that are as they are."""
LISTS = {
    "itemize": "- ", "enumerate": "1. ", "description": "- ", "compactitem": "- ", "compactenum": "1. ",
    "inparaenum": "1. ", "tasks": "- ", "thebibliography": "- ",
}  # fmt: skip
ARGUMENTS = {
    "minipage": 1,
    "multicols": 1,
    "wrapfigure": 2,
    "thebibliography": 1,
    "list": 2,
    "adjustbox": 1,
    "subfigure": 1,
    "varwidth": 1,
}
"""Of environments: how many are no text."""
SILENT = frozenset(
    ("document", "center", "centering", "flushleft", "flushright", "figure", "table", "quote", "quotation",
    "verse", "minipage", "small", "footnotesize", "large", "multicols", "wrapfigure", "subfigure", "frame",
    "titlepage", "sloppypar", "landscape", "spacing", "adjustbox", "threeparttable", "list", "appendix",
    "subequations", "singlespace", "doublespace", "onehalfspace", "group", "scriptsize", "varwidth", "savenotes",
    "columns", "column", "block", "sidewaystable")
)  # fmt: skip
"""Environments whose names say nothing to a reader. The others are named above what they hold: a theorem, a proof."""
