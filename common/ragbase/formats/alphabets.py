"""The letters beyond ASCII of the languages that are written in Latin script."""

from __future__ import annotations

from collections import Counter

from ragbase.formats.tcvn3 import TABLE

ALPHABETS = tuple(
    frozenset(letters + letters.upper())
    for letters in (
        "áčďéěíňóřšťúůýž",  # Czech
        "áäčďéíĺľňóôŕšťúýž",  # Slovak
        "ąćęłńóśźż",  # Polish
        "áéíóöőúüű",  # Hungarian
        "ăâîşţ",  # Romanian, as old encodings have it
        "ăâîșț",
        "čćđšž",  # Croatian, Bosnian, Serbian, Slovenian
        "çëâêîû",  # Albanian, Kurdish
        "çğıİöşüâîûə",  # Turkish, Azerbaijani
        "ąčęėįšųūž",  # Lithuanian
        "āčēģīķļņōŗšūž",  # Latvian
        "äõöüšž",  # Estonian
        "åäöéšž",  # Finnish, Swedish
        "æøåéèêòóô",  # Danish, Norwegian
        "áðéíóúýþæö",  # Icelandic
        "áðíóúýæø",  # Faroese
        "äöüßé",  # German
        "àâæçéèêëîïñôœùûüÿ",  # French
        "áéíñóúüçª\u00ba",  # Spanish
        "àçèéíïòóúü",  # Catalan
        "áâãàçéêíóôõúüª\u00ba",  # Portuguese, Galician
        "àèéìíîòóùúª\u00ba",  # Italian
        "áâäèéêëíïóôöúûüç",  # Dutch, Frisian
        "ċġħżàèìòù",  # Maltese
        "ĉĝĥĵŝŭ",  # Esperanto
        "áéíóúàèìòùâêîôûŵŷï",  # Irish, Scottish Gaelic, Welsh
        "".join(filter(str.isalpha, TABLE[0x80:])),  # Vietnamese
    )
)
LATIN_LETTERS = frozenset(
    letter for letter in map(chr, (0xAA, 0xBA, *range(0xC0, 0x250), *range(0x1E00, 0x1F00))) if letter.isalpha()
)


def alphabet_share(text: str) -> float:
    """The share, 0..1, of letters that belong to the language that has most of them, among the Latin letters beyond
    ASCII; 1 if there are none. It is low where a text was read in the encoding of another language."""
    counts = {letter: count for letter, count in Counter(text).items() if letter in LATIN_LETTERS}
    total = sum(counts.values())
    if not total:
        return 1.0
    return max(sum(counts.get(letter, 0) for letter in alphabet) for alphabet in ALPHABETS) / total
