"""The type parameter of a backend, and the options that follow from it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import pytest

from harness.contract import Answer, Backend, Options, option
from harness.puzzles import Puzzle, Shape

Deeper = TypeVar("Deeper", bound=Options)
Item = TypeVar("Item")


class Sized(Generic[Item]):
    """A generic class that is no backend."""


@dataclass(frozen=True)
class Depth(Options):
    depth: int = option(3, help="search depth")


class Searching(Backend[Deeper]):
    """A base class that leaves the options to its subclasses."""

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unknown()


class WithDepth(Searching[Depth]):
    def __init__(self, shape: Shape, options: Depth) -> None:
        self.depth = options.depth


class Derived(WithDepth):
    """A subclass without a type parameter of its own."""


class WithoutOptions(Backend):
    def __init__(self, shape: Shape, options: Options) -> None:
        pass

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unknown()


def test_the_options_follow_from_the_type_parameter() -> None:
    assert WithDepth.options_type is Depth
    assert Derived.options_type is Depth
    assert WithDepth(Shape.parse("4x4"), Depth(7)).depth == 7


def test_a_backend_without_a_type_parameter_has_no_options() -> None:
    assert WithoutOptions.options_type is Options
    assert Searching.options_type is Options


def test_parameters_of_other_bases_are_no_options() -> None:
    class Mixed(Sized[int], Searching[Depth]):
        """A backend with a generic base that is no backend."""

    assert Mixed.options_type is Depth


def test_a_class_may_set_the_type_of_its_options_itself() -> None:
    class Explicit(Searching[Options]):
        options_type = Depth

    assert Explicit.options_type is Depth


def test_a_type_parameter_that_is_not_a_class_of_options_is_an_error() -> None:
    with pytest.raises(TypeError, match="Depth"):
        _subclass("Depth")
    with pytest.raises(TypeError, match="int"):
        _subclass(int)


def _subclass(parameter: object) -> None:
    class Mine(Backend[parameter]):  # type: ignore[valid-type]
        pass


def test_a_class_has_no_keywords_of_its_own() -> None:
    with pytest.raises(TypeError):
        type("Keyed", (WithDepth,), {}, key=1)
