"""Where Vertex AI answers for a project."""

from __future__ import annotations

import re

from ragbase.adapters.service_settings import checked_url
from ragbase.domain.errors import ConfigurationError

PROJECT_SETTING = "GOOGLE_CLOUD_PROJECT"
LOCATION_SETTING = "RAGBASE_VERTEX_LOCATION"
URL_SETTING = "RAGBASE_VERTEX_URL"
_HOST = "aiplatform.googleapis.com"
_SEVERAL_COUNTRIES = ("us", "eu")
_LOCATION = re.compile("[a-z]+(-[a-z]+[0-9]+)?")


def host_of(location: str) -> str:
    """The URL of a location: of a region, of an area of several countries, or of `global`
    (https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations), as Google's own client has it
    (https://github.com/googleapis/python-genai/blob/main/google/genai/_api_client.py)."""
    if location == "global":
        return f"https://{_HOST}"
    if location in _SEVERAL_COUNTRIES:
        return f"https://aiplatform.{location}.rep.googleapis.com"
    return f"https://{location}-{_HOST}"


def vertex_address(project: str, location: str, url: str = "") -> str:
    """The address of the project's location, without a slash at its end. `url` is that of the location if empty: it may
    be an endpoint in your own network, or a proxy. Raises ConfigurationError, naming the setting, for a project,
    location or URL that cannot be one."""
    if not project:
        raise ConfigurationError(f"{PROJECT_SETTING} names no project. Set it to the one that pays for Vertex AI.")
    if not _LOCATION.fullmatch(location):
        raise ConfigurationError(
            f"{LOCATION_SETTING} = {location!r} is no location of Vertex AI. Set it to a region near your data, such "
            "as europe-west4, or to us, eu or global."
        )
    host = checked_url(url, URL_SETTING) if url else host_of(location)
    return f"{host}/v1/projects/{project}/locations/{location}"
