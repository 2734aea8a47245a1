"""What MkDocs calls while it builds the site (mkdocs.yml).

Pages that are outside of docs/ (README.md, CHANGELOG.md, …) become pages of the site. The pages of docs/reference/ get
what is generated from the code. Links are those of the repository, so that they work there, too: here they become links
of the site.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from scripts.site.messages_page import messages_page
from scripts.site.pages import commands_page, http_page, ports_page, python_page, settings_page

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security-policy.md",
    "scripts/README.md": "scripts.md",
}
"""Pages that are outside of docs/, and what they are called on the site."""
GENERATED = {
    "reference/commands.md": commands_page,
    "reference/http.md": http_page,
    "reference/messages.md": messages_page,
    "reference/ports.md": ports_page,
    "reference/python.md": python_page,
    "reference/settings.md": settings_page,
}
"""What is added to a page of docs/ in place of its MARK. In the repository, such a page says where to find it."""
MARK = re.compile(r"^<!-- generated from .* -->$", re.MULTILINE)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:|#|/")
"""How a target begins that names no file of the repository."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    for path, name in OUTSIDE.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    name = page.file.src_uri
    if name in GENERATED:
        markdown = with_generated(markdown, GENERATED[name]())
    return links_of(markdown, name)


def with_generated(markdown: str, generated: str) -> str:
    if not MARK.search(markdown):
        raise PluginError("A page of the reference has no line that says what it is generated from.")
    return MARK.sub(lambda _: generated, markdown)


def links_of(markdown: str, name: str) -> str:
    """The text of the page `name` of the site, with links of the site in place of those of the repository."""
    here = next((path for path, outside in OUTSIDE.items() if outside == name), f"docs/{name}")
    link = _link_from(here, name)
    return "\n".join(line if line.startswith("    ") else LINK.sub(link, _plain(line)) for line in markdown.split("\n"))


def _plain(line: str) -> str:
    """`[A] [B]` in a heading is no link: mkdocstrings would look for B."""
    return re.sub(r"\[(?=[^\]]*\](?!\())", r"\\[", line) if line.startswith("#") else line


def _link_from(here: str, name: str) -> Callable[[re.Match[str]], str]:
    """What replaces the links of the page `name` of the site, which is the file `here` of the repository."""

    def link(found: re.Match[str]) -> str:
        is_picture, text, target = found.groups()
        if ELSEWHERE.match(target):
            return found[0]
        file, _, anchor = target.partition("#")
        path = normpath(join(dirname(here), file))
        on_site = OUTSIDE.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else "")
        if on_site:
            to = relpath(on_site, dirname(name) or ".")
            return f"{is_picture}[{text}]({to}{'#' + anchor if anchor else ''})"
        # A file that the site does not have keeps its name. If there is none, the strict build refuses the link.
        return text if (ROOT / path).exists() else found[0]

    return link
