"""The likeliest reading with exactly one solution."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from msgspec.structs import replace

from harness.base.errors import InputError
from harness.extensions.images.documents import ImageRead
from harness.extensions.images.reading import Bounds, read
from harness.extensions.images.scan import Scan
from harness.puzzles import Puzzle, Shape
from tests.extensions.images.drawn import PUZZLE, count

SURE = 0.999


def scan_of(puzzle: Puzzle, uncertain: dict[int, dict[int, float]] | None = None) -> Scan:
    """A scan of certain values, except for cells with the probabilities of some values."""
    size = puzzle.shape.size
    probabilities = []
    for cell, value in enumerate(puzzle.givens):
        row = (uncertain or {}).get(cell, {value: SURE})
        rest = (1 - sum(row.values())) / (size + 1 - len(row))
        probabilities.append([row.get(v, rest) for v in range(size + 1)])
    return Scan(
        shape=puzzle.shape.definition,
        is_shape_clear=True,
        corners=[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
        probabilities=probabilities,
        handwritten=[0.0] * size**2,
        has_letters=False,
        score=0.8,
    )


def names(cells: Sequence[int]) -> list[str]:
    return [PUZZLE.shape.cell_name(cell) for cell in cells]


def doubts(reading: ImageRead) -> list[tuple[str, bool, bool]]:
    """The name of each doubtful cell, whether it was changed, and whether it is uncertain."""
    return [(cell.cell, cell.changed, cell.uncertain) for cell in reading.doubtful]


def clues_of(puzzle: Puzzle) -> list[int]:
    return [cell for cell, value in enumerate(puzzle.givens) if value]


def test_a_certain_reading_needs_one_question() -> None:
    reading = read(scan_of(PUZZLE), count)
    assert (reading.board, reading.unique, reading.certain) == (PUZZLE, True, True)
    assert reading.reason == ""
    assert (reading.questions, reading.first_solutions, reading.doubtful) == (1, 1, [])


def test_a_doubtful_cell_is_named_although_it_is_right() -> None:
    cell = clues_of(PUZZLE)[3]
    reading = read(scan_of(PUZZLE, {cell: {PUZZLE.givens[cell]: 0.8, 7: 0.15}}), count)
    assert (reading.board, doubts(reading)) == (PUZZLE, [(*names([cell]), False, False)])
    likeliest = reading.doubtful[0].likely[0]
    assert (likeliest.value, likeliest.probability) == (str(PUZZLE.givens[cell]), 0.8)


@pytest.mark.parametrize(
    ("number", "shares", "is_clear"),
    [*((number, (0.7, 0.28), False) for number in (0, 5, 11, 20)), (0, (0.96, 0.038), True)],
)
def test_a_misreading_is_corrected_and_uncertain_if_it_was_clear(
    number: int, shares: tuple[float, float], is_clear: bool
) -> None:
    cell = clues_of(PUZZLE)[number]
    right = PUZZLE.givens[cell]
    wrong = next(v for v in range(9, 0, -1) if v != right)
    uncertain = {cell: dict(zip((wrong, right), shares, strict=True))}
    reading = read(scan_of(PUZZLE, uncertain), count)
    assert (reading.board, doubts(reading)) == (PUZZLE, [(*names([cell]), True, is_clear)])
    assert reading.first_solutions != 1
    assert not (is_clear and reading.certain)


def test_an_overlooked_given_is_found() -> None:
    clue = next(
        cell
        for cell in clues_of(PUZZLE)
        if count(Puzzle(PUZZLE.shape, without(PUZZLE.givens, cell)), 2) == 2
    )
    reading = read(scan_of(PUZZLE, {clue: {0: 0.9, PUZZLE.givens[clue]: 0.08}}), count)
    assert (reading.board, reading.first_solutions) == (PUZZLE, 2)
    assert doubts(reading) == [(*names([clue]), True, False)]


def without(givens: Sequence[int], cell: int) -> tuple[int, ...]:
    return tuple(0 if at == cell else value for at, value in enumerate(givens))


def test_equal_givens_need_no_question() -> None:
    cells = clues_of(PUZZLE)
    peer = next(c for c in cells[1:] if c in PUZZLE.shape.peers[cells[0]])
    wrong = PUZZLE.givens[peer]
    uncertain = {cells[0]: {wrong: 0.6, PUZZLE.givens[cells[0]]: 0.39}}
    puzzles: list[Puzzle] = []

    def record(puzzle: Puzzle, limit: int) -> int | None:
        puzzles.append(puzzle)
        return count(puzzle, limit)

    reading = read(scan_of(PUZZLE, uncertain), record)
    assert (reading.board, puzzles[0], reading.first_solutions) == (PUZZLE, PUZZLE, 0)
    assert all(p.givens[cells[0]] != wrong for p in puzzles if p.givens[peer] == wrong)


def test_a_rival_with_one_solution_makes_a_reading_uncertain() -> None:
    with_each = [Puzzle(PUZZLE.shape, (value, *PUZZLE.givens[1:])) for value in range(1, 10)]
    (puzzle,) = (puzzle for puzzle in with_each if count(puzzle, 2) == 1)
    value = puzzle.givens[0]
    for blank, is_certain in ((0.01, False), (0.001, True)):
        reading = read(scan_of(puzzle, {0: {value: 1 - blank, 0: blank}}), count)
        assert (reading.board, reading.unique, reading.certain) == (puzzle, True, is_certain)
        assert doubts(reading) == ([] if is_certain else [("R1C1", False, True)])


@pytest.mark.parametrize("before", [1, 2])
def test_one_solution_after_many_questions_may_be_chance(before: int) -> None:
    """A value is read after blank and some wrong values, which do not leave one solution."""
    for cell in clues_of(PUZZLE):
        others = [*PUZZLE.givens]
        legal = []
        for value in range(10):
            others[cell] = value
            puzzle = Puzzle(PUZZLE.shape, tuple(others))
            peer_values = {puzzle.givens[peer] for peer in PUZZLE.shape.peers[cell]} - {0}
            if value not in peer_values and count(puzzle, 2) != 1:
                legal.append(value)
        if len(legal) > before and legal[0] == 0:
            break
    order = [*legal[: before + 1], PUZZLE.givens[cell]]
    reading = read(scan_of(PUZZLE, {cell: {v: 0.4 / 2**n for n, v in enumerate(order)}}), count)
    assert (reading.board, reading.unique) == (PUZZLE, True)
    assert doubts(reading) == [(*names([cell]), True, False)]
    assert reading.certain == (before == 1)


def test_handwritten_values_are_entries_beside_printed_givens() -> None:
    scan = scan_of(PUZZLE)
    cells = clues_of(PUZZLE)
    some = [0.9 if cell in cells[:3] else 0.0 for cell in range(81)]
    reading = read(replace(scan, handwritten=some), count)
    assert (reading.entries, reading.board) == (names(cells[:3]), PUZZLE)
    assert clues_of(reading.printed) == cells[3:]
    every = read(replace(scan, handwritten=[0.9] * 81), count)
    assert (every.entries, every.printed) == ([], PUZZLE)


def empty(shape: str) -> Puzzle:
    parsed = Shape.parse(shape)
    return Puzzle(parsed, (0,) * parsed.size**2)


def test_without_a_reading_with_one_solution_the_likeliest_one_remains() -> None:
    reading = read(scan_of(empty("4x4")), count)
    assert (reading.board, reading.unique, reading.first_solutions) == (empty("4x4"), False, 2)
    assert reading.reason == "no likely reading has exactly one solution"
    assert not any(cell.changed for cell in reading.doubtful)


@pytest.mark.parametrize(
    ("bounds", "questions", "reason"),
    [
        (Bounds(questions=5), 5, "none of 5 readings has exactly one solution"),
        (Bounds(seconds=0), 1, "no reading with exactly one solution in 0 s"),
    ],
)
def test_questions_and_time_are_bounded(bounds: Bounds, questions: int, reason: str) -> None:
    uncertain = {cell: {0: 0.6, 1: 0.2, 2: 0.15} for cell in range(81)}
    reading = read(scan_of(empty("9x9"), uncertain), count, bounds)
    assert (reading.unique, reading.questions, reading.reason) == (False, questions, reason)


def test_an_unknown_count_is_no_solution() -> None:
    reading = read(scan_of(PUZZLE), lambda _puzzle, _limit: None)
    assert (reading.board, reading.unique, reading.first_solutions) == (PUZZLE, False, None)


def test_the_readings_come_from_the_likeliest_on() -> None:
    puzzles: list[Puzzle] = []

    def record(puzzle: Puzzle, _: int) -> int:
        puzzles.append(puzzle)
        return 2

    uncertain = {0: {0: 0.6, 1: 0.39}, 5: {0: 0.7, 2: 0.29}, 10: {0: 0.5, 3: 0.45, 4: 0.04}}
    scan = scan_of(empty("4x4"), uncertain)
    read(scan, record, Bounds(questions=30))

    def likelihood(puzzle: Puzzle) -> float:
        product = 1.0
        for cell, value in enumerate(puzzle.givens):
            product *= scan.probabilities[cell][value]
        return product

    likelihoods = [likelihood(puzzle) for puzzle in puzzles]
    assert len(set(puzzles)) == len(puzzles) == 30
    assert all(a >= b * (1 - 1e-9) for a, b in pairwise(likelihoods))


def test_a_scan_that_is_not_of_its_shape_is_refused() -> None:
    with pytest.raises(InputError, match="a scan of 81 cells; expected 17 probabilities"):
        read(replace(scan_of(PUZZLE), shape="16x16"), count)
    with pytest.raises(InputError, match="a scan with a malformed shape"):
        read(replace(scan_of(PUZZLE), shape="17x17x"), count)
