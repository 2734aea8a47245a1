"""The routes of Flask, compiled once.

For each route, Werkzeug makes two functions that build its address: it writes their code and compiles it. That takes
four fifths of the time of `create_app`, and the tests make very many apps with the same routes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from werkzeug.routing import Rule

_Builder = Callable[..., tuple[str, str]]
_compile = Rule._compile_builder  # there is no other place to put this in
_compiled: dict[tuple[object, ...], _Builder] = {}


@wraps(_compile)
def _compile_once(self: Rule, append_unknown: bool = True) -> _Builder:
    """The function depends on nothing else of a rule without defaults: the converters are those of the rule that it is
    called for."""
    if self.defaults:
        return _compile(self, append_unknown)
    key = (self.rule, *self._trace, append_unknown)
    if key not in _compiled:
        _compiled[key] = _compile(self, append_unknown)
    return _compiled[key]


def keep_compiled_routes() -> None:
    """For all apps of this process."""
    Rule._compile_builder = _compile_once  # type: ignore[method-assign]  # that is what this module is for
