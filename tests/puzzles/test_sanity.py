"""The sanity checks, on the examples of Arkieva's article on Sudoku in APL."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.puzzles import Puzzle, Sanity, Shape, check, parse_puzzle
from harness.puzzles.constraints.kinds import KINDS
from harness.records.judging import fault_of_grid
from tests.examples import examples
from tests.puzzles.example import LINE, NINE
from tests.puzzles.variants import givens, grid_of, variant


def nine(givens: dict[str, int]) -> Puzzle:
    """A 9x9 with these givens; ``R1C3`` is row 1, column 3."""
    values = [0] * 81
    for name, value in givens.items():
        values[cell(name)] = value
    return Puzzle(NINE, tuple(values))


def cell(name: str) -> int:
    return 9 * (int(name[1]) - 1) + int(name[3]) - 1


def counts(sanity: Sanity) -> tuple[int, int, int]:
    return len(sanity.duplicates), len(sanity.dead_cells), len(sanity.conflicts)


def test_two_2s_in_row_1_and_box_1_are_reported_by_house_and_digit() -> None:
    sanity = check(nine({"R1C1": 2, "R1C3": 2, "R6C5": 6}))
    duplicates = [(d.house, d.value, d.cells) for d in sanity.duplicates]
    assert duplicates == [("row 1", "2", ("R1C1", "R1C3")), ("box 1", "2", ("R1C1", "R1C3"))]
    assert sanity.contradictory
    assert sanity.problem_cells == (0, 2)
    for finding, house in zip(sanity.findings(), ("row 1", "box 1"), strict=True):
        assert house in finding
        assert "R1C1, R1C3" in finding


def test_candidates_of_a_cell_exclude_the_values_of_row_column_and_box() -> None:
    row = {"R1C1": 2, "R1C8": 7}
    box = {"R1C1": 2, "R2C3": 3, "R3C2": 8}
    column = {"R2C3": 3, "R4C3": 5, "R5C3": 6, "R7C3": 7, "R8C3": 9}
    sanity = check(nine(row | box | column))
    assert sanity.candidates[cell("R1C3")] == (1, 4)
    assert sanity.candidates[cell("R1C1")] == (2,)
    assert not sanity.contradictory


def test_a_cell_without_candidates_is_reported() -> None:
    row = {f"R1C{column}": column - 1 for column in range(2, 10)}
    sanity = check(nine(row | {"R5C1": 9}))
    assert sanity.dead_cells == (0,)
    assert sanity.candidates[0] == ()
    (finding,) = sanity.findings()
    assert "R1C1" in finding


def test_neighbours_with_one_and_the_same_candidate_are_a_conflict_named_once() -> None:
    row = {f"R1C{column}": column - 2 for column in range(3, 10)}
    sanity = check(nine(row | {"R4C1": 8, "R7C2": 8}))
    assert sanity.candidates[0] == sanity.candidates[1] == (9,)
    assert sanity.dead_cells == ()
    assert sanity.problem_cells == (0, 1)
    (conflict,) = sanity.conflicts
    assert (conflict.house, conflict.value, conflict.cells) == ("row 1", "9", ("R1C1", "R1C2"))
    (finding,) = sanity.findings()
    assert all(fact in finding for fact in ("9", "R1C1", "R1C2", "row 1"))


def test_the_same_single_candidate_in_unrelated_cells_is_not_a_conflict() -> None:
    first = {f"R1C{column}": column - 1 for column in range(2, 10)}
    last = {f"R9C{column}": column for column in range(1, 9)}
    sanity = check(nine(first | last))
    assert sanity.candidates[cell("R1C1")] == sanity.candidates[cell("R9C9")] == (9,)
    assert sanity.conflicts == ()
    assert not sanity.contradictory


def test_a_puzzle_that_passes_may_still_have_no_solution() -> None:
    """Norvig's impossible puzzle: only a search finds out."""
    line = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
    assert not check(parse_puzzle(line)).contradictory


def test_values_above_9_are_named_by_their_letters() -> None:
    sanity = check(parse_puzzle("G..............G" + "." * 240))
    (finding,) = sanity.findings()
    assert all(fact in finding for fact in ("G", "row 1", "R1C1", "R1C16"))


@st.composite
def partly_filled(draw: st.DrawFn) -> Puzzle:
    """Sparse to full, so that every kind of finding occurs."""
    shape = Shape.parse(draw(st.sampled_from(["4x4", "9x9", "latin5"])))
    values = random.Random(draw(st.integers(0, 2**32)))
    share = draw(st.floats(0, 1))
    givens = (
        values.randint(1, shape.size) if values.random() < share else 0
        for _ in range(shape.size**2)
    )
    return Puzzle(shape, tuple(givens))


