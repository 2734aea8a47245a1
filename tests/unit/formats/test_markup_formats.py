"""Org, LaTeX and manual pages: their structure becomes Markdown, and no word is lost."""

from __future__ import annotations

import pytest

from tests.unit.formats.reading import left_out, markdown, read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#+TITLE: Boats\n* Sails :wind:\n** Jib\n", "# Boats\n\n## Sails :wind:\n\n### Jib"),
        ("#+begin_src sh\n# no heading\nls\n#+end_src\n", "```sh\n# no heading\nls\n```"),
        (": fixed\n: lines\n", "```\nfixed\nlines\n```"),
        ("| a | b |\n|---+---|\n| 1 | 2 |\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("- one\n  more\n- mast :: It carries.\n", "- one\n  more\n- mast: It carries."),
        ("See [[https://x.org][here]], =code=, *loud* and /soft/.",
         "See [here](https://x.org), `code`, **loud** and *soft*."),
        ("H_{2}O, a/b/c and snake_case", "H2O, a/b/c and snake_case"),
        ("#+begin_quote\nSaid.\n#+end_quote\n", "Said."),
        ("#+INCLUDE: /etc/passwd\n", "*include: /etc/passwd*"),
    ],
)  # fmt: skip
def test_org(text: str, expected: str) -> None:
    assert markdown(text, "org") == expected


def test_what_org_does_not_show_is_on_the_record() -> None:
    text = "#+DATE: 2024-05-01\n* Sails\n:PROPERTIES:\n:ID: a1\n:END:\n# A comment\nText.\n"
    assert markdown(text, "org") == "# Sails\n\nText."
    assert read(text, "org").metadata.date == "2024-05-01"
    assert left_out(text, "org") == {
        "settings of the document": "date: 2024-05-01",
        "properties of entries": ":ID: a1",
        "comments": "A comment",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\section{Boats}\n\\subsection*{Sails}\nText.", "# Boats\n\n## Sails\n\nText."),
        ("\\chapter{Boats}\\label{c}\\section{Sails}", "# Boats\n\n## Sails"),
        ("An \\emph{old \\textbf{sail}}, 5\\,\\% of~it --- ``so''.", "An old sail, 5 % of it — “so”."),
        ('B\\"ohm, na\\"{\\i}ve, \\c{c}, stra\\ss e, \\LaTeX', "Böhm, naïve, ç, straße, LaTeX"),
        ("\\begin{itemize}\n\\item one\n\\item[mast] two\n\\end{itemize}", "- one\n- mast:  two"),
        ("\\begin{tabular}{ll}\na & b \\\\\n1 & 2\n\\end{tabular}", "|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |"),
        ("\\begin{verbatim}\n# x \\y\n\\end{verbatim}", "```\n# x \\y\n```"),
        ("\\begin{lstlisting}[language=Python]\nx = 1\n\\end{lstlisting}", "```python\nx = 1\n```"),
        ("Is $x^2$ so?\n\\[ y \\]", "Is $x^2$ so?\n\n```math\n y\n```"),
        ("See \\cite[p. 3]{knuth}, \\href{https://x.org}{here}.", "See [knuth, p. 3], [here](https://x.org)."),
        ("Text\\footnote{A note.} more", "Text A note. more"),
        ("\\unheardof{some words} stay", "some words stay"),
        ("\\input{/etc/passwd}", "*input: /etc/passwd*"),
        ("\\begin{theorem}[Euler] So.\\end{theorem}", "**Theorem** (Euler)\n\nSo."),
    ],
)
def test_tex(text: str, expected: str) -> None:
    assert " ".join(markdown(text, "tex").split(" ")) == expected


def test_the_preamble_of_tex_is_left_out_but_for_its_title() -> None:
    text = (
        "\\documentclass{article}\n\\title{Boats}\n\\author{Ann}\n\\newcommand{\\x}{y}\n\\begin{document}\n"
        "Text. % a comment\n\\section{Sails}\nMore.\n\\end{document}\nbehind"
    )
    extraction = read(text, "tex")
    assert extraction.markdown == "# Boats\n\nAnn\n\nText.\n\n## Sails\n\nMore."
    assert extraction.metadata.title == "Boats"
    assert set(left_out(text, "tex")) == {
        "the preamble, which sets the document up", "comments", "what stands behind the document",
    }  # fmt: skip


