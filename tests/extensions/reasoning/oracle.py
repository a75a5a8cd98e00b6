"""Rules written a second time, with sets and without the code of the harness.

naked       repeated until nothing changes: a cell with one candidate removes it from peers
exclusion   and a value with one place in a house is there
cycle       and a value is in a cell if its absence implies its presence, by chains of
            houses with two places and cells with one value
"""

from itertools import combinations

from harness.puzzles import Puzzle, Shape
from harness.puzzles.puzzle import Grid

Domains = list[set[int]]
NAKED, EXCLUSION, CYCLE = range(3)


def different(shape: Shape) -> set[tuple[int, int]]:
    """All ordered pairs of cells with different values."""
    sets = [set(house.cells) for house in shape.houses] + [set(pair) for pair in shape.pairs]
    return {(a, b) for cells in sets for a in cells for b in cells if a != b}


def domains_of(puzzle: Puzzle) -> Domains:
    size = puzzle.shape.size
    marks = puzzle.pencilmarks or ((1 << size) - 1,) * size**2
    return [
        {value} if value else {v for v in range(1, size + 1) if bits >> v - 1 & 1}
        for value, bits in zip(puzzle.givens, marks, strict=True)
    ]


def arc_consistent(puzzle: Puzzle) -> Domains | None:
    """The domains after AC-3 on binary constraints; None if one becomes empty."""
    domains = domains_of(puzzle)
    arcs = different(puzzle.shape)
    waiting = list(arcs)
    while waiting:
        cell, other = waiting.pop()
        remaining = {v for v in domains[cell] if any(v != w for w in domains[other])}
        if remaining != domains[cell]:
            domains[cell] = remaining
            if not remaining:
                return None
            waiting += [(c, d) for c, d in arcs if d == cell]
    return domains


def finishes(puzzle: Puzzle, level: int) -> bool:
    """Whether the rules up to `level` leave one candidate in each cell."""
    domains = domains_of(puzzle)
    pairs = different(puzzle.shape)
    while True:
        before = sum(map(len, domains))
        for cell, other in pairs:
            if len(domains[cell]) == 1 and cell != other:
                domains[other] = domains[other] - domains[cell]
        if sum(map(len, domains)) == before and level >= EXCLUSION:
            exclude(puzzle.shape, domains)
        if sum(map(len, domains)) == before and level >= CYCLE:
            follow_cycles(puzzle.shape, domains)
        if sum(map(len, domains)) == before:
            return all(len(domain) == 1 for domain in domains)


def exclude(shape: Shape, domains: Domains) -> None:
    for house in shape.houses:
        for value in range(1, shape.size + 1):
            places = [cell for cell in house.cells if value in domains[cell]]
            if len(places) == 1:
                domains[places[0]] = {value}


def follow_cycles(shape: Shape, domains: Domains) -> None:
    places = [
        [(cell, value) for cell in house.cells if value in domains[cell]]
        for house in shape.houses
        for value in range(1, shape.size + 1)
    ]
    either = [tuple(pair) for pair in places if len(pair) == 2]
    for cell in range(shape.size**2):
        for value in sorted(domains[cell]):
            if len(domains[cell]) > 1 and follows(either, domains, (cell, value)):
                domains[cell] = {value}


def follows(
    either: list[tuple[tuple[int, int], ...]], domains: Domains, start: tuple[int, int]
) -> bool:
    """Whether the absence of a candidate implies its presence."""
    absent, present = {start}, set[tuple[int, int]]()
    while True:
        more = {b for a, b in either if a in absent} | {a for a, b in either if b in absent}
        if more <= present:
            return False
        present |= more
        if start in present:
            return True
        absent |= {(c, w) for c, v in present for w in domains[c] if w != v}


def smallest_backdoor(puzzle: Puzzle, solution: Grid, largest: int) -> int | None:
    """The fewest cells whose values let singles finish, by trying all sets of all cells."""
    blanks = [cell for cell, value in enumerate(puzzle.givens) if not value]
    for size in range(largest + 1):
        for cells in combinations(blanks, size):
            if finishes(with_values(puzzle, solution, cells), EXCLUSION):
                return size
    return None


def with_values(puzzle: Puzzle, solution: Grid, cells: tuple[int, ...]) -> Puzzle:
    givens, marks = list(puzzle.givens), puzzle.pencilmarks
    for cell in cells:
        givens[cell] = solution[cell]
    if marks is not None:
        marks = tuple(1 << v - 1 if v else bits for v, bits in zip(givens, marks, strict=True))
    return Puzzle(puzzle.shape, tuple(givens), marks)
