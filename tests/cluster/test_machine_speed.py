"""Machines that become slower or noisier between shards are noticed, named and avoided."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import structs

from harness.analysis.run import load
from harness.cluster.coordinator import Change, Coordinator, CoordinatorObserver, MachineSpeed
from harness.cluster.engine import Event, JobEnded, JobResult, Probe, probe
from harness.cluster.shards import ShardPlan
from harness.records.merge import Collection
from tests.cluster.test_coordinator import Results, Unreliable, trials_of


def test_a_probe_takes_a_tenth_of_a_second_and_is_steady() -> None:
    found = probe()
    assert 1e-4 < found.seconds < 0.05
    assert found.spread >= 1


@pytest.mark.parametrize(
    ("probes", "expected"),
    [
        ([(1.0, 1.1)] * 4, []),
        ([(1.0, 1.1), (1.2, 1.2), (1.24, 1.3)], []),
        ([(1.0, 1.1), (1.7, 1.1), (1.8, 1.1)], ["1.7 times slower than before"]),
        ([(1.7, 1.1), (1.0, 1.1), (1.7, 1.1)], ["1.7 times slower than before"]),
        ([(1.0, 1.1), (1.0, 2.0)], ["noisier than before: times vary by 2.0"]),
        ([(1.0, 2.0), (1.0, 2.0)], []),
    ],
)
def test_changes_are_relative_to_the_best_probe(
    probes: list[tuple[float, float]], expected: list[str]
) -> None:
    speed = MachineSpeed()
    found = [c for of in probes for c in speed.changes("here", Probe(*of))]
    assert [change.what for change in found] == expected
    assert all(change.host == "here" for change in found)


def test_each_machine_has_probes_of_its_own() -> None:
    speed = MachineSpeed()
    assert speed.changes("fast", Probe(1.0, 1.1)) == []
    assert speed.changes("slow", Probe(2.0, 1.1)) == []
    assert not speed.is_slower("slow", Probe(2.1, 1.1))


def with_probe(result: JobResult, host: str, seconds: float) -> JobResult:
    return structs.replace(result, host=host, probe=Probe(seconds, 1.1))


@pytest.mark.long
@pytest.mark.parametrize("repeats", [False, True])
def test_shards_of_a_slower_machine_are_named_and_repeated_on_request(
    plan: ShardPlan, results: Results, folder: Path, repeats: bool
) -> None:
    seen: list[Change] = []

    class Notes(CoordinatorObserver):
        def changed_machine(self, change: Change) -> None:
            seen.append(change)

    class Slows(Unreliable):
        """The first place becomes slower after its first shard."""

        ended = 0

        def events(self, timeout_s: float) -> Sequence[Event]:
            return [self.probed(event) for event in super().events(timeout_s)]

        def probed(self, event: Event) -> Event:
            if not isinstance(event, JobEnded):
                return event
            self.ended += event.place == "one"
            seconds = 1.7 if event.place == "one" and self.ended > 1 else 1.0
            return JobEnded(event.key, event.place, with_probe(event.result, event.place, seconds))

    engine = Slows(results, 3, bad=0)
    engine._places = {"one", "two"}
    with closing(Collection(folder, plan.name)) as collection:
        coordinator = Coordinator(plan, collection, engine, Notes(), repeats_slow=repeats)
        status = coordinator.run()
    assert status.is_complete
    assert len(trials_of(folder)) == 12
    assert engine.ended > 1
    assert seen == [Change("one", "1.7 times slower than before")]
    incidents = load(folder).incidents()
    assert incidents["detail"].tolist() == ["one is 1.7 times slower than before"]
    assert ("one" in status.excluded) == repeats
