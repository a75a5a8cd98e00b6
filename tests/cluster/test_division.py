"""Division of a sweep: each instance in one shard, shards of equal time, always the same."""

from hypothesis import given
from hypothesis import strategies as st

from harness.cluster.shards import NumberedInstance, addresses, divided, numbers_by_source
from harness.puzzles import Puzzle, Shape
from harness.puzzles.puzzle import Instance

_BLANK = Puzzle(Shape.parse("4x4"), (0,) * 16)


def instances(number: int) -> list[NumberedInstance]:
    return [
        NumberedInstance("some", "some", at, Instance(f"{at}", _BLANK))
        for at in range(1, number + 1)
    ]


@given(
    seconds=st.lists(st.floats(0.001, 1_000.0), min_size=1, max_size=60),
    shards=st.integers(1, 80),
    seed=st.integers(0, 3),
)
def test_every_instance_is_in_one_shard(seconds: list[float], shards: int, seed: int) -> None:
    every = instances(len(seconds))
    found = divided(every, seconds, shards, seed)
    assert len(found) == min(shards, len(every))
    assert all(found)
    assert sorted(of.number for shard in found for of in shard) == list(range(1, len(every) + 1))
    assert all([of.number for of in shard] == sorted(of.number for of in shard) for shard in found)
    assert found == divided(every, seconds, shards, seed)


@given(
    seconds=st.lists(st.floats(0.001, 1_000.0), min_size=1, max_size=60), shards=st.integers(1, 9)
)
def test_the_longest_shard_is_within_four_thirds_of_the_best(
    seconds: list[float], shards: int
) -> None:
    found = divided(instances(len(seconds)), seconds, shards, 0)
    longest = max(sum(seconds[of.number - 1] for of in shard) for shard in found)
    # Graham's bound, relative to a lower bound of the optimum with its third term: the sum of
    # the two instances that share a shard in any division.
    ordered = sorted(seconds, reverse=True)
    pair = sum(ordered[shards - 1 : shards + 1]) if len(ordered) > shards else 0.0
    best = max(sum(seconds) / len(found), ordered[0], pair)
    assert longest <= 4 / 3 * best * 1.0001 + (longest - best if len(ordered) <= shards else 0)


def test_another_seed_divides_otherwise() -> None:
    every, seconds = instances(40), [1.0] * 40
    assert divided(every, seconds, 4, 1) != divided(every, seconds, 4, 2)


def test_addresses_have_ranges_and_no_number_that_could_be_a_name() -> None:
    every = instances(9)
    chosen = [every[at] for at in (0, 2, 3, 4, 8)]
    assert addresses(chosen) == ["some/1,3-5,9"]
    assert addresses(every[3:4]) == ["some/4-4"]
    assert numbers_by_source(every[3:4]) == {"some": "4"}
