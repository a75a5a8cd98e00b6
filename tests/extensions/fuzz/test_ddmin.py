"""Delta debugging."""

from hypothesis import given
from hypothesis import strategies as st

from harness.extensions.fuzz.shrinking import minimize


def test_the_needed_items_are_left() -> None:
    assert minimize(range(100), lambda items: {3, 57, 98} <= {*items}) == [3, 57, 98]


def test_nothing_is_left_if_nothing_is_needed() -> None:
    assert minimize([1, 2, 3], lambda _: True) == []


@given(st.integers(0, 40).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n)))))
def test_exactly_the_needed_set_is_left(case: tuple[int, set[int]]) -> None:
    number, causes = case
    assert minimize(range(number + 1), lambda items: causes <= {*items}) == sorted(causes)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20))
def test_no_single_item_can_be_left_out(items: list[int]) -> None:
    def fails(subset: list[int]) -> bool:
        return sum(subset) % 3 == sum(items) % 3

    minimal = minimize(items, fails)
    assert fails(minimal)
    if minimal:
        assert not any(fails(minimal[:at] + minimal[at + 1 :]) for at in range(len(minimal)))
