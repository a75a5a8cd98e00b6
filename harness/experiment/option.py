"""Declared options: the fields of a dataclass with their types, limits and help.

A field is declared once, as ``Annotated[type, Meta(...)]`` with a default. The command
line takes its options and help from the declaration, and every value is checked against
it, whether it comes from the command line, a TOML file or Python.
"""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar, get_type_hints

import msgspec
from msgspec import inspect

from harness.arguments import invalid, items_of, unboxed
from harness.errors import InputError, OptionError, meant, one_of
from harness.integers import is_writable

_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Option:
    """A declared option.

    The keys of ``Meta.extra`` are `metavar`; `flag`, if it is not the name of the field;
    `unit` of a number; and `value`, the expected value in words, for text.
    """

    name: str
    """Name of the field in Python and TOML."""
    default: object
    """Default value; None if the option is required."""
    help: str
    flag: str
    """Name on the command line, such as ``--until-stable``."""
    metavar: str
    scalar: type
    """Type of a value, or of one value of a list."""
    is_list: bool
    expected: str
    """Valid values in words, for messages."""
    annotation: Any
    """Type with its limits, as `msgspec.convert` takes it."""

    def checked(self, value: object) -> object:
        """Return `value` in the type of the option, without duplicates in a list.

        A list may be given as one value, or as anything that yields values.

        Raises:
            OptionError: `value` has a wrong type or is out of range; `where` is the name.
        """
        value = unboxed(value)
        if self.is_list and (items := items_of(value)) is not None:
            if not items:
                raise OptionError("none given", where=self.name, expected=self.expected)
            if issubclass(self.scalar, StrEnum):
                items = [parse_choice(self.scalar, item, self.name) for item in items]
            value = items
        try:
            converted: object = msgspec.convert(value, self.annotation)
        except (msgspec.ValidationError, UnicodeEncodeError):  # text with a lone surrogate
            raise self._invalid(value) from None
        if isinstance(converted, float) and not math.isfinite(converted):
            raise self._invalid(value)
        if isinstance(converted, int) and not is_writable(converted):
            raise self._invalid(value)
        return tuple(dict.fromkeys(converted)) if isinstance(converted, tuple) else converted

    def parsed(self, text: str) -> object:
        """Return the value, or one value of a list, that `text` on a command line stands for.

        Raises:
            OptionError: `text` is not a valid value; `where` is the name.
        """
        if issubclass(self.scalar, StrEnum):
            return parse_choice(self.scalar, text, self.name)
        if self.is_list or self.scalar is str:
            return text
        try:
            return self.checked(msgspec.convert(text, self.scalar, strict=False))
        except msgspec.ValidationError:
            raise self._invalid(text) from None

    @property
    def default_text(self) -> str:
        """The default as the user types it; empty without a default."""
        return "" if self.default is None else self.text_of(self.default)

    def text_of(self, value: object) -> str:
        """A value as the user types it."""
        values = value if isinstance(value, tuple) else (value,)
        return " ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values)

    def _invalid(self, value: object) -> InputError:
        return invalid(self.name, value, self.expected)


@lru_cache
def options_of(kind: type) -> Mapping[str, Option]:
    """The options that the dataclass `kind` declares, by name, in its order."""
    hints = get_type_hints(kind, include_extras=True)
    defaults = {f.name: None if f.default is MISSING else f.default for f in fields(kind)}
    return {name: _option(name, hints[name], default) for name, default in defaults.items()}


def check_names(kind: type, values: Mapping[str, object]) -> None:
    """Check that the dataclass `kind` declares every option in `values`.

    Raises:
        OptionError: a name is unknown; the error lists the valid names.
    """
    known = options_of(kind)
    for name in values:
        if name not in known:
            raise OptionError(
                f"unknown option {name!r}{meant(name, known)}", expected=one_of([*known])
            )


def parse_choice(kind: type[_Choice], text: object, name: str) -> _Choice:
    """Return the member of `kind` called `text`, for the option `name`.

    Raises:
        OptionError: `text` is not a member; the error lists the members.
    """
    if isinstance(text, str):
        with suppress(ValueError):
            return kind(text)
    members = [str(member) for member in kind]
    error = invalid(name, text, one_of(members))
    if isinstance(text, str) and (similar := meant(text, members)):
        error = OptionError(f"{error.what}{similar}", where=name, expected=error.expected)
    raise error


def _option(name: str, annotation: Any, default: object) -> Option:
    declared = inspect.type_info(annotation)
    assert isinstance(declared, inspect.Metadata), f"{name} is declared without Meta"
    extra = declared.extra or {}
    help_text = (declared.extra_json_schema or {}).get("description", "")
    kind = declared.type
    is_list = isinstance(kind, inspect.VarTupleType)
    if isinstance(kind, inspect.VarTupleType):
        kind = kind.item_type
    if isinstance(kind, inspect.UnionType):
        (kind,) = [part for part in kind.types if not isinstance(part, inspect.NoneType)]
    scalar: type
    match kind:
        case inspect.EnumType():
            scalar = kind.cls
            choices = [str(member) for member in kind.cls]
            metavar, expected = "|".join(choices), f"a list with any of {', '.join(choices)}"
        case inspect.IntType():
            scalar, metavar = int, extra["metavar"]
            expected = _number("whole number", extra.get("unit", ""), kind)
        case inspect.FloatType():
            scalar, metavar = float, extra["metavar"]
            expected = _number("number", extra.get("unit", ""), kind)
        case _:
            scalar, metavar, expected = str, extra["metavar"], extra["value"]
    flag = extra.get("flag", f"--{name.replace('_', '-')}")
    return Option(name, default, help_text, flag, metavar, scalar, is_list, expected, annotation)


def _number(noun: str, unit: str, kind: inspect.IntType | inspect.FloatType) -> str:
    text = f"a {noun} of {unit}" if unit else f"a {noun}"
    if kind.ge is not None and kind.le is not None:
        return f"{text} from {kind.ge} to {kind.le}"
    if kind.gt is not None:
        return f"{text} greater than {kind.gt:g}"
    if kind.ge is not None:
        return f"{text}{',' if unit else ' of'} at least {kind.ge:g}"
    return text
