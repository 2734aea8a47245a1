"""As whom a deployment acts: gcloud with its account, Terraform with the application default credentials. Each has a
sign-in of its own, so they can be two accounts."""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Callable

from scripts.deployment.commands import try_gcloud

TOKEN_INFO = "https://oauth2.googleapis.com/tokeninfo"
"""Says to whom a token belongs. Google's own library asks it in this way, too (googleapis/google-auth-library-nodejs,
src/auth/oauth2client.ts, getTokenInfo), with the token in a header and not in the URL."""
SECONDS = 10
OTHER_CREDENTIALS = (
    "GOOGLE_CREDENTIALS",
    "GOOGLE_CLOUD_KEYFILE_JSON",
    "GCLOUD_KEYFILE_JSON",
    "GOOGLE_OAUTH_ACCESS_TOKEN",
    "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT",
)
"""Variables with which Terraform's provider takes another account (hashicorp/terraform-provider-google,
website/docs/guides/provider_reference.html.markdown)."""


def owner_of(token: str) -> str:
    """The e-mail address of the account that a token belongs to. Empty if Google does not say."""
    request = urllib.request.Request(TOKEN_INFO, b"", {"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return str(json.load(answer).get("email", ""))
    except (OSError, ValueError):
        return ""


def note_on_accounts(owner_of: Callable[[str], str] = owner_of) -> str:
    """What a person should know about the two accounts. Empty if they are one."""
    active = try_gcloud("auth", "list", "--filter=status:ACTIVE", "--format=value(account)").stdout.strip() or "nobody"
    if given := [name for name in OTHER_CREDENTIALS if os.environ.get(name)]:
        return f"Terraform acts as {', '.join(given)} says, gcloud as {active}."
    asked = try_gcloud("auth", "application-default", "print-access-token")
    if asked.returncode:
        return (
            f"gcloud acts as {active}, but Terraform has no account yet. Sign it in with "
            "`gcloud auth application-default login`."
        )
    token = asked.stdout.strip()
    owner = owner_of(token) if token else ""
    if not owner:
        return f"gcloud acts as {active}. Google does not say as whom Terraform acts."
    if owner != active:
        return (
            f"Two accounts: gcloud acts as {active}, Terraform as {owner}. If that is not what you want, run "
            "`gcloud auth login` or `gcloud auth application-default login`."
        )
    return ""
