"""Tables at every width: all columns are there, and verdicts sum to the trials."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from harness.analysis.run import Run
from harness.records.question import Verdict
from harness.report import tables
from harness.report.formatting import PLAIN, Style, Theme
from harness.report.render.text import TerminalColumn, lines, parts, text
from harness.report.table import Section
from tests.report.conftest import terminal_text
from tests.trials import trials_from

SHORT = {"unsat": "unsatisfiable", "no memory": "out_of_memory", "unsupp.": "unsupported"}
WIDTHS = (40, 60, 80, 120)


COLOUR = Theme(colour=True)


def number(width: int, block: str = "") -> TerminalColumn:
    return TerminalColumn("x" * width, ["y" * width], is_number=True, block=block)


def label(width: int) -> TerminalColumn:
    return TerminalColumn("name", ["n" * width], is_label=True)


def test_a_table_is_folded_between_blocks_with_its_labels_repeated() -> None:
    counts = [number(4, "count") for _ in range(2)]
    times = [number(4, "seconds") for _ in range(3)]
    # Three numbers fit beside the label, so a division by width alone would cut the times
    # after the first one.
    widths = parts([label(5), *counts, *times], 22)
    assert [tuple(part) for part in widths] == [(0, 1, 2), (0, 3, 4, 5)]


@given(
    st.lists(st.tuples(st.integers(1, 30), st.sampled_from("abc")), min_size=1, max_size=24),
    st.lists(st.integers(1, 60), min_size=1, max_size=2),
    st.sampled_from(WIDTHS),
)
def test_no_column_is_lost_or_repeated_and_no_part_is_too_wide(
    numbers: list[tuple[int, str]], names: list[int], width: int
) -> None:
    labels = [label(n) for n in names]
    columns = [*labels, *(number(n, block) for n, block in numbers)]
    widths = parts(columns, width)
    first = list(range(len(labels)))
    assert all(list(part)[: len(labels)] == first for part in widths)
    rest = [n for part in widths for n in list(part)[len(labels) :]]
    assert rest == list(range(len(labels), len(columns)))
    for part in widths:
        own = {n: width for n, width in part.items() if n not in first}
        total = sum(part.values()) + len(part) - 1
        least = sum(column_of_labels.least + 1 for column_of_labels in labels) + max(own.values())
        assert total <= width or (total == least and len(own) == 1)
        assert own == {n: columns[n].width for n in own}


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Backends with long names and any verdicts, some on fewer instances than others."""
    letters = st.text("abcdefgh", min_size=10, max_size=50)
    names = draw(st.lists(letters, min_size=3, max_size=12, unique=True))
    verdicts = st.lists(st.sampled_from([str(v) for v in Verdict]), min_size=1, max_size=9)
    rows = [
        {"backend": name, "verdict": verdict, "puzzle_id": f"p{n}", "name": f"n{n}"}
        | {"wall_s": 10.0 ** draw(st.integers(-6, 1))}
        for name in names
        for n, verdict in enumerate(draw(verdicts))
    ]
    return Run(Path(), trials_from(rows, host="here", stats="{}"))


def numbers_by_title(output: str, backends: int) -> dict[str, list[str]]:
    """The columns of numbers of a table in the terminal, in all of its parts."""
    lines = output.splitlines()
    numbers: dict[str, list[str]] = {}
    for n, line in enumerate(lines):
        if re.fullmatch("─+", line):
            titles = re.sub("no memory", "no_memory", lines[n - 1]).split()[1:]
            rows: list[list[str]] = []
            for row in lines[n + 1 :]:
                cells = row.split()
                # A name goes on on further lines, which have no numbers.
                if len(cells) == len(titles) + 1 and len(rows) < backends:
                    rows.append(cells[1:])
                elif len(cells) != 1:
                    break
            assert len(rows) == backends, output
            for place, title in enumerate(titles):
                assert title not in numbers
                numbers[title] = [cells[place] for cells in rows]
    return numbers


