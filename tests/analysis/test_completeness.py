"""What a run lacks of its plan, and why."""

import platform
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.completeness import (
    COMPLETENESS,
    RunEnding,
    RunState,
    completeness,
    ending_of,
    of_run,
    planned_trials,
)
from harness.analysis.run import Run
from harness.records.folder.environment import Invocation, InvocationEnd, SystemInfo
from harness.report.jsonable import plain
from tests.trials import Trials, trials_from

HERE = SystemInfo(host=platform.node())


def planned_row(backend: str, number: int, dataset: str = "d", **more: Any) -> tuple[Any, ...]:
    values: dict[str, Any] = {"options": "{}", "versions": "{}", "task": "solve", "scramble": ""}
    values |= {"limit": None, "start": "cold"}
    values |= {"timeout_s": 10.0, "cpu_limit_s": 0.0, "memory_limit_mib": 0, "host": "here"} | more
    order = ("task", "limit", "start", "timeout_s", "cpu_limit_s", "memory_limit_mib", "host")
    identity = (backend, values["options"], values["versions"], dataset, values["scramble"])
    return (*identity, *(values[name] for name in order), number)


def trials_of_backend(backend: str, number: int, **more: Any) -> list[dict[str, Any]]:
    columns = {"options": "{}", "versions": "{}", "host": "here", "wall_s": 1.0} | more
    return [
        {"backend": backend, "puzzle_id": f"p{n}", "verdict": "solved"} | columns
        for n in range(number)
    ]


def numbers(run: Run) -> dict[str, tuple[int, int]]:
    rows = run.progress.table.to_dict("records")
    return {row["backend"]: (row["done"], row["planned"]) for row in rows}


def run_of(trials: pd.DataFrame, rows: list[tuple[Any, ...]], *endings: RunEnding) -> Run:
    return Run(Path(), trials, planned=planned_trials(rows, trials), endings=endings)


FINISHED = RunEnding(RunState.FINISHED, "", "2026-01-02T03:04:05+00:00")


def test_a_run_with_all_its_trials_is_finished() -> None:
    trials = trials_from([*trials_of_backend("a", 3), *trials_of_backend("b", 3)])
    run = run_of(trials, [planned_row("a", 3), planned_row("b", 3)], FINISHED)
    assert (run.progress.finished, run.progress.headline) == (True, "")
    assert (run.progress.done, run.progress.planned, run.progress.missing) == (6, 6, 0)
    assert run.completeness()["missing"].tolist() == [0, 0]


def test_missing_trials_are_counted_for_each_configuration() -> None:
    trials = trials_from(
        [
            *trials_of_backend("a", 3),
            *trials_of_backend("b", 1),
            *trials_of_backend("b", 2, dataset="e"),
        ]
    )
    rows = [planned_row(b, 3, d) for b in ("a", "b", "c") for d in ("d", "e")]
    ending = RunEnding(RunState.INTERRUPTED, "Ctrl-C", "2026-01-02T03:04:05+00:00")
    run = run_of(trials, rows, ending)
    assert numbers(run) == {"a": (3, 6), "b": (3, 6), "c": (0, 6)}
    assert run.progress.finished is False
    assert run.progress.headline == (
        "UNFINISHED RUN: 6 of 18 planned trials, interrupted (Ctrl-C) at 2026-01-02 03:04 UTC"
    )
    table = run.completeness().set_index(["dataset", "backend"])
    assert table["missing"].to_dict() == {
        ("d", "a"): 0,
        ("d", "b"): 2,
        ("d", "c"): 3,
        ("e", "a"): 3,
        ("e", "b"): 1,
        ("e", "c"): 3,
    }


def test_configurations_of_one_label_are_apart() -> None:
    old, new = '{"x": 1}', '{"x": 2}'
    trials = trials_from(
        [
            *trials_of_backend("cpsat#1", 2, options=old),
            *trials_of_backend("cpsat#2", 1, options=new),
        ]
    )
    third = '{"x": 3}'
    rows = [planned_row("cpsat", 4, options=o) for o in (old, new, third)]
    assert numbers(run_of(trials, rows, FINISHED)) == {
        "cpsat#1": (2, 4),
        "cpsat#2": (1, 4),
        "cpsat#3": (0, 4),
    }
    alone = trials_from(trials_of_backend("cpsat", 2, options=new))
    assert numbers(run_of(alone, rows[1:], FINISHED)) == {"cpsat": (2, 4), "cpsat#2": (0, 4)}


def test_missing_trials_of_an_earlier_command_leave_a_run_unfinished() -> None:
    run = run_of(trials_from(trials_of_backend("a", 2)), [planned_row("a", 3)], FINISHED)
    assert run.progress.state is RunState.INCOMPLETE
    assert run.progress.finished is False


