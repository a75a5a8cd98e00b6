"""Conditions on puzzles: ``clues < 20 and shape == '9x9'``.

A comparison with a missing value is false, whatever its operator; ``is None`` finds missing
values.

`ast` parses the text; `_Parser` accepts only nodes that it knows, checks the types of all parts
and makes a function of each. The text itself is never executed.
"""

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from harness.base.errors import InputError, OptionError, not_among, one_of, suggestion
from harness.base.text import encodable, number_of, short_repr, shortened
from harness.puzzles.datasets.catalogue import Dataset
from harness.puzzles.datasets.features import (
    FEATURES,
    Described,
    Feature,
    FeatureType,
    number_in,
)
from harness.puzzles.puzzle import Instance
from harness.puzzles.shape import Shape

if TYPE_CHECKING:
    from harness.puzzles.formats import ParsedPuzzle

# Terms: parts of a condition with the type of their value and how it is computed.


class Lookup(dict[str, Any]):
    """The features of one puzzle by name, each computed at its first use; None if missing."""

    def __init__(self, entry: Described) -> None:
        super().__init__()
        self.entry = entry

    def __missing__(self, name: str) -> Any:
        value = self[name] = FEATURES[name].value(self.entry)
        return value


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a condition."""

    kind: FeatureType | None
    """The type of its value, or of the items of a list; None for the constant ``None``."""
    value: Callable[[Lookup], Any]
    """Computes its value for a puzzle; None if the value is missing."""
    node: ast.expr
    """Its node in the syntax tree, which has its place in the text."""
    is_list: bool = False
    """Whether it is a list in brackets."""
    constants: tuple[str, ...] | None = None
    """Its texts, if it is a text constant or a list of them; otherwise None."""
    feature: Feature | None = None
    """The feature that it names, if it is a name."""

    @property
    def type_name(self) -> str:
        """Its type in words."""
        if self.kind is None:
            return "None"
        return f"a list in brackets, each item {self.kind}" if self.is_list else str(self.kind)


_LONGEST = 40


class Text:
    """The text of a condition, with the places of its parts."""

    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, node: ast.AST, problem: str, expected: str) -> OptionError:
        """The error for a part of the text."""
        row = getattr(node, "lineno", 1)
        before = self.text.split("\n")[row - 1].encode()[: getattr(node, "col_offset", 0)]
        return self.error_at(row, len(before.decode(errors="replace")) + 1, problem, expected)

    def error_at(self, row: int, column: int, problem: str, expected: str) -> OptionError:
        """The error at a row and a column, both from 1."""
        place = f"line {row}, column {column}" if "\n" in self.text else f"column {column}"
        return OptionError(f"{problem} in {place}", where="where", expected=expected)

    def excerpt(self, node: ast.AST) -> str:
        """The beginning of the text of a part."""
        source = ast.get_source_segment(self.text, node) or ""
        return source if len(source) <= _LONGEST else f"{source[:_LONGEST]}..."


# Comparisons in conditions: which types go with which operator, and their values.


_SIGNS: Final[dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], bool]]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.In: ("in", lambda value, values: value in values),
    ast.NotIn: ("not in", lambda value, values: value not in values),
    ast.Is: ("is", operator.is_),
    ast.IsNot: ("is not", operator.is_not),
}
"""Each operator as text, and its test of two values."""

Test = Callable[[Lookup], bool]


def comparison(left: Term, sign: ast.cmpop, right: Term, text: Text) -> Test:
    """The test of one comparison.

    Args:
        left: its left side.
        sign: the operator.
        right: its right side.
        text: the text of the condition, for errors.

    Raises:
        OptionError: the types do not go with the operator, or a text never occurs.
    """
    symbol, test = _SIGNS[type(sign)]
    if isinstance(sign, ast.Is | ast.IsNot):
        if right.kind is not None or left.kind is None:
            raise text.error(right.node, f"{symbol} without None", "== or !=")
        value = left.value
        return lambda lookup: test(value(lookup), None)
    if left.kind is None or right.kind is None:
        raise text.error(left.node, f"{symbol} with None", "is None, or is not None")
    if isinstance(sign, ast.In | ast.NotIn):
        return _is_member(left, symbol, test, right, text)
    if left.is_list or right.is_list:
        side = left if left.is_list else right
        raise text.error(side.node, f"{symbol} with {side.type_name}", "in with a list")
    if not isinstance(sign, ast.Eq | ast.NotEq):
        for side in (left, right):
            if side.kind is not FeatureType.NUMBER:
                problem = f"{text.excerpt(side.node)}, which is {side.type_name}, next to {symbol}"
                raise text.error(side.node, problem, "numbers on both sides")
        return _both(test, left, right)
    if FeatureType.TEXTS in (left.kind, right.kind):
        side = left if left.kind is FeatureType.TEXTS else right
        problem = f"{symbol} with {text.excerpt(side.node)}, which is {side.type_name}"
        raise text.error(side.node, problem, f"'text' in {text.excerpt(side.node)}")
    left, right = _as_shapes(left, right, text)
    _check_same(left, symbol, right, text)
    _check_choices(left, right, text)
    _check_choices(right, left, text)
    return _both(test, left, right)


def _is_member(
    left: Term, symbol: str, test: Callable[[Any, Any], bool], right: Term, text: Text
) -> Test:
    if left.is_list:
        raise text.error(left.node, f"{left.type_name} before {symbol}", "one value")
    if right.is_list:
        left, right = _as_shapes(left, right, text)
        _check_same(left, symbol, right, text)
        _check_choices(right, left, text)
        return _both(test, left, right)
    if left.kind is FeatureType.TEXT and right.kind is FeatureType.TEXTS:
        _check_choices(left, right, text)
        return _both(test, left, right)
    if left.kind is FeatureType.TEXT and right.kind in (FeatureType.TEXT, FeatureType.SHAPE):
        return _both(lambda part, whole: test(part, str(whole)), left, right)
    problem = (
        f"{text.excerpt(left.node)}, which is {left.type_name}, "
        f"{symbol} {text.excerpt(right.node)}, which is {right.type_name}"
    )
    raise text.error(left.node, problem, f"value {symbol} [list], or 'text' {symbol} text")


def _both(test: Callable[[Any, Any], bool], left: Term, right: Term) -> Test:
    """The test of both values; false if one is missing."""
    left_value, right_value = left.value, right.value

    def value(lookup: Lookup) -> bool:
        first = left_value(lookup)
        if first is None:
            return False
        second = right_value(lookup)
        return second is not None and test(first, second)

    return value


def _check_same(left: Term, symbol: str, right: Term, text: Text) -> None:
    if left.kind is not right.kind:
        problem = f"{text.excerpt(left.node)} is {left.kind}, {text.excerpt(right.node)} is "
        problem += "a list with others" if right.is_list else f"{right.kind}"
        raise text.error(right.node, problem, f"values of one type around {symbol}")


def _check_choices(left: Term, right: Term, text: Text) -> None:
    """Check that a feature on the right can have the text constants on the left."""
    if left.constants is None or right.feature is None or not right.feature.choices:
        return
    for constant in left.constants:
        if constant not in right.feature.choices:
            similar = suggestion(constant, right.feature.choices)
            problem = f"unknown text {constant!r} for {right.feature.name}{similar}"
            raise text.error(left.node, problem, one_of(right.feature.choices))


def _as_shapes(left: Term, right: Term, text: Text) -> tuple[Term, Term]:
    """Both sides, with names of shapes as shapes if the other side is a shape."""
    if left.kind is FeatureType.SHAPE and right.constants is not None:
        return left, _shapes(right, text)
    if right.kind is FeatureType.SHAPE and not right.is_list and left.constants is not None:
        return _shapes(left, text), right
    return left, right


def _shapes(term: Term, text: Text) -> Term:
    try:
        shapes = [*map(Shape.parse, term.constants or ())]
    except InputError as error:
        raise text.error(term.node, error.what, error.expected) from None
    value: Any = tuple(shapes) if term.is_list else shapes[0]
    return Term(FeatureType.SHAPE, lambda _: value, term.node, term.is_list)


# The syntax of conditions: a part of that of expressions of Python.


LONGEST: Final = 10_000
"""Maximum number of characters of a condition."""
_DEEPEST: Final = 50
"""Maximum number of levels of nested parts."""

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


def parse(text: str) -> tuple[Term, frozenset[str]]:
    """The condition that `text` states, and the fields of files that it names.

    Raises:
        OptionError: the text is not a condition; the error has the column.
    """
    if len(text) > LONGEST:
        raise OptionError(
            f"{len(text):,} characters", where="where", expected=f"at most {LONGEST:,} characters"
        )
    text = text.strip()
    if "\0" in text or encodable(text) != text:
        problem = "a NUL character or a lone surrogate"
        raise OptionError(problem, where="where", expected=_CONDITION)
    if not text:
        raise OptionError("empty", where="where", expected=_CONDITION)
    parser = _Parser(Text(text))
    term = parser.term(_tree(text), 0)
    if term.kind is not FeatureType.BOOLEAN or term.is_list:
        raise Text(text).error(term.node, f"the expression is {term.type_name}", _CONDITION)
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
        problem = (error.msg or "invalid syntax").partition(". Perhaps")[0]
        if problem.startswith("Exceeds the limit"):
            problem = _MANY_DIGITS
        raise Text(text).error_at(row, column, problem, _CONDITION) from None
    except (ValueError, RecursionError, MemoryError) as error:
        problem = _MANY_DIGITS if isinstance(error, ValueError) else "too many nested parts"
        raise OptionError(problem, where="where", expected=_CONDITION) from None
    if inside:
        starts = (tree.lineno, tree.col_offset) == (1, 0)
        if starts and isinstance(tree, ast.BoolOp | ast.BinOp | ast.Compare):
            # The bracket that was added before the text is closed within it.
            raise OptionError("unmatched ')'", where="where", expected=_CONDITION)
        for node in ast.walk(tree):
            if getattr(node, "lineno", 0) == 1:
                node.col_offset -= 1  # type: ignore[attr-defined]
            if getattr(node, "end_lineno", 0) == 1:
                node.end_col_offset -= 1  # type: ignore[attr-defined]
    return tree


class _Parser:
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
        if depth > _DEEPEST:
            problem = f"more than {_DEEPEST} nested parts"
            raise self._text.error(node, problem, "a shorter condition")
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
                return Term(FeatureType.BOOLEAN, lambda lookup: not inner(lookup), node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                number = self._number(node.operand, depth)
                factor = -1 if isinstance(node.op, ast.USub) else 1
                return Term(
                    FeatureType.NUMBER,
                    lambda lookup: _compute(operator.mul, factor, number(lookup)),
                    node,
                )
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return self._arithmetic(node, depth)
            case ast.BoolOp():
                parts = [self._condition(part, depth) for part in node.values]
                every = all if isinstance(node.op, ast.And) else any
                return Term(
                    FeatureType.BOOLEAN, lambda lookup: every(part(lookup) for part in parts), node
                )
            case ast.Compare():
                return self._comparison(node, depth)
            case _:
                problem = f"{self._text.excerpt(node)} is not part of a condition"
                raise self._text.error(node, problem, _OPERATORS)

    def _constant(self, node: ast.Constant) -> Term:
        value = node.value
        if isinstance(value, bool):
            return Term(FeatureType.BOOLEAN, lambda _: value, node)
        if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
            return Term(FeatureType.NUMBER, lambda _: value, node)
        if isinstance(value, str):
            return Term(FeatureType.TEXT, lambda _: value, node, constants=(value,))
        if value is None:
            return Term(None, lambda _: None, node)
        problem = f"{self._text.excerpt(node)} is not a value"
        raise self._text.error(node, problem, "a finite number, or a text in quotation marks")

    def _name(self, node: ast.Name) -> Term:
        name = node.id
        if name not in FEATURES:
            problem = f"unknown name {shortened(name)!r}"
            expected = f"a text in quotation marks, or {one_of(list(FEATURES))}"
            error = not_among(OptionError, problem, name, FEATURES, expected=expected)
            raise self._text.error(node, error.what, error.expected)
        feature = FEATURES[name]
        return Term(feature.kind, lambda lookup: lookup[name], node, feature=feature)

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
                    return Term(
                        FeatureType.NUMBER, lambda lookup: number_in(lookup.entry, name), node
                    )
                return Term(FeatureType.TEXT, lambda lookup: lookup.entry.fields.get(name), node)
            case _:
                problem = f"{self._text.excerpt(node)} is not part of a condition"
                expected = "number('NAME') or text('NAME'), a field of the file"
                raise self._text.error(node, problem, expected)

    def _list(self, node: ast.expr, items: Sequence[Term]) -> Term:
        if not items:
            raise self._text.error(node, "an empty list", "a list with values")
        kind = items[0].kind
        for item in items:
            if item.is_list or item.kind in (None, FeatureType.TEXTS) or item.kind is not kind:
                problem = f"{self._text.excerpt(item.node)} in a list"
                raise self._text.error(item.node, problem, "a list with values of one type")
        constants = [text for item in items for text in item.constants or ()]
        return Term(
            kind,
            lambda lookup: tuple(item.value(lookup) for item in items),
            node,
            is_list=True,
            constants=tuple(constants) if len(constants) == len(items) else None,
        )

    def _arithmetic(self, node: ast.BinOp, depth: int) -> Term:
        left, right = self._number(node.left, depth), self._number(node.right, depth)
        sign = _ARITHMETIC[type(node.op)]
        return Term(
            FeatureType.NUMBER, lambda lookup: _compute(sign, left(lookup), right(lookup)), node
        )

    def _comparison(self, node: ast.Compare, depth: int) -> Term:
        sides = [self.term(side, depth + 1) for side in (node.left, *node.comparators)]
        tests = [
            comparison(left, sign, right, self._text)
            for left, sign, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return Term(FeatureType.BOOLEAN, lambda lookup: all(test(lookup) for test in tests), node)

    def _condition(self, node: ast.expr, depth: int) -> Callable[[Lookup], Any]:
        return self._part(node, depth, FeatureType.BOOLEAN, "comparisons around and, or and not")

    def _number(self, node: ast.expr, depth: int) -> Callable[[Lookup], Any]:
        return self._part(node, depth, FeatureType.NUMBER, "numbers around + - * / // %")

    def _part(
        self, node: ast.expr, depth: int, kind: FeatureType, expected: str
    ) -> Callable[[Lookup], Any]:
        """The value of a part of the term at this `depth`, which must be of this `kind`."""
        term = self.term(node, depth + 1)
        if term.kind is not kind or term.is_list:
            raise self._text.error(
                node, f"{self._text.excerpt(node)} is {term.type_name}", expected
            )
        return term.value


def _compute(sign: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The result; None if a number is missing or no finite result exists, as for x / 0."""
    if left is None or right is None:
        return None
    try:
        result = sign(left, right)
    except (ZeroDivisionError, OverflowError):
        return None
    return result if math.isfinite(result) else None


