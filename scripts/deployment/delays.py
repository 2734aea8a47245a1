"""What Google says while it does not know everywhere what was just created, or does not let something go yet."""

from __future__ import annotations

import re

TRIES, PAUSE = 3, 90
"""How often to try, and how many seconds to wait between two tries. Google says that a grant takes up to 7 minutes, and
mostly less than 2 (cloud.google.com/iam/docs/access-change-propagation)."""

GRANT_SECONDS = 120
"""How long the grants of a new account are left alone before something is built with it. Half of the builds right after
them failed in the tests of Terraform's own provider (hashicorp/terraform-provider-google, issue 20571)."""

_BUSY = re.compile(
    "|".join(
        (
            r"has not been used in project",  # an API that is on, but not everywhere yet
            r"\.gserviceaccount\.com\W{0,2} does not exist",  # an account that was just made; not a key, nor a group
            r"is being created|not ready",
            r"Cannot find metric",  # a log's metric that an alert asks for
            r"concurrent policy changes",  # somebody else grants something, too
            r"[Ii]nternal error|Error code 13, message: (?!Build failed)",  # Google's own, code 13
            r"Quota exceeded for quota metric .{0,200}per minute",
        )
    )
)
"""What may pass at any time. Some of these are also the last words of a mistake, so nothing is tried for ever."""

_NOT_GRANTED = re.compile(
    "|".join(
        (
            r"[Pp]ermission.{0,80}denied|PERMISSION_DENIED",
            r"[Tt]he caller does not have permission",
            r"does not have (?:the )?permission",  # Cloud Storage that may not publish yet
            r"missing permission on the build service account",  # the build's own words
            r"Access to bucket \S+ denied\. You must grant",  # the build cannot read its sources yet
        )
    )
)
"""What passes only if the right was granted a moment ago. Otherwise somebody has to grant it."""

_RETRY_IN = re.compile(r"[Rr]etry (?:in|after) (\d{1,4})(?:\.\d+)? ?s(?:econds)?\b")
"""Where Google itself says how long: for example until the name of a deleted database is free again."""

LONGEST_PAUSE = 600

_FULL = re.compile(r"RESOURCE_POOL_EXHAUSTED|does not have enough resources available")
"""A zone without a free machine of this type. That can last for days, so it is told and not waited for
(cloud.google.com/compute/docs/troubleshooting/troubleshooting-vm-creation)."""

_ADDRESSES_HELD = re.compile(r"subnetwork resource '[^']+' is already being used by '[^']*serverless[^']*'")
"""Cloud Run keeps the addresses of its instances for 1 to 2 hours after a service is gone
(cloud.google.com/run/docs/configuring/vpc-direct-vpc#delete-subnet)."""


def pause(errors: str, *, was_granted: bool) -> int:
    """After how many seconds Google may no longer say this; 0 if somebody has to do something first. `was_granted` says
    whether this run has granted a right, made an account or switched an API on. What Google still says after some
    tries is a real error."""
    errors = _one_line(errors)
    if told := _RETRY_IN.search(errors):
        return min(max(int(told[1]), 1), LONGEST_PAUSE)
    if _BUSY.search(errors) or (was_granted and _NOT_GRANTED.search(errors)):
        return PAUSE
    return 0


def remedy(errors: str) -> str:
    """What to do about an error that is not waited for; empty if its own words have to do."""
    errors = _one_line(errors)
    if _FULL.search(errors):
        return (
            "The zone has no free machine of this type. Deploy again later, or choose another machine_type in "
            "weaviate_vm. While the disk holds nothing, you can choose another zone, too."
        )
    if _NOT_GRANTED.search(errors):
        return "Nothing was granted in this run, so the right is really missing: grant it to the account that is named."
    return ""


def holds_addresses(errors: str) -> bool:
    """Whether a network could not be destroyed because Cloud Run still holds addresses in it."""
    return _ADDRESSES_HELD.search(_one_line(errors)) is not None


def _one_line(errors: str) -> str:
    """Terraform breaks the detail of an error after 78 characters, and can put it into a frame."""
    return " ".join(errors.replace("│", " ").split())
