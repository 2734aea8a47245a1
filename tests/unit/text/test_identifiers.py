"""Identifiers: what is a term as a whole, what are its parts, and which spellings are one."""

from __future__ import annotations

import pytest

from ragbase.text.terms import parts_of, terms_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("web-17.example.com", ["web-17.example.com", "web-17", "web", "17", "exampl", "com"]),
        ("сервер-17", ["сервер-17", "сервер", "17"]),
        ("Größe-2", ["grösse-2", "grösse", "2"]),
        ("हिन्दी-17", ["हिन्दी-17", "हिन्द", "17"]),
        ("AB-1234/5", ["ab-1234/5", "ab-1234", "ab", "1234", "5"]),
        ("X200-1.5", ["x200-1.5", "x200", "1.5"]),
        ("INV/2024/0031", ["inv/2024/0031", "inv", "2024", "0031"]),
        ("ORA-00942", ["ora-00942", "ora", "00942"]),
        ("0x80070005", ["0x80070005"]),
        ("CVE-2024-12345", ["cve-2024-12345", "cve", "2024", "12345"]),
        ("2.0.0-rc1", ["2.0.0-rc1", "2.0", "rc1"]),
        ("1.2.3+build", ["1.2.3+build", "1.2.3", "build"]),
        ("2027-03-01", ["2027-03-01", "2027-03", "2027", "03", "01"]),
        ("01.03.2027", ["01.03.2027", "01", "03", "2027"]),
        ("3/1/2027", ["3/1/2027", "3", "1", "2027"]),
        ("10:30", ["10:30", "10", "30"]),
        ("10.0.0.0/24", ["10.0.0.0/24", "10.0.0.0", "24"]),
        ("2001:db8::ff00:42", ["2001:db8::ff00:42", "2001", "db8", "ff00", "42"]),
        ("§ 12a", ["§12a", "12a"]),
        ("§\u00a04.2", ["§4.2", "4.2"]),
        ("№ 5", ["№5", "5"]),
        ("4.2.1", ["4.2.1"]),
        ("src/main.rs", ["src/main.rs", "src", "main.rs", "main", "rs"]),
        ("/etc/ssh/sshd_config", ["etc/ssh/sshd_config", "etc", "ssh", "sshd_config", "sshd", "config"]),
        ("C:\\Temp\\x.dll", ["c:/temp/x.dll", "c", "temp", "x.dll", "x", "dll"]),
        ("report.final.pdf", ["report.final.pdf", "report", "final", "pdf"]),
        ("lib.so.6", ["lib.so.6", "lib", "6"]),
        ("ana@example.com", ["ana@example.com", "ana", "example.com", "exampl", "com"]),
        ("https://db-3.net:80/x/", ["https", "db-3.net:80/x", "db-3.net", "db-3", "db", "3", "net", "80", "x"]),
        ("2FA, 3D and the 19th", ["2fa", "3d", "19th"]),
    ],
)
def test_an_identifier_is_a_term_as_a_whole_and_in_its_parts(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("red and/or blue", ["red", "blue"]),
        ("km/h", ["km", "h"]),
        ("well-known", ["well", "known"]),
        ("std::vec::Vec", ["std", "vec", "vec"]),
        ("e.g. U.S. fig.1", ["e", "g", "u", "fig", "1"]),
        ("the bridge.Boats", ["bridg", "boat"]),
        ("\\frac\\alpha_1", ["frac", "alpha_1", "alpha", "1"]),
        ("key:value", ["key", "valu"]),
        ("Note: see", ["note", "see"]),
        ("§ and №", []),
    ],
)
def test_what_others_write_apart_is_only_parts(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2.0", "2.0.0"),
        ("2.0", "v2.0"),
        ("2.0", "V2.0.0"),
        ("2.0", "２．０"),
        ("web-17", "WEB‑17"),  # with a hyphen that breaks no line
        ("web-17", "ｗｅｂ－１７"),
        ("web-17", "(web-17):"),
        ("web-17", "web\u00ad-17"),
        ("§12a", "§ 12a"),
        ("12-3", "١٢-٣"),
        ("12-3", "१२-३"),
        ("C:\\x\\y.z", "c:/x/y.z"),
    ],
)
def test_spellings_of_one_identifier_give_the_same_terms(one: str, other: str) -> None:
    assert terms_of(one) == terms_of(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2.0", "2.0.1"),
        ("2.0", "12.0"),
        ("2.0.0", "2.0.0.0"),
        ("10.0.0.0", "10.0"),
        ("4.2", "4.2.1"),
        ("§ 12", "§ 12a"),
        ("web-17", "web-16"),
        ("E0382", "E0383"),
    ],
)
def test_neighbours_have_another_whole(one: str, other: str) -> None:
    assert terms_of(one)[0] not in terms_of(other)


def test_the_parts_of_identifiers_are_known() -> None:
    asked = "Who owns web-17 and HashMap or CO2, since 2027-03-01, with E0382 on 10.0.0.1 by § 12a?"
    assert parts_of(asked) == {
        "web-17": ("web", "17"),
        "hashmap": ("hash", "map"),
        "2027-03-01": ("2027-03", "2027", "03", "01"),
        "2027-03": ("2027", "03"),
        "e0382": (),
        "10.0.0.1": (),
        "§12a": ("12a",),
    }


def test_a_whole_comes_before_the_wholes_in_it() -> None:
    assert list(parts_of("ana@web-17.example.com")) == ["ana@web-17.example.com", "web-17.example.com", "web-17"]


@pytest.mark.parametrize("sign", ["-", ".", "/", ":", "@", "\\", "+", "1.", "1-", "§", "a@b.", "é-", "a://", "::1"])
def test_a_text_without_blanks_gives_no_more_than_it_has(sign: str) -> None:
    """Encoded data is no identifier."""
    text = sign * 5_000
    assert sum(map(len, terms_of(text, "none"))) <= len(text)
