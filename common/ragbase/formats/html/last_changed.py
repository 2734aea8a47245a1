"""The line of a page that says when it was changed, and by whom."""

from __future__ import annotations

import re

LAST_CHANGED_MARK = re.compile(
    r"last-?_?updated|last-?modifi|lastmod|last-(?:edit|chang)ed|git-revision-date|source-file__fact|page-updated|updated-at"
    r"|page-metadata-modification",
    re.IGNORECASE,
)
"""Docusaurus, VitePress, Furo, Material for MkDocs, Docsy, Confluence and others mark it with one of these."""

PHRASES = (
    r"(?:(?:this )?(?:page|document|article)?\s*(?:was |has been )?last (?:updated|modified|edited"
    r"|changed|revised|built|generated))",
    r"updated (?:on|at|by)\b",
    r"date (?:modified|updated)",
    r"page updated",
    r"(?:(?:diese )?seite )?(?:wurde )?(?:zuletzt (?:am )?(?:aktualisiert|geändert|bearbeitet)"
    r"|letzte (?:änderung|aktualisierung|bearbeitung)|stand\s*:)",
    r"dernière (?:mise à jour|modification)",
    r"(?:page |article )?mise? à jour (?:le|:)",
    r"modifiée? (?:le|pour la dernière fois)",
    r"(?:última|ultima) (?:actualización|modificación|edición|revisión|atualização|modificação"
    r"|alteração|edição)",
    r"actualizado (?:el|por última vez)",
    r"(?:atualizado|modificado) (?:em|pela última vez)",
    r"ultim[oa] (?:aggiornamento|modifica)",
    r"aggiornat[oa] (?:il|l'ultima volta)",
    r"laatst (?:bijgewerkt|gewijzigd|bewerkt)",
    r"(?:sist|senast) (?:oppdatert|opdateret|endret|ændret|uppdaterad|ändrad|redigerad)",
    r"(?:viimeksi|päivitetty)\b",
    r"ostatnia (?:aktualizacja|modyfikacja|zmiana)",
    r"ostatnio (?:zaktualizowan|zmodyfikowan|edytowan)\w*",
    r"(?:naposledy|poslední|posledná) (?:aktualizov\w+|upraven\w+|změněn\w+|aktualizace|aktualizácia"
    r"|úprava|změna)",
    r"последн(?:ее|яя|ие) (?:обновлени[ея]|изменени[ея]|редакция|правка)",
    r"(?:обновлено|изменено)\b",
    r"останн(?:є|я|і) (?:оновлення|зміна|зміни)",
    r"son (?:güncelleme|değişiklik|düzenleme)",
    r"utolsó (?:frissítés|módosítás)",
    r"ultima actualizare",
    r"τελευταία (?:ενημέρωση|τροποποίηση)",
    r"cập nhật (?:lần )?cuối|lần cập nhật cuối",
    r"terakhir (?:diperbarui|diubah)",
    r"آخر (?:تحديث|تعديل)",
    r"آخرین (?:به‌?روزرسانی|ویرایش|بروزرسانی)",
    r"עודכן לאחרונה|עדכון אחרון",
    r"最終(?:更新|変更|編集)",
    r"(?:最后|最後|最近|上次)(?:更新|修改|编辑|編輯)",
    r"(?:更新|修改)(?:于|於|日期|时间|時間)",
    r"마지막(?:으로)? (?:업데이트|수정|편집)",
    r"최종 (?:수정|업데이트)",
    r"(?:อัปเดต|แก้ไข)(?:ครั้ง)?ล่าสุด",
    r"अंतिम (?:अपडेट|अद्यतन|संशोधन)",
)
LAST_CHANGED = re.compile(rf"\W*(?:{'|'.join(PHRASES)})(?:[^.!?。]{{0,120}}\W*\Z|.*\d)", re.IGNORECASE)
"""In the languages that generators of documentation are translated to."""

LONGEST = 200
"""Characters of such a line."""

MARKUP = re.compile(r"[*_`#>|~]+|\]\([^)\s]*\)|!?\[|^- ", re.MULTILINE)


def without_last_changed(markdown: str) -> tuple[str, str]:
    """The Markdown, and the lines at its end that say when the page was changed."""
    text, left_out = markdown.rstrip(), ""
    for _ in range(2):
        start = text.rfind("\n\n") + 2
        line = text[start:] if start > 1 else ""
        if (
            not line
            or line[0] in "|#>`-"
            or len(line) > LONGEST
            or not LAST_CHANGED.match(" ".join(MARKUP.sub("", line).split()))
        ):
            break
        text, left_out = text[: start - 2].rstrip(), f"{line}\n{left_out}"
    return (text, MARKUP.sub("", left_out)) if left_out else (markdown, "")
