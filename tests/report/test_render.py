"""One table in four formats: complete, and safe with hostile names."""

import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from rich.cells import cell_len

from harness.analysis.measures.measure import MEASURES
from harness.analysis.run import Run
from harness.base.errors import InputError
from harness.records.folder.files import write_settings
from harness.report import tables
from harness.report.formatting import backend_name
from harness.report.render import markup, text
from harness.report.render.data import FORMULA, csv, neutral
from harness.report.table import Section
from harness.report.tables import ON_REQUEST
from tests.report.conftest import comparison_sections, latex, left_running, terminal_text
from tests.trials import planned_twice

Trials = Callable[..., pd.DataFrame]
Reports = tuple[list[Section], list[Section]]


@pytest.fixture(scope="module")
def run(trials_of: Trials, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """An unfinished run of two sweeps with data for every table."""
    slow = {"a": [(1.0, 1.5), (2.0, 2.0), "timeout"], "b": [3.0, 1.0, (4.0, "crashed", "wrong")]}
    fine = {"a": [0.5, 1.0, 2.0], "c": [1.0, 2.0, 3.0], "d": [1.0, 1.5, "out_of_memory"]}

    def guesses(number: int) -> str:
        return f'{{"guesses": {number * 20}}}'

    def other(number: int) -> str:
        return f"q{number}"

    parts = [
        trials_of(slow).assign(search_s=0.1),
        trials_of(fine, dataset="e", stats=guesses),
        trials_of(fine, dataset="e", timeout_s=5.0),
        trials_of(fine, host="there"),
        trials_of(fine, dataset="f", shape="9x9", puzzle="." * 81, puzzle_id=other),
    ]
    trials = pd.concat(parts, ignore_index=True)
    sweeps = [{"datasets": ["d"], "repeat": 1}, {"datasets": ["e"], "repeat": 1}]
    folder = tmp_path_factory.mktemp("run")
    write_settings(sweeps, folder / "sweep.toml")
    return Run(folder, trials, planned=planned_twice(trials), events=left_running("a"))


def test_the_csv_of_every_table_reads_with_its_declared_dtypes(run: Run) -> None:
    for name, measure in MEASURES.items():
        frame = run.measure(name)
        assert len(frame), name
        read = pd.read_csv(StringIO(tables.csv(run, name)), dtype=measure.dtypes)
        complete = frame.fillna(dict.fromkeys(frame.select_dtypes("string").columns, ""))
        read = read.fillna(dict.fromkeys(read.select_dtypes("string").columns, ""))
        pd.testing.assert_frame_equal(read, complete, check_exact=True)


def test_empty_tables_have_their_columns_too(trials_of: Trials) -> None:
    alone = Run(Path(), trials_of({"a": [1.0]}))
    for name, measure in MEASURES.items():
        read = pd.read_csv(StringIO(tables.csv(alone, name)))
        assert list(read.columns) == list(measure.dtypes), name


def test_all_tables_are_shown_in_every_format(run: Run) -> None:
    sections = tables.sections(run)
    names = {table.name for section in sections for table in section.tables}
    assert names == {*MEASURES, "configurations"} - ON_REQUEST
    sections = tables.sections(run, [*MEASURES])
    for form in (text.text, markup.markdown, latex):
        output = form(sections)
        for measure in MEASURES.values():
            assert measure.title in output, form
        assert "3.00s" in output


def test_the_terminal_keeps_to_80_columns(run: Run, hostile_reports: Reports) -> None:
    for reports in ((tables.sections(run), comparison_sections(run)), hostile_reports):
        for parts in reports:
            texts = [
                table
                for p in parts
                for table in p.tables
                if not any(c.is_command for c in table.columns)
            ]
            for line in text.text([Section("", tuple(texts))]).splitlines():
                assert cell_len(line) <= 80, line


def test_the_terminal_lists_some_failures_and_names_the_command_for_the_rest(
    trials_of: Trials,
) -> None:
    many = Run(Path(), trials_of({"a": ["timeout"] * 30, "b": [1.0] * 30}))
    output = terminal_text(many, names=("failures",))
    assert output.count("again: harness solve") == text.MOST_ROWS
    assert "... and 18 more rows: --format csv --table failures" in output
    assert len(pd.read_csv(StringIO(tables.csv(many, "failures")))) == 30


def test_the_pairs_of_many_backends_do_not_fill_the_terminal(trials_of: Trials) -> None:
    names = [f"b{number}" for number in range(20)]
    many = Run(Path(), trials_of({name: [1.0 + n] * 3 for n, name in enumerate(names)}))
    output = terminal_text(many, names=("pairwise",))
    rows = [line for line in output.splitlines() if re.match(r"b\d+ +b\d+ ", line)]
    assert len(rows) == text.MOST_LINES
    assert all(line.startswith("b0 ") for line in rows[:19])
    assert f"... and {190 - len(rows)} more rows: --format csv --table pairwise" in output


def test_no_control_character_reaches_any_format(hostile_reports: Reports) -> None:
    for parts in hostile_reports:
        for form in (text.text, markup.markdown, latex):
            output = form(parts)
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", output), (
                form
            )


