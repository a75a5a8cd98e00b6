"""Options of a backend: a frozen dataclass, parsed from the text of a spec.

@dataclass(frozen=True)
class CnfOptions(Options):
    solver: str = option("cadical153", help="SAT solver", choices=("cadical153", "glucose4"))
    blocks: int = option(1, help="solutions per round", minimum=1)
"""

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, get_type_hints

from harness.errors import OptionError, meant, one_of

_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True} | {
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


@dataclass(frozen=True)
class Options:
    """No options; the base class of all options. Fields are bool, int, float or str."""


def option(
    default: Any,
    *,
    help: str,  # noqa: A002  the name that authors expect
    choices: Sequence[str] = (),
    minimum: float | None = None,
    keeps_contract: bool = True,
) -> Any:
    """A field of `Options`.

    Args:
        default: the default value.
        help: one line of help, a noun phrase.
        choices: the allowed values of a str; empty for any.
        minimum: the smallest allowed number.
        keeps_contract: whether the backend keeps the contract with every value; False for an
            option that reproduces a known defect. The conformance suite then examines other
            values than the default only if the user sets them.
    """
    metadata = {
        "help": help,
        "choices": tuple(choices),
        "minimum": minimum,
        "keeps_contract": keeps_contract,
    }
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """The description of an option."""

    name: str
    type: str
    default: bool | int | float | str
    help: str
    choices: tuple[str, ...]
    minimum: float | None = None
    """The smallest allowed number; None for no limit."""
    keeps_contract: bool = True
    """Whether the backend keeps the contract with every value."""


def describe_options(options: type[Options]) -> list[OptionInfo]:
    """The descriptions of all options of a class, in their order.

    Raises:
        TypeError: an option has no default.
    """
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
                meta.get("minimum"),
                meta.get("keeps_contract", True),
            )
        )
    return described


def parse_options(
    options: type[Options], settings: Iterable[tuple[str, str]], backend: str
) -> Options:
    """The options with the settings of a spec; `backend` names it in errors.

    Raises:
        OptionError: an option does not exist, or its value is invalid; the error lists the
            valid options or values.
    """
    types = get_type_hints(options)
    by_name = {f.name: f for f in fields(options)}
    values: dict[str, Any] = {}
    for name, text in settings:
        if name not in by_name:
            raise OptionError(
                f"unknown option {name!r} of backend {backend}{meant(name, by_name)}",
                expected=one_of(list(by_name)) or "no options",
            )
        values[name] = _value(types[name], text, by_name[name].metadata, f"{backend} option {name}")
    return options(**values)


def _value(type_: type, text: str, metadata: Any, where: str) -> bool | int | float | str:
    if choices := metadata.get("choices"):
        if text not in choices:
            raise OptionError(
                f"invalid value {text!r}{meant(text, choices)}",
                where=where,
                expected=one_of(choices),
            )
        return text
    value: bool | int | float | str | None
    if type_ is bool:
        value = _BOOLEANS.get(text.lower())
    elif type_ in (int, float):
        try:
            value = type_(text)
        except ValueError:
            value = None
    else:
        value = text
    if value is None:
        expected = "true or false" if type_ is bool else f"a value of type {type_.__name__}"
        raise OptionError(f"invalid value {text!r}", where=where, expected=expected)
    minimum = metadata.get("minimum")
    if minimum is not None and not float(value) >= minimum:
        raise OptionError(f"invalid value {text}", where=where, expected=f"at least {minimum}")
    return value
