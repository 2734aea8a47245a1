"""The words that only frame a question, in each language whose function words are known.

    What does the documentation say about key rotation?     ──▶     What does the about key rotation?
    I would like to know more about work permits, please    ──▶     I would like to about work permits,

No passage is a better answer for having them. "Work" and "documentation" are also what a question may be about, so
they frame it only in some places (`_ASIDE` and `_SOURCES`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ragbase.text.function_words import FUNCTION_WORDS
from ragbase.text.languages import language_of
from ragbase.text.small_letters import small_letters

# Words that frame a question wherever they stand.
_FRAMES = {
    "danish": """
        fortæl fortælle forklar forklare forklares sig sige siger siges beskriv beskrive beskriver vis vise nævn
        nævne nævner nævnes finde finder vide kende lære tak venligst gerne fungerer
    """,
    "dutch": """
        vertel vertellen verklaar leg leggen zeg zeggen zegt beschrijf beschrijven beschrijft toon tonen noem
        noemen noemt vind vinden weten kennen leren graag alsjeblieft alstublieft werkt staat
    """,
    "english": """
        many much tell telling explain explains explaining describe describes say says said saying mention mentions
        mentioned know knowing learn find finding show please pls kindly thanks thank want wants wanted like
        help hi hello wondering wonder something anything everything everybody look looking understand summarize
        summarise
    """,
    "french": """
        dis dire dit disent dites explique expliquer expliquez décris décrire décrit décrivez montre montrer
        montrez mentionne mentionner trouve trouver savoir sais connaître apprendre voudrais voudrait aimerais
        veux veut souhaite plaît merci svp parle parler parlez fonctionne propos sujet
    """,
    "german": """
        sag sage sagen sagt erzähl erzähle erzählen erklär erkläre erklären erklärt beschreib beschreibe
        beschreiben beschreibt zeig zeige zeigen zeigt nenn nenne nennen nennt erwähnt steht finde finden findet
        weiß wissen wüsste erfahren erfahre lernen kennen möchte möchten würde gern gerne bitte danke etwas
        alles funktioniert
    """,
    "italian": """
        dimmi dire dice dicono spiega spiegare spiegami spiegate descrivi descrivere descrive mostra mostrare
        mostrami menziona menzionare trova trovare trovo sapere so conoscere imparare vorrei voglio favore
        grazie funziona parlami parla riguardo proposito
    """,
    "norwegian": """
        fortell fortelle forklar forklare forklares si sier sies beskriv beskrive beskriver vis vise nevn nevne
        nevner nevnes finne finner vite kjenne lære takk vennligst gjerne fungerer
    """,
    "portuguese": """
        diga dizer diz dizem explica explicar explique descreva descrever descreve mostra mostrar mostre
        menciona mencionar encontra encontrar encontro saber sei conhecer aprender gostaria queria quero favor
        obrigado obrigada funciona fale falar respeito
    """,
    "russian": """
        скажи скажите сказать говорит говорится сказано расскажи расскажите рассказать объясни объясните
        объяснить опиши опишите описать описано покажи покажите показать упоминает упоминается найди найти
        найдите знать узнать хочу хотел хотела хотелось пожалуйста спасибо работает
    """,
    "spanish": """
        di dime decir dice dicen explica explicar explique explícame describe describir muestra mostrar
        muéstrame menciona mencionar encuentra encontrar encuentro saber sé conocer aprender gustaría quisiera
        quiero favor gracias funciona háblame hablar respecto
    """,
    "swedish": """
        berätta förklara förklaras säga säger sägs beskriv beskriva beskriver visa nämn nämna nämner nämns hitta
        hittar veta känna lära tack snälla gärna fungerar
    """,
    "vietnamese": """
        hãy nói biết muốn xin
    """,
}

# Words that frame a question if no word that it asks for follows: "How does the cache work?", not "a work permit".
_ASIDES = {"english": "work works"}

# What is asked for an answer frames the question beside a word that does, "the documentation says", and at its end, "in
# the documentation", if nothing follows that it belongs to: "documentation requirements".
_SOURCES = {
    "danish": "dokumentationen dokumentation håndbogen vejledningen information oplysninger",
    "dutch": "documentatie handleiding handboek informatie",
    "english": "documentation docs documents manual handbook guide information info",
    "french": "documentation documents manuel guide information informations renseignements",
    "german": "dokumentation doku dokumente handbuch anleitung unterlagen information informationen infos",
    "italian": "documentazione documenti manuale guida informazioni",
    "norwegian": "dokumentasjonen dokumentasjon håndboken veiledningen informasjon",
    "portuguese": "documentação documentos manual guia informação informações",
    "russian": "документация документации документы документах руководство руководстве информация информацию",
    "spanish": "documentación documentos manual guía información",
    "swedish": "dokumentationen dokumentation handboken guiden information",
}

# Where the language is not clear, these frame a question, and a word that frames right after them: "please explain".
_COURTESY = """
please pls kindly thanks thank hi hello hallo bitte danke svp merci gracias grazie obrigado obrigada tack takk tak
пожалуйста спасибо alsjeblieft
"""
_UNCLEAR = "english"
# After one of these, a word is a name if another one follows: "the help command".
_ARTICLES = """
the a an der die das den dem ein eine einen einem le la les l une el los las una il lo gli um uma de het een et ett det
"""


def _sets(lists: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in lists.items()}


FRAMING_WORDS, _ASIDE_WORDS, _SOURCE_WORDS = _sets(_FRAMES), _sets(_ASIDES), _sets(_SOURCES)
"""By language, as `language_of` names it."""

_words = re.compile(r"[^\W_]+(?:[-_.'’][^\W_]+)*").finditer
_POLITE, _DEFINITE = frozenset(_COURTESY.split()), frozenset(_ARTICLES.split())
_NONE = frozenset[str]()
_BESIDE = 2
"""Words. Farther from the word before it, "documentation" has a preposition and an article: "in the documentation"."""


def without_framing(question: str, language: str | None = None) -> str:
    """The question without the words that only frame it; all of it if it asks for nothing else. `language` is the
    question's, if it is known."""
    found = list(_words(question))
    words = [small_letters(one[0]) for one in found]
    language = language or language_of(question)
    framing = _framing(words, language) if language is not None else _courtesy(words)
    if not framing:
        return question
    pieces, end = list[str](), 0
    for place in sorted(framing):
        pieces.append(question[end : found[place].start()])
        end = found[place].end()
    return "".join((*pieces, question[end:]))