def test_trials_without_a_plan_are_neither_finished_nor_unfinished(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [1.0]}))
    assert run.progress.finished is None
    assert (run.progress.planned, run.progress.headline) == (None, "")
    assert run.completeness()["planned"].isna().all()
    assert not COMPLETENESS.applies(run.completeness())


def test_machines_that_count_as_one_have_one_plan() -> None:
    trials = trials_from([*trials_of_backend("a", 2), *trials_of_backend("a", 3, host="there")])
    rows = [planned_row("a", 3), planned_row("a", 3, host="there")]
    run = run_of(trials, rows, FINISHED)
    assert run.completeness()["missing"].tolist() == [1, 0]
    assert run.across_machines().completeness()["missing"].tolist() == [1]
    assert numbers(run.across_machines()) == {"a": (5, 6)}


def invocation(**more: Any) -> Invocation:
    return Invocation(started_at="2026-01-02T03:00:00+00:00", system=HERE, **more)


@pytest.mark.parametrize(
    ("last", "is_locked", "state", "fact"),
    [
        (invocation(end=InvocationEnd.FINISHED, ended_at="x"), False, RunState.FINISHED, ""),
        (invocation(end=InvocationEnd.FINISHED, ended_at="x"), None, RunState.FINISHED, ""),
        (
            invocation(end=InvocationEnd.INTERRUPTED, end_reason="SIGTERM", ended_at="x"),
            *(False, RunState.INTERRUPTED, "SIGTERM"),
        ),
        (
            invocation(end=InvocationEnd.STOPPED, end_reason="ValueError: x", ended_at="x"),
            *(False, RunState.STOPPED, "ValueError: x"),
        ),
        (invocation(), True, RunState.GOING_ON, ""),
        (invocation(), False, RunState.KILLED, "no end"),
        (invocation(), None, RunState.NO_END, "cannot be seen here"),
        (
            Invocation(started_at="2026", system=SystemInfo(host="elsewhere")),
            *(False, RunState.NO_END, "only on elsewhere"),
        ),
        (invocation(ended_at="x"), False, RunState.UNRECORDED, "earlier version"),
        (Invocation(), None, RunState.UNRECORDED, "earlier version"),
    ],
)
def test_the_end_of_a_run_follows_from_its_record_and_its_lock(
    last: Invocation, is_locked: bool | None, state: RunState, fact: str
) -> None:
    ending = ending_of([invocation(end=InvocationEnd.FINISHED), last], is_locked=is_locked)
    assert ending.state is state
    assert fact in ending.reason


def test_of_several_folders_the_worst_end_counts() -> None:
    trials = trials_from(trials_of_backend("a", 3))
    endings = [FINISHED, RunEnding(RunState.KILLED), RunEnding(RunState.INTERRUPTED)]
    table = completeness(planned_trials([planned_row("a", 3)], trials), trials)
    assert of_run(table, endings, []).state is RunState.KILLED
    assert of_run(table, [FINISHED, FINISHED], []).state is RunState.FINISHED
    assert of_run(table, [], []).state is RunState.UNRECORDED


def test_a_backend_that_was_left_out_is_named_until_it_runs() -> None:
    trials = trials_from(trials_of_backend("a", 1))
    table = completeness(planned_trials([planned_row("a", 1)], trials), trials)
    invocations = [invocation(left_out={"z3": "not installed", "a": "not installed"})]
    assert of_run(table, [FINISHED], invocations).left_out == {"z3": "not installed"}


def test_the_state_of_a_run_as_data() -> None:
    trials = trials_from(trials_of_backend("a", 2))
    ending = RunEnding(RunState.STOPPED, "StorageError: full")
    run = run_of(trials, [planned_row("a", 3), planned_row("b", 3)], ending)
    assert plain(run.progress) == {
        "finished": False,
        "state": "stopped by an error",
        "reason": "StorageError: full",
        "ended_at": None,
        "done": 2,
        "planned": 6,
        "configurations": {"a": {"done": 2, "planned": 3}, "b": {"done": 0, "planned": 3}},
        "left_out": {},
    }


def test_a_notebook_shows_what_an_unfinished_run_lacks() -> None:
    trials = trials_from(trials_of_backend("a", 2))
    run = run_of(trials, [planned_row("a", 3)], RunEnding(RunState.STOPPED, "<b>"))
    assert "UNFINISHED RUN: 2 of 3 planned trials, stopped by an error (&lt;b&gt;)" in (
        run._repr_html_()
    )
