"""`ragbase ingest` and `ragbase doctor` recommend the multilingual model where most documents are not in English."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import CommandLine

pytestmark = pytest.mark.slow

TEXTS = {
    "th": "พิพิธภัณฑ์เปิดทุกวันยกเว้นวันจันทร์ ตั้งแต่เก้าโมงเช้าถึงห้าโมงเย็น บัตรเข้าชมราคาหนึ่งร้อยบาท",
    "ko": "박물관은 월요일을 제외하고 매일 오전 아홉 시부터 오후 다섯 시까지 문을 엽니다. 입장료는 만 원입니다.",
    "hu": "A múzeum hétfő kivételével minden nap kilenctől ötig tart nyitva. A belépőjegy ára ezer forint.",
    "pl": "Muzeum jest czynne codziennie oprócz poniedziałku od dziewiątej do piątej. Bilet kosztuje sto złotych.",
    "id": "Museum buka setiap hari kecuali hari Senin dari pukul sembilan sampai lima. Harga tiket dua puluh ribu.",
    "de": "Das Museum ist täglich außer montags von neun bis fünf Uhr geöffnet. Der Eintritt kostet zwölf Euro.",
}
"""Some have words in text/languages.py, others a script of their own, and others neither."""
ENGLISH = {
    "prose": "The museum is open every day but Monday from nine to five. A ticket costs twelve pounds for adults.",
    "table": "| Room | Painter | Year |\n|---|---|---|\n| 4 | Vermeer | 1665 |\n| 5 | Monet | 1872 |",
    "code": "import sys\n\nclass Museum:\n    rooms = 9\n\n    def open(self, day):\n        return day != 'Monday'\n",
}


def written(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text + "\n", encoding="utf-8")
    return folder


def test_documents_in_other_languages_want_another_model_and_are_told_once(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home", embedder="minilm")
    assert ragbase.call("ingest", written(tmp_path / "english", ENGLISH)).err == ""
    assert "language" not in ragbase.call("doctor").out

    told = ragbase.call("ingest", written(tmp_path / "others", TEXTS))

    assert told.code == 0
    assert "6 of 6 documents are not in English" in told.err
    assert 'embedder = "e5"' in told.err and "ragbase reindex" in told.err
    assert ragbase.call("ingest", written(tmp_path / "more", TEXTS)).err == ""
    doctor = ragbase.call("doctor")
    assert "12 of 15 documents are not in English" in doctor.out


def test_a_model_that_knows_them_is_not_replaced(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home", embedder="hashing")

    assert ragbase.call("ingest", written(tmp_path / "others", TEXTS)).err == ""
    assert "language" not in ragbase.call("doctor").out
