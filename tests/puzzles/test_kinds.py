"""Every kind of constraint: its text, and its meaning against rules written a second time."""

from functools import cache
from itertools import chain, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import (
    KINDS,
    Constraint,
    automaton_text,
    constraint_of,
    table_text,
)
from harness.puzzles.constraints.primitives import Automaton, Line, Relation, minimal
from harness.records.judging import are_solutions, fault_of_grid
from tests.backends.oracle import backend_of
from tests.puzzles.primitives import SIZE, relations, tables
from tests.puzzles.rules import RULES, Variant, keeps, variants
from tests.puzzles.variants import OUTSIDE, constraint

# Meaning.


@cache
def some(number: int, seed: int) -> tuple[Variant, ...]:
    return tuple(variants(number, seed))


def faults_of_judge(number: int, seed: int) -> list[str]:
    """The puzzles about whose grids the judge and the rules disagree."""
    faults = []
    for puzzle, _, grids, right in some(number, seed):
        shape = puzzle.shape
        lines = ["".join(map(str, grid)) for grid in grids]
        verdicts = are_solutions(shape, [puzzle.line] * len(grids), lines)
        faultless = [fault_of_grid(puzzle, grid) is None for grid in grids[:4]]
        if verdicts != [grid in right for grid in grids] or faultless != verdicts[:4]:
            faults.append(f"{shape.definition} {puzzle.line}")
    return faults


def test_the_judge_agrees_with_the_rules_of_every_kind() -> None:
    assert faults_of_judge(150, 0) == []


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_the_judge_agrees_with_the_rules_on_more_puzzles() -> None:
    assert faults_of_judge(3000, 1) == []


def test_every_kind_has_a_rule_and_occurs_with_and_without_solutions() -> None:
    assert set(RULES) == set(KINDS)
    variants = some(150, 0)
    assert {
        constraint.kind for variant in variants for constraint in variant.puzzle.shape.constraints
    } == set(KINDS)
    solved = [bool(variant.solutions) for variant in variants]
    assert min(solved.count(True), solved.count(False)) >= 15
    assert sum(len(variant.puzzle.shape.constraints) > 1 for variant in variants) >= 75


def test_a_sandwich_has_one_crust_of_each_kind_on_any_line() -> None:
    shape = Shape.parse("4x4; sandwich 2: R1C1 R1C2 R2C3 R3C3")
    count = backend_of("native", shape).count(Puzzle(shape, (0,) * 16), 300)
    assert count.number == 6


@pytest.mark.parametrize("kind", [*OUTSIDE, "row-indexer", "column-indexer"])
def test_a_line_that_is_no_house_may_repeat_values(kind: str) -> None:
    plain, random = Shape.parse("houses4:11121314.21222324.31323334.41424344"), Random(kind)
    rows = [*permutations(range(1, 5))]
    right = []
    for _ in range(40):
        grids = [tuple(chain(*random.choices(rows, k=4))) for _ in range(100)]
        candidate = constraint(kind, grids[0], random)
        shape = plain.with_constraints([candidate])
        for grid in grids:
            right.append(keeps(grid, plain, [candidate]))
            assert (shape.broken_by(grid) is None) is right[-1], (candidate, grid)
    assert {*right} == {True, False}


def test_the_judge_names_the_constraint_that_a_grid_breaks() -> None:
    texts = "killer 3: R1C1 R1C2", "thermometer: R1C1 R1C2 R1C4", "nonconsecutive"
    puzzle = Puzzle(Shape.parse("; ".join(["4x4", *texts])), (0,) * 16)
    grid = (1, 2, 4, 3, 3, 4, 2, 1, 2, 1, 3, 4, 4, 3, 1, 2)
    assert fault_of_grid(puzzle, grid) == f"breaks {texts[2]}"
    assert fault_of_grid(puzzle, (2, *grid[2:4], 1, *grid[4:])) is not None
    other = tuple({1: 2, 2: 1}.get(value, value) for value in grid)
    assert fault_of_grid(puzzle, other) == f"breaks {texts[1]}"