def test_a_package_of_macros_is_read_as_its_lines() -> None:
    text = "% Macros.\n" + "\\def\\sail#1{#1 wind}\n\\let\\jib=\\sail\n" * 5
    assert read(text, "tex").markdown == text
    assert read(text, "tex").sections == ()


MAN = '.\\" A licence.\n.TH SAIL 1 2024-05-01 "Boats 1.0"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".SH NAME\nsail \\- go with the wind\n", "## NAME\n\nsail - go with the wind"),
        (".SH OPTIONS\n.TP\n\\fB\\-v\\fR, \\fB\\-\\-verbose\\fR\nSay more.\n.TP\n.B \\-q\nSay less.\n",
         "## OPTIONS\n\n- -v, --verbose\n  Say more.\n- -q\n  Say less."),
        (".PP\nSee\n.BR oars (1).\n", "See\noars(1)."),
        (".nf\n# no heading\n.fi\n", "```\n# no heading\n```"),
        (".IP \\(bu 2\none\n.IP \\(bu 2\ntwo\n", "- one\n- two"),
        ("It\\(cqs \\fIsoft\\fP\\&. don\\*(Aqt\n", "It’s soft. don't"),
        (".TS\ntab(;);\nl l.\na;b\n1;2\n.TE\n", "|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |"),
        (".so /etc/passwd\n", "*so: /etc/passwd*"),
        (".de X\nhidden\n..\nText.\n.unheardof words\n", "Text.\nwords"),
        (".if n shown\n", "shown"),
    ],
)  # fmt: skip
def test_man(text: str, expected: str) -> None:
    assert markdown(MAN + text, "man") == f"# SAIL(1)\n\n2024-05-01 · Boats 1.0\n\n{expected}"


def test_the_head_of_a_manual_page_is_metadata() -> None:
    metadata = read(MAN + ".SH NAME\nsail\n", "man").metadata
    assert (metadata.title, metadata.date) == ("SAIL(1)", "2024-05-01")
    assert read('.TH SAIL 1 "Boats 1.0"\n.SH NAME\nsail\n', "man").metadata.date is None


def test_mdoc() -> None:
    text = (
        ".Dd May 1, 2024\n.Dt SAIL 1\n.Os\n.Sh NAME\n.Nm sail\n.Nd go with the wind\n.Sh SYNOPSIS\n.Nm\n"
        ".Op Fl v\n.Op Fl f Ar file\n.Sh DESCRIPTION\n.Bl -tag -width x\n.It Fl v\nSay more\n.Pq see Xr oars 1 .\n.El\n"
    )
    assert markdown(text, "man") == (
        "# SAIL(1)\n\nMay 1, 2024\n\n## NAME\n\nsail\n— go with the wind\n\n## SYNOPSIS\n\nsail\n[-v]\n[-f file]\n\n"
        "## DESCRIPTION\n\n- -v\n  Say more\n  (see oars(1))."
    )


def test_a_file_that_only_has_the_name_of_a_manual_page_is_read_as_its_lines() -> None:
    text = "# started\n2024-05-01 up\n"
    assert read(text, "man").markdown == text
    assert read(text, "man").sections == ()


@pytest.mark.parametrize("format", ["rst", "adoc", "org", "tex", "man", "xml", "ipynb"])
def test_marks_that_nothing_closes_are_text(format: str) -> None:
    for mark in ("\\begin{tabular}{l} a & ", "\\section{", "`", ":a:`", ".. ", "|===\n|", "[[", "#+begin_src\n", "{"):
        text = mark + "\nThe wind fills the sail.\n"
        if format != "ipynb":
            assert "wind" in markdown(text, format) or "wind" in " ".join(left_out(text, format).values())
