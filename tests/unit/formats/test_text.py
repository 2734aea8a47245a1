"""Text files in every encoding that people save, and what is refused as no text."""

from __future__ import annotations

import codecs
import gzip
import random
import unicodedata
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.table import STANDARD

GERMAN = "# Überschrift\n\nDer Fluß überquert die Straße, wo Käse verkauft wird. Größe und Übermut tun selten gut.\n"
RUSSIAN = "Это русский текст для проверки кодировки. Москва: столица России, большой и старый город.\n"
CHINESE = "这是一个中文文档，用于测试编码检测。北京是中国的首都，有很长的历史。\n"
JAPANESE = "これは日本語の文章です。東京は日本の首都です。とても大きい町です。\n"
TAIWANESE = "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。\n"
KOREAN = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.\n"
THAI = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ\n"
ARABIC = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.\n"
HEBREW = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.\n"
GREEK = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.\n"
TURKISH = "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler.\n"
POLISH = "Zażółć gęślą jaźń. Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.\n"
SPANISH = "Todos los seres humanos nacen libres e iguales en dignidad y derechos. El niño comió en la montaña.\n"
FRENCH = "L’été dernier, nous avons traversé la forêt jusqu’à la côte. Ça n’a pas été facile : le vent était fort.\n"
LITHUANIAN = (
    "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė ir jie turi elgtis "
    "vienas kito atžvilgiu kaip broliai. Įstatymas draudžia bet kokią diskriminaciją.\n"
)
LATVIAN = (
    "Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās. Viņi ir apveltīti ar saprātu un "
    "sirdsapziņu, un viņiem jāizturas citam pret citu brālības garā.\n"
)
ESTONIAN = (
    "Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt ja õigustelt. Neile on antud mõistus ja "
    "südametunnistus ja nende suhtumist üksteisesse peab kandma vendluse vaim. Žürii käis šahhiklubis.\n"
)
VIETNAMESE = (
    "Việt Nam là một quốc gia nằm ở phía đông bán đảo Đông Dương. Thủ đô là Hà Nội. Người dân sống chủ yếu bằng nghề "
    "trồng lúa nước, đánh bắt cá và buôn bán nhỏ. Mùa mưa kéo dài từ tháng năm đến tháng mười.\n"
)
VIETNAMESE_IN_TCVN3 = (
    b"Vi\xd6t Nam l\xb5 m\xe9t qu\xe8c gia n\xbbm \xeb ph\xdda \xae\xabng b\xb8n \xae\xb6o "
    b"\xa7\xabng D\xad\xacng. Th\xf1 \xae\xab l\xb5 H\xb5 N\xe9i. Ng\xad\xeai d\xa9n s\xe8ng c"
    b"h\xf1 y\xd5u b\xbbng ngh\xd2 tr\xe5ng l\xf3a n\xad\xedc, \xae\xb8nh b\xbet c\xb8 v\xb5 b"
    b"u\xabn b\xb8n nh\xe1. M\xefa m\xada k\xd0o d\xb5i t\xf5 th\xb8ng n\xa8m \xae\xd5n th\xb8"
    b"ng m\xad\xeai.\n"
)
"""By glibc: `iconv -t TCVN5712-1`."""

MOTTO = "Cộng hòa xã hội chủ nghĩa Việt Nam\nĐộc lập - Tự do - Hạnh phúc\n"
MOTTO_IN_TCVN3 = (
    b"C\xe9ng h\xdfa x\xb7 h\xe9i ch\xf1 ngh\xdca Vi\xd6t Nam\n\xa7\xe9c l\xcbp - T\xf9 do - H\xb9nh ph\xf3c\n"
)
TONES = "\u0300\u0301\u0303\u0309\u0323"


def windows_1258(text: str) -> bytes:
    """As Windows saves it: letters with their hooks, each followed by the mark of its tone."""
    encoded = b""
    for letter in text:
        marks = unicodedata.normalize("NFD", letter)
        base = unicodedata.normalize("NFC", "".join(mark for mark in marks if mark not in TONES))
        encoded += (base + "".join(mark for mark in marks if mark in TONES)).encode("cp1258")
    return encoded


