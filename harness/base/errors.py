"""Errors of the harness, and checks of arguments of the Python API."""

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self, TypeVar, cast

from harness.base.text import described, short_repr

# Errors of the harness; `HarnessError` is their common base.


class HarnessError(Exception):
    """Base of all errors of the harness."""


class InputError(HarnessError, ValueError):
    """Invalid input.

    The message is one line: the place (file, line and column if known), the problem and
    the expected input. The command line prints it and exits with code 2.

    Attributes:
        what: the problem.
        where: its place, for example ``puzzles.txt:3:17`` or the name of an option;
            empty if unknown.
        expected: valid input; empty if unknown. It names options as the command line does;
            outside `command_line` the message names them as arguments in Python.
    """

    def __init__(self, problem: str, *, where: str = "", expected: str = "") -> None:
        self.what = problem
        self.where = where
        self.expected = expected
        super().__init__(problem)

    def __str__(self) -> str:
        where, expected = self.where, self.expected
        if not _on_command_line:
            where, expected = _in_python(where), _in_python(expected)
        message = f"{where}: {self.what}" if where else self.what
        return f"{message}; expected {expected}" if expected else message

    def at(self, where: str) -> Self:
        """Return the same error, located at `where`."""
        return type(self)(self.what, where=where, expected=self.expected)


_on_command_line = False
_FLAG: Final = re.compile(
    r"--([a-z][a-z-]+)(?: (?!(?:or|and|for|to)\b)([\w.+|-]+(?:[:/]+[\w.+|-]+)*))?"
)
_COMMAND: Final = re.compile(r"\b(?:pip|harness) [a-z]")
"""A command to type; its options stay as they are."""


@contextmanager
def command_line() -> Iterator[None]:
    """Let messages name options as the command line does: ``--shape latin5``."""
    global _on_command_line
    before, _on_command_line = _on_command_line, True
    try:
        yield
    finally:
        _on_command_line = before


def _in_python(text: str) -> str:
    """Name options as arguments of functions: ``shape='latin5'``."""

    def argument(match: re.Match[str]) -> str:
        name, value = match[1].replace("-", "_"), match[2]
        if value is None:
            return name
        return f"{name}={value}" if value.isupper() or value.isdigit() else f"{name}={value!r}"

    return text if _COMMAND.search(text) else _FLAG.sub(argument, text)


class PuzzleError(InputError):
    """A puzzle, a shape or a puzzle file is malformed, or does not exist."""


class UnknownBackendError(InputError):
    """A backend does not exist, or a file or class is not a backend."""


class BackendUnavailableError(InputError):
    """A backend cannot be used here, for example because its library is missing."""


class NoBackendError(BackendUnavailableError):
    """No backend of a sweep can be used here."""


class OptionError(InputError):
    """An option is unknown or missing, or its value has a wrong type or is out of range."""


class RunError(InputError):
    """A folder does not contain a run, or contains one of an unsupported version."""


class StoreDamagedError(RunError):
    """The store of a run is damaged, or the file is not a store."""


class StorageError(HarnessError):
    """Results cannot be written, for example because the disk is full.

    Results written before are intact. The command line exits with code 3.
    """


@contextmanager
def located(
    place: str | Callable[[str], str], kind: type[InputError] = OptionError
) -> Iterator[None]:
    """Relocate the errors of class `kind` that the block raises.

    Args:
        place: the new place, or a function that derives it from the place of the error.
        kind: the class of errors; others pass unchanged.
    """
    try:
        yield
    except kind as error:
        raise error.at(place if isinstance(place, str) else place(error.where)) from None


@contextmanager
def failures_described(
    problem: str, kind: type[InputError] = InputError, *, where: str = "", expected: str = ""
) -> Iterator[None]:
    """Turn the exceptions of another package's code into a one-line error.

    Errors of the harness pass unchanged.

    Args:
        problem: what failed; the exception follows it: ``PROBLEM: ValueError: no value``.
        kind: the class of the error.
        where: its place.
        expected: what is expected of the code.

    Raises:
        InputError: the block raised an exception; the class of the error is `kind`.
    """
    try:
        yield
    except HarnessError:
        raise
    except (Exception, SystemExit) as error:
        raise kind(f"{problem}: {described(error)}", where=where, expected=expected) from error


def within(path: Path, where: str) -> str:
    """The place `where` in the file at `path`; the path alone if `where` is empty."""
    return f"{path}: {where}" if where else str(path)


