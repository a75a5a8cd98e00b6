"""A run: its measures are computed once and returned as copies."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.measures.measure import MEASURES
from harness.analysis.run import Run
from harness.base.errors import InputError
from harness.records.folder.environment import DatasetDigest, Invocation
from tests.trials import Trials


def test_a_change_of_a_frame_changes_no_other(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [1.0], "b": [2.0]}))
    for measure in MEASURES.values():
        first = run.measure(measure)
        original = first.copy()
        first[first.columns[0]] = None
        pd.testing.assert_frame_equal(run.measure(measure), original)


def test_a_measure_is_computed_by_its_name_or_its_method(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [1.0], "b": [2.0]}))
    methods = set()
    for name in MEASURES:
        if method := getattr(run, name.replace("-", "_"), None):
            methods.add(name)
            pd.testing.assert_frame_equal(method(), run.measure(name))
    assert {"summary", "ranks", "pairwise", "by-difficulty", "pooled", "failures"} <= methods
    with pytest.raises(InputError):
        run.measure("pairwize")


def test_machines_that_are_joined_are_named(trials_of: Trials) -> None:
    trials = pd.concat([trials_of({"a": [1.0]}), trials_of({"b": [2.0]}, host="there")])
    run = Run(Path(), trials)
    assert (run.hosts, run.joint_hosts) == (("here", "there"), ())
    whole = run.across_machines()
    assert (whole.hosts, whole.joint_hosts) == (("here + there",), ("here", "there"))
    assert len(whole.pairwise()) == 1
    alone = Run(Path(), run.trials[run.trials["host"] == "here"])
    assert alone.across_machines().joint_hosts == ()


def test_a_notebook_shows_the_summary_with_names_escaped(trials_of: Trials) -> None:
    text = Run(Path(), trials_of({"<script>": [1.0]}))._repr_html_()
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    header = text[text.index("<tr") : text.index("</tr>")]
    assert "<th></th>" not in header, "a column of row numbers"
    for backends in (50, 51):
        run = Run(Path(), trials_of({f"b{number:02}": [1.0] for number in range(backends)}))
        assert ("<td>...</td>" in run._repr_html_()) == (backends > 50)


def test_the_command_line_starts_without_pandas_and_scipy() -> None:
    code = "import harness.cli, sys; print({'pandas', 'scipy', 'numpy'} & set(sys.modules))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout == "set()\n", process.stderr


def test_tables_are_made_without_the_functions_of_scipy_and_the_reasoning() -> None:
    slow_modules = "('scipy.special', 'harness.extensions.reasoning')"
    modules = f"[name for name in sys.modules if name.startswith({slow_modules})]"
    code = f"import harness.analysis, harness.report.tables, sys; print({modules})"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout == "[]\n", process.stderr


def digests(**numbers: tuple[int, int, int]) -> Invocation:
    """A command that read these datasets: their puzzles, duplicates, and puzzles left out."""
    return Invocation(
        datasets={k: DatasetDigest(n, "", *rest) for k, (n, *rest) in numbers.items()}
    )


def test_duplicates_and_exclusions_are_those_of_the_command_with_the_most(
    trials_of: Trials,
) -> None:
    run = Run(Path(), trials_of({"a": [1.0]}))
    vars(run)["invocations"] = [  # in place of those that a file records
        digests(d=(3, 1, 6), e=(3, 0, 5)),
        digests(d=(9, 4, 0), f=(2, 2, 0), e=(4, 0, 4)),
        digests(d=(1, 0, 0)),
    ]
    assert run.repeats == {"d": 4, "f": 2}
    # The second command read all of `d`; no command read all of `e`.
    assert run.excluded == {"e": 5}
