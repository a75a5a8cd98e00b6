"""Conclusions as sentences: they name the cells and values of the conclusion and its reason."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest

from harness.extensions.reasoning.board import (
    Board,
    Conclusion,
    Elimination,
    Link,
    Placement,
    Rule,
    conditional,
    sentence,
    statement,
)
from harness.extensions.reasoning.ladder import ALTERNATIVES, LADDER
from harness.extensions.reasoning.rules.cycles import NonrepetitiveCycle
from harness.extensions.reasoning.rules.singles import OneCandidate
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import Constraint
from harness.puzzles.search.kernel import Prng
from harness.puzzles.shape import symbol_of
from tests.extensions.reasoning.boards import SHAPES, any_board, solvable_board
from tests.puzzles.variants import givens, variant

REASON = OneCandidate(0, 1)
PLAIN = re.compile(r"[A-Za-z0-9 ,;:'()-]+")
CELL = re.compile(r"\bR\d+C\d+\b")


@pytest.mark.parametrize(
    ("candidates", "words"),
    [
        ([(0, 7)], "R1C1 is not 7"),
        ([(0, 3), (0, 7)], "R1C1 is not 3 or 7"),
        ([(0, 3), (0, 7), (0, 8)], "R1C1 is not 3, 7 or 8"),
        ([(0, 7), (2, 7)], "R1C1 and R1C3 are not 7"),
        ([(0, 7), (2, 7), (9, 7)], "R1C1, R1C3 and R2C1 are not 7"),
        ([(0, 3), (0, 7), (2, 3), (2, 7)], "R1C1 and R1C3 are not 3 or 7"),
        ([(0, 3), (2, 7)], "R1C1 is not 3; R1C3 is not 7"),
        ([(0, 3), (2, 3), (2, 7), (9, 3)], "R1C1 and R2C1 are not 3; R1C3 is not 3 or 7"),
    ],
)
def test_cells_that_lose_the_same_values_are_one_group(
    candidates: list[tuple[int, int]], words: str
) -> None:
    shape = Shape.parse("9x9")
    assert statement(Elimination(tuple(candidates), REASON), shape) == words


def test_a_placement_is_followed_by_its_reason() -> None:
    small, large = Shape.parse("9x9"), Shape.parse("16x16")
    placement = Placement(0, 4, OneCandidate(0, 4))
    assert statement(placement, small) == "R1C1 is 4"
    assert sentence(placement, small) == "R1C1 is 4: the only candidate left there"
    last = Placement(255, 16, OneCandidate(255, 16))
    assert sentence(last, large) == "R16C16 is G: the only candidate left there"


def test_a_cycle_has_its_links_in_order_then_two_cases() -> None:
    shape = Shape.parse("9x9")
    row = shape.houses[0]
    box = next(house for house in shape.houses if str(house) == "box 1")
    cycle = NonrepetitiveCycle(
        (Link(0, 1, 3, 3, row), Link(1, 10, 4, 4, box), Link(10, 0, 5, 5, None))
    )
    assert cycle.words(shape) == (
        "the cycle R1C1 -3- R1C2 (row 1) -4- R2C2 (box 1) -5- R1C1 leaves two cases: "
        "R1C1 is 3, R1C2 is 4 and R2C2 is 5, or R1C1 is 5, R1C2 is 3 and R2C2 is 4"
    )


def test_a_link_has_its_house_and_a_weak_one_the_value_that_its_target_loses() -> None:
    shape = Shape.parse("9x9")
    row = shape.houses[0]
    walk = (Link(0, 1, 3, 3, row), Link(1, 2, 3, 8, row), Link(2, 13, 8, 9, None))
    assert conditional(walk, shape) == (
        "R1C2 would be 3 (row 1), R1C3 would be 8 (not 3 in row 1), R2C5 would be 9 (not 8)"
    )


@cache
def boards() -> tuple[Board, ...]:
    """Boards of all shapes with and without a solution, always the same."""
    reasons = [
        make(Shape.parse(spec), Prng(seed))
        for spec in SHAPES
        for seed in range(3)
        for make in (solvable_board, any_board)
    ]
    random = Prng(1)
    for _ in range(20):  # two values in most cells: chains and wings
        marks = tuple(
            1 << random.below(9) | 1 << random.below(9) | 1 << random.below(9) for _ in range(81)
        )
        reasons.append(Board(Puzzle(Shape.parse("9x9"), (0,) * 81, marks)))
    return (*reasons, *boards_with_constraints())


def boards_with_constraints() -> Iterator[Board]:
    """Boards with a sum that leaves one cell of a row, inside or outside, and other kinds."""
    kinds = ["killer"] * 6 + ["thermometer", "difference", "xv", "odd", "quadruple", "arrow"]
    for seed in range(12):
        shape, grid = variant(Shape.parse("6x6"), kinds, seed)
        row = 6 * (seed % 6)
        cages = [(*range(row, row + 5 + seed % 2), *([(row + 6) % 36] * (seed % 2)))]
        more = [Constraint("sum", str(sum(grid[c] for c in cells)), (cells,)) for cells in cages]
        yield Board(Puzzle(shape.with_constraints(more), givens(grid, seed, seed)))


def examples(rule: Rule) -> Iterator[tuple[Conclusion, Shape]]:
    for board in boards():
        for conclusion in islice(rule.conclusions(board.copy()), 3):
            yield conclusion, board.shape


@pytest.mark.parametrize("rule", [*LADDER, *ALTERNATIVES], ids=lambda rule: rule.name)
def test_each_rule_gives_plain_words_with_the_cells_of_its_conclusion(rule: Rule) -> None:
    number = 0
    for conclusion, shape in examples(rule):
        number += 1
        words = sentence(conclusion, shape)
        statement, _, why = words.partition(": ")
        assert PLAIN.fullmatch(words), words
        assert type(conclusion).__name__ not in words
        assert statement
        assert why
        names = set(map(shape.cell_name, conclusion.cells))
        reasons = {shape.cell_name(cell) for cell in conclusion.reason.cells}
        assert set(CELL.findall(statement)) == names
        assert set(CELL.findall(why)) <= names | reasons, words
        symbols = {symbol_of(value) for value in range(1, shape.size + 1)}
        in_words = re.sub(r"R\d+C\d+|(row|column|box|region|diagonal|window|house) \d+", "", words)
        assert rule.sees or set(re.findall(r"\b[0-9]+\b", in_words)) <= symbols, words
    assert number >= 3, rule.name
