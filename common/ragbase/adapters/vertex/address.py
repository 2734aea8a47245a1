"""Where Vertex AI answers for a project."""

from __future__ import annotations

from ragbase.adapters.service_settings import checked_url
from ragbase.domain.errors import ConfigurationError

URL_SETTING = "RAGBASE_VERTEX_URL"
LOCATION_SETTING = "RAGBASE_VERTEX_LOCATION"
PROJECT_SETTING = "GOOGLE_CLOUD_PROJECT"
_VERSION = "v1"
_GLOBAL = "global"
_SEVERAL_COUNTRIES = ("us", "eu")


def vertex_address(project: str, location: str, url: str = "") -> str:
    """The address of the project's location, without a slash at its end. `url` is Vertex AI's own if empty.

    A region has a host of its own, and so have the two areas of several countries
    (https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations). Raises ConfigurationError, naming the
    setting.
    """
    if not project:
        raise ConfigurationError(f"Vertex AI needs a project. Set {PROJECT_SETTING} to its id.")
    if not location:
        raise ConfigurationError(f"Vertex AI needs a location. Set {LOCATION_SETTING} to a region, or to global.")
    if url:
        host = checked_url(url, URL_SETTING)
    elif location == _GLOBAL:
        host = "https://aiplatform.googleapis.com"
    elif location in _SEVERAL_COUNTRIES:
        host = f"https://aiplatform.{location}.rep.googleapis.com"
    else:
        host = f"https://{location}-aiplatform.googleapis.com"
    return f"{host}/{_VERSION}/projects/{project}/locations/{location}"
