"""Notebooks: cells in their order, and the text of their outputs."""

from __future__ import annotations

import json

from ragbase.domain.errors import ErrorCode
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.reading import markdown, read


def notebook(*cells: object, **others: object) -> str:
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, **others})


def code(source: str, *outputs: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": outputs}


def shown(**data: object) -> dict[str, object]:
    return {"output_type": "display_data", "data": {name.replace("_", "/", 1): value for name, value in data.items()}}


def test_cells_stand_in_their_order_under_their_headings() -> None:
    long = "The second paragraph. " * 20
    text = notebook(
        {"cell_type": "markdown", "source": ["# Service\n", "First.\n", f"{long}\n", "Third."]},
        code("# no heading\nx = 1\nx", {"output_type": "execute_result", "data": {"text/plain": ["1"]}}),
        {"cell_type": "raw", "source": "raw words"},
    )
    assert markdown(text, "ipynb") == (
        f"# Service\nFirst.\n{long}\nThird.\n\n```python\n# no heading\nx = 1\nx\n```\n\n"
        "```\n1\n```\n\n```\nraw words\n```"
    ).replace(f"{long}\n", f"{long.rstrip()}\n")


def test_pictures_are_left_out_with_a_note() -> None:
    picture = "iVBORw0KGgo" * 500
    text = notebook(
        code("plot()", shown(image_png=picture, text_plain="<Figure size 640x480 with 1 Axes>")),
        {"cell_type": "markdown", "source": f"![a boat](data:image/png;base64,{picture}) sails."},
    )
    extraction = read(text, "ipynb")
    assert extraction.markdown == "```python\nplot()\n```\n\n![a boat]() sails."
    assert extraction.notes == ("2 pictures in it left out: the text is read.",)
    assert [left.text for left in extraction.left_out] == ["<Figure size 640x480 with 1 Axes>"]


def test_outputs_keep_their_text() -> None:
    text = notebook(
        code("a", {"output_type": "stream", "text": "\x1b[31mred\x1b[0m words\n"}),
        code("b", {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[0;31mE\x1b[0m: it broke"]}),
        code("c", shown(text_html="<table><tr><td>cell</td></tr></table>", text_plain="cell as text")),
        code("d", shown(text_html="<p>only <b>html</b></p>")),
        code("e", shown(text_markdown="*marked*", text_plain="plain")),
    )
    rendered = markdown(text, "ipynb")
    for words in ("```\nred words\n```", "E: it broke", "cell as text", "only\nhtml", "*marked*"):
        assert words in rendered
    assert "<table>" not in rendered and "plain\n" not in rendered


def test_an_open_fence_ends_with_its_cell() -> None:
    text = notebook({"cell_type": "markdown", "source": "```\nopen"}, {"cell_type": "markdown", "source": "# Next"})
    assert markdown(text, "ipynb") == "```\nopen\n```\n\n# Next"


def test_its_title_is_metadata() -> None:
    text = notebook({"cell_type": "markdown", "source": "Wind."}, metadata={"title": "Boats"})
    assert read(text, "ipynb").metadata.title == "Boats"


def test_version_3() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Sails"},
        {"cell_type": "code", "input": "x", "language": "python", "outputs": [{"output_type": "pyout", "text": "1"}]},
    ]
    text = json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3})
    assert markdown(text, "ipynb") == "## Sails\n\n```python\nx\n```\n\n```\n1\n```"


def test_json_that_is_no_notebook_is_read_as_json() -> None:
    assert markdown('{"boat": "sloop"}', "ipynb") == "- boat: sloop"


def test_broken_json_is_refused_with_its_place() -> None:
    from tests.unit.formats.test_json import failure

    assert failure('{"cells": [').code is ErrorCode.CORRUPT_FILE
    assert FormatExtractor().detect(notebook(code("x")).encode(), "txt") == "ipynb"
