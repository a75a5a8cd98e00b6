"""Puzzles above 36x36, whose texts have numbers in place of symbols."""

import pickle
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.contract import registry
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.drawing import draw, width_of
from harness.puzzles.formats import reading
from harness.puzzles.formats.format import Format, Head, ReadSettings
from harness.puzzles.formats.grids import grid_text
from harness.puzzles.formats.stream import ParsedPuzzle, TextSource
from harness.puzzles.patterns import pattern_grid
from harness.puzzles.puzzle import line_of, line_of_values, values_of_line
from harness.puzzles.search.solver import Solver
from harness.puzzles.shape import LARGEST, LETTERED, box_of
from harness.records.judging import are_solutions, fault_of_grid
from tests.examples import examples
from tests.installed import needs

SIZES = range(LETTERED + 1, LARGEST + 1)


@lru_cache(maxsize=4)
def grid_of(name: str) -> tuple[int, ...]:
    return pattern_grid(Shape.parse(name))


def name_of(size: int) -> str:
    return f"{size}x{size}" if box_of(size) else f"latin{size}"


def jigsaw_of(size: int, random: Random) -> tuple[str, tuple[int, ...]]:
    """The name of a jigsaw and a grid: boxes whose columns are shuffled, or diagonal stripes."""
    cells = [divmod(cell, size) for cell in range(size * size)]
    if boxes := Shape.parse(name_of(size)).region_of if box_of(size) else ():
        columns = random.sample(range(size), size)
        order = [row * size + columns[column] for row, column in cells]
        grid = grid_of(name_of(size))
        regions, values = [boxes[cell] for cell in order], [grid[cell] for cell in order]
    else:
        step = random.randrange(1, size - 1)
        regions = [(step * row + column) % size + 1 for row, column in cells]
        values = [((step + 1) * row + column) % size + 1 for row, column in cells]
    return "jigsaw:" + ",".join(map(str, regions)), tuple(values)


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    """A puzzle of any large size, with pencilmarks or without."""
    size = draw(st.sampled_from(SIZES))
    random = Random(draw(st.integers(0, 2**16)))
    name, grid = name_of(size), grid_of(name_of(size))
    if draw(st.booleans()):
        name, grid = jigsaw_of(size, random)
    shape = Shape.parse(name)
    share = draw(st.sampled_from((0, 0.1, 0.5, 0.9, 1)))
    values = [value if random.random() < share else 0 for value in grid]
    if not draw(st.booleans()):
        return Puzzle(shape, tuple(values))
    every = (1 << shape.size) - 1
    sets = (every, 0, 3, 1 << shape.size - 1, every ^ 5)
    marks = [1 << value - 1 if value else random.choice(sets) for value in values]
    return Puzzle(shape, tuple(values), tuple(marks))


def formats_that_hold(parsed: ParsedPuzzle) -> Iterator[Format]:
    for name in reading.format_names():
        if reading.format_named(name).can_hold(parsed) is None:
            yield reading.format_named(name)


@needs("formats")
@examples(4, 8)
@given(puzzles())
def test_what_is_written_is_read_back(puzzle: Puzzle) -> None:
    assert Puzzle.of_line(puzzle.line, puzzle.shape) == puzzle
    assert values_of_line(line_of(puzzle.givens)) == puzzle.givens
    for format_ in formats_that_hold(ParsedPuzzle(puzzle, "", "1")):
        text = "".join(format_.write(iter([ParsedPuzzle(puzzle, "", "1")])))
        formats = (
            [format_]
            if format_.name == "grid"
            else [format_, reading.detect_format(Head.from_source(source(text)), "")]
        )
        for either in formats:
            (back,) = either.read(source(text), ReadSettings())
            assert back.puzzle == puzzle, either.name


@needs("formats")
@pytest.mark.parametrize("size", [37, 49, 64, 100])
def test_a_large_jigsaw_is_one_text_without_blanks(size: int) -> None:
    name, grid = jigsaw_of(size, Random(size))
    for variants in ("", "+diagonal"):
        shape = Shape.parse(name + variants)
        assert Shape.parse(name.replace(",", " ") + variants) == shape
        assert Shape.parse(shape.definition) == shape
        assert " " not in shape.definition
        assert pickle.loads(pickle.dumps(shape)) == shape
        assert Shape.parse(f"{shape.definition}; killer 3: R1C1 R1C2").plain == shape.definition
    shape = Shape.parse(name)
    assert fault_of_grid(Puzzle(shape, (0, *grid[1:])), grid) is None
    assert "at most 36 rows" in (
        reading.format_named("jigsaw").can_hold(ParsedPuzzle(Puzzle(shape, grid), "", "1")) or ""
    )
    wrong = Puzzle(shape, (0,) * size**2)
    assert fault_of_grid(wrong, tuple(v % size + 1 if c < 2 else v for c, v in enumerate(grid)))


