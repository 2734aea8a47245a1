"""Which members of a bundle each function or class uses that takes one: all ports (`Ports`), or a profile.

A member counts that the taker reads itself, or that something reads to which it hands the bundle. What cannot be
followed, such as a call by way of a table, counts as EVERYTHING.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

BUNDLES = frozenset({"Ports", "Profile"})
EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class Taker:
    """A parameter of a function, or a field of a dataclass, by its full name."""

    owner: str
    name: str


Meaning = Taker | str | None
"""What an expression stands for: a bundle, by who has taken it; an object of the class with this full name; or what is
of no interest."""


@dataclass(frozen=True, slots=True)
class _Class:
    module: str
    node: ast.ClassDef
    fields: dict[str, Meaning] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Function:
    module: str
    owner: str | None
    node: ast.FunctionDef

    @property
    def parameters(self) -> list[ast.arg]:
        """In the order of a call, those by keyword alone last. Without `self`."""
        arguments = self.node.args
        by_place = [*arguments.posonlyargs, *arguments.args]
        is_static = any(ast.unparse(one) == "staticmethod" for one in self.node.decorator_list)
        return [*by_place[1 if self.owner and not is_static else 0 :], *arguments.kwonlyargs]


class TakenPorts:
    """`sources` are the texts of modules, by their full names."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._names: dict[str, dict[str, str]] = {}
        self._classes: dict[str, _Class] = {}
        self._functions: dict[str, _Function] = {}
        self._members: dict[Taker, set[str]] = {}
        self._handed_on: defaultdict[Taker, set[Taker]] = defaultdict(set)
        for module, text in sources.items():
            self._read(module, ast.parse(text))
        for name, one in self._classes.items():
            self._read_fields(name, one)
        for name, function in self._functions.items():
            for parameter in function.parameters:
                self._meaning_of_annotation(parameter.annotation, function.module, Taker(name, parameter.arg))
        for name, function in self._functions.items():
            _Reading(self, name, function).run()

    def members(self) -> Mapping[Taker, frozenset[str]]:
        """What each taker uses, directly or by what it hands on."""
        found = {taker: set(members) for taker, members in self._members.items()}
        changes = True
        while changes:
            changes = False
            for taker, others in self._handed_on.items():
                more = set().union(*(found[other] for other in others)) - found[taker]
                found[taker] |= more
                changes |= bool(more)
        return {taker: frozenset(members) for taker, members in found.items()}

    def _read(self, module: str, tree: ast.Module) -> None:
        names = self._names[module] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names[node.name] = f"{module}.{node.name}"
            if isinstance(node, ast.FunctionDef):
                self._functions[names[node.name]] = _Function(module, None, node)
            if isinstance(node, ast.ClassDef):
                self._classes[names[node.name]] = _Class(module, node)
                for method in node.body:
                    if isinstance(method, ast.FunctionDef):
                        name = f"{names[node.name]}.{method.name}"
                        self._functions[name] = _Function(module, names[node.name], method)

    def _read_fields(self, name: str, one: _Class) -> None:
        for node in one.node.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                taker = Taker(name, node.target.id)
                one.fields[node.target.id] = self._meaning_of_annotation(node.annotation, one.module, taker)
        init = self._functions.get(f"{name}.__init__")
        parameters = {parameter.arg: parameter.annotation for parameter in init.parameters} if init else {}
        for step in ast.walk(init.node) if init else ():
            if isinstance(step, ast.Assign) and isinstance(step.value, ast.Name) and step.value.id in parameters:
                taker = Taker(f"{name}.__init__", step.value.id)
                meaning = self._meaning_of_annotation(parameters[step.value.id], one.module, taker)
                kept = (target.attr for target in step.targets if isinstance(target, ast.Attribute))
                one.fields.update(dict.fromkeys(kept, meaning))

    def _meaning_of_annotation(self, annotation: ast.expr | None, module: str, taker: Taker) -> Meaning:
        named = ast.unparse(annotation).strip("\"'").removesuffix(" | None") if annotation is not None else ""
        if named in BUNDLES:
            self._members.setdefault(taker, set())
            return taker
        return self._names[module].get(named)


