"""What Google says while it does not know everywhere what was just created, or does not let something go yet."""

from __future__ import annotations

import re

TRIES, PAUSE = 3, 90
"""How often to try, and how many seconds to wait between two tries. Google says that a grant takes up to 7 minutes, and
mostly less than 2 (cloud.google.com/iam/docs/access-change-propagation)."""

GRANT_SECONDS = 120
"""How long the grants of a new account are left alone before something is built with it. Half of the builds right after
them failed in the tests of Terraform's own provider (hashicorp/terraform-provider-google, issue 20571)."""

_TOO_EARLY = re.compile(
    "|".join(
        (
            r"has not been used in project",  # an API that is on, but not everywhere yet
            r"does not exist",  # an account that was just made
            r"is being created|not ready",
            r"Cannot find metric",  # a log's metric that an alert asks for
            r"[Pp]ermission.{0,80}denied|PERMISSION_DENIED",
            r"[Tt]he caller does not have permission",
            r"does not have (?:the )?permission",  # Cloud Storage that may not publish yet
            r"missing permission on the build service account",  # the build's own words
            r"Access to bucket \S+ denied\. You must grant",  # the build cannot read its sources yet
        )
    )
)

_ADDRESSES_HELD = re.compile(r"subnetwork resource '[^']+' is already being used by '[^']*serverless[^']*'")
"""Cloud Run keeps the addresses of its instances for 1 to 2 hours after a service is gone
(cloud.google.com/run/docs/configuring/vpc-direct-vpc#delete-subnet)."""


def may_pass(errors: str) -> bool:
    """Whether Google may no longer say this some minutes later. What it still says then is a real error."""
    return _TOO_EARLY.search(errors) is not None


def holds_addresses(errors: str) -> bool:
    """Whether a network could not be destroyed because Cloud Run still holds addresses in it."""
    return _ADDRESSES_HELD.search(errors) is not None
