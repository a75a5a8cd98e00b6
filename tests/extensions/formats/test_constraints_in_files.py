"""Constraints in files: the formats that have them, and those that refuse them by name."""

import json
import random
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from itertools import accumulate, combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.extensions.formats.automata import automaton_of_code, code_of
from harness.extensions.formats.fpuzzles import compress
from harness.puzzles import Puzzle, Shape, SolutionCount
from harness.puzzles.constraints.kinds import KINDS, Constraint
from harness.puzzles.constraints.primitives import Line, Primitive, ValueCount, minimal
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.reading import format_named, format_names
from harness.puzzles.shape import symbol_of
from harness.records.judging import fault_of_grid
from tests.examples import examples
from tests.extensions.formats.texts import error_of, read_as
from tests.puzzles.detected import format_of, read, read_single
from tests.puzzles.parsed import read_back
from tests.puzzles.primitives import accepts
from tests.puzzles.variants import givens as givens_of
from tests.puzzles.variants import variant
from tests.tables import cases

LINK = "https://www.f-puzzles.com/?load="
FPUZZLES = format_named("fpuzzles")


def parsed(shape: Shape, givens: tuple[int, ...] = ()) -> ParsedPuzzle:
    return ParsedPuzzle(Puzzle(shape, givens or (0,) * shape.size**2), "p:1", "1")


def texts(shape: Shape) -> list[str]:
    return [constraint.text(shape.size) for constraint in shape.constraints]


# f-puzzles.


def fpuzzles(size: int = 9, /, **keys: Any) -> Shape:
    """The shape of an object of f-puzzles with these keys, `_` for the signs of diagonals."""
    data = {"size": size, "grid": [[{} for _ in range(size)] for _ in range(size)], **keys}
    return read_single(LINK + compress(json.dumps(data))).puzzle.shape


@pytest.mark.parametrize(("keys", "expected"), cases(__file__, "objects_of_f_puzzles"))
def test_an_object_of_f_puzzles_is_a_constraint(keys: dict[str, Any], expected: list[str]) -> None:
    shape = fpuzzles(**keys)
    assert texts(shape) == expected
    (again,) = read_back(FPUZZLES, parsed(shape))
    assert again.puzzle.shape == shape
    assert texts(again.puzzle.shape) == expected


@pytest.mark.parametrize(("keys", "problem"), cases(__file__, "defects_in_f_puzzles"))
def test_a_defect_is_an_error_with_its_place(keys: dict[str, Any], problem: str) -> None:
    assert problem in error_of(fpuzzles, **keys)


@pytest.mark.parametrize("keys", cases(__file__, "nothing_in_f_puzzles"))
def test_what_says_nothing_is_no_constraint(keys: dict[str, Any]) -> None:
    assert fpuzzles(**keys) == Shape.parse("9x9")
    assert not fpuzzles(**keys).constraints


def test_lines_that_no_constraint_has_drawn_are_named() -> None:
    drawing: dict[str, Any] = {"lines": [["R1C1", "R1C2"]]}
    notices: list[str] = []
    for line in (drawing | {"fromConstraint": "Renban"}, drawing):
        data = {"size": 4, "grid": [[{}] * 4] * 4, "line": [line]}
        source = TextSource.of_text(LINK + compress(json.dumps(data)), "sample")
        list(format_named("fpuzzles").read(source, ReadSettings(understand=notices.append)))
    assert notices == ["drawings of f-puzzles that belong to no constraint are ignored"]


def test_a_single_diagonal_is_a_house() -> None:
    rising = fpuzzles(**{"diagonal+": True})
    (diagonal,) = (house.cells for house in rising.houses if house.kind == "extra")
    assert diagonal == tuple(range(8, 80, 8))
    assert rising != fpuzzles(**{"diagonal-": True})
    assert fpuzzles(**{"diagonal+": True, "diagonal-": True}) == Shape.parse("9x9+diagonal")


def test_a_cell_without_a_region_is_in_its_box_and_a_null_in_none() -> None:
    first: list[dict[str, Any]] = [{"region": 0}, {"region": 1}, {"region": 0}, {}]
    assert fpuzzles(4, grid=[first, *[[{}] * 4] * 3]).definition == "jigsaw:1212112233443344"
    none = [[{"region": None}] * 4] * 4
    assert fpuzzles(4, grid=none) == Shape.parse("latin4")
    with_a_region = fpuzzles(4, grid=[[{"region": 3}] * 4, *none[1:]])
    assert with_a_region == Shape.parse("latin4")
    assert texts(with_a_region) == ["distinct: R1C1 R1C2 R1C3 R1C4"]


