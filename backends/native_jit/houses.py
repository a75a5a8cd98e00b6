"""The kernel for any shape with up to 63 values: cells as 64-bit masks, houses as index arrays.

    candidates  the possible values of a cell, as bits: bit 0 stands for value 1
    state       the candidates of all cells, followed by the cell that a guess decided
    waiting     cells with one candidate that their peers may still have
    changed     houses that lost a candidate, so that a value may have one place left, as
                bits; the 64th and later houses share a bit with an earlier one

The kernel has the rules of the backend `native`: naked and hidden singles, then a guess
at the fewest alternatives, among equals at the most failures (Boussemart et al.,
"Boosting systematic search by weighting constraints", ECAI 2004).
"""

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from .progress import (
    BUDGET,
    BUFFER,
    BUFFER_FULL,
    BUFFERED,
    FINISHED,
    GUESSES,
    LIMIT,
    NODE_LIMIT,
    NODES,
    OPEN,
    OWN_NODES,
    PAUSED,
    PUZZLE,
    PUZZLES,
    ROUNDS,
    STACK_FULL,
)

Cells = NDArray[np.int64]

SIGNATURE: Final = (
    "int64(uint8[::1], int64[::1], int64[::1], int64[::1], boolean[::1], uint8[::1], uint8[::1], "
    "int64[::1], int64[::1], int64[::1], "
    "int64[:,::1], int64[::1], int64[::1], int64[::1], int64[::1])"
)
LARGEST: Final = 63
"""Values that fit into a signed 64-bit number."""

rule = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)


@intrinsic
def size_of(typingctx: Any, candidates: Any) -> Any:
    """The number of candidates."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def value_of(typingctx: Any, candidate: Any) -> Any:
    """The value of a single candidate."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        zeros = builder.cttz(args[0], ir.IntType(1)(0))
        return builder.add(zeros, zeros.type(1))

    return types.int64(types.int64), generate


@rule
def propagate(
    states: Cells,
    at: int,
    waiting: Cells,
    number_waiting: int,
    changed: int,
    failures: Cells,
    houses: NDArray[np.int64],
    house_bit: NDArray[np.int64],
    houses_of: Cells,
    peers: Cells,
    first_peer: Cells,
) -> int:
    """Apply both rules to the state at `at` to a fixpoint.

    Returns the number of rounds, or -1 if a cell or a value has no candidate left; then
    records the failure at the cells concerned.
    """
    size = houses.shape[1]
    every = (1 << size) - 1
    rounds = 0
    while True:
        rounds += 1
        # Naked single: remove the value of a decided cell from its peers.
        while number_waiting:
            number_waiting -= 1
            cell = waiting[number_waiting]
            value = states[at + cell]
            for index in range(first_peer[cell], first_peer[cell + 1]):
                peer = peers[index]
                candidates = states[at + peer]
                if candidates & value:
                    left = candidates ^ value
                    if not left:
                        failures[peer] += 1
                        return -1
                    states[at + peer] = left
                    if not left & (left - 1):
                        waiting[number_waiting] = peer
                        number_waiting += 1
                    changed |= houses_of[peer]
        # Hidden single: place a value that has one place left in a house.
        looked_at = changed
        changed = 0
        for house in range(houses.shape[0]):
            if not looked_at & house_bit[house]:
                continue
            once = more = decided = 0
            for index in range(size):
                candidates = states[at + houses[house, index]]
                more |= once & candidates
                once |= candidates
                if not candidates & (candidates - 1):
                    decided |= candidates
            if once != every:
                for index in range(size):
                    failures[houses[house, index]] += 1
                return -1
            once &= ~(more | decided)
            if not once:
                continue
            for index in range(size):
                cell = houses[house, index]
                value = states[at + cell] & once
                if value:
                    if value & (value - 1):
                        for other in range(size):
                            failures[houses[house, other]] += 1
                        return -1
                    states[at + cell] = value
                    waiting[number_waiting] = cell
                    number_waiting += 1
                    changed |= houses_of[cell]
        if not number_waiting:
            return rounds


@rule
def fewest_candidates(states: Cells, at: int, failures: Cells) -> int:
    """The open cell with the fewest candidates, among equals with most failures; -1 if none."""
    best, fewest, most_failures = -1, 64, -1
    for cell in range(len(failures)):
        candidates = states[at + cell]
        if candidates & (candidates - 1):
            size = size_of(candidates)
            if size < fewest or (size == fewest and failures[cell] > most_failures):
                best, fewest, most_failures = cell, size, failures[cell]
    return best


@rule
def two_places(
    states: Cells, at: int, failures: Cells, houses: NDArray[np.int64]
) -> tuple[int, int]:
    """The house with the most failures that has a value with two places, and that value or 0."""
    best, best_value, most_failures = 0, 0, -1
    for house in range(houses.shape[0]):
        once = twice = more = 0
        failed = 0
        for index in range(houses.shape[1]):
            candidates = states[at + houses[house, index]]
            failed += failures[houses[house, index]]
            more |= twice & candidates
            twice |= once & candidates
            once |= candidates
        twice &= ~more
        if twice and failed > most_failures:
            best, best_value, most_failures = house, twice & -twice, failed
    return best, best_value


@rule
def decide(states: Cells, at: int, cells: int, cell: int, value: int) -> None:
    """Set a cell of the state at `at` to a value, and record the cell."""
    states[at + cell] = value
    states[at + cells] = cell


