"""The tokenizer of multilingual-e5-small, made from the vocabulary of a package: SentencePiece's unigrams.

A text is normalised as SentencePiece does for this model: NFKC, with rules of its own for marks and blanks. A blank
becomes ▁, and the pieces are those of the highest probability. The ids are those of the published model.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.adapters.e5.weights import PackedModel

_BEGIN, _END, _UNKNOWN = "<s>", "</s>", "<unk>"
_REMOVED = "[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]"
_BLANK = "[\t\n\u000c\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"
_WIDE_TILDE, _STAND_IN = "\uff5e", "\ufdd0"
"""NFKC changes the wide tilde, which the model knows. A point that is never a character stands for it meanwhile."""


def tokenizer(packed: PackedModel) -> bytes:
    """The file that the library `tokenizers` reads. It is written without that library: the same bytes with each
    version."""
    ids = {piece: number for number, piece in enumerate(packed.pieces)}
    marks = {mark: {"id": mark, "ids": [ids[mark]], "tokens": [mark]} for mark in (_BEGIN, _END)}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    begin, end = ({"SpecialToken": {"id": mark, "type_id": 0}} for mark in (_BEGIN, _END))
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": {
                "type": "Sequence",
                "normalizers": [
                    _replace({"Regex": _REMOVED}, ""),
                    _replace({"Regex": _BLANK}, " "),
                    _replace({"String": _WIDE_TILDE}, _STAND_IN),
                    {"type": "NFKC"},
                    _replace({"String": _STAND_IN}, _WIDE_TILDE),
                    _replace({"Regex": " {2,}"}, " "),
                ],
            },
            "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [begin, text, end],
                "pair": [begin, text, end],
                "special_tokens": marks,
            },
            "decoder": None,
            "model": {
                "type": "Unigram",
                "unk_id": ids[_UNKNOWN],
                "vocab": list(zip(packed.pieces, packed.scores, strict=True)),
                "byte_fallback": False,
            },
        },
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()


def _replace(pattern: dict[str, str], content: str) -> dict[str, object]:
    return {"type": "Replace", "pattern": pattern, "content": content}