def unwritable(path: object, error: OSError) -> HarnessError:
    """The error for a file that cannot be written: `StorageError` if the device is full or broken.

    Otherwise an `InputError`: the user has named a place that does not exist or is protected.
    """
    if isinstance(error, FileExistsError):  # when a folder is made
        return InputError("is a file", where=str(error.filename or path), expected="a folder")
    reason = f"cannot be written: {error.strerror or error}"
    # errors of a device, as opposed to those of a path
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
        return StorageError(f"{path}: {reason}")
    return InputError(reason, where=str(path))


def one_of(names: Sequence[str]) -> str:
    """List `names` for an error message: ``"one of a, b, c"``; empty without names."""
    return f"one of {', '.join(names)}" if names else ""


def suggestion(word: str, names: Iterable[str]) -> str:
    """The names that `word` may be a misspelling of: ``" (did you mean 'cpsat'?)"``.

    Empty if no name is similar. Case is ignored.
    """
    from difflib import get_close_matches  # only an error needs it

    by_folded = {name.casefold(): name for name in names}
    close = get_close_matches(word[:100].casefold(), by_folded, n=2, cutoff=0.7)
    suggestions = " or ".join(repr(by_folded[name]) for name in close)
    return f" (did you mean {suggestions}?)" if suggestions else ""


_Error = TypeVar("_Error", bound=InputError)


def not_among(
    kind: type[_Error],
    problem: str,
    name: str,
    names: Iterable[str],
    *,
    where: str = "",
    expected: str | None = None,
) -> _Error:
    """The error for a name that is not in `names`: it suggests similar names, otherwise lists all.

    Args:
        kind: the class of the error.
        problem: the problem, such as ``unknown backend 'natve'``.
        name: the unknown name.
        names: the names that exist.
        where: the place of the error.
        expected: what to list if no name is similar; by default `names`.
    """
    every = list(names)
    if {*name.split(",")} <= {*every}:
        return kind(problem, where=where, expected="each name on its own, without a comma")
    if similar := suggestion(name, every):
        return kind(f"{problem}{similar}", where=where)
    return kind(problem, where=where, expected=one_of(every) if expected is None else expected)


# Checks of arguments of the Python API: a wrong type is an error that names the argument.


def invalid(
    name: str, value: object, expected: str, kind: type[InputError] = OptionError
) -> InputError:
    """The error for an invalid argument: its name, its value and what is expected."""
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
        InputError: it has another type; the error has the class `kind`.
    """
    if not isinstance(value, types):
        raise invalid(name, value, expected, kind)


def with_home(value: Any, where: str = "", kind: type[InputError] = OptionError) -> Any:
    """`value` with ``~`` or ``~user`` at its beginning replaced by the home folder, as in a shell.

    Args:
        value: a path as text or as a `Path`, a list of them, or another value, which stays.
        where: the place of the error.
        kind: the class of the error.

    Raises:
        InputError: the user does not exist or has no home.
    """
    if isinstance(value, list):
        return [with_home(part, where, kind) for part in value]
    if not isinstance(value, str | Path) or not str(value).startswith("~"):
        return value
    with suppress(ValueError):  # a NUL in the name of a user
        path = os.path.expanduser(str(value))  # noqa: PTH111  keeps what follows the path
        if not path.startswith("~"):
            return type(value)(path)
    expected = "~/ for your home, or an absolute path"
    raise kind(f"no home for {short_repr(str(value))}", where=where, expected=expected)


def path_of(value: object, name: str, expected: str, kind: type[InputError] = OptionError) -> Path:
    """The path that an argument gives, as text or as a `Path`.

    Raises:
        InputError: it is neither, is empty, has a NUL character or begins with an unknown home.
    """
    if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
        raise invalid(name, value, expected, kind)
    return Path(with_home(str(value), name, kind))


def flag_of(value: object, name: str) -> bool:
    """The value of an argument that is True or False, as Python or numpy has them.

    Raises:
        OptionError: it is something else.
    """
    plain = python_value(value)
    if not isinstance(plain, bool):
        raise invalid(name, value, "True or False")
    return plain


def python_value(value: object) -> object:
    """A numpy scalar as a Python value; anything else as it is."""
    is_numpy = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
    return value.item() if is_numpy else value  # type: ignore[attr-defined]


def items_of(value: object) -> list[object] | None:
    """The items of an argument that takes one value or several; None if it takes neither.

    Text and a `Path` are one value. Sets are sorted, so that the order is the same in every
    process. Mappings, bytes and classes are neither.
    """
    value = python_value(value)
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
