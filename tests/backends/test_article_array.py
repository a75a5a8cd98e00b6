"""Arkieva's article on Sudoku in APL (seed 001): items F1, C1 and X1."""

from functools import cache

import numpy as np
import pytest

from backends.article_array import (
    BOX,
    CELL_ID,
    COLUMN,
    DEAD_END,
    ROW,
    VALUE,
    Array,
    ArticleArray,
    Search,
    Step,
    array_of,
    neighbours_of,
)
from harness.contract import Options, Status
from harness.puzzles import Puzzle, Shape, parse_puzzle
from tests.backends.article_puzzles import NEAR, P0, P0_SOLUTION, P2
from tests.backends.oracle import backend_of, counted
from tests.plain_search import solutions

NINE = Shape.parse("9x9")
FOUR = Shape.parse("4x4")


def array(givens: dict[tuple[int, int], int]) -> Array:
    """The array of a 9x9 with these givens by row and column."""
    values = [0] * 81
    for (row, column), value in givens.items():
        values[9 * (row - 1) + column - 1] = value
    return array_of(Puzzle(NINE, tuple(values)), (3, 3))


def test_f1_1_the_array_is_81_by_5_with_the_checks_of_the_article() -> None:
    cells = array({(6, 5): 6})
    assert cells.shape == (81, 5)
    by_place = {(row, column): (number, box) for number, row, column, box, _ in cells.tolist()}
    assert by_place[5, 7][1] == 6
    assert by_place[8, 7][0] == 70
    assert by_place[4, 3][0] == 30
    for (row, column), (number, box) in by_place.items():
        assert number == 9 * (row - 1) + column
        assert box == 3 * ((row - 1) // 3) + -(-column // 3)
    assert cells[9 * 5 + 4].tolist() == [50, 6, 5, 5, 6]


def test_c1_1_queries_select_rows_of_the_array() -> None:
    cells = array({(1, 1): 2, (6, 5): 6})
    top = cells[cells[:, ROW] <= 3]
    assert top[:, CELL_ID].tolist() == list(range(1, 28))
    middle = top[(top[:, COLUMN] >= 4) & (top[:, COLUMN] <= 5)]
    assert middle[:, CELL_ID].tolist() == [4, 5, 13, 14, 22, 23]
    assert set(middle[:, BOX].tolist()) == {2}
    empty = cells[cells[:, VALUE] == 0, CELL_ID]
    assert empty.tolist() == [number for number in range(1, 82) if number not in (1, 50)]


def test_neighbours_are_the_peers() -> None:
    for name, box in (("9x9", (3, 3)), ("6x6", (2, 3)), ("box3x2", (3, 2))):
        shape = Shape.parse(name)
        neighbours = neighbours_of(array_of(Puzzle(shape, (0,) * shape.size**2), box))
        assert [tuple(np.flatnonzero(row).tolist()) for row in neighbours] == [*shape.peers]


def test_sanity_checks_decide_without_a_step() -> None:
    backend = backend_of("article-array")
    answer = backend.solve(Puzzle(NINE, (2, 0, 2, *(0,) * 78)))
    assert answer.status is Status.UNSATISFIABLE
    assert answer.stats["nodes"] == 0


def test_c1_5_a_cell_with_one_option_comes_before_any_choice() -> None:
    """P0 needs no choice, and every step has one option."""
    backend = ArticleArray(NINE, Options())
    history = backend.history(parse_puzzle(P0))
    assert [step.counter for step in history] == list(range(1, 50))
    assert {step.options for step in history} == {1}
    for step in history:
        assert int(P0_SOLUTION[step.cell - 1]) == step.value


def test_c1_5_without_such_a_cell_the_smallest_candidate_is_tried() -> None:
    history = ArticleArray(FOUR, Options()).history(Puzzle(FOUR, (0,) * 16))
    assert history[0] == Step(1, 4, 1, 1)
    assert history[1] == Step(2, 3, 2, 2)


@cache
def a_dead_end() -> list[Step]:
    """The history of a search that goes back."""
    return ArticleArray(NINE, Options()).history(parse_puzzle(NEAR))


def test_c1_6_steps_have_four_columns_with_the_values_of_the_article() -> None:
    for step in a_dead_end():
        counter, options, cell, value = step
        assert counter >= 1
        assert 1 <= cell <= 81
        assert 1 <= value <= 9 or value in (0, DEAD_END)
        assert (options == 0) == (value in (0, DEAD_END))
    assert DEAD_END == 9999


def test_c1_7_a_dead_end_empties_cells_back_to_the_latest_choice() -> None:
    """The worked trace: 9999, then rows with the same CTR and value 0, latest cell first.

    The next step gives the cell of the choice its next value.
    """
    history = a_dead_end()
    tracker: list[Step] = []
    dead_ends = 0
    at = 0
    while at < len(history):
        step = history[at]
        at += 1
        if step.value != DEAD_END:
            tracker.append(step)
            continue
        dead_ends += 1
        emptied_rows = []
        while history[at].value == 0:
            emptied_rows.append(history[at])
            at += 1
        assert {row.counter for row in emptied_rows} == {step.counter}
        latest = max(i for i, entry in enumerate(tracker) if entry.options > 1)
        choice, undone = tracker[latest], tracker[latest:]
        assert [row.cell for row in emptied_rows] == [entry.cell for entry in reversed(undone)]
        del tracker[latest:]
        following = history[at]
        assert (following.counter, following.cell) == (step.counter + 1, choice.cell)
        assert following.options == choice.options - 1
        assert following.value > choice.value
    assert dead_ends > 100
    assert len(tracker) == NEAR.count(".")  # TRACKER at the end: an assignment for each cell


def test_c1_8_pav_holds_the_values_tried_in_the_cells_of_the_tracker() -> None:
    search = Search(array_of(parse_puzzle(NEAR), (3, 3)))
    while not search.dead_ends > 20:
        step = search.step()
        assert step is not None
        on_board = {entry.cell: entry for entry in search.tracker}
        assert set(np.flatnonzero(search.pav.any(axis=1)) + 1) == set(on_board)
        for cell, step_ in on_board.items():
            assert search.pav[cell - 1, step_.value - 1]
        if step.value == DEAD_END:
            assert search.go_back()


def with_few_clues() -> list[Puzzle]:
    grid = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1)
    return [
        Puzzle(FOUR, tuple(v if cell in places else 0 for cell, v in enumerate(grid)))
        for places in ((), (0,), (0, 5), (3, 6, 9), (0, 1, 2, 3))
    ]


