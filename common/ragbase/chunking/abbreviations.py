"""Which full stops end no sentence: those of abbreviations, initials and ordinal numbers.

Two sentences that are taken for one say what they said. Half a sentence says something else. So in doubt a full stop
ends none.
"""

from __future__ import annotations

import re
import unicodedata

_LETTER = r"[\w\u0300-\u036f\u0900-\u0963]"
_BEFORE = re.compile(rf"(?:(\w+)\W{{1,3}})?(?<![\w-])((?:{_LETTER}+\.-?)*{_LETTER}+)\Z")
"""The word that a full stop follows, with those full stops that are inside of it, and the word before."""
_LONGEST = 60
"""Characters that are looked at. No abbreviation is longer with the word before it."""
_SHORT = 4
"""Letters. A word up to this length that a number follows is taken for an abbreviation: Abs. 5, Fig. 3, стр. 12."""

_PART = 2
"""Letters, at most, of each part of a word with full stops inside, and of a word of capitals only."""

_VOWELS = frozenset("aeiouyæœøıаеиоуыэюяієїѣαεηιουω")
"""As far as they have no marks: a letter is compared without them. Only of scripts that write all vowels."""
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK")

_WORDS = """
    abb abk abr abs abschn abt abw adj adm admón adr afb ago akt al alin allg amtl anm anz approx apr aprox arch arq
    assoc atd aufl aug ausg av avd avda ave avr avv bearb begr ber bes betr bibl bijv bla blvd bspw buchst bul ca cad
    capt cf ch chap chr cie co coll corp cía dec dept depto des desv dez diesb dipl dir doc dott doç dpto dptos dra dt
    déc dña ebd ecc ed eds ehem eidg eigtl einschl ej ene engl entspr env enz eq eqs equiv erg erw esim est etc etw ev
    evang evt evtl excl excma excmas excmo excmos exkl exma exmo ext fa fam feb febr fev figs fund févr geb gebr gegr
    gem gen geogr geom ges gesch gest ggf ggü godz gouv gral habil hfst hist hnos hrsg ibid ifj ilma ilmas ilmo ilmos
    im inc incl ing inh inkl insb insbes int inz inż ir izq jahrh jan janv jg jne jud juil jul kap kath kec kel kgl
    kls konst lat lcda lcdo lda ldo ldos lic licda licdo lim ltd ltda ltdo mah masch mevr mgr mil milj mind mio mjr
    mlle mme mrd mrz msgr mun mwst möbl müh nachm např nos nov nám näml núm núms obj obr oct odst okt op orig osv oz
    pag pagg penn popř pos prof profa prot prov przyp pto pàg pág págs písm płk přib příp rdnr rdo ref refs reg resp
    rvdmo rvdo rys röm schweiz sec secc sen sep sept set sig sigg soc sog sok spol sra sras sres srta srtas staatl std
    stellv sto suppl synt szer séc tab tel tit tlf tsd tys tzn tägl tél ud uds ul univ unveränd urspr usf ust usw verf
    verh verw viz vol vols vorm vors vs woj wörtl yrd zam ziff zit zool zus zuzgl zzgl éd équiv örn österr özv ún
    übers čl śr św
    авг акад апр буд бул вул гл гос дек дер див доп доц зав зам изд изм им инж исп кап коп мин наб напр нач нояб обл
    окт отд пер пл подп пос прим пров просп проф ред руб сек сел сент след сов соц соч табл тел тис тыс ул учен факс
    февр фиг эт янв ім
    αγ αι αρ εκατ εκδ καθ κεφ λεωφ οδ παρ σελ τηλ τομ
    डॉ पं प्रो श्री सं
"""
"""Of many languages together: a word that is none in one of them mostly does not stand before a full stop there. Words
without a vowel (Nr, bzw, стр) and single letters (z. B., т. е.) are known without a list."""
_CAPITALISED = "Bros Col Com Esq Ex Fig Figs Gen Gov Hon Hwy Insp Maj Mar Messrs No Pres Rep Rev Sen Ste Supt"
"""Which are words where they begin with a small letter."""

_BEFORE_ORDINALS = """
    ab am als beim bis das dem den der des die diese diesem diesen dieser dieses ein eine einem einen einer eines erste
    im ins jede jedem jeden jeder jedes seit und vom von vor zum zur
    """
_MONTHS = "Januar Jänner Februar Feber März April Mai Juni Juli August September Oktober November Dezember"
"""Of German. Other languages with a full stop after an ordinal number write a small letter after it."""
_NUMERAL = re.compile(r"\d{1,2}|[IVXLC]{1,7}")
_NEXT_WORD = re.compile(r"\w*")

_ABBREVIATIONS = frozenset(f"{_WORDS} {_CAPITALISED}".split())
_ORDINALS = frozenset(f"{_BEFORE_ORDINALS} {_MONTHS}".split())


def ends_no_sentence(text: str, stop: int, after: int) -> bool:
    """Whether the full stop at `stop` is part of the word before it. `after` is where the text goes on."""
    found = _BEFORE.search(text, max(0, stop - _LONGEST), stop)
    if found is None or unicodedata.category(text[after : after + 1] or " ")[0] == "Z":
        return False
    before, word = found.groups()
    if _NUMERAL.fullmatch(word) and (word.isdigit() or len(word) > 1):
        following = _NEXT_WORD.match(text, after)
        return not _ORDINALS.isdisjoint({(before or "").lower(), following[0] if following else ""})
    if not all(map(_is_letter, re.sub("[.-]", "", word))):
        return False
    return _is_abbreviation(word) or (text[after].isdecimal() and len(word) <= _SHORT and not word.isupper())


def _is_abbreviation(word: str) -> bool:
    *parts, last = word.replace("-", "").split(".")
    if parts:  # e.g, i.d.R, Ph.D, Dipl.-Ing; and no names of files
        return all(len(part) <= _PART or _is_abbreviation(part) for part in (*parts, last))
    if len(word) == 1:
        return unicodedata.name(word, "").startswith(_SCRIPTS) or not word.isascii()
    return word.lower() in _ABBREVIATIONS or word in _ABBREVIATIONS or _has_no_vowel(word)


def _has_no_vowel(word: str) -> bool:
    """Such words cannot be said: they are short for others. Those of capitals only are names: HTTP, TLS."""
    if word.isupper() and len(word) > _PART:
        return False
    letters = unicodedata.normalize("NFD", word.lower())
    plain = [letter for letter in letters if unicodedata.category(letter)[0] == "L"]
    known = all(unicodedata.name(letter, "").startswith(_SCRIPTS) for letter in plain)
    return known and _VOWELS.isdisjoint(plain)


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM"