def _courtesy(words: Sequence[str]) -> set[int]:
    framing = {
        place
        for place, word in enumerate(words)
        if word in _POLITE or (place and words[place - 1] in _POLITE and word in FRAMING_WORDS[_UNCLEAR])
    }
    return framing if len(framing) < len(words) else set()


def _framing(words: Sequence[str], language: str) -> set[int]:
    """The places of the words that frame the question."""
    frames, function = FRAMING_WORDS.get(language, _NONE), FUNCTION_WORDS.get(language, _NONE)
    asked = {place for place, word in enumerate(words) if word not in function}
    framing = {place for place in asked if words[place] in frames and not _is_name(place, words, asked)}
    asked -= framing
    sources, asides = _SOURCE_WORDS.get(language, _NONE), _ASIDE_WORDS.get(language, _NONE)
    told = sorted(asked | framing)
    first = min(asked, default=0)
    for before, place, after in zip([None, *told], told, [*told[1:], None], strict=False):
        if place in framing or (before is None and after is None) or place + 1 in asked:
            continue
        if words[place] in sources:
            is_at_end = after is None and before is not None and place - before > _BESIDE
            if before in framing or after in framing or is_at_end:
                framing.add(place)
        elif words[place] in asides and before in asked and first > 0:
            framing.add(place)
    return framing if asked - framing else set()


def _is_name(place: int, words: Sequence[str], asked: Collection[int]) -> bool:
    return place > 0 and words[place - 1] in _DEFINITE and place + 1 in asked
