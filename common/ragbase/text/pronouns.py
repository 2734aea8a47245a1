"""The words by which a question points at what was said before it, and those by which it goes on from there.

Languages that leave out their pronouns need no more than these: what is short is completed, too.
"""

from __future__ import annotations

_PRONOUNS = {
    "arabic": "هو هي هم هما هذا هذه ذلك تلك هؤلاء أولئك منه منها منهم فيه فيها له لها لهم عنه عنها به بها هناك",
    "catalan": "ell ella ells elles això aquest aquesta aquests aquestes aquell aquella allò hi",
    "chinese": "它 他 她 这 那 其 该 此 這 該",
    "czech": """
        on ona ono oni ho ji jí jemu jej něj něm jejich jeho její toho tomu tom ten ta to tento tato toto tam těch
    """,
    "danish": "han hun den det de ham hende dem hans hendes dens dets deres denne dette disse der",
    "dutch": "hij zij ze het hem haar hen hun dit dat deze die daar er erin ervan",
    "english": """
        he him his she her hers it its they them their theirs this that these those there then one ones former latter
        himself herself itself themselves such
    """,
    "finnish": "hän hänen hänet se sen sitä siinä siitä siellä ne niiden niitä he heidän tämä tämän tuo ne nämä",
    "french": "il elle ils elles lui leur leurs son sa ses ce cet cette ces cela ça celui celle ceux celles y en là",
    "german": """
        er sie es ihn ihm ihr ihnen sein seine seinen seinem seiner ihre ihren ihrem ihrer dieser diese dieses diesem
        diesen dies das jener jene jenes dort da davon daran dafür damit darin dazu dabei dessen deren
    """,
    "greek": """
        αυτός αυτή αυτό αυτοί αυτές αυτά αυτόν αυτήν αυτού αυτής αυτών του της τους εκεί εκείνος εκείνη εκείνο
    """,
    "hebrew": "הוא היא הם הן זה זאת זו אלה אלו שלו שלה שלהם אותו אותה אותם בו בה שם לו לה להם ממנו ממנה",
    "hindi": """
        वह वे यह ये उस इस उन इन उसका उसकी उसके इसका इसकी इसके उनका उनकी उनके उसे इसे उन्हें उसने उन्होंने वहाँ वहां
    """,
    "hungarian": "ő ők az ez azt ezt azok ezek annak ennek őt őket ott abban ebben róla",
    "indonesian": "dia ia mereka itu ini nya beliau tersebut sana situ",
    "italian": """
        lui lei loro egli ella esso essa essi esse gli lo la li le ne ci suo sua suoi sue questo questa quello
        quella quelli quelle
    """,
    "japanese": "それ これ あれ その この あの 彼 彼女 彼ら そこ ここ それら これら",
    "korean": "그것 이것 저것 그 그는 그녀 그들 거기 이 그곳",
    "norwegian": "han hun den det de ham henne dem hans hennes dens dets deres denne dette disse der",
    "persian": "او آن این آنها ایشان آنجا اینجا آنان وی",
    "polish": "on ona ono oni one jego jej ich jemu im go ją nim nią nich ten ta to tego tej tym tamten tamta tam",
    "portuguese": """
        ele ela eles elas lhe lhes dele dela deles delas isso isto aquilo este esta esse essa esses essas aquele
        aquela ali lá seu sua seus suas nele nela
    """,
    "romanian": "el ea ei ele îl o îi le lui lor său sa săi sale acesta aceasta acestea acela aceea acolo asta",
    "russian": """
        он она оно они его её ее их ему ей им нем нём ней них нему ними этот эта это эти этого этой этому этом этих том
        тот та то те того там тогда туда оттуда такой такая такие
    """,
    "spanish": """
        él ella ello ellos ellas lo la los las le les su sus este esta esto estos estas ese esa eso esos esas aquel
        aquella aquello allí ahí allá
    """,
    "swedish": "han hon den det de honom henne dem hans hennes dess deras denna detta dessa där",
    "thai": "มัน เขา เธอ พวกเขา นี้ นั้น นี่ นั่น ที่นั่น",
    "turkish": "o onlar bu şu bunlar şunlar onun onların bunun ona buna onu bunu orada burada onda",
    "ukrainian": "він вона воно вони його її їх йому їй їм ньому ній них це цей ця ці цього цієї того там той",
    "vietnamese": "nó đó này ấy họ đây kia ông bà anh chị cô",
}
PRONOUNS = {language: frozenset(words.split()) for language, words in _PRONOUNS.items()}
"""Pronouns of the third person and demonstratives, by language, as `language_of` names it. What is an article or a
conjunction much more often is not among them."""

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
OPENERS = {language: frozenset(words.split()) for language, words in _OPENERS.items()}
"""Words that a question begins with if it goes on from the one before."""
