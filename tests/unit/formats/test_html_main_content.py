"""The main content is the part that holds most of what a page says. What stands around it is left out with a note."""

from __future__ import annotations

import pytest

from tests.unit.formats.html_pages import SENTENCE, body, left_out

AROUND = "menus and other parts around the content"
CARDS = "".join(f"<article class=card><h3><a href=/{n}>Other {n}</a></h3><p>{SENTENCE}</p></article>" for n in range(4))
CHINESE = "每四百小时用二号润滑脂润滑轴承，并用手检查联轴器。冬季之前请排空水箱，否则水管可能破裂。"
THAI = "ทาจาระบีตลับลูกปืนทุกสี่ร้อยชั่วโมงและตรวจสอบข้อต่อด้วยมือก่อนฤดูหนาวทุกครั้งเสมอ"


@pytest.mark.parametrize("text", [SENTENCE, CHINESE, THAI], ids=["English", "Chinese", "Thai"])
@pytest.mark.parametrize(
    "page",
    [
        "<main><div><h1>A</h1><p>{}</p></div></main><section class=related>{cards}</section>",
        "<main><div><h1>A</h1><p>{}</p></div></main><section>{cards}</section>",
        "<main><h1>A</h1><p>{}</p><div class=comments-area><ol class=comment-list><li><article class=comment-body>"
        "<p>{reply}</p></article></ol></div></main>",
        "<main><article><h1>A</h1><p>{}</p></article>{cards}</main>",
        "<header><a href=/>Home</a></header><div id=content><h1>A</h1><p>{}</p></div><footer>© Kiln</footer>",
        "<div class=sidebar><ul><li><a href=/b>Valves and what to do</a></ul></div><div><h1>A</h1><p>{}</p></div>"
        "<div class=footer>Made with love by Kiln.</div>",
        "<main><h1>A</h1><p>{}</p><div class='feature related-posts'><h3><a href=/x>X</a></h3><h3><a href=/y>Y</a></h3>"
        "</div></main>",
    ],
    ids=["cards outside", "unnamed cards", "comments", "cards beside", "header", "sidebar", "related"],
)
def test_the_content_is_kept_and_the_rest_is_named_in_one_note(page: str, text: str) -> None:
    replies = f"{text} " * 3
    extraction = body(page.replace("{}", text).replace("{cards}", CARDS).replace("{reply}", replies))
    assert extraction.markdown == f"# A\n\n{text}"
    assert [one.what for one in extraction.left_out] == [AROUND]
    assert all(one.shown for one in extraction.left_out)


@pytest.mark.parametrize("loading", ["Loading …", "加载中…", "กำลังโหลด…", ""])
@pytest.mark.parametrize("text", [SENTENCE, CHINESE, THAI], ids=["English", "Chinese", "Thai"])
def test_an_empty_frame_is_not_the_content(loading: str, text: str) -> None:
    page = (
        f"<div role=main></div><main>{loading}</main><article></article><div id=content><h1>A</h1><p>{text}</p></div>"
    )
    assert body(page).markdown.removeprefix(f"{loading}\n\n") == f"# A\n\n{text}"


def test_teasers_in_the_content_do_not_take_its_place() -> None:
    assert (
        f"# A\n\n{SENTENCE}\n\n### [Other 0](/0)" in body(f"<main><h1>A</h1><p>{SENTENCE}</p>{CARDS}</main>").markdown
    )


def test_a_list_of_articles_is_all_of_them() -> None:
    posts = "".join(f"<article><h2><a href=/{n}>Post {n}</a></h2><p>{SENTENCE * n}</p></article>" for n in (6, 1, 1))
    text = body(f"<header><h1><a href=/>My site</a></h1></header><main>{posts}</main>").markdown
    assert text.count("## [Post") == 3
    assert "My site" not in text


def test_comments_that_a_page_is_for_stay() -> None:
    assert SENTENCE in body(f"<main><h1>Thread</h1><div id=comments><p>{SENTENCE}</p></div></main>").markdown


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            "<header><h1>Handbook</h1><p>In force since May.</p></header>"
            "<section><h2>Hours</h2><p>At noon.</p></section><aside><p>On Fridays at one.</p></aside>",
            "# Handbook\n\nIn force since May.\n\n## Hours\n\nAt noon.\n\nOn Fridays at one.",
        ),
        (
            "<header><nav>Menu</nav><h1>Handbook</h1></header><main><h2>Hours</h2><p>At noon.</p></main>",
            "# Handbook\n\n## Hours\n\nAt noon.",
        ),
        (
            "<header><h1>Handbook</h1><ul><li><a href=a>The start</a><li><a href=b>Inn</a></ul></header><p>At noon.",
            "# Handbook\n\nAt noon.",
        ),
        ("<section><header><h2>Hours</h2></header><p>At noon.</p></section>", "## Hours\n\nAt noon."),
        ("<article><header><h1>Hours</h1></header><p>At noon.</p></article>", "# Hours\n\nAt noon."),
    ],
    ids=["header", "above main", "with a menu", "of a section", "of an article"],
)
def test_the_heading_of_a_header_is_the_title(page: str, text: str) -> None:
    assert body(page).markdown == text


