"""Groups, clauses and rows of primitives have the same solutions, by enumeration."""

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from harness.puzzles.constraints.primitives import Primitive, Sum, ValueCount
from harness.puzzles.search.encoding import Encoder, Encoding, Row
from harness.puzzles.search.propagation import filters_of, propagate
from tests.puzzles.primitives import CELLS, SIZE, allows, choices, domains, members, primitives
from tests.puzzles.test_propagation import APART, FREE


def rows_of(encoding: Encoding) -> list[Row]:
    """Everything in an encoding as linear rows."""
    rows = [*encoding.rows, *(Row(group, [1] * len(group), 1, 1) for group in encoding.groups)]
    rows += (Row(group, [1] * len(group), 0, 1) for group in encoding.at_most)
    for clause in encoding.clauses:
        negative = sum(literal < 0 for literal in clause)
        signs = [1 if literal > 0 else -1 for literal in clause]
        rows.append(Row(list(map(abs, clause)), signs, 1 - negative, len(clause)))
    return rows


def completions(rows: Sequence[Row], values: dict[int, int], last: int) -> int:
    """The number of ways to give all literals up to `last` a value, beside those with one."""
    values = {**values}
    progress = True
    while progress:
        progress = False
        for row in rows:
            terms = [*zip(row.literals, row.coefficients, strict=True)]
            base = sum(factor * values[literal] for literal, factor in terms if literal in values)
            free = [(literal, factor) for literal, factor in terms if literal not in values]
            least = base + sum(min(factor, 0) for _, factor in free)
            most = base + sum(max(factor, 0) for _, factor in free)
            if least > row.most or most < row.least:
                return 0
            for literal, factor in free:
                if least + abs(factor) > row.most:
                    values[literal] = int(factor < 0)
                elif most - abs(factor) < row.least:
                    values[literal] = int(factor > 0)
                else:
                    continue
                progress = True
                break
    free_literals = [literal for literal in range(1, last + 1) if literal not in values]
    if not free_literals:
        return 1
    return sum(completions(rows, values | {free_literals[0]: value}, last) for value in (0, 1))


@settings(max_examples=200)
@given(
    st.lists(primitives, min_size=1, max_size=2),
    domains,
    st.booleans(),
    st.sampled_from([True, True, False]),
    st.booleans(),
    st.booleans(),
)
@example([ValueCount((0, 1, 2, 3), 1, 0, 2)], [1, 3, 3, 3], False, True, False, False)
@example([ValueCount((0, 1, 2, 3), 1, 2, 3)], [1, 3, 3, 3], True, True, False, False)
def test_an_encoding_has_one_way_for_each_solution_and_none_otherwise(
    constraints: list[Primitive],
    of_cells: list[int],
    linear: bool,
    combine: bool,
    differ: bool,
    givens_have_literals: bool,
) -> None:
    peers = APART if differ else FREE
    remaining = [*of_cells]
    assume(propagate(filters_of(constraints, SIZE, peers), remaining))
    number: dict[tuple[int, int], int] = {}
    for cell, domain in enumerate(remaining):
        for value in members(domain) if givens_have_literals or domain.bit_count() > 1 else ():
            number[cell, value] = len(number) + 1
    encoder = Encoder(number, remaining, peers, linear=linear, combine=combine)
    encoding = encoder.encode(constraints)
    everything = rows_of(encoding)
    for values in choices(remaining):
        if differ and len(set(values)) < CELLS:
            continue
        literals = {literal: int(values[cell] == v) for (cell, v), literal in number.items()}
        right = all(allows(primitive, values) for primitive in constraints)
        assert completions(everything, literals, encoding.literals) == right, (values, encoding)


@pytest.mark.parametrize(("cells", "total"), [(2, 5), (2, 3), (3, 6), (3, 9), (4, 10)])
def test_a_cage_has_a_literal_for_each_combination(cells: int, total: int) -> None:
    sets = [values for values in combinations(range(1, SIZE + 1), cells) if sum(values) == total]
    remaining = [(1 << SIZE) - 1] * CELLS
    cage = Sum(tuple(range(cells)), (1,) * cells, (total,))
    assert propagate(filters_of([cage], SIZE, APART), remaining)
    number = {
        key: at
        for at, key in enumerate(((c, v) for c in range(CELLS) for v in members(remaining[c])), 1)
    }
    encoding = Encoder(number, remaining, APART).encode([cage])
    assert encoding.literals - len(number) == len(sets)
    assert not encoding.rows
    assert not encoding.clauses
