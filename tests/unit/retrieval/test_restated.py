"""How often is a sentence that says what its source says marked as its opposite?

The pairs were written by hand, before the check was run on them: as a chat model restates a manual.
"""

from __future__ import annotations

import pytest

from ragbase.retrieval.reversal import is_reversed
from ragbase.text.terms import terms_of

RESTATED = [  # no negation, or the same one; or a part of the source is left out
    ("The nightly backup starts at 02:30 and takes an hour.", "Each night, the backup starts at 02:30."),
    ("Files above 20 MB are refused by the server.", "The server refuses files that are larger than 20 MB."),
    (
        "Prometheus scrapes its targets every 15 seconds by default.",
        "By default, targets are scraped every 15 seconds.",
    ),
    ("Ownership is moved when a value is assigned to another variable.", "Assigning a value moves its ownership."),
    ("Deleted files cannot be restored after thirty days.", "After thirty days, deleted files can't be restored."),
    ("The log is not written if the disk is full.", "When the disk is full, no log is written."),
    ("Nobody except the owner may read the key.", "The key may not be read by anybody except the owner."),
    ("The old format is no longer read since version 3.", "Since version 3, the old format isn't read any more."),
    ("The index is not locked, so searches go on during a reindex.", "Searches go on during a reindex."),
    ("Not all users have a password; those of the service have keys.", "Users of the service have keys."),
    ("The wing stalls early, but the flow does not separate at the root.", "The wing stalls early."),
    ("Das Backup startet nachts um 2:30 Uhr.", "Nachts um 2:30 Uhr startet das Backup."),
    ("Gelöschte Dateien können nicht wiederhergestellt werden.", "Wer Dateien löscht, bekommt sie nicht zurück."),
    ("La sauvegarde démarre à 2:30 chaque nuit.", "Chaque nuit, la sauvegarde démarre à 2:30."),
    ("Le service n'est plus disponible depuis mai.", "Depuis mai, le service n'est plus proposé."),
    ("La copia se inicia a las 2:30 cada noche.", "Cada noche se inicia la copia a las 2:30."),
    ("El servidor no acepta archivos grandes.", "Los archivos grandes no son aceptados por el servidor."),
    ("Il backup non parte se il disco è pieno.", "Con il disco pieno il backup non parte."),
    ("Máy chủ được sao lưu vào lúc 2:30 mỗi đêm.", "Mỗi đêm vào lúc 2:30, máy chủ được sao lưu."),
    ("Резервная копия создаётся каждую ночь.", "Каждую ночь создаётся резервная копия."),
    ("服务器每天晚上备份一次。", "每天晚上服务器会备份。"),
    ("サーバーは毎晩バックアップされます。", "毎晩、サーバーのバックアップが行われます。"),
]
IN_OTHER_WORDS = [  # the negation has become a word, or a word a negation
    ("The cache is not enabled by default.", "By default, the cache is disabled."),
    ("The cache is disabled by default.", "The cache is not enabled by default."),
    ("Visitors may not enter without a badge.", "Visitors need a badge to enter."),
    ("The test fails unless the server is running.", "If the server is not running, the test fails."),
    ("It is impossible to change the key later.", "The key cannot be changed later."),
    ("Rust has no garbage collector.", "Rust works without a garbage collector."),
    ("The vote was rejected by the council.", "The council did not accept the vote."),
    ("Few of the samples were damaged.", "Most of the samples were not damaged."),
    ("You do not need an account to read, only to write.", "An account is needed to write."),
    ("Der Cache ist nicht aktiv.", "Der Cache ist abgeschaltet."),
    ("Ohne Passwort ist der Zugang gesperrt.", "Ohne Passwort gibt es keinen Zugang."),
    ("Das Gerät darf nicht nass werden.", "Das Gerät muss trocken bleiben."),
    ("Le fichier ne peut pas être restauré.", "Il est impossible de restaurer le fichier."),
    ("Aucun mot de passe n'est nécessaire pour lire.", "On peut lire sans mot de passe."),
    ("No se puede entrar sin llave.", "Para entrar se necesita una llave."),
    ("A porta nunca fica aberta durante a noite.", "Durante a noite a porta fica sempre fechada."),
    ("De sleutel mag niet worden gedeeld.", "Het delen van de sleutel is verboden."),
    ("Plik nie może być większy niż 20 MB.", "Plik może mieć najwyżej 20 MB."),
    ("Không ai được đọc khóa trừ chủ sở hữu.", "Chỉ chủ sở hữu được đọc khóa."),
    ("Berkas tidak dapat dipulihkan setelah tiga puluh hari.", "Setelah tiga puluh hari berkas hilang selamanya."),
    ("Sunucu büyük dosyaları kabul etmez.", "Büyük dosyalar sunucu tarafından reddedilir."),
    ("Удалённые файлы нельзя восстановить.", "Восстановить удалённые файлы невозможно."),
    ("没有密码不能登录。", "登录需要密码。"),
    ("パスワードがなければログインできません。", "ログインにはパスワードが必要です。"),
]
KNOWN_FALSE_MARKS = 12
"""Of those in other words. The check knows negations and the opposites of some words, and not what others mean."""


def is_marked(source: str, sentence: str) -> bool:
    return is_reversed(sentence, [source], lambda text: frozenset(terms_of(text)))


@pytest.mark.parametrize(("source", "sentence"), RESTATED)
def test_a_sentence_that_restates_its_source_is_not_marked(source: str, sentence: str) -> None:
    assert not is_marked(source, sentence)


def test_a_negation_in_other_words_is_not_marked_more_often_than_is_known() -> None:
    marked = [pair for pair in IN_OTHER_WORDS if is_marked(*pair)]
    assert len(marked) <= KNOWN_FALSE_MARKS, marked
