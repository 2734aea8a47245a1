"""Stand-ins for services with a chat API like OpenAI's: each answers as its source or a report of its users says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.unit.adapters.chat_service import JSON, STREAM, Answering, Reply

WORDS = ("The keeper", " counts the", " ships. [2]")
TEXT = "".join(WORDS)
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
Request = Mapping[str, Any]


def chunk(delta: Any, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """An event of a stream (https://platform.openai.com/docs/api-reference/chat-streaming)."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "model", "choices": [choice], **more}


def event(data: Any) -> bytes:
    return f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def deltas(words: Sequence[str] = WORDS) -> list[bytes]:
    return [event(chunk({"role": "assistant", "content": ""})), *(event(chunk({"content": word})) for word in words)]


def stream(*pieces: bytes, finish: str | None = "stop", usage: Any = USAGE, done: bool = True) -> list[bytes]:
    """Events with these pieces, and OpenAI's end."""
    end = [event(chunk({}, finish))]
    end += [event({"choices": [], "usage": usage})] if usage else []
    return [*(pieces or deltas()), *end, *([event("[DONE]")] if done else [])]


def always(reply: Reply) -> Answering:
    return lambda _: reply


def whole(message: Any, finish: str | None = "stop", **more: Any) -> Reply:
    """One JSON object, and no stream."""
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    return Reply([json.dumps({**body, "usage": USAGE, **more}).encode()], headers=JSON)


def said(message: str, status: int = 400, **fields: Any) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None, **fields}
    return Reply([json.dumps({"error": error}).encode()], status, JSON)


def refusing(field: str, reply: Reply, instead: Callable[[Request], Any] = lambda _: True) -> Answering:
    """Refuses a request that has the field, and wants `instead` to hold."""

    def answer(request: Request) -> Reply:
        if field in request or not instead(request):
            return reply
        return Reply(stream())

    return answer


def without_system(request: Request) -> Reply:
    if any(message["role"] == "system" for message in request["messages"]):
        return said("System role not supported")
    return Reply(stream())


def without_stream(request: Request) -> Reply:
    if request.get("stream"):
        return said("Unsupported value: 'stream' does not support true with this model.", param="stream")
    return whole({"role": "assistant", "content": TEXT})


