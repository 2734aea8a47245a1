"""What the HTTP API answers: the server writes these models, and the client reads them (docs/http-api.md)."""
