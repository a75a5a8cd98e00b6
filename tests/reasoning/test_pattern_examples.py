"""An example of each rule that removes candidates, with its reason in words."""

from dataclasses import dataclass, field

import pytest

from harness.puzzles import Puzzle, Shape
from harness.reasoning.board import Board, Elimination
from harness.reasoning.ladder import rule_named


@dataclass
class Example:
    """A blank board on which a rule has one conclusion.

    Attributes:
        rule: the name of the rule.
        removed: the cells that lose candidates, with these.
        words: the reason.
        only: the candidates of some cells.
        places: for a house and a value, the only cells for it.
    """

    rule: str
    removed: dict[str, str]
    words: str
    only: dict[str, str] = field(default_factory=dict)
    places: dict[tuple[str, str], str] = field(default_factory=dict)
    shape: str = "9x9"

    def board(self) -> Board:
        shape = Shape.parse(self.shape)
        board = Board(Puzzle(shape, (0,) * shape.size**2))
        names = [shape.cell_name(cell) for cell in range(shape.size**2)]
        for name, values in self.only.items():
            board.candidates[names.index(name)] = sum(1 << int(value) - 1 for value in values)
        for (house_name, value), cells in self.places.items():
            (house,) = (house for house in shape.houses if str(house) == house_name)
            for cell in house.cells:
                if names[cell] not in cells.split():
                    board.remove(cell, int(value))
        return board


def row(number: int, columns: str, values: str) -> dict[str, str]:
    return {f"R{number}C{column}": values for column in columns}


def column(number: int, rows: str, values: str) -> dict[str, str]:
    return {f"R{row}C{number}": values for row in rows}


