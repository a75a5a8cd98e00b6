"""Terms: parts of a condition with the type of their value and how it is computed."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.errors import OptionError
from harness.features.declared import FEATURES, Described, Feature, Kind, number_in


class Lookup:
    """The values of one puzzle, each computed at most once; None stands for a missing one."""

    def __init__(self, of: Described) -> None:
        self._of = of
        self._known: dict[str, Any] = {}

    def feature(self, name: str) -> Any:
        """The value of a feature."""
        if name not in self._known:
            self._known[name] = FEATURES[name].value(self._of)
        return self._known[name]

    def number(self, name: str) -> float | None:
        """The number in a field of the file."""
        return number_in(self._of, name)

    def text(self, name: str) -> str | None:
        """The text of a field of the file."""
        return self._of.fields.get(name)


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a condition."""

    kind: Kind | None
    """The type of its value, or of the items of a list; None for the constant ``None``."""
    value: Callable[[Lookup], Any]
    """Its value, from those of features; None if it is missing."""
    node: ast.expr
    """Where it stands."""
    is_list: bool = False
    """Whether it is a list in brackets."""
    constants: tuple[str, ...] | None = None
    """Its texts, if it is a text constant or a list of them; otherwise None."""
    feature: Feature | None = None
    """The feature that it names, if it is a name."""

    @property
    def described(self) -> str:
        """Its type in words."""
        if self.kind is None:
            return "None"
        return f"a list in brackets, each item {self.kind}" if self.is_list else str(self.kind)


class Text:
    """The text of a condition, with the places of its parts."""

    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, node: ast.AST, what: str, expected: str) -> OptionError:
        """The error of a part."""
        row = getattr(node, "lineno", 1)
        before = self.text.split("\n")[row - 1].encode()[: getattr(node, "col_offset", 0)]
        return self.error_at(row, len(before.decode(errors="replace")) + 1, what, expected)

    def error_at(self, row: int, column: int, what: str, expected: str) -> OptionError:
        """The error in this column of this row, both from 1."""
        place = f"line {row}, column {column}" if "\n" in self.text else f"column {column}"
        return OptionError(f"{what} in {place}", where="where", expected=expected)

    def excerpt(self, node: ast.AST) -> str:
        """The beginning of the text of a part."""
        found = ast.get_source_segment(self.text, node) or ""
        return found if len(found) <= _LONGEST else f"{found[:_LONGEST]}..."


_LONGEST = 40
