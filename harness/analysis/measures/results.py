"""Results: one configuration on one instance, with its repetitions reduced to one value.

Measures read the column ``time_s``, which `with_time` adds, and the limit of `limits`. No measure
chooses between ``wall_s`` and ``cpu_s`` itself.

Instances are the sample; repetitions only make the time of an instance more precise. So every
measure that ranks or pairs backends works on *results*, one row for each backend and instance of a
comparison group, and never on single trials.

Backends are compared over the same instances only. Every measure takes this common set from this
module.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.measures import columns as col
from harness.analysis.measures.columns import BACKEND_KEY, COMPARISON_GROUP, RESULT_KEY, TIME
from harness.analysis.measures.inference import Bools, Floats
from harness.analysis.measures.measure import FrameLayout
from harness.base.errors import InputError
from harness.base.text import as_float, number_of
from harness.records import Start, TimeKind, Verdict

# The time of a trial, wall time or CPU time, and the limit that a failure counts as.


def with_time(
    trials: pd.DataFrame, kind: TimeKind | Mapping[str, TimeKind] = TimeKind.WALL
) -> pd.DataFrame:
    """Add the columns ``time`` and ``time_s``: the kind of time, and the time in seconds.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
        kind: the kind of time, for all trials or for each backend.
    """
    if isinstance(kind, TimeKind):
        seconds, codes, names = trials[kind.column], np.zeros(len(trials), np.int8), [str(kind)]
    else:
        numbers, backends = pd.factorize(trials["backend"])
        is_wall = np.array([kind[name] is TimeKind.WALL for name in backends], dtype=bool)[numbers]
        seconds = trials["wall_s"].where(is_wall, trials["cpu_s"])
        codes, names = is_wall.astype(np.int8), [str(TimeKind.CPU), str(TimeKind.WALL)]
    kinds = pd.Categorical.from_codes(codes, pd.Index(names, dtype="string"))
    return trials.assign(time=pd.Series(kinds, index=trials.index), time_s=seconds)


def require_times(trials: pd.DataFrame, kind: TimeKind) -> None:
    """Require that every right answer has a time of this kind.

    Raises:
        InputError: some right answers have none; the error names their backends.
    """
    if missing := backends_without(trials, kind):
        names = ", ".join([*missing][:3]) + (" and others" if len(missing) > 3 else "")
        right = int(trials["verdict"].isin(RIGHT).sum())
        raise InputError(
            f"no {kind.noun} was recorded for {sum(missing.values()):,} of {right:,} right answers "
            f"({names})",
            expected=f"trials with {kind.noun}, or --time {kind.other}",
        )


def backends_without(trials: pd.DataFrame, kind: TimeKind) -> dict[str, int]:
    """The backends with right answers that lack a time of this kind, and the number of these."""
    is_lacking = trials["verdict"].isin(RIGHT) & trials[kind.column].isna()
    numbers = trials.loc[is_lacking, "backend"].astype("string").value_counts()
    return {str(backend): int(number) for backend, number in numbers.items()}


def limits(rows: pd.DataFrame) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The limit T in seconds that a failure counts as, for each row.

    For wall time, the limit on wall time. For CPU time, the limit on CPU time if there is one, or
    else the limit on wall time: a call on one core cannot use more.
    """
    wall = rows["timeout_s"].to_numpy(dtype=np.float64)
    cpu = rows["cpu_limit_s"].to_numpy(dtype=np.float64, na_value=0.0)
    is_cpu = (rows[TIME] == TimeKind.CPU).to_numpy(dtype=bool)
    limit: np.ndarray[tuple[int], np.dtype[np.float64]] = np.where(is_cpu & (cpu > 0), cpu, wall)
    return limit


# Results: one configuration on one instance, with its repetitions reduced to one value.


LEAST_TIME: Final = 1e-9
"""The shortest time in seconds; a shorter one counts as this, so that its logarithm exists."""

GUESS_COUNTERS: Final = ("guesses", "decisions", "branches")
"""The names under which solvers report guesses; the first one that is reported counts."""

Numbers = tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]
"""The number of each row, and the first row of each number; see `number_rows`."""

RIGHT: Final = frozenset(str(verdict) for verdict in Verdict if verdict.answered)
"""The verdicts of right answers."""


_KEY: Final = tuple(map(col.category, (*col.GROUP_COLUMNS, col.BACKEND, col.PUZZLE_ID, col.NAME)))

