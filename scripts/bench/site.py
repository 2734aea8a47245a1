"""Measure a sync from a real documentation site: first, again without a change, after an edit, and after a removal.

Builds a Docusaurus site of the Markdown files of a folder with Node.js and npm, which must be there, and serves it on
this machine with ETags. Prints one line of JSON. An edit and a removal build the site again, which gives each page
other bytes: its scripts have other names then. `headings_kept` compares the paths of all headings with those of the
Markdown files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.bench.isolated import Figures, isolated
from scripts.bench.machine import machine

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile

DOCUSAURUS = "3.10.2"
PACKAGE = {
    "private": True,
    "dependencies": {
        "@docusaurus/core": DOCUSAURUS,
        "@docusaurus/preset-classic": DOCUSAURUS,
        "react": "^19.0.0",
        "react-dom": "^19.0.0",
    },
}
CONFIG = """
module.exports = {
  title: 'Site', url: 'https://docs.example', baseUrl: '/', onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore',
  markdown: {format: 'detect', hooks: {onBrokenMarkdownLinks: 'ignore', onBrokenMarkdownImages: 'ignore'}},
  presets: [['classic', {docs: {routeBasePath: 'docs', editUrl: 'https://code.example/edit/main/'}, blog: false}]],
  themeConfig: {navbar: {title: 'Site'}, footer: {copyright: 'Copyright'}},
};
"""
EDIT = "\n\n## Zanzibar\n\nThe zeppelin of Zanzibar leaves at noon, and takes no more than nine passengers.\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/site", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files")
    parser.add_argument("--embedder", choices=["hashing", "minilm", "e5"], default="minilm")
    options = parser.parse_args()
    if not any(options.data.rglob("*.md")):
        parser.error(f"{options.data} has no Markdown files. Name a folder that has some.")
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        write(site, options.data)
        run(site, "npm", "install", "--no-audit", "--no-fund")
        figures = isolated(measure, str(site), str(Path(folder) / "home"), options.embedder)
    print(json.dumps({"bench": "site", "embedder": options.embedder, **figures, "machine": machine()}))


def write(site: Path, data: Path) -> None:
    shutil.copytree(data, site / "docs", ignore=lambda _, names: [name for name in names if _is_other(name)])
    (site / "package.json").write_text(json.dumps(PACKAGE), encoding="utf-8")
    (site / "docusaurus.config.js").write_text(CONFIG, encoding="utf-8")


def _is_other(name: str) -> bool:
    return "." in name and not name.endswith(".md")


def run(site: Path, *command: str) -> None:
    ended = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise OSError(f"{' '.join(command)} failed:\n{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}")


def measure(site: str, home: str, embedder: str) -> Figures:
    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config

    folder = Path(site)
    run(folder, "npx", "docusaurus", "build")
    profile = open_profile(load_config(home=Path(home), embedder=embedder, allowed_hosts="127.0.0.1"))
    profile.prepare()
    with served(folder / "build") as url:
        listed = (folder / "build" / "sitemap.xml").read_text(encoding="utf-8").count("<loc>")
        first = synced(profile, url)
        second = synced(profile, url)
        found = found_pages(profile)
        kept = headings_kept(profile, folder / "docs")
        edited = sorted((folder / "docs").rglob("*.md"))[7]
        edited.write_text(edited.read_text(encoding="utf-8") + EDIT, encoding="utf-8")
        run(folder, "npx", "docusaurus", "build")
        after_edit = synced(profile, url)
        edited.unlink()
        run(folder, "npx", "docusaurus", "build")
        after_removal = synced(profile, url)
    profile.close()
    return {
        "pages_in_sitemap": listed,
        "pages_found_by_their_titles": found,
        "headings_kept": kept,
        "first": first,
        "second": second,
        "second_of_first": round(second["seconds"] / first["seconds"], 4),
        "after_edit": after_edit,
        "after_removal": after_removal,
    }


class _Handler(SimpleHTTPRequestHandler):
    """Files as a host of static pages sends them: with an ETag each, and folders with a slash at the end."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        file = Path(self.translate_path(self.path))
        if file.is_dir() and not self.path.endswith("/"):
            self._answer(301, {"Location": f"{self.path}/"})
            return
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            self._answer(404, {})
            return
        body = file.read_bytes()
        etag = f'"{hashlib.sha256(body).hexdigest()}"'
        if self.headers.get("If-None-Match") == etag:
            self._answer(304, {"ETag": etag})
        else:
            self._answer(200, {"ETag": etag, "Content-Type": self.guess_type(file)}, body)

    def _answer(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def synced(profile: Profile, url: str) -> Figures:
    """What a sync did, and the texts that it embedded."""
    from ragbase.engine.sync import sync_source

    before, start, changes = _embedded(profile), time.perf_counter(), Counter[str]()
    for one in sync_source(url, profile, delete=True):
        changes["failed" if one.error else one.step.change.value] += 1
    seconds, after = round(time.perf_counter() - start, 2), _embedded(profile)
    return {"seconds": seconds, "embedded": sum(after[id] - before.get(id, 0) for id in after), **changes}


def _embedded(profile: Profile) -> dict[str, int]:
    """The texts that each document has paid for so far."""
    return {record.id: record.usage.embedded_texts for record in profile.documents.page(limit=100_000)}


def found_pages(profile: Profile) -> int:
    """Pages that a question for their own title finds."""
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.engine.search import search

    found = 0
    for record in profile.documents.page(limit=100_000):
        asked = record.metadata.title or record.source
        within = SearchFilter(url_prefix=record.source.rstrip("/"))
        results = search(asked, profile, top_k=1, threshold=0, within=within)
        found += any(result.document.id == record.id for result in results)
    return found


def headings_kept(profile: Profile, docs: Path) -> Figures:
    """How many pages have exactly the headings of their files, each with the same path; and the others' names."""
    from ragbase.chunking.read_outline import read_outline
    from ragbase.engine.indexed_text import indexed_text
    from ragbase.formats.extraction_limits import ExtractionLimits
    from ragbase.formats.markdown import read_markdown_file

    pages = {record.source.rstrip("/"): record for record in profile.documents.page(limit=100_000)}
    same, others = 0, []
    for file in sorted(docs.rglob("*.md")):
        name = file.relative_to(docs).with_suffix("").as_posix()
        record = next((record for source, record in pages.items() if source.endswith(f"/docs/{name}")), None)
        if record is None:
            continue  # a page that names its own address
        read = read_markdown_file(file.read_bytes(), ExtractionLimits())
        wanted = [heading.path for heading in read_outline(read.markdown, read.metadata.title).headings]
        shown = [heading.path for heading in read_outline("".join(indexed_text(record, profile))).headings]
        below = shown[1:]  # what stands below a title that is not in the text: of front matter, or the name of the file
        if wanted in (shown, below, [path[1:] for path in below]):
            same += 1
        else:
            others.append(name)
    return {"pages": same + len(others), "same": same, "others": others[:20]}


if __name__ == "__main__":
    main()