def test_regions_need_not_be_numbers_in_order() -> None:
    symbols = Shape.parse("jigsaw:1112122233343444")
    assert Shape.parse("jigsaw:" + ",".join("1112122233343444")) == symbols
    assert Shape.parse("jigsaw:10,10,10,7,10,7,7,7,3,3,3,99,3,99,99,99") == symbols


@pytest.mark.parametrize(
    ("regions", "problem", "expected"),
    [
        (",".join(["1"] * 1370), "a jigsaw of 1370 cells", "the region of each cell"),
        (",".join(["1"] * 101**2), "a jigsaw of 10201 cells", "the region of each cell"),
        (",".join(map(str, range(1, 1370))), "1,369 regions; '1' has 1 cell", "37 regions of 37"),
        ("1" * 1369, "a jigsaw of 1369 cells", "the region of each cell"),
    ],
)
def test_a_malformed_jigsaw_is_an_error(regions: str, problem: str, expected: str) -> None:
    with pytest.raises(PuzzleError) as error:
        Shape.parse(f"jigsaw:{regions}")
    assert error.value.what.startswith(problem)
    assert str(error.value.expected).startswith(expected)


@pytest.mark.parametrize("backend", ["native", "native-jit", "cpsat", "cnf", "milp"])
def test_large_jigsaws_are_solved(backend: str) -> None:
    name, grid = jigsaw_of(49, Random(3))
    puzzle = Puzzle(Shape.parse(name), tuple(0 if c % 4 == 0 else v for c, v in enumerate(grid)))
    backend_type, options = registry.load_backend(backend)
    answer = backend_type(puzzle.shape, options).solve(puzzle)
    assert fault_of_grid(puzzle, answer.grid) is None


def source(text: str) -> TextSource:
    return TextSource.of_text(text, "p")


@pytest.mark.parametrize("size", [37, 49, 64, 99, 100])
def test_lines_and_grids_determine_a_boxed_shape(size: int) -> None:
    shape = Shape.parse(name_of(size))
    puzzle = Puzzle(shape, (0, *grid_of(shape.spec)[1:]))
    shape_or_none = None if box_of(size) else shape
    for text in (puzzle.line, grid_text(puzzle.givens, shape)):
        assert parse_puzzle(text, shape_or_none) == puzzle
        format_ = reading.detect_format(
            Head.from_source(source(f"{text}\n"), ReadSettings(shape_or_none)), "p"
        )
        assert [p.puzzle for p in format_.read(source(text), ReadSettings(shape_or_none))] == [
            puzzle
        ]


def test_a_comment_after_a_line_is_kept() -> None:
    puzzle = Puzzle(Shape.parse("49x49"), (0,) * 49**2)
    line_format = reading.format_named("line")
    parsed = ParsedPuzzle(puzzle, "", "1", fields={"comment": "7 clues"})
    for shape in (None, puzzle.shape):
        (back,) = line_format.read(
            source("".join(line_format.write(iter([parsed])))), ReadSettings(shape)
        )
        assert (back.puzzle, dict(back.fields)) == (puzzle, {"comment": "7 clues"})


LARGE = Shape.parse("49x49")


def line_with(text: str, place: int = 0) -> str:
    """A line of 49x49 with a text in the place of a cell."""
    return " ".join([*["."] * place, text, *["."] * (2400 - place)])


