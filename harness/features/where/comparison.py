"""Comparisons in conditions: which types go with which operator, and their values.

A comparison with a missing value is false, whatever its operator; ``is None`` finds missing
values.
"""

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

from harness.errors import InputError, OptionError, meant, one_of
from harness.features.declared import Kind
from harness.features.where.term import Lookup, Term, Text
from harness.puzzles.shape import Shape

_ORDERS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_EQUALITIES: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_SYMBOLS: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}

Test = Callable[[Lookup], bool]


def compared(left: Term, sign: ast.cmpop, right: Term, text: Text) -> Test:
    """The test of one comparison.

    Args:
        left: its left side.
        sign: the operator.
        right: its right side.
        text: the text of the condition, for errors.

    Raises:
        OptionError: the types do not go with the operator, or a text never occurs.
    """
    symbol = _SYMBOLS[type(sign)]
    if isinstance(sign, ast.Is | ast.IsNot):
        return _is_missing(left, sign, right, text)
    if left.kind is None or right.kind is None:
        raise text.error(left.node, f"{symbol} with None", "is None, or is not None")
    if isinstance(sign, ast.In | ast.NotIn):
        return _is_member(left, sign, right, text)
    if left.is_list or right.is_list:
        side = left if left.is_list else right
        raise text.error(side.node, f"{symbol} with {side.described}", "in with a list")
    if type(sign) in _ORDERS:
        for side in (left, right):
            if side.kind is not Kind.NUMBER:
                what = f"{text.excerpt(side.node)}, which is {side.described}, beside {symbol}"
                raise text.error(side.node, what, "numbers on both sides")
        return _both(_ORDERS[type(sign)], left, right)
    if Kind.TEXTS in (left.kind, right.kind):
        side = left if left.kind is Kind.TEXTS else right
        what = f"{symbol} with {text.excerpt(side.node)}, which is {side.described}"
        raise text.error(side.node, what, f"'text' in {text.excerpt(side.node)}")
    left, right = _as_shapes(left, right, text)
    _check_same(left, symbol, right, text)
    _check_choices(left, right, text)
    _check_choices(right, left, text)
    return _both(_EQUALITIES[type(sign)], left, right)


def _is_missing(left: Term, sign: ast.cmpop, right: Term, text: Text) -> Test:
    if right.kind is not None or left.kind is None:
        raise text.error(right.node, f"{_SYMBOLS[type(sign)]} without None", "== or !=")
    wanted = isinstance(sign, ast.Is)
    value = left.value
    return lambda lookup: (value(lookup) is None) is wanted


def _is_member(left: Term, sign: ast.cmpop, right: Term, text: Text) -> Test:
    symbol = _SYMBOLS[type(sign)]
    if left.is_list:
        raise text.error(left.node, f"{left.described} before {symbol}", "one value")
    if right.is_list:
        left, right = _as_shapes(left, right, text)
        _check_same(left, symbol, right, text)
        _check_choices(right, left, text)
        test: Callable[[Any, Any], bool] = lambda one, others: one in others  # noqa: E731
    elif right.kind is Kind.TEXTS and left.kind is Kind.TEXT:
        _check_choices(left, right, text)
        test = lambda one, others: one in others  # noqa: E731
    elif right.kind in (Kind.TEXT, Kind.SHAPE) and left.kind is Kind.TEXT:
        test = lambda part, whole: part in str(whole)  # noqa: E731
    else:
        what = (
            f"{text.excerpt(left.node)}, which is {left.described}, "
            f"{symbol} {text.excerpt(right.node)}, which is {right.described}"
        )
        raise text.error(left.node, what, f"value {symbol} [list], or 'text' {symbol} text")
    if isinstance(sign, ast.In):
        return _both(test, left, right)
    return _both(lambda one, others: not test(one, others), left, right)


def _both(test: Callable[[Any, Any], bool], left: Term, right: Term) -> Test:
    """The test of both values; false if one is missing."""
    one, other = left.value, right.value

    def value(lookup: Lookup) -> bool:
        first = one(lookup)
        if first is None:
            return False
        second = other(lookup)
        return second is not None and test(first, second)

    return value


def _check_same(left: Term, symbol: str, right: Term, text: Text) -> None:
    if left.kind is not right.kind:
        what = f"{text.excerpt(left.node)} is {left.kind}, {text.excerpt(right.node)} is "
        what += "a list with others" if right.is_list else f"{right.kind}"
        raise text.error(right.node, what, f"values of one type around {symbol}")


def _check_choices(left: Term, right: Term, text: Text) -> None:
    """Check that text constants on the left are some of those that a feature can have."""
    if left.constants is None or right.feature is None or not right.feature.choices:
        return
    for constant in left.constants:
        if constant not in right.feature.choices:
            similar = meant(constant, right.feature.choices)
            what = f"unknown text {constant!r} for {right.feature.name}{similar}"
            raise text.error(left.node, what, one_of(right.feature.choices))


def _as_shapes(left: Term, right: Term, text: Text) -> tuple[Term, Term]:
    """Both sides, with names of shapes as shapes if the other side is a shape."""
    if left.kind is Kind.SHAPE and right.constants is not None:
        return left, _shapes(right, text)
    if right.kind is Kind.SHAPE and not right.is_list and left.constants is not None:
        return _shapes(left, text), right
    return left, right


def _shapes(term: Term, text: Text) -> Term:
    shapes = []
    for constant in term.constants or ():
        try:
            shapes.append(Shape.parse(constant))
        except InputError as error:
            raise _unknown_shape(term, error, text) from None
    value: Any = tuple(shapes) if term.is_list else shapes[0]
    return Term(Kind.SHAPE, lambda _: value, term.node, term.is_list)


def _unknown_shape(term: Term, error: InputError, text: Text) -> OptionError:
    return text.error(term.node, error.what, error.expected)
