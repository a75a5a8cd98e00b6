"""The text that names a backend with its options, or a grid of them.

cnf                                          all defaults
cnf[solver=glucose4,encoding=extended]       two options
cnf[solver=[glucose4,cadical153]]            a grid: two backends
path/to/file.py:Class[depth=3]               one that is not installed
path/to/command.toml                         a program
"""

import re
from dataclasses import dataclass
from itertools import product
from typing import Final

from harness.errors import InputError

_FORM: Final = "name, name[option=value,...] or name[option=[value,value],...]"
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")


@dataclass(frozen=True, slots=True)
class BackendSpec:
    """One backend with its options, as it was asked for."""

    locator: str
    """A name in the registry, ``path/to/file.py:Class``, ``module:Class`` or a command file."""
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """The spec as text; parsing it gives this spec."""
        if not self.settings:
            return self.locator
        return f"{self.locator}[{','.join(f'{name}={value}' for name, value in self.settings)}]"

    def __str__(self) -> str:
        return self.label


def parse_specs(text: str) -> list[BackendSpec]:
    """The backends that `text` names: one, or every combination of a grid.

    Raises:
        InputError: `text` is no spec.
    """
    locator, bracket, rest = text.strip().partition("[")
    locator = locator.strip()
    if not locator:
        raise InputError(f"{text!r} names no backend", expected=_FORM)
    if not bracket:
        return [BackendSpec(locator)]
    if not rest.endswith("]"):
        raise InputError(f"no closing bracket in {text!r}", expected=_FORM)
    names: list[str] = []
    choices: list[list[str]] = []
    for setting in _split(rest[:-1], text):
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not _NAME.fullmatch(name) or not value:
            raise InputError(f"{setting.strip()!r} in {text!r} is no option", expected=_FORM)
        if name in names:
            raise InputError(f"option {name!r} stands twice in {text!r}")
        names.append(name)
        choices.append(_values(value, text))
    return [
        BackendSpec(locator, tuple(zip(names, values, strict=True))) for values in product(*choices)
    ]


def _values(value: str, text: str) -> list[str]:
    if not value.startswith("["):
        return [value]
    if not value.endswith("]"):
        raise InputError(f"no closing bracket in {text!r}", expected=_FORM)
    values = [part.strip() for part in value[1:-1].split(",")]
    if not all(values):
        raise InputError(f"an empty value in {text!r}", expected=_FORM)
    return values


def _split(settings: str, text: str) -> list[str]:
    """`settings` at the commas outside brackets."""
    parts, depth = [""], 0
    for char in settings:
        depth += (char == "[") - (char == "]")
        if depth not in (0, 1):
            raise InputError(f"brackets do not match in {text!r}", expected=_FORM)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    if depth:
        raise InputError(f"no closing bracket in {text!r}", expected=_FORM)
    return parts
