"""What is no message of JSON-RPC gets its error, and the next one its answer (JSON-RPC 2.0, section 5.1)."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any, cast

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.interfaces.api.body_limits import body_limit
from ragbase.interfaces.http.body_limit import Line
from ragbase.interfaces.knowledge.knowledge import Knowledge
from ragbase.interfaces.mcp.http import answer_http
from ragbase.interfaces.mcp.server import mcp_server
from ragbase.interfaces.mcp.stdio import MOST, serve
from tests.unit.interfaces.mcp.hostile_knowledge import HostileKnowledge, page_of

PING = b'{"jsonrpc": "2.0", "id": 99, "method": "ping"}'
INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    }
).encode()
WRONG = [
    (b"{", None, -32700),
    (b"nonsense", None, -32700),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": NaN}}', None, -32700),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', None, -32700),
    (b"[" * 100_000, None, -32700),
    (b'{"id": ' + b"9" * 5_000 + b"}", None, -32700),
    (b"[]", None, -32600),
    (b"[" + PING + b"," + PING + b"]", None, -32600),
    (b"7", None, -32600),
    (b"null", None, -32600),
    (b"{}", None, -32600),
    (b'{"id": 7, "method": "ping"}', 7, -32600),
    (b'{"jsonrpc": "1.0", "id": "a", "method": "ping"}', "a", -32600),
    (b'{"jsonrpc": "2.0", "id": 7}', 7, -32600),
    (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, -32600),
    (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, -32600),
    (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}', None, -32600),
    (b'{"jsonrpc": "2.0", "id": 7, "method": 7}', 7, -32600),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1]}', 7, -32600),
]


def stdio(*lines: bytes) -> list[dict[str, Any]]:
    """What the server writes until its input ends."""
    sink = BytesIO()
    source = BytesIO(b"".join(line + b"\n" for line in lines))
    anyio.run(serve, mcp_server(cast("Knowledge", HostileKnowledge())), source, sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def test_a_line_that_is_no_message_gets_its_error_and_the_server_goes_on() -> None:
    answers = stdio(INITIALIZE, *(line for line, _, _ in WRONG), b"", b"  ", PING)
    (first,) = [answer["result"] for answer in answers if answer["id"] == 0]
    assert first["serverInfo"]["name"] == "ragbase"
    errors = [answer for answer in answers if "error" in answer]
    assert [(one["id"], one["error"]["code"]) for one in errors] == [(id, code) for _, id, code in WRONG]
    assert [answer["result"] for answer in answers if answer["id"] == 99] == [{}]


@pytest.mark.parametrize("length", [MOST, MOST + 1, 2 * MOST + 2, 5 * MOST])
def test_a_line_that_is_too_long_is_refused_and_the_server_goes_on(length: int) -> None:
    long = PING[:-1] + b" " * (length - len(PING)) + b"}"
    answers = stdio(INITIALIZE, long, PING)
    refused = [one for one in answers if "error" in one]
    assert [(one["id"], one["error"]["code"]) for one in refused] == [(None, -32600)] * (length >= MOST)
    assert len([one for one in answers if one["id"] == 99]) == 1 + (length < MOST)


def test_what_was_asked_before_the_input_ended_is_answered() -> None:
    search = (
        b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"searchKnowledge","arguments":{"query":"x"}}}'
    )
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}'
    answers = stdio(INITIALIZE, *(search % id for id in range(1, 30)), cancelled)
    assert {0, *range(1, 30)} - {one["id"] for one in answers} <= {3}


def test_a_message_is_one_line_for_every_reader() -> None:
    """Some take these letters for the end of one, and JSON may have them as they are."""
    text = "pump\u2028valve\u2029mast\x85rudder"
    knowledge, sink = HostileKnowledge(), BytesIO()
    knowledge.page = page_of("a.md", text)
    read = {"name": "get_document", "arguments": {"id": "a"}}
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": read}).encode()
    anyio.run(serve, mcp_server(cast("Knowledge", knowledge)), BytesIO(INITIALIZE + b"\n" + call + b"\n"), sink)
    answers = {one["id"]: one for one in map(json.loads, sink.getvalue().decode().splitlines())}
    assert answers[1]["result"]["structuredContent"]["text"] == text


def test_a_last_line_without_an_end_is_answered() -> None:
    sink = BytesIO()
    anyio.run(serve, mcp_server(cast("Knowledge", HostileKnowledge())), BytesIO(INITIALIZE + b"\n{"), sink)
    answers = [json.loads(line) for line in sink.getvalue().splitlines()]  # in any order: each has its own task
    assert [one["error"]["code"] for one in answers if "error" in one] == [-32700]


@pytest.mark.parametrize(("body", "id", "code"), WRONG)
def test_a_body_that_is_no_message_gets_its_error(body: bytes, id: object, code: int) -> None:
    server = mcp_server(cast("Knowledge", HostileKnowledge()))
    answer = answer_http(server, "/mcp", [("Accept", "application/json"), ("Content-Type", "application/json")], body)
    said = json.loads(answer.body)
    assert (answer.status, said["id"], said["error"]["code"]) == (400, id, code)


def call_of(tool: object, **arguments: object) -> bytes:
    params = {"name": tool, **({"arguments": arguments} if arguments else {})}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (call_of("answer"), Line.WRITERS),
        (call_of("searchKnowledge"), Line.ANSWERS),
        (call_of("searchKnowledge", query="x", history=[]), Line.ANSWERS),
        (call_of("searchKnowledge", query="x", history=[{}]), Line.WRITERS),  # a model may complete the question
        (call_of(["answer"]), Line.ANSWERS),
        (PING, Line.ANSWERS),
        (b"{", Line.ANSWERS),
        (b"[" + call_of("answer") + b"]", Line.ANSWERS),  # refused unread
        # The last of two names counts, as in what the SDK gets.
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"searchKnowledge","name":"answer"}}',
            Line.WRITERS,
        ),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\u0061nswer"}}', Line.WRITERS),
    ],
)
def test_a_call_waits_in_the_line_of_its_tool(body: bytes, line: Line) -> None:
    limit = body_limit("POST", "/mcp")
    assert limit.line_of is not None and limit.line_of(body) is line


@pytest.mark.parametrize("holder", ["session", None])
@pytest.mark.parametrize(
    ("asked", "line"),
    [({"query": 'What is a "history"?'}, Line.ANSWERS), ({"query": "x", "history": [{}]}, Line.WRITERS)],
)
def test_a_query_that_a_model_may_complete_waits_where_answers_do(
    asked: object, line: Line, holder: str | None
) -> None:
    limit = body_limit("POST", "/api/query").of(holder)
    assert limit.line_of is not None and limit.line_of(json.dumps(asked).encode()) is line


def test_a_busy_server_says_so_as_the_protocol_wants() -> None:
    limit = body_limit("POST", "/mcp")
    assert limit.busy is not None
    said = json.loads(limit.busy("Later."))
    assert said == {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Later."}}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(("jsonrpc", "id", "method", "params", "name")), inner, max_size=4)
        ),
        max_leaves=8,
    )
)
def test_any_json_has_a_line(value: object) -> None:
    """It is chosen where all connections are read: an error there would end the server."""
    limit = body_limit("POST", "/mcp")
    for body in (json.dumps(value), json.dumps({"jsonrpc": "2.0", "method": "tools/call", "params": value})):
        assert limit.line_of is not None and limit.line_of(body.encode()) in Line
