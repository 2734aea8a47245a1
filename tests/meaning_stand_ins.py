"""Sentences as a model may say them, and with one planted change: made of those of XQuAD, in English, Spanish, Russian
and Vietnamese.

What is rewritten still holds: parts around a comma change places, a part in brackets is left out, a date or a number is
written otherwise, words give way to others of the same meaning. What is
planted does not: another number, month, name, a negation, a modal word, a direction. It is planted in a sentence that
was rewritten first where that is possible, so that no comparison letter by letter finds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ragbase.chunking.sentences import sentence_spans

StandIn = tuple[str, str, str | None, str]
"""The passage, the sentence, what was planted (None if it holds), and how it was rewritten."""

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
SYNONYMS = {
    "en": "began=started, many=numerous, however=but, use=employ, large=big, also=too, help=aid, show=demonstrate, "
    "important=significant, usually=typically, near=close to, called=named, city=town, war=conflict, about=around",
    "es": "comenzó=empezó, grande=amplio, además=también, importante=relevante, usar=utilizar, mostrar=enseñar, "
    "cerca=próximo, llamado=denominado, durante=a lo largo de, luego=después, sin embargo=no obstante",
    "ru": "также=тоже, начал=стал, большой=крупный, однако=но, важный=значимый, около=примерно, называется=именуется, "
    "использовать=применять, город=населённый пункт, часто=нередко",
    "vi": "bắt đầu=khởi đầu, lớn=to, quan trọng=trọng yếu, tuy nhiên=nhưng, sử dụng=dùng, gần=khoảng, "
    "thành phố=đô thị, giúp=hỗ trợ, thường=hay",
}
COUNTED = {
    "en": "three four five six seven eight nine ten",
    "es": "tres cuatro cinco seis siete ocho nueve diez",
    "ru": "три четыре пять шесть семь восемь девять десять",
    "vi": "ba bốn năm sáu bảy tám chín mười",
}
NEGATED = {  # a word, and what stands in its place
    "en": r"\b(is|are|was|were|has been|had been|can|could|will|would)\b(?! not)=\1 not",
    "es": r"(?<!no )\b(es|son|fue|fueron|era|eran|está|están|puede|pueden|tiene|tienen)\b=no \1",
    "ru": r"(?<!не )\b(был|была|было|были|является|являются|может|могут|имеет|имеют)\b=не \1",
    "vi": r"(?<!không )\b(được|là|có)\b=không \1",
}
FIRMER = {
    "en": r"\b(can|may|could|might)\b(?! not)=must",
    "es": r"(?<!no )\b(puede|pueden|podría|podrían)\b=debe",
    "ru": r"(?<!не )\b(может|могут|можно)\b=должен",
    "vi": r"\b(có thể)\b=phải",
}
TURNED = {
    "en": "before=after, after=before, more than=less than, increased=decreased, above=below, "
    "first=last, largest=smallest",
    "es": "antes=después, después=antes, más de=menos de, aumentó=disminuyó, primera=última, "
    "primer=último, mayor=menor",
    "ru": "после=до, больше=меньше, более=менее, выше=ниже, первый=последний, увеличился=уменьшился",
    "vi": "trước=sau, sau=trước, tăng=giảm, nhiều hơn=ít hơn, đầu tiên=cuối cùng, lớn nhất=nhỏ nhất",
}
_LEAST_WORDS = 8
_NUMERAL = re.compile(r"(?<![\w.,/:-])\d{1,3}(?:,\d{3})*(?![\w.,/:-]|\s?\d)")
_NAME = re.compile(r"(?<=[^\W\d_]\s)[A-ZÁÉÍÓÚА-Я][a-záéíóúñа-яё]{3,}(?=[\s,.])")


def on_xquad(file: Path, language: str) -> Iterator[StandIn]:
    paragraphs = [
        paragraph["context"]
        for article in json.loads(file.read_text(encoding="utf-8"))["data"]
        for paragraph in article["paragraphs"]
    ]
    foreign = [_NAME.findall(paragraph) for paragraph in paragraphs]
    for place, passage in enumerate(paragraphs):
        other = foreign[(place + len(paragraphs) // 2) % len(paragraphs)]
        for start, end in sentence_spans(passage):
            sentence = passage[start:end]
            if len(sentence.split()) >= _LEAST_WORDS:
                yield from _of(passage, sentence, language, other)


def questions_of_xquad(file: Path) -> Iterator[StandIn]:
    """Each question with its answer behind it. Its words are those of a person who read the passage; some names are
    misspelt, and some words are of the reader's own knowledge."""
    for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                question = asked["question"].strip("¿? ")
                yield paragraph["context"], f"{question} {asked['answers'][0]['text']}.", None, "question and answer"


