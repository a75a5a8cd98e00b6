"""Mutants of the source of our own backends, by operators on its syntax tree.

Each mutant has one change: a comparison, a constant, an operator or a condition replaced, or
a statement dropped.
"""

import ast
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from harness.contract import Backend
from tests.mutation.operators import Mutator


class Site(NamedTuple):
    """A function whose source is mutated."""

    module: str
    backend: str
    function: str
    """``CLASS.METHOD``, or the name of a function."""


SITES = (
    Site("backends.native", "Native", "Native.count"),
    Site("backends.native", "Native", "Native.solve"),
    Site("backends.native", "Native", "Search.__init__"),
    Site("backends.native", "Native", "Search.solutions"),
    Site("backends.native", "Native", "Search.propagate"),
    Site("backends.native", "Native", "Search.two_places"),
    Site("backends.dlx", "DancingLinks", "Links.__init__"),
    Site("backends.dlx", "DancingLinks", "Links.covers"),
    Site("backends.dlx", "DancingLinks", "Links.cover"),
    Site("backends.dlx", "DancingLinks", "Links.uncover"),
)


BRANCHES = "another order of branches, or fewer branches cut: the search stays complete"
WEAKER = "weaker propagation: each final grid still passes the check of every house"
NOTHING_LEFT = "the loop that follows has nothing to do"
UNUSED = "an element or a check that is never used"
UNREACHED = "the base class answers puzzles without items, and no header has the number 0"

EQUIVALENT: dict[str, str] = {
    "dlx Links.__init__ line 9: 2 for 1": UNUSED,
    "dlx Links.__init__ line 10: 1 for 0": BRANCHES,
    "dlx Links.__init__ line 10: 2 for 1": UNUSED,
    "dlx Links.__init__ line 15: not True": UNUSED,
    "dlx Links.__init__ line 23: 2 for 1": BRANCHES,
    "dlx Links.__init__ line 23: self.size[header] += 1 with another operator": BRANCHES,
    "dlx Links.covers line 4: (header := self.smallest()) < 0 with another comparison": UNREACHED,
    "dlx Links.covers line 4: 1 for 0": UNREACHED,
    "dlx Links.covers line 5: without yield []": UNREACHED,
    "dlx Links.covers line 22: (header := self.smallest()) < 0 with another comparison": UNREACHED,
    "dlx Links.covers line 22: 1 for 0": UNREACHED,
    "native Search.__init__ line 6: 1 for 0": BRANCHES,
    "native Search.propagate line 18: 2 for 1": WEAKER,
    "native Search.propagate line 18: left & left - 1 with another operator": WEAKER,
    "native Search.propagate line 19: without singles.append(peer)": WEAKER,
    "native Search.propagate line 22: 1 for 0": WEAKER,
    "native Search.propagate line 24: more |= once & state[cell] with another operator": WEAKER,
    "native Search.propagate line 24: once & state[cell] with another operator": WEAKER,
    "native Search.propagate line 28: once &= ~more with another operator": WEAKER,
    "native Search.propagate line 29: not once without not": WEAKER,
    "native Search.propagate line 30: pass for continue": NOTHING_LEFT,
    "native Search.solutions line 14: pass for continue": NOTHING_LEFT,
    "native Search.two_places line 3: 2 for 1": BRANCHES,
    "native Search.two_places line 5: 1 for 0": BRANCHES,
    "native Search.two_places line 7: more |= twice & state[cell] with another operator": BRANCHES,
    "native Search.two_places line 7: twice & state[cell] with another operator": BRANCHES,
    "native Search.two_places line 8: twice |= once & state[cell] with another operator": BRANCHES,
    "native Search.two_places line 9: once |= state[cell] with another operator": BRANCHES,
    "native Search.two_places line 13: failures > most_failures with another comparison": BRANCHES,
    "native Search.two_places line 15: state[cell] & value with another operator": BRANCHES,
}
"""Mutants that answer as the contract says, with the reason."""
MISSED: dict[str, str] = {}
"""Mutants that the suite does not catch, with the reason."""


class _Mutator(Mutator):
    """The changes of what the contract demands of a backend."""

    def is_left_out(self, node: ast.AST) -> bool:
        return super().is_left_out(node) or _is_measurement(node)


@cache
def names() -> dict[str, tuple[Site, int]]:
    """The name of each mutant, such as ``dlx Links.cover line 9: ...``, with its change.

    Lines are counted from the beginning of the function.
    """
    found: dict[str, tuple[Site, int]] = {}
    for site in SITES:
        function = _function(_tree(site), site.function)
        counter = _Mutator()
        counter.visit(function)
        for number, (node, what) in enumerate(counter.found):
            line = getattr(node, "lineno", 0) - function.lineno
            name = f"{site.module.rpartition('.')[2]} {site.function} line {line}: {what}"
            found[name if name not in found else f"{name} ({number})"] = site, number
    return found


def mutant(name: str) -> type[Backend[Any]]:
    """The mutant with this name."""
    site, number = names()[name]
    tree = _tree(site)
    function = _function(tree, site.function)
    _Mutator(number).visit(function)
    return _compiled(tree, site, number)


def _tree(site: Site) -> ast.Module:
    return ast.parse(Path(import_module(site.module).__file__ or "").read_text())


def _is_measurement(node: ast.AST) -> bool:
    """Whether a statement measures phases or statistics, which the contract leaves open."""
    if not isinstance(node, ast.Expr | ast.AugAssign | ast.Assign):
        return False
    return any(word in ast.unparse(node) for word in ("timer.", "self.nodes", "self.guesses"))


def _function(tree: ast.Module, name: str) -> ast.FunctionDef:
    found: Any = tree
    for part in name.split("."):
        found = next(node for node in found.body if getattr(node, "name", "") == part)
    assert isinstance(found, ast.FunctionDef)
    return found


def _compiled(tree: ast.Module, site: Site, number: int) -> type[Backend[Any]]:
    """The backend of a mutated module, which replaces no other module."""
    name = f"{site.module}_{site.function}_{number}"
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        exec(compile(ast.fix_missing_locations(tree), name, "exec"), vars(module))
    finally:
        del sys.modules[name]
    backend: type[Backend[Any]] = vars(module)[site.backend]
    return backend
