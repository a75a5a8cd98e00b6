"""Delta debugging."""

from hypothesis import given
from hypothesis import strategies as st

from harness.extensions.fuzz.shrinking import needed


def test_the_needed_items_are_left() -> None:
    assert needed(range(100), lambda items: {3, 57, 98} <= {*items}) == [3, 57, 98]


def test_nothing_is_left_if_nothing_is_needed() -> None:
    assert needed([1, 2, 3], lambda _: True) == []


@given(st.integers(0, 40).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n)))))
def test_exactly_the_needed_set_is_left(case: tuple[int, set[int]]) -> None:
    number, wanted = case
    assert needed(range(number + 1), lambda items: wanted <= {*items}) == sorted(wanted)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20))
def test_no_single_item_can_be_left_out(items: list[int]) -> None:
    def fails(left: list[int]) -> bool:
        return sum(left) % 3 == sum(items) % 3

    left = needed(items, fails)
    assert fails(left)
    if left:
        assert not any(fails(left[:at] + left[at + 1 :]) for at in range(len(left)))
