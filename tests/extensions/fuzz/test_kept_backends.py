"""Sequences of calls on one backend object (hypothesis), against the internal solver."""

from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from harness.contract.answers import Status
from harness.contract.registry import load_backend
from harness.extensions.fuzz.puzzles import RandomPuzzles, enumerate_solutions
from harness.puzzles import Shape
from harness.records.judging import fault_of_grid

SHAPES = ["4x4", "latin3", "6x6", "4x4+diagonal", "6x6+antiking"]


class Calls(RuleBasedStateMachine):
    """Calls in any order; each answer is that of a new backend."""

    locator: ClassVar[str]
    settings_of_spec: ClassVar[list[tuple[str, str]]]

    @initialize(name=st.sampled_from(SHAPES))
    def build(self, name: str) -> None:
        self.shape = Shape.parse(name)
        self.source = RandomPuzzles(self.shape, 5)
        backend, options = load_backend(self.locator, self.settings_of_spec)
        self.backend: Any = backend(self.shape, options)
        self.wrong = ""

    @rule(number=st.integers(0, 60))
    def solve(self, number: int) -> None:
        puzzle = self.source.puzzle(number)
        answer = self.backend.solve(puzzle)
        expected = enumerate_solutions(puzzle, 1).least
        if (answer.status is Status.SOLVED) != bool(expected):
            self.wrong = f"{answer.status} for {puzzle.line} with {expected} solutions"
        elif answer.grid is not None:
            self.wrong = fault_of_grid(puzzle, answer.grid) or ""

    @rule(number=st.integers(0, 60), limit=st.sampled_from([1, 2, 3, 12, 40]))
    def count(self, number: int, limit: int) -> None:
        puzzle = self.source.puzzle(number)
        count, expected = self.backend.count(puzzle, limit), enumerate_solutions(puzzle, limit)
        if count.number != expected.least or count.exact != (expected.least < limit):
            self.wrong = f"{count} for {puzzle.line} to {limit}, not {expected}"

    @invariant()
    def every_answer_is_right(self) -> None:
        assert not getattr(self, "wrong", "")


def check(locator: str, *options: tuple[str, str], **how: Any) -> None:
    """Make random calls of a backend."""
    attributes = {"locator": locator, "settings_of_spec": list(options)}
    case = type("Machine", (Calls,), attributes).TestCase  # type: ignore[attr-defined]
    case.settings = settings(deadline=None, **how)
    case().runTest()


@pytest.mark.parametrize("options", [(), (("solver", "glucose4"),)], ids=["reuse", "glucose4"])
def test_an_answer_does_not_depend_on_earlier_calls(options: tuple[tuple[str, str], ...]) -> None:
    check("cnf", ("reuse", "true"), *options, max_examples=12, stateful_step_count=15)


def test_a_backend_that_keeps_state_is_noticed() -> None:
    path = Path(__file__).with_name("backends.py")
    with pytest.raises(AssertionError):
        check(f"{path}:AfterUnsatisfiable", max_examples=100, phases=[Phase.generate])
