"""Backends that declare it heed pencilmarks, alone and after other puzzles."""

import pytest

import harness
from harness.contract import Restriction, Status, registry
from harness.contract.cover import CoverBackend
from harness.puzzles import Puzzle, Shape
from tests.backends.oracle import COUNTING, backend_of, faults_of, with_pencilmarks
from tests.backends.test_shapes import ARTICLES, FAST, OUTSIDE, SLOWER, SMALL

FURTHER = (
    *("native-jit[kernel=houses]", "cpsat[workers=2]", "milp[solver=HiGHS,model=full]"),
    *("cnf[reuse=true,encoding=minimal,solver=cadical153]", "cnf[reuse=true,solver=glucose4]"),
    *("cnf[encoding=cardinality,solver=gluecard4]", "cnf[solver=kissat404]"),
)
SPECS = [*FAST, *FURTHER, *SLOWER, *COUNTING, *ARTICLES]
CORE = ("native", "native-jit", "cpsat", "milp", "cnf")
SHAPES = ("4x4", "latin5", *SMALL[::2], OUTSIDE, "6x6+diagonal")
FOUR = Shape.parse("4x4")
EVERY = (15,) * 16


def is_slow(spec: str) -> bool:
    return spec in SLOWER or spec.startswith("milp") or "workers" in spec


@pytest.mark.parametrize("spec", SPECS)
def test_a_backend_agrees_with_a_plain_search(spec: str) -> None:
    shapes, number = (SHAPES[:2], 3) if is_slow(spec) else (SHAPES, 3)
    faults = []
    for shape in shapes:
        backend = backend_of(spec, Shape.parse(shape))
        for puzzle in with_pencilmarks(shape, number):
            faults += faults_of(backend, *puzzle)
    assert faults == []


@pytest.mark.parametrize("spec", ["native", "native-jit", "native-jit[kernel=houses]", "cnf"])
def test_a_backend_agrees_with_a_plain_search_on_9x9(spec: str) -> None:
    for shape in ("9x9", "9x9+antiknight"):
        backend = backend_of(spec, Shape.parse(shape))
        assert [faults_of(backend, *puzzle) for puzzle in with_pencilmarks(shape, 8)] == [[]] * 8


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("spec", SPECS)
def test_all_backends_agree_on_300_puzzles(spec: str) -> None:
    """The known numbers are those of the plain search, which is the same for all backends."""
    faults, number = [], 0
    for shape, share in (
        *(("4x4", 60), ("latin5", 40), ("6x6", 40), ("6x6+diagonal", 30), ("4x4+antiknight", 30)),
        *(("9x9", 60), ("9x9+diagonal", 20), ("9x9+antiknight", 20)),
    ):
        backend = backend_of(spec, Shape.parse(shape))
        for puzzle in with_pencilmarks(shape, share):
            faults += faults_of(backend, *puzzle)
            number += 1
    assert (number, faults) == (300, [])


def test_the_puzzles_have_none_one_and_several_solutions() -> None:
    numbers = [number for _, number in with_pencilmarks("4x4", 60)]
    assert all(share > 3 for share in (numbers.count(0), numbers.count(1)))
    assert any(number > 1 for number in numbers)


@pytest.mark.parametrize("spec", FAST)
def test_a_cell_without_candidates_outside_of_all_houses_is_a_contradiction(spec: str) -> None:
    shape = Shape.parse(OUTSIDE)
    puzzle = Puzzle(shape, (0,) * 9, (*(7,) * 4, 0, *(7,) * 4))
    assert faults_of(backend_of(spec, shape), puzzle, 0) == []


def test_a_node_limit_and_a_time_limit_stop_a_search_with_pencilmarks() -> None:
    shape = Shape.parse("9x9")
    puzzle = Puzzle(shape, (0,) * 81, (*(511,) * 80, 255))
    for kernel in ("auto", "houses"):
        backend = backend_of(f"native-jit[kernel={kernel},nodes=1]", shape)
        assert backend.solve(puzzle).status is Status.UNKNOWN
        assert not backend.count(puzzle, 5).exact
        backend = backend_of(f"native-jit[kernel={kernel}]", shape)
        backend.time_limit = 1e-9
        assert backend.solve(puzzle).status is Status.UNKNOWN
        backend.time_limit = None
        assert backend.count(puzzle, 1000).number == 1000


def test_native_uses_hidden_singles_of_pencilmarks_without_a_guess() -> None:
    # Value 4 has one place in the first row, no cell has one candidate.
    puzzle = Puzzle(FOUR, (0,) * 16, (7, 7, 7, 15, *EVERY[4:]))
    impossible = Puzzle(FOUR, (0,) * 16, (7, 7, 7, 7, *EVERY[4:]))
    native = backend_of("native", FOUR)
    assert native.solve(impossible).stats == {"nodes": 1, "guesses": 0}
    assert native.count(puzzle, 1000).number == 72


def test_the_backends_that_declare_pencilmarks_are_those_of_the_documentation() -> None:
    classes = {name: registry.load_class(name) for name in registry.names()}
    taking = {n for n, kind in classes.items() if Restriction.PENCILMARKS in kind.takes}
    with_pairs = {n for n, kind in classes.items() if Restriction.PAIRS in kind.takes}
    covers = {name for name, kind in classes.items() if issubclass(kind, CoverBackend)}
    articles = {spec.partition("[")[0] for spec in ARTICLES}
    assert taking == covers | articles | {*CORE, "reasoning"}
    assert with_pairs == taking | {"annealing"}
    assert {spec.partition("[")[0] for spec in SPECS} == taking


@pytest.mark.parametrize("backend", ["annealing", "py-sudoku"])
def test_a_backend_that_takes_no_pencilmarks_is_unsupported(backend: str) -> None:
    puzzle = Puzzle(Shape.parse("9x9"), (0,) * 81, (3, *(511,) * 80))
    calls = (harness.solve,) if backend == "annealing" else (harness.solve, harness.count)
    for call in calls:
        reply = call(puzzle, backend)
        assert str(reply.verdict) == "unsupported"
        assert f"{backend} does not take pencilmarks" in str(reply)


def test_a_batch_with_pencilmarks_is_unsupported() -> None:
    puzzle = Puzzle(FOUR, (0,) * 16, (3, *EVERY[1:]))
    reply = harness.solve(puzzle, "native", start="batch")
    assert str(reply.verdict) == "unsupported"
    assert "a batch has no pencilmarks" in str(reply)
