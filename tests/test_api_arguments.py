"""Arguments of the Python interface: one value or several, and errors for wrong types."""

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy
import pytest

import harness
from harness.puzzles.solution_count import SolutionCount

PROJECT = Path(__file__).resolve().parents[1]
PUZZLE = "1...........2..."
SHAPE = harness.Shape.parse("4x4")
QUESTION = harness.Question(harness.Task.SOLVE, 0, harness.Start.WARM, 9.0)


class Speechless:
    """A value that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


def numbers() -> Iterator[int]:
    yield 3


WRONG: dict[str, Callable[[], object]] = {
    "none": lambda: None,
    "flag": lambda: True,
    "numpy flag": lambda: numpy.bool_(True),
    "whole": lambda: -7,
    "huge": lambda: 2**70,
    "numpy whole": lambda: numpy.int64(-7),
    "float": lambda: -1.5,
    "nan": lambda: float("nan"),
    "infinite": lambda: float("-inf"),
    "numpy float": lambda: numpy.float64(-1.5),
    "complex": lambda: 1 + 2j,
    "fraction": lambda: Fraction(-1, 2),
    "text": lambda: "x" * 300,
    "surrogate": lambda: "\udcff",
    "path": lambda: Path("x"),
    "bytes": lambda: b"native",
    "bytearray": lambda: bytearray(b"native"),
    "memory": lambda: memoryview(b"native"),
    "empty list": list,
    "list of none": lambda: [None],
    "mixed list": lambda: ["native", 3],
    "list of bytes": lambda: [b"native"],
    "mixed tuple": lambda: ("solve", None),
    "set of numbers": lambda: {3},
    "dict": lambda: {"native": 1},
    "generator": numbers,
    "iterator": lambda: iter([None]),
    "range": lambda: range(3),
    "array": lambda: numpy.array([1, 2]),
    "array without dimension": lambda: numpy.array(-7),
    "slice": lambda: slice(3),
    "object": object,
    "speechless": Speechless,
    "class": lambda: harness.Puzzle,
    "function": lambda: len,
    "module": lambda: harness,
}
"""Values of types that most arguments do not take."""

TEXT = {"text", "surrogate"}
PATH = {*TEXT, "path"}
NUMBER = {"huge"}
WHOLE = {"range", "array", "set of numbers", "generator", "bytes", "memory"}
ARRAYS = {"mixed list", "bytes", "memory", "array", "list of none", "list of bytes"}


def limits(*names: str) -> dict[str, tuple[object, set[str]]]:
    """Limits with valid values; a huge limit on time or solutions is valid."""
    valid = {"max_solutions": 3, "timeout": 9.0, "cpu": 0.0, "memory": 0}
    return {name: (valid[name], NUMBER if name != "memory" else set()) for name in names}


SHAPE_ARGUMENT: dict[str, tuple[object, set[str]]] = {"shape": (None, {"none", *TEXT})}
SOLVE: dict[str, tuple[object, set[str]]] = {
    # Lists are puzzles with wrong cells, which have errors of their own.
    "puzzle": (PUZZLE, {*TEXT, *ARRAYS, "empty list", "mixed tuple", "dict"}),
    "backend": ("native", PATH),
    "start": ("cold", set()),
    "symbols": (None, {"none", *TEXT}),
    **SHAPE_ARGUMENT,
}

Arguments = Mapping[str, tuple[object, set[str]]]
"""A valid value of each argument, and the values of `WRONG` that are of a valid type."""

FUNCTIONS: dict[str, tuple[Callable[..., object], Arguments]] = {
    "solve": (harness.solve, SOLVE | limits("timeout", "cpu", "memory")),
    "count": (harness.count, SOLVE | limits("max_solutions", "timeout", "cpu", "memory")),
    "run": (
        harness.run,
        {
            "datasets": ("seeds", PATH),
            "backends": ("native", PATH),
            "tasks": ("solve", set()),
            "starts": ("cold", set()),
            "repeat": (1, set()),
            "processes": (1, set()),
            "until_stable": (0, set()),
            "seed": (0, {"whole", "huge", "numpy whole", "array without dimension"}),
            "where": (None, {"none", *TEXT}),
            "sample": (None, {"none", *NUMBER}),
            "scramble": (0, {"whole", "huge", "numpy whole", "array without dimension", *WHOLE}),
            "out": (PROJECT / "build" / "never", {"none", *PATH}),
            "jobs": (1, set()),
            "fresh": (False, {"flag", "numpy flag"}),
            "skip_unavailable": (False, {"flag", "numpy flag"}),
            "oversubscribe": (False, {"flag", "numpy flag"}),
            **SHAPE_ARGUMENT,
            **limits("max_solutions", "timeout", "cpu", "memory"),
        },
    ),
    "load": (harness.load, {"folder": (PROJECT / "results" / "reference", PATH)}),
    "load_dataset": (harness.load_dataset, {"name_or_path": ("seeds", PATH), **SHAPE_ARGUMENT}),
    "parse_puzzle": (
        harness.parse_puzzle,
        {"text": (PUZZLE, TEXT), **SHAPE_ARGUMENT, "symbols": (None, {"none", *TEXT})},
    ),
    "Session": (
        harness.Session,
        {"warm_up": (True, {"flag", "numpy flag"}), "notice": (print, {"class", "function"})},
    ),
    "Session.ask": (
        harness.Session().ask,
        {
            "puzzle": SOLVE["puzzle"],
            "backends": ("native", PATH),
            "question": (QUESTION, set()),
            "expected_count": (SolutionCount.from_number(3), {"none"}),
        },
    ),
    "Shape.parse": (harness.Shape.parse, {"spec": ("4x4", TEXT)}),
    "Puzzle": (
        harness.Puzzle,
        {
            "shape": (SHAPE, set()),
            "givens": ((0,) * 16, set()),
            "pencilmarks": ((15,) * 16, {"none"}),
        },
    ),
    "Puzzle.from_rows": (
        harness.Puzzle.from_rows,
        {"rows": ([[0] * 4] * 4, set()), **SHAPE_ARGUMENT},
    ),
    "Puzzle.from_cells": (
        harness.Puzzle.from_cells,
        {"cells": ({"A1": 1}, {"dict"}), "shape": (SHAPE, {"none", *TEXT})},
    ),
    "Question": (
        harness.Question,
        {
            "task": (harness.Task.COUNT, set()),
            "limit": (3, NUMBER),
            "start": (harness.Start.COLD, set()),
            "timeout_s": (9.0, NUMBER),
            "cpu_limit_s": (0.0, NUMBER),
            "memory_limit_mib": (0, set()),
        },
    ),
}
LISTS_OF_VALUES = {"Puzzle.givens", "Puzzle.pencilmarks", "Puzzle.from_rows.rows"}
"""Arguments whose lists have errors of their own, about their items."""


@pytest.mark.parametrize("called", FUNCTIONS)
def test_every_argument_of_a_function_is_in_the_table(called: str) -> None:
    function, arguments = FUNCTIONS[called]
    parameters = inspect.signature(function).parameters.values()
    names = {p.name for p in parameters if p.kind is not p.VAR_POSITIONAL}
    assert names == set(arguments)


def test_every_public_function_is_in_the_table() -> None:
    public = {name for name in harness.__all__ if inspect.isfunction(getattr(harness, name))}
    assert public <= set(FUNCTIONS)


def error_of(call: Callable[[], object]) -> harness.InputError | None:
    """The input error of a call; None if it raises none."""
    try:
        call()
    except harness.InputError as error:
        return error
    return None


@pytest.mark.parametrize("called", FUNCTIONS)
def test_a_wrong_type_is_an_input_error_with_argument_value_and_expectation(called: str) -> None:
    check_refusals(called, *FUNCTIONS[called])


def check_refusals(called: str, function: Callable[..., object], arguments: Arguments) -> None:
    """Call a function with each argument of each wrong type."""
    valid = {name: value for name, (value, _) in arguments.items()}
    for (name, (_, of_valid_type)), kind in itertools.product(arguments.items(), WRONG):
        if kind in of_valid_type:
            continue
        wrong = valid | {name: WRONG[kind]()}
        error = error_of(lambda wrong=wrong: function(**wrong))  # type: ignore[misc]
        assert error is not None, (name, kind)
        if f"{called}.{name}" in LISTS_OF_VALUES and kind in {*ARRAYS, "empty list", "mixed tuple"}:
            continue
        assert error.where == name, kind
        assert error.expected, (name, kind)
        assert error.what == "none given" or error.what.startswith("invalid value ")
        assert len(str(error)) < 400


def test_a_limit_is_checked_however_it_is_wrong() -> None:
    for name, value in (("timeout", 0), ("cpu", -1), ("memory", 2**60), ("max_solutions", 0)):
        with pytest.raises(harness.OptionError) as error:
            harness.count(PUZZLE, **{name: value})  # type: ignore[arg-type]
        assert error.value.where == name
        assert repr(value) in error.value.what or "..." in error.value.what


@pytest.fixture(scope="module")
def run() -> harness.Run:
    return harness.load(PROJECT / "results" / "reference")


@pytest.mark.parametrize("kind", WRONG)
def test_methods_of_a_run_check_their_arguments(run: harness.Run, kind: str) -> None:
    value: Any = WRONG[kind]()
    calls: dict[str, Callable[[], object]] = {
        "measure": lambda: run.measure(value),
        "after": lambda: run.compare(value),
        "across_machines": lambda: run.compare(run, across_machines=value),
        "time": lambda: run.timed(value),
        "backends": lambda: run.cactus(value),
        "least_factor": lambda: run.deciding_by(value),
    }
    if kind in TEXT:
        del calls["measure"]  # a text that is not the name of a measure
    if kind in ("flag", "numpy flag"):
        del calls["across_machines"]
    if kind == "none":
        del calls["backends"]
    for name, call in calls.items():
        with pytest.raises(harness.InputError) as error:
            call()
        assert (error.value.where, bool(error.value.expected)) == (name, True)


def test_curves_are_drawn_of_one_backend_or_several(run: harness.Run) -> None:
    for curve in (run.cactus, run.performance_profile):
        assert set(curve("cnf")["backend"]) == {"cnf"}
        assert set(curve(name for name in ("cnf", "milp"))["backend"]) == {"cnf", "milp"}  # type: ignore[arg-type]


SEVERAL: dict[str, Callable[[str], object]] = {
    "one": lambda text: text,
    "list": lambda text: [text],
    "tuple": lambda text: (text,),
    "set": lambda text: {text},
    "generator": lambda text: (word for word in [text]),
    "keys": lambda text: {text: 0}.keys(),
    "array": lambda text: numpy.array([text]),
    "numpy text": lambda text: numpy.str_(text),
    "twice": lambda text: [text, text],
}


@pytest.mark.parametrize("form", SEVERAL)
def test_a_sweep_takes_one_value_or_several_for_every_list(form: str) -> None:
    make: Any = harness.Sweep
    several = SEVERAL[form]
    sweep = make(several("named"), several("native"), several("count"), starts=several("warm"))
    assert sweep == harness.Sweep(
        ("named",), ("native",), (harness.Task.COUNT,), starts=(harness.Start.WARM,)
    )
    assert [type(name) for name in (*sweep.datasets, *sweep.backends)] == [str, str]


def test_files_are_given_as_paths(tmp_path: Path) -> None:
    puzzles, backend = tmp_path / "puzzles.txt", tmp_path / "own.py"
    puzzles.write_text(f"{PUZZLE}\n")
    backend.write_text("from backends.native import Native\nclass Own(Native):\n    name = 'own'\n")
    run = harness.run(puzzles, [backend, "native"], out=str(tmp_path / "run"), jobs=numpy.int64(1))  # type: ignore[arg-type]
    assert run.backends == ("native", "own")
    assert harness.solve(PUZZLE, backend).backend == "own"
    assert len(harness.load_dataset(puzzles, "4x4").instances) == 1