@settings(max_examples=15, deadline=None)
@given(runs(), st.sampled_from(WIDTHS))
@pytest.mark.long
def test_verdicts_sum_to_the_trials_at_every_width(run: Run, width: int) -> None:
    (section, *_) = tables.sections_of_measures(run, ["summary"])
    output = text([Section("", section.tables)], width)
    assert max(map(cell_len, output.splitlines())) <= width
    numbers = numbers_by_title(output, len(run.backends))
    verdicts = {SHORT.get(title.replace("_", " "), title): n for title, n in numbers.items()}
    summary = run.summary()
    for position, row in enumerate(summary.to_dict("records")):
        counts = {v: int(n[position]) for v, n in verdicts.items() if v in list(map(str, Verdict))}
        assert sum(counts.values()) == row["trials"]
        for verdict in map(str, Verdict):
            assert counts.get(verdict, 0) == row[verdict]
    assert set(numbers) >= {"median", "gmean", "p95", "total", "ratio"}
    assert ("PAR-2" in numbers) is bool(summary["mean_is_bound"].any())  # else it is the mean


@pytest.mark.parametrize("width", [40, 120])
def test_every_cell_is_whole_at_every_width(width: int) -> None:
    rows = [
        {"backend": f"backend-{n}", "verdict": str(v), "puzzle_id": f"p{k}", "wall_s": 1.5}
        for n in range(3)
        for k, v in enumerate(Verdict)
    ]
    output = terminal_text(Run(Path(), trials_from(rows, host="here", stats="{}", name="n")), width)
    assert "…" not in output
    for title in ("unsat", "no memory", "unsupp.", "crashed", "unknown", "median", "ratio"):
        assert title in output


def test_a_name_with_long_options_has_a_number_in_a_narrow_table(
    trials_of: Callable[..., pd.DataFrame],
) -> None:
    run = Run(Path(), trials_of({"cnf[x=12345]": [1.0], "cnf[x=123456]": [2.0]}))
    narrow, wide = terminal_text(run, 120), terminal_text(run, 121)
    assert "cnf[x=12345] " in narrow
    assert "cnf (1) " in narrow
    assert "\n(1) cnf[x=123456]\n" in narrow
    assert "(1)" not in wide


def column(title: str, texts: list[str], *, is_number: bool = False) -> TerminalColumn:
    return TerminalColumn(title, texts, [Style.PLAIN] * len(texts), is_number=is_number)


def test_a_terminal_without_unicode_has_a_rule_of_hyphens() -> None:
    rows = lines([(column("name", ["a"]), 4)], Theme(unicode=False))
    assert list(rows) == ["name", "----", "a   "]


def test_a_long_text_goes_on_in_further_lines_beside_its_row() -> None:
    texts = (column("text", ["one two three", "abcdefghij"]), 5)
    numbers = (column("n", ["1", "22"], is_number=True), 2)
    assert [line.rstrip() for line in lines([texts, numbers], PLAIN)][2:] == [
        "one    1",
        "two",
        "three",
        "abcde 22",
        "fghij",
    ]


def test_titles_are_bold_and_cells_have_their_style_on_every_line() -> None:
    cells = TerminalColumn("t", ["ab cd", "e"], [Style.BAD, Style.PLAIN])
    assert list(lines([(cells, 2)], COLOUR)) == [
        "\x1b[1mt \x1b[0m",
        "──",
        "\x1b[1;31mab\x1b[0m",
        "\x1b[1;31mcd\x1b[0m",
        "e ",
    ]


@given(
    st.lists(st.text(st.characters(exclude_categories=["C", "Z", "M"])), min_size=1, max_size=4),
    st.integers(2, 12),
)
def test_no_letter_is_lost_and_every_line_has_the_width(texts: list[str], width: int) -> None:
    rows = list(lines([(column("t", texts), width), (column("n", ["1"] * len(texts)), 1)], PLAIN))[
        2:
    ]
    assert {cell_len(line) for line in rows} == {width + 2}
    assert "".join(line[: -len(" 1")].rstrip() for line in rows) == "".join(texts)