@pytest.mark.parametrize(
    ("text", "shape", "message"),
    [
        (
            line_with("50"),
            LARGE,
            "'50' is not a value of 49x49; expected 1-49, or . or 0 for a blank",
        ),
        (line_with("-1"), LARGE, "two blank symbols, '-1' and '.'; expected one blank symbol"),
        (line_with("x"), LARGE, "two blank symbols, 'x' and '.'; expected one blank symbol per"),
        (line_with("7 8"), LARGE, "a line of 2,402 numbers for 49x49; expected 2401 numbers"),
        (line_with("."[1:]), LARGE, "a line of 2,400 numbers for 49x49; expected 2401 numbers"),
        (";".join(["."] * 2401) + " ." * 2400, LARGE, "is not a value of 49x49"),
        (" ".join(["12"] * 1000), None, "no shape fits a line of 1,000 numbers"),
        (
            "\n".join([" ".join(["."] * 49), " ".join(["."] * 48), *[" ".join(["."] * 49)] * 47]),
            LARGE,
            "a row of 48 cells for 49x49; expected 49 cells",
        ),
        *(
            (
                line_with(token, place),
                None,
                f":1:{2 * place + 1}: '{token}' is not a value of 49x49",
            )
            for token in ("-2", "5O", "1e3", "hello")
            for place in (100, 1600, 2000)
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_malformed_text_of_numbers_is_an_error(
    text: str, shape: Shape | None, message: str
) -> None:
    with pytest.raises(PuzzleError, match=re.escape(message)) as error:
        parse_puzzle(text, shape)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("cell", ["1,50", "30,1", "1,1", "1,,2", "1,x", "0,5", "1,", "+3", "03"])
def test_a_malformed_list_of_candidates_names_its_cell(cell: str, tmp_path: Path) -> None:
    cells = ["1,30", "2", *["."] * (49**2 - 2)]
    file, record = tmp_path / "p.toml", "[[puzzle]]\nshape = '49x49'\npuzzle = '{}'\n"
    file.write_text(record.format(" ".join(cells)))
    assert [parsed.puzzle.line for parsed in reading.read_file(file)] == [" ".join(cells)]
    file.write_text(record.format(" ".join([*cells[:2], cell, *cells[3:]])))
    with pytest.raises(PuzzleError, match=f"{re.escape(repr(cell))} is not a value") as error:
        reading.read_file(file)
    assert "R1C3" in str(error.value)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ((" 2 ", " _ "), "p:2:5: two blank symbols, '_' and '.'"),
        ((" 2 ", " -1 "), "p:2:6: two blank symbols, '-1' and '.'"),
        (("\n", "\n"), "p:11: a size of boxes at the end; expected a grid below it"),
    ],
)
def test_a_damaged_grid_of_numbers_is_an_error(change: tuple[str, str], problem: str) -> None:
    rows = [[str((3 * (r % 3) + r // 3 + c) % 9 + 1) for c in range(9)] for r in range(9)]
    rows[0][2] = "."
    text = "# rows\n" + "".join(" ".join(row) + "\n" for row in rows).replace(*change) + "5\n"
    with pytest.raises(PuzzleError) as error:
        list(reading.format_named("numbers").read(TextSource.of_text(text, "p"), ReadSettings()))
    assert str(error.value).startswith(problem)


def test_drawings_have_room_for_numbers() -> None:
    shape = Shape.parse("100x100")
    puzzle = Puzzle(shape, (0, *grid_of("100x100")[1:]))
    lines = draw(puzzle)
    assert {len(line) for line in lines} == {width_of(puzzle)}
    assert "100 " in lines[2]
    every = (1 << 100) - 1
    puzzle_with_marks = Puzzle(
        shape, puzzle.givens, (every ^ 2, *(1 << v - 1 for v in puzzle.givens[1:]))
    )
    assert max(map(len, draw(puzzle_with_marks))) == width_of(puzzle_with_marks)


@pytest.mark.parametrize("spec", ["49x49", "64x64", "latin100"])
def test_a_wrong_grid_is_found(spec: str) -> None:
    shape, grid = Shape.parse(spec), grid_of(spec)
    puzzle = Puzzle(shape, (0, 0, *grid[2:]))
    wrong = (grid[1], grid[0], *grid[2:])
    lines = [line_of_values(values, shape) or "" for values in (grid, wrong)]
    assert are_solutions(shape, [puzzle.line] * 2, lines) == [True, False]
    assert fault_of_grid(puzzle, grid) is None


def test_the_search_of_the_harness_states_its_limit() -> None:
    solver, grid = Solver(Shape.parse("64x64")), grid_of("64x64")
    result = solver.search_puzzle(Puzzle(solver.shape, (0, *grid[1:])), 2)
    assert (result.solution, result.exact) == (grid, True)
    assert not solver.search_puzzle(Puzzle(solver.shape, (0,) * 64**2), 2).exact
    with pytest.raises(PuzzleError, match="does not take 64x64; expected at most 62 values"):
        solver.count(solver.start_of(grid), 1)


@pytest.mark.parametrize("size", [37, 100])
def test_a_shape_with_other_houses_has_a_definition(size: int) -> None:
    shape = Shape.parse(f"latin{size}+antiking")
    other = Shape("other", size, shape.houses[1:], None, shape.pairs)
    assert " " not in other.definition
    assert Shape.parse(other.definition) == other
    with pytest.raises(PuzzleError, match=f"is not {size} cells"):
        Shape.parse(other.definition.replace("2,1,", f"2,{size + 1},", 1))
