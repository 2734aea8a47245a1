"""The words that show that a question goes on from what was said before it.

For a language without words, and for those that leave out their pronouns, the length of a question has to do.
"""

from __future__ import annotations

import re


def _sets(lists: dict[str, str]) -> dict[str, frozenset[str]]:
    """Arabic writes "and" and a word as one."""
    sets = {language: frozenset(words.split()) for language, words in lists.items()}
    return sets | {"arabic": sets["arabic"].union(f"و{word}" for word in sets["arabic"])}


_PRONOUNS = {
    "arabic": """
        هو هي هم هما هذا هذه ذلك تلك هؤلاء أولئك منه منها منهم فيه فيها له لها لهم عنه عنها به بها
        هناك عليه عليها عليهم إليه إليها لديه لديها بينهم
    """,
    "catalan": "ell ella ells elles això aquest aquesta aquests aquestes aquell aquella allò hi",
    "chinese": "它 他 她 这 那 其 该 此 這 該",
    "czech": """
        on ona ono oni ho ji jí jemu jej něj něm jejich jeho její toho tomu tom ten ta to
        tento tato toto tam těch
    """,
    "danish": "han hun den det de ham hende dem hans hendes dens dets deres denne dette disse der",
    "dutch": "hij zij ze het hem haar hen hun dit dat deze die daar er erin ervan",
    "english": """
        he him his she her hers it its they them their theirs this that these those there
        then one ones former latter
        himself herself itself themselves such
    """,
    "finnish": """
        hän hänen hänet se sen sitä siinä siitä siellä ne niiden niitä he heidän tämä tämän tuo ne
        nämä
    """,
    "french": """
        il elle ils elles lui leur leurs son sa ses ce cet cette ces cela ça celui celle ceux celles
        y en là eux
    """,
    "german": """
        er sie es ihn ihm ihr ihnen sein seine seinen seinem seiner ihre ihren ihrem ihrer
        dieser diese dieses diesem
        diesen dies das jener jene jenes dort da davon daran dafür damit darin dazu dabei dessen deren
    """,
    "greek": """
        αυτός αυτή αυτό αυτοί αυτές αυτά αυτόν αυτήν αυτού αυτής αυτών του της τους εκεί
        εκείνος εκείνη εκείνο αυτούς εκείνους εκείνων
    """,
    "hebrew": "הוא היא הם הן זה זאת זו אלה אלו שלו שלה שלהם אותו אותה אותם בו בה שם לו לה להם ממנו ממנה",
    "hindi": """
        वह वे यह ये उस इस उन इन उसका उसकी उसके इसका इसकी इसके उनका उनकी उनके उसे इसे
        उन्हें उसने उन्होंने वहाँ वहां उनमें उसमें इसमें इनमें उनसे उससे इससे
    """,
    "hungarian": "ő ők az ez azt ezt azok ezek annak ennek őt őket ott abban ebben róla",
    "indonesian": "dia ia mereka itu ini nya beliau tersebut sana situ",
    "italian": """
        lui lei loro egli ella esso essa essi esse ne ci suo sua suoi sue questo questa quello
        quella quelli quelle
    """,
    "japanese": "それ これ あれ その この あの 彼 彼女 彼ら そこ ここ それら これら",
    "korean": "그것 이것 저것 그 그는 그녀 그들 거기 이 그곳",
    "norwegian": "han hun den det de ham henne dem hans hennes dens dets deres denne dette disse der",
    "persian": "او آن این آنها ایشان آنجا اینجا آنان وی",
    "polish": """
        on ona ono oni one jego jej ich jemu im go ją nim nią nich ten ta to tego tej tym tamten
        tamta tam
    """,
    "portuguese": """
        ele ela eles elas lhe lhes dele dela deles delas isso isto aquilo este esta esse essa esses essas aquele
        aquela ali lá seu sua seus suas nele nela
    """,
    "romanian": "el ea ei ele îl o îi le lui lor său sa săi sale acesta aceasta acestea acela aceea acolo asta",
    "russian": """
        он она оно они его её ее их ему ей им нем нём ней них нему ними этот эта это эти
        этого этой этому этом этих том
        тот та то те того там тогда туда оттуда такой такая такие
    """,
    "spanish": """
        él ella ello ellos ellas lo le les su sus este esta esto estos estas ese esa eso esos esas aquel
        aquella aquello allí ahí allá
    """,
    "swedish": "han hon den det de honom henne dem hans hennes dess deras denna detta dessa där",
    "thai": "มัน เขา เธอ พวกเขา นี้ นั้น นี่ นั่น ที่นั่น",
    "turkish": "o onlar bu şu bunlar şunlar onun onların bunun ona buna onu bunu orada burada onda bunların",
    "ukrainian": "він вона воно вони його її їх йому їй їм ньому ній них це цей ця ці цього цієї того там той",
    "vietnamese": "nó đó này ấy họ đây kia ông bà anh chị cô",
}
PRONOUNS = _sets(_PRONOUNS)
"""Pronouns of the third person and demonstratives, by language, as `language_of` names it: what stands for something
that was said before. What is an article much more often is not among them."""

