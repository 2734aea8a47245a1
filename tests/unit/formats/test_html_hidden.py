"""What nobody sees on a page is left out, and its words go nowhere."""

from __future__ import annotations

import pytest

from tests.unit.formats.html_pages import SENTENCE, body, left_out

SHEET = """<style>
.off, #gone { display: none } p.none { visibility: hidden } .far { position: absolute; left: -99999px }
.tab { display: none } .tab.open { display: block } .tab { color: red }
.sr-only { position: absolute; left: -9999px } @media print { .screen { display: none } }
.off { color: red } /* .shown { display: none } */
</style>"""


@pytest.mark.parametrize(
    "element",
    [
        "<p hidden>SECRET</p>",
        "<p aria-hidden=true>SECRET</p>",
        "<div style='display:none'><p>SECRET</p></div>",
        "<div style='DISPLAY : NONE !important'>SECRET</div>",
        "<p style='visibility:hidden'>SECRET</p>",
        "<p style='opacity:0'>SECRET</p>",
        "<p style='font-size:0'>SECRET</p>",
        "<p style='font-size: 1px;'>SECRET</p>",
        "<p style='position:absolute;left:-9999px'>SECRET</p>",
        "<p style='text-indent:-9999px'>SECRET</p>",
        "<p style='height:0;overflow:hidden'>SECRET</p>",
        "<p style='color:transparent'>SECRET</p>",
        "<p style='color:#fff'>SECRET</p>",
        "<font color=white>SECRET</font>",
        "<div style='background:#222'><p style='color:#222222'>SECRET</p></div>",
        "<td bgcolor=white><span style='color:rgb(254, 255, 255)'>SECRET</span></td>",
        "<template><p>SECRET</p></template>",
        "<p class=off>SECRET</p>",
        "<p id=gone>SECRET</p>",
        "<p class=none>SECRET</p>",
        "<p class=far>SECRET</p>",
        "<div hidden><article><h1>SECRET</h1></article></div>",
    ],
)
def test_hidden_text_is_left_out_and_not_shown(element: str) -> None:
    extraction = body(f"{SHEET}<main><h1>A</h1><p>{SENTENCE}</p>{element}</main>")
    assert extraction.markdown == f"# A\n\n{SENTENCE}"
    assert left_out(extraction) == {"hidden text": "SECRET"}
    assert extraction.all_notes == ("Left out: hidden text (1 word).",)


@pytest.mark.parametrize(
    "element",
    [
        "<p hidden=until-found>Text.</p>",
        "<p class=sr-only>Text.</p>",
        "<p class=screen>Text.</p>",
        "<p class=shown>Text.</p>",
        "<div class=tab>Text.</div>",
        "<div class=off style='display:block'>Text.</div>",
        "<p style='opacity:0;transform:translateY(20px);transition:opacity 1s'>Text.</p>",
        "<p style='color:white;background-color:black'>Text.</p>",
        "<p style='overflow:hidden;height:200px'>Text.</p>",
        "<div class='collapse'>Text.</div>",
        "<div role=tabpanel hidden>Text.</div>",
        "<div class=accordion-panel style='display:none'>Text.</div>",
        "<h2 onclick='show(\"a\")'></h2><div id=a style='display:none'>Text.</div>",
        "<template shadowrootmode=open><p>Text.</p></template>",
    ],
)
def test_what_a_click_or_a_reader_aloud_shows_stays(element: str) -> None:
    extraction = body(f"{SHEET}<main><h1>A</h1><p>{SENTENCE}</p>{element}</main>")
    assert extraction.markdown == f"# A\n\n{SENTENCE}\n\nText."
    assert extraction.left_out == ()


@pytest.mark.parametrize("hides", ["style='opacity:0'", "style='display:none'", "aria-hidden=true", "hidden"])
def test_a_page_that_a_script_shows_is_read(hides: str) -> None:
    assert body(f"<div id=app {hides}><main><h1>A</h1><p>{SENTENCE}</p></main></div>").markdown == f"# A\n\n{SENTENCE}"


def test_white_text_may_stand_on_the_dark_ground_of_a_style_sheet() -> None:
    assert (
        "Text."
        in body("<style>.b{background:#000}</style><main class=b><p style='color:#fff'>Text.</p></main>").markdown
    )
