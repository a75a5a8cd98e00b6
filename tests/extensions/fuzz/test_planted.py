"""The planted faults show in their least known cases, and hardly anywhere else."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.contract import Answer, Backend, Count, Status, registry
from harness.contract.options import parse_options
from harness.puzzles import Puzzle, Shape
from tests.backends.oracle import is_solution
from tests.extensions.conformance.planted import planted
from tests.extensions.fuzz.planted import classes
from tests.extensions.fuzz.planted.table import PLANTED, Call, Kind, Planted, Task

HERE = Path(__file__).parent
ORDINARY = (
    ("4x4", "1...............", 1),
    ("4x4", "12..34..2.......", 1),
    ("4x4", "11..............", 0),
    ("9x9", "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79", 1),
)


def settings(defect: Planted) -> tuple[tuple[str, str], ...]:
    pairs = (setting.partition("=") for setting in defect.options.split(",") if setting)
    return tuple((name, value) for name, _, value in pairs)


class Calls:
    """Makes calls of a backend, one object for each shape."""

    def __init__(self, kind: type[Backend[Any]], defect: Planted) -> None:
        self.kind = kind
        self.options = parse_options(kind.options_type, settings(defect), kind.name)
        kind.load(self.options)
        self.made: dict[str, Backend[Any]] = {}

    def answer(self, call: Call) -> Answer | Count:
        """The answer to the last repetition of the call, in a batch to its last row."""
        puzzle = call.parsed
        if call.shape not in self.made:
            self.made[call.shape] = self.kind(puzzle.shape, self.options)
        backend = self.made[call.shape]
        for _ in range(call.times - 1):
            self.once(backend, call, puzzle)
        return self.once(backend, call, puzzle)

    def once(self, backend: Backend[Any], call: Call, puzzle: Puzzle) -> Answer | Count:
        if call.task is Task.SOLVE:
            return backend.solve(puzzle)
        if call.task is Task.COUNT:
            return backend.count(puzzle, call.limit)
        rows = [Puzzle.of_line(call.row, puzzle.shape).givens] * call.rows
        batch = np.array([*rows, puzzle.givens], np.uint8)
        if call.task is Task.SOLVE_MANY:
            many = backend.solve_many(batch)
            grid = tuple(many.grids[-1].tolist())
            return Answer(many.statuses[-1], grid if any(grid) else None)
        counts = backend.count_many(batch, call.limit)
        witness = tuple(counts.witnesses[-1].tolist())
        number, exact = int(counts.numbers[-1]), bool(counts.exact[-1])
        return Count(number, exact, witness if any(witness) else None)


def is_right(answer: Answer | Count, call: Call, solutions: int) -> bool:
    puzzle = call.parsed
    if isinstance(answer, Answer):
        if answer.status is Status.UNSATISFIABLE:
            return not solutions
        return answer.grid is None or is_solution(answer.grid, puzzle)
    if (answer.number, answer.exact) != (solutions, solutions < call.limit):
        return False
    return answer.witness is None or is_solution(answer.witness, puzzle)


def last_answer(kind: type[Backend[Any]], defect: Planted) -> Answer | Count:
    calls = Calls(kind, defect)
    *_, answer = map(calls.answer, defect.case)
    return answer


def planted_class(defect: Planted) -> type[Backend[Any]]:
    if defect.requires and find_spec(defect.requires.replace("-", "_")) is None:
        pytest.skip(f"{defect.requires} is not installed")
    kind: type[Backend[Any]] = getattr(
        import_module(f"tests.extensions.fuzz.planted.{defect.file}"), defect.name
    )
    return kind


EACH_DETERMINISTIC = pytest.mark.parametrize(
    "defect",
    [
        pytest.param(each, marks=[pytest.mark.long] * each.compiles, id=each.name)
        for each in PLANTED
        if not each.by_chance
    ],
)


@EACH_DETERMINISTIC
def test_the_fault_shows_in_the_last_answer_of_its_case(defect: Planted) -> None:
    answer = last_answer(planted_class(defect), defect)
    assert not is_right(answer, defect.case[-1], defect.right), answer


@pytest.mark.long
@pytest.mark.parametrize("defect", [each for each in PLANTED if each.by_chance], ids=str)
def test_a_fault_by_chance_shows_in_twenty_thousand_calls(defect: Planted) -> None:
    calls, (call,) = Calls(planted_class(defect), defect), defect.case
    answers = (calls.answer(call) for _ in range(20_000))
    assert not all(is_right(answer, call, defect.right) for answer in answers)


@pytest.mark.long
@pytest.mark.parametrize("defect", PLANTED, ids=str)
def test_the_backend_without_the_fault_is_right(defect: Planted) -> None:
    planted_class(defect)
    answer = last_answer(registry.load_class(defect.backend), defect)
    assert is_right(answer, defect.case[-1], defect.right)


@EACH_DETERMINISTIC
def test_the_backend_with_the_fault_is_right_elsewhere(defect: Planted) -> None:
    calls = Calls(planted_class(defect), defect)
    right = [
        is_right(calls.answer(Call(shape, puzzle)), Call(shape, puzzle), solutions)
        for shape, puzzle, solutions in ORDINARY
    ]
    assert any(right)
    assert (defect.rate is not None and defect.rate > 0.1) or sum(right) >= 3


def test_the_table_has_every_class() -> None:
    backends = {kind.__name__ for kind in planted(classes)} - {"OtherKernel"}
    assert {defect.name for defect in PLANTED if not defect.edits} == backends


def test_there_are_at_least_80_faults_of_all_kinds_in_all_core_backends() -> None:
    assert len({defect.name for defect in PLANTED}) >= 80
    assert {defect.kind for defect in PLANTED} == set(Kind)
    core = {"cnf", "cpsat", "milp", "native", "native-jit", "dlx"}
    assert core <= {defect.backend for defect in PLANTED}


@pytest.mark.parametrize("file", ["classes", "edits"])
def test_a_spec_loads_the_classes_of_a_file(file: str) -> None:
    defect = next(each for each in PLANTED if each.file == file)
    path = HERE / "planted" / f"{file}.py"
    kind, options = registry.load_backend(f"{path}:{defect.name}", settings(defect))
    assert kind.name == defect.backend
    kind(Shape.parse("4x4"), options)