def test_the_parity_of_a_cell_is_a_constraint() -> None:
    row: list[dict[str, Any]] = [{}, {}, {"parity": "Odd"}, {}]
    assert texts(fpuzzles(4, grid=[[{}] * 4, row, *[[{}] * 4] * 2])) == ["odd: R2C3"]


@given(st.sampled_from([4, 6, 9]), st.lists(st.sampled_from([*KINDS]), max_size=4), st.data())
@examples(25, 60)
def test_constraints_survive_f_puzzles(size: int, kinds: list[str], data: st.DataObject) -> None:
    shape, grid = variant(Shape.of_side(size), kinds, data.draw(st.integers(0, 2**32)))
    puzzle = parsed(shape, grid)
    reason = FPUZZLES.can_hold(puzzle)
    if reason is not None:
        assert reason.removeprefix("holds no ").partition(" ")[0].rstrip(":") in kinds
        return
    (again,) = read_back(FPUZZLES, puzzle)
    assert again.puzzle == puzzle.puzzle


@pytest.mark.parametrize("text", cases(__file__, "constraints_that_f_puzzles_lacks"))
def test_a_constraint_that_f_puzzles_lacks_is_named(text: str) -> None:
    shape = Shape.parse(f"9x9; {text}")
    assert FPUZZLES.can_hold(parsed(shape)) == f"holds no {text.rpartition('; ')[2]}"