def notes(data: bytes) -> tuple[str, ...]:
    return FormatExtractor().extract(data, "txt", ProcessingConfig()).notes


def markdown(data: bytes, format: str = "txt") -> str:
    return FormatExtractor().extract(data, format, ProcessingConfig()).markdown


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_utf8_comes_out_as_it_is(text: str) -> None:
    for format in ("txt", "md"):
        assert markdown(text.encode(), format) == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "latin-1"),
        ("It’s “quoted” – naïve café costs €5, and the façade was paid in full.\n" * 3, "cp1252"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "cp1251"),
        (CHINESE, "gb18030"),
        ("これは日本語の文章です。東京は日本の首都です。とても大きい町です。\n", "shift_jis"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-32"),
        (CHINESE, "utf-16"),
        (CHINESE, "utf-8-sig"),
        (GERMAN.replace("\n", "\r\n"), "utf-16"),
        (GERMAN.replace("\n", "\r\n"), "latin-1"),
        (GERMAN, "mac_roman"),
        (GERMAN, "cp437"),
        (GERMAN.upper(), "latin-1"),
        (FRENCH, "mac_roman"),
        (FRENCH, "cp1252"),
        (SPANISH, "mac_roman"),
        (SPANISH, "latin-1"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859_2"),
        (TURKISH, "cp1254"),
        (LITHUANIAN, "cp1257"),
        (LITHUANIAN, "iso8859_13"),
        (LATVIAN, "cp1257"),
        (LATVIAN, "cp775"),
        (ESTONIAN, "cp1257"),
        (ESTONIAN, "iso8859_15"),
        (GREEK, "iso8859_7"),
        (RUSSIAN, "iso8859_5"),
        (RUSSIAN, "cp866"),
        (RUSSIAN, "mac_cyrillic"),
        (HEBREW, "cp1255"),
        (ARABIC, "cp1256"),
        (ARABIC, "iso8859_6"),
        (THAI, "tis_620"),
        (KOREAN, "cp949"),
        (TAIWANESE, "big5"),
        (CHINESE, "gb18030"),
        (CHINESE, "utf-16-le"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
    ],
)
def test_other_encodings_are_recognised(text: str, encoding: str) -> None:
    assert markdown(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (VIETNAMESE, VIETNAMESE_IN_TCVN3),
        (MOTTO, MOTTO_IN_TCVN3),
        (VIETNAMESE, windows_1258(VIETNAMESE)),
        (MOTTO, windows_1258(MOTTO)),
    ],
    ids=["TCVN3", "short TCVN3", "Windows-1258", "short Windows-1258"],
)
def test_the_old_encodings_of_vietnamese_are_recognised(text: str, data: bytes) -> None:
    assert markdown(data) == text
    assert notes(data) == ()


def test_every_letter_of_tcvn3_is_read() -> None:
    """The upper-case letters of the full standard, too; the expected ones are glibc's."""
    upper = b" ".join(bytes([byte]) for byte in b"\x80\x83\x8a\x93\x9f\xaf\xc0\xda\xff")
    assert markdown(VIETNAMESE_IN_TCVN3 + upper) == VIETNAMESE + "À Á É Ỏ Ũ Ằ Ắ Ế Ố"


