"""Division of a sweep: each instance in one shard, equal shares of each dataset, deterministic."""

from hypothesis import given
from hypothesis import strategies as st

from harness.extensions.cluster.shards import NumberedInstance, addresses, divided
from harness.puzzles import Puzzle, Shape
from harness.puzzles.puzzle import Instance

_BLANK = Puzzle(Shape.parse("4x4"), (0,) * 16)


def instances(number: int, dataset: str = "some") -> list[NumberedInstance]:
    return [
        NumberedInstance(dataset, dataset, at, Instance(f"{at}", _BLANK))
        for at in range(1, number + 1)
    ]


@given(numbers=st.tuples(st.integers(1, 40), st.integers(0, 40)), data=st.data())
def test_every_instance_is_in_one_shard_and_each_shard_has_its_share(
    numbers: tuple[int, int], data: st.DataObject
) -> None:
    every = instances(numbers[0], "some") + instances(numbers[1], "other")
    shards, seed = data.draw(st.integers(1, len(every))), data.draw(st.integers(0, 3))
    members = divided(every, shards, seed)
    assert len(members) == shards
    assert sorted(id(each) for shard in members for each in shard) == sorted(map(id, every))
    assert all(shard == [each for each in every if each in shard] for shard in members)
    for dataset in ("some", "other"):
        shares = [sum(each.dataset == dataset for each in shard) for shard in members]
        assert max(shares) - min(shares) <= 1
    assert members == divided(every, shards, seed)


def test_another_seed_divides_otherwise() -> None:
    every = instances(40)
    assert divided(every, 4, 1) != divided(every, 4, 2)


def test_addresses_have_ranges_and_no_number_that_could_be_a_name() -> None:
    every = instances(9)
    chosen = [every[at] for at in (0, 2, 3, 4, 8)]
    assert addresses(chosen) == ["some/1,3-5,9"]
    assert addresses(every[3:4]) == ["some/4-4"]
