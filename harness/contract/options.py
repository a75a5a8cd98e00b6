"""Options of a backend, and the specs that name a backend with its options, or a grid of them.

@dataclass(frozen=True)
class CnfOptions(Options):
    solver: str = option("cadical153", help="SAT solver", choices=("cadical153", "glucose4"))
    blocks: int = option(1, help="solutions per round", minimum=1)

cnf                                          default options
cnf[solver=glucose4,encoding=extended]       two options
cnf[solver=[glucose4,cadical153]]            a grid: two configurations
cpsat@9.14[workers=1]                        a version in an environment of its own
cpsat@[9.12,9.14][python=[3.11,3.13]]        a grid: two versions, each with two Pythons
path/to/file.py[depth=3]                     a backend that is not installed
path/to/file.py:Class                        one of several in a file
path/to/command.toml                         a program
kissat {cnf}                                 a program by its command line
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from itertools import product
from typing import Any, Final, get_type_hints

from harness.base.errors import OptionError, UnknownBackendError, not_among
from harness.base.text import encodable, short_repr

# Options of a backend: a frozen dataclass, parsed from the text of a spec.


_BOOLEANS: Final = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(
    ("false", "no", "off", "0"), False
)
_NUMBERS: Final[dict[str, type[int] | type[float]]] = {"int": int, "float": float}


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
            option that reproduces a known defect. The conformance suite then examines values
            other than the default only if the user sets them.
    """
    metadata = {"help": help, "choices": tuple(choices), "minimum": minimum}
    return field(default=default, metadata=metadata | {"keeps_contract": keeps_contract})


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """The description of an option."""

    name: str
    """Name in a spec."""
    type: str
    """`bool`, `int`, `float` or `str`."""
    default: bool | int | float | str
    """Default value."""
    help: str = ""
    """Meaning."""
    choices: tuple[str, ...] = ()
    """Allowed values; empty for any."""
    minimum: float | None = None
    """The smallest allowed number; None for no limit."""
    keeps_contract: bool = True
    """Whether the backend keeps the contract with every value."""


def describe_options(options: type[Options]) -> list[OptionInfo]:
    """The descriptions of all options of a class, in their order.

    Args:
        options: the class.

    Raises:
        TypeError: an option has no default.
    """
    types = get_type_hints(options)
    infos = []
    for f in fields(options):
        if f.default is MISSING:
            raise TypeError(f"option {f.name} of {options.__qualname__} has no default")
        infos.append(OptionInfo(f.name, types[f.name].__name__, f.default, **f.metadata))
    return infos


def parse_options(
    options: type[Options], settings: Iterable[tuple[str, str]], backend: str
) -> Options:
    """The options with the settings of a spec; errors call the backend `backend`.

    Raises:
        OptionError: an option does not exist, or its value is invalid; the error lists the
            valid options or values.
    """
    by_name = {info.name: info for info in describe_options(options)}
    values: dict[str, Any] = {}
    for name, text in settings:
        if name == _PYTHON and name not in by_name:
            form = f"{backend}@VERSION[{name}={text}]"
            raise OptionError(f"option {name} of {backend} needs a version", expected=form)
        if name not in by_name:
            fault = f"unknown option {name!r} of backend {backend}"
            expected = None if by_name else "no options"
            raise not_among(OptionError, fault, name, by_name, expected=expected)
        values[name] = _value(by_name[name], text, f"{backend} option {name}")
    return options(**values)


def _value(info: OptionInfo, text: str, where: str) -> bool | int | float | str:
    fault = f"invalid value {text!r}"
    if info.choices and text not in info.choices:
        raise not_among(OptionError, fault, text, info.choices, where=where)
    if info.type == "bool":
        if text.lower() not in _BOOLEANS:
            raise OptionError(fault, where=where, expected="true or false")
        return _BOOLEANS[text.lower()]
    if info.type not in _NUMBERS:
        return text
    try:
        number = _NUMBERS[info.type](text)
    except ValueError:
        expected = f"a value of type {info.type}"
        raise OptionError(fault, where=where, expected=expected) from None
    if info.minimum is not None and not number >= info.minimum:
        raise OptionError(fault, where=where, expected=f"at least {info.minimum}")
    return number


# Backend specs: the text that names a backend with its options, or a grid of them.


COMMAND_LINE: Final = re.compile(
    r"(?:([^\W_][\w.+-]{0,79})=(?=\S))?(.*\{[a-z][a-z0-9-]*(?::[^{}]*)?\}.*)", re.DOTALL
)
"""A command line with a placeholder, perhaps after a name."""
_FORM: Final = "name, name@version, name[option=value,...] or name[option=[value,value],...]"
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_VERSIONED: Final = re.compile(r"(?s)([^\[]+?)@(\[[^\[\]]*\]|[^\[\]@/:]*)(\[.*)?")
"""A locator, a version or a list of versions, and the rest."""
_NUMBER: Final = "[0-9]{1,20}"
_VERSION: Final = re.compile(
    rf"{_NUMBER}(\.{_NUMBER})*((a|b|rc|\.dev|\.post){_NUMBER})*(\+[a-z0-9.]{{1,100}})?"
)
_MISPLACED: Final = re.compile(r"[^@/:]+@[^/:]+")
"""A name with an @ that does not introduce a version."""
_BALANCED: Final = re.compile(r"[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*")
_MISSING: Final = "@"
"""Stands for a missing version."""
_PYTHON: Final = "python"
"""The setting that names the Python of an environment; with a version only."""