def _of(passage: str, sentence: str, language: str, names: Sequence[str]) -> Iterator[StandIn]:
    yield passage, sentence, None, "as it is"
    rewritten = {
        way: other for way, rewrite in REWRITINGS.items() if (other := rewrite(sentence, language)) != sentence
    }
    for way, other in rewritten.items():
        yield passage, other, None, way
    said = rewritten.get("another order") or rewritten.get("other words") or sentence
    for kind, change in CHANGES.items():
        if (changed := change(said, language)) != said:
            yield passage, changed, kind, "planted"
    if (changed := _with_other_name(said, [name for name in names if name not in passage])) != said:
        yield passage, changed, "name", "planted"


def _in_another_order(sentence: str, language: str) -> str:
    """The part before the first comma behind the rest."""
    first, comma, rest = sentence.rstrip(".").partition(", ")
    is_long = min(len(first.split()), len(rest.split())) > 2
    return f"{rest[:1].upper()}{rest[1:]}, {first[:1].lower()}{first[1:]}." if comma and is_long else sentence


def _without_brackets(sentence: str, language: str) -> str:
    return re.sub(r"\s*\([^()]*\)", "", sentence)


def _first_part(sentence: str, language: str) -> str:
    """What stands before the last comma."""
    first, comma, _ = sentence.rpartition(", ")
    return f"{first}." if comma and len(first.split()) >= _LEAST_WORDS else sentence


def _in_other_words(sentence: str, language: str) -> str:
    return _replaced(sentence, SYNONYMS[language])


def _with_other_numerals(sentence: str, language: str) -> str:
    words = COUNTED[language].split()

    def otherwise(match: re.Match[str]) -> str:
        digits = match[0].replace(",", "")
        if match[0] != digits:
            return digits
        return words[int(digits) - 3] if 3 <= int(digits) < 3 + len(words) else match[0]

    sentence = _NUMERAL.sub(otherwise, sentence)
    percent = {"en": " percent", "es": " por ciento", "ru": " процентов", "vi": " phần trăm"}[language]
    return re.sub(r"(?<=\d)\s?%", percent, sentence)


def _with_other_dates(sentence: str, language: str) -> str:
    """A month by its number."""
    if language not in MONTHS:
        return re.sub(r"ngày (\d\d?) tháng (\d\d?) năm (\d{4})", r"\1/\2/\3", sentence)
    for number, month in enumerate(MONTHS[language].split(), 1):
        day_first = r"(\d\d?) (?:de )?" + month + r" (?:de )?(\d{4})"
        in_numbers = partial(_in_numbers, number)
        sentence = re.sub(day_first, in_numbers, sentence)
        month_first = month + r" (\d\d?), (\d{4})"
        sentence = re.sub(month_first, in_numbers, sentence)
    return sentence


def _in_numbers(month: int, match: re.Match[str]) -> str:
    return f"{match[2]}-{month:02}-{int(match[1]):02}"


def _with_another_number(sentence: str, language: str) -> str:
    return re.sub(
        r"(?<![\w.,/:-])(\d{1,4})(?![\w.,/:-]|\s?\d)", lambda match: str(int(match[1]) + 7), sentence, count=1
    )


def _with_another_month(sentence: str, language: str) -> str:
    if language not in MONTHS:
        return re.sub(r"tháng (\d\d?)", lambda match: f"tháng {int(match[1]) % 12 + 1}", sentence, count=1)
    months = MONTHS[language].split()
    pattern = rf"(?<=\d )(?:de )?({'|'.join(months)})\b|\b({'|'.join(months)})(?= \d)"
    return re.sub(
        pattern,
        lambda match: match[0].replace(
            match[1] or match[2], months[(months.index(match[1] or match[2]) + 1) % len(months)]
        ),
        sentence,
        count=1,
    )


def _with_other_name(sentence: str, names: Sequence[str]) -> str:
    return _NAME.sub(names[0], sentence, count=1) if names else sentence


def _negated(sentence: str, language: str) -> str:
    pattern, _, by = NEGATED[language].rpartition("=")
    return re.sub(pattern, by, sentence, count=1)


def _firmer(sentence: str, language: str) -> str:
    pattern, _, by = FIRMER[language].rpartition("=")
    return re.sub(pattern, by, sentence, count=1)


def _turned(sentence: str, language: str) -> str:
    return _replaced(sentence, TURNED[language], count=1)


def _replaced(sentence: str, table: str, count: int = 0) -> str:
    pairs = dict(pair.split("=") for pair in table.split(", "))
    pattern = rf"\b({'|'.join(sorted(pairs, key=len, reverse=True))})\b"
    return re.sub(pattern, lambda match: pairs[match[0]], sentence, count=count)


Change = Callable[[str, str], str]
REWRITINGS: dict[str, Change] = {
    "another order": _in_another_order,
    "without brackets": _without_brackets,
    "first part": _first_part,
    "other words": _in_other_words,
    "other numerals": _with_other_numerals,
    "other dates": _with_other_dates,
}
CHANGES: dict[str, Change] = {
    "number": _with_another_number,
    "date": _with_another_month,
    "negation": _negated,
    "modality": _firmer,
    "direction": _turned,
}