RESULTS: Final = FrameLayout(
    name="results",
    title="Results",
    columns=(
        *_KEY,
        col.text("shape", "Name of the shape.", dtype="category"),
        col.count("clues", "Number of givens."),
        col.text("paradigm", "How the backend solves.", dtype="category"),
        col.text("verdict", "Verdict of the trial that represents the result.", dtype="category"),
        col.count("puzzles", "Number of puzzles: 1, or the number in a call."),
        col.count("trials", "Repetitions."),
        col.count("right", "Repetitions with a right answer."),
        col.count("wrong", "Repetitions with a wrong answer."),
        col.flag("answered", "Whether the result is answered."),
        col.seconds("time_s", "Median time over repetitions, or the limit T."),
        col.number("guesses", "Guesses that the same trial reports; missing if none."),
        col.text("guesses_are", "The solver's name of the counter of guesses.", dtype="category"),
    ),
)

ANSWERS: Final = FrameLayout(
    name="answers",
    title="Right answers",
    columns=(
        *_KEY,
        col.count("repetition", "Number of the repetition, from 1."),
        col.seconds("time_s", "Time of the trial."),
        col.seconds("wall_s", "Wall time of the trial, which its phases divide."),
        col.seconds("build_s", "Time to build the backend for the shape."),
        col.seconds("encode_s", "Time to encode the puzzle."),
        col.seconds("search_s", "Time of the search."),
        col.seconds("decode_s", "Time to decode the solution."),
        col.text("stats", "Counters of the solver as a JSON object."),
    ),
)

_CARRIED: Final = ["name", "shape", "clues", "paradigm", "verdict"]


def results_of(trials: pd.DataFrame, numbers: Numbers | None = None) -> pd.DataFrame:
    """Reduce the repetitions of each instance to one row, in the order of `trials`.

    A result is *answered* if more than half of its repetitions are right answers and none is
    wrong. Its time is then the median over repetitions with failures longer than any answer;
    since right answers are the majority, the median follows from times of right answers. The time
    of any other result is the limit. ``name``, ``verdict`` and ``guesses`` are those of one trial:
    a wrong one if there is one, otherwise the first right answer of an answered result, or the
    first failure of any other. `numbers` are those of `number_rows` by `RESULT_KEY`, if they are
    known.
    """
    trials = with_group_columns(trials)
    number, first = numbers or number_rows(trials, RESULT_KEY)
    size = len(first)
    limit = limits(trials)
    verdict_codes, verdicts = pd.factorize(trials["verdict"])
    right = np.array([v in RIGHT for v in verdicts] + [False], dtype=bool)[verdict_codes]
    wrong = np.array([v == Verdict.WRONG for v in verdicts] + [False], dtype=bool)[verdict_codes]
    counts = np.bincount(number, minlength=size)
    rights = np.bincount(number, weights=right, minlength=size).astype(np.int64)
    wrongs = np.bincount(number, weights=wrong, minlength=size).astype(np.int64)
    is_answered = (2 * rights > counts) & (wrongs == 0)
    seconds = trials["time_s"].to_numpy(dtype=np.float64, na_value=np.nan)
    # A right answer always has a time; if one had none, it would count as a failure. A failure
    # is longer than any answer, even than CPU time of several threads beyond the limit.
    time = np.where(right & ~np.isnan(seconds), np.clip(seconds, LEAST_TIME, None), np.inf)
    middle = _medians(time, number, counts)
    rank = np.where(wrong, 0, np.where(right == is_answered[number], 1, 2))
    places = first_by_rank(number, rank)
    table = trials[[*RESULT_KEY, *_CARRIED]].iloc[places].reset_index(drop=True)
    table["puzzles"] = trials["puzzles"].to_numpy()[places] if "puzzles" in trials else 1
    table["trials"], table["right"], table["wrong"] = counts, rights, wrongs
    table["answered"] = is_answered
    table["time_s"] = np.where(is_answered & np.isfinite(middle), middle, limit[places])
    table["guesses"], table["guesses_are"] = _guesses(trials["stats"].iloc[places])
    table = _with_categories(table, RESULTS)
    categories = {
        name: table[name].cat.remove_unused_categories() for name in ("name", "verdict", TIME)
    }
    return table.assign(**categories)


def answers(trials: pd.DataFrame) -> pd.DataFrame:
    """Select the trials that are right answers, with the index of `trials`."""
    columns = [column.name for column in ANSWERS.columns]
    right = trials["verdict"].isin(RIGHT)
    return _with_categories(with_group_columns(trials)[columns][right], ANSWERS)


def as_categories(trials: pd.DataFrame) -> pd.DataFrame:
    """The trials with texts of results as categories, which are grouped and selected quickly."""
    return _with_categories(with_trial_group(trials), RESULTS)


def _with_categories(table: pd.DataFrame, layout: FrameLayout) -> pd.DataFrame:
    names = [name for name, dtype in layout.dtypes.items() if dtype == "category" and name in table]
    frame: pd.DataFrame = table.astype(dict.fromkeys(names, "category"))
    return frame


