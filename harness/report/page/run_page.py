"""The page of a run."""

import shlex
from collections.abc import Iterator

import pandas as pd

from harness.analysis.inference import DEFAULT
from harness.analysis.pairwise import pairwise
from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.analysis.times import backends_without
from harness.records.time_kind import TimeKind
from harness.report.charts import theme
from harness.report.formatting import number_of, printable, shortened
from harness.report.page.data import run_data
from harness.report.page.document import document
from harness.report.page.environment import run_environment
from harness.report.page.libraries import chart_libraries
from harness.report.page.parts import first_trial_time, listing, tables
from harness.report.page.times import TimeView, TimeViews
from harness.report.page.trials import selected_trials
from harness.report.page.warnings import warnings_of
from harness.report.table import is_missing
from harness.report.tables import contents
from harness.report.tables.progress import left_out_notes, progress_sections
from harness.report.tables.sentences import sentences


def html(run: Run) -> str:
    """Render the report of `run` as the text of an HTML file; see `document`.

    The page has every table and chart, and all trials up to 20,000 or a sample
    of more. Its size is bounded for a run of any size.
    """
    chart_libraries()
    times = _times(run)
    sample = selected_trials(run.trials, run.answers)
    command = ["harness", "report", *map(str, (run.folder, *run.others)), "--format", "html"]
    context = {
        "about": _about(run),
        "warnings": warnings_of(run),
        "display_names": theme.display_names(run.backends),
        "key_results": [(view.value, *_key_results(view.shown)) for view in times.views],
        "times": times,
        "meaningful": f"{run.criterion.least_factor:g}",
        "alpha": f"{run.criterion.alpha:g}",
        "tables": tables(times, lambda run: [*progress_sections(run), *contents.sections(run)]),
        "trials_note": sample.note,
        "environment": run_environment(run),
        "command": shlex.join([*command, *_options(run)]),
    }
    return document("run.html.j2", run_data(times, sample), context)


def _options(run: Run) -> Iterator[str]:
    """The options of the command that makes the page."""
    if run.time is not TimeKind.WALL:
        yield from ("--time", str(run.time))
    if run.joined and not run.shards:
        yield "--across-machines"
    if run.criterion != DEFAULT:
        yield from ("--least-factor", f"{run.criterion.least_factor:g}")


def _times(run: Run) -> TimeViews[Run]:
    """The run by its own time and, if all right answers have the other time, by that."""
    views = [TimeView(str(run.time), run.time.noun, run)]
    other = run.time.other
    missing = backends_without(run.trials, other)
    if missing:
        number = number_of(sum(missing.values()), "right answer")
        return TimeViews(views, f"{other.noun} is not recorded for {number}")
    return TimeViews([*views, TimeView(str(other), other.noun, run.timed(other))])


def _about(run: Run) -> dict[str, str]:
    """The size, place and time of the run as text."""
    summary = run.summary()
    datasets = summary["dataset"].unique()
    hosts = [shortened(host) or "an unknown machine" for host in run.hosts]
    texts = {
        "trials": _trials(run),
        "backends": number_of(len(run.backends), "backend"),
        "instances": number_of(
            len(run.trials[["dataset", "puzzle_id"]].drop_duplicates()), "instance"
        ),
        "datasets": listing([shortened(str(name), 40) for name in datasets]),
        "tasks": ", ".join(sorted(map(str, summary["task"].unique()))),
        "starts": ", ".join(sorted(map(str, summary["start"].unique()))),
        "machines": listing(hosts),
        "time": first_trial_time(run),
    }
    return {name: printable(text) for name, text in texts.items()}


def _key_results(run: Run) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Notes, and what `_sentences` yields."""
    notes = [*contents.notes_of(run), *left_out_notes(run)]
    return list(map(printable, notes)), list(_sentences(run))


def _trials(run: Run) -> str:
    """The number of trials, of those that were planned if some are missing."""
    progress = run.progress
    if progress.missing and progress.planned is not None:
        return f"{progress.done:,} of {number_of(progress.planned, 'trial')}"
    return number_of(len(run.trials), "trial")


def _sentences(run: Run) -> Iterator[tuple[str, list[str]]]:
    """A title and a sentence on each backend, for each comparison group with datasets pooled."""
    several = run.summary()["dataset"].nunique() > 1
    ranked = run.pooled() if several else run.ranks()
    paired = pairwise(run.pooled_results, run.criterion) if several else run.pairwise()
    pairs_of = dict(_by_group(paired))
    for key, rows in sorted(_by_group(ranked), key=lambda part: str(part[0])):
        group = dict(zip(COMPARISON_GROUP, key, strict=True))
        title = contents.group_title(group, None, len(run.hosts) > 1)
        if left_out := int(rows["left_out"].max()):
            kept = number_of(int(rows["instances"].max()), "instance")
            title += f"; over {kept} that all backends were run on, {left_out:,} left out"
        found = sentences(rows, pairs_of.get(key, paired.iloc[:0]))
        yield printable(title), [printable(sentence) for sentence in found]


def _by_group(frame: pd.DataFrame) -> Iterator[tuple[tuple[object, ...], pd.DataFrame]]:
    for key, rows in frame.groupby(COMPARISON_GROUP, sort=False, dropna=False):
        yield tuple(None if is_missing(value) else value for value in key), rows
