"""The coordinator: each shard once, whatever an engine does, and only runs without damage."""

import sqlite3
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from harness.analysis.run import load
from harness.base.errors import InputError, RunError
from harness.extensions.cluster.coordinator import ClusterStatus, Coordinator
from harness.extensions.cluster.engine import Engine, Files, JobEnd, JobResult, NextJob, ShardJob
from harness.extensions.cluster.shards import ShardPlan
from harness.records.folder.merging import Collection
from harness.records.folder.shard import ShardEvent
from harness.records.folder.store_file import reading

Results = dict[int, list[JobResult]]


class Unreliable(Engine):
    """An engine that answers from `results`, and misbehaves at random."""

    def __init__(self, results: Results, seed: int, *, bad: float = 0.3, most: int = 3) -> None:
        super().__init__()
        self._results, self._random = results, Random(seed)
        self._bad, self._most = bad, most
        self._places = ["one", "two", "three"]
        self.submitted: Counter[int] = Counter()
        self.forgotten = False

    def results(self, next_job: NextJob) -> Generator[JobResult]:
        random, jobs = self._random, list[ShardJob]()
        while places := [place for place in self._places if place not in self.refused]:
            while len(jobs) < self._most and (job := next_job()):
                self.submitted[job.number] += 1
                jobs.append(job)
            if not jobs:
                return
            job = jobs.pop(random.randrange(len(jobs)))
            result = self.result(job, random.choice(places))
            if random.random() < self._bad:
                bad_result = structs.replace(result, files={"shard.json": b"{"})
                stop = structs.replace(result, end=JobEnd.STOPPED, files={})
                result = random.choice([bad_result] + 4 * [stop])
            yield result
            if random.random() < self._bad:  # an engine may report a result twice
                yield result

    def result(self, job: ShardJob, place: str) -> JobResult:
        result = self._random.choice(self._results[job.number])
        self.note(place, result)
        return result

    def forget(self) -> None:
        self.forgotten = True


def carried_out(plan: ShardPlan, folder: Path, engine: Engine) -> ClusterStatus:
    """The end of a plan that an engine carries out into a folder."""
    with closing(Collection(folder, plan.name)) as collection:
        return Coordinator(plan, collection, engine).run()


@pytest.fixture
def collection(plan: ShardPlan, folder: Path) -> Iterator[Collection]:
    """The run into which the shards are merged."""
    with closing(Collection(folder, plan.name)) as collection:
        yield collection


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
    status = carried_out(plan, folder, engine)
    assert status.done + len(status.failed) == 4
    trials = trials_of(folder) if status.done else []
    assert len(trials) == len(set(trials)) == 3 * status.done
    assert all(repetition == 1 for _, _, repetition in trials)
    assert engine.forgotten == status.is_complete
    assert status.handed_out == status.waiting == 0


def test_a_second_coordinator_goes_on(plan: ShardPlan, results: Results, folder: Path) -> None:
    class Stops(Unreliable):
        def result(self, job: ShardJob, place: str) -> JobResult:
            if len(events_of(folder, ShardEvent.MERGED)) == 2:
                raise KeyboardInterrupt
            return super().result(job, place)

    with pytest.raises(KeyboardInterrupt):
        carried_out(plan, folder, Stops(results, 1, bad=0))
    assert len(events_of(folder, ShardEvent.MERGED)) == 2
    engine = Unreliable(results, 2, bad=0)
    assert carried_out(plan, folder, engine).is_complete
    assert sum(engine.submitted.values()) == 2
    assert len(trials_of(folder)) == 12


def test_a_merged_shard_is_left_out_later(plan: ShardPlan, results: Results, folder: Path) -> None:
    first, second = (result.files for result in results[1])
    with closing(Collection(folder, plan.name)) as collection:
        addition = collection.add_files(first)
        assert addition is not None
        assert collection.add_files(second) is collection.add_files(first) is None
    assert len(trials_of(folder)) == 3
    (event,) = events_of(folder, ShardEvent.MERGED)
    assert event == f"shard 1 of 4 of plan {plan.name}, attempt {addition.attempt}"
    assert len(events_of(folder, ShardEvent.LEFT_OUT)) == 2
    with closing(Collection(folder, plan.name)) as collection:
        assert collection.merged == {1}
        assert collection.add_files(second) is None


