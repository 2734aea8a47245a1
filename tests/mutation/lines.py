"""Which lines of a file can hold a mutant, and which places cannot. It imports only the standard library."""

from __future__ import annotations

import ast

_LOGS = {"log", "log_failed", "log_size", "log_work"}
"""What they get is for readers of the log."""
_SAME_WITHOUT = {"cache", "cached_property", "final", "lru_cache", "override", "overload", "runtime_checkable"}
"""Decorators that change how fast something is, or what mypy says."""
_SAFEGUARDS = {"frozen", "slots", "strict", "kw_only"}
"""Arguments that refuse a mistake in the code itself."""

Span = tuple[int, int]
Place = tuple[int, int]


class Lines:
    """Of a parsed file. `spans` has each line on which a mutant can be, with the first and last line of its statement
    (for a compound statement, of its head): what one of them executes, the others do as well."""

    def __init__(self, source: str) -> None:
        self.spans: dict[int, Span] = {}
        self._kept_out: list[tuple[Place, Place]] = []
        self._lines = source.split("\n")
        self._block(ast.parse(source).body)

    def allows(self, place: Place) -> bool:
        """Whether a mutant may be in this line and column."""
        return place[0] in self.spans and not any(first <= place < end for first, end in self._kept_out)

    def _block(self, block: list[ast.stmt]) -> None:
        for statement in block:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal() | ast.Pass():
                return
            case ast.Expr(value=ast.Constant()):  # a docstring
                return
            case ast.Expr(value=ast.Call(func=function)) if _last_name(function) in _LOGS:
                return
            case ast.If(test=test) if _last_name(test) == "TYPE_CHECKING":
                self._block(statement.orelse)
                return
            case (
                ast.FunctionDef(returns=ast.expr() as annotation)
                | ast.AsyncFunctionDef(returns=ast.expr() as annotation)
            ):
                self._leave_out(annotation)
            case ast.AnnAssign(annotation=annotation):
                self._leave_out(annotation)
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                return
        own = [node for node in ast.iter_child_nodes(statement) if not isinstance(node, _NESTED)]
        self._own(own, statement.lineno)
        for nested in ast.iter_child_nodes(statement):
            if isinstance(nested, ast.ExceptHandler):
                self._own([nested.type] if nested.type else [], nested.lineno)
                self._block(nested.body)
            elif isinstance(nested, ast.match_case):
                head: list[ast.AST] = [nested.pattern, *([nested.guard] if nested.guard else [])]
                self._own(head, nested.pattern.lineno)
                self._block(nested.body)
            elif isinstance(nested, ast.stmt):
                self._statement(nested)

    def _own(self, nodes: list[ast.AST], first: int) -> None:
        inside = [node for outer in nodes for node in ast.walk(outer)]
        for node in inside:
            self._keep_out(node)
        for decorator in nodes:
            if isinstance(decorator, ast.expr) and _last_name(decorator) in _SAME_WITHOUT:
                self._leave_out(decorator)
        numbers = {first}
        for node in inside:
            if isinstance(node, ast.expr | ast.arg | ast.keyword | ast.pattern | ast.alias):
                numbers |= {node.lineno, node.end_lineno or node.lineno}
        span = (min(numbers), max(numbers))
        for number in numbers:
            self.spans.setdefault(number, span)

    def _keep_out(self, node: ast.AST) -> None:
        match node:
            case ast.arg(annotation=ast.expr() as annotation):
                self._leave_out(annotation)  # nobody evaluates it
            case ast.keyword(arg=str(name)) if name in _SAFEGUARDS:
                self._leave_out(node)
            case ast.Call(func=function, args=[first, *_]) if _last_name(function) == "cast":
                self._leave_out(first)

    def _leave_out(self, node: ast.expr | ast.keyword) -> None:
        assert node.end_lineno is not None and node.end_col_offset is not None
        # A decorator is named by what follows its @.
        first = (node.lineno, max(self._column(node.lineno, node.col_offset) - 1, 0))
        self._kept_out.append((first, (node.end_lineno, self._column(node.end_lineno, node.end_col_offset))))

    def _column(self, line: int, offset: int) -> int:
        """ast counts bytes of UTF-8, parso characters."""
        return len(self._lines[line - 1].encode()[:offset].decode())


_NESTED = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=function):
            return _last_name(function)
    return ""


def alike(one: str, other: str) -> bool | None:
    """Whether two sources mean the same to Python. None if the second one is no Python."""
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except SyntaxError:
        return None
