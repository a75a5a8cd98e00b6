"""Operators that change one node of a syntax tree, to make mutants of a source."""

import ast
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


class Mutator(ast.NodeTransformer):
    """Applies change number `wanted`, and lists the possible changes.

    The operators: another comparison, another operator, no ``not``, the other boolean, an
    integer plus one, no ``continue`` or ``break``, and a call without use of its value dropped.
    """

    def __init__(self, wanted: int = -1) -> None:
        self.wanted = wanted
        self.found: list[tuple[ast.AST, str]] = []
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
        if self.replacement is None and self._is_wanted(node):
            self.replacement = ast.copy_location(self.changed(node), node)
            return self.replacement
        return node

    def change_of(self, node: ast.AST) -> str:
        """What the change of a node does; empty if no operator applies."""
        match node:
            case ast.Compare() if type(node.ops[0]) in SWAPPED:
                return f"{ast.unparse(node)} with another comparison"
            case ast.BoolOp() | ast.BinOp() | ast.AugAssign() if type(node.op) in SWAPPED:
                return f"{ast.unparse(node)} with another operator"
            case ast.UnaryOp(op=ast.Not()):
                return f"{ast.unparse(node)} without not"
            case ast.Constant(value=bool(value)):
                return f"not {value}"
            case ast.Constant(value=int(value)):
                return f"{value + 1} for {value}"
            case ast.Continue() | ast.Break():
                return "pass for " + ast.unparse(node)
            case ast.Expr():
                return f"without {ast.unparse(node)}"
        return ""

    def changed(self, node: Any) -> ast.AST:
        """The node after its change."""
        match node:
            case ast.Compare():
                ops = [SWAPPED[type(node.ops[0])](), *node.ops[1:]]
                return ast.Compare(node.left, ops, node.comparators)
            case ast.BoolOp():
                return ast.BoolOp(SWAPPED[type(node.op)](), node.values)
            case ast.BinOp():
                return ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)
            case ast.AugAssign():
                return ast.AugAssign(node.target, SWAPPED[type(node.op)](), node.value)
            case ast.UnaryOp():
                return node.operand
            case ast.Constant(value=bool()):
                return ast.Constant(not node.value)
            case ast.Constant(value=int(number)):
                return ast.Constant(number + 1)
        return ast.Pass()

    def _is_wanted(self, node: ast.AST) -> bool:
        if change := self.change_of(node):
            self.found.append((node, change))
        return bool(change) and len(self.found) - 1 == self.wanted
