"""Filters keep exactly the values that have a support, by enumeration."""

from collections import Counter
from itertools import combinations, islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles import Grid, Shape
from harness.puzzles.constraints.kinds import KINDS, Constraint
from harness.puzzles.constraints.primitives import Primitive, Sum, ValueCount
from harness.puzzles.search.propagation import (
    MOST_COMBINATIONS,
    Sets,
    combinations_of,
    filters_of,
    propagate,
    strengthen,
)
from tests.examples import examples
from tests.puzzles.primitives import (
    CELLS,
    SIZE,
    allows,
    cages,
    choices,
    counts,
    domains,
    lines,
    members,
    primitives,
    relations,
    sums,
)
from tests.puzzles.rules import complete_grids, keeps
from tests.puzzles.variants import constraint, kinds_of

APART = [tuple(other for other in range(CELLS) if other != cell) for cell in range(CELLS)]
"""The peers of cells that all differ."""
FREE: list[tuple[int, ...]] = [()] * CELLS


def support(primitive: Primitive, of_cells: list[int], *, differ: bool = False) -> list[int]:
    """The values of each cell that some choice has which a primitive allows."""
    bits = [0] * CELLS
    for values in choices(of_cells):
        if allows(primitive, values) and not (differ and len(set(values)) < CELLS):
            for cell, value in enumerate(values):
                bits[cell] |= 1 << value - 1
    return bits


def filter_once(
    primitive: Primitive, of_cells: list[int], peers: list[tuple[int, ...]]
) -> list[int]:
    """The values of each cell after a filter was applied once."""
    (filter_,) = filters_of([primitive], SIZE, peers)
    remaining = [*of_cells]
    for cell, bits in zip(filter_.cells, filter_.supports(of_cells), strict=True):
        remaining[cell] &= bits
    return remaining


@settings(max_examples=500)
@given(relations | sums | cages | counts | lines, domains)
def test_a_filter_keeps_exactly_the_supported_values(
    primitive: Primitive, of_cells: list[int]
) -> None:
    remaining, expected = filter_once(primitive, of_cells, FREE), support(primitive, of_cells)
    if all(remaining):
        assert remaining == expected
    else:
        assert not any(expected)


@given(cages, domains)
def test_a_sum_of_different_cells_keeps_the_values_of_its_combinations(
    total: Sum, of_cells: list[int]
) -> None:
    own = [members(of_cells[cell]) for cell in total.cells]
    sets = [
        combination
        for combination in combinations(range(1, SIZE + 1), len(own))
        if sum(combination) in total.totals
        and all(set(combination) & set(values) for values in own)
        and set(combination) <= set().union(*map(set, own))
    ]
    supports = {value for combination in sets for value in combination}
    remaining = filter_once(total, of_cells, APART)
    for cell, values in zip(total.cells, own, strict=True):
        assert set(members(remaining[cell])) == supports & set(values)


@given(st.lists(primitives, min_size=1, max_size=4), domains, st.booleans())
def test_propagation_keeps_every_solution_and_ends(
    constraints: list[Primitive], of_cells: list[int], differ: bool
) -> None:
    filters = filters_of(constraints, SIZE, APART if differ else FREE)
    remaining = [*of_cells]
    possible = propagate(filters, remaining)
    solutions = [
        values
        for values in choices(of_cells)
        if all(allows(primitive, values) for primitive in constraints)
        and not (differ and len(set(values)) < CELLS)
    ]
    assert possible or not solutions
    if possible:
        assert set(solutions) <= set(choices(remaining))
        again = [*remaining]
        assert propagate(filters, again)
        assert again == remaining


@pytest.mark.parametrize(("cells", "total", "number"), [(2, 3, 1), (4, 20, 12), (5, 25, 12)])
def test_combinations_of_a_cage(cells: int, total: int, number: int) -> None:
    """The numbers of Kakuro tables."""
    sets = combinations_of([(1 << 9) - 1] * cells, [total])
    assert sets is not None
    assert len(sets) == len(set(sets)) == number
    assert all(values.bit_count() == cells for values in sets)


def test_a_sum_with_too_many_combinations_is_filtered_by_partial_sums() -> None:
    every, size = [(1 << 36) - 1] * 6, 36
    assert combinations_of(every, [111]) is None
    cells = tuple(range(6))
    peers = [tuple(other for other in cells if other != cell) for cell in cells]
    (filter_,) = filters_of([Sum(cells, (1,) * 6, (8,))], size, peers)
    assert MOST_COMBINATIONS < 10_000
    assert not any(filter_.supports(every)) or [bits & 0b111 for bits in filter_.supports(every)]


def implied_by(shape: Shape) -> list[Primitive | Sets]:
    """What follows from the primitives."""
    return strengthen(shape)[1][len(shape.primitives) :]


def test_cages_in_houses_leave_innies_and_outies() -> None:
    inside = Shape.parse("4x4; killer 7: R1C1 R1C2 R1C3")
    assert Sum((3,), (1,), (3,)) in implied_by(inside)
    outside = Shape.parse("4x4; killer 5: R1C1 R1C2; killer 9: R1C3 R1C4 R2C4")
    assert Sum((7,), (1,), (4,)) in implied_by(outside)
    both = Shape.parse("4x4; killer 6: R1C1 R2C1; killer 5: R1C2 R1C3")
    assert Sum((3, 4), (1, -1), (-1,)) in implied_by(both)
    assert implied_by(Shape.parse("4x4; sum 7*2,1: R1C1 R1C2; thermometer: R3C1 R4C1")) == []


