"""Documents of ``--json``, filled from the objects of a run, its analysis and reasoning."""

from collections.abc import Iterable, Sequence

from msgspec import convert

from harness.analysis.agreement import Agreement
from harness.analysis.comparison import Comparison
from harness.analysis.run import Run
from harness.analysis.trend import Trend
from harness.puzzles.puzzle import line_of
from harness.puzzles.shape import Shape, symbol_of
from harness.reasoning import trace
from harness.reasoning.trace import branch_name, words_of
from harness.report import documents
from harness.report.render.data import rows
from harness.report.tables import comparison, remarks

# Documents of ``--json``, filled from the objects of a run and its analysis.


def agreement_data(found: Agreement) -> documents.AgreementData:
    """The comparison of all answers."""
    return documents.AgreementData(
        agreed=found.agreed,
        puzzles=found.puzzles,
        questions=found.questions,
        compared=found.compared,
        not_compared=found.not_compared,
        disagreements=convert(
            found.disagreements, list[documents.DisagreementData], from_attributes=True
        ),
        unanswered=found.unanswered,
        failures=convert(found.failures, list[documents.FailureData], from_attributes=True),
        without_answer=[*found.without_answers],
    )


def reported(run: Run, names: Sequence[str]) -> documents.Reported:
    """The report with these tables."""
    return documents.Reported(
        folders=[str(folder) for folder in (run.folder, *run.others)],
        hosts=[*run.hosts],
        backends=[*run.backends],
        trials=len(run.trials),
        progress=convert(run.progress.as_dict(), documents.ProgressData),
        tables={name: rows(run.measure(name)) for name in names},
        notes=[*remarks(run)],
        agreement=agreement_data(run.agreement()),
    )


def trended(found: Trend, names: Sequence[str]) -> documents.Trended:
    """The trend with these tables."""
    return documents.Trended(
        folders=[str(run.folder) for run in found.sources],
        slowed=found.slowed,
        notes=[*found.notes],
        tables={name: rows(found.frame(name)) for name in names},
    )


def compared(
    found: Comparison, before: Run, after: Run, names: Sequence[str]
) -> documents.Compared:
    """The comparison with these tables."""
    return documents.Compared(
        before=str(before.folder),
        after=str(after.folder),
        regressed=found.regressed,
        suspected=found.suspected,
        times={
            backend: documents.TimeData(time=str(choice.kind), reason=choice.reason)
            for backend, choice in found.choices.items()
        },
        unequal=convert(found.unequal, list[documents.DifferenceData], from_attributes=True),
        partial=[*found.partial],
        changes=comparison.numbers_of_changes(found),
        only_before=found.only_before,
        only_after=found.only_after,
        notes=[*comparison.notes(found)],
        tables={name: rows(found.frame(name)) for name in comparison.TABLES if name in names},
    )


# Documents of events and candidates, filled from the objects of reasoning.


_KINDS = {
    trace.Assigned: "assigned",
    trace.Eliminated: "eliminated",
    trace.BranchPoint: "options",
    trace.DeadEnd: "dead end",
    trace.Reset: "reset",
    trace.SolutionFound: "solved",
}


def event_data(event: trace.Event, shape: Shape) -> documents.EventData:
    """An event as a document."""
    data = documents.EventData(
        kind=_KINDS[type(event)],
        branch=branch_name(event.branch),
        cells=[],
        value=None,
        options=[],
        number=None,
        rule=None,
        removed=[],
        solution=None,
        words=words_of(event, shape),
    )
    match event:
        case trace.Assigned(cell=cell, value=value, options=number, rule=rule):
            data.cells, data.value, data.number = [shape.cell_name(cell)], symbol_of(value), number
            data.rule = rule.name if rule else None
        case trace.Eliminated(rule=rule, conclusion=conclusion):
            data.rule, data.removed = rule.name, candidates(conclusion.candidates, shape)
        case trace.BranchPoint(cell=cell, values=values):
            data.cells, data.options = [shape.cell_name(cell)], [*map(symbol_of, values)]
        case trace.DeadEnd(cell=cell, rule=rule):
            data.cells, data.rule = [shape.cell_name(cell)], rule.name if rule else None
        case trace.Reset(cells=cells):
            data.cells = [*map(shape.cell_name, cells)]
        case trace.SolutionFound(grid=grid):
            data.solution = line_of(grid)
    return data


def candidates(pairs: Iterable[tuple[int, int]], shape: Shape) -> list[documents.CandidateData]:
    """Candidates with the names of cells and values."""
    return [documents.CandidateData(cell=shape.cell_name(c), value=symbol_of(v)) for c, v in pairs]