def _bytes_apart(pieces: Sequence[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield from (piece[at : at + 7] for at in range(0, len(piece), 7))


def _lines(*lines: str, end: str = "\n") -> list[bytes]:
    return [end.join((*lines, "")).encode()]


_SAID = [json.dumps(chunk({"content": word})) for word in WORDS]
_STOP = json.dumps(chunk({}, "stop", usage=USAGE))

WORKING: Mapping[str, tuple[str, Answering]] = {
    "OpenAI": ("https://platform.openai.com/docs/api-reference/chat-streaming", always(Reply(stream()))),
    "OpenAI, a model that thinks": (
        "https://github.com/teilomillet/gollm/issues/33",
        refusing(
            "max_tokens",
            said(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
                "instead.",
                param="max_tokens",
                code="unsupported_parameter",
            ),
            lambda request: "max_completion_tokens" in request,
        ),
    ),
    "OpenAI, no temperature": (
        "",
        refusing(
            "temperature",
            said(
                "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is "
                "supported.",
                param="temperature",
                code="unsupported_value",
            ),
        ),
    ),
    "OpenAI, an organization that may not stream": (
        "",
        without_stream,
    ),
    "vLLM, unknown fields": (
        "https://github.com/gpustack/gpustack/issues/429",
        refusing(
            "stream_options",
            Reply(
                [
                    json.dumps(
                        {
                            "detail": [
                                {"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs"}
                            ]
                        }
                    ).encode()
                ],
                422,
                JSON,
            ),
        ),
    ),
    "Mistral, content in parts": (
        "https://docs.mistral.ai/capabilities/reasoning/",
        always(
            Reply(
                stream(
                    event(chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]})),
                    *(event(chunk({"content": [{"type": "text", "text": word}]})) for word in WORDS),
                )
            )
        ),
    ),
    "vLLM with Gemma, no system role": ("https://github.com/huggingface/chat-ui/issues/1386", without_system),
    "vLLM, its thoughts apart": (
        "https://docs.vllm.ai/en/latest/features/reasoning_outputs.html",
        always(Reply(stream(event(chunk({"reasoning_content": "The ships? Passage 2."})), *deltas()))),
    ),
    "Ollama, its thoughts in the text": (
        "https://github.com/deepseek-ai/DeepSeek-R1/issues/23",
        always(
            Reply(
                stream(
                    *(
                        event(chunk({"content": word}))
                        for word in ("<thi", "nk>\nThe bread? [1]", "\n</th", "ink>\n\n")
                    ),
                    *deltas(),
                )
            )
        ),
    ),
    "OpenRouter, comments": (
        "https://openrouter.ai/docs/api-reference/streaming",
        always(Reply([b": OPENROUTER PROCESSING\n\n", *stream(), b": bye\n\n"])),
    ),
    "Groq, its usage": (
        "",
        always(Reply([*deltas(), event(chunk({}, "stop", x_groq={"usage": USAGE})), event("[DONE]")])),
    ),
    "SGLang, content null": (
        "https://github.com/sgl-project/sglang/issues/3912",
        always(Reply(stream(event(chunk({"role": "assistant", "content": None})), *deltas()))),
    ),
    "a server that ignores the stream": (
        "",
        always(whole({"role": "assistant", "content": TEXT})),
    ),
    "a server that ignores the stream, an object over lines": (
        "",
        always(
            Reply(
                [
                    json.dumps(
                        {"choices": [{"message": {"content": TEXT}}], "usage": USAGE}, indent=2, ensure_ascii=False
                    ).encode()
                ],
                headers=STREAM,
            )
        ),
    ),
    "a proxy, no blank after the colon": (
        "https://github.com/openai/openai-python/issues/498",
        always(Reply(_lines(*(f"data:{one}\n" for one in (*_SAID, _STOP)), "data:[DONE]\n"))),
    ),
    "a proxy, no empty lines": (
        "",
        always(Reply(_lines(*(f"data: {one}" for one in (*_SAID, _STOP)), "data: [DONE]"))),
    ),
    "a proxy, CR LF": (
        "",
        always(Reply(_lines(*(f"data: {one}\r\n" for one in (*_SAID, _STOP)), "data: [DONE]\r\n", end="\r\n"))),
    ),
    "a proxy, named events": (
        "",
        always(Reply(_lines(*(f"event: message\nid: 1\ndata: {one}\n" for one in (*_SAID, _STOP)), "data: [DONE]\n"))),
    ),
    "a proxy, a byte order mark": ("", always(Reply([b"\xef\xbb\xbf", *stream()]))),
    "a proxy, pieces of seven bytes": ("", lambda _: Reply(_bytes_apart(stream()))),
    "a server without [DONE]": ("https://github.com/oobabooga/textgen/issues/4778", always(Reply(stream(done=False)))),
    "a server whose finish_reason is empty": (
        "https://github.com/ollama/ollama/issues/4357",
        always(Reply([*(event(chunk({"content": word}, "")) for word in WORDS), *stream(event(chunk({})), finish="")])),
    ),
    "a server without a finish_reason": (
        "https://github.com/alfredapp/openai-workflow/pull/52",
        always(Reply(stream(finish=None))),
    ),
    "a server that says eos": (
        "https://huggingface.co/docs/text-generation-inference/messages_api",
        always(Reply(stream(finish="eos_token"))),
    ),
    "Azure, the filter's results first": (
        "",
        always(Reply([event({"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}), *stream()])),
    ),
    "a server without usage": ("", always(Reply(stream(usage=None)))),
    "a server whose usage is null": (
        "",
        always(Reply([event({**chunk({"content": TEXT}), "usage": None}), event("[DONE]")])),
    ),
    "a gateway that calls a tool, too": (
        "",
        always(
            Reply(
                stream(
                    event(chunk({"tool_calls": [{"index": 0, "function": {"name": "delete_all", "arguments": "{}"}}]})),
                    *deltas(),
                    finish="tool_calls",
                )
            )
        ),
    ),
}
"""A report or a description of it, if there is a public one, and what it does. Each of them says TEXT."""


def completing(writes: Callable[[str, str], str]) -> Answering:
    """Streams what a function makes of the instructions and the message."""

    def answer(request: Request) -> Reply:
        system, user = (message["content"] for message in request["messages"])
        return Reply(
            stream(*(event(chunk({"content": word})) for word in writes(system, user).splitlines(keepends=True)))
        )

    return answer
