"""The environment variables that Google gives a deployed function, beside those of terraform/.

Code of others reads them and then behaves differently, so whatever runs a function here gives them, too.
"""

from __future__ import annotations

from collections.abc import Mapping

TIMEOUT = 540
"""The longest that a request to most functions may take, in seconds (terraform/functions.tf)."""


def google_environment(function: str, port: int) -> Mapping[str, str]:
    """For the function of a folder in functions/, which listens on the port.

    - Reserved for functions (https://cloud.google.com/run/docs/configuring/services/overview-environment-variables):
      FUNCTION_TARGET, FUNCTION_SIGNATURE_TYPE, K_SERVICE, K_REVISION, PORT. Of every service
      (https://cloud.google.com/run/docs/container-contract): K_CONFIGURATION.
    - CLOUD_RUN_TIMEOUT_SECONDS is what functions-framework gives gunicorn as its limit (functions_framework/_http).
    - LOG_EXECUTION_ID is `true` on each new function that says nothing else. functions-framework then adds a handler of
      its own to the log (https://cloud.google.com/functions/docs/monitoring/logging, "viewing runtime logs").
    - PYTHONUNBUFFERED comes from the build (GoogleCloudPlatform/buildpacks, cmd/python/runtime).

    GOOGLE_CLOUD_PROJECT is not among them: terraform/ sets it.
    """
    service = f"ragbase-{function.replace('_', '-')}"
    return {
        "FUNCTION_TARGET": function,
        "FUNCTION_SIGNATURE_TYPE": "http",
        "K_SERVICE": service,
        "K_CONFIGURATION": service,
        "K_REVISION": f"{service}-00001-abc",
        "PORT": str(port),
        "CLOUD_RUN_TIMEOUT_SECONDS": str(TIMEOUT),
        "LOG_EXECUTION_ID": "true",
        "PYTHONUNBUFFERED": "TRUE",
    }
