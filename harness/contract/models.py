"""Models: the forms in which solver programs read a puzzle and print their answer.

Installed packages declare them in the entry-point group ``harness.models``. The name of a model is
a placeholder in the command line of a program, ``kissat {cnf}``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from harness.base.errors import InputError, not_among
from harness.base.plugins import plugins
from harness.contract.answers import Answer, Count
from harness.contract.backend import EVERYTHING, Restriction
from harness.puzzles import Grid, Puzzle, Shape

GROUP: Final = "harness.models"
"""The group of the entry points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A form of a puzzle for solver programs."""

    title: str
    """What it is, and who reads it."""
    suffix: str
    """The suffix of its files."""
    lines: Callable[[Puzzle, Sequence[Grid]], Iterator[str]]
    """The lines of the model of a puzzle, without line feeds. The model excludes the solutions in
    the second argument, if `excludes`."""
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


def model_named(name: str) -> Model:
    """The model called `name`.

    Raises:
        InputError: no model has this name, or it cannot be loaded.
    """
    for plugin in plugins(GROUP):
        if plugin.name == name:
            expected = f"a Model called {plugin.attribute} in {plugin.module}"
            model: Model = plugin.load("model", expected, InputError, _is_model)
            return model
    raise not_among(InputError, f"unknown model {name!r}", name, model_names())


def _is_model(value: Any) -> bool:
    return isinstance(value, Model)
