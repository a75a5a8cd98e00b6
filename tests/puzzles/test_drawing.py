"""Drawings of puzzles in a terminal."""

from dataclasses import replace

from hypothesis import given, settings

from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.drawing import constraints_in_words, draw, width_of
from harness.puzzles.puzzle import values_of_line
from harness.puzzles.shape import VALUES
from tests.puzzles.example import BOXED, LINE, SOLUTION, puzzles

SPECS = (
    *("4x4", "6x6", "box5x2", "9x9", "16x16", "25x25", "latin5", "36x36"),
    *("9x9+diagonal", "9x9+windoku+antiknight", "6x6+disjoint", "jigsaw:1122112233443344"),
    "9x9+diagonal; killer 12: R1C1 R1C2 R5C5; thermometer: R9C9 R8C8",
    "4x4; nonconsecutive; killer: R1C1 R1C2",
)
PUZZLE = parse_puzzle(LINE)


def with_marks(puzzle: Puzzle) -> Puzzle:
    """The puzzle with pencilmarks that exclude one value in each blank cell."""
    size = puzzle.shape.size
    every = (1 << size) - 1
    marks = tuple(
        1 << value - 1 if value else every ^ 1 << cell % size
        for cell, value in enumerate(puzzle.givens)
    )
    return Puzzle(puzzle.shape, puzzle.givens, marks)


def test_a_9x9_is_drawn_with_its_boxes() -> None:
    assert draw(PUZZLE, unicode=False) == BOXED.splitlines()
    assert draw(PUZZLE)[:5] == [
        "┌───────┬───────┬───────┐",
        "│ . . 3 │ . 2 . │ 6 . . │",
        "│ 9 . . │ 3 . 5 │ . . 1 │",
        "│ . . 1 │ 8 . 6 │ 4 . . │",
        "├───────┼───────┼───────┤",
    ]


def test_regions_of_a_jigsaw_have_borders_where_they_end() -> None:
    shape = Shape.parse("jigsaw:1112122233343444")
    assert draw(Puzzle(shape, (1,) + (0,) * 15)) == [
        "┌───────────┬───┐",
        "│ 1   .   . │ . │",
        "│   ┌───────┘   │",
        "│ . │ .   .   . │",
        "├───┴───────┬───┤",
        "│ .   .   . │ . │",
        "│   ┌───────┘   │",
        "│ . │ .   .   . │",
        "└───┴───────────┘",
    ]


def test_diagonals_and_windows_are_marked() -> None:
    diagonal = Puzzle(Shape.parse("9x9+diagonal"), PUZZLE.givens)
    rows = [line for line in draw(diagonal, unicode=False) if line[0] == "|"]
    assert rows[0] == "|\\. . 3 | . 2 . | 6 ./. |"
    assert rows[4] == "| 7 . . | .X. . | . . 8 |"
    windoku = Puzzle(Shape.parse("9x9+windoku"), PUZZLE.givens)
    rows = [line for line in draw(windoku, unicode=False) if line[0] == "|"]
    assert rows[1] == "| 9:.:. |:3 .:5 |:.:. 1 |"


def test_pencilmarks_are_drawn_in_their_cells() -> None:
    puzzle_with_marks = with_marks(parse_puzzle("1..............."))
    assert draw(puzzle_with_marks)[:4] == [
        "┌───────┬───────┐",
        "│ 1  1  │ 12 12 │",
        "│    34 │  4 3  │",
        "│       │       │",
    ]
    assert draw(puzzle_with_marks, (1, 2, 3, 4) * 4)[1] == "│ 1 2 │ 3 4 │"


def test_colours_change_no_width() -> None:
    puzzle_with_marks = with_marks(PUZZLE)
    for puzzle in (PUZZLE, puzzle_with_marks):
        cells: set[int] = set()

        def style(cell: int, text: str, cells: set[int] = cells) -> str:
            cells.add(cell)
            return f"<{text}>"

        plain = [line.replace("<", "").replace(">", "") for line in draw(puzzle, style=style)]
        assert plain == draw(puzzle)
        assert cells == set(range(81))


@settings(max_examples=20)
@given(puzzles(SPECS))
def test_every_line_of_a_drawing_has_its_width(puzzle: Puzzle) -> None:
    for drawn_puzzle in (puzzle, with_marks(puzzle)):
        for unicode in (True, False):
            lines = draw(drawn_puzzle, unicode=unicode)
            assert {len(line) for line in lines} == {width_of(drawn_puzzle)}
            assert unicode or all(line.isascii() for line in lines)
    assert width_of(puzzle) <= 80 or puzzle.shape.size > 25
    symbols = [s for s in "".join(draw(puzzle, unicode=False)) if s in VALUES]
    plain = [s for s in puzzle.line if s != "."]
    assert [s for s in symbols if s != "X"] == [s for s in plain if s != "X"]


def test_a_drawing_of_a_solution_keeps_the_marks() -> None:
    diagonal = replace(PUZZLE, shape=Shape.parse("9x9+diagonal"))
    assert draw(diagonal, values_of_line(SOLUTION), unicode=False)[1] == (
        "|\\4 8 3 | 9 2 1 | 6 5/7 |"
    )


def test_cells_of_cages_have_the_letter_of_their_cage() -> None:
    shape = Shape.parse(
        "4x4; killer 5: R1C1 R1C2; killer: R2C3 R2C4 R3C4; odd: R4C1; killer 9: R1C2"
    )
    assert draw(Puzzle(shape, (1,) + (0,) * 15), unicode=False)[:4] == [
        "+-------+-------+",
        "| a1 a. |  .  . |",
        "|  .  . | b. b. |",
        "+-------+-------+",
    ]
    assert constraints_in_words(shape) == ["killer: a=5; b; 9 R1C2", "odd: R4C1"]
