"""Checks of arguments of the Python API: a wrong type is an error that names the argument."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from harness.errors import InputError, OptionError
from harness.text import short_repr


def invalid(
    name: str, value: object, expected: str, kind: type[InputError] = OptionError
) -> InputError:
    """The error of an argument: its name, the value, and what is expected."""
    return kind(f"invalid value {short_repr(value)}", where=name, expected=expected)


def require(
    value: object,
    types: type | tuple[type, ...],
    name: str,
    expected: str,
    kind: type[InputError] = OptionError,
) -> None:
    """Check that an argument has one of these types.

    Raises:
        InputError: it has another one; the error is of this kind.
    """
    if not isinstance(value, types):
        raise invalid(name, value, expected, kind)


def path_of(value: object, name: str, expected: str, kind: type[InputError] = OptionError) -> Path:
    """The path that an argument gives, as text or as a `Path`.

    Raises:
        InputError: it is neither, it is empty, or it has a NUL character.
    """
    if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
        raise invalid(name, value, expected, kind)
    return Path(value)


def flag_of(value: object, name: str) -> bool:
    """The value of an argument that is True or False, as Python or numpy has them.

    Raises:
        OptionError: it is something else.
    """
    plain = unboxed(value)
    if not isinstance(plain, bool):
        raise invalid(name, value, "True or False")
    return plain


def unboxed(value: object) -> object:
    """A scalar of numpy as the value of Python; anything else as it is."""
    is_numpy = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
    return value.item() if is_numpy else value  # type: ignore[attr-defined]


def items_of(value: object) -> list[object] | None:
    """The items of an argument that takes one value or several; None if it takes neither.

    Text and a `Path` are one value. Sets are sorted, so that the order does not depend on
    chance. Mappings and bytes are neither.
    """
    value = unboxed(value)
    if isinstance(value, str | Path):
        items: list[object] = [value]
    elif isinstance(value, bytes | bytearray | memoryview | Mapping | type):
        return None
    elif isinstance(value, Iterable):
        items = list(cast("Iterable[object]", value))
        if isinstance(value, set | frozenset):
            items.sort(key=str)
    else:
        return None
    return [str(item) if isinstance(item, str | Path) else item for item in items]
