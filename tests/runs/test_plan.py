"""Plans: every trial once, in an order that follows from the seed."""

from collections import Counter
from dataclasses import replace
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from harness.contract.options import BackendSpec
from harness.puzzles import Dataset, Instance, Shape
from harness.puzzles.patterns import pattern_puzzle
from harness.records.question import Configuration, Question, Start, Task, Verdict
from harness.records.trial import Ending, Outcome, Trial, TrialRecord
from harness.runs.plan import SweepPlan, TurnLength
from harness.runs.sweep import Sweep

CONFIGURATIONS = [Configuration(BackendSpec(name), None, {}) for name in ("one", "two")]


def dataset(name: str, shapes: list[str]) -> Dataset:
    instances = tuple(
        Instance(f"{spec}/{blank}", pattern_puzzle(Shape.parse(spec), blank))
        for spec in shapes
        for blank in range(2, 16)
    )
    return Dataset(name, instances)


DATASETS = [dataset("small", ["4x4", "6x6"]), dataset("large", ["9x9"])]


def plan_of(sweep: Sweep) -> SweepPlan:
    return SweepPlan(sweep, CONFIGURATIONS, DATASETS)


def trials_of(sweep: Sweep) -> list[Trial]:
    return [trial for batch in plan_of(sweep).batches() for trial in batch.trials]


@given(
    st.integers(0, 99),
    st.integers(1, 3),
    st.sets(st.sampled_from(Task), min_size=1),
    st.sets(st.sampled_from(Start), min_size=1),
)
@settings(max_examples=20)
def test_every_trial_is_planned_once(
    seed: int, repeat: int, tasks: set[Task], starts: set[Start]
) -> None:
    sweep = Sweep(
        ("small", "large"),
        ("one", "two"),
        tuple(sorted(tasks)),
        starts=tuple(sorted(starts)),
        repeat=repeat,
        seed=seed,
    )
    trials = trials_of(sweep)
    keys = Counter(
        (t.backend, t.dataset, t.instance.puzzle.id, t.question, t.repetition) for t in trials
    )
    assert set(keys.values()) == {1}
    assert len(trials) == plan_of(sweep).trials
    assert len(trials) == 42 * 2 * len(tasks) * len(starts) * repeat


def test_the_same_seed_gives_the_same_order_and_another_a_different_one() -> None:
    sweep = Sweep(("small",), ("one",))
    other = Sweep(("small",), ("one",), seed=1)
    assert trials_of(sweep) == trials_of(sweep)
    assert trials_of(sweep) != trials_of(other)


def test_a_batch_has_one_backend_one_question_and_one_shape() -> None:
    sweep = Sweep(("small", "large"), ("one", "two"), (Task.SOLVE, Task.COUNT))
    for batch in plan_of(sweep).batches():
        assert {trial.backend for trial in batch.trials} == {batch.backend}
        assert {trial.question for trial in batch.trials} == {batch.question}
        assert len({trial.instance.puzzle.shape for trial in batch.trials}) == 1


@given(
    st.integers(1, 5),
    st.integers(1, 12),
    st.sets(st.sampled_from(Start), min_size=1),
)
@settings(max_examples=30)
def test_processes_follow_each_other_and_share_the_trials_of_every_backend(
    repeat: int, processes: int, starts: set[Start]
) -> None:
    plain = Sweep(("small", "large"), ("one", "two"), starts=tuple(sorted(starts)), repeat=repeat)
    sweep = replace(plain, processes=processes)
    trials = trials_of(sweep)
    numbers = [trial.process for trial in trials]
    assert numbers == sorted(numbers)
    assert [trial.process for trial in trials_of(plain)] == [1] * len(trials)
    assert Counter(structs.replace(t, process=1) for t in trials) == Counter(trials_of(plain))
    for label, start in product(("one", "two"), starts - {Start.BATCH}):
        own = [t for t in trials if t.backend == label and t.question.start is start]
        shares = Counter(t.process for t in own)
        if processes <= 42 * repeat:
            assert set(shares) == set(range(1, processes + 1))
        assert max(shares.values()) - min(shares.values()) <= 1
    for batch in plan_of(sweep).batches():
        assert {trial.process for trial in batch.trials} == {batch.process}