@pytest.mark.parametrize(
    ("text", "values", "is_right"),
    [
        # Where programs disagree; see the table of kinds in docs/variants.md.
        ("between: R1C1 R1C2 R1C3", "132", False),
        ("between: R1C1 R1C2 R1C3", "123", True),
        ("between: R1C1 R1C2 R1C3", "321", True),
        ("between: R1C1 R1C2 R3C1", "331", False),  # equal to an end
        ("lockout 1: R1C1 R1C2 R3C1", "331", False),
        ("whisper: R1C1 R1C2", "13", True),  # (4 + 1) / 2 rounded down
        ("whisper: R1C1 R1C2", "12", False),
        ("ratio: R1C1 R1C2", "21", True),
        ("difference: R1C1 R1C2", "21", True),  # 1 and 2 satisfy both colours
        ("killer: R1C1 R2C3", "11", False),
        ("killer 2: R1C1 R2C3", "11", False),
        ("sum 2: R1C1 R2C3", "11", True),
        ("killer 3,5: R1C1 R1C2", "14", True),
        ("renban: R1C1 R1C2 R1C3", "243", True),
        ("renban: R1C1 R1C2 R1C3", "241", False),
        ("quadruple 1,1: R1C1 R1C2 R2C1 R2C2", "1234", False),
        ("double-arrow: R1C1 R1C2 R1C3", "143", True),
        ("zipper: R1C1 R1C2 R1C3", "143", True),
        ("zipper: R1C1 R1C2", "14", True),
        ("arrow: R1C1 R1C2 / R1C3 R2C1 R2C2 R4C1 R4C2", "1234412", False),
        ("sum-line 5: R1C1 R1C2 R1C3 R2C3", "1441", True),
        ("sum-line 5: R1C1 R1C2 R1C3", "143", False),
    ],
)
def test_the_meaning_of_a_kind(text: str, values: str, is_right: bool) -> None:
    plain = Shape.parse("4x4")
    shape = Shape.parse(f"4x4; {text}")
    cells = dict.fromkeys(sorted(shape.constraints[0].cells))
    grid = [4] * 16
    for cell, value in zip(cells, map(int, values), strict=True):
        grid[cell] = value
    without_houses = Shape("none", 4, (), primitives=shape.primitives)
    fault = fault_of_grid(Puzzle(without_houses, (0,) * 16), grid)
    assert (fault is None) == is_right
    assert keeps(tuple(grid), plain, shape.constraints) == is_right


def test_a_cell_of_a_number_holds_one_digit() -> None:
    shape = Shape.parse("10x10; arrow: R1C1 R1C2 / R2C1 R3C1 R4C1")
    without_houses = Puzzle(Shape("none", 10, (), primitives=shape.primitives), (0,) * 100)
    for circle, shaft, is_right in (((2, 5), (9, 8, 8), True), ((1, 10), (9, 1, 10), False)):
        grid = [1] * 100
        grid[:2] = circle
        grid[10:40:10] = shaft
        assert (fault_of_grid(without_houses, grid) is None) == is_right