def test_shards_of_other_plans_are_refused(plan: ShardPlan, results: Results, folder: Path) -> None:
    with closing(Collection(folder, "0" * 12)) as collection, pytest.raises(InputError):
        collection.add_files(results[1][0].files)
    with closing(Collection(folder, plan.name)) as collection:
        collection.add_files(results[1][0].files)
    with pytest.raises(InputError, match="another folder"):
        Collection(folder, "0" * 12)


def test_without_machines_the_reasons_are_given(plan: ShardPlan, folder: Path) -> None:
    refusal = JobResult(number=1, host="h", end=JobEnd.REFUSED, reason="ortools 1 here, 2 required")
    refusals = {n: [structs.replace(refusal, number=n)] for n in range(1, 5)}
    engine = Unreliable(refusals, 0, bad=0)
    with closing(Collection(folder, plan.name)) as collection:
        coordinator = Coordinator(plan, collection, engine)
        with pytest.raises(InputError, match="one: ortools 1 here, 2 required"):
            coordinator.run()
    assert set(coordinator.status.refused) == {"one", "two", "three"}


def test_a_shard_that_fails_is_given_up(plan: ShardPlan, results: Results, folder: Path) -> None:
    failing = JobResult(number=2, host="h", end=JobEnd.FAILED, reason="no space left")
    engine = Unreliable({**results, 2: [failing]}, 0, bad=0)
    status = carried_out(plan, folder, engine)
    assert status.failed == {2: "h: no space left"}
    assert engine.submitted[2] == 3
    assert status.done == 3
    assert not engine.forgotten


def test_a_refused_shard_runs_elsewhere(plan: ShardPlan, results: Results, folder: Path) -> None:
    class Refuses(Unreliable):
        def result(self, job: ShardJob, place: str) -> JobResult:
            refusal = JobResult(number=job.number, host="h", end=JobEnd.REFUSED, reason="software")
            result = refusal if place == "one" else super().result(job, place)
            self.note(place, result)
            return result

    status = carried_out(plan, folder, Refuses(results, 2, bad=0))
    assert status.is_complete
    assert set(status.refused) == {"one"}
    assert len(trials_of(folder)) == 12


# What comes back from a machine is checked before it is added.


def damage(files: Files) -> Files:
    """The files with a wrong value in a cell of the store, which keeps its size."""
    with closing(sqlite3.connect(":memory:")) as db:
        store = files["trials.sqlite"]
        db.deserialize(store[:18] + b"\1\1" + store[20:])  # without a write-ahead log
        with db:
            db.execute("UPDATE trials SET repetition = -1 WHERE id = 1")
        return {**files, "trials.sqlite": db.serialize()}


def unseal(files: Files) -> Files:
    return {name: data for name, data in files.items() if not name.endswith(".sha256")}


@pytest.mark.long
def test_damaged_runs_are_refused(collection: Collection, results: Results, folder: Path) -> None:
    good = unseal(results[1][0].files)
    bad = damage(unseal(results[2][0].files))
    for _ in range(20):
        collection.add_files(good)
        with pytest.raises(RunError, match="damaged: repetition in row 1 of trials is -1"):
            collection.add_files(bad)
    assert collection.merged == {1}
    collection.add_files(results[2][0].files)
    assert set(load(folder).trials["verdict"]) == {"solved"}
    assert len(load(folder).trials) == 6


def test_a_damaged_run_is_refused(collection: Collection, results: Results, folder: Path) -> None:
    collection.add_files(results[2][0].files)
    for name, content, message in (
        ("trials.sqlite", None, "not a run"),
        ("trials.sqlite", b"", "changed since"),
        ("trials.sqlite.sha256", b"0" * 64, "changed since"),
        ("shard.json", None, "does not hold a run of a shard"),
        ("shard.json", b"{}", "not a record of a shard"),
        ("environment.json", None, "does not hold a run of a shard"),
        ("environment.json", b"[]", "not a record of invocations"),
    ):
        changed = results[1][0].files | {name: content}
        files = {name: data for name, data in changed.items() if data is not None}
        with pytest.raises(RunError, match=message):
            collection.add_files(files)
        assert collection.merged == {2}
    collection.add_files(results[1][0].files)
    assert len(load(folder).trials) == 6


def test_other_files_are_left_out(collection: Collection, results: Results, folder: Path) -> None:
    files = results[1][0].files | {"../evil.txt": b"x", "sweep.toml": b"x"}
    assert collection.add_files(files) is not None
    assert not (folder.parent / "evil.txt").exists()
    assert not (folder / "sweep.toml").exists()
