"""Units of amounts: what each measures, and how large it is.

Units of one dimension are compared by their size: 90 minutes are 1.5 hours. A month and a year are kept apart from
days, and 1 GB is 1000 MB or 1024 MB, as people write both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """`sizes` are those that it may have, in the smallest unit of its dimension."""

    dimension: str
    sizes: tuple[Decimal, ...] = (Decimal(1),)


_TIME = {
    1: "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi seconden sekunda "
    "sekundy sekund secunde secundă saniye giây detik секунда секунды секунд секунду секунди секунди δευτερόλεπτα "
    "δευτερόλεπτο ثانية ثوان ثواني ثانیه שניות שנייה सेकंड 秒 秒钟 秒間 초",
    60: "min mins minute minutes minuten minuto minutos minuti minuut minuten minuta minuty minut minuut minute "
    "dakika phút menit минута минуты минут минуту хвилина хвилини хвилин хвилину λεπτά λεπτό دقيقة دقائق دقیقه דקות "
    "דקה मिनट 分 分钟 分鐘 分間 분",
    3600: "h hr hrs hour hours stunde stunden heure heures hora horas ora ore uur uren godzina godziny godzin godzinę "
    "hodina hodiny hodin hodinu oră saat giờ jam час часа часов година години годин годину ώρα ώρες ساعة ساعات ساعت "
    "שעה שעות घंटा घंटे 小时 小時 時間 시간",
    86400: "day days tag tage tagen tages jour jours día días giorno giorni dia dias dag dagen dzień dni dnia den dny "
    "dní dne zi zile gün ngày hari день дня дней дні днів ημέρα ημέρες μέρα μέρες يوم يوما أيام روز יום ימים दिन 天 "
    "日間 일간",
    604800: "week weeks woche wochen semaine semaines semana semanas settimana settimane weken tydzień tygodnie "
    "tygodni týden týdny týdnů săptămână săptămâni hafta tuần неделя недели недель неделю тиждень тижні тижнів "
    "εβδομάδα εβδομάδες أسبوع أسابيع هفته שבוע שבועות सप्ताह 周 週間 주",
}
_MONTHS = {
    1: "month months monat monate monaten monats mois mes meses mese mesi mês maand maanden miesiąc miesiące miesięcy "
    "měsíc měsíce měsíců lună luni ay bulan tháng месяц месяца месяцев місяць місяці місяців μήνας μήνες شهر أشهر "
    "شهرا ماه חודש חודשים महीना महीने 个月 個月 か月 ヶ月 カ月 개월",
    12: "year years jahr jahre jahren jahres an ans année années año años anno anni ano anos jaar jaren rok lata lat "
    "roku rok roky let an ani yıl năm tahun год года лет рік роки років χρόνια έτη χρόνος سنة سنوات عام عاما سال "
    "שנה שנים साल वर्ष 年間 년간",
}
_BYTES = {
    0: "byte bytes octet octets bajt bajtów bajtů байт байтов байтів байта",
    1: "kb kilobyte kilobytes kib кб килобайт кілобайт",
    2: "mb megabyte megabytes mib мб мегабайт mégaoctets",
    3: "gb gigabyte gigabytes gib гб гигабайт гігабайт gigaoctets",
    4: "tb terabyte terabytes tib тб терабайт téraoctets",
}
_LENGTH = {
    "0.001": "mm millimetre millimetres millimeter millimeters milímetros millimètres миллиметров миллиметра мм",
    "0.01": "cm centimetre centimetres centimeter centimeters zentimeter centímetros centimètres centimetri "
    "сантиметров сантиметра см 厘米",
    "1": "m metre metres meter meters metern mètre mètres metro metros metri metrów метр метра метров метрів mét metre "
    "米 メートル 미터",
    "1000": "km kilometre kilometres kilometer kilometers kilometern kilomètres kilomètre kilómetros kilómetro "
    "quilómetros quilômetros chilometri kilometrów kilometrů километров километра км кілометрів 公里 "
    "キロメートル 킬로미터",
    "1609.344": "mile miles",
    "0.3048": "ft foot feet",
    "0.0254": "inch inches",
}
_WEIGHT = {
    "0.001": "mg milligram milligrams",
    "1": "g gram grams gramm grammes gramos grammi gramas грамм граммов",
    "1000": "kg kilo kilos kilogram kilograms kilogramm kilogrammes kilogramos килограмм килограммов кг 公斤 千克",
    "1000000": "tonne tonnes tonnen toneladas tonnellate ton tons ton тонн тонны",
}
_ALONE = {  # no other unit measures the same
    "percent": "% ٪ percent prozent pct pour-cent procent procento procenta procent процент процента процентов "
    "відсоток відсотка відсотків відсотки yüzde persen phần-trăm بالمئة بالمائة درصد אחוז אחוזים प्रतिशत 퍼센트 "
    "パーセント por-ciento per-cent per-cento por-cento τοις-εκατό",
    "EUR": "€ eur euro euros евро євро ευρώ يورو یورو 欧元 ユーロ 유로",
    "USD": "$ us$ usd dollar dollars dollaro dollari dólar dólares dolar dolarów dolarů dolari доллар доллара долларов "
    "доларів đô-la δολάρια دولار 美元 ドル 달러",
    "GBP": "£ gbp pound-sterling",
    "JPY": "yen 円 日元 jpy엔",
    "CNY": "cny rmb 元 人民币",
    "INR": "₹ inr rupee rupees रुपये",
    "RUB": "₽ rub руб рубль рубля рублей",
    "UAH": "₴ uah грн гривень гривня гривні",
    "PLN": "zł pln złoty złotych złote",
    "CZK": "kč czk korun koruna koruny",
    "CHF": "chf franken",
    "IDR": "rp idr rupiah",
    "VND": "₫ vnd đồng",
    "KRW": "₩ krw 원",
    "TRY": "₺ lira tl",
    "area ha": "ha hectare hectares hektar hektare hectárea hectáreas ettari hectare гектар гектаров",
    "litre": "l litre litres liter liters litro litros litri litrów литр литра литров",
    "bar": "bar bars",
    "volt": "volt volts",
    "watt": "watt watts",
    "kilowatt": "kw kilowatt kilowatts",
    "hertz": "hz hertz",
    "millisecond": "ms millisecond milliseconds millisekunden millisecondes milisegundos миллисекунд",
    "degree C": "°c celsius",
    "degree F": "°f fahrenheit",
}
_EXACT = {"Go": 3, "Mo": 2, "Ko": 1, "ko": 1, "To": 4}
"""French units of bytes. In small letters they are words of other languages."""
_BEFORE = "€ $ £ ¥ ₹ ₽ ₴ ₩ ₺ ₫ eur usd gbp chf rp us$ inr czk pln jpy cny"
LONGEST_UNIT = 3
"""Words."""
CURRENCY_BEFORE = frozenset(_BEFORE.split())


def unit_of(word: str) -> MeasureUnit | None:
    return _of_bytes(_EXACT[word]) if word in _EXACT else _units().get(word.casefold().rstrip("."))


def unit_after(tokens: Sequence[re.Match[str]], after: int, end: int) -> tuple[MeasureUnit | None, int, int]:
    """The unit after a number that ends at `end`, the place after it, and where it ends."""
    if after < len(tokens) and tokens[after][0] in {"-", "‑"}:
        after += 1
    for count in range(LONGEST_UNIT, 0, -1):
        words = tokens[after : after + count]
        if len(words) == count and (unit := unit_of(" ".join(word[0] for word in words))) is not None:
            is_square = words[-1].string[words[-1].end() : words[-1].end() + 1].isdigit()  # km2, m²
            if is_square or (len(words[0][0]) == 1 and words[0][0].isalpha() and words[0].start() > end + 1):
                continue
            return unit, after + count, words[-1].end()
    return None, after, end


@cache
def _units() -> Mapping[str, MeasureUnit]:
    return dict(_listed())


def _listed() -> Iterator[tuple[str, MeasureUnit]]:
    for table, dimension in ((_TIME, "time"), (_MONTHS, "months"), (_LENGTH, "length"), (_WEIGHT, "weight")):
        for size, words in table.items():
            for word in words.split():
                yield word, MeasureUnit(dimension, (Decimal(size),))
    for power, words in _BYTES.items():
        for word in words.split():
            yield word, _of_bytes(power)
    for dimension, words in _ALONE.items():
        for word in words.split():
            yield word.replace("-", " "), MeasureUnit(dimension)


def _of_bytes(power: int) -> MeasureUnit:
    return MeasureUnit("bytes", (Decimal(1000) ** power, Decimal(1024) ** power) if power else (Decimal(1),))