def test_rules_for_all_neighbours() -> None:
    shape = Shape.parse("latin5; nonconsecutive")
    for step, is_right in ((2, True), (3, True), (1, False), (4, False)):
        grid = [step * (cell // 5 + cell) % 5 + 1 for cell in range(25)]
        assert (fault_of_grid(Puzzle(shape, (0,) * 25), grid) is None) == is_right


# Text.


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_of_a_kind_is_a_constraint(kind: str) -> None:
    example = constraint_of(KINDS[kind].example, 9)
    assert example.kind == kind
    assert example.text(9) == KINDS[kind].example
    shape = Shape.parse(f"9x9; {KINDS[kind].example}")
    assert shape.constraints == (example,)
    assert shape.primitives
    assert shape.spec == f"9x9+{kind}"


@st.composite
def constraints(draw: st.DrawFn, size: int) -> Constraint:
    """Constraints of all kinds whose text is well-formed."""
    name = draw(st.sampled_from([*KINDS]))
    kind = KINDS[name]
    cells = st.lists(
        st.integers(0, size**2 - 1), min_size=kind.least_cells, max_size=kind.most_cells or 9
    ).map(tuple)
    lists = st.lists(cells, min_size=kind.least_lists, max_size=(kind.most_lists or 4))
    has_value = kind.has_value if kind.has_value is not None else draw(st.booleans())
    value = draw(st.text("0123456789,*-abcdefx>.!", min_size=1)) if has_value else ""
    return Constraint(name, value, tuple(draw(lists)) if kind.most_lists != 0 else ())


@given(st.integers(4, 36).flatmap(lambda size: st.tuples(st.just(size), constraints(size))))
def test_the_text_of_a_constraint_is_read_back(made: tuple[int, Constraint]) -> None:
    size, constraint = made
    assert constraint_of(constraint.text(size), size) == constraint
    assert constraint_of(constraint.text(size).lower(), size) == constraint
    assert constraint_of(f"  {constraint.text(size)} ", size) == constraint


def test_the_definition_of_a_shape_is_read_back() -> None:
    for variant in some(150, 0):
        shape = variant.puzzle.shape
        again = Shape.parse(shape.definition)
        assert (again, again.constraints, again.primitives) == (
            shape,
            shape.constraints,
            shape.primitives,
        )
        assert Puzzle.of_line(variant.puzzle.line, again) == variant.puzzle


@given(relations)
def test_the_text_of_a_table_is_read_back(relation: Relation) -> None:
    text = f"pair {table_text(relation.table)}: R1C1 R3C3"
    (relation_read,) = constraint_shape(text).primitives or (None,)
    if isinstance(relation_read, Relation):
        assert relation_read.table == relation.table


@given(tables)
def test_the_text_of_an_automaton_is_read_back(
    automaton: tuple[list[list[int]], list[bool]],
) -> None:
    smallest = minimal(*automaton)
    (line,) = constraint_shape(f"automaton {automaton_text(smallest)}: R1C1 R3C3").primitives
    assert isinstance(line, Line)
    assert line.automaton == smallest
    large = Automaton(tuple(map(tuple, automaton[0])), tuple(automaton[1]))
    (line,) = constraint_shape(f"automaton {automaton_text(large)}: R1C1 R3C3").primitives
    assert isinstance(line, Line)
    assert line.automaton == smallest


def constraint_shape(text: str) -> Shape:
    return Shape.parse(f"{SIZE}x{SIZE}; {text}")


NUMBERS = "numbers from 1 to 999999, separated by commas"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kilelr 3: R1C1", "unknown kind of constraint 'kilelr' (did you mean 'killer'?)"),
        (
            "nosuch: R1C1",
            "unknown kind of constraint 'nosuch'; expected a kind in variants.md, such as killer",
        ),
        ("killer 3: R1C5", "killer 3: R1C5: unknown cell R1C5; expected R1C1 to R4C4"),
        ("killer 3: R0C1", "killer 3: R0C1: unknown cell R0C1; expected R1C1 to R4C4"),
        ("killer 3: A1", "killer 3: A1: unknown cell A1; expected R1C1 to R4C4"),
        ("killer 3", "killer 3: 0 lists of cells; expected one list of cells"),
        ("killer 3:", "0 cells; expected 1 or more"),
        ("killer 3: R1C1 / R1C2", "killer 3: R1C1 / R1C2: 2 lists of cells; expected one list"),
        ("killer x: R1C1", f"killer x: R1C1: the value 'x'; expected {NUMBERS}"),
        ("killer 0: R1C1", f"killer 0: R1C1: the value '0'; expected {NUMBERS}"),
        ("killer 3: R1C1 R1C1", "killer 3: R1C1 R1C1: a cell occurs twice; expected each cell"),
        ("arrow: R1C1", "arrow: R1C1: 1 list of cells; expected 2 lists of cells"),
        ("arrow: R1C2 R1C1 / R2C1", "the cells of the circle; expected reading order"),
        ("sum 3*1: R1C1 R1C2", "sum 3*1: R1C1 R1C2: 1 coefficients; expected 2, one for each"),
        ("sum: R1C1", "sum: R1C1: the value ''; expected sum 0*1,1,-1: R1C1 R1C2 R1C3"),
        ("thermometer 3: R1C1 R1C2", "thermometer 3: R1C1 R1C2: the value '3'; expected no value"),
        ("nonconsecutive: R1C1", "nonconsecutive: R1C1: 1 list of cells; expected no cells"),
        ("xv y: R1C1 R1C2", "xv y: R1C1 R1C2: the value 'y'; expected x or v"),
        ("whisper 4: R1C1 R1C2", "the value '4'; expected a number from 1 to 3"),
        ("quadruple 1: R1C1 R1C2", "quadruple 1: R1C1 R1C2: 2 cells; expected 4"),
        ("quadruple 5: R1C1 R1C2 R2C1 R2C2", "expected numbers from 1 to 4, separated by commas"),
        ("clone: R1C1 / R2C1 R2C2", "1 and 2 cells; expected lists of equal length"),
        ("entropic: R1C1 R1C2", "4 values make no thirds; expected a size that is a multiple of 3"),
        ("pair 1,2: R1C1 R1C2", "the table; expected 4 rows in hexadecimal"),
        ("pair 1f,1,1,1: R1C1 R1C2", "the table; expected 4 rows in hexadecimal"),
        ("automaton 1>9: R1C1", "automaton 1>9: R1C1: the move '1>9'; expected states with moves"),
        ("automaton 1f>0: R1C1", "the move '1f>0'; expected states with moves"),
    ],
)
def test_a_malformed_constraint_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        constraint_shape(text)
    assert message.lower() in str(caught.value).lower()
    assert "\n" not in str(caught.value)
    assert caught.value.expected or "did you mean" in message


@given(
    st.sampled_from([kind.example for kind in KINDS.values()]),
    st.lists(st.tuples(st.integers(0, 80), st.text(max_size=2)), min_size=1, max_size=3),
)
def test_a_mutated_constraint_is_read_or_refused_in_one_line(
    text: str, changes: list[tuple[int, str]]
) -> None:
    for at, new in changes:
        text = text[:at] + new + text[at + 1 :]
    try:
        shape = Shape.parse(f"9x9; {text}")
    except PuzzleError as caught:
        error = caught
    else:
        assert Shape.parse(shape.definition) == shape
        return
    assert len(str(error).splitlines()) == 1
    assert error.expected or "did you mean" in error.what
