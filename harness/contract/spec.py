"""Backend specs: the text that names a backend with its options, or a grid of them.

cnf                                          default options
cnf[solver=glucose4,encoding=extended]       two options
cnf[solver=[glucose4,cadical153]]            a grid: two configurations
path/to/file.py[depth=3]                     a backend that is not installed
path/to/file.py:Class                        one of several in a file
path/to/command.toml                         a program
"""

import re
from dataclasses import dataclass
from itertools import product
from typing import Final

from harness.errors import OptionError, UnknownBackendError
from harness.text import encodable

_FORM: Final = "name, name[option=value,...] or name[option=[value,value],...]"
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")


@dataclass(frozen=True, slots=True)
class BackendSpec:
    """A backend with its option settings as text."""

    locator: str
    """A name in the registry, ``path/to/file.py``, ``path/to/file.py:Class``, ``module:Class``
    or a command file."""
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """The spec as text; `parse_specs` reads it back."""
        return self.named(self.locator)

    @property
    def is_file(self) -> bool:
        """Whether the locator leads to a file or a module, and is no name in the registry."""
        return ":" in self.locator or self.locator.endswith((".py", ".toml"))

    def named(self, name: str) -> str:
        """`name` with the settings."""
        if not self.settings:
            return encodable(name)
        return encodable(f"{name}[{','.join(f'{key}={value}' for key, value in self.settings)}]")

    def __str__(self) -> str:
        return self.label


def parse_specs(text: str) -> list[BackendSpec]:
    """The specs in `text`: one, or every combination of a grid.

    Raises:
        UnknownBackendError: `text` is not a backend spec.
        OptionError: the settings in brackets are malformed.
    """
    locator, bracket, rest = text.strip().partition("[")
    locator = locator.strip()
    if not locator:
        raise UnknownBackendError(f"{text!r} is not a backend spec", expected=_FORM)
    if not bracket:
        return [BackendSpec(locator)]
    if not rest.endswith("]"):
        raise OptionError(f"missing closing bracket in {text!r}", expected=_FORM)
    names: list[str] = []
    choices: list[list[str]] = []
    for setting in _split(rest[:-1], text):
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not _NAME.fullmatch(name) or not value:
            raise OptionError(f"invalid option {setting.strip()!r} in {text!r}", expected=_FORM)
        if name in names:
            raise OptionError(f"duplicate option {name!r} in {text!r}", expected="each option once")
        names.append(name)
        choices.append(_values(value, text))
    return [
        BackendSpec(locator, tuple(zip(names, values, strict=True))) for values in product(*choices)
    ]


def _values(value: str, text: str) -> list[str]:
    if not value.startswith("["):
        return [value]
    if not value.endswith("]"):
        raise OptionError(f"missing closing bracket in {text!r}", expected=_FORM)
    values = [part.strip() for part in value[1:-1].split(",")]
    if not all(values):
        raise OptionError(f"empty value in {text!r}", expected=_FORM)
    return values


def _split(settings: str, text: str) -> list[str]:
    """`settings` at the commas outside brackets."""
    parts, depth = [""], 0
    for char in settings:
        depth += (char == "[") - (char == "]")
        if depth not in (0, 1):
            raise OptionError(f"unbalanced brackets in {text!r}", expected=_FORM)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    if depth:
        raise OptionError(f"missing closing bracket in {text!r}", expected=_FORM)
    return parts
