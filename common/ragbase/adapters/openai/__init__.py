"""Services with an HTTP API like OpenAI's."""