# A condition on puzzles, as ``--where`` takes it.


@dataclass(frozen=True, slots=True)
class Where:
    """A condition, such as ``clues < 20 and shape == '9x9'``.

    The names are those of `FEATURES`; ``number('difficulty')`` and ``text('label')`` are
    fields of the puzzle's file. A feature is computed only for a puzzle whose answer
    depends on it: ``and`` and ``or`` stop at the first part that decides.
    """

    text: str
    """The condition as it was written."""
    term: Term
    fields: frozenset[str] = frozenset()
    """The fields of files that it names."""

    @staticmethod
    def parse(text: str) -> "Where":
        """The condition that `text` states.

        Raises:
            OptionError: the text is not a condition: the syntax, a name or a type is wrong; the
                error has the column, and ``where`` as the name of the option.
        """
        if not isinstance(text, str):
            raise OptionError(
                f"invalid value {short_repr(text)}", where="where", expected="a condition as text"
            )
        return Where(text, *parse(text))

    def accepts(self, record: "Instance | ParsedPuzzle", dataset: str = "") -> bool:
        """Whether the condition holds.

        Args:
            record: the puzzle with the information of its file.
            dataset: the name of its dataset.
        """
        return bool(self.term.value(Lookup(Described.from_record(record, dataset))))

    def require_met(self, sizes: Mapping[str, int], matches: int, fields: Set[str]) -> None:
        """Check that a puzzle met the condition, and that each field in it occurs in a puzzle.

        Args:
            sizes: the number of puzzles of each dataset, by its name.
            matches: the number of puzzles that met the condition.
            fields: the fields of the puzzles.

        Raises:
            OptionError: no puzzle met the condition, or no puzzle has one of its fields.
        """
        for name in sorted(self.fields - fields):
            problem = f"no puzzle has a field {short_repr(name)}"
            expected = None if fields else "a file with fields"
            raise not_among(
                OptionError, problem, name, sorted(fields), where="where", expected=expected
            )
        if not matches:
            every = ", ".join(f"{name} has {number_of(n, 'puzzle')}" for name, n in sizes.items())
            raise OptionError(
                f"no puzzle meets {self.text.strip()}: {every}",
                where="where",
                expected="a condition that at least one puzzle meets",
            )

    def choose(self, datasets: Sequence[Dataset]) -> list[Dataset]:
        """The datasets with only those instances that meet the condition.

        A dataset without such instances is left out.

        Raises:
            OptionError: as `require_met`.
        """
        subsets, fields = [], set[str]()
        for dataset in datasets:
            matches = tuple(i for i in dataset.instances if self.accepts(i, dataset.name))
            others = len(dataset.instances) - len(matches)
            subsets.append(replace(dataset, instances=matches, excluded=others))
            fields.update(*(instance.fields for instance in dataset.instances))
        sizes = {dataset.name: len(dataset.instances) for dataset in datasets}
        self.require_met(sizes, sum(len(dataset.instances) for dataset in subsets), fields)
        return [dataset for dataset in subsets if dataset.instances]

    def __str__(self) -> str:
        return self.text
