"""The any-shape kernel: odd houses, hidden sets, locked candidates, wide words and weights."""

import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.native_jit.search import Search, Work
from harness.puzzles import House, Puzzle, Shape
from harness.puzzles.patterns import pattern_grid
from tests.backends.oracle import backend_of, counted, jit

houses = partial(jit, spec="native-jit[kernel=houses]")


def odd_shape(size: int, swaps: int, seed: int) -> Shape:
    """A boxed shape whose regions have exchanged cells, so that they need not be connected."""
    rng, plain = random.Random(seed), Shape.parse(f"{size}x{size}")
    regions = [list(house.cells) for house in plain.houses if house.kind == "box"]
    for _ in range(swaps):
        first, second = rng.sample(regions, 2)
        place = rng.randrange(size)
        first[place], second[place] = second[place], first[place]
    lines = [house for house in plain.houses if house.kind != "box"]
    odd = [House("region", n, tuple(sorted(cells))) for n, cells in enumerate(regions)]
    return Shape(f"odd {size} {swaps} {seed}", size, (*lines, *odd))


@given(
    swaps=st.integers(0, 4),
    seed=st.integers(0, 2**32),
    share=st.floats(0.0, 0.6),
    limit=st.sampled_from([1, 2, 37]),
)
@settings(max_examples=60, deadline=None)
def test_counts_of_odd_regions_are_those_of_native(
    swaps: int, seed: int, share: float, limit: int
) -> None:
    size = 4
    shape, rng = odd_shape(size, swaps, seed), random.Random(seed)
    every = (1 << size) - 1
    marks = tuple(
        1 << rng.randrange(size) if rng.random() < share / 3 else every for _ in range(size**2)
    )
    puzzle = Puzzle(shape, (0,) * size**2, marks)
    expected = counted(backend_of("native", shape), puzzle, limit)
    assert counted(houses(shape), puzzle, limit) == expected


def test_three_values_that_share_three_places_leave_no_others() -> None:
    """In row 1, values 1 to 3 fit into the first three cells only, and cell R1C1 has 4 too."""
    shape = Shape.parse("latin7")
    every = (1 << 7) - 1
    marks = [every] * 49
    marks[:7] = [0b1111, 0b1111, 0b1111, *[0b1111000] * 4]
    puzzle = Puzzle(shape, (0,) * 49, tuple(marks))
    work = Work(search := Search(shape, "houses"), np.zeros((1, 49), np.uint8), 1, budget=1)
    work.begin(search.first_state(np.zeros(49, np.uint8), np.array(marks, np.int64)))
    assert work.advance()
    assert [int(state[0]) & 0b1000 for state in work.open_states()] == [0, 0]
    assert houses(shape).count(puzzle, 2).number == 2


def test_wide_words_give_the_counts_of_narrow_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = Shape.parse("4x4")
    narrow = houses(shape).count(Puzzle(shape, (0,) * 16), 1000)
    for module in ("board", "search"):
        monkeypatch.setattr(f"backends.native_jit.{module}.NARROW", 3)
    wide = houses(shape)
    count = wide.count(Puzzle(shape, (0,) * 16), 1000)
    assert (count.number, count.stats) == (narrow.number, narrow.stats)
    assert wide._search._type is np.int64


@pytest.mark.parametrize("heaviest", [1.0, 9.9e14])
def test_weights_stay_finite_and_positive(heaviest: float) -> None:
    shape = Shape.parse("9x9")
    search, rng = Search(shape, "houses"), random.Random(3)
    givens = np.zeros((1, 81), np.uint8)
    for cell in rng.sample(range(81), 26):
        givens[0, cell] = pattern_grid(shape)[cell]
    work = Work(search, givens, 2000)
    weights = np.ones(search.state + 1, np.float32)
    weights[-1] = heaviest
    work.begin(search.first_state(givens[0], None), weights)
    while work.advance():
        pass
    after = work.weights()
    assert after is not None
    assert np.isfinite(after).all()
    assert (after > 0).all()
    assert work.numbers[0] == houses(shape).count_many(givens, 2000).numbers[0]
