"""The tutorial "AI之矛 数独Agent" (seed 000): items F0, C0, P0 and X0."""

import pytest

from backends.article_eliminate import Agent, ArticleEliminate, Values, cross
from harness.base.errors import PuzzleError
from harness.contract import Options, Status
from harness.puzzles import Puzzle, Shape, check, parse_puzzle
from tests.backends.article_puzzles import P0, P0_SOLUTION, P2, count_of, solution_of
from tests.backends.oracle import counted


@pytest.fixture
def backend() -> ArticleEliminate:
    return ArticleEliminate(Shape.parse("9x9"), Options())


def test_f0_2_values_are_a_dict_of_strings_by_row_letter_and_column(
    backend: ArticleEliminate,
) -> None:
    values = backend.grid_values(parse_puzzle(P0))
    assert list(values)[:10] == [*(f"A{column}" for column in range(1, 10)), "B1"]
    assert list(values)[-1] == "I9"
    # F0.1 and C0.2: '.' is every digit.
    assert (values["A1"], values["A3"], values["B1"]) == ("123456789", "3", "9")
    text = "".join(v if len(v) == 1 else "." for v in values.values())
    assert text == P0
    assert Puzzle.from_cells(values).line == P0


def test_c0_1_27_units_3_of_each_box_and_20_peers(backend: ArticleEliminate) -> None:
    assert cross("AB", iter("12")) == ["A1", "A2", "B1", "B2"]
    assert len(backend.boxes) == 81
    assert len(backend.unitlist) == 27
    assert {sum(box in unit for unit in backend.unitlist) for box in backend.boxes} == {3}
    assert {len(backend.peers[box]) for box in backend.boxes} == {20}
    row_and_column = {f"C{column}" for column in range(1, 10)} | {f"{row}2" for row in "ABCDEFGHI"}
    assert set(backend.peers["C2"]) == (row_and_column | {"A1", "A3", "B1", "B3"}) - {"C2"}


@pytest.mark.parametrize("symbol", ["x", "*", " ", "é"])
def test_x0_a_symbol_that_is_no_value_is_an_error_and_shifts_no_grid(symbol: str) -> None:
    """C0.2: the tutorial drops it, and so shifts all cells behind it."""
    with pytest.raises(PuzzleError):
        parse_puzzle(P0[:4] + symbol + P0[5:])
    with pytest.raises(PuzzleError):
        parse_puzzle(P0[:4] + symbol + P0[4:])


def test_c0_3_eliminate_removes_a_solved_digit_from_its_peers(backend: ArticleEliminate) -> None:
    values = dict.fromkeys(backend.boxes, "123456789") | {"E5": "7"}
    Agent(backend, values).eliminate(values)
    without = {box for box, digits in values.items() if "7" not in digits}
    assert without == set(backend.peers["E5"])
    assert values["E5"] == "7"


def test_c0_4_only_choice_places_a_digit_that_a_unit_has_once(backend: ArticleEliminate) -> None:
    for unit in backend.unitlist:
        values = dict.fromkeys(backend.boxes, "123456789")
        values |= dict.fromkeys(unit[1:], "12346789")
        Agent(backend, values).only_choice(values)
        assert values[unit[0]] == "5"


def test_c0_5_reduce_puzzle_alone_solves_the_worked_example(backend: ArticleEliminate) -> None:
    """P0: 32 clues, one solution, no branch."""
    puzzle = parse_puzzle(P0)
    assert puzzle.clues == 32
    values = backend.grid_values(puzzle)
    assert Agent(backend, values).reduce_puzzle(values)
    assert "".join(values.values()) == P0_SOLUTION
    answer = backend.solve(puzzle)
    assert answer.stats == {"nodes": 1, "guesses": 0}
    assert counted(backend, puzzle, 9) == (1, True)


def test_x0_a_digit_without_a_place_is_noticed_when_a_box_is_empty() -> None:
    """Row A has no place for 4: one round of both rules leaves every box a digit."""
    backend = ArticleEliminate(Shape.parse("4x4"), Options())
    values = dict.fromkeys(backend.boxes, "1234")
    values |= {f"A{column}": "123" for column in range(1, 5)}
    agent = Agent(backend, values)
    assert agent.reduce_puzzle(values)
    assert next(agent.solutions(), None) is None


def test_x0_a_search_without_a_solution_is_a_proof() -> None:
    """The tutorial returns None for it here and False there; the contract has one answer."""
    puzzle = parse_puzzle("11" + "." * 79)
    backend = ArticleEliminate(puzzle.shape, Options())
    assert backend.solve(puzzle).status is Status.UNSATISFIABLE


def test_c0_6_the_box_with_the_fewest_candidates_comes_first_then_its_name(
    backend: ArticleEliminate,
) -> None:
    assignments: list[tuple[str, str]] = []

    class Watched(Agent):
        def reduce_puzzle(self, values: Values) -> bool:
            if self.nodes > 1:
                assignments.extend((box, d) for box, d in values.items() if box in ("B1", "A9"))
            return self.nodes == 1

    values = dict.fromkeys(backend.boxes, "123") | {"B1": "94", "A9": "83", "I9": "5"}
    assert next(Watched(backend, values).solutions(), None) is None
    # Two candidates each, so A9 by its name, with its values in order; the dict is a copy.
    assert assignments == [("A9", "8"), ("B1", "94"), ("A9", "3"), ("B1", "94")]
    assert values["A9"] == "83"


def test_c0_6_names_are_compared_as_texts() -> None:
    """In 16x16 the box A10 comes before A2."""
    backend = ArticleEliminate(Shape.parse("16x16"), Options())
    first: list[str] = []

    class Watched(Agent):
        def reduce_puzzle(self, values: Values) -> bool:
            if self.nodes > 1:
                first.extend(box for box in values if len(values[box]) == 1)
            return self.nodes == 1

    values = dict.fromkeys(backend.boxes, "123") | {"A2": "12", "A10": "12"}
    assert next(Watched(backend, values).solutions(), None) is None
    assert first == ["A10", "A10"]


def test_c0_7_too_many_clues_leave_no_solution_and_too_few_leave_many() -> None:
    too_many = "4" + P0[1:40] + "6" + P0[41:80] + "7"
    assert count_of("article-eliminate", too_many, 2).number == 0
    too_few = P0.replace("8", ".")
    assert count_of("article-eliminate", too_few, 2).number == 2
    assert count_of("article-eliminate", P2, 100).number == 100


def test_c0_8_a_puzzle_without_duplicates_may_have_no_solution() -> None:
    """LeetCode 36 looks for duplicates only."""
    line = "12345678." + "........9" + "." * 63
    assert not check(parse_puzzle(line)).duplicates
    assert solution_of("article-eliminate", line) is None
