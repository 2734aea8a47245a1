"""Numbers in words, and words that multiply a number, of the languages in negations.py."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

# From 0 on, each with its other forms after a slash.
_COUNTED = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "de": "null eins/ein/eine/einen/einem/einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn "
    "vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "fr": "zéro un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf",
    "es": "cero uno/un/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve veinte veintiuno/veintiún/veintiuna veintidós veintitrés veinticuatro veinticinco "
    "veintiséis veintisiete veintiocho veintinueve",
    "it": "zero uno/un/una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici "
    "sedici diciassette diciotto diciannove",
    "pt": "zero um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze "
    "dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove",
    "nl": "nul een/één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien "
    "zeventien achttien negentien",
    "pl": "zero jeden/jedna/jedno/jednego/jednej dwa/dwie/dwóch/dwoje trzy/trzech/trzej cztery/czterech/czterej "
    "pięć/pięciu sześć/sześciu siedem/siedmiu osiem/ośmiu dziewięć/dziewięciu dziesięć/dziesięciu "
    "jedenaście/jedenastu dwanaście/dwunastu trzynaście/trzynastu czternaście/czternastu piętnaście/piętnastu "
    "szesnaście/szesnastu siedemnaście/siedemnastu osiemnaście/osiemnastu dziewiętnaście/dziewiętnastu",
    "cs": "nula jeden/jedna/jedno dva/dvě/dvou tři/tří čtyři/čtyř pět/pěti šest/šesti sedm/sedmi osm/osmi "
    "devět/devíti deset/deseti jedenáct/jedenácti dvanáct/dvanácti třináct/třinácti čtrnáct/čtrnácti "
    "patnáct/patnácti šestnáct/šestnácti sedmnáct/sedmnácti osmnáct/osmnácti devatenáct/devatenácti",
    "ro": "zero unu/un/una/o doi/două trei patru cinci șase șapte opt nouă zece unsprezece doisprezece/douăsprezece "
    "treisprezece paisprezece cincisprezece șaisprezece șaptesprezece optsprezece nouăsprezece",
    "tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz on",
    "vi": "linh một hai ba bốn lăm sáu bảy tám chín mười",
    "id": "nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas",
    "ru": "ноль/нуль один/одна/одно/одного/одной два/две/двух/дві три/трёх/трех/трьох четыре/четырёх/четырех/чотири/"
    "чотирьох пять/пяти/п'ять/п’ять/п'яти шесть/шести/шість/шести семь/семи/сім/семи восемь/восьми/вісім "
    "девять/девяти/дев'ять/дев’ять десять/десяти одиннадцать/одиннадцати/одинадцять двенадцать/двенадцати/дванадцять "
    "тринадцать/тринадцати/тринадцять четырнадцать/четырнадцати/чотирнадцять пятнадцать/пятнадцати/п'ятнадцять "
    "шестнадцать/шестнадцати/шістнадцять семнадцать/семнадцати/сімнадцять восемнадцать/восемнадцати/вісімнадцять "
    "девятнадцать/девятнадцати/дев'ятнадцять",
    "ar": "صفر واحد/واحدة/یک اثنان/اثنين/اثنتين/دو ثلاث/ثلاثة/سه أربع/أربعة/چهار خمس/خمسة/پنج ست/ستة/شش سبع/سبعة/هفت "
    "ثمان/ثماني/ثمانية/هشت تسع/تسعة/نه عشر/عشرة/ده",
    "he": "אפס אחד/אחת שתיים/שניים/שני/שתי שלוש/שלושה/שלושת ארבע/ארבעה חמש/חמישה שש/שישה שבע/שבעה שמונה תשע/תשעה "
    "עשר/עשרה",
    "el": "μηδέν ένα/ένας/μία/μια δύο/δυο τρία/τρεις/τριών τέσσερα/τέσσερις/τεσσάρων πέντε έξι επτά/εφτά οκτώ/οχτώ "
    "εννέα/εννιά δέκα έντεκα/ένδεκα δώδεκα δεκατρία/δεκατρείς δεκατέσσερα/δεκατέσσερις δεκαπέντε δεκαέξι δεκαεπτά "
    "δεκαοκτώ δεκαεννέα",
    "hi": "शून्य एक दो तीन चार पाँच/पांच छह/छः सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस "
    "इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस "
    "छत्तीस सैंतीस अड़तीस उनतालीस चालीस इकतालीस बयालीस तैंतालीस चौवालीस/चवालीस पैंतालीस छियालीस सैंतालीस "
    "अड़तालीस उनचास पचास इक्यावन बावन तिरेपन/तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ साठ इकसठ बासठ "
    "तिरेसठ/तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर "
    "छिहत्तर सतहत्तर अठहत्तर उन्यासी अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी "
    "नब्बे इक्यानवे बानवे तिरानवे चौरानवे पंचानवे/पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे",
}
# From 20 on.
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig/dreissig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingts/quatre-vingt quatre-vingt-dix",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
    "pl": "dwadzieścia/dwudziestu trzydzieści/trzydziestu czterdzieści/czterdziestu pięćdziesiąt/pięćdziesięciu "
    "sześćdziesiąt/sześćdziesięciu siedemdziesiąt/siedemdziesięciu osiemdziesiąt/osiemdziesięciu "
    "dziewięćdziesiąt/dziewięćdziesięciu",
    "cs": "dvacet/dvaceti třicet/třiceti čtyřicet/čtyřiceti padesát/padesáti šedesát/šedesáti sedmdesát/sedmdesáti "
    "osmdesát/osmdesáti devadesát/devadesáti",
    "ro": "douăzeci treizeci patruzeci cincizeci șaizeci șaptezeci optzeci nouăzeci",
    "tr": "yirmi otuz kırk elli altmış yetmiş seksen doksan",
    "ru": "двадцать/двадцати/двадцять тридцать/тридцати/тридцять сорок/сорока пятьдесят/пятидесяти/п'ятдесят "
    "шестьдесят/шестидесяти/шістдесят семьдесят/семидесяти/сімдесят восемьдесят/восьмидесяти/вісімдесят "
    "девяносто/дев'яносто",
    "ar": "عشرون/عشرين/بیست ثلاثون/ثلاثين/سی أربعون/أربعين/چهل خمسون/خمسين/پنجاه ستون/ستين/شصت سبعون/سبعين/هفتاد "
    "ثمانون/ثمانين/هشتاد تسعون/تسعين/نود",
    "he": "עשרים שלושים ארבעים חמישים שישים שבעים שמונים תשעים",
    "el": "είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα",
}
# What multiplies the number before it, or is one: by the power of ten.
_MULTIPLIED: Mapping[str, Mapping[int, str]] = {
    "en": {2: "hundred", 3: "thousand", 6: "million millions", 9: "billion billions bn", 12: "trillion trillions"},
    "de": {2: "hundert", 3: "tausend", 6: "million millionen mio", 9: "milliarde milliarden mrd"},
    "fr": {2: "cent cents", 3: "mille", 6: "million millions", 9: "milliard milliards"},
    "es": {2: "cien ciento cientos", 3: "mil", 6: "millón millones"},
    "it": {2: "cento", 3: "mille mila", 6: "milione milioni", 9: "miliardo miliardi"},
    "pt": {2: "cem cento", 3: "mil", 6: "milhão milhões", 9: "bilhão bilhões"},
    "nl": {2: "honderd", 3: "duizend", 6: "miljoen", 9: "miljard"},
    "pl": {2: "sto", 3: "tysiąc tysiące tysięcy tys", 6: "milion miliony milionów mln", 9: "miliard miliardy mld"},
    "cs": {2: "sto stě sta set", 3: "tisíc tisíce", 6: "milion miliony milionů mil", 9: "miliarda miliardy mld"},
    "ro": {2: "sută sute", 3: "mie mii", 6: "milion milioane", 9: "miliard miliarde"},
    "tr": {2: "yüz", 3: "bin", 6: "milyon", 9: "milyar"},
    "vi": {1: "mươi", 2: "trăm", 3: "nghìn ngàn", 6: "triệu", 9: "tỷ tỉ"},
    "id": {1: "puluh", 2: "ratus", 3: "ribu", 6: "juta", 9: "miliar"},
    "ru": {
        2: "сто",
        3: "тысяча тысячи тысяч тыс тисяча тисячі тисяч тис",
        6: "миллион миллиона миллионов млн мільйон мільйона мільйони мільйонів",
        9: "миллиард миллиарда миллиардов млрд мільярд мільярди мільярдів",
    },
    "ar": {2: "مئة مائة صد", 3: "ألف آلاف ألفا هزار", 6: "مليون ملايين میلیون", 9: "مليار میلیارد"},
    "he": {2: "מאה מאות", 3: "אלף אלפים", 6: "מיליון", 9: "מיליארד"},
    "el": {2: "εκατό", 3: "χίλια χιλιάδες", 6: "εκατομμύριο εκατομμύρια", 9: "δισεκατομμύριο δισεκατομμύρια"},
    "hi": {2: "सौ", 3: "हज़ार हजार", 5: "लाख", 7: "करोड़"},
}
_HUNDREDS = {  # of one word
    "es": "doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas quinientos/quinientas "
    "seiscientos/seiscientas setecientos/setecientas ochocientos/ochocientas novecientos/novecientas",
    "pt": "duzentos/duzentas trezentos/trezentas quatrocentos/quatrocentas quinhentos/quinhentas "
    "seiscentos/seiscentas setecentos/setecentas oitocentos/oitocentas novecentos/novecentas",
    "pl": "dwieście trzysta czterysta pięćset sześćset siedemset osiemset dziewięćset",
    "ru": "двести/двісті триста четыреста/чотириста пятьсот/п'ятсот шестьсот/шістсот семьсот/сімсот "
    "восемьсот/вісімсот девятьсот/дев'ятсот",
    "el": "διακόσια/διακόσιοι τριακόσια/τριακόσιοι τετρακόσια πεντακόσια εξακόσια επτακόσια οκτακόσια εννιακόσια",
}
# From 1 on.
_ORDINALS = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth",
    "de": "erste/ersten/erster/erstes/erstem zweite/zweiten/zweiter/zweites/zweitem "
    "dritte/dritten/dritter/drittes/drittem vierte/vierten/vierter/viertes "
    "fünfte/fünften/fünfter/fünftes sechste/sechsten/sechster/sechstes",
    "fr": "premier/première/premiers/premières deuxième/deuxièmes troisième/troisièmes quatrième cinquième sixième "
    "septième huitième neuvième dixième",
    "es": "primer/primero/primera segundo/segunda tercer/tercero/tercera cuarto/cuarta quinto/quinta sexto/sexta "
    "séptimo/séptima octavo/octava noveno/novena décimo/décima",
    "nl": "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende",
    "pl": "pierwszy/pierwsza/pierwsze drugi/druga/drugie trzeci/trzecia/trzecie czwarty/czwarta piąty/piąta",
}
_FEW = 10
_JOINED_POWERS = (2, 3)
"""Hundreds and thousands are written in one word with the number before them."""


@cache
def number_words(code: str) -> Mapping[str, int]:
    """The words of the language that are a number below a thousand, in small letters."""
    words: dict[str, int] = {}
    for begin, step, table in ((0, 1, _COUNTED), (20, 10, _TENS), (200, 100, _HUNDREDS)):
        for place, forms in enumerate(table.get(code, "").split()):
            for form in forms.split("/"):
                words.setdefault(form.casefold(), begin + step * place)
    if code in _WRITTEN_TOGETHER:
        words |= _together(code, words)
    return words


@cache
def ordinal_words(code: str) -> Mapping[str, int]:
    """The words of the language for "first" to "tenth" or less, in small letters."""
    listed = enumerate(_ORDINALS.get(code, "").split(), 1)
    return {form: place for place, forms in listed for form in forms.split("/")}


@cache
def multipliers(code: str) -> Mapping[str, int]:
    """The words of the language that multiply a number, in small letters, with the power of ten."""
    return {word.casefold(): power for power, words in _MULTIPLIED.get(code, {}).items() for word in words.split()}


_WRITTEN_TOGETHER = {"de": "und", "nl": "en", "it": ""}
"""What stands between the one and the ten in a word. Italian has the ten before the one, without its last vowel."""


def _together(code: str, words: Mapping[str, int]) -> Mapping[str, int]:
    """Those from 21 to 99, and the hundreds and thousands of one word."""
    ones = [(word, one) for word, one in words.items() if 1 <= one < _FEW]
    tens = [(word, ten) for word, ten in words.items() if ten >= 2 * _FEW]
    between = _WRITTEN_TOGETHER[code]
    found = {}
    for ten_word, ten in tens:
        for word, one in ones:
            if code == "it":
                stem = ten_word[:-1] if word[0] in "uo" else ten_word
                found[stem + word] = ten + one
            else:
                found[word + ("ën" if between == "en" and word.endswith("e") else between) + ten_word] = ten + one
    for word, one in [*words.items(), *found.items()]:
        for times, power in multipliers(code).items():
            if power in _JOINED_POWERS and one > 1 and (power == max(_JOINED_POWERS) or one < _FEW):
                found.setdefault(word + times, one * 10**power)
    return found
