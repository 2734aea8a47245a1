"""The words that ask, those that join two questions, and those that compare, in each language that has them here.

Where a language puts its question word first (`FIRST`), a second question begins with one: "when was it built *and by
whom*". Elsewhere the word stands where the answer would: two questions have one each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ragbase.text.korean_particles import PARTICLES


@dataclass(frozen=True)
class QuestionWords:
    """`asks_first` says that a question begins with its question word. `pointing` are words for what was named before.
    The patterns are made when they are first used: they take some milliseconds, and most questions are in one
    language."""

    asking: str
    joining: str
    asks_first: bool
    pointing: str
    comparing: tuple[str, ...]
    ending: str = ""
    prefix: str = ""
    is_spaced: bool = True

    @cached_property
    def asks(self) -> re.Pattern[str]:
        """A question word."""
        if not self.is_spaced:
            return re.compile(_any(self.asking))
        return _pattern(self.asking, self.prefix, particles=PARTICLES if self.ending else ())

    @cached_property
    def joins(self) -> re.Pattern[str]:
        """What stands between two questions."""
        if not self.is_spaced:
            return re.compile(self.joining)
        pattern = _pattern(self.joining)
        if self.prefix:
            return re.compile(rf"{pattern.pattern}|(?<!\w){self.prefix}(?=\w)")
        return re.compile(rf"{pattern.pattern}|(?<={self.ending})[\s,]+") if self.ending else pattern

    @cached_property
    def stands_for(self) -> frozenset[str]:
        return frozenset(self.pointing.split())

    @cached_property
    def compares(self) -> tuple[re.Pattern[str], ...]:
        """Two things that are compared, as the groups `a` and `b`; `head` is what is asked about both. Without `a`, the
        first one is the `ending_thing` of what stands before."""
        ends = (
            rf"{_NO_WORD_BEFORE}{one}{_END if one.endswith('{B}') else _NO_WORD_AFTER}" if self.is_spaced else one
            for one in self.comparing
        )
        things = (one.replace("{A}", rf"(?P<a>{_THING})").replace("{B}", rf"(?P<b>{_THING})") for one in ends)
        return tuple(re.compile(one, re.IGNORECASE) for one in things)

    def may_join(self, text: str) -> bool:
        """Whether a text in lower case may have what stands between two questions, without its patterns."""
        if not self.is_spaced or self.prefix or self.ending:
            return not text.isascii()
        return any(word.replace("_", " ") in text for word in self.joining.split())


_NO_WORD_BEFORE, _NO_WORD_AFTER = r"(?<![\w\u0900-\u097f])", r"(?![\w\u0900-\u097f])"
_THING = r"(?:[^?？؟;:.!。，]|\.(?=\w)){1,60}?"
"""A stretch without signs; a name may have a dot inside. It is short, as the time grows with the square of it."""
ending_thing = re.compile(rf"{_THING}\Z").search
_END = r"\s*(?=[?？؟.!。;,]|\Z)"


def _any(words: str) -> str:
    """Alternatives, the longest first; `_` stands for blanks."""
    return "|".join(
        re.escape(one).replace("_", r"\s+") for one in sorted(words.split(), key=lambda word: (-len(word), word))
    )


def _pattern(words: str, prefix: str = "", particles: Sequence[str] = ()) -> re.Pattern[str]:
    optional = f"{prefix}?" if prefix else ""
    glued = f"(?:{'|'.join(particles)})?" if particles else ""
    return re.compile(rf"{_NO_WORD_BEFORE}{optional}(?:{_any(words)}){glued}{_NO_WORD_AFTER}", re.IGNORECASE)


def _fronted(asking: str, joining: str, pointing: str, *comparing: str) -> QuestionWords:
    return QuestionWords(asking, joining, True, pointing, comparing)


def _in_place(asking: str, joining: str, pointing: str, *comparing: str) -> QuestionWords:
    return QuestionWords(asking, joining, False, pointing, comparing)


def _unspaced(asking: str, joining: str, *comparing: str) -> QuestionWords:
    """A script without blanks between words: they are found inside of a run."""
    return QuestionWords(asking, joining, False, "", comparing, is_spaced=False)


def _prefixed(asking: str, prefix: str, joining: str, pointing: str, *comparing: str) -> QuestionWords:
    """A script that writes "and" as a letter before the next word."""
    return QuestionWords(asking, joining, True, pointing, comparing, prefix=prefix)


def _ending_in(ending: str, asking: str, joining: str, pointing: str, *comparing: str) -> QuestionWords:
    """A language whose verbs end so where another statement follows: Korean."""
    return QuestionWords(asking, joining, False, pointing, comparing, ending=ending)


_HEAD = r"(?P<head>(?:pros|cons|advantages?|disadvantages?|benefits?|drawbacks|merits|strengths|weaknesses|trade-?offs|"
_HEAD += r"price|cost|costs|performance|speed|size)(?:\s+and\s+(?:cons|disadvantages|drawbacks|weaknesses))?\s+of)\s+"

QUESTION_WORDS = {
    "english": _fronted(
        "who whom whose what which when where why how what's who's how's where's when's does_it do_they did_it "
        "did_they is_it is_there are_they are_there was_it were_they can_i can_it can_they can_we can_you could_i "
        "will_it should_i do_i do_you have_i has_it have_they may_i must_i",
        "and & and_also as_well_as and_then and,",
        "it its they them their theirs he him his she her hers this these those one ones",
        r"(?:compare|comparing|comparison\s+(?:of|between)|contrast)\s+(?!with\b|to\b|against\b){A}\s+(?:and|with|to|against|versus|vs\.?)\s+{B}",
        r"(?:differences?|distinctions?|similarit(?:y|ies))\s+between\s+{A}\s+(?:and|versus|vs\.?)\s+{B}",
        r"how\s+(?:do|does|did|is|are)\s+{A}\s+(?:differ(?:ent)?\s+from|compare\s+(?:with|to|against))\s+{B}",
        _HEAD + r"{A}\s+(?:versus|vs\.?|over|compared\s+(?:to|with)|against)\s+{B}",
    ),
    "german": _fronted(
        "wer wen wem wessen was welche welcher welches welchen welchem wann wo woher wohin warum wieso weshalb wie "
        "wieviel wieviele womit wofür wodurch woraus worin wozu wonach worüber wobei ob kann_ich kann_man gibt_es "
        "ist_es ist_er hat_es hat_er muss_ich darf_ich darf_man wird_es",
        "und sowie und_auch",
        "er sie es ihn ihm ihr ihre ihren ihrer ihres seine seinen seiner dies",
        r"(?:vergleiche?n?(?:\s+sie)?|vergleich\s+(?:von|zwischen))\s+{A}\s+(?:und|mit)\s+{B}",
        r"unterschiede?\s+zwischen\s+{A}\s+und\s+{B}",
    ),
    "dutch": _fronted(
        "wie wat welke welk waar wanneer hoe hoeveel waarom waardoor waarmee waarvoor waarin waarop wiens waarvan",
        "en alsook",
        "hij zij ze hem haar hun hen",
        r"(?:vergelijk|vergelijking\s+(?:van|tussen))\s+{A}\s+(?:en|met)\s+{B}",
        r"verschil(?:len)?\s+tussen\s+{A}\s+en\s+{B}",
    ),
    "swedish": _fronted(
        "vem vems vad vilken vilket vilka var vart varifrån när hur varför",
        "och samt",
        "han hon dem honom henne hans hennes dess deras",
        r"(?:jämför|jämförelse\s+(?:av|mellan))\s+{A}\s+(?:och|med)\s+{B}",
        r"skillnad(?:en|er|erna)?\s+(?:mellan|på)\s+{A}\s+och\s+{B}",
    ),
    "danish": _fronted(
        "hvem hvad hvilken hvilket hvilke hvor hvornår hvordan hvorfor hvorhen",
        "og samt",
        "han hun dem ham hende hans hendes dens dets deres",
        r"(?:sammenlign|sammenligning\s+(?:af|mellem))\s+{A}\s+(?:og|med)\s+{B}",
        r"forskel(?:len|le|lene)?\s+(?:mellem|på)\s+{A}\s+og\s+{B}",
    ),
    "norwegian": _fronted(
        "hvem hva hvilken hvilket hvilke hvor når hvordan hvorfor",
        "og samt",
        "han hun dem ham henne hans hennes dens dets deres",
        r"(?:sammenlign|sammenligning\s+(?:av|mellom))\s+{A}\s+(?:og|med)\s+{B}",
        r"forskjell(?:en|er|ene)?\s+(?:mellom|på)\s+{A}\s+og\s+{B}",
    ),
    "french": _fronted(
        "qui quoi quel quelle quels quelles quand comment pourquoi combien où lequel laquelle lesquels est-ce "
        "qu'est-ce qu’est-ce est-il est-elle peut-on puis-je y_a-t-il",
        "et ainsi_que et_aussi",
        "il elle ils elles lui leur leurs son sa ses celui-ci celle-ci cela ça",
        r"(?:compare[rz]?|comparaison\s+(?:de|entre))\s+{A}\s+(?:et|avec|à)\s+{B}",
        r"différences?\s+(?:qu['’]il\s+y\s+a\s+)?entre\s+{A}\s+et\s+{B}",
    ),
    "spanish": _fronted(
        "quién quiénes qué cuál cuáles dónde adónde cuándo cómo cuánto cada_cuánto cuánta cuántos cuántas",
        "y e así_como y_también",
        "él ella ello ellos ellas lo le les su sus esto eso",
        r"(?:compar(?:ar|a|e|ación\s+(?:de|entre)))\s+{A}\s+(?:y|e|con)\s+{B}",
        r"diferencias?\s+(?:hay\s+|existen?\s+)?entre\s+{A}\s+(?:y|e)\s+{B}",
    ),
    "catalan": _fronted(
        "qui què quin quina quins quines on quan com quant quanta quants quantes",
        "i així_com",
        "ell ella ells elles ho seu seva seus seves això",
        r"(?:compara(?:r|ció\s+(?:de|entre))?)\s+{A}\s+(?:i|amb)\s+{B}",
        r"diferènci(?:a|es)\s+entre\s+{A}\s+i\s+{B}",
    ),
    "italian": _fronted(
        "chi che_cosa cosa quale quali qual dove quando come perché quanto quanta quanti quante cos'è dov'è cos’è "
        "dov’è in_che a_che per_che di_che da_che",
        "e ed nonché",
        "lui lei esso essa essi esse loro suo sua suoi sue questo ciò",
        r"(?:confront[aoi]\w*|paragon\w+|compara\w*)\s+{A}\s+(?:e|ed|con)\s+{B}",
        r"differenz[ae]\s+(?:che\s+c['’]è\s+)?(?:tra|fra)\s+{A}\s+(?:e|ed)\s+{B}",
    ),
    "portuguese": _fronted(
        "quem o_que qual quais onde aonde quando como quanto quanta quantos quantas por_que por_quê em_que "
        "de_que a_que",
        "e bem_como assim_como",
        "ele ela eles elas seu sua seus suas dele dela deles delas isso isto",
        r"(?:compar(?:e|ar|a|ação\s+(?:de|entre)))\s+{A}\s+(?:e|com)\s+{B}",
        r"diferenças?\s+entre\s+{A}\s+e\s+{B}",
    ),
    "romanian": _fronted(
        "cine cui ce care când unde cum de_ce cât câtă câți câte câţi",
        "și şi precum_și iar",
        "el ea ei ele îl îi lor său sa săi sale acesta aceasta acestea",
        r"(?:compar[ăa]\w*|comparați[ae]\s+(?:dintre|între))\s+{A}\s+(?:și|şi|cu)\s+{B}",
        r"diferenț\w+\s+(?:dintre|între)\s+{A}\s+(?:și|şi)\s+{B}",
    ),
    "russian": _fronted(
        "кто кого кому кем ком что чего чему чем чём какой какая какое какие какого какому каким какую каких какими "
        "каком чей чья чьё чье чьи где куда откуда когда как почему зачем сколько скольких насколько каков какова "
        "каково каковы",
        "и а а_также",
        "он она оно они его её ее их ему ей им ним ней них",
        r"(?:сравни\w*|сравнение)\s+{A}\s+(?:и|с|со)\s+{B}",
        r"(?:разниц\w+|отличи\w+|различи\w+)\s+между\s+{A}\s+и\s+{B}",
        r"(?:чем|как)\s+отлича\w+\s+{A}\s+от\s+{B}",
    ),
    "ukrainian": _fronted(
        "хто кого кому ким що чого чому чим який яка яке які якого якому яким яку яких якою чий чия чиє чиї де куди "
        "звідки коли як навіщо скільки наскільки чи",
        "і й та а а_також",
        "він вона воно вони його її їх йому їй їм ним ній них",
        r"(?:порівня\w+)\s+{A}\s+(?:і|й|та|з|із)\s+{B}",
        r"(?:різниц\w+|відмінн\w+)\s+між\s+{A}\s+(?:і|й|та)\s+{B}",
    ),
    "polish": _fronted(
        "kto kogo komu kim co czego czemu czym jaki jaka jakie jakiego jakiej jaką jakim jakich który która które "
        "którego której którym którą gdzie dokąd skąd kiedy jak dlaczego ile ilu czy czyj czyja",
        "i oraz a a_także",
        "on ona ono oni one jego jej ich go mu im nią nim nich",
        r"(?:porówna\w+)\s+{A}\s+(?:i|oraz|z|ze)\s+{B}",
        r"różnic\w*\s+(?:po)?między\s+{A}\s+(?:a|i|oraz)\s+{B}",
    ),
    "czech": _fronted(
        "kdo koho komu kým co čeho čemu čím jaký jaká jaké jakého jakou jakým který která které kterého kterém kde kam "
        "odkud kdy jak proč kolik čí zda",
        "a i a_také",
        "on ona ono oni ony jeho její jejich ho ji mu jí jim",
        r"(?:porovn\w+|srovn\w+)\s+{A}\s+(?:a|s|se)\s+{B}",
        r"rozdíl\w*\s+mezi\s+{A}\s+a\s+{B}",
    ),
    "hungarian": _fronted(
        "ki kik kit kinek kivel mi mik mit minek mivel melyik milyen hol hova hová honnan mikor hogyan miért mennyi "
        "mennyibe hány hányan",
        "és s valamint",
        "ő ők azt ezt azok ezek",
        r"különbség\w*\s+{A}\s+és\s+{B}\s+között",
    ),
    "finnish": _fronted(
        "kuka ketkä kenen ketä kenelle mikä mitkä mitä minkä missä mistä mihin milloin miten miksi kuinka montako "
        "paljonko kumpi",
        "ja sekä",
        "hän he se ne sen niiden sitä niitä siitä hänen heidän",
        r"(?:vertaa|vertaile)\s+{A}\s+ja\s+{B}",
    ),
    "greek": _fronted(
        "ποιος ποια ποιο ποιοι ποιες ποιον ποιους ποιου ποιών τι πού πότε πώς γιατί πόσο πόσα πόσοι πόσες πόσος πόση",
        "και κι καθώς_και",
        "αυτός αυτή αυτό αυτοί αυτές αυτά",
        r"(?:σύγκριν\w+|σύγκριση)\s+{A}\s+(?:και|με)\s+{B}",
        r"διαφορ\w+\s+(?:μεταξύ|ανάμεσα\s+σε)\s+{A}\s+και\s+{B}",
    ),
    "turkish": _in_place(
        "kim kimi kime kimin kimler ne neyi nerede nereye nereden nedir nasıl neden niçin niye kaç hangi hangisi "
        "kimdir mı mi mu mü mıdır midir",
        "ve ile",
        "o onu ona onun onlar bu bunu bunun",
        r"{A}\s+(?:ve|ile)\s+{B}\s+aras\w+\s+(?:ne\s+|hangi\s+)?fark\w*",
    ),
    "vietnamese": _in_place(
        "ai gì cái_gì nào khi_nào thế_nào như_thế_nào đâu bao_nhiêu bao_lâu mấy tại_sao vì_sao sao",
        "và cùng_với",
        "nó họ đó ông bà",
        r"so\s+sánh\s+{A}\s+(?:và|với)\s+{B}",
        r"khác\s+(?:nhau|biệt)\s+(?:nào\s+)?(?:giữa\s+){A}\s+(?:và|với)\s+{B}",
    ),
    "indonesian": _in_place(
        "apa siapa mana kapan bagaimana mengapa kenapa berapa dimana apakah",
        "dan serta",
        "dia ia mereka nya itu ini",
        r"bandingkan\s+{A}\s+(?:dan|dengan)\s+{B}",
        r"(?:perbedaan|beda)\s+(?:antara\s+)?{A}\s+dan\s+{B}",
    ),
    "hindi": _in_place(
        "क्या कौन कब कहाँ कहां कैसे क्यों कितना कितने कितनी किस किसने किसका किसके किसकी किसे कौनसा",
        "और तथा एवं",
        "वह वे यह ये इस उस इसे उसे इसका उसका इसके उसके इसकी उसकी उन",
        r"{A}\s+(?:और|तथा)\s+{B}\s+(?:में|के\s+बीच)\s+(?:क्या\s+|का\s+)?(?:अंतर|फर्क)",
    ),
    "persian": _in_place(
        "چه چی چیست کی کیست کجا کجاست کدام چگونه چطور چرا چند چقدر آیا",
        "و و_همچنین",
        "او آن آنها این",
        r"(?:تفاوت|فرق|مقایسه)\s+(?:بین\s+|میان\s+)?{A}\s+(?:و|با)\s+{B}",
    ),
    "korean": _ending_in(
        "고",
        "무엇 뭐 뭘 누구 누가 언제 어디 어디서 어떻게 왜 얼마 얼마나 몇 어느 어떤 무슨",
        "그리고 및 또한",
        "그것 그 이것 그녀 그들",
        r"{A}(?:와|과|이랑|랑|하고)\s+{B}(?:의|은|는|이|가)?\s+(?:차이|다른\s*점|비교)\w*",
    ),
    "arabic": _prefixed(
        "ما ماذا متى أين كيف لماذا كم أي أية هل بكم لمن من_هو من_هي من_هم من_الذي من_التي من_قام من_كان",
        "و",
        "و",
        "هو هي هم هذا هذه ذلك تلك",
        r"(?:قارن\s+بين|الفرق\s+بين|مقارنة\s+بين)\s+{A}\s+و\s?{B}",
    ),
    "hebrew": _prefixed(
        "מי על_ידי_מי מה מתי איפה היכן איך כיצד למה מדוע כמה איזה איזו אילו האם",
        "ו",
        "וגם",
        "הוא היא הם הן זה זאת אותו אותה אותם שלו שלה שלהם",
        r"(?:השווה\s+בין|ה?הבדל\w*\s+בין)\s+{A}\s+[ול]{B}",
    ),
    "chinese": _unspaced(
        "什么 什麼 什么时候 什麼時候 谁 誰 哪 几 幾 多少 何时 何時 何地 何处 何種 怎么 怎麼 怎样 怎樣 "
        "如何 为什么 為什麼 为何 為何 吗 嗎 多久 多长 多長 多大 多高",
        r"[，,、；]?(?:以及|并且|並且|而且|还有|還有|和|与|與|及|并|並|而)|[，,、；]",
        r"(?:比较|比較|对比|對比)(?:一下)?{A}(?:和|与|與|跟)\s*{B}\s*(?=[?？。.]|\Z)",
        r"(?:和|与|與|跟)\s*{B}\s*(?:之间|之間)?(?:有|的)(?:什么|什麼|何)?(?:区别|區別|差别|差別|差异|差異|不同)",
    ),
    "japanese": _unspaced(
        "何 なに なん いつ どこ だれ 誰 なぜ どう どの どれ どんな どちら いくつ いくら",
        r"、(?:そして|また|および)?|そして|および",
        r"と\s*{B}\s*の(?:違い|比較|差)",
    ),
    "thai": _unspaced(
        "อะไร ใคร ที่ไหน เมื่อไร เมื่อไหร่ เมื่อใด อย่างไร ยังไง ทำไม เท่าไร เท่าไหร่ เท่าใด กี่ ไหน ใด",
        r"และ|แล้วก็",
        r"(?:เปรียบเทียบ|ความแตกต่างระหว่าง|ต่างกันระหว่าง){A}(?:กับ|และ)\s*{B}\s*(?:คืออะไร)?(?=[?？]|\s*\Z)",
    ),
}
"""By language, as `language_of` names it."""

_ASKING_ALONE = """
what what's how how's why quién quiénes qué cuál cuáles dónde adónde cuándo cómo cuánto cuánta cuántos cuántas wann
warum wieso weshalb hoeveel waarom hvornår hvorfor hvordan comment pourquoi combien perché сколько почему зачем скільки
чому dlaczego proč miért miksi γιατί
"""
NEVER_RELATIVE = frozenset(_ASKING_ALONE.split())
"""Question words that begin no clause about the word before them, as "who" does in "the man who"."""
