"""The core backends keep the contract, and the suite treats limitations correctly."""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from backends.native import Native
from harness.contract import Answer, Backend, Count, Options, Unsupported, option, registry
from harness.extensions.conformance import SHAPES, Clause, cases, examine
from harness.extensions.conformance.shapes import JIGSAW
from harness.puzzles import Puzzle, Shape
from harness.puzzles.patterns import pattern_puzzle
from tests.extensions.conformance.planted import findings_of
from tests.plain_search import solutions

QUICK = ("native", "native-jit", "cnf")
"""The backends that the regular tests examine, on 4x4; the long tests have all."""


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        pytest.param(name, spec, marks=[pytest.mark.long] * (spec != "4x4" or name not in QUICK))
        for name in ("native", "native-jit", "cpsat", "milp", "cnf")
        for spec in SHAPES
    ],
)
def test_the_core_backends_keep_the_contract(name: str, spec: str) -> None:
    backend, options = registry.load_backend(name)
    assert examine(backend, options, shapes=(spec,)) == []


@pytest.mark.parametrize(
    ("spec", "counts_all"),
    [
        *((spec, False) for spec in ("6x6", "box3x2", "latin5")),
        *((spec, True) for spec in ("4x4", "4x4+diagonal", JIGSAW, "latin4")),
    ],
)
def test_the_answers_that_the_suite_expects_are_right(spec: str, counts_all: bool) -> None:
    for case in cases(Shape.parse(spec)):
        limit = case.limit or 1
        number = len(solutions(case.puzzle, 1000 if counts_all else limit))
        assert min(number, limit) == min(case.solutions, limit), str(case)
        if counts_all:
            is_right = number >= case.solutions if case.at_least else number == case.solutions
            assert is_right, str(case)


def test_the_grids_of_a_shape_are_as_many_as_is_known() -> None:
    empty = {
        spec: next(c for c in cases(Shape.parse(spec)) if not c.puzzle.clues)
        for spec in ("4x4", "6x6", "box3x2", "latin5", "9x9", "16x16")
    }
    assert {spec: case.solutions for spec, case in empty.items() if not case.at_least} == {
        "4x4": 288,
        "6x6": 28_200_960,
        "box3x2": 28_200_960,
        "latin5": 161_280,
        "9x9": 6_670_903_752_021_072_936_960,
    }
    assert empty["16x16"].at_least


class Faultless(Backend):
    """The plain search, as a backend."""

    name = "faultless"
    paradigm = "plain backtracking"

    def __init__(self, shape: Shape, options: Options) -> None:
        pass

    def solve(self, puzzle: Puzzle) -> Answer:
        grids = solutions(puzzle, 1)
        return Answer.solved(grids[0]) if grids else Answer.unsatisfiable()

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        number = len(solutions(puzzle, limit))
        return Count(number, number < limit)


@pytest.mark.long
def test_a_faultless_backend_breaks_nothing() -> None:
    assert examine(Faultless, shapes=("4x4", "4x4+diagonal", JIGSAW, "latin4")) == []


@pytest.mark.parametrize(("spec", "solutions"), [("4x4", 288), ("latin4", 576), ("latin3", 12)])
def test_the_default_count_finds_each_solution_once(spec: str, solutions: int) -> None:
    class Default(Native):
        count = Backend.count

    shape = Shape.parse(spec)
    count = Default(shape, Options()).count(Puzzle(shape, (0,) * shape.size**2), 10_000)
    assert (count.number, count.exact) == (solutions, True)


def test_the_default_count_gives_up_where_solve_does() -> None:
    class Unsure(Faultless):
        count = Backend.count

        def solve(self, puzzle: Puzzle) -> Answer:
            return super().solve(puzzle) if puzzle.clues < 9 else Answer.unknown()

    shape = Shape.parse("4x4")
    count = Unsure(shape, Options()).count(pattern_puzzle(shape, 2), 100)
    assert (count.number, count.exact) == (1, False)


def test_unsupported_questions_are_skipped_with_the_reason(a_backend: Callable[..., str]) -> None:
    backend = registry.load_class(a_backend("raise Unsupported('only on Sundays')"))
    findings = findings_of(backend, "4x4")
    assert "4x4: a solution" in {f.part for f in findings if "only on Sunday" in f.passed_over}
    assert {breach.clause for f in findings for breach in f.breaches} == {Clause.COUNT}


class GivesUp(Faultless):
    """Gives up where no solution exists, after some time."""

    complete = False
    seconds = 0.0

    def solve(self, puzzle: Puzzle) -> Answer:
        answer = super().solve(puzzle)
        if answer.grid:
            return answer
        time.sleep(self.seconds)
        return Answer.unknown()


@pytest.mark.long
def test_giving_up_is_a_breach_only_of_a_complete_backend() -> None:
    class Complete(GivesUp):
        complete = True

    findings = findings_of(GivesUp, "4x4")
    assert not [f for f in findings if f.breaches]
    assert sum(f.gave_up for f in findings) > 3
    assert {b.clause for b in examine(Complete, shapes=("4x4",))} == {Clause.PROOF}


@pytest.mark.long
def test_a_backend_that_ignores_the_limit_skips_counts_of_empty_grids() -> None:
    class IgnoresTheLimit(Faultless):
        heeds_limit = False

        def count(self, puzzle: Puzzle, limit: int) -> Count:
            assert puzzle.clues or puzzle.shape.size == 4, "it would take forever"
            return super().count(puzzle, limit)

    findings = findings_of(IgnoresTheLimit, "4x4", "latin5")
    assert not [f for f in findings if f.breaches]
    assert {f.part for f in findings if f.passed_over} == {
        "latin5: a count that stops at 3",
        "latin5: a count that stops at 1",
        "latin5: a count within 1 ms",
    }


@pytest.mark.long
def test_an_unread_option_is_found_in_a_backend_that_only_counts() -> None:
    @dataclass(frozen=True)
    class Depth(Options):
        depth: int = option(1, help="search depth")

    class Counts(Faultless):
        options_type = Depth
        solves = False

        def solve(self, puzzle: Puzzle) -> Answer:
            raise Unsupported("it only counts")

    (breach,) = examine(Counts, shapes=("4x4",))
    assert breach.clause is Clause.OPTIONS
    assert "depth" in breach.message


@pytest.mark.long
def test_giving_up_late_is_a_breach_only_of_a_complete_backend() -> None:
    class Late(GivesUp):
        seconds = 0.06

    class Complete(Late):
        complete = True

    assert not examine(Late, shapes=("4x4",), timeout=0.1)
    assert Clause.TIME in {b.clause for b in examine(Complete, shapes=("4x4",), timeout=0.1)}


def test_the_process_is_as_it_was_after_an_examination(capfd: pytest.CaptureFixture[str]) -> None:
    class Untidy(Faultless):
        def solve(self, puzzle: Puzzle) -> Answer:
            os.environ["UNTIDY"] = "1"
            os.environ.pop("HOME", None)
            os.chdir("/")
            print("hello")  # noqa: T201
            os.close(2)
            return super().solve(puzzle)

    before = (Path.cwd(), dict(os.environ), sys.stdout, tempfile.gettempdir())
    assert {b.clause for b in examine(Untidy, shapes=("4x4",))} == {Clause.TRACES, Clause.QUIET}
    assert (Path.cwd(), dict(os.environ), sys.stdout, tempfile.gettempdir()) == before
    print("still there")  # noqa: T201
    assert capfd.readouterr().out == "still there\n"
