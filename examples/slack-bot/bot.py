"""Answers a slash command of Slack from ragbase, with a link to each document that the answer stands on."""

import hashlib
import hmac
import os
import time
from collections import defaultdict
from html import escape, unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

import httpx2

from ragbase import Client, Conversation
from ragbase.client.errors import ClientError

SECRET = os.environ["SLACK_SIGNING_SECRET"].encode()
HOOKS = os.environ.get("SLACK_HOOKS", "https://hooks.slack.com/")  # GovSlack has https://hooks.slack-gov.com/
CLIENT = Client(os.environ["RAGBASE_ENDPOINT"], os.environ["RAGBASE_KEY"])
DOCUMENTS = os.environ.get("RAGBASE_PUBLIC_URL", os.environ["RAGBASE_ENDPOINT"]) + "/#/documents"
CONVERSATIONS: defaultdict[tuple[str, str], Conversation] = defaultdict(Conversation)
PATIENCE = 300  # seconds: an older request may be one that somebody has recorded
SEEN: dict[str, str] = {}  # each signature, with that of the first request: a recorded one counts once


def answer(question: str, conversation: Conversation) -> str:
    try:
        found = CLIENT.answer(question, history=conversation.history)
    except ClientError as error:
        return escaped(f"ragbase gave no answer: {error}")
    conversation.add(question, found)
    cited = [it for sentence in found.sentences if sentence.supported for it in sentence.citations]
    places = [f"• <{DOCUMENTS}/{it.document_id}|{escaped(it.filename)}>: “{escaped(it.text)}”" for it in cited]
    said = f"{escaped(found.missing.text)}\n_This is no answer._" if found.missing else escaped(found.text)
    return "\n".join([said, *places])


def escaped(text: str) -> str:
    """As text, not as a mention or a link: https://docs.slack.dev/messaging/formatting-message-text"""
    return escape(text, quote=False)


class SlashCommand(BaseHTTPRequestHandler):
    """A request of Slack, which writes `&amp;` for what somebody has typed as `&`:
    https://docs.slack.dev/interactivity/implementing-slash-commands"""

    timeout = 10  # seconds that a client may be silent

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        body = self.rfile.read(min(int(length), 100_000) if length.isdecimal() else 0)
        asked = defaultdict(str, parse_qsl(body.decode(errors="replace")))
        is_question = asked["response_url"].startswith(HOOKS) and self.is_signed(body)
        # At once, as Slack waits for three seconds. It sends `ssl_check` to look at the certificate.
        self.send_response(200 if is_question or asked["ssl_check"] == "1" else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if is_question:
            text = answer(unescape(asked["text"]), CONVERSATIONS[asked["channel_id"], asked["user_id"]])
            httpx2.post(asked["response_url"], json={"text": text}).raise_for_status()

    def is_signed(self, body: bytes) -> bool:
        """Whether Slack signed it just now, for the first time:
        https://docs.slack.dev/authentication/verifying-requests-from-slack"""
        sent, given = (self.headers.get(f"X-Slack-{name}", "") for name in ("Request-Timestamp", "Signature"))
        signature = "v0=" + hmac.new(SECRET, f"v0:{sent}:".encode() + body, hashlib.sha256).hexdigest()
        is_right = hmac.compare_digest(signature.encode(), given.encode()) and abs(time.time() - int(sent)) < PATIENCE
        return is_right and SEEN.setdefault(signature, given) is given


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), SlashCommand).serve_forever()