def test_a_long_name_fills_no_page(hostile_reports: Reports) -> None:
    for parts in hostile_reports:
        lines = [line for part in parts for line in (part.title, *part.notes)]
        lines += [line for part in parts for table in part.tables for line in table.notes]
        short = [line for line in lines if "again: " not in line and "wrong: " not in line]
        assert max(map(len, short)) < 1000


def test_no_cell_of_a_csv_is_a_formula(hostile_tables_run: Run) -> None:
    for name in MEASURES:
        read = pd.read_csv(
            StringIO(tables.csv(hostile_tables_run, name)), dtype="string", keep_default_na=False
        )
        frame = hostile_tables_run.measure(name)
        texts = [
            c for c in frame.columns if str(frame[c].dtype) in ("string", "category", "object")
        ]
        assert texts
        for column in texts:
            assert not read[column].str.contains(FORMULA).any(), (name, column)
            # Nothing is lost: without the apostrophe it is the text itself.
            text_of = frame[column].astype("string").fillna("")
            plain = read[column].where(read[column] == text_of, read[column].str.slice(1))
            assert (plain == text_of).all(), (name, column)


def test_numbers_and_exact_columns_of_a_csv_are_unchanged() -> None:
    frame = pd.DataFrame({"x": [-1.5], "line": ["@12"], "name": ["@12"]})
    assert csv(frame, exact=("line",)) == "x,line,name\n-1.5,@12,'@12\n"
    fine = pd.DataFrame({"name": ["a=b", "cnf[x=1]", "5-3"]})
    assert neutral(fine).equals(fine)


def test_a_markdown_table_keeps_its_columns_and_has_no_html(hostile_reports: Reports) -> None:
    for parts in hostile_reports:
        width = 0
        for line in markup.markdown(parts).splitlines():
            assert not re.search(r"<(?!br)", re.sub(r"`+.*?`+", "", line)), line
            if not line.startswith("| "):
                width = 0
                continue
            # Every bar that divides cells is one without a backslash before it.
            bars = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
            assert width in (0, bars), line
            width = bars


def test_different_names_are_shown_differently(trials_of: Trials) -> None:
    first, other = "x" * 5000 + "a" + "x" * 5000, "x" * 5000 + "b" + "x" * 5000
    run = Run(Path(), trials_of({first: [1.0], other: [2.0]}))
    (table,) = tables.sections_of_measures(run, ["summary"])[0].tables
    names = [cells[0] for _, cells in table.rows()]
    assert names[0] != names[1]
    assert all(len(name) <= 80 for name in names)
    assert backend_name(first) == first


def test_an_unknown_table_is_bad_input(run: Run) -> None:
    for look_up in (
        lambda: tables.sections_of_measures(run, ["pairwize"]),
        lambda: tables.csv(run, "pairwize"),
        lambda: run.compare(run).frame("pairwize"),
    ):
        with pytest.raises(InputError) as error:
            look_up()
        assert "pairwize" in error.value.what
        assert error.value.expected or "did you mean 'pairwise'?" in error.value.what