def test_values_that_cells_need_exclude_others() -> None:
    (count,) = implied_by(Shape.parse("4x4; quadruple 1,1,2: R2C2 R2C3 R3C2 R3C3"))
    assert count == ValueCount((5, 6, 9, 10), 0b11, 3, 4)


def test_cells_need_a_value_as_often_as_the_strictest_of_their_counts_does() -> None:
    assert implied_by(Shape.parse("4x4; contains 2: R1C2 R2C3; contains 2,2: R1C2 R2C3")) == []
    twice = "4x4; quadruple 3,2: R2C2 R2C3 R3C2 R3C3; contains 2,2,3: R3C3 R2C3 R3C2 R2C2"
    (count,) = implied_by(Shape.parse(twice))
    assert count == ValueCount((5, 6, 9, 10), 0b110, 3, 4)


def test_cells_with_relations_to_each_other_have_sets_of_values() -> None:
    (renban,) = implied_by(Shape.parse("9x9; renban: R1C1 R2C2 R3C4 R4C5"))
    assert renban == Sets((0, 10, 21, 31), tuple(0b1111 << least for least in range(6)))
    (apart,) = implied_by(Shape.parse("6x6; nabner: R1C1 R2C2 R3C4; distinct: R1C1 R2C2 R3C4"))
    assert apart == Sets((0, 7, 15), (0b010101, 0b100101, 0b101001, 0b101010))


def test_equal_cells_share_their_peers() -> None:
    shape = Shape.parse("4x4; clone: R1C1 / R4C4")
    peers = strengthen(shape)[0].peers
    assert {*peers[0]} == {*peers[15]} == {*shape.peers[0], *shape.peers[15]}


# What follows from several constraints holds wherever all of them hold.


IMPLYING = (
    *("killer", "sum", "arrow", "little-killer", "zipper", "equal-sums", "region-sum"),
    *("contains", "contains-exactly", "quadruple", "sandwich"),
    *("renban", "nabner", "distinct", "modular", "pairs", "clone", "palindrome", "difference"),
)
"""The kinds from which something follows, alone or with others."""
_CROWDED = ("4x4", "4x4+antiknight", "jigsaw:1112122233434443", "latin4", "6x6", "latin5", "9x9")


def holds(primitive: Primitive | Sets, grid: Grid) -> bool:
    """Whether a grid keeps what follows from constraints."""
    values = [grid[cell] for cell in primitive.cells]
    match primitive:
        case Sets(_, sets):
            return len({*values}) == len(values) and sum(1 << v - 1 for v in values) in sets
        case Sum(_, coefficients, totals):
            return sum(k * v for k, v in zip(coefficients, values, strict=True)) in totals
        case ValueCount(_, counted, least, most):
            return least <= sum(counted >> v - 1 & 1 for v in values) <= most
    raise AssertionError(primitive)


def crowd(seed: int) -> tuple[Shape, list[Grid]]:
    """A shape with up to a dozen constraints on few cells, and grids that keep all of them.

    The grids are all there are for a shape of 4 values.
    """
    random = Random(seed)
    plain = Shape.parse(random.choice(_CROWDED))
    near = random.sample(range(plain.size**2), random.randint(5, 12))
    grid = random.choice(complete_grids(plain))
    kinds = [kind for kind in random.choice((KINDS, IMPLYING, IMPLYING)) if kind in kinds_of(plain)]
    kinds = random.sample(kinds, random.randint(1, 3))
    constraints: list[Constraint] = []
    for _ in range(random.randint(2, 12)):
        kind = random.choice(kinds)
        cells = random.choice(constraints).cells if constraints and random.random() < 0.5 else ()
        cells = cells or tuple(random.sample(near, random.randint(3, 5)))
        cells = (cells + tuple(near))[:4] if kind == "quadruple" else cells
        tries = (constraint(kind, grid, random, cells) for _ in range(60))
        constraints += islice(
            (
                candidate
                for candidate in tries
                if keeps(grid, plain, [*constraints, candidate]) and fits(plain, candidate)
            ),
            1,
        )
    grids = complete_grids(plain) if plain.size == 4 else [grid]
    return plain.with_constraints(constraints), [
        solution for solution in grids if keeps(solution, plain, constraints)
    ]


def fits(plain: Shape, constraint: Constraint) -> bool:
    """Whether a constraint can stand on its cells."""
    has = KINDS[constraint.kind]
    try:
        plain.with_constraints([constraint])
    except PuzzleError:
        return False
    return all(has.least_cells <= len(cells) for cells in constraint.lists)


def broken_by(seed: int) -> list[object]:
    """What a grid breaks of all that follows from the constraints that it keeps."""
    shape, grids = crowd(seed)
    pairs = [pair for pair in strengthen(shape)[0].pairs if pair not in shape.pairs]
    faults: list[object] = [
        primitive for primitive in implied_by(shape) for g in grids if not holds(primitive, g)
    ]
    faults += [pair for pair in pairs for g in grids if g[pair[0]] == g[pair[1]]]
    return [shape.definition, *faults] if faults else []


@examples(300, 5_000)
@given(st.integers(0, 2**32))
def test_what_follows_from_constraints_holds_in_every_solution(seed: int) -> None:
    assert broken_by(seed) == []


def test_something_of_each_type_follows_from_crowded_constraints() -> None:
    number: Counter[str] = Counter()
    for seed in range(300):
        shape, _ = crowd(seed)
        number.update(type(primitive).__name__ for primitive in implied_by(shape))
        number["pairs"] += len(strengthen(shape)[0].pairs) > len(shape.pairs)
    assert min(number[name] for name in ("Sum", "ValueCount", "Sets", "pairs")) > 2, number
