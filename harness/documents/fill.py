"""Documents of ``--json``, filled from the objects of a run and its analysis."""

from collections.abc import Sequence
from dataclasses import asdict

from msgspec import convert

from harness.analysis.agreement import Agreement
from harness.analysis.comparison import LAYOUTS, Comparison
from harness.analysis.run import Run
from harness.analysis.trend import Trend
from harness.documents.agreement import AgreementData, DisagreementData, FailureData
from harness.documents.answers import ReplyData
from harness.documents.comparisons import Compared, DifferenceData, TimeData, Trended
from harness.documents.runs import ProgressData, Reported
from harness.report.render.rows import rows
from harness.report.reply import Reply
from harness.report.tables import comparison, remarks, trend


def reply_data(reply: Reply) -> ReplyData:
    """The answer of one backend."""
    return ReplyData(
        backend=reply.backend,
        verdict=str(reply.verdict),
        solution=reply.solution,
        count=reply.count,
        exact=reply.exact,
        wall_s=reply.wall_s,
        cpu_s=reply.cpu_s,
        phases=dict(reply.phases),
        stats=dict(reply.stats),
        reason=reply.reason,
    )


def agreement_data(found: Agreement) -> AgreementData:
    """The comparison of all answers."""
    return AgreementData(
        agreed=found.agreed,
        puzzles=found.puzzles,
        questions=found.questions,
        compared=found.compared,
        not_compared=found.not_compared,
        disagreements=[convert(asdict(d), DisagreementData) for d in found.disagreements],
        unanswered=found.unanswered,
        failures=[FailureData(**asdict(failure)) for failure in found.failures],
        without_answer=[*found.without_answers],
    )


def reported(run: Run, names: Sequence[str]) -> Reported:
    """The report with these tables."""
    return Reported(
        folders=[str(folder) for folder in (run.folder, *run.others)],
        hosts=[*run.hosts],
        backends=[*run.backends],
        trials=len(run.trials),
        progress=convert(run.progress.as_dict(), ProgressData),
        tables={name: rows(run.measure(name)) for name in names},
        notes=[*remarks(run)],
        agreement=agreement_data(run.agreement()),
    )


def trended(found: Trend, names: Sequence[str]) -> Trended:
    """The trend with these tables."""
    return Trended(
        folders=[str(run.folder) for run in found.sources],
        slowed=found.slowed,
        notes=[*found.notes],
        tables={name: rows(trend.frame_of(found, name)) for name in names},
    )


def compared(found: Comparison, before: Run, after: Run, names: Sequence[str]) -> Compared:
    """The comparison with these tables."""
    return Compared(
        before=str(before.folder),
        after=str(after.folder),
        regressed=found.regressed,
        suspected=found.suspected,
        times={
            backend: TimeData(time=str(choice.kind), reason=choice.reason)
            for backend, choice in found.choices.items()
        },
        unequal=[DifferenceData(**asdict(difference)) for difference in found.unequal],
        partial=[*found.partial],
        changes=comparison.numbers_of_changes(found),
        only_before=found.only_before,
        only_after=found.only_after,
        notes=[*comparison.notes(found)],
        tables={
            layout.name: rows(found.frame(layout)) for layout in LAYOUTS if layout.name in names
        },
    )