PRONOUN_ENDINGS = {
    "arabic": ("ها", "هم", "هما", "هن"),
    "finnish": ("nsa", "nsä"),
    "indonesian": ("nya",),
    "italian": ("rlo", "rla", "rli", "rle"),
    "persian": ("اش", "شان"),
    "portuguese": ("-lo", "-la", "-los", "-las", "-lhe"),
    "spanish": ("rlo", "rla", "rlos", "rlas", "rle", "rles"),
}
"""Pronouns that are written at the end of a word."""

_OPENERS = {
    "arabic": "و وماذا ماذا",
    "catalan": "i però",
    "chinese": "那 那么 还有 而 那麼 還有",
    "czech": "a ale",
    "danish": "og men",
    "dutch": "en maar",
    "english": "and but also so then or",
    "finnish": "ja entä entäs mutta",
    "french": "et mais",
    "german": "und aber",
    "greek": "και κι αλλά",
    "hebrew": "ו אבל",
    "hindi": "और लेकिन",
    "hungarian": "és de",
    "indonesian": "dan lalu tetapi kalau",
    "italian": "e ed ma",
    "japanese": "では じゃあ それで",
    "korean": "그리고 그럼 그러면",
    "norwegian": "og men",
    "persian": "و اما",
    "polish": "a i ale",
    "portuguese": "e mas",
    "romanian": "și dar iar",
    "russian": "а и но",
    "spanish": "y e pero",
    "swedish": "och men",
    "thai": "แล้ว และ",
    "turkish": "ve peki ya ama",
    "ukrainian": "а і та але",
    "vietnamese": "và còn thế vậy nhưng",
}
OPENERS = _sets(_OPENERS)
"""Words that a question begins with if it goes on from the one before."""