def with_group_columns(trials: pd.DataFrame) -> pd.DataFrame:
    """Complete the columns of the comparison group; see `with_trial_group` and `with_time`.

    Trials without a time from `with_time` get their wall time.
    """
    return with_trial_group(trials if TIME in trials else with_time(trials))


def with_trial_group(trials: pd.DataFrame) -> pd.DataFrame:
    """Fill the columns of `TRIAL_GROUP`: 0 for no limit, ``""`` for no scramble or machine."""
    values: dict[str, Any] = {"scramble": "", "cpu_limit_s": 0.0, "memory_limit_mib": 0, "host": ""}
    # Columns of categories are complete, see `as_categories`, and accept no new value.
    unknown = [name for name in values if trials[name].dtype != "category"]
    return trials.assign(**{name: trials[name].fillna(values[name]) for name in unknown})


# Calls with the start ``batch``: one call is one measurement, however many puzzles it has.
#
# The harness measures the time of a call and gives each of its puzzles an equal share, so the
# times of these puzzles are one value, not many. Measures of times therefore treat a call as
# one instance, with the time per puzzle as its time.


def single(rows: pd.DataFrame) -> pd.DataFrame:
    """The trials or results that have a time of their own: those of every start but ``batch``."""
    return rows[(rows["start"] != Start.BATCH).to_numpy(dtype=bool)]


def with_instances(trials: pd.DataFrame) -> pd.DataFrame:
    """The trials with the instance of each as its ``puzzle_id``; for the start ``batch``, its call.

    The name of a call is equal for backends that had the same puzzles in one call of the same
    repetition.
    """
    trials = with_group_columns(trials)
    batch = (trials["start"] == Start.BATCH).to_numpy(dtype=bool)
    if not batch.any():
        return trials
    calls = trials[batch]
    # A store of an earlier version does not record calls; a repetition then counts as one.
    digest = calls["call"].astype("string").fillna("")
    call = digest.where(digest != "", calls["shape"]) + "/" + calls["repetition"].astype("string")
    return trials.assign(puzzle_id=trials["puzzle_id"].astype("string").mask(batch, call))


def by_call(trials: pd.DataFrame) -> pd.DataFrame:
    """The trials with one row for each call of the start ``batch``, and the column ``puzzles``.

    Other rows stay as they are, with 1 puzzle. The row of a call is that of its worst trial: a
    wrong one, else a failure, else a right answer. Its ``puzzle_id`` names the call, see
    `with_instances`. Times are the same for all trials of a call: the time per puzzle.
    """
    trials = with_instances(trials)
    batch = (trials["start"] == Start.BATCH).to_numpy(dtype=bool)
    if not batch.any():
        return trials.assign(puzzles=1)
    calls = trials[batch]
    number, first = number_rows(calls, RESULT_KEY)
    verdict = calls["verdict"]
    rank = np.where(verdict == Verdict.WRONG, 0, np.where(verdict.isin(RIGHT), 2, 1))
    places = first_by_rank(number, rank)
    sizes = np.bincount(number, minlength=len(first))
    names = [f"call of {number_of(size, 'puzzle')}" for size in sizes.tolist()]
    rows = calls.iloc[places].assign(puzzles=sizes, name=names, repetition=1)
    return pd.concat([trials[~batch].assign(puzzles=1), rows])


# Groups of rows that are equal in some columns.


def number_rows(
    frame: pd.DataFrame, columns: Sequence[str], within: npt.NDArray[np.int64] | None = None
) -> Numbers:
    """Number the rows, equal where all `columns` are, and find the first row of each number.

    Numbers are in the order of their first rows. Much faster than a `groupby` over many
    columns of text; a missing value counts as a value. Rows with different numbers in
    `within` get different numbers.
    """
    number = np.zeros(len(frame), dtype=np.int64) if within is None else within
    for name in columns:
        column = frame[name]
        if column.dtype == "category":
            codes, size = column.cat.codes.to_numpy(), len(column.cat.categories)
        else:
            codes, uniques = pd.factorize(column)
            size = len(uniques)
        if size == 1 and (codes == 0).all():  # one value in all rows, as in most columns
            continue
        number = pd.factorize(number * (size + 1) + codes + 1)[0].astype(np.int64)
    return number, np.flatnonzero(np.diff(np.maximum.accumulate(number), prepend=-1))


