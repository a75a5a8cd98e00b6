"""Options of a backend: a frozen dataclass, read from the text of a spec.

@dataclass(frozen=True)
class CnfOptions(Options):
    solver: str = option("cadical153", help="SAT solver", choices=("cadical153", "glucose4"))
    blocks: int = option(1, help="solutions a round", minimum=1)
"""

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, get_type_hints

from harness.errors import InputError, one_of

_TRUTH_VALUES = {"true": True, "yes": True, "on": True, "1": True} | {
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


@dataclass(frozen=True)
class Options:
    """No options; the base of those that have some. Types are bool, int, float and str."""


def option(
    default: Any,
    *,
    help: str,  # noqa: A002  the word that every reader expects here
    choices: Sequence[str] = (),
    minimum: float | None = None,
) -> Any:
    """A field of `Options`: its default, one line of help, and which values it takes."""
    metadata = {"help": help, "choices": tuple(choices), "minimum": minimum}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """An option as it is shown to the user."""

    name: str
    type: str
    default: bool | int | float | str
    help: str
    choices: tuple[str, ...]


def describe_options(options: type[Options]) -> list[OptionInfo]:
    """The options of this class in their order."""
    types = get_type_hints(options)
    described = []
    for f in fields(options):
        if f.default is MISSING:
            raise TypeError(f"option {f.name} of {options.__qualname__} has no default")
        meta = f.metadata
        described.append(
            OptionInfo(
                f.name,
                types[f.name].__name__,
                f.default,
                meta.get("help", ""),
                meta.get("choices", ()),
            )
        )
    return described


def parse_options(
    options: type[Options], settings: Iterable[tuple[str, str]], backend: str
) -> Options:
    """The options that these settings, as written in a spec, stand for.

    Raises:
        InputError: there is no such option, or it does not take the value; it
            lists what there is.
    """
    types = get_type_hints(options)
    by_name = {f.name: f for f in fields(options)}
    values: dict[str, Any] = {}
    for name, text in settings:
        if name not in by_name:
            raise InputError(
                f"backend {backend} has no option {name!r}", expected=one_of(list(by_name))
            )
        values[name] = _value(types[name], text, by_name[name].metadata, f"{backend} option {name}")
    return options(**values)


def _value(type_: type, text: str, metadata: Any, where: str) -> bool | int | float | str:
    if choices := metadata.get("choices"):
        if text not in choices:
            raise InputError(f"no value {text!r}", where=where, expected=one_of(list(choices)))
        return text
    value: bool | int | float | str | None
    if type_ is bool:
        value = _TRUTH_VALUES.get(text.lower())
    elif type_ in (int, float):
        try:
            value = type_(text)
        except ValueError:
            value = None
    else:
        value = text
    if value is None:
        expected = "true or false" if type_ is bool else f"a value of type {type_.__name__}"
        raise InputError(f"no value {text!r}", where=where, expected=expected)
    minimum = metadata.get("minimum")
    if minimum is not None and not float(value) >= minimum:
        raise InputError(f"{text} is too small", where=where, expected=f"at least {minimum}")
    return value
