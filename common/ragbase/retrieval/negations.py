"""How languages deny: the words of each that turn a statement into its opposite, and those that join two statements.

These are the 23 languages that Cohere made its multilingual models for (huggingface.co/CohereForAI/aya-23-8B). "Not
only" denies nothing. Chinese, Japanese and Korean have no blanks around such words: they are looked for inside of
others.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """`code` is its code of ISO 639-1; "ru" is Ukrainian, too, and "ar" Persian. `denies` finds what turns a statement
    into its opposite, `joins` what stands between two statements. `common` are everyday words, by which a text in Latin
    letters is known to be in this language."""

    code: str
    denies: re.Pattern[str]
    joins: re.Pattern[str]
    common: frozenset[str] = frozenset()


def language_of(text: str) -> Language:
    """The language of the text: by its letters, and for Latin ones by its words. English if nothing tells."""
    for letters, language in _BY_LETTERS:
        if letters.search(text):
            return language
    words = Counter(re.findall(r"\w+", text.casefold()))
    signs = Counter(text)
    return max(
        _LATIN,
        key=lambda language: (
            sum(words[word] for word in language.common)
            + sum(signs[letter] for letter in _LETTERS.get(language.code, ""))
        ),
    )


def _words(*patterns: str) -> re.Pattern[str]:
    """Whole words. (\\b takes the vowel signs of Hindi for gaps between words.)"""
    return re.compile(rf"(?<![\w\u0900-\u097f])(?:{'|'.join(patterns)})(?![\w\u0900-\u097f])", re.IGNORECASE)


def _latin(code: str, denies: str, joins: str, common: str) -> Language:
    return Language(code, _words(denies), _words(joins), frozenset(common.split()))


_ENGLISH = _latin(
    "en",
    r"not(?! only| just)|never|no(?!\. ?\d)|none|nobody|nothing|nowhere|neither|nor|cannot|\w+n['’]t",
    "and|but|because|if|unless|while|although|whereas",
    "the a an of and or to in is that for it with as on are be this by do",
)
_LATIN = (
    _ENGLISH,
    _latin(
        "de",
        r"nicht(?! nur)|nie|niemals|kein\w*|nichts|niemand\w*|nirgends|weder",
        "und|aber|sondern|weil|wenn|falls|obwohl|während",
        "der die das und ist ein eine zu den dem von mit im für auf sich wird werden nicht",
    ),
    _latin(
        "fr",
        r"pas(?! seulement| que)|jamais|aucune?|rien|ni|n(?:e |['’])\w+(?: \w+)? plus",
        "et|mais|car|si|lorsque|quand|bien que",
        "le la les des et est un une du dans pour que qui sur avec par au ne pas il elle",
    ),
    _latin(
        "es",
        r"no(?! s[oó]lo| solamente| obstante)|nunca|jamás|ningún|ningun[oa]s?|nadie|nada|ni|tampoco",
        "y|pero|sino|porque|si|cuando|aunque|mientras",
        "el la los las y es un una de en que por con para se del al su no como",
    ),
    _latin(
        "it",
        r"non(?! solo| soltanto)|mai|nessun\w*|niente|nulla|né|neanche|nemmeno",
        "e|ma|perché|se|quando|benché|mentre",
        "il lo la i gli le e è un una di in che per con del della non si sono nel alle",
    ),
    _latin(
        "pt",
        r"não(?! só| apenas| somente)|nunca|jamais|nenhum\w*|ninguém|nada|nem|tampouco",
        "e|mas|porque|se|quando|embora|enquanto",
        "o a os as e é um uma de em que por com para se do da no na não dos das ao",
    ),
    _latin(
        "nl",
        r"niet(?! alleen| slechts)|geen|nooit|niemand|niets|nergens|noch",
        "en|maar|omdat|als|wanneer|hoewel|terwijl",
        "de het een en is van in op te met voor dat die zijn niet aan wordt bij ook om tot",
    ),
    _latin(
        "pl",
        r"nie(?! tylko)|nigdy|żad\w+|nikt|nikogo|nic|nigdzie|ani",
        "i|a|ale|lecz|bo|ponieważ|jeśli|gdy|chociaż",
        "w i na z się do jest nie to że o od po za dla przez jak są oraz",
    ),
    _latin(
        "cs",
        r"ne(?! jen)|není|nejsou|nebyl\w*|nebud\w+|nemá|nemají|nemůž\w+|nesm\w+|nelze|nikdy|nikdo|nic|žádn\w+|ani"
        r"|ne(?!j|b|ž|t|d)\w{4,}",
        "a|ale|protože|když|pokud|ačkoli",
        "a v se na je to že s z do o k i ve pro za po by jsou jako který",
    ),
    _latin(
        "ro",
        r"nu(?! numai| doar)|n-\w+|niciodată|niciun|nicio|nimic|nimeni|nici",
        "și|dar|iar|pentru că|dacă|când|deși",
        "și de la în cu este pe un o a nu se din care pentru sunt să mai al",
    ),
    _latin(
        "tr",
        r"değil\w*|yok\w*|hiçbir|asla|hiç"
        r"|\w{2,}m[ae]z(?:l[ae]r)?|\w{2,}m[ıiuü]yor\w*|\w{2,}m[ae]d[ıi]\w*|\w{2,}m[ae]m[ae]l[ıi]\w*"
        r"|\w{2,}m[ae]y[ae]c[ae][kğ]\w*",
        "ve|ama|fakat|çünkü|eğer",
        "ve bir bu için ile da de olarak çok daha en olan gibi her sonra kadar saat",
    ),
    _latin(
        "vi",
        r"không(?! (?:khí|gian|quân|chỉ|những))|chưa|chẳng|đừng|chớ",
        "và|nhưng|vì|nếu|khi|mặc dù",
        "và là của có được cho trong các một với không người này đã những từ vào lúc",
    ),
    _latin(
        "id",
        r"tidak(?! hanya)|bukan(?! hanya)|belum|jangan|tak|tiada",
        "dan|tetapi|tapi|karena|jika|bila|meskipun",
        "yang dan di ini itu dengan untuk tidak dari pada dalam adalah akan ke oleh pukul setiap",
    ),
)

_LETTERS = {"cs": "ěřů", "de": "äß", "es": "ñ¿", "fr": "çêœ", "pl": "ąęłśżź", "pt": "ãõ", "ro": "ășț", "tr": "ğış"}
"""Letters that others of these languages do not have. They tell the language of a short text."""

_CYRILLIC = Language(
    "ru",  # Russian and Ukrainian
    _words(
        r"не(?! только| тільки| лише)|нет|нельзя|ни|никогда|никто|ничего|ничто|никак\w+|ні|немає|ніколи|ніхто|нічого"
        r"|жод\w+"
    ),
    _words("и|но|а|потому что|если|когда|хотя|і|й|та|але|бо|якщо|коли|хоча"),
)
_ARABIC = Language(
    "ar",  # Arabic and Persian
    _words(
        r"[وف]?(?:لا|لم|لن|ليس\w*|أبدا|أبدًا)|نه|نیست\w*|هرگز|هیچ\w*|نمی\w*|نباید|ندار\w+|نخواه\w+|نشد\w*|نکن\w*|نبود\w*"
    ),
    _words("لكن|ولكن|لأن|إذا|عندما|و|اما|ولی|زیرا|اگر|وقتی"),
)
_HEBREW = Language("he", _words(r"[ושהכ]?(?:לא(?! רק)|אין|אינ\w+|מעולם|לעולם)"), _words("אבל|אך|כי|אם|כאשר"))
_GREEK = Language(
    "el",
    _words(r"δεν|δε|μη|μην|όχι(?! μόνο)|ποτέ|κανέν\w+|κανείς|καμία|τίποτα|ούτε"),
    _words("και|αλλά|γιατί|αν|όταν|ενώ"),
)
_HINDI = Language("hi", _words("नहीं|मत|न|ना|कभी नहीं"), _words("और|लेकिन|क्योंकि|अगर|यदि|जब"))
_JAPANESE = Language(
    "ja",
    re.compile(
        "(?<!少)(?<!しれ)(?<!なら)ない|(?<!間も)(?<!だけで)なく|なかっ|(?<!しれ)(?<!なり)ません|てはな[らり]"
        "|[せれらか]ず(?=に|、|。|$)"
    ),
    re.compile("が、|けれど|しかし|ので、|から、|ば、"),
)
_CHINESE = Language(
    "zh",
    re.compile(
        "不(?!仅|僅|但|同|过|過|管|论|論|久|断|斷|少|错|錯|得不)|没|沒|未(?!来|來)|无(?!论)|無(?!論)|勿|非(?!常|洲)"
    ),
    re.compile("但是|但|因为|因為|如果|虽然|雖然|而且"),
)
_KOREAN = Language(
    "ko",
    re.compile("않|못|없|아니(?!라)|(?<![가-힣])안 (?=[가-힣])|지 ?(?:마|말)"),
    re.compile("지만|그러나|하지만|면서|때문에"),
)

_BY_LETTERS = (
    (re.compile("[\u3041-\u30ff]"), _JAPANESE),
    (re.compile("[\uac00-\ud7af]"), _KOREAN),
    (re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"), _CHINESE),
    (re.compile("[\u0400-\u04ff]"), _CYRILLIC),
    (re.compile("[\u0600-\u06ff]"), _ARABIC),
    (re.compile("[\u0590-\u05ff]"), _HEBREW),
    (re.compile("[\u0370-\u03ff]"), _GREEK),
    (re.compile("[\u0900-\u097f]"), _HINDI),
)

_UNKNOWN = Language("", re.compile("(?!)"), re.compile("(?!)"))
_NAMES = (
    "english:en german:de french:fr spanish:es italian:it portuguese:pt dutch:nl polish:pl czech:cs romanian:ro "
    "turkish:tr vietnamese:vi indonesian:id russian:ru ukrainian:ru arabic:ar persian:ar hebrew:he greek:el hindi:hi "
    "japanese:ja chinese:zh korean:ko"
)
_CODES = dict(name.split(":") for name in _NAMES.split())
_BY_CODE = {language.code: language for language in (*_LATIN, *(language for _, language in _BY_LETTERS))}


def language_named(name: str) -> Language:
    """The language that text/languages.py names so. One without words here denies and joins nothing."""
    return _BY_CODE.get(_CODES.get(name, ""), _UNKNOWN)
