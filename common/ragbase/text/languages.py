"""The language of a text, by its function words: articles, prepositions, pronouns and the like. They are about a third
of any text, in every subject."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

# Function words of Snowball's English stop list (BSD, snowballstem.org/algorithms/english/stop.txt) without the
# contractions, which `terms.py` splits, and with the words that only help to ask a question.
_ENGLISH = """
i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it
its itself they them their theirs themselves what which who whom whose this that these those am is are was were be been
being have has had having do does did doing would should could will shall can may might must ought a an the and but if
or because as until while of at by for with about against between into through during before after above below to from
up down in out on off over under again further then once here there when where why how all any both each few more most
other some such no nor not only own same so than too very s t d ll m re ve don isn aren wasn weren hasn haven hadn
doesn didn won wouldn shouldn couldn cannot
"""
_DANISH = """
jeg du han hun den det vi de mig dig ham hende os jer dem min din sin en et der som hvad hvem hvor hvornår hvordan
hvorfor er var været har havde blive bliver blev kan kunne skal skulle vil ville må i på til af for med om fra ved under
over efter mellem og eller men hvis når at ikke også denne dette disse noget nogle alle
"""
_DUTCH = """
ik jij je hij zij ze wij we u mij jou hem haar ons hun hen mijn jouw zijn de het een wie wat welke waar wanneer hoe
waarom is was waren ben bent heeft heb hebben had hadden wordt worden werd werden kan kunnen kon zal zullen zou moet
moeten in op te van voor met aan bij naar uit over onder door tegen tussen tot om en of maar als dat die dit deze er
niet ook nog geen
"""
_FRENCH = """
je tu il elle on nous vous ils elles me te se lui leur mon ton son ma ta sa mes tes ses notre votre nos vos leurs le la
les un une des du de au aux ce cet cette ces qui que quoi dont où quel quelle quels quelles quand comment pourquoi
combien est sont était étaient être été a ont avait avoir fait peut à dans en par pour sur sous avec sans entre vers
chez et ou mais donc si ne pas plus qu d l c n s j m t
"""
_GERMAN = """
ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein dein sein unser euer der die das den dem des ein
eine einen einem einer eines wer was welche welcher welches wo wann wie warum wieso ist sind war waren bin wird werden
wurde wurden worden hat haben hatte hatten kann können konnte soll sollen muss müssen darf in im an am auf aus bei beim
mit nach seit von vom zu zum zur für durch gegen ohne um über unter vor zwischen und oder aber wenn dass weil ob als
nicht auch noch nur kein keine keinen dieser diese dieses sich man
"""
_ITALIAN = """
io tu lui lei noi voi loro mi ti si ci vi mio tuo suo nostro vostro il lo la i gli le un uno una di a da in con su per
tra fra del dello della dei degli delle al allo alla ai agli alle dal dalla dai nel nello nella nei nelle sul sulla chi
che cosa quale quali dove quando come perché quanto è sono era erano essere stato stata ha hanno aveva può e o ma se
non anche più questo questa questi queste l d c
"""
_NORWEGIAN = """
jeg du han hun den det vi dere de meg deg ham henne oss dem min din sin en ei et som hva hvem hvor når hvordan hvorfor
hvilken er var vært har hadde bli blir ble kan kunne skal skulle vil ville må i på til av for med om fra ved under over
etter mellom og eller men hvis at ikke også denne dette disse noe noen alle
"""
_PORTUGUESE = """
eu tu ele ela nós vós eles elas me te se lhe nos meu teu seu minha sua nosso nossa o a os as um uma uns umas de do da
dos das em no na nos nas por pelo pela pelos pelas para com sem sob sobre entre até ao à aos às quem que qual quais onde
quando como porque quanto é são era eram foi foram ser sido está estão tem têm tinha pode e ou mas não também mais este
esta estes isso isto
"""
_RUSSIAN = """
я ты он она оно мы вы они меня тебя его её нас вас их мне тебе ему ей нам вам им мой твой свой наш ваш кто что какой
какая какие где когда как почему сколько который которая которые это этот эта эти тот быть был была было были есть будет
может в во на с со к ко из от до по о об за под над при для без между через и или но а если не ни же ли бы также
"""
_SPANISH = """
yo tú él ella nosotros vosotros ellos ellas me te se nos os lo le les mi tu su nuestro nuestra el la los las un una unos
unas de del a al en con sin por para sobre entre hasta desde quién qué cuál cuáles dónde cuándo cómo cuánto cuántos que
quien donde cuando como es son era eran fue fueron ser sido está están ha han había tiene puede y e o u pero si no
también más este esta estos estas esto
"""
_SWEDISH = """
jag du han hon den det vi ni de mig dig honom henne oss er dem min din sin en ett som vad vem var när hur varför vilken
är var varit har hade bli blir blev kan kunde ska skulle vill ville måste i på till av för med om från vid under över
efter mellan och eller men att inte också denna detta dessa något några alla
"""
_VIETNAMESE = """
và của là có được cho các những một không với này trong người đã đến từ khi như để ra ở vào nào gì đó cũng theo về bị
tại nhiều nhất năm sau trên rằng thì mà sẽ đang hay hoặc bởi vì sao ai đâu bao nhiêu thế tôi chúng họ ông bà
"""

STOP_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "danish": _DANISH,
        "dutch": _DUTCH,
        "english": _ENGLISH,
        "french": _FRENCH,
        "german": _GERMAN,
        "italian": _ITALIAN,
        "norwegian": _NORWEGIAN,
        "portuguese": _PORTUGUESE,
        "russian": _RUSSIAN,
        "spanish": _SPANISH,
        "swedish": _SWEDISH,
    }.items()
}
"""By language, with Snowball's names."""

FUNCTION_WORDS = {**STOP_WORDS, "vietnamese": frozenset(_VIETNAMESE.split())}
"""By language, as `language_of` names it."""
_SHARES = Counter(word for words in FUNCTION_WORDS.values() for word in words)
"""How many languages have a word: it speaks for each of them with a part of its weight."""
_WORDS = re.compile(r"(?<![\w./@-])[^\W\d_]{2,}(?![\w/@]|\.\w)")
"""Not what addresses and names of files are made of, and no single letters."""
_READ = 4000
"""Characters of a text that are looked at."""
_LEAST_WORDS = 2
"""Function words. One alone may be a name, or a word of another language."""
_LEAST_SHARE = 0.1
"""Of all different words. Less is a quotation, or a list of names."""
_AHEAD = 1.3
"""How many times as much must speak for the language as for the next one."""


@lru_cache(maxsize=4096)  # the same passages are near many questions
def language_of(text: str) -> str | None:
    """The language of the text by Snowball's name for it, or "vietnamese"; None if it is another one, or not clear.

    Each word counts once, however often a name has it: Los Angeles, Los Alamos.
    """
    words = set(_WORDS.findall(unicodedata.normalize("NFC", text[:_READ]).casefold()))
    scores = sorted(
        (sum(1 / _SHARES[word] for word in words & known), language) for language, known in FUNCTION_WORDS.items()
    )
    (second, _), (best, language) = scores[-2:]
    if len(words & FUNCTION_WORDS[language]) < _LEAST_WORDS:
        return None
    return language if best >= max(_LEAST_SHARE * len(words), _AHEAD * second) else None
