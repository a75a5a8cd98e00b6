"""Sets of cells whose values let naked and hidden singles finish a puzzle."""

from harness.puzzles.search.compiled import Integers, compiled
from harness.puzzles.search.kernel import AT_HOUSES_OF, BITS, CELLS, propagate


@compiled
def fewest_open(
    tables: Integers,
    start: Integers,
    solution: Integers,
    number: int,
    states: Integers,
    chosen: Integers,
    work: Integers,
) -> int:
    """The fewest cells that singles leave open after `number` cells have their values.

    All sets of cells are tried until one leaves none open. A cell that is decided by those
    chosen before it is in no set, because a smaller set does the same.

    Args:
        tables: the shape; see `harness.puzzles.search.kernel`.
        start: the candidates of each cell, of a puzzle with a solution.
        solution: the values of the solution.
        number: the number of cells of a set.
        states: room for a state for each cell and one more.
        chosen: room for the cells of a set.
        work: two numbers for each cell.
    """
    cells = tables[CELLS]
    waiting = 0
    for cell in range(cells):
        states[cell] = start[cell]
        work[cells + cell] = 0
        if not start[cell] & (start[cell] - 1):
            work[waiting] = cell
            waiting += 1
    propagate(tables, states, 0, work, waiting, (1 << BITS) - 1)
    fewest: int = cells
    depth = 0
    chosen[0] = -1
    while depth >= 0:
        at = depth * cells
        if depth == number:
            left = 0
            for cell in range(cells):
                if states[at + cell] & (states[at + cell] - 1):
                    left += 1
            if left < fewest:
                fewest = left
            if not left:
                break
            depth -= 1
            continue
        cell = chosen[depth] + 1
        while cell < cells and not states[at + cell] & (states[at + cell] - 1):
            cell += 1
        if cell == cells:
            depth -= 1
            continue
        chosen[depth] = cell
        following = at + cells
        for other in range(cells):
            states[following + other] = states[at + other]
        states[following + cell] = 1 << (solution[cell] - 1)
        work[0] = cell
        propagate(tables, states, following, work, 1, tables[tables[AT_HOUSES_OF] + cell])
        depth += 1
        chosen[depth] = cell
    return fewest
