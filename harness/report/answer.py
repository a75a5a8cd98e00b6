"""The answer of a run in one screen: what is fastest, by how much, and whether all agree.

All datasets count as one here, so there is one ranking for each question: a task with its
limits, start and machine. The tables of `harness.report.tables` show each dataset alone.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from harness.analysis import Run, compare_pairs, disturbances
from harness.analysis.measures import (
    DEFAULT,
    Criterion,
    FrameLayout,
    comparison_groups,
)
from harness.analysis.measures import columns as col
from harness.base.text import number_of, shortened
from harness.records import Start, Task, TimeKind, Verdict
from harness.report.formatting import PLAIN, Theme, multiple, shown_backend
from harness.report.render import text as terminal
from harness.report.table import ReportTable, Section, is_missing, tables_of
from harness.report.tables import left_out_notes, notes_of, unstable_backends
from harness.report.tables.agreement_tables import grouped_lines

_MOST_QUESTIONS: Final = 4
_MOST_FINDINGS: Final = 6
"""Maximum number of lines on disagreements, crashes and trials without an answer."""
_MOST_NAMED: Final = 3
"""Maximum number of backends that a sentence names where it lists equal or slower ones."""
_LETTER: Final = re.compile(r"[a-z]\d*")
"""One of the letters of groups: ``a``, and ``a1`` after ``z``."""


@dataclass(frozen=True)
class Ranking:
    """The backends on one question over all datasets, best first."""

    question: str
    """What distinguishes it from other questions of the run: ``count, warm start``."""
    rows: Mapping[str, Mapping[str, Any]]
    """The rows of the measure `pooled` by backend, those without a rank last."""
    pairs: Mapping[str, Mapping[str, Any]]
    """The comparisons of the first with each other ranked backend, by its label; see
    `compare_pairs`."""

    @property
    def with_rank(self) -> list[str]:
        """The backends that have a rank, best first."""
        return [name for name, row in self.rows.items() if not is_missing(row["rank"])]

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.question, self.sentence)))

    @property
    def sentence(self) -> str:
        """Which backends are fastest, and how many times as long the others take."""
        wrong = [name for name, row in self.rows.items() if row["wrong"]]
        not_ranked = [f"{_enumeration(wrong)} gave WRONG answers"] if wrong else []
        if not self.with_rank:
            return "; ".join(not_ranked) or "no instance is common to all backends"
        return "; ".join([*self._verdict(), *not_ranked])

    def _verdict(self) -> Iterator[str]:
        first, *others = self.with_rank
        row = self.rows[first]
        instances = number_of(
            row["instances"], "call" if row["start"] == Start.BATCH else "instance"
        )
        if not row["answered"]:
            yield f"no backend answered any of {instances}"
            return
        if not others:
            yield f"{shown_backend(first)} answered {row['answered']:,} of {instances}"
            return
        equal = [name for name in others if is_equal(self.rows[name], row)]
        rest = [name for name in others if name not in equal]
        most = f"answered most ({row['answered']:,} of {instances})"
        fastest = f"{'are' if equal else 'is'} fastest"
        is_fastest = all(self.pairs[name]["factor"] >= 1 for name in rest)
        whom = f" from {shown_backend(first)}" if len(equal) > 1 else ""
        alike = f" (no significant difference{whom})" if equal else ""
        yield f"{_enumeration([first, *equal])} {fastest if is_fastest else most}{alike}"
        none = [name for name in rest if not self.rows[name]["answered"]]
        slower = [name for name in rest if name not in none]
        examples = slower if len(slower) <= _MOST_NAMED + 1 else slower[:_MOST_NAMED]
        if examples:
            verbs = (" takes", *[""] * len(examples))
            ends = (f" as long as {shown_backend(first)}", *[""] * len(examples))
            yield ", ".join(map(self._times, examples, verbs, ends))
        if factors := [self.pairs[name]["factor"] for name in slower[len(examples) :]]:
            yield f"{len(factors)} others up to {multiple(max(factors))} times"
        if none:
            yield f"{_enumeration(none)} answered none"
        if is_missing(row["groups"]):
            verb = "is" if row["instances"] == 1 else "are"
            yield f"{instances} {verb} too few for a significant difference"

    def _times(self, name: str, verb: str, end: str) -> str:
        """``milp takes more than 22 times as long (28 of 30 answered)``."""
        row, pair = self.rows[name], self.pairs[name]
        fewer = row["answered"] < self.rows[self.with_rank[0]]["answered"]
        more = " more than" if pair["only_backend"] and pair["factor"] > 1 else ""
        part = f" ({row['answered']:,} of {row['instances']:,} answered)" if fewer else ""
        return f"{shown_backend(name)}{verb}{more} {multiple(pair['factor'])} times{end}{part}"


def is_equal(row: Mapping[Any, Any], first: Mapping[Any, Any]) -> bool:
    """Whether a backend answered as many instances as the first, and shares a group with it."""
    if row["answered"] != first["answered"] or is_missing(row["groups"]):
        return False
    return bool({*_LETTER.findall(row["groups"])} & {*_LETTER.findall(first["groups"])})


def rankings(run: Run) -> list[Ranking]:
    """The ranking of each question of a run, in its order."""
    rows: dict[tuple[str, ...], dict[str, Mapping[str, Any]]] = {}
    members = run.pooled().to_dict("records")
    for row in sorted(members, key=lambda row: list(Task).index(row["task"])):
        columns = {str(name): value for name, value in row.items()}
        rows.setdefault(_key(columns), {})[str(row["backend"])] = columns
    fields = {
        _key(group.key): group.eligible()
        for group in comparison_groups(
            run.pooled_results, run.criterion, run.pooled_process_results
        )
    }
    questions = _questions([next(iter(by_backend.values())) for by_backend in rows.values()])
    every = []
    for question, (key, by_backend) in zip(questions, rows.items(), strict=True):
        order = fields[key].order if fields[key].puzzles.size else []
        pairs = compare_pairs(fields[key], [(order[0], other) for other in order[1:]])
        every.append(Ranking(question, by_backend, {str(pair["other"]): pair for pair in pairs}))
    return every


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in col.COMPARISON_GROUP if name != "dataset")


def _questions(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The values that distinguish each question from the others, in words."""
    varying = [n for n in col.COMPARISON_GROUP if len({str(row[n]) for row in rows}) > 1]
    words = [", ".join(filter(None, (_in_words(n, row) for n in varying))) for row in rows]
    return [text.replace("count, count to ", "count to ") for text in words]


