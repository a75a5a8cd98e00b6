"""An example of each rule that removes candidates, with its reason in words."""

from dataclasses import dataclass, field

import pytest

from harness.extensions.reasoning.board import Board, Elimination
from harness.extensions.reasoning.ladder import rule_named
from harness.puzzles import Puzzle, Shape
from tests.tables import cases


@dataclass
class Example:
    """A blank board on which a rule has one conclusion.

    Attributes:
        rule: the name of the rule.
        removed: the cells that lose candidates, with these.
        words: the reason.
        only: the candidates of some cells.
        places: a house, a value and the only cells for it.
    """

    rule: str
    removed: dict[str, str]
    words: str
    only: dict[str, str] = field(default_factory=dict)
    places: list[tuple[str, str, str]] = field(default_factory=list)
    shape: str = "9x9"

    def board(self) -> Board:
        shape = Shape.parse(self.shape)
        board = Board(Puzzle(shape, (0,) * shape.size**2))
        names = [shape.cell_name(cell) for cell in range(shape.size**2)]
        for name, values in self.only.items():
            board.candidates[names.index(name)] = sum(1 << int(value) - 1 for value in values)
        for house_name, value, cells in self.places:
            (house,) = (house for house in shape.houses if str(house) == house_name)
            for cell in house.cells:
                if names[cell] not in cells.split():
                    board.remove(cell, int(value))
        return board


EXAMPLES = [Example(**case) for case in cases(__file__, "a_rule_finds_its_pattern")]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.rule)
def test_a_rule_finds_its_pattern(example: Example) -> None:
    board = example.board()
    conclusion = next(iter(rule_named(example.rule).conclusions(board)))
    assert isinstance(conclusion, Elimination)
    assert conclusion.reason.words(board.shape) == example.words
    assert {(board.shape.cell_name(cell), value) for cell, value in conclusion.candidates} == {
        (name, int(value)) for name, values in example.removed.items() for value in values
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.rule)
def test_a_pattern_without_a_candidate_to_remove_is_no_conclusion(example: Example) -> None:
    board = example.board()
    rule = rule_named(example.rule)
    while (conclusion := next(iter(rule.conclusions(board)), None)) is not None:
        assert board.apply(conclusion)


def test_houses_of_a_shape_without_names_serve_as_rows_and_columns() -> None:
    """A shape that lists its houses has the same fish as the shape with rows and columns."""
    by_name = Shape.parse("latin4")
    cells = [[f"{r}{c}" for c in range(1, 5)] for r in range(1, 5)]
    houses = ".".join("".join(house) for house in [*zip(*cells, strict=True), *cells])
    by_houses = Shape.parse(f"houses4:{houses}")
    assert by_houses == by_name
    results = {}
    for shape in (by_name, by_houses):
        board = Board(Puzzle(shape, (0,) * 16))
        for cell in (0, 1, 12, 13):
            board.remove(cell, 1)
        results[shape.spec] = list(rule_named("x-wing").conclusions(board))
    first, other = results.values()
    assert [c.candidates for c in first if isinstance(c, Elimination)] == [
        c.candidates for c in other if isinstance(c, Elimination)
    ]
    assert [c.reason.words(by_name) for c in (*first, *other)] == [
        "in rows 1 and 4, 1 is only in columns 3 and 4",
        "in columns 1 and 2, 1 is only in rows 2 and 3",
        "in houses 5 and 8, 1 is only in houses 3 and 4",
        "in houses 1 and 2, 1 is only in houses 6 and 7",
    ]
