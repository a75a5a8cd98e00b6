"""Checks of the declarations in a backend's class and options."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from harness.conformance.clauses import Clause, Fault
from harness.contract.backend import Backend
from harness.contract.options import Options, describe_options

_NAME: Final = re.compile(r"[A-Za-z][\w.-]*")
_TYPES: Final = (bool, int, float, str)


def faults_of_class(backend: type[Backend[Any]]) -> Iterator[Fault]:
    """The faults of a class, found without an instance."""
    for fault in (*_faults_of_names(backend), *_faults_of_capabilities(backend)):
        yield Fault(Clause.NAMES, fault)
    for fault in _faults_of_options(backend.options_type):
        yield Fault(Clause.OPTIONS, fault)


def _faults_of_names(backend: type[Backend[Any]]) -> Iterator[str]:
    name = getattr(backend, "name", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"name is {name!r}, expected a word such as 'cpsat'"
    paradigm = getattr(backend, "paradigm", None)
    if not isinstance(paradigm, str) or not paradigm.strip():
        yield f"paradigm is {paradigm!r}, expected a few words on the method"
    needed: Any = backend.distributions
    if not isinstance(needed, tuple) or not all(isinstance(name, str) for name in needed):
        yield f"distributions is {needed!r}, expected a tuple of names"


def _faults_of_capabilities(backend: type[Backend[Any]]) -> Iterator[str]:
    if left := sorted(backend.__abstractmethods__):
        yield f"{' and '.join(left)} is not implemented"
    if backend.counts_natively and backend.count is Backend.count:
        yield "counts_natively is set, but count is the default"
    own = (backend.solve_many, backend.count_many) != (Backend.solve_many, Backend.count_many)
    if backend.batches_natively and not own:
        yield "batches_natively is set, but solve_many and count_many are the default"


def _faults_of_options(options: Any) -> Iterator[str]:
    if not (isinstance(options, type) and issubclass(options, Options)):
        yield f"options_type is {options!r}, expected a subclass of Options"
        return
    if "__dataclass_params__" not in vars(options) or not is_dataclass(options):
        yield f"{options.__name__} is not a dataclass"
        return
    if not vars(options)["__dataclass_params__"].frozen:
        yield f"{options.__name__} is not frozen"
    try:
        described = describe_options(options)
    except TypeError as error:
        yield str(error)
        return
    for option in described:
        if option.type not in {type_.__name__ for type_ in _TYPES}:
            yield f"option {option.name} is a {option.type}, not a bool, int, float or str"
        elif type(option.default).__name__ != option.type:
            yield f"option {option.name} has the default {option.default!r}, not a {option.type}"
        if not option.help:
            yield f"option {option.name} has no help"
        if option.choices and option.default not in option.choices:
            yield f"the default of option {option.name} is not one of its choices"


def settings_of(options: Options) -> Iterator[tuple[str, Options]]:
    """`options` with each other value of each bool or choice, one at a time, with its setting.

    Options that need not keep the contract stay as they are.
    """
    for option in describe_options(type(options)):
        values: tuple[Any, ...] = option.choices
        if option.type == "bool":
            values = (False, True)
        if option.name in options_with_defects(options):
            values = ()
        for value in values:
            if value != getattr(options, option.name):
                shown = str(value).lower() if option.type == "bool" else value
                yield f"{option.name}={shown}", replace(options, **{option.name: value})


def options_with_defects(options: Options) -> list[str]:
    """The names of the options that are declared with ``keeps_contract=False``."""
    return [f.name for f in fields(options) if not f.metadata.get("keeps_contract", True)]


class Reads:
    """Records which fields of options are read."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def watched(self, options: Options) -> Options:
        """A copy of `options` that records reads of its fields."""
        names, seen = {f.name for f in fields(options)}, self.names

        def read(self: object, name: str) -> Any:
            if name in names:
                seen.add(name)
            return object.__getattribute__(self, name)

        kind = type(options)
        recording = type(kind.__name__, (kind,), {"__getattribute__": read})
        made: Any = object.__new__(recording)
        for name in names:
            with suppress(AttributeError):
                object.__setattr__(made, name, object.__getattribute__(options, name))
        assert isinstance(made, Options)
        return made
