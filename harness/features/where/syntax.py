"""The syntax of conditions: a part of that of expressions of Python.

`ast` parses the text; `Parser` takes only nodes that it knows, checks the types of all parts
and makes a function of each. Nothing of the text is executed.
"""

import ast
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

from harness.errors import OptionError, meant, one_of
from harness.features.declared import FEATURES, Kind
from harness.features.where.comparison import compared
from harness.features.where.term import Lookup, Term, Text
from harness.text import encodable, shortened

LONGEST: Final = 10_000
"""The most characters of a condition."""
DEEPEST: Final = 50
"""The most levels of nested parts."""

_OPERATORS: Final = "comparisons, and, or, not, in, + - * / // %, lists, number() and text()"
_CONDITION: Final = "a condition such as clues < 20 and shape == '9x9'"
_MANY_DIGITS: Final = "a number with too many digits"
_ARITHMETIC: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_SIGNS: Final[dict[type[ast.unaryop], Callable[[Any], Any]]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def parse(text: str) -> tuple[Term, frozenset[str]]:
    """The condition that `text` states, and the fields of files that it names.

    Raises:
        OptionError: the text is no condition; with the column.
    """
    if len(text) > LONGEST:
        raise OptionError(
            f"{len(text):,} characters", where="where", expected=f"at most {LONGEST:,} characters"
        )
    text = text.strip()
    if "\0" in text or encodable(text) != text:
        what = "a NUL character or a lone surrogate"
        raise OptionError(what, where="where", expected=_CONDITION)
    if not text:
        raise OptionError("empty", where="where", expected=_CONDITION)
    parser = Parser(Text(text))
    term = parser.term(_tree(text), 0)
    if term.kind is not Kind.BOOLEAN or term.is_list:
        raise Text(text).error(term.node, f"the expression is {term.described}", _CONDITION)
    return term, frozenset(parser.fields)


def _tree(text: str) -> ast.expr:
    inside = "\n" in text  # within brackets an expression may have several lines
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in texts
            tree = ast.parse(f"({text}\n)" if inside else text, mode="eval").body
    except SyntaxError as error:
        row, column = error.lineno or 1, error.offset or len(text) + 1
        column = min(column - (inside and row == 1), len(text) + 1)
        what = (error.msg or "invalid syntax").partition(". Perhaps")[0]
        if what.startswith("Exceeds the limit"):
            what = _MANY_DIGITS
        raise Text(text).error_at(row, column, what, _CONDITION) from None
    except (ValueError, RecursionError, MemoryError) as error:
        what = _MANY_DIGITS if isinstance(error, ValueError) else "too many nested parts"
        raise OptionError(what, where="where", expected=_CONDITION) from None
    if inside:
        starts = (tree.lineno, tree.col_offset) == (1, 0)
        if starts and isinstance(tree, ast.BoolOp | ast.BinOp | ast.Compare):
            # The bracket before the text ends within it.
            raise OptionError("unmatched ')'", where="where", expected=_CONDITION)
        for node in ast.walk(tree):
            if getattr(node, "lineno", 0) == 1:
                node.col_offset -= 1  # type: ignore[attr-defined]
            if getattr(node, "end_lineno", 0) == 1:
                node.end_col_offset -= 1  # type: ignore[attr-defined]
    return tree


class Parser:
    """Makes terms of the nodes of a condition."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self.fields: set[str] = set()
        """The fields of files that its terms name."""

    def term(self, node: ast.expr, depth: int) -> Term:
        """The term of a `node` at this `depth`.

        Raises:
            OptionError: it is not part of the syntax, or its parts have wrong types.
        """
        if depth > DEEPEST:
            what = f"more than {DEEPEST} nested parts"
            raise self._text.error(node, what, "a shorter condition")
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._name(node)
            case ast.Call():
                return self._field(node)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._list(node, [self.term(item, depth + 1) for item in node.elts])
            case ast.UnaryOp(op=ast.Not()):
                inner = self._condition(node.operand, depth)
                return Term(Kind.BOOLEAN, lambda lookup: not inner(lookup), node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                number = self._number(self.term(node.operand, depth + 1))
                sign = _SIGNS[type(node.op)]
                return Term(Kind.NUMBER, lambda lookup: _signed(sign, number(lookup)), node)
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return self._arithmetic(node, depth)
            case ast.BoolOp():
                parts = [self._condition(part, depth) for part in node.values]
                every = all if isinstance(node.op, ast.And) else any
                return Term(
                    Kind.BOOLEAN, lambda lookup: every(part(lookup) for part in parts), node
                )
            case ast.Compare():
                return self._comparison(node, depth)
            case _:
                what = f"{self._text.excerpt(node)} is not part of a condition"
                raise self._text.error(node, what, _OPERATORS)

    def _constant(self, node: ast.Constant) -> Term:
        value = node.value
        if isinstance(value, bool):
            return Term(Kind.BOOLEAN, lambda _: value, node)
        if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
            return Term(Kind.NUMBER, lambda _: value, node)
        if isinstance(value, str):
            return Term(Kind.TEXT, lambda _: value, node, constants=(value,))
        if value is None:
            return Term(None, lambda _: None, node)
        what = f"{self._text.excerpt(node)} is not a value"
        raise self._text.error(node, what, "a finite number, or a text in quotation marks")

    def _name(self, node: ast.Name) -> Term:
        name = node.id
        if name not in FEATURES:
            what = f"unknown name {shortened(name)!r}{meant(name, FEATURES)}"
            raise self._text.error(node, what, one_of([*FEATURES]))
        feature = FEATURES[name]
        return Term(feature.kind, lambda lookup: lookup.feature(name), node, feature=feature)

    def _field(self, node: ast.Call) -> Term:
        """The term of ``number('difficulty')`` or ``text('label')``, a field of the file."""
        match node:
            case ast.Call(
                func=ast.Name(id="number" | "text" as kind),
                args=[ast.Constant(value=str(name))],
                keywords=[],
            ):
                self.fields.add(name)
                if kind == "number":
                    return Term(Kind.NUMBER, lambda lookup: lookup.number(name), node)
                return Term(Kind.TEXT, lambda lookup: lookup.text(name), node)
            case _:
                what = f"{self._text.excerpt(node)} is not part of a condition"
                expected = "number('NAME') or text('NAME'), a field of the file"
                raise self._text.error(node, what, expected)

    def _list(self, node: ast.expr, items: Sequence[Term]) -> Term:
        if not items:
            raise self._text.error(node, "an empty list", "a list with values")
        kind = items[0].kind
        for item in items:
            if item.is_list or item.kind in (None, Kind.TEXTS) or item.kind is not kind:
                what = f"{self._text.excerpt(item.node)} in a list"
                raise self._text.error(item.node, what, "a list with values of one type")
        constants = [text for item in items for text in item.constants or ()]
        return Term(
            kind,
            lambda lookup: tuple(item.value(lookup) for item in items),
            node,
            is_list=True,
            constants=tuple(constants) if len(constants) == len(items) else None,
        )

    def _arithmetic(self, node: ast.BinOp, depth: int) -> Term:
        left = self._number(self.term(node.left, depth + 1))
        right = self._number(self.term(node.right, depth + 1))
        sign = _ARITHMETIC[type(node.op)]
        return Term(Kind.NUMBER, lambda lookup: _computed(sign, left(lookup), right(lookup)), node)

    def _comparison(self, node: ast.Compare, depth: int) -> Term:
        sides = [self.term(side, depth + 1) for side in (node.left, *node.comparators)]
        tests = [
            compared(left, sign, right, self._text)
            for left, sign, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return Term(Kind.BOOLEAN, lambda lookup: all(test(lookup) for test in tests), node)

    def _condition(self, node: ast.expr, depth: int) -> Callable[[Lookup], bool]:
        term = self.term(node, depth + 1)
        if term.kind is not Kind.BOOLEAN or term.is_list:
            what = f"{self._text.excerpt(node)} is {term.described}"
            raise self._text.error(node, what, "a comparison beside and, or and not")
        value = term.value
        return lambda lookup: bool(value(lookup))

    def _number(self, term: Term) -> Callable[[Lookup], Any]:
        if term.kind is not Kind.NUMBER or term.is_list:
            what = f"{self._text.excerpt(term.node)} is {term.described}"
            raise self._text.error(term.node, what, "numbers around + - * / // %")
        return term.value


def _signed(sign: Callable[[Any], Any], number: Any) -> Any:
    return None if number is None else sign(number)


def _computed(sign: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The result; missing if a number is, and if there is none, as of a division by 0."""
    if left is None or right is None:
        return None
    try:
        result = sign(left, right)
    except (ZeroDivisionError, OverflowError):
        return None
    return result if math.isfinite(result) else None