class _Reading:
    """One function: what it does with the bundles that it gets hold of."""

    def __init__(self, taken: TakenPorts, name: str, function: _Function) -> None:
        self._taken = taken
        self._function = function
        self._nodes = list(ast.walk(function.node))
        self._known: dict[str, Meaning] = {"self": function.owner} if function.owner else {}
        for one in function.parameters:
            self._known[one.arg] = taken._meaning_of_annotation(one.annotation, function.module, Taker(name, one.arg))
        for node in self._nodes:
            if isinstance(node, ast.Assign):
                self._known |= {
                    target.id: meaning
                    for target, value in _assigned(node)
                    if isinstance(target, ast.Name) and (meaning := self.meaning(value)) is not None
                }

    def run(self) -> None:
        followed: set[int] = set()
        for node in self._nodes:
            if isinstance(node, ast.Attribute) and isinstance(bundle := self.meaning(node.value), Taker):
                self._taken._members[bundle].add(node.attr)
                followed.add(id(node.value))
            elif isinstance(node, ast.Assign):  # under another name, it is followed as well
                followed |= {id(value) for _, value in _assigned(node)}
            elif isinstance(node, ast.Return) and node.value is not None and _is_property(self._function):
                followed.add(id(node.value))
            elif isinstance(node, ast.Call):
                for given, target in self._given(node):
                    bundle = self.meaning(given)
                    if isinstance(bundle, Taker) and target in self._taken._members:
                        self._taken._handed_on[bundle].add(target)
                        followed.add(id(given))
        for node in self._nodes:
            is_read = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
            if is_read and id(node) not in followed and isinstance(bundle := self.meaning(node), Taker):
                self._taken._members[bundle].add(EVERYTHING)

    def meaning(self, node: ast.AST) -> Meaning:
        if isinstance(node, ast.Name):
            return self._known.get(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        owner = self.meaning(node.value)
        one = self._taken._classes.get(owner) if isinstance(owner, str) else None
        if one is None:
            return None
        if node.attr in one.fields:
            return one.fields[node.attr]
        method = self._taken._functions.get(f"{owner}.{node.attr}")
        if method is not None and _is_property(method) and isinstance(last := method.node.body[-1], ast.Return):
            return _Reading(self._taken, f"{owner}.{node.attr}", method).meaning(last.value) if last.value else None
        return None

    def _given(self, call: ast.Call) -> Iterator[tuple[ast.expr, Taker]]:
        """Each argument, with the parameter that takes it, as far as it is known what is called."""
        called, by_place = call.func, call.args
        if isinstance(called, ast.Name) and called.id == "partial" and by_place:
            called, by_place = by_place[0], by_place[1:]
        name = self._name_of(called)
        if name is None:
            return
        order: list[str] = []
        if name in self._taken._classes and f"{name}.__init__" not in self._taken._functions:
            order = list(self._taken._classes[name].fields)
        else:
            name = f"{name}.__init__" if name in self._taken._classes else name
            function = self._taken._functions.get(name)
            order = [one.arg for one in function.parameters] if function is not None else []
        for given, parameter in zip(by_place, order, strict=False):
            yield given, Taker(name, parameter)
        for keyword in call.keywords:
            yield keyword.value, Taker(name, keyword.arg or "")

    def _name_of(self, called: ast.expr) -> str | None:
        """The full name of a function or class."""
        names = self._taken._names[self._function.module]
        if isinstance(called, ast.Name):
            return names.get(called.id)
        if not isinstance(called, ast.Attribute):
            return None
        owner = self.meaning(called.value)
        if owner is None and isinstance(called.value, ast.Name):
            owner = names.get(called.value.id)
        return f"{owner}.{called.attr}" if isinstance(owner, str) else None


def _assigned(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target with its value."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def _is_property(function: _Function) -> bool:
    return any(ast.unparse(one) == "property" for one in function.node.decorator_list)
