"""All built-in backends keep the contract, and the suite notices one that does not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.contract import Answer, Backend, Count, Options, registry
from harness.contract.conformance import SHAPES, Case, cases, examine, faults
from harness.contract.many import ManyAnswers, ManyCounts
from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate import pattern_puzzle

CORE = ("native", "native-jit", "cpsat", "milp", "cnf")


@pytest.mark.parametrize("spec", SHAPES)
@pytest.mark.parametrize("name", CORE)
def test_the_core_backends_keep_the_contract(name: str, spec: str) -> None:
    backend, options = registry.load_backend(name)
    assert examine(backend, options, shapes=(spec,)) == []


def solutions_by_hand(puzzle: Puzzle, limit: int) -> list[tuple[int, ...]]:
    """Plain backtracking cell by cell, to hold the cases' own numbers against."""
    found: list[tuple[int, ...]] = []

    def fill(cell: int, grid: list[int]) -> None:
        if len(found) == limit:
            return
        if cell == len(grid):
            found.append(tuple(grid))
            return
        for value in [grid[cell]] if grid[cell] else range(1, puzzle.shape.size + 1):
            if all(grid[peer] != value for peer in puzzle.shape.peers[cell]):
                fill(cell + 1, [*grid[:cell], value, *grid[cell + 1 :]])

    fill(0, list(puzzle.givens))
    return found


@pytest.mark.parametrize("spec", ["4x4", "6x6", "box3x2", "latin4", "latin5"])
def test_the_answers_that_the_suite_expects_are_right(spec: str) -> None:
    for case in cases(Shape.parse(spec)):
        limit = case.limit or 1
        assert len(solutions_by_hand(case.puzzle, limit)) == min(case.solutions, limit), str(case)


class Faultless(Backend):
    """The plain search again; the mutants below break one thing each."""

    name = "faultless"
    paradigm = "plain backtracking"

    def __init__(self, shape: Shape, options: Options) -> None:
        pass

    def solve(self, puzzle: Puzzle) -> Answer:
        found = solutions_by_hand(puzzle, 1)
        return Answer.solved(found[0]) if found else Answer.unsatisfiable()

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        number = len(solutions_by_hand(puzzle, limit))
        return Count(number, number < limit)


class OneTooMany(Faultless):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        right = super().count(puzzle, limit)
        return Count(right.number + 1, right.exact)


class PastTheLimit(Faultless):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return super().count(puzzle, limit + 1)


class NeverExact(Faultless):
    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return Count(super().count(puzzle, limit).number, False)


class NoneIsUnknown(Faultless):
    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        return answer if answer.grid else Answer.unknown()


class GivesUp(Faultless):
    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        return answer if puzzle.clues > len(puzzle.givens) // 2 else Answer.unsatisfiable()


class ForgetsTheGivens(Faultless):
    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None:
            return answer
        return super().solve(Puzzle(puzzle.shape, (0,) * len(puzzle.givens)))


class RemembersTheLast(Faultless):
    def __init__(self, shape: Shape, options: Options) -> None:
        self.answers: list[Answer] = []

    def solve(self, puzzle: Puzzle) -> Answer:
        self.answers.append(super().solve(puzzle))
        return self.answers[-2:][0]


class ReturnsAList(Faultless):
    def solve(self, puzzle: Puzzle) -> Any:
        answer = super().solve(puzzle)
        return list(answer.grid) if answer.grid else False


class Raises(Faultless):
    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid is None:
            raise ValueError("no solution")
        return answer


class NegativeTime(Faultless):
    def solve(self, puzzle: Puzzle) -> Answer:
        from harness.contract import Phases

        return Answer.solved(super().solve(puzzle).grid or (), {}, Phases(search=-1.0))


class ShiftsTheBatch(Faultless):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        return ManyAnswers(answers.verdicts, np.roll(answers.grids, 1, axis=0))


class LosesTheLastOfABatch(Faultless):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        return super().count_many(puzzles[:-1], limit)


class WritesIntoTheBatch(Faultless):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        puzzles[:] = answers.grids
        return answers


class CallsEveryBatchExact(Faultless):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        return ManyCounts(counts.numbers, np.ones_like(counts.exact), counts.witnesses)


MUTANTS = (
    ShiftsTheBatch,
    LosesTheLastOfABatch,
    WritesIntoTheBatch,
    CallsEveryBatchExact,
    OneTooMany,
    PastTheLimit,
    NeverExact,
    NoneIsUnknown,
    GivesUp,
    ForgetsTheGivens,
    RemembersTheLast,
    ReturnsAList,
    Raises,
    NegativeTime,
)


def test_a_faultless_backend_breaks_nothing() -> None:
    assert examine(Faultless, shapes=("4x4", "latin4")) == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_backend_with_one_fault_is_caught(mutant: type[Backend]) -> None:
    breaches = examine(mutant, shapes=("4x4",))
    assert breaches
    assert all("4x4" in str(breach) for breach in breaches)


class CountsByDefault(Faultless):
    count = Backend.count


def test_the_default_count_is_right_where_only_solve_is_written() -> None:
    assert examine(CountsByDefault, shapes=("4x4", "latin4")) == []


@pytest.mark.parametrize(("spec", "solutions"), [("4x4", 288), ("latin4", 576), ("latin3", 12)])
def test_the_default_count_finds_each_solution_once(spec: str, solutions: int) -> None:
    native = registry.load_class("native")

    class Default(native):  # type: ignore[misc, valid-type]
        count = Backend.count

    shape = Shape.parse(spec)
    counted = Default(shape, Options()).count(Puzzle(shape, (0,) * shape.size**2), 10_000)
    assert (counted.number, counted.exact) == (solutions, True)


def test_the_default_count_gives_up_where_solve_does() -> None:
    class Unsure(Faultless):
        count = Backend.count

        def solve(self, puzzle: Puzzle) -> Answer:
            return super().solve(puzzle) if puzzle.clues < 9 else Answer.unknown()

    shape = Shape.parse("4x4")
    counted = Unsure(shape, Options()).count(pattern_puzzle(shape, 2), 100)
    assert (counted.number, counted.exact) == (1, False)


def test_a_case_tells_its_clause_and_its_shape() -> None:
    case = next(cases(Shape.parse("6x6")))
    assert str(case) == "a solution (6x6)"
    assert isinstance(case, Case)
    assert list(faults(Faultless(case.puzzle.shape, Options()), case)) == []


def test_what_is_tested_by_hand_is_a_fixture_of_its_own(a_backend: Callable[..., str]) -> None:
    backend = registry.load_class(a_backend("raise Unsupported('only on Sundays')"))
    assert all("counts" in breach.fault for breach in examine(backend, shapes=("4x4",)))
