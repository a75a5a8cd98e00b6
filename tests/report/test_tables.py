"""Tables of a run in text, Markdown and CSV."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.report import tables
from harness.report.tables.contents import ALL, group_title
from tests.trials import trials_from


def run_of(*rows: dict[str, Any]) -> Run:
    solved = {"name": "p", "verdict": "solved", "solution": "1234341221434321"}
    full = [{"puzzle_id": row["p"]} | row for row in rows]
    return Run(Path(), trials_from(full, **solved))


def times(backend: str, *seconds: float) -> list[dict[str, Any]]:
    return [{"backend": backend, "p": f"p{n}", "wall_s": s} for n, s in enumerate(seconds)]


@pytest.fixture
def mixed() -> Run:
    """A backend that is right, a slower one with a timeout, and a fast one that is wrong."""
    late = {"verdict": "timeout", "solution": None, "wall_s": 10.0, "backend": "cpsat", "p": "p2"}
    wrong = {"verdict": "wrong", "reason": "R1C1 is 2", "backend": "a/b/own.py:Mine[depth=3]"}
    return run_of(
        *times("native", 0.001, 0.002, 0.003),
        *times("cpsat", 0.1, 0.2),
        late,
        *[row | wrong for row in times("", 1e-6, 1e-6, 1e-6)],
    )


def test_the_terminal_shows_each_comparison_group_in_80_columns(mixed: Run) -> None:
    shown = tables.text(mixed)
    lines = shown.splitlines()
    assert lines[0] == (
        "d: solve, cold start, wall time, limit 10 s, 3 instances, 3 backends, 9 trials"
    )
    assert lines[1].split() == [
        *("backend", "solved", "unsat", "timeout", "wrong"),
        *("median", "mean", "p95", "total", "PAR-2", "ratio"),
    ]
    assert max(len(line) for line in lines if "harness " not in line) <= 80
    rows = [line.split() for line in shown.splitlines() if line.startswith(("native", "cpsat"))]
    assert rows[0] == [
        *("native", "3", "0", "0", "0", "2.00ms", "2.00ms", "2.90ms", "6.00ms", "2.00ms", "1.00x")
    ]
    assert rows[1] == [
        *("cpsat", "2", "0", "1", "0", "200ms", ">3.43s", ">9.02s", ">10.3s", "6.77s", "3383x")
    ]


def test_a_wrong_backend_is_last_has_no_ratio_and_is_named(mixed: Run) -> None:
    shown = tables.text(mixed)
    assert "own.py:Mine[depth=3], solve: wrong: R1C1 is 2" in shown
    assert "DISAGREEMENT on 3 of 3" in shown
    assert "cpsat: no answer in 1 trial (1 timeout)" in shown
    table = pd.DataFrame(mixed.summary())
    assert list(table["backend"])[-1] == "a/b/own.py:Mine[depth=3]"
    assert "\n> " in shown


def test_without_a_common_instance_no_order_and_no_missing_ratio_is_explained() -> None:
    first = [row | {"backend": "a"} for row in times("", 0.1, 0.2)]
    second = [row | {"backend": "b", "p": f"q{row['p']}"} for row in times("", 0.1, 0.2)]
    for shown in (tables.text(run_of(*first, *second), names=ALL), tables.text(run_of(*first))):
        assert "depends on the shift" not in shown
        assert "missing for a backend with a wrong answer" not in shown


def test_a_wrong_answer_outside_the_common_instances_explains_a_missing_ratio() -> None:
    lie = {"verdict": "wrong", "reason": "R1C1 is 2", "backend": "b", "p": "p9"}
    shown = tables.text(run_of(*times("a", 0.1), *times("b", 0.1), times("b", 0.1)[0] | lie))
    assert "missing for a backend with a wrong answer" in shown


def test_no_limit_is_shown_as_none() -> None:
    """0 stands for no limit, and is no limit of 0 s or 0 MiB."""
    limits = {"cpu_limit_s": 0.1, "memory_limit_mib": 512}
    rows = times("a", 0.01, 0.02)
    other = [row | {"timeout_s": 20.0} for row in rows]
    run = run_of(*rows, *other, *(row | limits for row in rows))
    table = tables.text(run, 120, names=["survival"])
    values = [line.split() for line in table.splitlines() if line.split()[4:5] == ["a"]]
    assert [line[2:5] for line in values] == [["none", "none", "a"], ["100ms", "512", "a"]]
    assert list(run.measure("survival")["cpu_limit_s"]) == [0.0, 0.1]


def test_markdown_has_every_verdict_that_occurs(mixed: Run) -> None:
    lines = tables.markdown(mixed).splitlines()
    assert lines[0].startswith("## d: solve")
    assert lines[2].startswith("| backend | solved | unsatisfiable | timeout | wrong | median |")
    assert lines[4].startswith("| native | 3 | 0 | 0 | 0 | 2.00ms |")
    assert {line.count("|") for line in lines[2:7]} == {12}


def test_a_hostile_name_is_escaped_in_markdown() -> None:
    run = run_of(*times("a|b<script>\nx", 0.1))
    row, note = [line for line in tables.markdown(run).splitlines() if "script" in line]
    assert row.startswith("| a\\|b&lt;script> x |")
    assert "nothing compared: only a\\|b&lt;script> x answered" in note


def test_markup_in_a_name_is_shown_as_it_is() -> None:
    run = run_of(*times("cnf[solver=glucose4]", 0.1), *times("x[red]", 0.2))
    shown = tables.text(run, width=120)
    assert "cnf[solver=glucose4]" in shown
    assert "x[red]" in shown


def test_a_backend_from_a_file_is_shown_without_its_folder() -> None:
    fast, slow = [0.001 * n for n in range(1, 9)], [0.002 * n for n in range(1, 9)]
    mine, other = "/home/me/mysolver.py:MySolver", "/home/me/a.toml"
    run = run_of(*times(mine, *fast), *times(other, *slow))
    for shown in (
        tables.text(run, names=ALL),
        tables.markdown(run, ALL),
        tables.latex_document(run, ALL),
    ):
        assert "/home/me" not in shown
    assert "| mysolver.py:MySolver |" in tables.markdown(run)
    assert "\n(1) mysolver.py:MySolver\n" in tables.text(run)


def test_the_csv_has_unrounded_values(mixed: Run) -> None:
    from io import StringIO

    table = pd.read_csv(StringIO(tables.csv(mixed)))
    assert table["median_s"][0] == 0.002
    assert table["ratio"].isna().tolist() == [False, False, True]
    assert list(table["timeout"]) == [0, 1, 0]


def test_five_disagreements_are_shown_and_the_rest_is_counted() -> None:
    wrong = [row | {"verdict": "wrong"} for row in times("bad", *[0.1] * 8)]
    shown = tables.text(run_of(*times("good", *[0.1] * 8), *wrong))
    assert shown.count("again: harness solve") == 5
    assert "... and 3 more disagreements" in shown


@pytest.mark.parametrize(
    ("time", "cpu_limit_s", "limits"),
    [
        ("wall", 0.0, "wall time, limit 2 s"),
        ("wall", 5.0, "wall time, limit 2 s, CPU time limit 5 s"),
        ("cpu", 0.0, "CPU time, limit 2 s"),
        ("cpu", 5.0, "CPU time, limit 5 s, wall time limit 2 s"),
    ],
)
def test_the_title_of_a_group_has_its_time_and_the_limit_that_failures_count_as(
    time: str, cpu_limit_s: float, limits: str
) -> None:
    key: dict[str, Any] = {
        "dataset": "d",
        "scramble": "",
        "task": "solve",
        "limit": None,
        "start": "cold",
        "time": time,
    }
    key |= {"timeout_s": 2.0, "cpu_limit_s": cpu_limit_s, "memory_limit_mib": 0, "host": "h"}
    assert group_title(key, None, with_host=False) == f"d: solve, cold start, {limits}"
    scrambled = group_title(key | {"scramble": "7"}, None, with_host=False)
    assert scrambled == f"d: solve, cold start, scramble 7, {limits}"
