"""Models for other solvers, and `harness model`: each is read by a program that did not write it.

The oracle is a plain search here, which knows houses, pairs, givens and pencilmarks alone.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from harness.contract import Answer, model_named, model_names
from harness.extensions.models import answers
from harness.puzzles import Grid, Puzzle, Shape, parse_puzzle
from harness.puzzles.patterns import pattern_puzzle
from tests.conftest import Ended


def blank(spec: str, marks: tuple[int, ...] | None = None) -> Puzzle:
    shape = Shape.parse(spec)
    return Puzzle(shape, (0,) * shape.size**2, marks)


JIGSAW = "jigsaw:1112122333243444"
SPECS = ("4x4", "4x4+diagonal", "latin4+antiking", JIGSAW, "latin3", "latin5+antiknight")
PUZZLES = {
    **{spec: blank(spec) for spec in SPECS},
    "pencilmarks": blank("4x4", (0b0011, *[15] * 4, 0b1101, *[15] * 4, 0b0110, *[15] * 5)),
    "a cell without candidates": blank("4x4", (0, *[15] * 15)),
    "given twice": parse_puzzle("11.............."),
    "6x6": pattern_puzzle(Shape.parse("6x6"), 2),
}


def search(domains: Sequence[Sequence[int]], different: Sequence[Sequence[int]]) -> set[Grid]:
    """All grids with these values of cells, and different values in each of the sets."""
    peers: list[set[int]] = [set() for _ in domains]
    for cells in different:
        for first, second in combinations(cells, 2):
            peers[first].add(second)
            peers[second].add(first)
    grids: list[list[int]] = [[]]
    for cell, values in enumerate(domains):
        before = [peer for peer in peers[cell] if peer < cell]
        grids = [
            [*grid, value]
            for grid in grids
            for value in values
            if all(grid[peer] != value for peer in before)
        ]
    return {tuple(grid) for grid in grids}


def solutions(puzzle: Puzzle) -> set[Grid]:
    values = range(1, puzzle.shape.size + 1)
    domains = [[v for v in values if bits >> v - 1 & 1] for bits in puzzle.allowed]
    sets = [house.cells for house in puzzle.shape.houses]
    return search(domains, [*sets, *puzzle.shape.pairs])


def text_of(puzzle: Puzzle, name: str) -> str:
    return "\n".join(model_named(name).lines(puzzle, ())) + "\n"


def grid_of(true: Iterator[int], size: int) -> Grid:
    """The grid of the variables that hold, numbered cell by cell from 1."""
    variables = sorted(true)
    assert [(variable - 1) // size for variable in variables] == list(range(size**2))
    return tuple((variable - 1) % size + 1 for variable in variables)


@pytest.fixture(params=PUZZLES)
def puzzle(request: pytest.FixtureRequest) -> Puzzle:
    return PUZZLES[request.param]


def models_of(text: str, size: int, solver: str) -> set[Grid]:
    """All models of a CNF, by a solver of PySAT that reads the file itself."""
    from pysat.formula import CNFPlus
    from pysat.solvers import Solver

    with Solver(name=solver, bootstrap_with=CNFPlus(from_string=text)) as session:
        return {grid_of((x for x in model if x > 0), size) for model in session.enum_models()}


@pytest.mark.parametrize(
    ("name", "solver"),
    [("cnf", "cadical153"), ("cnf:encoding=minimal", "glucose4"), ("cnf-cardinality", "minicard")],
)
def test_a_sat_solver_finds_the_solutions_of_a_cnf(puzzle: Puzzle, name: str, solver: str) -> None:
    models = models_of(text_of(puzzle, name), puzzle.shape.size, solver)
    assert models == solutions(puzzle)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("cnf", (729, 10_530)),
        ("cnf:encoding=minimal", (729, 7_371)),
        ("cnf-cardinality", (729, 648)),
    ],
)
def test_the_sizes_of_a_cnf_are_those_of_its_encoding(name: str, sizes: tuple[int, int]) -> None:
    lines = text_of(blank("9x9"), name).splitlines()
    (header,) = [line for line in lines if line.startswith("p ")]
    assert tuple(map(int, header.split()[2:])) == sizes
    assert len([line for line in lines if line[0] not in "cp"]) == sizes[1]
    assert "c 14 R1C2=5" in lines
    assert lines[0].startswith("c Sudoku 9x9, 0 givens")


@pytest.mark.parametrize("name", ["lp", "mps"])
def test_highs_solves_a_linear_program(puzzle: Puzzle, name: str, tmp_path: Path) -> None:
    highspy = pytest.importorskip("highspy")
    path = tmp_path / f"model.{name}"
    path.write_text(text_of(puzzle, name))
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    status = solver.getModelStatus()
    expected = solutions(puzzle)
    if not expected:
        assert status == highspy.HighsModelStatus.kInfeasible
        return
    assert status == highspy.HighsModelStatus.kOptimal
    names = [solver.getColName(at)[1] for at in range(solver.getNumCol())]
    values = solver.getSolution().col_value
    assert grid_of_names(names, values, puzzle.shape.size) in expected


def grid_of_names(names: Sequence[str], values: Sequence[float], size: int) -> Grid:
    """The grid of variables ``x_ROW_COLUMN_VALUE`` that are 1."""
    grid = [0] * size**2
    for name, value in zip(names, values, strict=True):
        if value > 0.5:
            row, column, digit = (int(part) for part in name.split("_")[1:])
            grid[(row - 1) * size + column - 1] = digit
    return tuple(grid)


def test_cpsat_finds_the_solutions_of_pseudo_boolean_constraints(puzzle: Puzzle) -> None:
    assert grids_of_opb(text_of(puzzle, "opb"), puzzle.shape.size) == solutions(puzzle)


@pytest.mark.parametrize("name", ["lp", "mps", "opb"])
def test_a_cage_that_no_values_fit_is_a_contradiction(name: str, tmp_path: Path) -> None:
    puzzle = blank("4x4; killer 8: r1c1 r3c3")
    path = tmp_path / f"model.{name}"
    path.write_text(text_of(puzzle, name))
    if name == "opb":
        assert not grids_of_opb(path.read_text(), 4)
        return
    highspy = pytest.importorskip("highspy")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible


def grids_of_opb(text: str, size: int) -> set[Grid]:
    """All grids that pseudo-Boolean constraints allow."""
    from ortools.sat.python import cp_model

    first, *lines = text.splitlines()
    header = re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", first)
    assert header is not None
    lines = [line for line in lines if not line.startswith("*")]
    assert len(lines) == int(header[2])
    model = cp_model.CpModel()
    variables = [model.new_bool_var(str(at)) for at in range(int(header[1]) + 1)]
    model.add(variables[0] == 0)
    for line in lines:
        terms = re.findall(r"([+-]\d+) x(\d+)", line)
        relation = re.fullmatch(r"(?:[+-]\d+ x\d+ )+(>=|=) (-?\d+) ;", line)
        assert relation is not None
        total = sum(int(factor) * variables[int(at)] for factor, at in terms)
        number = int(relation[2])
        model.add(total >= number if relation[1] == ">=" else total == number)

    class Collector(cp_model.CpSolverSolutionCallback):
        def __init__(self) -> None:
            super().__init__()
            self.grids: set[Grid] = set()

        def on_solution_callback(self) -> None:
            true = (at for at, variable in enumerate(variables) if self.value(variable))
            self.grids.add(grid_of(true, size))

    collector, solver = Collector(), cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.solve(model, collector)
    return collector.grids


def test_the_constraints_of_minizinc_have_the_solutions(puzzle: Puzzle) -> None:
    lines = [line.partition("%")[0].strip() for line in text_of(puzzle, "mzn").splitlines()]
    size = puzzle.shape.size
    assert f"int: n = {size};" in lines
    assert "array[1..n*n] of var 1..n: cell;" in lines
    assert "solve satisfy;" in lines
    domains = [list(range(1, size + 1)) for _ in range(size**2)]
    different = []
    for line in lines:
        if not line.startswith("constraint "):
            continue
        cells = [int(at) - 1 for at in re.findall(r"cell\[(\d+)\]", line)]
        if re.fullmatch(r"constraint alldifferent\(\[.*\]\);", line) or " != " in line:
            different.append(cells)
        elif line == "constraint false;":
            domains[0] = []
        else:
            match = re.fullmatch(r"constraint cell\[\d+\] (?:= (\d+)|in \{([\d, ]+)\});", line)
            assert match is not None, line
            domains[cells[0]] = [int(value) for value in (match[1] or match[2]).split(",")]
    assert search(domains, different) == solutions(puzzle)


def test_the_constraints_of_xcsp3_have_the_solutions(puzzle: Puzzle) -> None:
    root = ElementTree.fromstring(text_of(puzzle, "xcsp3"))
    size = puzzle.shape.size
    assert root.attrib == {"format": "XCSP3", "type": "CSP"}

    def cells_of(text: str | None) -> list[int]:
        places = re.findall(r"x\[(\d+)\]\[(\d+)\]", text or "")
        return [int(row) * size + int(column) for row, column in places]

    domains: list[list[int]] = [[] for _ in range(size**2)]
    for domain in root.iter("domain"):
        text = (domain.text or "").strip()
        low, _, high = text.partition("..")
        numbers = [*(range(int(low), int(high) + 1) if high else map(int, text.split()))]
        for cell in cells_of(domain.get("for")):
            assert not domains[cell]
            domains[cell] = numbers
    assert all(domains)
    if root.find("constraints/intension") is not None:
        domains[0] = []
    different = [cells_of(constraint.text) for constraint in root.iter("allDifferent")]
    assert search(domains, different) == solutions(puzzle)


def test_a_library_covers_the_matrix(puzzle: Puzzle) -> None:
    exact_cover = pytest.importorskip("exact_cover", reason="exact-cover is not installed")
    text = text_of(puzzle, "matrix")
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    matrix = np.array(rows, dtype=np.int32)
    (columns,) = [line for line in text.splitlines() if line.startswith("# columns")]
    assert matrix.shape[1] == len(columns.split()) - 2
    assert exact_cover.get_solution_count(matrix) == len(solutions(puzzle))


def test_the_matrix_of_the_empty_9x9_has_729_rows_and_324_columns() -> None:
    rows = [line.split() for line in text_of(blank("9x9"), "matrix").splitlines()[2:]]
    assert (len(rows), {len(row) for row in rows}) == (729, {324})
    assert {row.count("1") for row in rows} == {4}


def test_the_options_of_dlx_cover_the_items(puzzle: Puzzle) -> None:
    comment, items, *options = text_of(puzzle, "dlx").splitlines()
    assert comment.startswith("| Sudoku ")
    primary, _, secondary = (part.split() for part in items.partition("|"))
    covers: list[tuple[list[list[str]], set[str]]] = [([], set())]
    choices = [option.split() for option in options]
    assert {item for choice in choices for item in choice} <= {*primary, *secondary}
    cells = primary[: puzzle.shape.size**2]
    for cell in cells:
        covers = [
            ([*sets, choice], items_before | set(choice))
            for sets, items_before in covers
            for choice in choices
            if choice[0] == cell and not items_before & set(choice)
        ]
    complete = [sets for sets, items_before in covers if items_before >= set(primary)]
    assert len(complete) == len(solutions(puzzle))


@pytest.mark.parametrize("name", model_names())
def test_every_line_is_plain_text(name: str) -> None:
    for line in model_named(name).lines(blank("12x12+diagonal"), ()):
        assert line.isascii()
        assert line.isprintable()


@pytest.mark.parametrize(("name", "comment"), [("lp", "\\ "), ("mps", "* "), ("opb", "* ")])
def test_a_comment_names_the_puzzle(name: str, comment: str) -> None:
    lines = [line for line in model_named(name).lines(blank("6x6"), ()) if line.startswith(comment)]
    assert any("Sudoku 6x6, 0 givens" in line for line in lines)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        *((name, "") for name in model_names()),
        *(("cnf", ".cnf"), ("lp", ".LP"), ("mzn", ".mzn"), ("xcsp3", ".xml")),
    ],
)
def test_the_command_prints_or_writes_a_model_and_the_suffix_chooses_the_format(
    harness: Callable[..., Ended], tmp_path: Path, name: str, suffix: str
) -> None:
    line = "1..............2"
    path, text = tmp_path / f"model{suffix}", text_of(parse_puzzle(line), name)
    words = ("model", line, *(() if suffix else ("--to", name)))
    assert suffix or harness(*words) == (0, text, "")
    assert harness(*words, "--out", path) == (0, "", "")
    assert path.read_text() == text


@pytest.mark.parametrize(
    "line",
    [
        "This problem is infeasible",
        "PROBLEM HAS NO PRIMAL FEASIBLE SOLUTION",
        "PROBLEM HAS NO INTEGER FEASIBLE SOLUTION",
        "Infeasible - objective value 0.00",
        "* Problem Found Infeasible in Preprocessing        *",
        "Model   status      : Infeasible",
        "SCIP Status        : problem is solved [infeasible]",
        "MIP - Integer infeasible.",
        "s mip 3 4 n 0",
    ],
)
def test_a_program_says_that_a_linear_program_has_no_solution(line: str) -> None:
    answer = answers.read_columns(f"a line\n{line}\nanother line", 0, Shape.parse("4x4"))
    assert answer == Answer.unsatisfiable()


@pytest.mark.parametrize(
    "line",
    ["-piv rule, anti-degen infeasible", "number of integer infeasibilities", "3 infeasible nodes"],
)
def test_help_and_statistics_are_no_answer(line: str) -> None:
    assert answers.read_columns(f"a line\n{line}", 255, Shape.parse("4x4")) is None
