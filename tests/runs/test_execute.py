"""Execution of a plan into a sink."""

from collections.abc import Iterator, Sequence

import pytest

from harness.engine.supervisor import Supervisor
from harness.puzzles import Instance, Shape
from harness.puzzles.datasets.catalogue import Dataset
from harness.puzzles.patterns import pattern_puzzle
from harness.records.question import Configuration, Question, Start, Task, Verdict, WorkerEvent
from harness.records.trial import Batch, TrialRecord
from harness.runs.execution import Observer, Sink, execute
from harness.runs.plan import SweepPlan
from harness.runs.selection import expand_specs
from harness.runs.sweep import Sweep

SHAPE = Shape.parse("4x4")
INSTANCES = tuple(Instance(str(n), pattern_puzzle(SHAPE, n)) for n in range(2, 6))
QUESTION = Question(Task.SOLVE, 0, Start.COLD, 5.0)
PLAN = SweepPlan(
    Sweep(("d",), ("native",), repeat=2),
    [Configuration(spec, None, {}) for spec in expand_specs(["native"])],
    [Dataset("d", INSTANCES)],
)


class Recorder(Observer):
    def __init__(self) -> None:
        self.trials: dict[str, int] = {}

    def began(self, batch: Batch) -> None:
        self.trials["began"] = self.trials.get("began", 0) + len(batch.trials)

    def finished(self, results: Sequence[TrialRecord]) -> None:
        self.trials["finished"] = self.trials.get("finished", 0) + len(results)


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor(expand_specs(["native"])) as supervisor:
        supervisor.open()
        yield supervisor


def test_every_trial_of_a_plan_is_in_the_sink_and_announced(supervisor: Supervisor) -> None:
    sink, recorder = Sink(), Recorder()
    execute(supervisor, PLAN.batches(), sink, recorder, PLAN.pace)
    assert len({(r.trial.instance.name, r.trial.repetition) for r in sink.records}) == 8
    assert {record.verdict for record in sink.records} == {Verdict.SOLVED}
    assert recorder.trials == {"began": 8, "finished": 8}
    assert PLAN.pace._means["native"]._number == 8


def test_events_of_workers_reach_the_sink(own_servers: None) -> None:
    events: list[WorkerEvent] = []
    sink = Sink()
    sink.add_event = events.append  # type: ignore[method-assign, assignment]
    with Supervisor(expand_specs(["native"])) as supervisor:
        supervisor.open()
        execute(supervisor, PLAN.batches(), sink)
    assert [event.kind for event in events] == ["imported", "forked", "warmed up"]
