"""Text to terms: what the text index and the queries have in common."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.errors import ConfigurationError
from ragbase.text.terms import AUTO, function_terms, parts_of, terms_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("connection", "Connections"),
        ("connected", "CONNECTING"),
        ("Straße", "STRASSE"),
        ("caf\u00e9", "cafe\u0301"),  # composed and decomposed
        ("Tiếng Việt", unicodedata.normalize("NFD", "tiếng việt")),
        ("file", "\ufb01le"),  # the ligature
        ("API", "ＡＰＩ"),  # full width
        ("Rust", "Rust’s"),
        ("Rust", "rust's"),
        ("1.39.0", "v1.39.0"),
        ("1.39.0", "1.39.0."),
        ("__init__", "init"),
        ("boundary layer", "boundary-layer"),
        ("Donaudampfschiff", "Donau\u00addampf\u00adschiff"),
        ("Donaudampfschiff", "Donau\u200bdampf\u2060schiff\ufeff"),
        ("Auflage", "Auf\u200clage"),
        ("abstract", "\u202eab\u200dst\u200fract\u202c"),
        ("HashMap", "Hash\u00adMap"),
        ("1.39.0", "1.\u200b39.\u200b0"),
        ("กรุงเทพ", "กรุง\u200bเทพ"),  # Thai
        ("機械学習", "機\U000e0100械\u2060学習"),
        ("ᠮᠣᠩᠭᠣᠯ", "ᠮᠣᠩ\u180bᠭᠣ\u180eᠯ"),  # Mongolian
        ("क्षमा", "क्\u200dषमा"),  # Hindi
        ("ശ്രീ", "ശ്\u200dരീ"),  # Malayalam
        ("അവൻ", "അവന്\u200d"),
        ("উৎসব", "উত্\u200dসব"),  # Bengali
        ("ශ්රී", "ශ්\u200dරී"),  # Sinhala
        ("ខ្មែរ", "ខ្មែ\u200cរ"),  # Khmer
        ("H2O", "H₂O"),
        ("H2O", "H~2~O"),
        ("H2O", "H<sub>2</sub>O"),
        ("C6H12O6", "C~6~H~12~O~6~"),
        ("CO2 emission", "CO<SUB>2</SUB>-emission"),
        ("log10", "log<sub>10</sub>"),
        ("m2", "m²"),
        ("m2", "m<sup>2</sup>"),
        ("m2", "m^2^"),
        ("m2", "m^2"),
        ("5th", "5<sup>th</sup>"),
        ("5th", "5^th^"),
        ("Ca2+", "Ca²⁺"),
        ("Ca2+", "Ca^2+^"),
    ],
)
def test_spellings_of_one_word_give_the_same_terms(one: str, other: str) -> None:
    assert terms_of(one) == terms_of(other) != []


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("scrape_interval", ["scrape_interval", "scrape", "interval"]),
        ("HashMap", ["hashmap", "hash", "map"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("SHA256", ["sha256"]),
        ("error E0382!", ["error", "e0382"]),
        ("C++ and C# or C", ["c++", "c#", "c"]),
        ("listen on 127.0.0.1:9090", ["listen", "127.0.0.1", "9090"]),
        ("std::vec::Vec", ["std", "vec", "vec"]),
        ("pi is 3.14", ["pi", "3.14"]),
    ],
)
def test_identifiers_and_numbers_are_kept_whole(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("hash map", "HashMap"),
        ("scrape interval", "scrape_interval"),
        ("学習", "機械学習モデル"),
        ("학습", "기계학습을"),
        ("ภาษา", "ภาษาไทย"),
        ("हिन्दी", "हिन्दी में।"),
    ],
)
def test_a_part_is_found_in_the_whole(part: str, whole: str) -> None:
    assert set(terms_of(part)) <= set(terms_of(whole))


@pytest.mark.parametrize(
    "asked",
    ["می\u200cخواهم", "میخواهم", "می خواهم"],
)
def test_a_persian_word_is_found_however_its_parts_are_joined(asked: str) -> None:
    assert set(terms_of(asked)) <= set(terms_of("نمی دانم که می\u200cخواهم بروم"))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("10^6 of them", ["10", "6"]),
        ("2^n^ of them", ["2", "n"]),
        ("the table^2 of it", ["tabl", "2"]),
        ("the note<sup>3</sup>", ["note", "sup", "3", "sup"]),
        ("~~gone~~ and x~~no~~y", ["gone", "x", "y"]),
        ("from 5~10 to 7~12 days", ["5", "10", "7", "12", "day"]),
    ],
)
def test_signs_that_only_look_like_markup_of_small_letters_stay(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


KINDS = {
    "digits": ("1987", ["1987"]),
    "latin": ("api", ["api"]),
    "marked": ("café", ["café"]),
    "cyrillic": ("мост", ["мост"]),
    "devanagari": ("क्षमा", ["क्षमा"]),
    "chinese": ("桥梁", ["桥梁"]),
    "thai": ("สะ", ["สะ"]),
    "japanese": ("タイ", ["タイ"]),
    "korean": ("다리", ["다리"]),
    "version": ("1.39.5", ["1.39.5"]),
    "sharp": ("C#", ["c#"]),
}
UNSPACED = ("chinese", "thai", "japanese", "korean")


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", UNSPACED)
def test_a_script_without_blanks_begins_a_word_of_its_own(first: str, second: str) -> None:
    if first not in UNSPACED:
        (one, terms), (other, others) = KINDS[first], KINDS[second]
        assert terms_of(one + other, "none") == terms + others


@pytest.mark.parametrize("first", UNSPACED)
@pytest.mark.parametrize("second", KINDS)
def test_a_script_without_blanks_ends_where_another_begins(first: str, second: str) -> None:
    if second not in UNSPACED:
        (one, terms), (other, others) = KINDS[first], KINDS[second]
        assert terms_of(one + other, "none") == terms + others


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("web-17", ["web-17", "web", "17"]),
        ("(OPS-1423)", ["ops-1423", "op", "1423"]),
        ("due 2027-03-01.", ["due", "2027-03-01", "2027-03", "2027", "03", "01"]),
        ("ISO-8859-1", ["iso-8859-1", "iso", "8859", "1"]),
        ("第web-17号", ["第", "web-17", "web", "17", "号"]),
        ("a 19-year-old", ["19", "year", "old"]),
        ("x-ray -5 5- 3--4", ["x", "ray", "5", "5", "3", "4"]),
    ],
)
def test_an_identifier_is_a_term_as_a_whole_and_in_its_parts(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


def test_the_parts_of_identifiers_are_known() -> None:
    assert parts_of("Who owns web-17 and HashMap or CO2?") == {"web-17": ("web", "17"), "hashmap": ("hash", "map")}


def test_stop_words_are_dropped_and_others_repeated() -> None:
    assert terms_of("What is the rule, and why isn't it THE rule?") == ["rule", "rule"]


def test_the_language_decides_about_stems_and_stop_words() -> None:
    assert terms_of("die Häuser", "german") == terms_of("die Hauses", "german")
    assert terms_of("running the runs", "none") == ["running", "the", "runs"]


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"'klingon', which is not known.*english.*'none'"):
        terms_of("nuqneH", "klingon")


@given(st.text())
def test_terms_survive_being_joined_by_blanks(text: str) -> None:
    terms = terms_of(text)
    assert " ".join(terms).split() == terms


@given(st.text(), st.text())
def test_a_text_has_the_terms_of_its_parts(one: str, other: str) -> None:
    assert terms_of(f"{one}\n{other}") == terms_of(one) + terms_of(other)


def test_threads_share_the_analysis() -> None:
    texts = [" ".join(f"walking{chr(97 + i)}{chr(97 + j)}ings" for j in range(26)) for i in range(26)] * 8
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(terms_of, texts)) == [terms_of(text) for text in texts]


@pytest.mark.slow
def test_more_words_than_are_cached_change_nothing() -> None:
    first = "remembered forgotten"
    before = terms_of(first)
    numbers = " ".join(str(number) for number in range(70_000))
    assert terms_of(numbers) == numbers.split()
    assert terms_of(first) == before


@given(st.text(st.sampled_from("aB9_.'’‘“”–—…+#- \n/:ü")))
def test_the_quick_way_for_plain_text_gives_the_same_terms(text: str) -> None:
    """A Greek word keeps a text from being plain, and has one term of its own."""
    assert terms_of(f"{text} λ") == [*terms_of(text), "λ"]


@pytest.mark.parametrize(
    ("text", "language", "some", "others"),
    [
        ("Ai là người đã xây cầu này?", "english", {"ai", "là", "gì"}, {"xây", "cầu"}),
        ("Wer hat die Brücke gebaut?", "german", {"wer", "die"}, {"bruck", "gebaut"}),
        ("Ai là người đã xây cầu này?", AUTO, {"ai", "là"}, {"cầu"}),
    ],
)
def test_function_words_of_the_texts_own_language_are_known(
    text: str, language: str, some: set[str], others: set[str]
) -> None:
    found = function_terms(text, language)
    assert some <= found
    assert not others & found


@pytest.mark.parametrize("text", ["Who built the bridge over the river?", "橋 Brücke мост", ""])
def test_stop_words_and_words_of_unknown_languages_have_no_terms(text: str) -> None:
    assert function_terms(text, "english") == frozenset()