def test_an_encoding_that_is_not_certain_is_noted() -> None:
    assert notes(GERMAN.encode()) == notes(CHINESE.encode("gb18030")) == notes(FRENCH.encode("cp1252")) == ()
    assert notes(LITHUANIAN.encode("cp1257")) == notes(LATVIAN.encode("cp1257")) == ()
    assert "not certain: read as cp1252" in notes("Fluß".encode("latin-1"))[0]
    assert markdown("Fluß".encode("latin-1")) == "Fluß"
    assert "not certain" in notes(RUSSIAN.encode("mac_cyrillic"))[0]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("I codici postali sono più di quattromila. È già noto: la città non è così grande, ma c'è.\n", "cp1252"),
        (
            "Questo è il valore massimo che il campo accetta. Sempre inferiore a 200. È obbligatorio.",
            "cp1252",
        ),
        ("Die moet ‘n waarde hê: ‘n getal, ‘n woord of ‘n datum, en nie ‘n leë veld nie.\n", "cp1252"),
        ("Të gjithë njerëzit lindin të lirë e të barabartë në dinjitet dhe në të drejta.\n", "cp1252"),
        ("Asegúrese de que el año tenga cuatro dígitos. Álvaro está aquí; el número y la contraseña no.\n", "cp850"),
        ("Iš tikrųjų šis laukas turi būti užpildytas", "cp1257"),
        ("Ši vērtība ir par īsu", "cp1257"),
        ("Сохранить и добавить", "iso8859_5"),
        ("جميع الحقوق محفوظة", "iso8859_6"),
        ("すべての人間は自由です", "shift_jis"),
        ("所有的人生而自由", "gb18030"),
    ],
)
def test_a_short_text_is_right_or_its_note_says_that_it_may_be_wrong(text: str, encoding: str) -> None:
    extraction = FormatExtractor().extract(text.encode(encoding), "txt", ProcessingConfig())
    assert extraction.markdown == text or "not certain" in extraction.notes[0]


def test_the_bytes_that_tell_the_encoding_may_come_late() -> None:
    text = "plain words\n" * 20_000 + GERMAN
    assert markdown(text.encode("latin-1")) == text


def test_an_encoding_in_which_nothing_makes_sense_is_refused() -> None:
    """Words of which each letter was replaced by any byte beyond ASCII."""
    words = bytes(random.Random(3).choice(b" \n" + bytes(range(0xA0, 0x100)) * 3) for _ in range(3000))
    try:
        extraction = FormatExtractor().extract(words, "txt", ProcessingConfig())
    except PermanentError as error:
        assert error.code is ErrorCode.UNSUPPORTED_FORMAT
    else:
        assert "not certain" in extraction.notes[0]


