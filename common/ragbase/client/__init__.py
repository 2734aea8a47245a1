"""The HTTP API as Python: `Client` and what it gives back (docs/http-api.md)."""
