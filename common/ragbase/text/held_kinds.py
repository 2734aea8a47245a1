"""What kinds of things a text names: dates, amounts, names. It rather sees one too many, as what is said to be missing
has to be."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from enum import StrEnum
from functools import cache


class Kind(StrEnum):
    """What a question can ask for, finer than AnswerType: a duration is no price."""

    DATE = "date"
    MONEY = "money"
    DURATION = "duration"
    NUMBER = "number"
    NAME = "name"
    PLACE = "place"
    YES_OR_NO = "yes"
    OTHER = "other"


_NUMBER_WORDS = """
many several few viele mehrere beaucoup plusieurs muchos muchas varios varias molti molte muitos muitas veel många
mange wiele mnoho много многие *кратн* багато mulți multe çok birçok πολλοί πολλές πολλά nhiều banyak sok monta molts
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty forty
fifty sixty seventy eighty ninety hundred* thousand* million* billion* dozen* half twice once third* quarter* single
double both pair several none null ein eine einen einer eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
zwanzig* dreißig* hundert* tausend* milliarde* einmal zweimal halb* drittel* viertel* dutzend* zéro un une deux trois
quatre cinq sept huit neuf dix onze douze vingt* trente cent* mille moitié tiers quart* cero uno una dos tres cuatro
cinco seis siete ocho nueve diez once doce veint* treinta cuarenta cincuenta ciento* cientos mil millón millones mitad
tercio* cuarto* doble ambos ambas due tre quattro cinque sei sette otto nove dieci undici dodici venti* trenta mila
milion* metà um uma dois duas três quatro sete oito nove dez doze vinte trinta milhão milhões metade een twee drie
vier vijf zes zeven acht negen tien twaalf honderd* duizend* miljoen* helft två fyra fem sex sju åtta nio tio tolv
hundra* tusen* miljon* hälften tre to fire seks syv syv otte åtte ni ti tolv en et ett én halv* jeden jedna jedno dwa
dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć sto tysi* milion* połow* dva dvě tři čtyři pět šest sedm
osm devět deset sto tisíc* polovin* один одна одно одн* два две двух двум двумя три трёх трех четыре четырёх четырех
двумя тремя четырьмя пятью шестью семью восемью девятью десятью пять пяти шесть шести семь семи восемь восьми девять
девяти десять десяти двадцать двадцати тридцать сорок пятьдесят сто сотн* двест* тысяч* миллион* миллиард* половин*
треть* четверт* дважды трижды однажды многократно оба обе одна дві чотири п'ять шість сім вісім дев'ять десять сто
тисяч* мільйон* половин* unu doi două trei patru cinci șase șapte opt nouă zece sută sute mie mii milioane jumătate
bir iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli yüz bin milyon* milyar* yarı* çift ένα ένας μία δύο
τρεις τρία τέσσερις τέσσερα πέντε έξι επτά οκτώ εννέα δέκα είκοσι εκατό χίλι* εκατομμύρι* μισ* một hai ba bốn năm sáu
bảy tám chín mười trăm nghìn ngàn triệu tỷ nửa đôi satu dua tiga empat lima enam tujuh delapan sembilan sepuluh belas
puluh ratus* ribu* juta* setengah seratus seribu egy két kettő három négy öt hat hét nyolc kilenc tíz száz* ezer*
millió* fél* yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen sata* tuhat* miljoona* puolet
dos quatre cinc sis set vuit nou deu vint* trenta cent* milió milions meitat واحد واحدة اثنان اثنين اثنتان ثلاث* أربع*
خمس* ست* سبع* ثمان* تسع* عشر* مئة مائة ألف آلاف مليون ملايين مليار نصف ثلث ربع אחד אחת שני שתי שניים שתיים שלוש* ארבע*
חמש* שש* שבע* שמונה תשע* עשר* מאה מאות אלף אלפים מיליון מיליוני חצי एक दो तीन चार पाँच पांच छह सात आठ नौ दस बीस तीस सौ
हजार हज़ार लाख करोड़ मिलियन आधा आधे दोनों یک دو سه چهار پنج شش هفت هشت نه ده بیست سی صد هزار میلیون میلیارد نیم
"""
_TIME_WORDS = """
januar* februar* march april may june july august septemb* octob* novemb* decemb* monday* tuesday* wednesday*
thursday* friday* saturday* sunday* century centuries decade* year* month* week* day* daily weekly monthly yearly
annual* nightly hour* minute* second* noon midnight morning* evening* night* afternoon* spring summer autumn winter
today tomorrow yesterday immediately always never every during before after until while ago often märz mai juni juli
oktober dezember montag* dienstag* mittwoch* donnerstag* freitag* samstag* sonntag* jahrhundert* jahr* monat* woche*
tag* täglich* wöchentlich* monatlich* jährlich* stunde* minute* sekunde* mittag* mitternacht morgen* abend* nacht*
nächtlich* frühling sommer herbst heute gestern sofort immer jede* während vor nach bis janvier février mars avril mai
juin juillet août septembre octobre novembre décembre lundi* mardi* mercredi* jeudi* vendredi* samedi* dimanche*
siècle* année* ans an mois semaine* jour* heure* midi minuit matin* soir* nuit* printemps été automne hiver
aujourd'hui chaque pendant avant après jusqu* enero febrero marzo abril mayo junio julio agosto septiembre setiembre
octubre noviembre diciembre lunes martes miércoles jueves viernes sábado* domingo* siglo* década* año* mes meses
semana* día* diari* hora* minuto* mediodía medianoche mañana* tarde* noche* primavera verano otoño invierno hoy ayer
cada durante antes después hasta cuando gennaio febbraio aprile maggio giugno luglio settembre ottobre novembre
dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica secolo anno anni mese mesi settiman* giorn* or*
mattin* sera notte prima dopo ogni durante janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
segunda* terça* quarta* quinta* sexta* século* ano anos mês semana* dia* manhã noite antes depois durante cada januari
februari maart mei juli augustus oktober maandag* dinsdag* woensdag* donderdag* vrijdag* zaterdag* zondag* eeuw* jaar
jaren maand* week weken dag* uur* ochtend* avond* nacht* elke voor na tot måndag* tisdag* onsdag* torsdag* fredag*
lördag* söndag* mandag* tirsdag* torsdag* lørdag* søndag* århundrade* århundre* år* månad* måned* veck* uge* uke* dag*
timm* time* morgon* morgen* kväll* aften* natt* nat* efter före före før etter varje hver* under styczni* lut* marz*
marca kwie* maj* czerw* lip* sierp* wrześ* październik* listopad* grud* poniedział* wtor* środ* czwart* piąt* sobot*
niedziel* wiek* rok* lat* miesi* tydzień tygod* dzień dni* godzin* rano wieczor* noc* po przed każd* led* únor* břez*
dub* květ* červ* srp* září říj* listop* prosin* ponděl* úter* střed* čtvrt* pát* sobot* neděl* století let měsíc*
týdn* den dnes* hodin* ráno večer* noc* před январ* феврал* март* апрел* ма* июн* июл* август* сентябр* октябр* ноябр*
декабр* понедельник* вторник* сред* четверг* пятниц* суббот* воскресень* век* столети* десятилети* год* лет* месяц*
недел* день дня* дней час* минут* секунд* полдень полноч* утр* вечер* ноч* весн* осен* зим* сегодня вчера после перед
до во время каждый каждую пока когда січ* лют* берез* квіт* трав* черв* лип* серп* верес* жовт* листопад* груд*
століття рік рок* місяц* тижн* день дня днів годин* ранок вечор* ніч* після перед кожн* ianuarie februarie martie
aprilie iunie iulie septembrie octombrie noiembrie decembrie luni marți miercuri joi vineri sâmbătă duminică secol* an
ani luna zi zile or* dimineaț* seara noapte* după înainte fiecare ocak şubat mart nisan mayıs haziran temmuz ağustos
eylül ekim kasım aralık pazartesi salı çarşamba perşembe cuma cumartesi pazar yüzyıl* yıl* ay* hafta* gün* saat*
sabah* akşam* gece* sonra önce her ιανουαρ* φεβρουαρ* μαρτ* απριλ* μαΐ* μάι* ιούν* ιουν* ιούλ* ιουλ* αυγούστ* αυγουστ*
σεπτ* οκτ* νοε* δεκ* δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή αιών* αιώνα έτος έτη χρόνι* μήν* εβδομάδ*
μέρα ημέρα ημέρες ώρα ώρες πρωί βράδυ νύχτα μετά πριν κάθε năm tháng ngày tuần giờ phút giây thứ chủ sáng trưa chiều
tối đêm kỷ sau trước khi mỗi hàng tahun bulan hari minggu jam menit pagi siang malam abad setelah sebelum setiap
ketika január* február* március* április* május* június* július* augusztus* szeptember* október* novem* decem* hétfő*
kedd* szerda* csütörtök* péntek* szombat* vasárnap* század* év* hónap* hét* nap* óra* reggel* este* éjszak* után előtt
minden tammiku* helmiku* maalisku* huhtiku* toukoku* kesäku* heinäku* elokuu* syysku* lokaku* marrasku* jouluku*
vuosi* vuode* vuon* kuukau* viik* päiv* tunti* aamu* ilta* yö* jälkeen ennen joka gener febrer març abril maig juny
juliol agost setembre octubre novembre desembre segle* any* mes* setman* dia dies hora hores matí nit després abans
cada يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر عام سنة قرن القرن شهر أسبوع يوم ساعة
صباح* مساء ليل* بعد قبل كل خلال عندما السنة العام ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר
דצמבר שנה שנת שנים מאה חודש שבוע יום שעה בוקר ערב לילה אחרי לפני כל בשנת जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त
सितंबर सितम्बर अक्टूबर नवंबर दिसंबर वर्ष साल महीने सप्ताह दिन घंटे सुबह शाम रात बाद पहले हर सदी शताब्दी ژانویه فوریه
مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر سال قرن ماه هفته روز ساعت صبح شب پس قبل هر
"""
_MONEY_WORDS = """
nothing nichts rien nada niente niets ingenting intet nic ничего нічого nimic hiçbir τίποτα dollar* euro* eur usd gbp
chf jpy cny rub pound* cent* yen yuan rupee* franc* peso* free charge* cost* price* fee* pay* paid worth kostenlos*
gratis preis* kost* gebühr* pfund franken coût* coût* prix gratuit* livre* frais tarif* precio* coste* costo* gratuit*
dólar* libra* prezz* grat* preço* custo* grátis prijs* kosten pris* koster kostar kron* cena* koszt* złot* zł kč
korun* цен* стои* рубл* доллар* евро бесплатн* плат* ціна* кошту* гривн* preț* cost* lei gratuit* fiyat* ücret* lira*
tl bedava τιμ* κόστ* ευρώ δολάρ* δωρεάν giá phí đô đồng tiền miễn harga* biaya* rupiah gratis ár* forint* ingyen*
hinta* maksu* maksaa ilmai* preu* سعر* ثمن* تكلف* دولار* يورو جنيه* مجان* מחיר* עלות* דולר* שקל* חינם कीमत* लागत*
रुपये डॉलर मुफ़्त قیمت* هزینه* تومان دلار ریال رایگان
"""
_UNSPACED = {
    Kind.NUMBER: """
        零 一 二 两 兩 三 四 五 六 七 八 九 十 百 千 万 萬 亿 億 半 หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ ร้อย พัน หมื่น แสน
        ล้าน ครึ่ง 하나 한 둘 두 세 네 다섯 여섯 일곱 여덟 아홉 열 백 천 만 억 절반
    """,
    Kind.DATE: """
        年 月 日 时 時 周 週 世纪 世紀 春 夏 秋 冬 以前 以后 之后 毎 每 ปี เดือน วัน ศตวรรษ สัปดาห์ โมง นาฬิกา หลัง ก่อน ทุก
        년 월 일 세기 주 시 후 전 매
    """,
    Kind.MONEY: """
        元 圆 圓 円 ￥ 美元 美金 欧元 价 價 费 費 料金 無料 免费 บาท ดอลลาร์ ยูโร ราคา ค่า ฟรี 원 달러 유로 무료 가격 비용
    """,
}
"""What is found inside of a run of characters."""
_FIGURES = r"\d(?:[\w.,:/'-]*\w)?"
_SIGNS = {
    Kind.NUMBER: rf"{_FIGURES}|[½⅓¼¾⅔%]|\b[IVXLC]{(2,)}\b",
    Kind.DATE: rf"{_FIGURES}|\b[IVX]{(2,)}\b",
    Kind.MONEY: r"\d[\d.,\s]*(?:[$€£¥₽₫₹₺₩₪฿]|kr\b|zł|usd|eur)|[$€£¥₽₫₹₺₩₪฿]",
}
_SPACED = {Kind.NUMBER: _NUMBER_WORDS, Kind.DATE: _TIME_WORDS, Kind.MONEY: _MONEY_WORDS}

_NO_CAPITALS = re.compile(
    "[\u0590-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u10a0-\u10ff\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]"
)
"""Letters of scripts that do not show a name."""
_CAPITALISED = re.compile(r"(?<![\w'’])[^\W\d_][\w'’-]*")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;…»”\"|\n]\s*)[\"“„«¿¡(*_\s-]*\Z")
_EVERY_NOUN = "german"
"""It writes every noun with a capital, so that a capital shows no name."""


@cache
def _finds(kind: Kind) -> re.Pattern[str]:
    words = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in dict.fromkeys(_SPACED[kind].split()))
    unspaced = "|".join(_UNSPACED[kind].split())
    return re.compile(rf"{_SIGNS[kind]}|{unspaced}|(?<![\w'’])(?:{words})(?!\w)", re.IGNORECASE)


def holds(text: str, kind: Kind, asked: Collection[str] = (), language: str | None = None) -> bool | None:
    """Whether the text names something of this kind, beside the words that the question has itself (`asked`, in small
    letters). None if that cannot be told: the script has no capitals, or the kind is none that a text shows."""
    text = unicodedata.normalize("NFC", text)
    if kind in (Kind.NAME, Kind.PLACE):
        return _holds_name(text, asked, language)
    if kind is Kind.DURATION:
        return holds(text, Kind.NUMBER, asked) and holds(text, Kind.DATE, asked)
    if kind not in _SPACED:
        return None
    return any(found[0].casefold().strip() not in asked for found in _finds(kind).finditer(text))


def _holds_name(text: str, asked: Collection[str], language: str | None) -> bool | None:
    if language == _EVERY_NOUN or _NO_CAPITALS.search(text):
        return None
    for found in _CAPITALISED.finditer(text):
        word = found[0]
        if not word[0].isupper() or word.casefold() in asked:
            continue
        if not _SENTENCE_START.search(text, max(found.start() - 8, 0), found.start()) or word[1:2].isupper():
            return True
    return False