_ASKING = {
    "arabic": "متى أين كيف لماذا كم",
    "catalan": "quan on com quant quants quantes",
    "chinese": "何时 什么时候 哪里 哪儿 为什么 为何 怎么 如何 多少 几 多久 何時 什麼時候 哪裡 為什麼 怎麼 幾",
    "czech": "kdy kde kam jak proč kolik",
    "danish": "hvornår hvor hvordan hvorfor",
    "dutch": "wanneer waar hoe waarom hoeveel waarmee waarvan",
    "english": "when where why how whose",
    "finnish": "milloin koska missä mihin miten miksi kuinka montako",
    "french": "quand où comment pourquoi combien",
    "german": "wann wo wohin woher wie warum wieso weshalb wieviel womit wodurch wofür",
    "greek": "πότε πού πώς γιατί πόσο πόσα πόσοι πόσες πόση που πως",
    "hebrew": "מתי איפה היכן איך כיצד למה מדוע כמה",
    "hindi": "कब कहाँ कहां कैसे क्यों कितना कितने कितनी",
    "hungarian": "mikor hol hová hogyan miért mennyi hány",
    "indonesian": "kapan mana bagaimana mengapa berapa kenapa",
    "italian": "quando dove come perché quanto quanti quante quanta",
    "japanese": "いつ どこ なぜ どう いくつ いくら どれくらい どのくらい 何年 何人",
    "korean": "언제 어디 어떻게 왜 얼마나 얼마 몇",
    "norwegian": "når hvor hvordan hvorfor",
    "persian": "کی کجا چگونه چطور چرا چند چقدر",
    "polish": "kiedy gdzie jak dlaczego ile ilu której którym",
    "portuguese": "quando onde como porque quanto quantos quantas quanta",
    "romanian": "când unde cum cât câți câte",
    "russian": "когда где куда откуда как почему зачем сколько чем",
    "spanish": "cuándo dónde cómo cuánto cuántos cuánta cuántas cuando donde como",
    "swedish": "när hur var varför",
    "thai": "เมื่อไร เมื่อใด เมื่อไหร่ ที่ไหน อย่างไร ทำไม เท่าไร เท่าใด กี่",
    "turkish": "zaman nerede nereye nereden nasıl neden niçin kaç kaçı kaçında",
    "ukrainian": "коли де куди як чому скільки",
    "vietnamese": "nào đâu sao nhiêu lâu",
}
ASKING = _sets(_ASKING)
"""Words that ask for a circumstance. What and who are not among them: they often ask what a thing is that nobody has
named yet."""

_LIGHT = {
    "catalan": "estava tenia havia hi ha cada aquell",
    "czech": "měl měla mělo mají byl jaké jakou jakým kdo koho komu čím čeho",
    "danish": "hvilken hvilket hvilke var havde blev findes mere mange meget",
    "dutch": "welk hoeveel veel deden deed doet doen gedaan",
    "english": "still also even else ever yet usually exactly long old",
    "finnish": "kuka ketä mitä mikä monta paljon oliko onko",
    "french": """
        avaient avait fut furent étaient fait font chaque encore aussi très lequel laquelle auquel
        celui
    """,
    "german": "wen wem wessen viel viele vielen lange hatte gibt gab denn eigentlich genau noch",
    "italian": "aveva avevano fu furono erano stati state sta stava fa fece ogni ancora molto quali",
    "norwegian": "hvilken hvilket hvilke hadde ble finnes mange mye",
    "polish": "kogo komu kim czym czego jakim jakiej jakich miał miała miało mają są",
    "portuguese": "estava estavam tinha tinham teve havia há houve fez cada ainda muito quais era",
    "romanian": "avea aveau fost cui căror fiecare încă foarte erau dintre fi",
    "russian": """
        у него неё нее кого кому кем чего чему чем каком какого какому какую каким каких
        какими кто что так такой чей
        чья чьи ещё еще уже только есть
    """,
    "spanish": """
        estuvo estuvieron estaba estaban estar tenía tenían tuvo tuvieron había habían
        hubo hay hace hizo hicieron hecho
        cada tal muy contra aún todavía mayor más
    """,
    "swedish": "vilken vilket vilka hade blev finns många mycket",
    "turkish": "hangisi kimi kimler nedir kimdir neydi oldu olur vardı yeniden kadardı",
    "ukrainian": "кого кому ким чого чому чим якого якому яку яким яких якими у нього неї ще вже",
    "arabic": "كانوا كانت يكون عدد أعيد بلغ",
    "hindi": "फिर हुआ हुई हुए",
    "greek": "ξανά έγινε υπήρχε",
}
_POLITE = {
    "arabic": "فضلك يمكنك أخبرني إخباري رجاء",
    "chinese": "请问 請問 请告诉我 告诉我 麻烦",
    "french": "pourriez pouvez pourrais pourriez-vous pouvez-vous peux-tu",
    "german": "könnten könnte könntest würden würdest weißt",
    "greek": "μπορείτε μπορείς μπορούσατε πείτε παρακαλώ μήπως ξέρετε",
    "hindi": "कृपया बताइए बताएं बताइये बताएँ बताओ क्या आप मुझे",
    "italian": "potrebbe potresti può puoi dirmi dirci sa sai",
    "japanese": "教えてください 教えて すみません",
    "korean": "알려 알려주세요 알려줘 주세요 말해 혹시 좀",
    "polish": "mogliby mogłaby mógłby mógłbyś możesz powiedzieć proszę",
    "portuguese": "você poderia poderiam podia saberia",
    "romanian": "puteți poți ați putea spune spuneți spui vă rog îmi știți",
    "thai": "ช่วยบอก ขอถาม หน่อย",
    "turkish": "lütfen acaba söyler misiniz misin biliyor musunuz bana",
}
_ASKING_THINGS = {
    "czech": "který která které kterého kterém kterou kteří jaký jaká jakého jaké jakou jakých",
    "greek": "ποιος ποια ποιο ποιοι ποιες ποιον ποιους ποιου ποιών ποιων",
    "korean": "누가 누구 뭐 뭘 무엇 무슨 어떤 어느 있나요 있어요 있습니까 없나요 되나요 됩니까 인가요",
    "polish": "który która które którego której którym którą których jaki jaka jakie jakiego jaką jakim ilu czyj czyja",
    "romanian": "care căruia căreia cărora câtă câţi",
    "turkish": "kim kimi kime kimin kimler ne neyi neden nedir hangi",
    "ukrainian": "який яка яке які якого якій яких чий чия чиє чиї котрий котра",
}
"""Inflected question words that are not among the function words."""
LIGHT = _sets(
    {
        language: " ".join(words.get(language, "") for words in (_LIGHT, _POLITE, _ASKING_THINGS))
        for language in (_LIGHT | _POLITE | _ASKING_THINGS)
    }
)
"""More words that say nothing of a subject: forms of being, having and asking that are not among the function words,
and those of a polite request."""