@pytest.mark.parametrize("text", ["A text with one NUL\0 in it.\n", "ab\0", "x" * 1000 + "\0" * 5 + "ü"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_few_nul_characters_do_not_make_a_text_binary(text: str, encoding: str) -> None:
    assert markdown(text.encode(encoding)) == text.replace("\0", "\ufffd")
    assert "NUL" in notes(text.encode(encoding))[0]


def test_a_nul_in_an_older_encoding() -> None:
    assert markdown((JAPANESE * 3).encode("iso2022_jp") + b"\0") == JAPANESE * 3 + "\ufffd"
    assert markdown((GERMAN * 3).encode("latin-1") + b"\0") == GERMAN * 3 + "\ufffd"


def test_damaged_characters_are_noted() -> None:
    assert notes((CHINESE * 20).encode()[:-2]) == ("1 damaged character, shown as U+FFFD.",)


def test_a_terminal_s_log_keeps_its_escapes() -> None:
    log = "\x1b[32mok\x1b[0m 12 tests \x1b(B done\n"
    assert markdown(log.encode()) == log


def test_byte_order_marks_are_no_text() -> None:
    assert markdown(codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be")) == GERMAN


def test_a_truncated_utf8_file_loses_only_its_last_character() -> None:
    data = (CHINESE * 20).encode()[:-2]
    assert markdown(data) == (CHINESE * 20)[:-2] + "\ufffd"


def test_a_text_that_contradicts_its_byte_order_mark_is_corrupt() -> None:
    with pytest.raises(PermanentError, match="begins as UTF-16-LE, but byte 6") as caught:
        markdown(codecs.BOM_UTF16_LE + "abc".encode("utf-16-le") + b"\x00\xd8")
    assert caught.value.code is ErrorCode.CORRUPT_FILE


@pytest.mark.parametrize(
    "data",
    [
        random.Random(1).randbytes(5000),
        random.Random(2).randbytes(5000).replace(b"\0", b""),
        b"\x7fELF and other words\0\0\0" * 20,
        gzip.compress(GERMAN.encode() * 50, mtime=0)[3:],
        codecs.BOM_UTF16_LE + b"a\0\0\0" * 20,
    ],
    ids=["random", "random without NUL", "program", "packed", "NUL in UTF-16"],
)
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(PermanentError, match="binary data") as caught:
        markdown(data)
    assert caught.value.code is ErrorCode.UNSUPPORTED_FORMAT
    assert "Export the content as text, Markdown or PDF" in caught.value.reason


def test_an_empty_file_is_an_empty_text_in_every_text_format() -> None:
    assert {markdown(b"", format) for format in STANDARD - {"pdf"}} == {""}


def test_more_text_than_one_document_may_have() -> None:
    with pytest.raises(PermanentError, match="has 11 characters of text; at most 10 are read") as caught:
        FormatExtractor(ExtractionLimits(max_text_characters=10)).extract(b"eleven char", "txt", ProcessingConfig())
    assert caught.value.code is ErrorCode.FILE_TOO_LARGE


SOME_LINES = [
    (GERMAN, "cp1252"),
    (FRENCH, "cp1252"),
    (SPANISH, "mac_roman"),
    (POLISH, "cp1250"),
    (TURKISH, "cp1254"),
    (LITHUANIAN, "cp1257"),
    (RUSSIAN, "cp1251"),
    (RUSSIAN, "koi8-r"),
    (RUSSIAN, "cp866"),
    (GREEK, "iso8859_7"),
    (HEBREW, "cp1255"),
    (ARABIC, "cp1256"),
    (THAI, "tis_620"),
    (CHINESE, "gb18030"),
    (JAPANESE, "shift_jis"),
    (TAIWANESE, "big5"),
    (KOREAN, "cp949"),
]
SHARES, ENDS = (15, 50, 85), ("\n", "\r\n", "\r")


def _some_lines() -> Iterator[object]:
    """One share and end of each text, each of them with some. The others are left to prove."""
    for number, (text, encoding) in enumerate(SOME_LINES):
        for at, (share, end) in enumerate(product(SHARES, ENDS)):
            yield pytest.param(text, encoding, share, end, marks=() if number % 9 == at else pytest.mark.prove)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "encoding", "share", "end"), list(_some_lines()))
def test_lines_in_another_encoding_than_utf8_are_read_in_theirs(text: str, encoding: str, share: int, end: str) -> None:
    lines = [f"{number} {text.strip()}{end}".replace("\n\n", " ") for number in range(100)]
    data = b"".join(
        line.encode(encoding if number * 37 % 100 < share else "utf-8") for number, line in enumerate(lines)
    )
    assert markdown(data) == "".join(lines)
    assert f"{share} of 100 lines are not in UTF-8 like the rest: read as " in notes(data)[0]


def test_words_in_another_encoding_within_a_line() -> None:
    data = "Die Prüfung ist gut. ".encode() * 20 + "Größe und Tür".encode("cp1252")
    assert markdown(data) == "Die Prüfung ist gut. " * 20 + "Größe und Tür"
    assert notes(data) == (
        "1 of 1 line is not in UTF-8 like the rest: read as cp1252. If a word in it is wrong, save the file as UTF-8.",
    )


@pytest.mark.parametrize("text", [GERMAN, SPANISH, RUSSIAN, VIETNAMESE, CHINESE])
def test_what_is_left_of_damaged_characters_is_no_letter_of_another_encoding(text: str) -> None:
    data = bytearray((text * 30).encode())
    places = [place for place, byte in enumerate(data) if byte >= 0x80]
    for place in sorted(random.Random(4).sample(places, 20), reverse=True):
        del data[place]
    read = markdown(bytes(data))
    assert set(read) <= {*text, "\ufffd"}
    assert "shown as U+FFFD" in notes(bytes(data))[0]


def test_a_table_of_chinese_cells_that_are_utf8_by_chance() -> None:
    text = "编号,性别\n" + "".join(f"{number},{'女' if number % 2 else '男'}\n" for number in range(40))
    assert markdown(text.encode("gb18030")) == text


@pytest.mark.parametrize(("text", "encoding"), [(GERMAN, "cp1252"), (RUSSIAN, "cp1251"), (CHINESE, "gb18030")])
def test_a_byte_order_mark_of_utf8_before_lines_in_another_encoding(text: str, encoding: str) -> None:
    assert markdown(codecs.BOM_UTF8 + text.encode() * 9 + text.encode(encoding)) == text * 10
