"""The coordinator on an engine that loses, repeats, damages and refuses: each shard once."""

from collections import Counter, deque
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from harness.analysis.run import load
from harness.cluster.coordinator import ClusterStatus, Coordinator
from harness.cluster.engine import (
    Engine,
    Event,
    JobEnd,
    JobEnded,
    JobLost,
    JobResult,
    JobStarted,
    PlaceExcluded,
    ShardJob,
)
from harness.cluster.shards import ShardPlan
from harness.errors import InputError
from harness.records.merge import Collection
from harness.records.shard import ShardEvent
from harness.records.store_file import reading

Results = dict[int, list[JobResult]]


class Unreliable(Engine):
    """An engine that answers from `results`, and misbehaves at random."""

    def __init__(self, results: Results, seed: int, *, bad: float = 0.3, most: int = 3) -> None:
        self._results, self._random = results, Random(seed)
        self._bad, self._most = bad, most
        self._jobs: list[ShardJob] = []
        self._places = {"one", "two", "three"}
        self._queue: deque[Event] = deque()
        self.submitted: Counter[int] = Counter()
        self.forgotten = False

    def room(self) -> int:
        return self._most - len(self._jobs)

    def places(self) -> int:
        return len(self._places)

    def submit(self, job: ShardJob) -> None:
        self.submitted[job.number] += 1
        self._jobs.append(job)

    def exclude(self, place: str, reason: str) -> None:
        self._places.discard(place)
        self._queue.append(PlaceExcluded(place, reason))

    def events(self, timeout_s: float) -> Sequence[Event]:
        random = self._random
        if self._jobs and self._places:
            job = self._jobs.pop(random.randrange(len(self._jobs)))
            place = random.choice(sorted(self._places))
            if random.random() < 0.8:
                self._queue.append(JobStarted(job.key, place))
            result = random.choice(self._results[job.number])
            event: Event = JobEnded(job.key, place, result)
            if random.random() < self._bad:
                damaged = structs.replace(result, files={"shard.json": b"{"})
                stopped = structs.replace(result, end=JobEnd.STOPPED, files={})
                others: list[Event] = [JobEnded(job.key, place, damaged)]
                for _ in range(4):
                    others += [JobLost(job.key, "gone"), JobEnded(job.key, place, stopped)]
                event = random.choice(others)
            self._queue.append(event)
            if random.random() < self._bad:  # engines report things twice
                self._queue.append(event)
        found = list(self._queue)
        self._queue.clear()
        return found

    def forget(self) -> None:
        self.forgotten = True

    def close(self) -> None:
        pass


def trials_of(folder: Path) -> list[tuple[str, str, int]]:
    trials = load(folder).trials
    keys = zip(trials["puzzle"], trials["host"], trials["repetition"], strict=True)
    return sorted((str(a), str(b), int(c)) for a, b, c in keys)


def events_of(folder: Path, kind: ShardEvent) -> list[str]:
    with reading(folder) as db:
        query = "SELECT detail FROM events WHERE kind = ? ORDER BY rowid"
        return [detail for (detail,) in db.execute(query, (str(kind),))]


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 10**6))
def test_every_trial_is_there_once_whatever_the_engine_does(
    plan: ShardPlan, results: Results, tmp_path: Path, seed: int
) -> None:
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    folder.mkdir()
    engine = Unreliable(results, seed)
    with closing(Collection(folder, plan.name)) as collection:
        status = Coordinator(plan, collection, engine).run()
    assert status.done + len(status.failed) == 4
    trials = trials_of(folder) if status.done else []
    assert len(trials) == len(set(trials)) == 3 * status.done
    assert all(repetition == 1 for _, _, repetition in trials)
    assert engine.forgotten == status.is_complete
    assert status.running == status.waiting == 0