@given(partly_filled(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_relabelling_changes_no_number_of_findings(puzzle: Puzzle, order: random.Random) -> None:
    labels = list(range(1, puzzle.shape.size + 1))
    order.shuffle(labels)
    other = Puzzle(puzzle.shape, tuple(v and labels[v - 1] for v in puzzle.givens))
    before, after = check(puzzle), check(other)
    assert counts(before) == counts(after)
    assert before.problem_cells == after.problem_cells


@given(partly_filled())
@settings(max_examples=40)
def test_findings_are_one_sentence_each(puzzle: Puzzle) -> None:
    sanity = check(puzzle)
    assert len(list(sanity.findings())) == sum(counts(sanity))
    assert sanity.contradictory == bool(sum(counts(sanity)))
    assert bool(sanity.problem_cells) == sanity.contradictory


def variant_of(spec: str, givens: dict[str, int]) -> Sanity:
    return check(Puzzle(Shape.parse(spec), nine(givens).givens))


def test_a_cage_that_no_values_fit_is_reported_with_its_reason() -> None:
    sanity = variant_of("9x9; killer 55: R1C1 R1C2; killer 17: R5C5 R5C6", {})
    assert sanity.contradictory
    assert sanity.problem_cells == (0, 1)
    (finding,) = sanity.findings()
    assert finding == ("impossible: killer 55: R1C1 R1C2: 2 cells that differ cannot add up to 55")


def test_a_group_of_more_cells_than_values_is_reported() -> None:
    cells = " ".join(f"R1C{column}" for column in range(1, 10))
    (finding,) = variant_of(f"9x9; killer: {cells} R2C1", {}).findings()
    assert finding.endswith("10 cells cannot differ with 9 values")


def test_givens_that_break_a_constraint_are_reported_with_their_cells() -> None:
    sanity = variant_of(
        "9x9; thermometer: R5C1 R5C2 R6C2 R7C3; nonconsecutive", {"R5C1": 4, "R5C2": 4, "R9C9": 3}
    )
    (unmet,) = sanity.unmet
    assert unmet.constraint.startswith("thermometer: ")
    assert unmet.cells == ("R5C1", "R5C2")
    assert not unmet.reason


def test_a_value_twice_in_a_cage_is_reported_with_the_cage() -> None:
    spec = "9x9; killer 15: R1C1 R2C5 R3C9"
    finding = next(variant_of(spec, {"R1C1": 5, "R3C9": 5}).findings())
    assert finding == ("duplicate: 5 is given 2 times in killer 15: R1C1 R2C5 R3C9: R1C1, R3C9")


@given(st.sampled_from(["4x4", "6x6", "9x9"]), st.integers(0, 2**32), st.data())
@examples(50, 150)
def test_constraints_that_a_solution_keeps_are_no_contradiction(
    spec: str, seed: int, data: st.DataObject
) -> None:
    kinds = data.draw(st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=3))
    shape, grid = variant(Shape.parse(spec), kinds, seed)
    number = data.draw(st.integers(0, len(grid)))
    assert not check(Puzzle(shape, givens(grid, number, seed))).contradictory


@given(st.sampled_from(["4x4", "6x6"]), st.integers(0, 2**32), st.sampled_from([*KINDS]))
@examples(60, 150)
def test_a_complete_grid_is_contradictory_exactly_if_it_breaks_a_constraint(
    spec: str, seed: int, kind: str
) -> None:
    shape, _ = variant(Shape.parse(spec), [kind], seed)
    grid = grid_of(Shape.parse(spec), seed + 1)
    puzzle = Puzzle(shape, grid)
    assert check(puzzle).contradictory == (fault_of_grid(puzzle, grid) is not None)


def test_digits_of_a_player_are_compared_with_the_givens_and_with_the_only_solution() -> None:
    puzzle = parse_puzzle(LINE)
    solution = [4, 8, 3, 9, 2, 1, 6, 5, 7]
    entries = " ".join(f"R1C{column}={value}" for column, value in enumerate(solution, 1))
    assert not check(puzzle, {"entries": entries, "placed": "R1C3 x"}).contradictory
    sanity = check(puzzle, {"entries": "R1C1=2 R1C2=4 R9C9"})
    assert sanity.contradictory
    assert sanity.problem_cells == (0, 1)
    assert [*sanity.findings()] == [
        "placed: 2 at R1C1, but it is given at R1C5",
        "placed: 4 at R1C2, but the solution has 8",
    ]
    placed = Puzzle(NINE, (5, *puzzle.givens[1:]))
    assert not check(placed).wrong_digits
    assert check(placed, {"placed": "R1C1"}).wrong_digits == (
        "placed: 5 at R1C1, but the solution has 4",
    )
    assert not check(nine({}), {"entries": "R1C1=5"}).contradictory
