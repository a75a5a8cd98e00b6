"""All backends solve and count variants, jigsaws, pairs and any other sets of cells."""

import json
from itertools import product

import pytest

from harness.contract import Backend, Unsupported, registry
from harness.puzzles import Puzzle, Shape
from tests.backends.oracle import COUNTING, OPTIONAL, SLOW, backend_of, faults_of, with_givens
from tests.conftest import Harness

FAST = (
    *("native", "native-jit", "cpsat", "cpsat[formulation=integer]", "cnf", *OPTIONAL),
    *("cnf[encoding=minimal]", "cnf[solver=glucose4]", "cnf[reuse=true]", "reasoning"),
    "cnf[counting=enumerate,solver=glucose4]",
    "reasoning[rules=up-to-xyz-wing,search=breadth-first,order=fewest-by-name]",
    "reasoning[rules=none,order=first]",
)
SLOWER = (*SLOW, "milp[model=full]")
GIVING_UP = ("annealing[steps=3000]",)
ARTICLES = ("article-csp", "article-eliminate", "article-search-tree[stop=1000]")
EVERY = [*FAST, *SLOWER, *COUNTING, *GIVING_UP, *ARTICLES]
PLAIN_ONLY = (
    *("article-array", "article-lists", "dlxsudoku", "dokusan", "lib-sudoku", "pencilmark"),
    "py-sudoku",
)

OUTSIDE = "houses3:111213.213233/1222.2331"
SMALL = (
    "4x4+diagonal",
    "4x4+disjoint",
    "4x4+antiknight",
    "4x4+antiking",  # without solution
    *("latin4+diagonal", "latin5+antiking", "latin5+diagonal+antiknight"),
    *("jigsaw:1112122233434443", "jigsaw:1112122233434443+antiknight"),
    *("jigsaw:1112122233434443+diagonal", "6x6+diagonal", "6x6+disjoint", "6x6+antiknight"),
    # A house that is no row, cells outside of all houses, and two pairs.
    OUTSIDE,
    # Columns and one box, and two pairs.
    "houses4:11213141.12223242.13233343.14243444.11122122/2233.3443",
    "4x4",
)
NINE = (
    *("9x9+diagonal", "9x9+windoku", "9x9+disjoint", "9x9+antiknight", "9x9+antiking"),
    *("9x9+diagonal+antiking", "9x9+windoku+antiknight", "9x9+antiknight+antiking"),
    "9x9+diagonal+windoku+disjoint",
    "jigsaw:112222333111123333111222233445555666444456666444555566778888999777789999777888899",
)
JIGSAW: str = NINE[-1]


@pytest.mark.parametrize("spec", EVERY)
def test_a_backend_agrees_with_a_plain_search_on_every_small_shape(spec: str) -> None:
    shapes, number = (SMALL[::3], 2) if spec in SLOWER else (SMALL, 3)
    assert [fault for shape in shapes for fault in faults_on(spec, shape, number)] == []


@pytest.mark.parametrize("spec", ["native", "native-jit", "cpsat", "cnf", "clingo"])
def test_a_backend_agrees_with_a_plain_search_on_9x9_variants(spec: str) -> None:
    assert [fault for shape in NINE for fault in faults_on(spec, shape, 2)] == []


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("shape", [*SMALL, *NINE])
@pytest.mark.parametrize("spec", EVERY)
def test_a_backend_agrees_with_a_plain_search_on_more_puzzles(spec: str, shape: str) -> None:
    assert faults_on(spec, shape, 20 if spec in SLOWER else 100) == []


def faults_on(spec: str, name: str, number: int) -> list[str]:
    """What is wrong with the answers of a backend to puzzles of a shape."""
    if spec in GIVING_UP and name == OUTSIDE:
        return []  # no houses hold each cell once
    if spec in COUNTING and name in NINE:
        return []  # a count without limit takes too long
    backend = backend_of(spec, Shape.parse(name))
    puzzles = with_givens(name, number)
    return [fault for puzzle in puzzles for fault in faults_of(backend, *puzzle)]


