"""The api of a deployment, as somebody with the right to call it sees it."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.deployment.commands import gcloud

SECONDS = 60
"""How long the api may take for an answer. Its own limit is the same."""


@dataclass(frozen=True, slots=True)
class Deployed:
    url: str

    @classmethod
    def of(cls, place: Path) -> Deployed:
        """The api of the environment in this folder of terraform/envs."""
        command = ["terraform", f"-chdir={place}", "output", "-raw", "endpoint"]
        return cls(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())

    def status(self, path: str, *, is_known: bool = True) -> int:
        """The status of a GET, with the caller's identity or without one. 0 if nobody answers."""
        return self._send(path, None, is_known=is_known)[0]

    def finds(self, question: str) -> Sequence[str] | None:
        """The texts that a search finds, near the question or not. None while the api starts."""
        body = json.dumps({"query": question, "threshold": 0}).encode()
        status, answer = self._send("/api/query", body, is_known=True)
        if status in (0, 429, 503):
            return None
        if status != 200:
            raise RuntimeError(f"The api answered {status} to a question: {answer.decode(errors='replace')[:500]}")
        return [result["content"] for result in json.loads(answer)["results"]]

    def _send(self, path: str, body: bytes | None, *, is_known: bool) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json"} if body else {}
        if is_known:
            headers["Authorization"] = f"Bearer {self._token()}"
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except OSError:
            return 0, b""

    def _token(self) -> str:
        """A service account says for whom its token is; gcloud does not let a person do so."""
        account = gcloud("auth", "list", "--filter=status:ACTIVE", "--format=value(account)")
        audience = [f"--audiences={self.url}"] if account.endswith(".gserviceaccount.com") else []
        return gcloud("auth", "print-identity-token", *audience)