def groups_of(
    frame: pd.DataFrame, columns: Sequence[str]
) -> Iterator[tuple[dict[str, Any], npt.NDArray[np.intp]]]:
    """The groups of rows that are equal in all `columns`, in the order of their first rows.

    Yields the values of the columns, and the positions of the rows in ascending order. Arrays
    at these positions take a tenth of the time of the frames of a `groupby`.
    """
    number, first = number_rows(frame, columns)
    keys = frame[list(columns)].iloc[first].to_dict("records")
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=len(first)))
    for key, rows in zip(keys, np.split(order, ends[:-1]), strict=False):
        yield {str(name): value for name, value in key.items()}, rows


def of_each_backend(frame: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """The rows of each backend in each comparison group, with the values of `BACKEND_KEY`."""
    return ((key, frame.iloc[rows]) for key, rows in groups_of(frame, BACKEND_KEY))


def first_by_rank(
    number: npt.NDArray[np.int64], rank: npt.NDArray[np.int64]
) -> npt.NDArray[np.intp]:
    """For each number, the position of the first of its rows with the lowest rank.

    Args:
        number: numbers from 0 without a gap, as `number_rows` gives them, shape (n,).
        rank: shape (n,).

    Returns:
        Positions in the order of the numbers.
    """
    order = np.lexsort((rank, number))
    return order[np.flatnonzero(np.diff(number[order], prepend=-1))]


def _medians(
    values: Floats, number: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> Floats:
    # Values are sorted once, then their places by number: much faster than a sort by both.
    order, size = np.argsort(values), len(values)
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    in_order = values[order[np.sort(number * size + place) % max(size, 1)]]
    begin = np.cumsum(counts) - counts
    middle: Floats = (in_order[begin + (counts - 1) // 2] + in_order[begin + counts // 2]) / 2
    return middle


def _guesses(stats: "pd.Series[str]") -> tuple[Floats, list[str | None]]:
    """For each row the number of guesses and the name of the counter, missing if none."""
    codes, texts = pd.factorize(stats)
    numbers, names = [], []
    for text in (*texts, "{}"):  # the code of missing statistics is -1
        counters = json.loads(text)
        name = next((name for name in GUESS_COUNTERS if name in counters), None)
        names.append(name)
        numbers.append(float("nan") if name is None else as_float(counters[name]))
    return np.array(numbers, dtype=np.float64)[codes], [names[code] for code in codes]


# The common set: the instances that a comparison covers.


def with_common_set(
    frame: pd.DataFrame,
    by: Sequence[str] = tuple(COMPARISON_GROUP),
    instance: Sequence[str] = ("puzzle_id",),
) -> pd.DataFrame:
    """`frame` with the columns ``common`` and ``left_out``; see `common_instances`."""
    common, left_out = common_instances(frame, by, instance)
    return frame.assign(common=common, left_out=left_out)


def common_instances(
    frame: pd.DataFrame,
    by: Sequence[str] = tuple(COMPARISON_GROUP),
    instance: Sequence[str] = ("puzzle_id",),
) -> tuple[Bools, npt.NDArray[np.int64]]:
    """Whether every eligible backend of a group was run on the instance of each row.

    A backend is eligible if it has no wrong answer in the group; other backends do not change the
    common set. In a group without an eligible backend all instances are common.

    Args:
        frame: n results or trials, with ``backend`` and ``wrong`` or ``verdict``.
        by: the columns that are equal within a group; by default a comparison group.
        instance: the columns that name an instance within a group.

    Returns:
        Whether the instance of each row is common, and the number of instances of its group
        that are not; both of shape (n,).
    """
    group, _ = number_rows(frame, by)
    pair, first = number_rows(frame, instance, within=group)
    backend, _ = number_rows(frame, ["backend"], within=group)
    wrong = frame["wrong"] > 0 if "wrong" in frame else frame["verdict"] == Verdict.WRONG
    is_disqualified = np.zeros(_size(backend), dtype=bool)
    is_disqualified[backend[wrong.to_numpy(dtype=bool)]] = True
    eligible = ~is_disqualified[backend]
    # Each eligible backend counts once for an instance, whatever the number of its rows.
    coverage = _distinct(pair, backend, eligible)
    backends = _distinct(group, backend, eligible)
    common = coverage[pair] == backends[group]
    left_out = np.bincount(group[first], weights=~common[first], minlength=_size(group))
    return common, left_out.astype(np.int64)[group]


def _distinct(
    groups: npt.NDArray[np.int64], backend: npt.NDArray[np.int64], eligible: Bools
) -> npt.NDArray[np.int64]:
    """The number of different eligible backends among the rows of each number in `groups`."""
    keys = pd.unique(groups[eligible] * np.int64(_size(backend)) + backend[eligible])
    counts: npt.NDArray[Any] = np.bincount(keys // max(1, _size(backend)), minlength=_size(groups))
    return counts.astype(np.int64)


def _size(number: npt.NDArray[np.int64]) -> int:
    return int(number.max()) + 1 if len(number) else 0
