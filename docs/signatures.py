"""Signatures in the reference: the options of a sweep, and the defaults that are options.

The fields of `Sweep` are declared with their limits and descriptions, which a signature
cannot show. Here they become parameters with a type, a default and a description.
"""

import re
from dataclasses import MISSING, fields
from enum import Enum
from typing import get_type_hints

from sphinx.util.typing import stringify_annotation

from harness import Sweep
from harness.runs import options_of


def readable(thing: object, signature: str | None) -> str | None:
    """The signature of `thing`, with types and values that a reader can use."""
    if thing is Sweep:
        types = _types()
        parameters = []
        for field in fields(Sweep):
            default = "" if field.default is MISSING else f" = {_value(field.default)}"
            parameters.append(f"{field.name}: {types[field.name]}{default}")
        return f"({', '.join(parameters)})"
    if not signature:
        return signature
    signature = re.sub(r"\bSweep\.(\w+)", lambda match: _one_value(match[1]), signature)
    return signature.replace("<factory>", "...")  # the default that a factory makes


def describe_options(thing: object, lines: list[str]) -> None:
    """Add the options to the docstring of `Sweep`, before its errors."""
    if thing is Sweep:
        types, options = _types(), options_of(Sweep).values()
        described = [f":param {option.name}: {option.help}" for option in options]
        described += [f":type {name}: {kind}" for name, kind in types.items()]
        end = next((n for n, line in enumerate(lines) if line.startswith(":raises")), len(lines))
        lines[end:end] = described


def _types() -> dict[str, str]:
    hints = get_type_hints(Sweep)
    types = {name: stringify_annotation(hints[name]) for name in options_of(Sweep)}
    return {name: re.sub(r"(?:\w+\.)+(?=[A-Z])", "", text) for name, text in types.items()}


def _one_value(name: str) -> str:
    """The default of an option where one value needs no tuple."""
    value: object = getattr(Sweep, name)
    return _value(value[0] if isinstance(value, tuple) else value)


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))},)"
    return repr(value.value if isinstance(value, Enum) else value)