def test_a_second_coordinator_goes_on(plan: ShardPlan, results: Results, folder: Path) -> None:
    class Stops(Unreliable):
        def events(self, timeout_s: float) -> Sequence[Event]:
            if len(events_of(folder, ShardEvent.MERGED)) == 2:
                raise KeyboardInterrupt
            return super().events(timeout_s)

    with (
        closing(Collection(folder, plan.name)) as collection,
        pytest.raises(KeyboardInterrupt),
    ):
        Coordinator(plan, collection, Stops(results, 1, bad=0)).run()
    engine = Unreliable(results, 2, bad=0)
    with closing(Collection(folder, plan.name)) as collection:
        assert len(collection.merged) == 2
        status = Coordinator(plan, collection, engine).run()
    assert status.is_complete
    assert sum(engine.submitted.values()) == 2
    assert len(trials_of(folder)) == 12


def test_a_merged_shard_is_left_out_the_second_time_and_named(
    plan: ShardPlan, results: Results, folder: Path
) -> None:
    with closing(Collection(folder, plan.name)) as collection:
        first, second = results[1]
        added = collection.add(first.files)
        assert added is not None
        assert collection.add(second.files) is None
        assert collection.add(first.files) is None
    assert len(trials_of(folder)) == 3
    (merged,) = events_of(folder, ShardEvent.MERGED)
    assert merged == f"shard 1 of 4 of plan {plan.name}, attempt {added.attempt}"
    assert len(events_of(folder, ShardEvent.LEFT_OUT)) == 2
    with closing(Collection(folder, plan.name)) as collection:
        assert collection.merged == {1}
        assert collection.add(second.files) is None


def test_shards_of_another_plan_are_refused(
    plan: ShardPlan, results: Results, folder: Path
) -> None:
    with closing(Collection(folder, "0" * 12)) as collection, pytest.raises(InputError):
        collection.add(results[1][0].files)
    with closing(Collection(folder, plan.name)) as collection:
        collection.add(results[1][0].files)
    with pytest.raises(InputError, match="another folder"):
        Collection(folder, "0" * 12)


def test_without_machines_the_reasons_are_given(plan: ShardPlan, folder: Path) -> None:
    refused = {
        n: [JobResult(number=n, host="h", end=JobEnd.REFUSED, reason="ortools 1 here, 2 required")]
        for n in range(1, 5)
    }
    engine = Unreliable(refused, 0, bad=0)
    with closing(Collection(folder, plan.name)) as collection:
        coordinator = Coordinator(plan, collection, engine)
        with pytest.raises(InputError, match="one on h: ortools 1 here, 2 required"):
            coordinator.run()
    assert set(coordinator.status.excluded) == {"one", "two", "three"}


def test_a_shard_that_always_fails_is_given_up_and_named(
    plan: ShardPlan, results: Results, folder: Path
) -> None:
    failing = JobResult(number=2, host="h", end=JobEnd.FAILED, reason="no space left")
    with closing(Collection(folder, plan.name)) as collection:
        engine = Unreliable({**results, 2: [failing]}, 0, bad=0)
        status: ClusterStatus = Coordinator(plan, collection, engine).run()
    assert status.failed == {2: "h: no space left"}
    assert engine.submitted[2] == 3
    assert status.done == 3
    assert not engine.forgotten


def test_a_shard_that_one_machine_refuses_runs_on_another(
    plan: ShardPlan, results: Results, folder: Path
) -> None:
    class Refuses(Unreliable):
        """The first place has other software."""

        def events(self, timeout_s: float) -> Sequence[Event]:
            refused = JobResult(number=1, host="h", end=JobEnd.REFUSED, reason="other software")
            return [
                JobEnded(of.key, of.place, refused)
                if isinstance(of, JobEnded) and of.place == "one"
                else of
                for of in super().events(timeout_s)
            ]

    with closing(Collection(folder, plan.name)) as collection:
        status = Coordinator(plan, collection, Refuses(results, 3, bad=0)).run()
    assert status.is_complete
    assert set(status.excluded) == {"one"}
    assert len(trials_of(folder)) == 12
