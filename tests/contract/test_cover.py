"""A backend over exact covers, with a plain search over the groups."""

import time
from collections.abc import Iterator

from harness.contract import Capability, Options, Status
from harness.contract.backend import capabilities_of
from harness.contract.cover import Choices, CoverBackend, CoverQuestion, GaveUp
from harness.puzzles import Puzzle, Shape, parse_puzzle

SHAPE = Shape.parse("4x4")
EMPTY = Puzzle(SHAPE, (0,) * 16)
SOLVED = parse_puzzle("1234341221434321")


class Plain(CoverBackend[Options]):
    """Tries the candidates of the first group without a choice."""

    searches = 0
    gives_up_after = 1000

    def choices(self, question: CoverQuestion) -> Choices:
        self.searches += 1
        question.search()
        for number, chosen in enumerate(self._covers(question, [])):
            if number == self.gives_up_after:
                raise GaveUp
            yield chosen

    def _covers(self, question: CoverQuestion, chosen: list[int]) -> Iterator[list[int]]:
        groups = question.candidates.groups
        held = {*chosen}
        if any(len(held.intersection(group)) > 1 for group in groups):
            return
        group = next((g for g in groups if not held.intersection(g)), None)
        if group is None:
            yield chosen
            return
        for candidate in group:
            yield from self._covers(question, [*chosen, candidate])


def test_a_cover_backend_has_all_capabilities_of_covers() -> None:
    has = Capability.COUNTS_NATIVELY | Capability.TAKES_PENCILMARKS | Capability.TAKES_PAIRS
    assert capabilities_of(Plain) & has == has


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
    for limit, number, exact in ((1, 1, False), (287, 287, False), (288, 288, False)):
        count = backend.count(EMPTY, limit)
        assert (count.number, count.exact) == (number, exact)
    count = backend.count(EMPTY, 289)
    assert (count.number, count.exact) == (288, True)
    assert backend.solve(EMPTY).status is Status.SOLVED
    assert backend.searches == 5


def test_a_search_that_gives_up_has_a_lower_bound() -> None:
    backend = Plain(SHAPE, Options())
    backend.gives_up_after = 3
    count = backend.count(EMPTY, 9)
    assert (count.number, count.exact) == (3, False)
    assert (backend.count(EMPTY, 3).number, backend.count(EMPTY, 2).number) == (3, 2)
    backend.gives_up_after = 0
    assert backend.solve(EMPTY).status is Status.UNKNOWN


def test_a_limit_of_the_solver_is_a_lower_bound() -> None:
    question = CoverQuestion(EMPTY, 9, None)
    assert [question.is_reached_by(n) for n in (8, 9, 10)] == [False, True, True]
    assert question.limit_within(5) == 5
    assert [question.is_reached_by(n) for n in (4, 5)] == [False, True]
    assert question.limit_within(50) == 9


def test_building_is_encoding_and_the_rest_is_searching() -> None:
    class Slow(Plain):
        def choices(self, question: CoverQuestion) -> Choices:
            time.sleep(0.02)
            yield from super().choices(question)

    for phases in (
        Slow(SHAPE, Options()).solve(EMPTY).phases,
        Slow(SHAPE, Options()).count(EMPTY, 3).phases,
    ):
        assert phases.encode >= 0.02
        assert phases.search > 0
        assert phases.decode == 0


def test_a_cover_backend_counts_by_itself() -> None:
    assert Plain.counts_natively
    assert Plain.takes_pencilmarks
