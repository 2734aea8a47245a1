"""Answers a slash command of Slack from ragbase, with a link to each document that the answer stands on."""

import hashlib
import hmac
import os
import time
from collections import defaultdict
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

import httpx2

from ragbase import Client, Conversation
from ragbase.client.errors import ClientError

SECRET = os.environ["SLACK_SIGNING_SECRET"].encode()
CLIENT = Client(os.environ["RAGBASE_ENDPOINT"], os.environ["RAGBASE_KEY"])
CONSOLE = os.environ.get("RAGBASE_PUBLIC_URL", os.environ["RAGBASE_ENDPOINT"])
CONVERSATIONS: defaultdict[tuple[str, str], Conversation] = defaultdict(Conversation)
PATIENCE = 300  # seconds: an older request may be one that somebody has recorded


def answer(question: str, conversation: Conversation) -> str:
    try:
        found = CLIENT.answer(question, history=conversation.history)
    except ClientError as error:
        return escaped(f"ragbase gave no answer: {error}")
    conversation.add(question, found)
    cited = [one for sentence in found.sentences for one in sentence.citations]
    links = [f"<{CONSOLE}/#/documents/{one.document_id}|{escaped(one.filename)}>" for one in cited]
    places = [f"• {link}: “{escaped(one.text)}”" for link, one in zip(links, cited, strict=True)]
    return "\n".join([escaped(found.text), *places])


def escaped(text: str) -> str:
    """As text, not as a mention or a link: https://docs.slack.dev/messaging/formatting-message-text"""
    return escape(text, quote=False)


class SlashCommand(BaseHTTPRequestHandler):
    """A request of Slack: https://docs.slack.dev/interactivity/implementing-slash-commands"""

    timeout = 10  # seconds that a client may be silent

    def do_POST(self) -> None:
        body = self.rfile.read(max(0, min(int(self.headers.get("Content-Length", 0)), 100_000)))
        is_from_slack = self.is_signed(body)
        self.send_response(200 if is_from_slack else 401)  # at once, as Slack waits for three seconds
        self.send_header("Content-Length", "0")
        self.end_headers()
        if is_from_slack:
            asked = dict(parse_qsl(body.decode()))
            text = answer(asked.get("text", ""), CONVERSATIONS[asked["channel_id"], asked["user_id"]])
            httpx2.post(asked["response_url"], json={"text": text})

    def is_signed(self, body: bytes) -> bool:
        """Whether Slack signed it just now: https://docs.slack.dev/authentication/verifying-requests-from-slack"""
        sent, given = (self.headers.get(f"X-Slack-{name}", "") for name in ("Request-Timestamp", "Signature"))
        signature = hmac.new(SECRET, f"v0:{sent}:".encode() + body, hashlib.sha256).hexdigest()
        return (
            hmac.compare_digest(f"v0={signature}".encode(), given.encode()) and abs(time.time() - int(sent)) < PATIENCE
        )


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), SlashCommand).serve_forever()
