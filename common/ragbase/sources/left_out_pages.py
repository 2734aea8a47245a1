"""Pages and files of a website that a sync meets and does not take."""

from __future__ import annotations

from ragbase.domain.left_out_file import LeftOutFile

FORBIDDEN = LeftOutFile(
    one="page that robots.txt forbids",
    many="pages that robots.txt forbids",
    reason="The site does not want programs to read it. If it is yours, allow the user agent ragbase there.",
)
COPY = LeftOutFile(
    one="copy of another page",
    many="copies of other pages",
    reason="It names another page of this site as the one to read (rel=canonical), which is there.",
)
ELSEWHERE = LeftOutFile(
    one="page that leads out of the site",
    many="pages that lead out of the site",
    reason="Its address leads to one that is not below that of the source: sync that one, too.",
)
PDF = LeftOutFile(
    one="PDF",
    many="PDFs",
    reason="The setting site_pdf is off. RAGBASE_SITE_PDF=true takes the PDFs that pages link to.",
)


def of_another_type(content_type: str) -> LeftOutFile:
    return LeftOutFile(
        one="file that is no page",
        many="files that are no pages",
        reason="A sync of a website takes its HTML pages: download such a file, and ingest it.",
        ending=content_type,
    )