_AT_END = r"(?=[\s?？。.]*\Z)"
_POLITE_PLACES = {
    "chinese": rf"[呢吗嗎吧啊呀]{_AT_END}",
    "japanese": rf"(?:か[なね]?|[ねよ]){_AT_END}",
    "thai": rf"(?:นะ)?(?:ครับ|ค่ะ|คะ|ล่ะ|จ้ะ|จ๊ะ)+{_AT_END}",
    "polish": r"\A\W*(?:czy\s+)?(?:może|mog[łl]\w+|mógł\w*)\s+(?:(?:mi|nam)\s+)?(?:pan|pani|państwo)\s+",
    "portuguese": r"\A\W*(?:(?:o\s+senhor|a\s+senhora)\s+)?pod(?:e|eria|eriam)\s+(?:me|nos)\s+",
}
"""What is polite at the beginning or end of a question. Elsewhere, it may belong to other words."""
_polite = {language: re.compile(place, re.IGNORECASE) for language, place in _POLITE_PLACES.items()}


def without_politeness(text: str, language: str | None) -> str:
    """The question without what makes it polite at its beginning or end, or only a question."""
    place = _polite.get(language or "")
    return text if place is None else place.sub(" ", text)


ARTICLES = {
    "danish": frozenset({"den", "det", "de"}),
    "dutch": frozenset({"het"}),
    "german": frozenset({"das"}),
    "greek": frozenset({"του", "της", "τους"}),
    "norwegian": frozenset({"den", "det", "de"}),
    "swedish": frozenset({"den", "det", "de"}),
}
"""Pronouns that are articles, too."""
TELLING_AFTER_ARTICLE = {"greek": 1}
"""So many telling words in small letters follow an article; elsewhere two: after a pronoun, one may be a verb, as in
"het gebouwd"."""
