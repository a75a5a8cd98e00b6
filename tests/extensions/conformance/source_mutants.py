"""Mutants of the source of our own backends, by operators on its syntax tree.

Each mutant has one change: a comparison, a constant, an operator or a condition replaced, or
a statement dropped.
"""

import ast
import sys
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from backends.native import Native
from harness.contract import Backend
from tests.mutation.operators import Mutator


class Site(NamedTuple):
    """A function whose source is mutated."""

    module: str
    backend: str
    function: str
    """``CLASS.METHOD``, or the name of a function."""


SITES = (
    Site("harness.contract.search", "Native", "SearchBackend.count"),
    Site("harness.contract.search", "Native", "SearchBackend.solve"),
    Site("backends.native", "Native", "Search.__init__"),
    Site("backends.native", "Native", "Search.solutions"),
    Site("backends.native", "Native", "Search.propagate"),
    Site("backends.native", "Native", "Search.two_places"),
    Site("backends.dlx", "DancingLinks", "Links.__init__"),
    Site("backends.dlx", "DancingLinks", "Links.covers"),
    Site("backends.dlx", "DancingLinks", "Links.cover"),
    Site("backends.dlx", "DancingLinks", "Links.uncover"),
)


def uncaught(kind: str, mutant_name: str) -> dict[str, str]:
    """The mutants that need not be caught, with the reason of each.

    Args:
        kind: ``equivalent`` for those that answer as the contract says; ``missed`` for others.
        mutant_name: ``source`` or ``triggered``.
    """
    tables = tomllib.loads((Path(__file__).parent / "uncaught_mutants.toml").read_text())
    return {name: reason for reason, names in tables[mutant_name][kind].items() for name in names}


EQUIVALENT = uncaught("equivalent", "source")
MISSED = uncaught("missed", "source")


class _Mutator(Mutator):
    """The changes of what the contract demands of a backend."""

    def is_left_out(self, node: ast.AST) -> bool:
        return super().is_left_out(node) or _is_measurement(node)


@cache
def names() -> dict[str, tuple[Site, int]]:
    """The name of each mutant, such as ``dlx Links.cover line 9: ...``, with its change.

    Lines are counted from the beginning of the function.
    """
    sites: dict[str, tuple[Site, int]] = {}
    for site in SITES:
        function = _function(_tree(site), site.function)
        counter = _Mutator()
        counter.visit(function)
        for number, (node, change) in enumerate(counter.found):
            line = getattr(node, "lineno", 0) - function.lineno
            name = f"{site.module.rpartition('.')[2]} {site.function} line {line}: {change}"
            sites[name if name not in sites else f"{name} ({number})"] = site, number
    return sites


def mutant(name: str) -> type[Backend[Any]]:
    """The mutant with this name."""
    site, number = names()[name]
    tree = _tree(site)
    function = _function(tree, site.function)
    _Mutator(number).visit(function)
    return _compile(tree, site, number)


def _tree(site: Site) -> ast.Module:
    return ast.parse(Path(import_module(site.module).__file__ or "").read_text())


def _is_measurement(node: ast.AST) -> bool:
    """Whether a statement measures phases or statistics, which the contract leaves open."""
    if not isinstance(node, ast.Expr | ast.AugAssign | ast.Assign):
        return False
    return any(word in ast.unparse(node) for word in ("timer.", "self.nodes", "self.guesses"))


def _function(tree: ast.Module, name: str) -> ast.FunctionDef:
    scope: Any = tree
    for part in name.split("."):
        scope = next(node for node in scope.body if getattr(node, "name", "") == part)
    assert isinstance(scope, ast.FunctionDef)
    return scope


def _compile(tree: ast.Module, site: Site, number: int) -> type[Backend[Any]]:
    """The backend of a mutated module, which replaces no other module."""
    name = f"{site.module}_{site.function}_{number}"
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        exec(compile(ast.fix_missing_locations(tree), name, "exec"), vars(module))
    finally:
        del sys.modules[name]
    if "SearchBackend" in site.function:
        kept = ("name", "paradigm", "takes", "__init__", "search", "grid")
        own = {name: vars(Native)[name] for name in kept}
        return type(site.backend, (vars(module)["SearchBackend"],), own)
    backend: type[Backend[Any]] = vars(module)[site.backend]
    return backend
