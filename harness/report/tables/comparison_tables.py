"""Two runs compared as tables, the worst changes first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from harness.analysis import (
    MACHINE_FACTS,
    Change,
    Comparison,
    backends_by_choice,
)
from harness.analysis.measures import columns as col
from harness.analysis.measures import power_notes
from harness.base.text import number_of
from harness.report.formatting import multiple, shown_backend
from harness.report.render import text as terminal
from harness.report.table import Section, is_missing, note_text, tables_of
from harness.report.tables import group_title

PARTIAL: Final = "PARTIAL COMPARISON: it does not cover all of both runs"
"""The heading before what a comparison does not cover."""

TABLES: Final = tuple(layout.name for layout in Comparison.LAYOUTS)
"""The names of the tables, in the order in which they are shown."""


def sections(comparison: Comparison, names: Sequence[str] = TABLES) -> list[Section]:
    """Make the sections for any format: failures first, then times, then the environment.

    What a partial comparison does not cover comes before them.
    """
    layouts = [layout for layout in Comparison.LAYOUTS if layout.name in names]
    tables = tuple(
        table for layout in layouts for table in tables_of(layout, comparison.frame(layout.name))
    )
    partial = [Section(PARTIAL, (), comparison.partial)] if comparison.partial else []
    return [*partial, Section("", tables, (*notes(comparison), verdict(comparison)))]


_BRIEF: Final = {
    "status": "change backend name dataset before after failed_before failed_after",
    "limits": "change backend dataset scramble task start more fewer p_holm",
    "times": "change backend dataset scramble task start before_s after_s factor factor_low "
    "spread_low detectable",
}
"""The tables of the answer with their columns; rows without a change are left out."""


def answer(comparison: Comparison) -> list[Section]:
    """The comparison in one screen: the verdict, then what changed, worst first.

    If nothing changed, it has the times instead, with the factors that would have been found. A
    comparison by a factor always has the times.
    """
    if Comparison.SAME_TRIALS in comparison.notes:
        return [Section("", (), (f"{Comparison.SAME_TRIALS}: nothing to compare",))]
    tables, remaining = [], 0
    room = terminal.most_rows(map(str, comparison.pairs["backend"].unique()))
    frames = {name: comparison.frame(name) for name in _BRIEF}
    rows = {name: frame[frame["change"] != Change.NONE] for name, frame in frames.items()}
    is_changed = any(map(len, rows.values()))
    if comparison.factor or not is_changed:
        rows["times"] = frames["times"]
    for layout in (layout for layout in Comparison.LAYOUTS if layout.name in _BRIEF):
        changes = rows[layout.name]
        remaining += max(0, len(changes) - room)
        columns = _BRIEF[layout.name].split()
        for table in tables_of(layout, changes.head(room)):
            columns_shown = tuple(column for column in table.columns if column.name in columns)
            tables.append(replace(table, columns=columns_shown, notes=()))
        room = max(0, room - len(changes))
    partial = (PARTIAL, *comparison.partial) if comparison.partial else ()
    unit = "change" if is_changed else "comparison"
    more = [f"... and {number_of(remaining, f'more {unit}')}: --all"] if remaining else []
    power = () if is_changed else tuple(_nothing_shown(comparison))
    rest = [note for note in notes(comparison) if note not in power]
    if number := len(comparison.environment):
        more.append(f"the environment differs in {number_of(number, 'item')}: --table environment")
    return [
        Section("", (), (verdict(comparison), *power, *partial)),
        Section("", tuple(tables), (*more, *rest)),
    ]


def _nothing_shown(comparison: Comparison) -> Iterator[str]:
    """Which changes of times would have been found."""
    yield from map(note_text, power_notes(comparison.times))
    few, number = int(comparison.times["detectable"].isna().sum()), len(comparison.times)
    if few == number:
        yield from (note for note in comparison.notes if note.endswith(Comparison.TOO_FEW))
    elif few:
        yield f"{few:,} of {number:,} comparisons of times have too few instances to show a change"


def sentences(comparison: Comparison) -> Iterator[str]:
    """A sentence about the times of each backend and comparison group, real changes first."""
    several = len(comparison.times["host"].unique()) > 1
    for row in comparison.times.to_dict("records"):
        yield sentence(row, several)


def sentence(row: Mapping[Any, Any], with_host: bool) -> str:
    """A sentence about a row of the table of times."""
    place = group_title({name: row[name] for name in col.COMPARISON_GROUP}, None, with_host)
    name, factor = shown_backend(str(row["backend"])), float(row["factor"])
    count, unanswered_by_both = int(row["instances"]), int(row["unanswered_both"])
    if unanswered_by_both == count:
        return f"{name} answered none of {number_of(count, 'instance')} of {place} in either run"
    low, high = float(row["factor_low"]), float(row["factor_high"])
    is_unequal = row["change"] in (Change.SLOWER_UNEQUAL, Change.FASTER_UNEQUAL)
    but = ", but the conditions were not the same" if is_unequal else ""
    between = "" if is_missing(low) else f", interval {multiple(low)} to {multiple(high)}"
    change = f"takes {multiple(factor)} times as long as before{but}{between}"
    failures = [int(row[f"unanswered_{side}"]) - unanswered_by_both for side in ("before", "after")]
    if any(failures):
        change += f", failures at the limit: {failures[0]:,} before, {failures[1]:,} after"
    if row["change"] == Change.NONE:
        least = float(row["detectable"])
        power = "" if is_missing(least) else f"; {multiple(least)} is found in 4 of 5 cases"
        change = f"shows no significant change ({change}{power})"
    if unanswered_by_both:
        over = f"{count - unanswered_by_both:,} of {number_of(count, 'instance')}"
        return f"{name} {change}, over {over} of {place}; {unanswered_by_both:,} unanswered by both"
    return f"{name} {change}, over {number_of(count, 'instance')} of {place}"


def notes(comparison: Comparison) -> Iterator[str]:
    """Notes that a reader needs in order to judge the comparison."""
    yield from comparison.notes
    by_choice = backends_by_choice(comparison.choices)
    for choice, backends in by_choice.items():
        names = f" of {', '.join(map(shown_backend, backends))}" if len(by_choice) > 1 else ""
        reason = f"; {choice.reason}" if choice.reason else ""
        yield f"compared: {choice.time.noun}{names}{reason}"
    if comparison.unequal and not _doubtful(comparison):
        yield machine(comparison)


def machine(comparison: Comparison) -> str:
    """How machine and conditions differed between the runs; empty if they were the same."""
    sides = [
        f"{side}, {', '.join(f'{d.subject}: {getattr(d, side)}' for d in comparison.unequal)}"
        for side in ("before", "after")
    ]
    is_other = any(d.subject in MACHINE_FACTS for d in comparison.unequal)
    subject = "the machine was not the same" if is_other else "the conditions were not the same"
    return f"{subject}: {'; '.join(sides)}" if comparison.unequal else ""


_CERTAIN: Final[Mapping[str, tuple[str, Change]]] = {
    "now wrong": ("status", Change.NOW_WRONG),
    "new failures": ("status", Change.NEW_FAILURE),
    Change.MORE: ("status", Change.MORE),
    **{name: ("status", name) for name in Change.by_chance()},
    "fixed": ("status", Change.FIXED),
    "slower": ("times", Change.SLOWER),
    "faster": ("times", Change.FASTER),
}
"""The kinds of changes that the machine does not explain: their tables and names in them."""
_DOUBTFUL: Final[Mapping[str, tuple[str, Change]]] = {
    "slower": ("times", Change.SLOWER_UNEQUAL),
    "faster": ("times", Change.FASTER_UNEQUAL),
    "new timeouts": ("status", Change.TIMEOUT_UNEQUAL),
}
"""The kinds of changes that the machine may have caused."""


def numbers_of_changes(comparison: Comparison) -> dict[str, int]:
    """The number of each kind of change, including changes that the machine may have caused."""
    doubtful = _numbers(comparison, _DOUBTFUL)
    return _numbers(comparison, _CERTAIN) | {
        f"{name}, unequal machine": number for name, number in doubtful.items()
    }


def _numbers(comparison: Comparison, kinds: Mapping[str, tuple[str, str]]) -> dict[str, int]:
    """The number of changes of each kind."""
    return {
        name: int((comparison.frame(table)["change"] == change).sum())
        for name, (table, change) in kinds.items()
    }


def verdict(comparison: Comparison) -> str:
    """The comparison in one line, and what the machine may have caused after it."""
    parts = _in_words(_numbers(comparison, _CERTAIN))
    if doubtful := _doubtful(comparison):
        parts.append(f"{doubtful}, but {machine(comparison)}")
    scope = " in the part that was compared" if comparison.partial else ""
    head = "REGRESSION" if comparison.regressed else "no regression"
    if comparison.factor:
        head = str(comparison.factor)
    return f"{head}{scope}: {', '.join(parts) or 'no answer changed, and no time significantly'}"


def _doubtful(comparison: Comparison) -> str:
    """The numbers of changes that the machine may have caused; empty if there are none."""
    return ", ".join(_in_words(_numbers(comparison, _DOUBTFUL)))


def _in_words(numbers: Mapping[str, int]) -> list[str]:
    """The numbers that are not 0 with their names."""
    items = ((n, name) for name, n in numbers.items() if n)
    return [f"{n:,} {name.removesuffix('s') if n == 1 else name}" for n, name in items]