def _in_words(name: str, row: Mapping[str, Any]) -> str:
    value = row[name]
    if name == "limit" and row["task"] == Task.SOLVE:
        return ""
    if is_missing(value) or not value:
        return _ABSENT.get(name, "")
    words = _WORDS[name].format(value)
    return shortened(words) if name in ("scramble", "host") else words


_WORDS: Final = {
    **dict.fromkeys(("task", "time"), "{}"),
    "scramble": "scramble {}",
    "start": "{} start",
    "limit": "count to {}",
    "timeout_s": "limit {:g} s",
    "cpu_limit_s": "CPU time limit {:g} s",
    "memory_limit_mib": "{} MiB",
    "host": "on {}",
}
"""The words for a value that distinguishes a question from others."""
_ABSENT: Final = {
    "scramble": "not scrambled",
    "cpu_limit_s": "no CPU time limit",
    "memory_limit_mib": "no memory limit",
    "host": "on an unknown machine",
}
"""The words for the lack of a value that other questions have."""


def _enumeration(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b, c and 7 others``."""
    texts = [shown_backend(name) for name in names]
    if len(texts) > _MOST_NAMED + 1:
        texts = [*texts[:_MOST_NAMED], f"{len(texts) - _MOST_NAMED} others"]
    *most, last = texts
    return f"{', '.join(most)} and {last}" if most else last


# Commands that show more.


def command_options(time: str, criterion: Criterion, *, across_machines: bool = False) -> list[str]:
    """The options of the command that makes a page; `time` is the value of `--time`."""
    options = [] if time == TimeKind.WALL else ["--time", time]
    options += ["--across-machines"] if across_machines else []
    least = [] if criterion == DEFAULT else ["--least-factor", f"{criterion.least_factor:g}"]
    return options + least


# The sections of the answer: sentences, one table, and what a reader must know about it.


def text(run: Run, width: int = terminal.WIDTH, theme: Theme = PLAIN) -> str:
    """The answer for a terminal of `width` columns."""
    return terminal.text(sections(run), width, theme, run.backends)


def sections(run: Run) -> list[Section]:
    """The answer: what is fastest, then a table, then what a reader must know about both."""
    every = rankings(run)
    first_ones = every[:_MOST_QUESTIONS]
    most = terminal.most_rows(run.backends) // max(1, len(first_ones))
    notes = (*_more_lines(every, most), *_findings(run), *_notes(run))
    sentences = _sentences(run, first_ones)
    if causes := disturbances(run.invocations):
        doubt = f"times may be unreliable ({', '.join(causes)}); repeat on an idle machine"
        sentences = replace(sentences, notes=(*sentences.notes, doubt))
    return [sentences, Section("", tuple(_tables(first_ones, most)), notes)]


def key_results(run: Run) -> list[Section]:
    """The answer for a page: all questions and backends, without what the page has as warnings."""
    every = rankings(run)
    notes = (*_legend(run), *notes_of(run), *left_out_notes(run))
    return [_sentences(run, every), Section("", tuple(_tables(every)), notes)]


def _sentences(run: Run, all_rankings: Sequence[Ranking]) -> Section:
    headline = [run.progress.headline] if run.progress.headline else []
    return Section("", (), (*headline, *map(str, all_rankings), _agreement(run)))


def _agreement(run: Run) -> str:
    """Whether all answers of a run agree, and whether all solutions passed the check."""
    agreement = run.agreement()
    puzzles = number_of(agreement.puzzles, "puzzle")
    if agreement.disagreements:
        return f"answers DISAGREE on {len(agreement.disagreements):,} of {puzzles}"
    if agreement.not_compared:
        return f"no answers were compared: {agreement.not_compared}"
    part = "" if agreement.compared == agreement.puzzles else f" ({agreement.compared:,} compared)"
    has_solutions = (run.trials["verdict"] == Verdict.SOLVED).any()
    solutions = ", and all solutions are right" if has_solutions else ""
    return f"all answers on {puzzles}{part} agree{solutions}"


def _tables(all_rankings: Sequence[Ranking], most: int | None = None) -> list[ReportTable]:
    """One table: the `most` best backends on each question."""
    rows = [
        {
            "question": ranking.question,
            "factor": 1.0 if [name] == ranking.with_rank[:1] else None,
            **row,
            **ranking.pairs.get(name, {}),
            "backend": name,
        }
        for ranking in all_rankings
        for name, row in list(ranking.rows.items())[:most]
    ]
    return tables_of(_ANSWER, _ANSWER.frame(rows), "")


_ANSWER: Final = FrameLayout(
    name="answer",
    title="",
    columns=(
        col.text(
            "question",
            "What distinguishes the question from the others.",
            "question",
            shown_if=col.varies("question"),
        ),
        col.BACKEND,
        col.INSTANCES,
        col.optional(col.ANSWERED),
        col.seconds("mean_s", "Geometric mean of times, failures at T.", "gmean"),
        col.ratio("factor", "Geometric mean of its time over the time of the first.", "factor"),
        col.seconds("total_s", "Sum of times, failures at T.", "total"),
        col.GROUPS,
    ),
    order="question backend answered mean_s factor total_s groups",
)


def _more_lines(every: Sequence[Ranking], most: int) -> Iterator[str]:
    """What a table with `most` backends for each question leaves out."""
    if (remaining := max((len(ranking.rows) for ranking in every), default=0) - most) > 0:
        yield f"... and {number_of(remaining, 'more backend')}: --table pooled"
    if (more := len(every) - _MOST_QUESTIONS) > 0:
        yield f"... and {number_of(more, 'more question')}: --all"


def _findings(run: Run) -> Iterator[str]:
    """Disagreements, crashes and trials without an answer."""
    *findings, _ = grouped_lines(run.agreement())
    yield from findings[:_MOST_FINDINGS]
    if len(findings) > _MOST_FINDINGS:
        yield "... and more: --all"


def _legend(run: Run) -> Iterator[str]:
    if run.trials.empty:
        return
    has_calls = (run.trials["start"] == Start.BATCH).any()
    calls = " (one for a call of batch start)" if has_calls else ""
    letters = "; group: backends that share a letter are not significantly different"
    yield (
        f"order: instances{calls} answered, then gmean, the geometric mean of {run.time.noun}s "
        "(failures at the limit); factor: time over that of the first; total: sum of times"
        f"{letters if col.GROUPS.shown_if(run.pooled()) else ''}"
    )


def _notes(run: Run) -> Iterator[str]:
    yield from _legend(run)
    if unstable := sum(number for _, _, number, _ in unstable_backends(run.stability())):
        yield f"unstable: times of {number_of(unstable, 'result')} differ between repetitions"
    yield from notes_of(run)
    absent = list(left_out_notes(run))
    yield from absent[:_MOST_NAMED]
    if more := len(absent[_MOST_NAMED:]):
        yield f"left out: {number_of(more, 'more backend')}"
