"""Generated puzzles with constraints: true, unique, minimal, and the same for a seed."""

from functools import cache
from itertools import product

import pytest

from harness.base.errors import OptionError, PuzzleError
from harness.extensions.generate import (
    Clues,
    Constraints,
    Generated,
    GenerationRequest,
    generate,
    random_grid,
)
from harness.extensions.generate.constraints import (
    DRAWN,
    GENERATED,
    RULES,
    UNMARKED,
    Drawing,
    draw_constraints,
)
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS
from harness.puzzles.puzzle import values_of_line
from harness.puzzles.search.kernel import Prng
from harness.puzzles.search.solver import solver_of
from harness.puzzles.symmetry import Symmetry, symmetries_of
from harness.records.judging import fault_of_grid
from tests.backends.oracle import backend_of
from tests.extensions.generate.test_claims import without

NONE_IN_4X4 = ("lockout", "entropic", "nabner")


@cache
def make(spec: str, *kinds: str, number: str | None = None, **options: object) -> Generated:
    constraints = Constraints.parse(kinds, number)
    request = GenerationRequest(Shape.parse(spec), 1, 1, constraints=constraints, **options)  # type: ignore[arg-type]
    (entry,) = generate(request)
    return entry


def count(puzzle: Puzzle, backend: str = "cnf") -> int:
    return backend_of(backend, puzzle.shape).count(puzzle, 2).number


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        (spec, kind)
        for spec, kind in product(["4x4", "9x9", "latin6"], DRAWN)
        if (spec != "4x4" or kind not in NONE_IN_4X4) and (spec, kind) != ("latin6", "region-sum")
    ],
)
def test_constraints_are_true_for_the_grid_on_which_they_are_drawn(spec: str, kind: str) -> None:
    shape, random = Shape.parse(spec), Prng(kind)
    grid = random_grid(shape, random)
    constraints = draw_constraints([kind], None, Drawing(shape, grid, random, 4))
    assert constraints
    assert {constraint.kind for constraint in constraints} == {kind}
    variant = shape.with_constraints(constraints)
    assert fault_of_grid(Puzzle(variant, (0,) * len(grid)), grid) is None
    assert Shape.parse(variant.definition) == variant


@pytest.mark.parametrize("kind", GENERATED)
def test_minimal_puzzles_need_each_clue_and_each_constraint(kind: str) -> None:
    spec = "6x6" if kind in (*NONE_IN_4X4, *RULES) else "4x4"
    entry = make(spec, kind, minimal=True)
    puzzle = entry.puzzle
    constraints = puzzle.shape.constraints
    assert kind in {constraint.kind for constraint in constraints}
    assert count(puzzle) == count(puzzle, "native") == 1
    for cell, value in enumerate(puzzle.givens):
        if value:
            assert count(without(puzzle, cell)) == 2
    marks = {"difference", "ratio", "xv"} if kind in UNMARKED else set()
    for constraint in constraints:
        if constraint.kind not in marks:
            others = [other for other in constraints if other != constraint]
            assert count(Puzzle(Shape.parse(spec).with_constraints(others), puzzle.givens)) == 2
    assert entry.expected_count is not None
    solution = entry.expected_count.solution
    assert solution is not None
    assert fault_of_grid(puzzle, values_of_line(solution)) is None


@pytest.mark.parametrize(
    ("spec", "kinds", "number", "clues"),
    [
        ("9x9", ["killer"], None, 0),
        ("9x9", ["thermometer"], "1", 40),
        ("9x9", ["arrow", "killer", "difference"], "3-5", 30),
        ("latin5", ["killer", "thermometer"], None, 0),
        ("6x6+diagonal", ["all-dots"], None, 0),
        ("9x9", ["nonconsecutive", "killer"], None, 0),
        ("12x12", ["killer"], None, 60),
        ("16x16", ["thermometer", "xv"], None, 120),
    ],
)
def test_requests_are_kept(spec: str, kinds: list[str], number: str | None, clues: int) -> None:
    puzzle = make(spec, *kinds, number=number, clues=Clues(clues, clues)).puzzle
    assert puzzle.clues == clues
    assert count(puzzle) == 1
    present = [constraint.kind for constraint in puzzle.shape.constraints]
    assert set(kinds) <= set(present)
    if number is not None:
        fewest, _, most = number.partition("-")
        assert all(int(fewest) <= present.count(kind) <= int(most or fewest) for kind in kinds)


def test_a_seed_gives_the_same_puzzles_whatever_the_order_of_kinds() -> None:
    constraints = Constraints.parse(["whisper", "killer"], None)
    assert constraints == Constraints.parse(["killer", "whisper", "killer"], None)
    request = GenerationRequest(Shape.parse("6x6"), 3, 4, constraints=constraints)
    first = list(generate(request))
    assert first == list(generate(request))
    assert len({entry.puzzle.shape for entry in first}) == 3


def test_constraints_of_the_shape_stay() -> None:
    shape = Shape.parse("6x6; killer 11: R1C1 R1C2; thermometer: R3C1 R3C2 R3C3")
    puzzle = make(shape.definition, "xv", minimal=True).puzzle
    assert set(shape.constraints) < set(puzzle.shape.constraints)
    assert count(puzzle) == 1


def test_changes_make_killers_harder() -> None:
    clues = Clues(0, 0)
    plain, hard = (make("9x9", "killer", clues=clues, hard=steps).puzzle for steps in (0, 60))
    assert len(hard.shape.constraints) < len(plain.shape.constraints)
    guesses = [solver_of(puzzle.shape).search_puzzle(puzzle, 2).guesses for puzzle in (plain, hard)]
    assert guesses[0] < guesses[1]
    assert count(hard) == 1


def test_a_symmetry_is_that_of_the_clues() -> None:
    puzzle = make("9x9", "renban", symmetry=Symmetry.ROTATION_180).puzzle
    assert Symmetry.ROTATION_180 in symmetries_of(puzzle)
    assert count(puzzle) == 1


def test_what_no_grid_has_is_an_error() -> None:
    with pytest.raises(
        PuzzleError, match="4x4 in 50 attempts: too few constraints of the kind lockout"
    ):
        make("4x4", "lockout")
    with pytest.raises(PuzzleError, match="no such puzzle of 9x9 in 50 attempts"):
        make("9x9", "thermometer", number="1", clues=Clues(0, 3))
    with pytest.raises(OptionError, match="sum-line cannot be generated"):
        Constraints.parse(["sum-line"], None)


def test_every_kind_is_drawn_or_a_rule_or_not_generated() -> None:
    assert set(GENERATED) == {*DRAWN, *RULES, *UNMARKED} <= set(KINDS)