@pytest.mark.parametrize("spec", [*FAST, *SLOWER, *ARTICLES])
def test_a_complete_grid_that_breaks_only_a_pair_is_no_solution(spec: str) -> None:
    shape = Shape.parse("4x4+antiknight")
    backend = backend_of(spec, shape)
    grid = Puzzle.of_line("1234341221434321", shape)
    assert faults_of(backend, grid, 0) == []


def test_every_backend_is_compared() -> None:
    names = {spec.partition("[")[0] for spec in EVERY}
    assert names | {*PLAIN_ONLY} == set(registry.names())


# 48 and 8,640 grids have both diagonals complete; with a given first row 48/4! and 8,640/6!.


@pytest.mark.parametrize(
    "spec",
    [
        "native-jit",
        "native-jit[kernel=houses]",
        *(
            pytest.param(spec, marks=pytest.mark.long)
            for spec in ("native", "cpsat", "dlx", "exact-cover", "clingo")
        ),
    ],
)
def test_all_8640_diagonal_grids_of_6x6_are_counted(spec: str) -> None:
    assert all_grids(spec, "6x6+diagonal") == (8640, True)


def all_grids(spec: str, name: str) -> tuple[int, bool]:
    shape = Shape.parse(name)
    count = backend_of(spec, shape).count(Puzzle(shape, (0,) * shape.size**2), 10_000)
    return count.number, count.exact


@pytest.mark.parametrize(
    ("backend", "name"),
    [
        *product(PLAIN_ONLY, ["box2x3+antiknight", "9x9+antiking", "9x9+diagonal"]),
        *product(["article-array", "article-lists"], ["latin5", "6x6+antiking"]),
        *(("article-array", "jigsaw:1112122233434443"), ("article-lists", "9x9+windoku")),
        ("article-lists", "36x36"),
    ],
)
def test_a_library_for_plain_puzzles_does_not_take_a_variant(backend: str, name: str) -> None:
    kind = registry.load_class(backend)
    assert not kind.takes
    with pytest.raises(Unsupported):
        kind(Shape.parse(name), kind.options_type())


def test_py_sudoku_takes_only_the_houses_that_it_knows() -> None:
    nine = Shape.parse("9x9")
    groups = [house for house in Shape.parse("9x9+disjoint").houses if house.kind == "group"]
    lines = [house for house in nine.houses if house.kind != "box"]
    kind = registry.load_class("py-sudoku")
    with pytest.raises(Unsupported, match="rows, columns and boxes only"):
        kind(Shape("groups", 9, (*lines, *groups), (3, 3)), kind.options_type())
    kind(nine, kind.options_type())


def test_annealing_needs_houses_that_hold_each_cell_once() -> None:
    kind = registry.load_class("annealing")
    with pytest.raises(Unsupported, match=r"no houses of houses3-.* hold each cell once"):
        kind(Shape.parse("houses3:111213.112131"), kind.options_type())


@pytest.mark.parametrize("name", ["9x9+antiknight", JIGSAW])
def test_annealing_solves_variants(name: str) -> None:
    backend = backend_of("annealing[steps=200000]", Shape.parse(name))
    assert isinstance(backend, Backend)
    puzzles = [puzzle for puzzle, number in with_givens(name, 6) if number]
    solved = [backend.solve(puzzle).grid is not None for puzzle in puzzles]
    assert sum(solved) > len(solved) / 2


def test_the_worker_says_that_a_library_does_not_take_pairs(harness: Harness) -> None:
    line = "1" + "." * 80
    words = ("--shape", "9x9+antiking", "--backend", "py-sudoku", "--json")
    code, out, error = harness("solve", line, *words)
    (result,) = json.loads(out)["results"]
    assert (code, result["verdict"]) == (1, "unsupported"), error
    assert "does not take pairs of cells that must differ, as in 9x9+antiking" in json.dumps(result)