@rule
def decide_copy(states: Cells, at: int, to: int, cells: int, cell: int, value: int) -> None:
    """Copy the state at `at` to `to`, and set a cell of the copy to a value."""
    for other in range(cells):
        states[to + other] = states[at + other]
    decide(states, to, cells, cell, value)


def first_state(candidates: Cells) -> Cells:
    """The state with these candidates of each cell, as bits, before any guess."""
    return np.append(candidates, -1)


def run(
    puzzles: NDArray[np.uint8],
    request: NDArray[np.int64],
    progress: NDArray[np.int64],
    numbers: NDArray[np.int64],
    exact: NDArray[np.bool_],
    witnesses: NDArray[np.uint8],
    stream: NDArray[np.uint8],
    states: Cells,
    failures: Cells,
    waiting: Cells,
    houses: NDArray[np.int64],
    house_bit: NDArray[np.int64],
    houses_of: Cells,
    peers: Cells,
    first_peer: Cells,
) -> int:
    """Search a batch of puzzles and return the reason for stopping; see `progress`.

    Args:
        puzzles: the givens, `cells` values per puzzle, 0 for a blank.
        request: limits and sizes; see `progress`.
        progress: the progress so far; updated.
        numbers: the number of solutions of each puzzle; written.
        exact: whether each number is the total; written.
        witnesses: the first solution of each puzzle, `cells` values each; written.
        stream: the stream buffer, `cells` values per solution; written.
        states: the stack of open states, `cells` + 1 numbers each.
        failures: the number of failures at each cell; kept over pauses.
        waiting: a buffer for one number per cell.
        houses: the cells of each house, one row each.
        house_bit: the bit of each house in `changed`.
        houses_of: the bits of the houses of each cell.
        peers: the peers of all cells, concatenated.
        first_peer: the start of each cell's peers in `peers`, and the length of `peers`.
    """
    cells, size = len(failures), houses.shape[1]
    every = (1 << size) - 1
    room = len(states) // (cells + 1)
    limit, node_limit, budget, buffer = (
        request[LIMIT],
        request[NODE_LIMIT],
        request[BUDGET],
        request[BUFFER],
    )
    number, top, own_nodes = progress[PUZZLE], progress[OPEN], progress[OWN_NODES]
    buffered = progress[BUFFERED]
    nodes = guesses = rounds = 0
    why = FINISHED
    while number < request[PUZZLES]:
        if own_nodes < 0:
            for cell in range(cells):
                given = int(puzzles[number * cells + cell])
                states[cell] = 1 << (given - 1) if given else every
                failures[cell] = 0
            states[cells] = -1
            top = 1
            own_nodes = 0
            numbers[number] = 0
        left_early = False
        while top:
            if own_nodes == node_limit:
                left_early = True
                break
            if nodes == budget:
                why = PAUSED
                break
            if buffer and buffered == buffer:
                why = BUFFER_FULL
                break
            if top + size > room:
                why = STACK_FULL
                break
            nodes += 1
            own_nodes += 1
            top -= 1
            at = top * (cells + 1)
            guessed = states[at + cells]
            number_waiting = 0
            if guessed < 0:
                changed = -1
                for cell in range(cells):
                    if not states[at + cell] & (states[at + cell] - 1):
                        waiting[number_waiting] = cell
                        number_waiting += 1
            else:
                changed = houses_of[guessed]
                waiting[0] = guessed
                number_waiting = 1
            more_rounds = propagate(
                states,
                at,
                waiting,
                number_waiting,
                changed,
                failures,
                houses,
                house_bit,
                houses_of,
                peers,
                first_peer,
            )
            if more_rounds < 0:
                continue
            rounds += more_rounds
            best = fewest_candidates(states, at, failures)
            if best < 0:
                if numbers[number] == 0:
                    for cell in range(cells):
                        witnesses[number * cells + cell] = value_of(states[at + cell])
                if buffer:
                    for cell in range(cells):
                        stream[buffered * cells + cell] = value_of(states[at + cell])
                    buffered += 1
                numbers[number] += 1
                if numbers[number] == limit:
                    left_early = True
                    break
                continue
            guesses += 1
            candidates = states[at + best]
            house, value = 0, 0
            if size_of(candidates) > 2:
                house, value = two_places(states, at, failures, houses)
            # All alternatives except the last are copies above this state; the last replaces it.
            free = top + 1
            if value:
                last = -1
                for index in range(size):
                    cell = houses[house, index]
                    if states[at + cell] & value:
                        if last >= 0:
                            decide_copy(states, at, free * (cells + 1), cells, last, value)
                            free += 1
                        last = cell
                decide(states, at, cells, last, value)
            else:
                while candidates & (candidates - 1):
                    value = candidates & -candidates
                    decide_copy(states, at, free * (cells + 1), cells, best, value)
                    free += 1
                    candidates ^= value
                decide(states, at, cells, best, candidates)
            top = free
        if why != FINISHED:
            break
        exact[number] = not left_early
        top = 0
        own_nodes = -1
        number += 1
    progress[PUZZLE], progress[OPEN], progress[OWN_NODES] = number, top, own_nodes
    progress[BUFFERED] = buffered
    progress[NODES] += nodes
    progress[GUESSES] += guesses
    progress[ROUNDS] += rounds
    return why
