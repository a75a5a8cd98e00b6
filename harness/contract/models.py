"""Models: the forms in which solver programs read a puzzle and print their answer.

Installed packages declare them in the entry-point group ``harness.models``. The name of a model is
a placeholder in the command line of a program, ``kissat {cnf}``, its options follow a colon.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from harness.base.errors import InputError, not_among
from harness.base.plugins import plugins
from harness.contract.answers import Answer, Count
from harness.contract.backend import EVERYTHING, Restriction
from harness.puzzles import Shape

GROUP: Final = "harness.models"
"""The group of the entry points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A form of a puzzle for solver programs."""

    title: str
    """What it is, and who reads it."""
    suffix: str
    """The suffix of its files."""
    lines: Callable[..., Iterator[str]]
    """The lines of the model of a puzzle, without line feeds. The model excludes the solutions in
    the second argument, if `excludes`; further arguments are all `options`, by name."""
    options: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The values of each option, the default first."""
    read: Callable[[str, int, Shape], Answer | Count | None] | None = None
    """Reads what a program prints, its exit code and the shape of the puzzle; returns None if the
    text holds no answer, and raises ValueError if it contradicts itself. None for a model that no
    program has to answer."""
    takes: frozenset[Restriction] = EVERYTHING
    """What the model states besides givens and houses."""
    excludes: bool = True
    """Whether `lines` can exclude solutions, so that a program counts by blocking them."""
    read_proof: Callable[[bytes], str] | None = None
    """Returns the steps of a `Proof` that a program writes; raises ValueError if they are
    malformed. None for a model that is no DIMACS with the variables of a `Proof`."""


def model_names() -> list[str]:
    """The names of all models."""
    return [plugin.name for plugin in plugins(GROUP)]


def model_named(text: str) -> Model:
    """The model that `text` names, with its options: ``cnf``, or ``cnf:encoding=minimal``.

    Raises:
        InputError: no model has this name, it has no such option, or it cannot be loaded.
    """
    name, _, settings = text.partition(":")
    plugin = next((plugin for plugin in plugins(GROUP) if plugin.name == name), None)
    if plugin is None:
        raise not_among(InputError, f"unknown model {name!r}", name, model_names())
    expected = f"a Model called {plugin.attribute} in {plugin.module}"
    model: Model = plugin.load(
        "model", expected, InputError, lambda value: isinstance(value, Model)
    )
    chosen = {option: values[0] for option, values in model.options.items()}
    for setting in filter(None, settings.split(",")):
        option, _, value = setting.partition("=")
        if option not in model.options:
            fault = f"unknown option {option!r}"
            raise not_among(InputError, fault, option, model.options, where=f"model {name}")
        if value not in model.options[option]:
            fault, values = f"{option} is {value!r}", model.options[option]
            raise not_among(InputError, fault, value, values, where=f"model {name}")
        chosen[option] = value
    return replace(model, lines=partial(model.lines, **chosen))