def test_any_shape_with_rows_and_columns_goes_through_f_puzzles() -> None:
    kings = Shape.parse("4x4+antiking")
    mine = Shape("mine", 4, kings.houses, None, kings.pairs)
    constrained = mine.with_constraints([Constraint("distinct", "", ((0, 6),))])
    for shape in (*map(Shape.parse, ("9x9+windoku", "latin5")), constrained):
        (again,) = read_back(FPUZZLES, parsed(shape))
        assert again.puzzle.shape == shape


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 10**30, 1.5, "", "x", "R1C1", "R0C1", "R99C9", "5", "0", "-5"),
    *([], [[]], ["R1C1"], ["R1C1", "R1C1"], [None], {}, {"a": 1}, "UL", ["ratio"]),
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values of an object but its grid."""
    keys = data.keys() - {"grid"} if isinstance(data, dict) else range(len(data))
    for key in keys:
        yield (*path, key)
        if isinstance(data[key], dict | list):
            yield from places(data[key], (*path, key))


@given(st.integers(0, 2**32))
@settings(max_examples=60)
def test_an_object_with_an_odd_value_is_an_error_or_a_puzzle(seed: int) -> None:
    source = random.Random(seed)
    objects = [case[0] for case in cases(__file__, "objects_of_f_puzzles")]
    data = deepcopy({k: v for keys in source.sample(objects, 5) for k, v in keys.items()})
    *way, last = source.choice(sorted(places(data), key=str))
    inner = data
    for key in way:
        inner = inner[key]
    inner[last] = source.choice(ODD)
    try:
        shape = fpuzzles(**data)
    except PuzzleError:
        assert error_of(fpuzzles, **data)
        return
    (again,) = read_back(FPUZZLES, parsed(shape))
    assert again.puzzle.shape == shape


# Interactive Sudoku Solver.


ISS = format_named("iss")
KILLER = format_named("killer")
iss = partial(read_as, "iss")


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "texts_of_iss"))
def test_a_text_of_iss_has_constraints(text: str, expected: list[str]) -> None:
    record = iss(text)
    assert texts(record.puzzle.shape) == expected
    (again,) = read_back(ISS, record)
    assert again.puzzle == record.puzzle
    assert texts(again.puzzle.shape) == expected


@pytest.mark.parametrize(("text", "shape"), cases(__file__, "shapes_of_iss"))
def test_a_text_of_iss_has_a_shape(text: str, shape: str) -> None:
    record = iss(text)
    assert record.puzzle.shape == Shape.parse(shape)
    (again,) = read_back(ISS, record)
    assert again.puzzle == record.puzzle


@pytest.mark.parametrize(("text", "problem"), cases(__file__, "defects_of_iss"))
def test_what_iss_cannot_say_to_the_harness_is_named(text: str, problem: str) -> None:
    assert error_of(iss, text).startswith(f"p:1:1: {problem}")


def test_givens_and_candidates_of_iss() -> None:
    puzzle = iss(".Shape~16x16.~R1Ca_16~RgCg_1_2.~RGcg_2_3").puzzle
    assert puzzle.givens[9] == 16
    assert puzzle.givens[255] == 2  # in both lists
    assert iss(".~R1C1_1_3_5_7_9").puzzle == iss(".~R1C1_1_3_5_7_9_1.").puzzle


def test_odd_cells_become_candidates_in_iss() -> None:
    (again,) = read_back(ISS, parsed(Shape.parse("4x4; odd: R1C1")))
    assert again.puzzle.shape == Shape.parse("4x4")
    assert again.puzzle.allowed[0] == 0b0101


def test_a_text_may_go_over_lines_and_a_file_has_a_link_per_line() -> None:
    record = iss("# one puzzle\n.Cage~3\n  ~R1C1 ~R1C2\n\n.~R2C2_5\n")
    assert texts(record.puzzle.shape) == ["killer 3: R1C1 R1C2"]
    assert record.puzzle.clues == 1
    links = "".join(ISS.write([record, parsed(Shape.parse("4x4"))]))
    assert links.startswith("https://sigh.github.io/Interactive-Sudoku-Solver/?q=.Cage~3~R1C1")
    first, second = read(links)
    assert (first.puzzle, second.puzzle.shape.size) == (record.puzzle, 4)


@pytest.mark.parametrize(
    "text", [".~R1C1_5", ".StrictXV .V~R1C1~R1C2", ".Or.~R1C1_1.End", ".AntiKing"]
)
def test_a_text_of_iss_is_recognized(text: str) -> None:
    assert format_of(text) == "iss"
    assert format_of(".V..1" * 259 + ".") == "line"  # a 36x36


CELLS = "~R1C1~R1C2~R1C3~R1C4"
# Each code is that of Interactive Sudoku Solver for the pattern of its own automaton.
CODES = [
    ("RJTuKSg", "KDEyfDIxKTMq", 4, "(12|21)3*"),
    ("QPfH-A", "LioxLio", 4, ".*1.*"),
    ("SUtvJJP0k0iGBuSSQA", "W140XXsyLDN9ND8", 6, "[^4]{2,3}4?"),
    ("RpXAGaALQBQ", "QT8oQnw5KSs", 11, "A?(B|9)+"),
]


@pytest.mark.parametrize(("nfa", "regex", "size", "pattern"), CODES)
def test_automata_and_patterns_of_iss(nfa: str, regex: str, size: int, pattern: str) -> None:
    shape, same = (
        iss(f".Shape~{size}x{size}.{kind}{CELLS}").puzzle.shape
        for kind in (f"NFA~{nfa}", f"Regex~{regex}")
    )
    assert shape == same
    (line,) = shape.primitives
    assert isinstance(line, Line)
    assert len(line.cells) == 4
    for values in product(range(1, size + 1), repeat=3):
        text = "".join(symbol_of(value) for value in values)
        assert accepts(line.automaton, values) is bool(re.fullmatch(pattern, text)), text


def test_the_ends_of_parts_are_moves_of_an_automaton() -> None:
    """Each part of the cells adds up to 5."""
    text = ".Shape~4x4.NFA~SQk9OWAe5SeUjpCQ~R1C1~R1C2~-~R2C1~R3C1~R4C1"
    (line,) = iss(text).puzzle.shape.primitives
    assert isinstance(line, Line)
    for values in product(range(1, 5), repeat=5):
        assert accepts(line.automaton, values) is (sum(values[:2]) == sum(values[2:]) == 5)


Values = tuple[int, ...]


def first_hidden(values: Values) -> int | None:
    return next((value for at, value in enumerate(values) if value < max(values[: at + 1])), None)


def no_sum(values: Values) -> bool:
    return not any(
        sum(numbers) == 6 for number in range(1, 5) for numbers in combinations(values, number)
    )


def is_equal(values: Values) -> bool:
    even = sum(value % 2 == 0 for value in values)
    low, high = sum(value < 3 for value in values), sum(value > 3 for value in values)
    return 3 not in values and even == 2 and low == high == 2


def goes_round(values: Values) -> bool:
    """Whether the values in a circle divide into parts that add up to 5."""
    turns = (values[at:] + values[:at] for at in range(len(values)))
    return any({5, sum(values)} <= {*accumulate(turn)} and divides(turn) for turn in turns)


def divides(values: Values) -> bool:
    return {*range(5, sum(values) + 1, 5)} <= {*accumulate(values)} and sum(values) % 5 == 0


def has_flats(values: Values) -> bool:
    line = (0, *values, 0)
    return all(
        line[at - 1] == 1 or line[at + 1] == 9 for at, value in enumerate(line) if value == 5
    )


AUTOMATA: list[tuple[str, int, Callable[[Values], bool]]] = [
    (f".Shape~5x5.ValueIndexing{CELLS}", 4, lambda v: v[1] < 3 and v[1 + v[1]] == v[0]),
    (".Shape~4x4.HiddenSkyscraper~R1~2~", 4, lambda v: first_hidden(v) == 2),
    (f".Shape~6x6.RellikCage~6{CELLS}", 4, no_sum),
    (f".Shape~5x5.EqualityCage{CELLS}", 4, is_equal),
    (f".Shape~5x5.SumLine~5{CELLS}~LOOP", 4, goes_round),
    (".DutchFlatmates", 3, has_flats),
    (".GlobalEntropy", 4, lambda v: {(value - 1) // 3 for value in v} == {0, 1, 2}),
    (".GlobalMod", 4, lambda v: {value % 3 for value in v} == {0, 1, 2}),
]


@pytest.mark.parametrize(("text", "length", "holds"), AUTOMATA)
def test_kinds_of_iss_are_automata(text: str, length: int, holds: Callable[[Values], bool]) -> None:
    shape = iss(text).puzzle.shape
    line = next(primitive for primitive in shape.primitives if isinstance(primitive, Line))
    for values in product(range(1, shape.size + 1), repeat=length):
        assert accepts(line.automaton, values) is holds(values), values


@given(st.integers(2, 16), st.integers(1, 12), st.integers(0, 2**32))
@settings(max_examples=60)
def test_an_automaton_survives_its_code(size: int, states: int, seed: int) -> None:
    source = random.Random(seed)
    rows = [[source.randrange(-2, states) for _ in range(size)] for _ in range(states)]
    automaton = minimal(
        [[max(after, -1) for after in row] for row in rows],
        [source.random() < 0.4 for _ in range(states)],
    )
    assert automaton_of_code(code_of(automaton, size), size, [1]) == automaton


@pytest.mark.parametrize(
    "text",
    [
        *(".NFA~!~R1C1", ".NFA~A~R1C1", ".NFA~____________~R1C1", ".Regex~KA~R1C1"),
        *(".Regex~MXszLDF9~R1C1", ".Regex~KCgoMXs5OTl9KXs5OTl9KXs5OTl9KQ~R1C1"),
        ".Regex~" + b64encode(b"(" * 99).decode().strip("=") + "~R1C1",
        ".Pair~" + "_" * 20 + "~R1C1~R1C2",
    ],
)
def test_a_damaged_code_is_an_error(text: str) -> None:
    assert re.match("p:1:1: (NFA|Regex|Pair) at R1C1: ", error_of(iss, text))


@given(st.sampled_from([4, 6, 9]), st.lists(st.sampled_from([*KINDS]), max_size=3), st.data())
@examples(25, 60)
def test_constraints_survive_iss(size: int, kinds: list[str], data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 2**32))
    shape, grid = variant(Shape.of_side(size), kinds, seed)
    puzzle = Puzzle(shape, givens_of(grid, size, seed))
    (again,) = read_back(ISS, ParsedPuzzle(puzzle, "p:1", "1"))
    several = any("," in constraint.value.partition("*")[0] for constraint in sums_of(shape))
    assert demands(again.puzzle) == demands(puzzle) or several
    assert fault_of_grid(again.puzzle, grid) is None


def demands(puzzle: Puzzle) -> tuple[Shape, set[Primitive], list[int]]:
    """What a puzzle demands: candidates, which hold what a constraint demands of one cell, too."""
    domains, others = [*puzzle.allowed], set[Primitive]()
    for primitive in puzzle.shape.primitives:
        match primitive:
            case ValueCount((cell,), values, 1, 1):
                domains[cell] &= values
            case _:
                others.add(primitive)
    return puzzle.shape.without_constraints, others, domains


@pytest.mark.parametrize(
    "clue", ["numbered-room 4: R1C1 R2C1 R3C1 R4C1", "sandwich 5: R2C1 R2C2 R2C3 R2C4"]
)
def test_a_clue_that_is_there_twice_survives_iss(clue: str) -> None:
    puzzle = Puzzle(Shape.parse(f"4x4; {clue}; {clue}"), (0,) * 16)
    (again,) = read_back(ISS, ParsedPuzzle(puzzle, "p:1", "1"))
    assert again.puzzle == puzzle


def sums_of(shape: Shape) -> list[Constraint]:
    return [constraint for constraint in shape.constraints if constraint.kind in ("killer", "sum")]


# Killers of forums.


SHORT = [
    *("C>>>j<<<<", "^`>>j<<<<", ">>>>j<<<v", ">>>>j<<,0", ">>>>j<3<v", ">>>>j<<'9", ">>>>j<<.<"),
    *(">>>>j<<<7", ">>>>j<<<<"),
]


def test_the_long_text_of_a_killer() -> None:
    numbers = [0] * 81
    cages = [(3, (0, 1)), (15, (9, 10, 18)), (45, range(72, 81))]
    for number, (total, cells) in enumerate(cages, 1):
        for cell in cells:
            numbers[cell] = 256 * total + number
    text = "3x3:d:k:" + ":".join(map(str, numbers))
    shape = Shape.parse(
        "9x9+diagonal; killer 3: R1C1 R1C2; killer 15: R2C1 R2C2 R3C1; killer 45: "
        + " ".join(f"R9C{column}" for column in range(1, 10))
    )
    assert read_single(text).puzzle.shape == read_single(f"{text}:").puzzle.shape == shape
    assert "".join(KILLER.write([parsed(shape)])) == f"{text}:\n"


def test_the_short_text_of_a_killer() -> None:
    shape = read_single("".join(SHORT)).puzzle.shape
    assert [text for text in texts(shape) if not text.startswith("killer 45:")] == [
        *("killer 12: R1C1 R2C1 R2C2", "killer: R3C9 R4C9", "killer 3: R4C8 R5C7 R5C8"),
        *("killer 9: R5C9 R6C8 R6C9", "killer 7: R7C8 R7C9 R8C9"),
    ]
    assert sorted(cell for cage in shape.constraints for cell in cage.cells) == [*range(81)]
    whole = Shape.parse("9x9").with_constraints([c for c in shape.constraints if c.value])
    (again,) = read_back(KILLER, parsed(whole))
    assert again.puzzle.shape == whole


@pytest.mark.parametrize(("text", "problem"), cases(__file__, "defects_of_killers"))
def test_a_defect_of_a_killer_is_an_error(text: str, problem: str) -> None:
    assert re.search(problem, error_of(read_as, "killer", text))


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("9x9", "holds 9x9 with cages that have a total only, not 9x9"),
        ("9x9; killer: R1C1 R1C2", "holds 9x9 with cages that have a total only, not 9x9+killer"),
        ("9x9; killer 3: R1C1 R1C2; killer 5: R1C2 R1C3", "holds at most 255 cages that share no"),
        ("6x6; killer 3: R1C1 R1C2", "holds 9x9 with cages that have a total only"),
    ],
)
def test_what_a_killer_in_a_line_cannot_hold(spec: str, reason: str) -> None:
    assert (KILLER.can_hold(parsed(Shape.parse(spec))) or "").startswith(reason)


# Every format: it keeps constraints, or refuses them by name.


@pytest.mark.parametrize("name", format_names())
@pytest.mark.parametrize(
    "spec",
    [
        *("9x9; killer 15: R1C1 R1C2; thermometer: R5C5 R5C6", "9x9; killer: R1C1 R1C2"),
        *("9x9+diagonal; automaton 1ff>1,1ff>0!: R1C1 R1C2", "4x4; sum 5: R1C1 R4C4"),
    ],
)
def test_a_format_keeps_constraints_or_names_them(name: str, spec: str) -> None:
    shape = Shape.parse(spec)
    some = (0,) * (shape.size**2 - 1) + (1,)
    count, fields = SolutionCount.from_number(7), {"rating": "1.2"}
    puzzle = ParsedPuzzle(Puzzle(shape, some), "p:1", "1", count, None, fields)
    format_ = format_named(name)
    reason = format_.can_hold(puzzle)
    if reason is not None:
        assert "\n" not in reason
        words = [shape.spec, *(f"no {text}" for text in texts(shape))]
        assert any(word in reason for word in words)
        return
    (again,) = read_back(format_, puzzle)
    assert again.puzzle == puzzle.puzzle
    assert sorted(texts(again.puzzle.shape)) == sorted(texts(shape))


def test_puzzles_with_and_without_constraints_stand_in_one_file() -> None:
    specs = ("9x9", "9x9; killer: R1C1 R1C2", "9x9", "4x4; xv v: R1C1 R1C2")
    shapes = [*map(Shape.parse, specs)]
    for name in ("line", "grid", "numbers", "sukaku", "candidates", "csv", "toml"):
        again = read_back(format_named(name), *map(parsed, shapes))
        assert [texts(copy.puzzle.shape) for copy in again] == [*map(texts, shapes)], name