@dataclass(frozen=True, slots=True)
class BackendSpec:
    """A backend with its option settings as text."""

    locator: str
    """A name in the registry, ``path/to/file.py``, ``path/to/file.py:Class``, ``module:Class``,
    a command file, or a command line such as ``kissat {cnf}``."""
    settings: tuple[tuple[str, str], ...] = ()
    """The name and the text of each option that is set."""
    version: str = ""
    """The version of the solver, in an environment of its own: the newest installed version that
    begins with these numbers. Empty for the harness's own packages."""
    python: str = ""
    """The Python version of the environment: ``3.13``; empty for that of the harness."""

    @property
    def label(self) -> str:
        """The spec as text; `parse_specs` reads it back."""
        return self.spec_text(self.locator)

    @property
    def is_file(self) -> bool:
        """Whether the locator is a file, module or command rather than a name in the registry."""
        is_path = ":" in self.locator or self.locator.endswith((".py", ".toml"))
        return is_path or self.is_command_line

    @property
    def is_command_line(self) -> bool:
        """Whether the locator is the command line of a program, such as ``kissat {cnf}``."""
        return COMMAND_LINE.fullmatch(self.locator) is not None

    def spec_text(self, name: str) -> str:
        """`name` with the version and the settings."""
        name = f"{name}@{self.version}" if self.version else name
        settings = (*([(_PYTHON, self.python)] if self.python else []), *self.settings)
        if not settings:
            return encodable(name)
        return encodable(f"{name}[{','.join(f'{key}={value}' for key, value in settings)}]")

    @property
    def without_settings(self) -> "BackendSpec":
        """The spec without option settings: it names the environment."""
        return replace(self, settings=())

    @property
    def install_command(self) -> str:
        """The command that installs the environment that the spec needs."""
        return f"harness backends install {shlex.quote(self.without_settings.label)}"

    def __str__(self) -> str:
        return self.label


def parse_specs(text: str) -> list[BackendSpec]:
    """The specs in `text`: one, or every combination of a grid.

    Raises:
        UnknownBackendError: `text` is not a backend spec.
        OptionError: the settings in brackets are malformed.
    """
    if COMMAND_LINE.fullmatch(text.strip()):
        return [BackendSpec(text.strip())]
    locator, versions, bracket, rest = _parts(text.strip())
    if not locator:
        raise UnknownBackendError(f"{text!r} is not a backend spec", expected=_FORM)
    for version in filter(None, versions):
        if not _VERSION.fullmatch(version):
            is_missing = version == _MISSING
            fault = "no version after @" if is_missing else f"invalid version {short_repr(version)}"
            name = locator.rstrip("@")
            expected = f"numbers, such as {name}@9.14 or {name}@1.8.dev13"
            hint = f"harness backends {shlex.quote(name)} lists what is installed"
            raise OptionError(f"{fault} in {short_repr(text)}", expected=f"{expected}; {hint}")
    if _MISPLACED.fullmatch(locator) and not locator.endswith((".py", ".toml")):
        fault = "missing opening bracket" if locator.endswith("]") else "two versions"
        raise OptionError(f"{fault} in {short_repr(text)}", expected=_FORM)
    if not bracket:
        return [BackendSpec(locator, version=version) for version in versions]
    if not rest.endswith("]"):
        raise OptionError(f"missing closing bracket in {text!r}", expected=_FORM)
    choices: dict[str, list[str]] = {}
    for setting in _split(rest[:-1], text):
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not _NAME.fullmatch(name) or not value:
            raise OptionError(f"invalid option {setting.strip()!r} in {text!r}", expected=_FORM)
        if name in choices:
            raise OptionError(f"duplicate option {name!r} in {text!r}", expected="each option once")
        choices[name] = _values(value, text)
    return [
        _spec(locator, version, tuple(zip(choices, values, strict=True)))
        for version in versions
        for values in product(*choices.values())
    ]


def _parts(text: str) -> tuple[str, list[str], str, str]:
    """The locator, the versions, ``[`` if there are settings, and what follows it."""
    match = _VERSIONED.fullmatch(text)
    if match is None or match[2].endswith((".py", ".toml")):  # a file whose name has an @
        locator, bracket, rest = text.partition("[")
        return locator.strip(), [""], bracket, rest
    settings = match[3] or ""
    if not match[2] and settings:
        raise OptionError(f"missing closing bracket in {short_repr(text)}", expected=_FORM)
    versions = _values(match[2], text) if match[2] else [_MISSING]
    return match[1].strip(), versions, settings[:1], settings[1:]


def _spec(locator: str, version: str, settings: tuple[tuple[str, str], ...]) -> BackendSpec:
    """The spec; with a version, the setting ``python`` belongs to the environment."""
    if not version or _PYTHON not in dict(settings):
        return BackendSpec(locator, settings, version)
    others = tuple(setting for setting in settings if setting[0] != _PYTHON)
    python = dict(settings)[_PYTHON]
    if not re.fullmatch(r"3\.(0|[1-9][0-9]?)", python):
        fault = f"invalid value {python!r}"
        raise OptionError(fault, where=f"python of {locator}", expected="a version such as 3.13")
    return BackendSpec(locator, others, version, python)


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
    """`settings`, split at the commas outside brackets."""
    if not _BALANCED.fullmatch(settings):
        is_open = settings.count("[") > settings.count("]")
        fault = "missing closing bracket" if is_open else "unbalanced brackets"
        raise OptionError(f"{fault} in {text!r}", expected=_FORM)
    return re.split(r",(?![^\[]*\])", settings)
