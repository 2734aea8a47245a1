"""What every chat model promises (ports/chat_model.py)."""

from __future__ import annotations

from ragbase.ports import Billed, ChatModel, CutOff

INSTRUCTIONS = "Repeat the message word for word."
MESSAGE = "The keeper counts the ships."


class ChatModelContract:
    """Inherit from it, and give it a fixture `chat_model`, a model that does what INSTRUCTIONS say and writes a token
    for each word."""

    def test_it_does_what_the_instructions_say(self, chat_model: ChatModel) -> None:
        *pieces, billed = chat_model.write(INSTRUCTIONS, MESSAGE, most_tokens=100)
        assert "".join(str(piece) for piece in pieces).strip() == MESSAGE
        assert isinstance(billed, Billed)

    def test_what_it_costs_comes_last(self, chat_model: ChatModel) -> None:
        *_, billed = chat_model.write(INSTRUCTIONS, MESSAGE, most_tokens=100)
        assert isinstance(billed, Billed)
        assert billed.input_tokens > 0 and billed.output_tokens > 0

    def test_a_text_that_is_cut_off_says_so(self, chat_model: ChatModel) -> None:
        *pieces, cut_off, _ = chat_model.write(INSTRUCTIONS, MESSAGE, most_tokens=2)
        assert isinstance(cut_off, CutOff) and cut_off.reason
        assert MESSAGE.startswith("".join(str(piece) for piece in pieces).strip())

    def test_half_of_a_surrogate_pair_does_no_harm(self, chat_model: ChatModel) -> None:
        pieces = [*chat_model.write(INSTRUCTIONS, "The keeper \ud83d counts.", most_tokens=100)]
        "".join(piece for piece in pieces if isinstance(piece, str)).encode()

    def test_a_model_has_a_name(self, chat_model: ChatModel) -> None:
        assert chat_model.model