@pytest.mark.parametrize(
    "changed",
    [
        "Last updated on Aug 1, 2026 by Sam",
        "Zuletzt aktualisiert am 1. August 2026 von Sam",
        "Dernière mise à jour le 1 août 2026",
        "Última actualización: 1 ago 2026",
        "Последнее обновление: 1 августа 2026",
        "最終更新: 2026年8月1日",
        "最后更新于 2026年8月1日",
        "마지막 업데이트: 2026년 8월 1일",
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        "<footer><a href='https://x.org/edit/main/a.md'>Bearbeiten</a> <b>{}</b></footer>",
        "<p><small>{}</small></p>",
        "<div class=last-updated>{}</div><p></p>",
        "<aside class=md-source-file><span class=md-source-file__fact>{}</span></aside>",
    ],
    ids=["footer", "last line", "class", "MkDocs"],
)
def test_when_a_page_was_changed_is_no_text(around: str, changed: str) -> None:
    extraction = body(f"<main><article><h1>A</h1><p>{SENTENCE}</p>{around.format(changed)}</article></main>")
    assert extraction.markdown == f"# A\n\n{SENTENCE}"
    assert changed in left_out(extraction)[AROUND]


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        ("<p>The ferry was last updated in 1990.</p>", "The ferry was last updated in 1990."),
        ("<blockquote>A word<footer>Ann</footer></blockquote>", "> A word\n>\n> Ann"),
        ("<footer><ol><li id=fn1>The footnote.</ol></footer>", "1. The footnote."),
        ("<aside><p>A remark.</p></aside>", "A remark."),
    ],
)
def test_what_looks_like_furniture_and_is_text(kept: str, text: str) -> None:
    assert (
        body(f"<article><h1>A</h1><p>{SENTENCE}</p>{kept}</article>").markdown.split()
        == f"# A {SENTENCE} {text}".split()
    )


def test_what_stands_in_place_of_scripts_is_read_where_nothing_else_is() -> None:
    assert body(f"<div id=root></div><noscript><h1>A</h1><p>{SENTENCE}</p></noscript>").markdown == f"# A\n\n{SENTENCE}"
    extraction = body(f"<noscript>Turn scripts on.</noscript><h1>A</h1><p>{SENTENCE}</p><canvas>A chart</canvas>")
    assert extraction.markdown == f"# A\n\n{SENTENCE}"
    assert left_out(extraction) == {"text for browsers without scripts, pictures or frames": "Turn scripts on. A chart"}


@pytest.mark.parametrize(
    ("controls", "text", "labels"),
    [
        ("<form><h2>Hours</h2><p>At noon.</p><input type=hidden value=x></form>", "## Hours\n\nAt noon.", ""),
        ("<form><p>Cancel within 14 days.</p><select><option>Red</select><button>Go</button></form>",
         "Cancel within 14 days.", "Red Go"),
        ("<form><label>Cancel within 14 days. <input></label></form>", "Cancel within 14 days.", ""),
        ("<form><label>Search <input></label><button>Go</button></form>", "", "Search Go"),
        ("<h2><button>How?</button></h2><p>So.</p>", "## How?\n\nSo.", ""),
        ("<h2>How? <button>Copy</button></h2><p>So.</p>", "## How?\n\nSo.", "Copy"),
        ("<dl><dt><button>How?</button><dd>So.</dl>", "How?\n\nSo.", ""),
        ("<details><summary><h3>How?</h3></summary><p>So.</details>", "### How?\n\nSo.", ""),
        ("<button aria-expanded=false aria-controls=p>How?</button><div id=p hidden>So.</div>", "**How?**\n\nSo.", ""),
        ("<button class=collapsible>How?</button><div style='display:none'>So.</div>", "**How?**\n\nSo.", ""),
        ("<button aria-expanded=false>Menu</button><ul><li><a href=b>Bread</a></ul>", "- [Bread](b)", "Menu"),
    ],
)  # fmt: skip
def test_forms_and_buttons_keep_what_they_hold(controls: str, text: str, labels: str) -> None:
    extraction = body(f"<main><h1>A</h1><p>{SENTENCE}</p>{controls}</main>")
    assert extraction.markdown == f"# A\n\n{SENTENCE}\n\n{text}".rstrip()
    assert left_out(extraction).get(AROUND, "") == labels


def test_a_page_that_is_one_form_is_read() -> None:
    state = "<input type=hidden name=__VIEWSTATE value=abc>"
    form = f"<form id=aspnetForm>{state}<div><h1>A</h1><p>{SENTENCE}</p></div></form>"
    assert body(form).markdown == f"# A\n\n{SENTENCE}"


@pytest.mark.parametrize("around", ["<nav>{}</nav>", "<footer>{}</footer>", "<dialog open>{}</dialog>", "<header>{}"])
def test_a_page_that_has_nothing_else_is_its_menu(around: str) -> None:
    extraction = body(around.format(f"<p>{SENTENCE}</p>"))
    assert extraction.markdown == SENTENCE
    assert extraction.left_out == ()


def test_a_table_of_contents_is_left_out_where_it_is_not_the_page() -> None:
    contents = "<div class=toc><a href=a>Valves</a> <a href=b>Pumps and what to do with them</a></div>"
    assert body(f"<h1>A</h1>{contents}<p>{SENTENCE * 3}</p>").markdown == f"# A\n\n{SENTENCE * 3}"
    assert "[Valves](a)" in body(f"<h1>A</h1>{contents}").markdown


def test_a_short_page_is_not_lost_among_what_stands_around_it() -> None:
    help = f"<div id=help><h2>Keys</h2><p>{SENTENCE}</p><p>{SENTENCE}</p></div>"
    assert body(f"{help}<main><h1>A</h1><p>See the next page.</p></main>").markdown == "# A\n\nSee the next page."
