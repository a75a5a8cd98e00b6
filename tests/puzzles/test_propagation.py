"""Filters keep exactly the values that have a support, by enumeration."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.puzzles import Shape
from harness.puzzles.generate import pattern_grid
from harness.puzzles.primitives import Line, Primitive, Sum, ValueCount
from harness.puzzles.propagation import (
    MOST_COMBINATIONS,
    Sets,
    combinations_of,
    filters_of,
    propagate,
    strengthened,
)
from tests.puzzles.primitives import (
    CELLS,
    SIZE,
    allows,
    cages,
    choices,
    counts,
    domains,
    lines,
    lines_with_repeats,
    members,
    primitives,
    relations,
    sums,
)

APART = [tuple(other for other in range(CELLS) if other != cell) for cell in range(CELLS)]
"""The peers of cells that all differ."""
FREE: list[tuple[int, ...]] = [()] * CELLS


def supported(of: Primitive, of_cells: list[int], *, differ: bool = False) -> list[int]:
    """The values of each cell that some choice has which a primitive allows."""
    found = [0] * CELLS
    for values in choices(of_cells):
        if allows(of, values) and not (differ and len(set(values)) < CELLS):
            for cell, value in enumerate(values):
                found[cell] |= 1 << value - 1
    return found


def filtered(of: Primitive, of_cells: list[int], peers: list[tuple[int, ...]]) -> list[int]:
    """The values of each cell after a filter was applied once."""
    (one,) = filters_of([of], SIZE, peers)
    left = [*of_cells]
    for cell, allowed in zip(one.cells, one.allowed(of_cells), strict=True):
        left[cell] &= allowed
    return left


@settings(max_examples=500)
@given(relations | sums | cages | counts | lines, domains)
def test_a_filter_keeps_exactly_the_supported_values(of: Primitive, of_cells: list[int]) -> None:
    left, right = filtered(of, of_cells, FREE), supported(of, of_cells)
    if all(left):
        assert left == right
    else:
        assert not any(right)


@given(cages, domains)
def test_a_sum_of_different_cells_keeps_the_values_of_its_combinations(
    of: Sum, of_cells: list[int]
) -> None:
    own = [members(of_cells[cell]) for cell in of.cells]
    sets = [
        chosen
        for chosen in combinations(range(1, SIZE + 1), len(own))
        if sum(chosen) in of.totals
        and all(set(chosen) & set(values) for values in own)
        and set(chosen) <= set().union(*map(set, own))
    ]
    kept = {value for chosen in sets for value in chosen}
    left = filtered(of, of_cells, APART)
    for cell, values in zip(of.cells, own, strict=True):
        assert set(members(left[cell])) == kept & set(values)


@given(st.lists(primitives, min_size=1, max_size=4), domains, st.booleans())
def test_propagation_keeps_every_solution_and_ends(
    constraints: list[Primitive], of_cells: list[int], differ: bool
) -> None:
    filters = filters_of(constraints, SIZE, APART if differ else FREE)
    left = [*of_cells]
    possible = propagate(filters, left)
    solutions = [
        values
        for values in choices(of_cells)
        if all(allows(of, values) for of in constraints)
        and not (differ and len(set(values)) < CELLS)
    ]
    assert possible or not solutions
    if possible:
        assert set(solutions) <= set(choices(left))
        again = [*left]
        assert propagate(filters, again)
        assert again == left


@given(lines_with_repeats, domains)
def test_an_automaton_along_repeated_cells_keeps_every_solution(
    of: Line, of_cells: list[int]
) -> None:
    (one,) = filters_of([of], SIZE, FREE)
    right = supported(of, of_cells)
    for cell, allowed in zip(one.cells, one.allowed(of_cells), strict=True):
        assert right[cell] & allowed == right[cell]


@pytest.mark.parametrize(("cells", "total", "number"), [(2, 3, 1), (4, 20, 12), (5, 25, 12)])
def test_combinations_of_a_cage(cells: int, total: int, number: int) -> None:
    """The numbers of Kakuro tables."""
    found = combinations_of([(1 << 9) - 1] * cells, [total])
    assert found is not None
    assert len(found) == len(set(found)) == number
    assert all(of.bit_count() == cells for of in found)


def test_a_sum_with_too_many_combinations_is_filtered_by_partial_sums() -> None:
    every, size = [(1 << 36) - 1] * 6, 36
    assert combinations_of(every, [111]) is None
    cells = tuple(range(6))
    peers = [tuple(other for other in cells if other != cell) for cell in cells]
    (one,) = filters_of([Sum(cells, (1,) * 6, (8,))], size, peers)
    assert MOST_COMBINATIONS < 10_000
    assert not any(one.allowed(every)) or [allowed & 0b111 for allowed in one.allowed(every)]


def implied_by(shape: Shape) -> list[Primitive | Sets]:
    """What follows from the primitives."""
    return strengthened(shape)[1][len(shape.primitives) :]


def test_cages_in_houses_leave_innies_and_outies() -> None:
    inside = Shape.parse("4x4; killer 7: R1C1 R1C2 R1C3")
    assert Sum((3,), (1,), (3,)) in implied_by(inside)
    outside = Shape.parse("4x4; killer 5: R1C1 R1C2; killer 9: R1C3 R1C4 R2C4")
    assert Sum((7,), (1,), (4,)) in implied_by(outside)
    both = Shape.parse("4x4; killer 6: R1C1 R2C1; killer 5: R1C2 R1C3")
    assert Sum((3, 4), (1, -1), (-1,)) in implied_by(both)
    assert implied_by(Shape.parse("4x4; sum 7*2,1: R1C1 R1C2; thermometer: R3C1 R4C1")) == []


def test_values_that_cells_need_exclude_others() -> None:
    (of,) = implied_by(Shape.parse("4x4; quadruple 1,1,2: R2C2 R2C3 R3C2 R3C3"))
    assert of == ValueCount((5, 6, 9, 10), 0b11, 3, 4)


def test_cells_with_relations_to_each_other_have_sets_of_values() -> None:
    (renban,) = implied_by(Shape.parse("9x9; renban: R1C1 R2C2 R3C4 R4C5"))
    assert renban == Sets((0, 10, 21, 31), tuple(0b1111 << least for least in range(6)))
    (apart,) = implied_by(Shape.parse("6x6; nabner: R1C1 R2C2 R3C4; distinct: R1C1 R2C2 R3C4"))
    assert apart == Sets((0, 7, 15), (0b010101, 0b100101, 0b101001, 0b101010))


def test_equal_cells_share_their_peers() -> None:
    shape = Shape.parse("4x4; clone: R1C1 / R4C4")
    peers = strengthened(shape)[0].peers
    assert {*peers[0]} == {*peers[15]} == {*shape.peers[0], *shape.peers[15]}


@given(st.integers(0, 2**32))
@settings(max_examples=30)
def test_implied_sums_hold_in_a_grid(seed: int) -> None:
    plain, random = Shape.parse("6x6"), Random(seed)
    grid = pattern_grid(plain)
    texts, free = [], set(range(36))
    while free:
        cage = [random.choice(sorted(free))]
        for _ in range(random.randrange(4)):
            beside = [c for c in free if c not in cage and any(abs(c - o) in (1, 6) for o in cage)]
            cage += random.sample(beside, min(1, len(beside)))
        free.difference_update(cage)
        if random.random() < 0.8:
            total = sum(grid[cell] for cell in cage)
            texts.append(f"sum {total}: {' '.join(map(plain.cell_name, cage))}")
    for of in implied_by(Shape.parse("; ".join(["6x6", *texts]))):
        assert isinstance(of, Sum)
        terms = zip(of.coefficients, of.cells, strict=True)
        assert sum(coefficient * grid[cell] for coefficient, cell in terms) == of.totals[0]