EXAMPLES = [
    Example(
        "locked candidates",
        row(7, "456789", "4"),
        "in box 7, 4 is only in row 7",
        places={("box 7", "4"): "R7C1 R7C3"},
    ),
    Example(
        "locked candidates",
        {"R1C2": "4", "R1C3": "4", "R2C1": "4", "R3C2": "4"},
        "in diagonal 1, 4 is only in box 1",
        shape="9x9+diagonal",
        places={
            ("diagonal 1", "4"): "R2C2 R3C3",
            ("box 1", "4"): "R2C2 R3C3 R1C3 R1C2 R3C2 R2C1 R1C1",
        },
    ),
    Example(
        "naked pair",
        row(3, "123456789", "48") | row(3, "25", ""),
        "in row 3, R3C2 and R3C5 have only the candidates 4 and 8",
        only=row(3, "25", "48"),
    ),
    Example(
        "naked triple",
        row(3, "13456789", "148") | row(3, "59", ""),
        "in row 3, R3C2, R3C5 and R3C9 have only the candidates 1, 4 and 8",
        only={"R3C2": "14", "R3C5": "48", "R3C9": "18"},
    ),
    Example(
        "naked quad",
        row(3, "136789", "1248") | row(3, "9", ""),
        "in row 3, R3C2, R3C4, R3C5 and R3C9 have only the candidates 1, 2, 4 and 8",
        only={"R3C2": "14", "R3C4": "28", "R3C5": "48", "R3C9": "1248"},
    ),
    Example(
        "hidden pair",
        column(6, "28", "1246789"),
        "in column 6, 3 and 5 are only in R2C6 and R8C6",
        places={("column 6", value): "R2C6 R8C6" for value in "35"},
    ),
    Example(
        "hidden triple",
        column(6, "248", "246789"),
        "in column 6, 1, 3 and 5 are only in R2C6, R4C6 and R8C6",
        places={("column 6", value): "R2C6 R4C6 R8C6" for value in "135"},
    ),
    Example(
        "hidden quad",
        column(6, "2468", "46789"),
        "in column 6, 1, 2, 3 and 5 are only in R2C6, R4C6, R6C6 and R8C6",
        places={("column 6", value): "R2C6 R4C6 R6C6 R8C6" for value in "1235"},
    ),
    Example(
        "X-wing",
        column(2, "1346789", "3") | column(7, "1346789", "3"),
        "in rows 2 and 5, 3 is only in columns 2 and 7",
        places={("row 2", "3"): "R2C2 R2C7", ("row 5", "3"): "R5C2 R5C7"},
    ),
    Example(
        "swordfish",
        {name: "3" for r in (1, 5, 7) for name in row(r, "134678", "3")},
        "in columns 2, 5 and 9, 3 is only in rows 1, 5 and 7",
        places={
            ("column 2", "3"): "R1C2 R5C2",
            ("column 5", "3"): "R5C5 R7C5",
            ("column 9", "3"): "R1C9 R7C9",
        },
    ),
    Example(
        "jellyfish",
        {name: "3" for c in (1, 4, 6, 9) for name in column(c, "13579", "3")},
        "in rows 2, 4, 6 and 8, 3 is only in columns 1, 4, 6 and 9",
        places={
            ("row 2", "3"): "R2C1 R2C4",
            ("row 4", "3"): "R4C4 R4C6",
            ("row 6", "3"): "R6C6 R6C9",
            ("row 8", "3"): "R8C1 R8C4 R8C9",
        },
    ),
    Example(
        "XY-wing",
        {"R5C5": "3"},
        "R1C1 is 1 and R1C5 is 3, or R1C1 is 2 and R5C1 is 3",
        only={"R1C1": "12", "R1C5": "13", "R5C1": "23"},
    ),
    Example(
        "XY-wing",
        {"R4C1": "3", "R2C4": "3", "R2C5": "3", "R4C2": "3"},
        "R2C3 is 1 and R4C4 is 3, or R2C3 is 2 and R2C1 is 3",
        only={"R2C3": "12", "R4C4": "13", "R2C1": "23"},
        shape="latin9+antiknight",
    ),
    Example(
        "XYZ-wing",
        row(1, "23", "3"),
        "R1C1 is 3, or R1C1 is 1 and R1C5 is 3, or R1C1 is 2 and R2C3 is 3",
        only={"R1C1": "123", "R1C5": "13", "R2C3": "23"},
    ),
    Example(
        "simple colouring",
        {"R2C3": "1", "R3C3": "1", "R4C2": "1", "R5C2": "1"},
        "1 has two cells in row 1 (R1C2, R1C8), column 8 (R1C8, R6C8) and row 6 (R6C3, R6C8), "
        "so it is either in R1C2 and R6C8 or in R1C8 and R6C3; "
        "a cell that sees both alternatives is not 1",
        places={
            ("row 1", "1"): "R1C2 R1C8",
            ("column 8", "1"): "R1C8 R6C8",
            ("row 6", "1"): "R6C3 R6C8",
        },
    ),
    Example(
        "simple colouring",
        dict.fromkeys(("R1C1", "R1C5", "R2C2", "R5C2", "R5C5"), "1"),
        "1 has two cells in row 1 (R1C1, R1C5), row 5 (R5C2, R5C5), column 2 (R2C2, R5C2), "
        "column 5 (R1C5, R5C5) and box 1 (R1C1, R2C2), an odd cycle without a solution",
        places={
            ("row 1", "1"): "R1C1 R1C5",
            ("column 5", "1"): "R1C5 R5C5",
            ("row 5", "1"): "R5C2 R5C5",
            ("column 2", "1"): "R2C2 R5C2",
            ("box 1", "1"): "R1C1 R2C2",
        },
    ),
    Example(
        "simple colouring",
        {"R1C1": "1", "R4C1": "1", "R5C5": "1"},
        "1 has two cells in row 1 (R1C1, R1C5), column 5 (R1C5, R5C5), row 5 (R5C2, R5C5) and "
        "box 4 (R4C1, R5C2), so it is either in R1C1, R4C1 and R5C5 or in R1C5 and R5C2; "
        "R1C1 and R4C1 cannot both be 1 in column 1",
        places={
            ("row 1", "1"): "R1C1 R1C5",
            ("column 5", "1"): "R1C5 R5C5",
            ("row 5", "1"): "R5C2 R5C5",
            ("box 4", "1"): "R4C1 R5C2",
        },
    ),
]


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
    named = Shape.parse("latin4")
    cells = [[f"{r}{c}" for c in range(1, 5)] for r in range(1, 5)]
    houses = ".".join("".join(of) for of in [*zip(*cells, strict=True), *cells])
    listed = Shape.parse(f"houses4:{houses}")
    assert listed == named
    found = {}
    for shape in (named, listed):
        board = Board(Puzzle(shape, (0,) * 16))
        for cell in (0, 1, 12, 13):
            board.remove(cell, 1)
        found[shape.spec] = list(rule_named("x-wing").conclusions(board))
    one, other = found.values()
    assert [c.candidates for c in one if isinstance(c, Elimination)] == [
        c.candidates for c in other if isinstance(c, Elimination)
    ]
    assert [c.reason.words(named) for c in (*one, *other)] == [
        "in rows 1 and 4, 1 is only in columns 3 and 4",
        "in columns 1 and 2, 1 is only in rows 2 and 3",
        "in houses 5 and 8, 1 is only in houses 3 and 4",
        "in houses 1 and 2, 1 is only in houses 6 and 7",
    ]