def test_what_is_done_is_left_out_and_the_order_of_the_rest_stays() -> None:
    sweep = Sweep(("small",), ("one", "two"))
    trials = trials_of(sweep)
    done = set(map(id, trials[::3]))
    keys = {(t.backend, t.instance.puzzle.id) for t in trials if id(t) in done}
    remaining = [
        trial
        for batch in plan_of(sweep).batches(lambda t: (t.backend, t.instance.puzzle.id) in keys)
        for trial in batch.trials
    ]
    assert remaining == [t for t in trials if (t.backend, t.instance.puzzle.id) not in keys]


def test_a_call_has_one_dataset_and_one_shape_and_all_backends_have_the_same_calls() -> None:
    sweep = Sweep(("small", "large"), ("one", "two"), starts=(Start.BATCH,), repeat=2)
    calls: dict[tuple[str | None, int], Counter[str]] = {}
    for batch in plan_of(sweep).batches():
        kinds = {(t.dataset, t.instance.puzzle.shape.spec) for t in batch.trials}
        assert len(kinds) == 1
        (name,) = {(trial.call, trial.repetition) for trial in batch.trials}
        calls.setdefault(name, Counter())[batch.backend] += len(batch.trials)
    assert len(calls) == 3 * 2
    assert all(sizes == {"one": 14, "two": 14} for sizes in calls.values())


def test_turns_last_two_milliseconds_with_at_most_64_instances() -> None:
    for seconds, size in (
        (5e-324, 64),
        (1e-5, 64),
        (7.9e-5, 20),
        (4.7e-4, 4),
        (0.0015, 1),
        (60.0, 1),
    ):
        pace = TurnLength()
        assert pace.instances("one") == 1
        pace.note([record("one", seconds), record("one", seconds)])
        assert pace.instances("one") == size


def test_a_slow_backend_or_instance_does_not_shorten_the_turns_of_a_fast_one() -> None:
    """The first call after another backend's turn takes several times as long as the next ones."""
    pace = TurnLength()
    pace.note([record("one", 1e-5)] * 20 + [record("one", 4.0), record("two", 60.0)])
    instances = tuple(replace(DATASETS[0].instances[0], name=str(number)) for number in range(100))
    sweep = Sweep(("many",), ("one", "two"))
    all_batches = [*SweepPlan(sweep, CONFIGURATIONS, [Dataset("many", instances)], pace).batches()]
    lengths = {
        name: [len(batch.trials) for batch in all_batches if batch.backend == name]
        for name in ("one", "two")
    }
    assert max(lengths["one"]) > 30
    assert lengths["two"] == [1] * 100
    assert {batch.backend for batch in all_batches[:3]} == {"one", "two"}


def record(backend: str, seconds: float) -> TrialRecord:
    instance = DATASETS[0].instances[0]
    question = Question(Task.SOLVE, 0, Start.WARM, 60.0)
    trial = Trial(backend, "small", instance, question, 1)
    return TrialRecord(trial, Outcome(ending=Ending.ANSWERED, wall_s=seconds), Verdict.SOLVED)


def test_measured_times_change_no_order_of_instances() -> None:
    sweep = Sweep(("large",), ("one",), repeat=2)
    fast = TurnLength()
    fast.note([record("one", 1e-5)])
    orders = []
    for pace in (TurnLength(), fast):
        plan_batches = SweepPlan(sweep, CONFIGURATIONS[:1], DATASETS[1:], pace).batches()
        orders.append([trial.instance.name for batch in plan_batches for trial in batch.trials])
    assert orders[0] == orders[1]
