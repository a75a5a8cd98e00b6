"""Tables at every width: all columns are there, and verdicts sum to the trials."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from harness.analysis.run import Run
from harness.records.question import Verdict
from harness.report import tables
from harness.report.render.text import Cells, Part, parts, text
from harness.report.table import Section
from harness.report.tables import contents
from tests.trials import trials_from

SHORT = {"unsat": "unsatisfiable", "no memory": "out_of_memory", "unsupp.": "unsupported"}
WIDTHS = (40, 60, 80, 120)


def column(width: int, *, is_label: bool = False, wraps: bool = False, block: str = "") -> Cells:
    return Cells("x" * width, ["y" * width], is_label=is_label, wraps=wraps, block=block)


def test_a_table_that_fits_is_one_part() -> None:
    columns = [column(5, is_label=True, wraps=True), column(10), column(3)]
    assert parts(columns, 20) == [Part((0, 1, 2), (5, 10, 3))]
    assert len(parts(columns, 19)) == 2


def test_a_table_is_folded_between_blocks_with_its_labels_repeated() -> None:
    label = Cells("name", ["abcde"], is_label=True, wraps=True)
    counts = [column(4, block="count") for _ in range(2)]
    times = [column(4, block="seconds") for _ in range(4)]
    # Three numbers fit beside the label, so a division by width alone would cut the times
    # after the first one.
    found = parts([label, *counts, *times[:3]], 22)
    assert [part.columns for part in found] == [(0, 1, 2), (0, 3, 4, 5)]


def test_texts_get_the_room_that_numbers_leave() -> None:
    label = Cells("name", ["abcde"], is_label=True, wraps=True)
    words = Cells("words", ["w" * 100], is_label=False, wraps=True)
    (part,) = parts([label, column(6), words], 40)
    assert part.widths == (5, 6, 27)


def test_long_labels_take_up_half_of_a_folded_table() -> None:
    label = Cells("name", ["n" * 90], is_label=True, wraps=True)
    found = parts([label, *(column(9) for _ in range(8))], 60)
    assert all(part.widths[0] == 30 for part in found)
    assert [part.columns for part in found] == [(0, 1, 2), (0, 3, 4, 5), (0, 6, 7, 8)]


@given(
    st.lists(st.tuples(st.integers(1, 30), st.sampled_from("abc")), min_size=1, max_size=24),
    st.lists(st.integers(1, 60), min_size=1, max_size=2),
    st.sampled_from(WIDTHS),
)
def test_no_column_is_lost_or_repeated_and_no_part_is_too_wide(
    numbers: list[tuple[int, str]], names: list[int], width: int
) -> None:
    labels = [Cells("name", ["n" * n], is_label=True, wraps=True) for n in names]
    columns = [*labels, *(column(n, block=block) for n, block in numbers)]
    found = parts(columns, width)
    first = tuple(range(len(labels)))
    assert all(part.columns[: len(labels)] == first for part in found)
    rest = [n for part in found for n in part.columns[len(labels) :]]
    assert rest == list(range(len(labels), len(columns)))
    for part in found:
        total = sum(part.widths) + len(part.widths) - 1
        widest = max(own for own in part.widths[len(labels) :])
        least = sum(label.least + 1 for label in labels) + widest
        assert total <= width or (total == least and len(part.columns) == len(labels) + 1)
        for n, own in zip(part.columns[len(labels) :], part.widths[len(labels) :], strict=True):
            assert own == columns[n].width


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


def numbers_by_title(shown: str, backends: int) -> dict[str, list[str]]:
    """The columns of numbers of a table in the terminal, in all of its parts."""
    lines = shown.splitlines()
    found: dict[str, list[str]] = {}
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
            assert len(rows) == backends, shown
            for place, title in enumerate(titles):
                assert title not in found
                found[title] = [cells[place] for cells in rows]
    return found


@settings(max_examples=15, deadline=None)
@given(runs(), st.sampled_from(WIDTHS))
@pytest.mark.long
def test_verdicts_sum_to_the_trials_at_every_width(run: Run, width: int) -> None:
    (section, *_) = contents.sections(run, ["summary"])
    shown = text([Section("", section.tables)], width)
    assert max(map(cell_len, shown.splitlines())) <= width
    found = numbers_by_title(shown, len(run.backends))
    verdicts = {SHORT.get(title.replace("_", " "), title): n for title, n in found.items()}
    summary = run.summary()
    for position, row in enumerate(summary.to_dict("records")):
        counts = {v: int(n[position]) for v, n in verdicts.items() if v in list(map(str, Verdict))}
        assert sum(counts.values()) == row["trials"]
        for verdict in map(str, Verdict):
            assert counts.get(verdict, 0) == row[verdict]
    assert set(found) >= {"median", "mean", "p95", "total", "PAR-2", "ratio"}


@pytest.mark.parametrize("width", WIDTHS)
def test_every_cell_is_whole_at_every_width(width: int) -> None:
    rows = [
        {"backend": f"backend-{n}", "verdict": str(v), "puzzle_id": f"p{k}", "wall_s": 1.5}
        for n in range(3)
        for k, v in enumerate(Verdict)
    ]
    shown = tables.text(Run(Path(), trials_from(rows, host="here", stats="{}", name="n")), width)
    assert "…" not in shown
    for title in ("unsat", "no memory", "unsupp.", "crashed", "unknown", "median", "ratio"):
        assert title in shown
