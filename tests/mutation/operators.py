"""Operators that change one node of a syntax tree, to make mutants of a source."""

import ast
from collections.abc import Mapping
from copy import copy
from typing import Any

SWAPPED: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
Change = tuple[str, ast.AST]
"""What a change does, and the node after it."""


class Mutator(ast.NodeTransformer):
    """Applies change number `wanted`, and lists the possible changes.

    The operators: another comparison, another operator, no ``not``, the other boolean, an
    integer plus one, no ``continue`` or ``break``, and a call without use of its value dropped.
    """

    def __init__(self, wanted: int = -1) -> None:
        self.wanted = wanted
        self.found: list[tuple[Any, str]] = []
        """The node of each possible change, and what the change does."""
        self.replacement: ast.AST | None = None
        """What stands for the node of change `wanted`."""

    def is_left_out(self, node: ast.AST) -> bool:
        """Whether nothing inside `node` is changed: here, docstrings and types of parameters."""
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        return is_text or isinstance(node, ast.arg)

    def visit(self, node: ast.AST) -> Any:
        """The node, changed if it is the wanted one."""
        if self.is_left_out(node):
            return node
        self.generic_visit(node)
        if self.replacement is None and (change := self.change_of(node)):
            words, changed = change
            self.found.append((node, words))
            if len(self.found) - 1 == self.wanted:
                self.replacement = ast.copy_location(changed, node)
                return self.replacement
        return node

    def change_of(self, node: ast.AST) -> Change | None:
        """The change of a node; None if no operator applies."""
        match node:
            case ast.Compare(left, [op, *others], values) if type(op) in SWAPPED:
                changed = ast.Compare(left, [SWAPPED[type(op)](), *others], values)
                return f"{ast.unparse(node)} with another comparison", changed
            case ast.BoolOp(op=op) | ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in SWAPPED:
                return with_operator(node, SWAPPED)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"{ast.unparse(node)} without not", operand
            case ast.Constant(value=bool(value)):
                return f"not {value}", ast.Constant(not value)
            case ast.Constant(value=int(value)):
                return f"{value + 1} for {value}", ast.Constant(value + 1)
            case ast.Continue() | ast.Break():
                return f"pass for {ast.unparse(node)}", ast.Pass()
            case ast.Expr():
                return f"without {ast.unparse(node)}", ast.Pass()
        return None


def with_operator(node: Any, swapped: Mapping[type[ast.AST], type[Any]]) -> Change:
    """The change of an operation to the operator for which its own is swapped."""
    changed = copy(node)
    changed.op = swapped[type(node.op)]()
    return f"{ast.unparse(node)} with another operator", changed
