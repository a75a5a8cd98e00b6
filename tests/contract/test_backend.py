"""Backends: their interface, answers, batches, and the base classes for covers and searches."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

import numpy as np
import pytest

from harness.base.errors import PuzzleError
from harness.contract import (
    Answer,
    Backend,
    Capability,
    Options,
    Restriction,
    SearchBackend,
    Stats,
    Status,
    Unsupported,
    answers,
    option,
    registry,
)
from harness.contract.answers import Phases, PhaseTimer
from harness.contract.backend import batch_of, capabilities_of
from harness.contract.cover import Choices, CoverBackend, CoverQuestion, GaveUp
from harness.puzzles import Grid, Puzzle, Shape, parse_puzzle
from harness.puzzles.patterns import pattern_grid, pattern_puzzle

# The type parameter of a backend, and the options that follow from it.


Deeper = TypeVar("Deeper", bound=Options)


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


# The phases of a call, with a clock that is set by hand.


def test_each_phase_has_the_time_between_its_beginning_and_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(answers, "perf_counter", lambda: now[0])
    timer = PhaseTimer()
    for seconds, enter in (
        (1.0, timer.search),
        (2.0, timer.decode),
        (4.0, timer.encode),
        (8.0, timer.search),
        (16.0, timer.decode),
    ):
        now[0] += seconds
        enter()
    now[0] += 32.0
    assert timer.stop() == Phases(encode=1 + 8, search=2 + 16, decode=4 + 32)
    now[0] += 64.0
    assert timer.stop().decode == 4 + 32 + 64


# The default batch loops, and the form of batches.


SHAPE = Shape.parse("4x4")
ONE = pattern_puzzle(SHAPE, blank_every=6).givens
NONE = (1, 1, *[0] * 14)
EMPTY = (0,) * 16


def native(shape: Shape = SHAPE) -> Backend:
    backend, options = registry.load_backend("native")
    return backend(shape, options)


def test_a_loop_agrees_with_single_calls() -> None:
    batch = np.array([ONE, NONE, EMPTY], np.uint8)
    answers = native().solve_many(batch)
    assert answers.statuses.tolist() == [Status.SOLVED, Status.UNSATISFIABLE, Status.SOLVED]
    assert tuple(answers.grids[0].tolist()) == pattern_grid(SHAPE)
    assert not answers.grids[1].any()
    alone = [native().solve(Puzzle(SHAPE, givens)) for givens in (ONE, NONE, EMPTY)]
    assert answers.stats["nodes"] == sum(answer.stats["nodes"] for answer in alone)
    counts = native().count_many(batch, 100)
    assert counts.numbers.tolist() == [1, 0, 100]
    assert counts.exact.tolist() == [True, True, False]
    assert counts.witnesses.any(axis=1).tolist() == [True, False, True]
    each = [native().count(Puzzle(SHAPE, givens), 100) for givens in (ONE, NONE, EMPTY)]
    assert counts.stats["nodes"] == sum(count.stats["nodes"] for count in each)


@pytest.mark.parametrize(
    ("batch", "where", "message", "expected"),
    [
        ([[0] * 16], "", "list", "uint8[n, 16] for 4x4"),
        (np.zeros((2, 81), np.uint8), "", "uint8[2, 81]", "uint8[n, 16] for 4x4"),
        (np.zeros(16, np.uint8), "", "uint8[16]", "uint8[n, 16] for 4x4"),
        (np.zeros((1, 16), np.int64), "", "int64[1, 16]", "uint8[n, 16] for 4x4"),
        (np.array([EMPTY, (4, *EMPTY[1:-1], 5)], np.uint8), "puzzle 1, R4C4", "5", "0 to 4"),
    ],
)
def test_a_malformed_batch_is_an_error(
    batch: "np.ndarray[tuple[int, ...]]", where: str, message: str, expected: str
) -> None:
    for call in (native().solve_many, lambda puzzles: native().count_many(puzzles, 2)):
        with pytest.raises(PuzzleError) as error:
            call(batch)
        assert (error.value.where, error.value.expected) == (where, expected)
        assert message in error.value.what


def test_a_batch_need_not_be_contiguous() -> None:
    every_other = np.array([ONE, EMPTY, NONE, EMPTY], np.uint8)[::2]
    assert native().count_many(every_other, 2).numbers.tolist() == [1, 0]
    assert batch_of(every_other, SHAPE).flags.c_contiguous


class Slow(Backend):
    """Answers at once, and then takes all the time that it has."""

    name = "slow"
    paradigm = "sleeps"

    def __init__(self, shape: Shape, options: Options) -> None:
        self.limits: list[float] = []
        self.answer = Answer.unsatisfiable()

    def solve(self, puzzle: Puzzle) -> Answer:
        assert self.time_limit is not None
        if self.limits:
            time.sleep(self.time_limit)
        self.limits.append(self.time_limit)
        return self.answer


def test_the_time_limit_is_for_the_whole_batch_and_is_restored() -> None:
    slow = Slow(SHAPE, Options())
    slow.time_limit = 1.0
    answers = slow.solve_many(np.zeros((5, 16), np.uint8))
    assert answers.statuses.tolist() == [Status.UNSATISFIABLE] * 2 + [Status.UNKNOWN] * 3
    assert slow.limits[0] > slow.limits[1]
    assert slow.time_limit == 1.0


def test_puzzles_without_time_left_are_not_counted() -> None:
    slow = Slow(SHAPE, Options())
    slow.time_limit = 1.0
    counts = slow.count_many(np.zeros((5, 16), np.uint8), 3)
    assert counts.exact.tolist() == [True] * 2 + [False] * 3
    assert counts.numbers.tolist() == [0] * 5
    assert len(slow.limits) == 2


def test_the_time_limit_is_for_all_calls_of_a_default_count_and_is_restored() -> None:
    slow = Slow(SHAPE, Options())
    slow.time_limit = 1.0
    slow.answer = Answer.solved(tuple(int(c) for c in "1234341221434321"))
    count = slow.count(Puzzle(SHAPE, (0,) * 16), 10)
    assert (count.number, count.exact) == (2, False)
    assert count.witness == slow.answer.grid
    assert count.stats == {"solve_calls": 2}
    assert count.phases is not None
    assert count.phases.search > 0.9 > count.phases.encode
    assert slow.limits[0] > slow.limits[1]
    assert slow.time_limit == 1.0


# A backend over exact covers, with a plain search over the groups.


EMPTY_COVER = Puzzle(SHAPE, (0,) * 16)
SOLVED = parse_puzzle("1234341221434321")


class Plain(CoverBackend[Options]):
    """Tries the candidates of the first group without a choice."""

    name = "plain"
    searches = 0
    gives_up_after = 1000

    def choices(self, question: CoverQuestion) -> Choices:
        self.searches += 1
        question.search()
        for number, choice in enumerate(self._covers(question, [])):
            if number == self.gives_up_after:
                raise GaveUp
            yield choice

    def _covers(self, question: CoverQuestion, choice: list[int]) -> Iterator[list[int]]:
        groups = question.candidates.groups
        choice_set = {*choice}
        if any(len(choice_set.intersection(group)) > 1 for group in groups):
            return
        group = next((g for g in groups if not choice_set.intersection(g)), None)
        if group is None:
            yield choice
            return
        for candidate in group:
            yield from self._covers(question, [*choice, candidate])


def test_a_cover_backend_has_all_capabilities_of_covers() -> None:
    assert Capability.COUNTS_NATIVELY in capabilities_of(Plain)
    assert Plain.takes == {Restriction.PENCILMARKS, Restriction.PAIRS}


@pytest.mark.parametrize(
    ("declaration", "fault"),
    [
        ({"takes": [Restriction.PAIRS]}, "takes is [<Restriction."),
        ({"takes": "pairs"}, "takes is 'pairs'"),
        ({"takes": {"pairs"}}, "takes is {'pairs'}"),
        ({"takes": None}, "takes is None"),
    ],
)
def test_a_wrong_declaration_of_what_a_backend_takes_is_an_error_with_all_restrictions(
    declaration: dict[str, object], fault: str
) -> None:
    with pytest.raises(TypeError) as error:
        type("Mine", (Plain,), declaration)
    assert str(error.value).startswith(f"Mine: {fault}")
    assert str(error.value).endswith("Restriction: " + ", ".join(Restriction.__members__))


def test_sets_of_restrictions_can_be_extended() -> None:
    class Further(Plain):
        takes = Plain.takes | {Restriction.SUMS}

    assert Further.takes - Plain.takes == {Restriction.SUMS}
    cage = Shape.parse("4x4; killer 3: R1C1 R1C2")
    assert Further(cage, Options()).shape == cage
    with pytest.raises(Unsupported, match="plain does not take sums, as in 4x4"):
        Plain(cage, Options())


def test_a_puzzle_without_blanks_and_a_contradiction_need_no_search() -> None:
    backend = Plain(SHAPE, Options())
    assert backend.solve(SOLVED).grid == SOLVED.givens
    count = backend.count(SOLVED, 5)
    assert (count.number, count.exact, count.witness) == (1, True, SOLVED.givens)
    assert (backend.count(SOLVED, 1).number, backend.count(SOLVED, 1).exact) == (1, False)
    twice = parse_puzzle("11..............")
    assert backend.solve(twice).status is Status.UNSATISFIABLE
    assert (backend.count(twice, 5).number, backend.count(twice, 5).exact) == (0, True)
    assert backend.searches == 0


def test_a_count_is_exact_below_its_limit() -> None:
    backend = Plain(SHAPE, Options())
    for limit, number, exact in ((1, 1, False), (288, 288, False)):
        count = backend.count(EMPTY_COVER, limit)
        assert (count.number, count.exact) == (number, exact)
    count = backend.count(EMPTY_COVER, 289)
    assert (count.number, count.exact) == (288, True)
    assert backend.solve(EMPTY_COVER).status is Status.SOLVED
    assert backend.searches == 4


def test_a_search_that_gives_up_has_a_lower_bound() -> None:
    backend = Plain(SHAPE, Options())
    backend.gives_up_after = 3
    count = backend.count(EMPTY_COVER, 9)
    assert (count.number, count.exact) == (3, False)
    assert (backend.count(EMPTY_COVER, 3).number, backend.count(EMPTY_COVER, 2).number) == (3, 2)
    backend.gives_up_after = 0
    assert backend.solve(EMPTY_COVER).status is Status.UNKNOWN


def test_a_limit_of_the_solver_is_a_lower_bound() -> None:
    question = CoverQuestion(EMPTY_COVER, 9, None)
    assert [question.is_reached_by(n) for n in (8, 9, 10)] == [False, True, True]
    assert question.limit_within(5) == 5
    assert [question.is_reached_by(n) for n in (4, 5)] == [False, True]
    assert question.limit_within(50) == 9


# A backend with a search of its own.


class Listed(SearchBackend):
    """Yields values twice as large as the solutions; may give up after them."""

    name = "listed"
    gives_up = False
    stats: Stats = MappingProxyType({"nodes": 7})

    def __init__(self, shape: Shape, options: Options) -> None:
        self.listed = [SOLVED.givens, SOLVED.givens[::-1]]

    def search(self, puzzle: Puzzle) -> "Listed":
        return self

    def solutions(self) -> Iterator[list[int]]:
        yield from ([2 * value for value in grid] for grid in self.listed)
        if self.gives_up:
            raise GaveUp

    def grid(self, solution: list[int]) -> Grid:
        return tuple(value // 2 for value in solution)


def test_a_search_backend_counts_and_takes_the_first_solution() -> None:
    backend = Listed(SHAPE, Options())
    for limit, number, exact in ((1, 1, False), (2, 2, False), (3, 2, True), (2**70, 2, True)):
        count = backend.count(EMPTY_COVER, limit)
        assert (count.number, count.exact, count.witness) == (number, exact, SOLVED.givens)
        assert (count.stats, count.phases is None) == ({"nodes": 7}, False)
    assert Capability.COUNTS_NATIVELY in capabilities_of(Listed)
    answer = backend.solve(EMPTY_COVER)
    assert (answer.status, answer.grid) == (Status.SOLVED, SOLVED.givens)


@pytest.mark.parametrize("gives_up", [False, True])
def test_a_search_that_ends_early_proves_nothing(gives_up: bool) -> None:
    backend = Listed(SHAPE, Options())
    backend.gives_up = gives_up
    count = backend.count(EMPTY_COVER, 9)
    assert (count.number, count.exact) == (2, not gives_up)
    backend.listed = []
    status = Status.UNKNOWN if gives_up else Status.UNSATISFIABLE
    answer = backend.solve(EMPTY_COVER)
    assert (answer.status, answer.stats) == (status, {"nodes": 7})
    count = backend.count(EMPTY_COVER, 9)
    assert (count.number, count.exact, count.witness) == (0, not gives_up, None)
