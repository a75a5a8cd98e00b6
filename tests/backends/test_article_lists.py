"""The article "你会玩数独么?" (seed 002): items F2.1, C2, N2, P2 and X2."""

import json

import pytest

from backends.article_lists import Search, has_repeats
from harness.puzzles import Puzzle, parse_puzzle
from tests.backends.article_puzzles import P0, P2, P2_FIRST, P2_SOLUTIONS, count_of
from tests.conftest import Harness


def search(line: str, *, faithful: bool = False) -> Search:
    return Search(parse_puzzle(line).rows(), (3, 3), faithful=faithful)


def test_f2_1_the_board_is_nested_lists_with_0_for_an_empty_cell() -> None:
    board = search(P2).board
    assert board[0] == [0, 0, 0, 8, 0, 0, 0, 0, 0]
    assert [len(row) for row in board] == [9] * 9
    assert sum(value > 0 for row in board for value in row) == 21
    assert Puzzle.from_rows(board).line == P2


@pytest.mark.parametrize(
    ("first", "second"), [((0, 0), (0, 8)), ((0, 3), (8, 3)), ((6, 6), (8, 8))]
)
def test_c2_1_check_board_finds_a_repeat_in_a_row_column_or_square(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    """Typing errors are its motive; the contradiction takes no call of the search."""
    result = search("." * 81)
    assert result.check_board()  # zeros are ignored
    for x, y in (first, second):
        result.board[x][y] = 7
    assert not result.check_board()
    assert ([*result.solutions()], result.calls) == ([], 0)
    assert has_repeats([0, 5, 0, 5])
    assert not has_repeats([0, 5, 0, 4])


def test_c2_2_cal_count_is_the_number_and_the_list_of_candidates() -> None:
    result = search(P2)
    for x, y in ((0, 0), (1, 0), (4, 4)):
        peer_values = {*P2[9 * x : 9 * x + 9], *P2[y::9]}
        peer_values |= {
            P2[9 * r + c]
            for r in range(9)
            for c in range(9)
            if (r // 3, c // 3) == (x // 3, y // 3)
        }
        missing = [value for value in range(1, 10) if str(value) not in peer_values]
        assert result.cal_count(x, y) == (len(missing), missing)


def test_c2_3_given_cells_count_as_10_and_the_first_least_count_is_taken() -> None:
    result = search(P2)
    assert result.cal_count(0, 3) == (10, [])
    counts = [result.cal_count(x, y)[0] for x in range(9) for y in range(9)]
    fewest, x, y, candidates = result.cal_count_all()
    assert (fewest, 9 * x + y) == (min(counts), counts.index(min(counts)))
    assert len(candidates) == fewest
    full = search(P2_FIRST)
    assert full.cal_count_all()[0] == 10  # solved


def test_c2_4_try_it_counts_its_calls_and_finds_the_first_solution_in_61() -> None:
    """N2: the grid is that of the article."""
    for faithful in (False, True):  # the defect does not show before the first solution
        result = search(P2, faithful=faithful)
        assert "".join(map(str, next(result.solutions()))) == P2_FIRST
        assert result.calls == 61


def test_x2_with_the_defect_of_the_article_15_solutions_are_counted() -> None:
    """N2: 775 calls."""
    result = search(P2, faithful=True)
    grids = [*result.solutions()]
    assert (len(grids), result.calls) == (15, 775)
    # The grids are solutions, and many are missing.
    assert len(set(grids)) == 15
    assert count_of("native-jit", P2, 10**6).number == P2_SOLUTIONS


def test_x2_without_the_defect_the_count_agrees_with_another_search() -> None:
    line = P0.replace("9", ".")
    count = count_of("article-lists", line, 1000)
    assert (count.number, count.exact) == (142, True)
    assert count_of("cnf", line, 1000).number == 142
    assert count_of("article-lists[faithful=true]", line, 1000).number < 142


def test_x2_the_harness_reports_the_wrong_count(harness: Harness) -> None:
    words = ("--backend", "article-lists[faithful=true]", "--max-solutions", "100000", "--json")
    code, out, error = harness("count", "seeds/seed002", *words)
    (result,) = json.loads(out)["results"]
    assert (code, result["verdict"], result["count"]) == (1, "wrong", 15), error
