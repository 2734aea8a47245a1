"""What every answer says to browsers, whatever it is about."""

from __future__ import annotations

from flask import Flask, Response

ON_EVERY_ANSWER = {
    # Take the body for what it is declared, and guess nothing
    # (https://fetch.spec.whatwg.org/#x-content-type-options-header).
    "X-Content-Type-Options": "nosniff",
    # Give it to no page of another origin that does not ask with CORS, as an image or a script
    # (https://fetch.spec.whatwg.org/#cross-origin-resource-policy-header).
    "Cross-Origin-Resource-Policy": "same-origin",
    # Run nothing that is in it, load nothing for it, and show it in no frame (https://www.w3.org/TR/CSP3/). A page of
    # ours has a policy of its own.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


def protect_answers(app: Flask) -> None:
    @app.after_request
    def protect(response: Response) -> Response:
        for name, value in ON_EVERY_ANSWER.items():
            response.headers.setdefault(name, value)
        return response
