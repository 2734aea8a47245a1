"""Korean writes particles and polite endings at the end of a word: 누구를 is 누구, 얼마예요 is 얼마."""

from __future__ import annotations

_WORDS = """
은 는 이 가 을 를 의 에 에서 에게 에는 에서는 한테 께 으로 로 와 과 랑 이랑 하고 도 만 부터 까지 보다 처럼 나
이나 요 이요 예요 이에요 에요 이예요 인가요 인가 인지 입니까 입니다 죠 이죠 이고 이며 이야 야 은요 는요 까지요 부터요
이었나요 였나요 이었습니까 였습니까 나요 습니까 습니다 어요 아요 세요 까요 니까
"""
PARTICLES = sorted(set(_WORDS.split()), key=lambda particle: (-len(particle), particle))
"""The longest first."""


def without_particle(word: str) -> str:
    """The word without its particle; a word that is nothing else stays."""
    return next((word.removesuffix(one) for one in PARTICLES if word.endswith(one) and word != one), word)


_CASES = ("은", "는", "이", "가", "을", "를")


def has_case(word: str) -> bool:
    """Whether it is a noun that something is said of."""
    return len(word) > 1 and word.endswith(_CASES)
