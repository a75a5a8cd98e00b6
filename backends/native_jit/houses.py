"""The kernel for any shape of up to 63 values: a 64-bit number a cell, houses as index arrays.

    candidates  the values still possible in a cell, as bits: bit 0 stands for value 1
    state       the candidates of all cells, and last the cell that was decided by a guess
    waiting     cells with one candidate, which their peers may still have
    changed     houses in which a candidate has gone, so that a value may have one place left,
                as bits; from the 64th house on they share a bit with an earlier one

It does what the backend `native` does in plain Python, rule by rule: naked and hidden
singles, then a guess where the fewest alternatives are left, among equals where the search
has failed most (Boussemart et al., "Boosting systematic search by weighting constraints",
ECAI 2004).
"""

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from backends.native_jit.progress import (
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
"""Values that fit into a 64-bit number beside its sign."""

rule = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)


@intrinsic
def size_of(typingctx: Any, candidates: Any) -> Any:
    """How many candidates there are."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def value_of(typingctx: Any, candidate: Any) -> Any:
    """The value that a single candidate stands for."""

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
    """Apply both rules to the state at `at` until nothing changes; the rounds, -1 if none is left.

    Where a cell or a value has no place left, the failure is noted at the cells concerned.
    """
    size = houses.shape[1]
    every = (1 << size) - 1
    rounds = 0
    while True:
        rounds += 1
        # Naked single: what a cell holds, no peer holds.
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
        # Hidden single: a value with one place in a house is there.
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
    """The open cell with the fewest candidates, and most failures among equals; -1 if none is."""
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
    """A house, where most failures were, and a value that has two places in it; or 0 for none."""
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
    """Give a cell of the state at `at` its value, and note which cell that is."""
    states[at + cell] = value
    states[at + cells] = cell


@rule
def decide_copy(states: Cells, at: int, to: int, cells: int, cell: int, value: int) -> None:
    """Copy the state at `at`, and give a cell of the copy its value."""
    for other in range(cells):
        states[to + other] = states[at + other]
    decide(states, to, cells, cell, value)


def run(
    puzzles: NDArray[np.uint8],
    asked: NDArray[np.int64],
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
    """Work on a batch of puzzles; say why it stops. See `backends.native_jit.progress`.

    Args:
        puzzles: the givens, `cells` a puzzle, 0 for a blank.
        asked: what is asked.
        progress: how far it is; brought up to date.
        numbers: for each puzzle the solutions found; written.
        exact: for each puzzle whether that is all; written.
        witnesses: the first solution of each puzzle that has one, `cells` values each; written.
        stream: room for solutions one after the other, `cells` values each; written.
        states: the stack of open states, `cells` + 1 numbers each.
        failures: how often the search has failed at each cell; kept over pauses.
        waiting: room for every cell.
        houses: the cells of each house, a row each.
        house_bit: the bit of each house in `changed`.
        houses_of: for each cell the bits of its houses.
        peers: the peers of all cells one after the other.
        first_peer: where in `peers` those of each cell begin, and at last its length.
    """
    cells, size = len(failures), houses.shape[1]
    every = (1 << size) - 1
    room = len(states) // (cells + 1)
    limit, node_limit, budget, buffer = (
        asked[LIMIT],
        asked[NODE_LIMIT],
        asked[BUDGET],
        asked[BUFFER],
    )
    number, top, own_nodes = progress[PUZZLE], progress[OPEN], progress[OWN_NODES]
    buffered = progress[BUFFERED]
    nodes = guesses = rounds = 0
    why = FINISHED
    while number < asked[PUZZLES]:
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
            # All alternatives but the last are copies above this state; the last takes its place.
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
