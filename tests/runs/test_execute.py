"""Execution of a plan into a sink."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from harness.engine.supervisor import Supervisor
from harness.puzzles import Instance, Shape
from harness.puzzles.datasets.catalogue import Dataset
from harness.puzzles.patterns import pattern_puzzle
from harness.records.question import Configuration, Question, Start, Task, Verdict, WorkerEvent
from harness.records.trial import Batch, Trial, TrialRecord
from harness.runs.execution import MemorySink, Observer, execute
from harness.runs.plan import FixedPlan, SweepPlan, TrialFilter
from harness.runs.selection import expand_specs
from harness.runs.sweep import Sweep

SHAPE = Shape.parse("4x4")
INSTANCES = tuple(Instance(str(n), pattern_puzzle(SHAPE, n)) for n in range(2, 6))
QUESTION = Question.of(Task.SOLVE, 0, Start.COLD, 5.0)
PLAN = SweepPlan(
    Sweep(("d",), ("native",), repeat=2),
    [Configuration(spec, None, {}) for spec in expand_specs(["native"])],
    [Dataset("d", INSTANCES)],
)


class Recorder(Observer):
    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []

    def planned(self, trials: int, done: int) -> None:
        self.calls.append(("planned", (trials, done)))

    def planned_each(self, trials: Mapping[str, int], done: Mapping[str, int]) -> None:
        self.calls.append(("planned_each", (dict(trials), dict(done))))

    def began(self, batch: Batch) -> None:
        self.calls.append(("began", len(batch.trials)))

    def finished(self, results: Sequence[TrialRecord]) -> None:
        self.calls += [("finished", 1) for _ in results]

    def extended(self, trials: int) -> None:
        self.calls.append(("extended", trials))


class HalfDone(MemorySink):
    """A sink that had the first repetition before."""

    @property
    def is_done(self) -> TrialFilter | None:
        return lambda trial: trial.repetition == 1


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor(expand_specs(["native"])) as supervisor:
        supervisor.open()
        yield supervisor


def test_every_trial_of_a_plan_is_in_the_sink_and_announced(supervisor: Supervisor) -> None:
    sink, recorder = MemorySink(), Recorder()
    assert execute(supervisor, PLAN, sink, recorder) == (8, 0)
    assert len({(r.trial.instance.name, r.trial.repetition) for r in sink.records}) == 8
    assert {record.verdict for record in sink.records} == {Verdict.SOLVED}
    assert recorder.calls[0] == ("planned", (8, 0))
    assert recorder.calls[1] == ("planned_each", ({"native": 8}, {"native": 0}))
    assert [kind for kind, _ in recorder.calls].count("finished") == 8


def test_trials_that_the_sink_has_are_left_out(supervisor: Supervisor) -> None:
    sink, recorder = HalfDone(), Recorder()
    assert execute(supervisor, PLAN, sink, recorder) == (8, 4)
    assert {record.trial.repetition for record in sink.records} == {2}
    assert recorder.calls[0] == ("planned", (8, 4))
    assert recorder.calls[1] == ("planned_each", ({"native": 8}, {"native": 4}))


def test_a_fixed_plan_runs_its_batches(supervisor: Supervisor) -> None:
    trials = [Trial("native", "", instance, QUESTION, 1) for instance in INSTANCES]
    sink = MemorySink()
    assert execute(supervisor, FixedPlan([Batch("native", QUESTION, trials)]), sink) == (4, 0)
    assert [record.trial for record in sink.records] == trials


def test_events_of_workers_reach_the_sink(own_servers: None) -> None:
    events: list[WorkerEvent] = []
    sink = MemorySink()
    sink.add_event = events.append  # type: ignore[method-assign, assignment]
    with Supervisor(expand_specs(["native"])) as supervisor:
        supervisor.open()
        execute(supervisor, PLAN, sink)
    assert [event.kind for event in events] == ["imported", "forked", "warmed up"]