@pytest.mark.parametrize("puzzle", with_few_clues(), ids=lambda puzzle: puzzle.line)
def test_x1_the_search_is_complete_because_pav_is_cleared(puzzle: Puzzle) -> None:
    assert counted(backend_of("article-array", FOUR), puzzle, 1000) == (
        len(solutions(puzzle, 1000)),
        True,
    )


def test_x1_without_clearing_pav_solutions_are_missed() -> None:
    class Forgetful(Search):
        def go_back(self) -> bool:
            before = self.pav.copy()
            is_open = super().go_back()
            self.pav |= before
            return is_open

    empty = array_of(Puzzle(FOUR, (0,) * 16), (2, 2))
    assert len(list(Search(empty.copy()).solutions())) == 288
    assert len(list(Forgetful(empty.copy()).solutions())) < 288


def test_c1_9_the_history_is_optional_and_changes_no_answer() -> None:
    puzzle = parse_puzzle(P2)
    history: list[Step] = []
    with_history = Search(array_of(puzzle, (3, 3)), history)
    plain = Search(array_of(puzzle, (3, 3)))
    assert next(with_history.solutions()) == next(plain.solutions())
    assert len(history) >= with_history.counter == plain.counter > 0


def test_c1_12_the_search_ends_without_a_choice_left() -> None:
    puzzle = Puzzle(FOUR, (0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0))
    search = Search(array_of(puzzle, (2, 2)))
    assert search.is_sane()
    assert list(search.solutions()) == solutions(puzzle, 1) == []
    assert search.dead_ends
    assert not search.tracker
    assert not search.go_back()
