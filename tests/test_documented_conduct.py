"""Promises of the documentation about runs and backends that no other test checks."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import harness
from harness.puzzles import Shape
from harness.puzzles.patterns import pattern_puzzle
from harness.records.folder.files import RunFile

HEAVY = [pytest.param(name, marks=pytest.mark.long) for name in ("cpsat", "milp")]


@pytest.mark.parametrize("shape", ["4x4", "36x36"])
@pytest.mark.parametrize("backend", ["native", "cnf", *HEAVY])
def test_core_backends_solve_and_count_the_smallest_and_the_largest_shapes(
    backend: str, shape: str
) -> None:
    puzzle = pattern_puzzle(Shape.parse(shape), 5)
    assert harness.solve(puzzle, backend, timeout=60).verdict is harness.Verdict.SOLVED
    reply = harness.count(puzzle, backend, max_solutions=2, timeout=60)
    assert (reply.count, reply.exact) == (1, True)


def test_native_proves_the_impossible_puzzle_with_few_nodes() -> None:
    instances = {instance.name: instance for instance in harness.load_dataset("named").instances}
    reply = harness.solve(instances["norvig_impossible"].puzzle, "native")
    assert reply.verdict is harness.Verdict.UNSATISFIABLE
    # Plain fewest-candidates-first needs millions of nodes.
    assert reply.stats["nodes"] < 100


def test_a_call_has_no_garbage_collection_and_one_thread(a_backend: Callable[..., str]) -> None:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    threads = ", ".join(f"'{name}': int(os.environ['{name}'])" for name in names)
    spec = a_backend(
        f"return Answer.unknown(stats={{'collects': int(gc.isenabled()), {threads}}})",
        top="import gc",
    )
    reply = harness.solve("1...............", spec)
    assert reply.stats == {"collects": 0, **dict.fromkeys(names, 1)}


def test_the_warm_up_is_an_event_and_no_trial(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    spec = a_backend("return Answer.unknown()")
    (tmp_path / "puzzle.txt").write_text("1...............\n")
    run = harness.run([str(tmp_path / "puzzle.txt")], [spec], out=tmp_path / "run")
    assert len(run.trials) == 1
    with closing(sqlite3.connect(tmp_path / "run" / RunFile.STORE)) as db:
        kinds = [json.dumps(row) for row in db.execute("SELECT * FROM events")]
    assert any("warm" in kind for kind in kinds), kinds
