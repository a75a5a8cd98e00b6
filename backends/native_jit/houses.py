"""The kernel for any shape with up to 63 values, which works on its houses.

    board      the memory: states of words, cells and places alike
    singles    naked and hidden singles, which follow from each removal
    sets       locked candidates and hidden sets, when no single is left
    guess      the choice of a guess
    words      instructions on words

A guess is a candidate: it is true in one state and false in the other, and both are open. The
final word of an open state is its guess, which is applied when the state is searched.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from . import progress as place
from .board import Board, rule
from .constraints import Constraints, begin_weights, follow_constraints, has_unseen, take_as_applied
from .guess import best_word, blame, cell_of, copy_state, value_of
from .sets import follow_sets
from .singles import decide, follow_singles, forget_changes, place_all, remove_rarely
from .words import first_of, get, put, put_weight, start_of

BATCH: Final = "uint8[::1], int64[::1], int64[::1], int64[::1], boolean[::1], uint8[::1]"
MEMORY: Final = "{0}[::1], float32[::1], int32[::1], int64[::1]"
"""The memory of one search; the type of a word is to be filled in."""
TABLES: Final = "int64[::1], int32[::1], int32[::1], {0}[::1], int32[::1], int32[::1], int32[::1]"
CONSTRAINTS: Final = "int64[::1], int64[::1], {0}[::1], {0}[::1], int64[::1]"
SIGNATURE: Final = f"int64({BATCH}, {MEMORY}, {TABLES}{', none' * 5})".format("uint32")

NO_GUESS: Final = 0
"""The guess of a state before any search; its places are not filled in yet."""
TRUE: Final = 1
"""The code of a true guess, above that of its cell and value."""
FALSE: Final = 2


@rule
def guess_code(cell: int, value: int, answer: int) -> int:
    """The final word of a state with this guess."""
    return cell << 8 | value << 2 | answer


@rule
def apply_guess(board: Board, at: int, code: int) -> int:
    """Apply the guess of a state; return the number of words in the queue, or -1."""
    put(board.states, at + board.stride - 1, NO_GUESS)
    if code == NO_GUESS:
        return place_all(board, at)
    forget_changes(board)
    cell, value = code >> 8, code >> 2 & 63
    if code & 3 == TRUE:
        return decide(board, at, cell, value, 0)
    return remove_rarely(board, at, cell, value, 0)


@rule
def begin_puzzle(board: Board, puzzles: NDArray[np.uint8], number: int) -> None:
    """Make the givens of a puzzle the only open state, and forget all failures."""
    every = (1 << board.size) - 1
    for cell in range(board.cells):
        clue = int(puzzles[number * board.cells + cell])
        put(board.states, cell, 1 << (clue - 1) if clue else every)
    put(board.states, board.stride - 1, NO_GUESS)
    for word in range(board.stride + 1):
        put_weight(board.weights, word, np.float32(1))


@rule
def write_solution(board: Board, at: int, grids: NDArray[np.uint8], number: int) -> None:
    """Write the values of a state with one candidate per cell as a grid."""
    for cell in range(board.cells):
        grids[number * board.cells + cell] = first_of(get(board.states, at + cell)) + 1


def run(
    puzzles: NDArray[np.uint8],
    request: NDArray[np.int64],
    progress: NDArray[np.int64],
    numbers: NDArray[np.int64],
    exact: NDArray[np.bool_],
    witnesses: NDArray[np.uint8],
    states: NDArray[Any],
    weights: NDArray[np.float32],
    queue: NDArray[np.int32],
    changes: NDArray[np.int64],
    sizes: NDArray[np.int64],
    first_slot: NDArray[np.int32],
    slots: NDArray[np.int32],
    common: NDArray[Any],
    house_cells: NDArray[np.int32],
    first_partner: NDArray[np.int32],
    partners: NDArray[np.int32],
    starts: NDArray[np.int64] | None,
    lists: NDArray[np.int64] | None,
    sets: NDArray[Any] | None,
    last_states: NDArray[Any] | None,
    memory: NDArray[np.int64] | None,
) -> int:
    """Search a batch of puzzles and return the reason for stopping; see `progress`.

    Args:
        puzzles: the givens, `cells` values per puzzle, 0 for a blank.
        request: limits and sizes; see `progress`.
        progress: the progress so far; updated.
        numbers: the number of solutions of each puzzle; written.
        exact: whether each number is the total; written.
        witnesses: the first solution of each puzzle, `cells` values each; written.
        states: the stack of open states; this and all others as in `Board`.
        weights: kept over pauses.
        queue: a buffer.
        changes: a buffer.
        sizes: the numbers at the beginning of `Board`.
        first_slot: see `Board`, like the others.
        slots: .
        common: .
        house_cells: .
        first_partner: .
        partners: .
        starts: the numbers at the beginning of `Constraints`; None without, as the next ones.
        lists: see `Constraints`, like the others.
        sets: .
        last_states: .
        memory: .
    """
    board = Board(
        *(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]),
        *(start_of(states), start_of(weights), start_of(queue), start_of(changes)),
        *(start_of(first_slot), start_of(slots), start_of(common), start_of(house_cells)),
        *(start_of(first_partner), start_of(partners)),
    )
    if starts is not None:
        constraints = Constraints(
            *(starts[0], starts[1], starts[2], starts[3], starts[4]),
            *(start_of(lists), start_of(sets), start_of(last_states), start_of(memory)),
        )
    stride = board.stride
    room = len(states) // stride
    limit, node_limit = request[place.LIMIT], request[place.NODE_LIMIT]
    budget = request[place.BUDGET]
    number, top, own_nodes = progress[place.PUZZLE], progress[place.OPEN], progress[place.OWN_NODES]
    nodes = guesses = rounds = 0
    why = place.FINISHED
    while number < request[place.PUZZLES]:
        if own_nodes < 0:
            begin_puzzle(board, puzzles, number)
            top = 1
            own_nodes = 0
            numbers[number] = 0
        left_early = False
        while top:
            if own_nodes == node_limit:
                left_early = True
                break
            if nodes == budget:
                why = place.PAUSED
                break
            if top + 1 > room:
                why = place.STACK_FULL
                break
            nodes += 1
            own_nodes += 1
            top -= 1
            at = top * stride
            code = get(board.states, at + stride - 1)
            if starts is not None:
                take_as_applied(board, constraints, at, code != NO_GUESS)
                if code == NO_GUESS:
                    begin_weights(board, constraints)
            waiting = apply_guess(board, at, code)
            more_rounds = 0
            while waiting >= 0:
                more_rounds += 1
                waiting = follow_singles(board, at, waiting)
                if starts is not None and waiting == 0:
                    waiting = follow_constraints(board, constraints, at)
                    if waiting > 0:
                        continue
                if waiting == 0:
                    waiting = follow_sets(board, at)
                    if starts is not None and waiting == 0 and has_unseen(board, constraints, at):
                        continue
                    if waiting == 0:
                        break
            if waiting < 0:
                if code != NO_GUESS:
                    blame(board, code >> 8, code >> 2 & 63)
                continue
            rounds += more_rounds
            word = best_word(board, at)
            if word < 0:
                if numbers[number] == 0:
                    write_solution(board, at, witnesses, number)
                numbers[number] += 1
                if numbers[number] == limit:
                    left_early = True
                    break
                continue
            guesses += 1
            alternative = first_of(get(board.states, at + word))
            cell = cell_of(board, word, alternative)
            value = value_of(board, word, alternative)
            copy_state(board, at, at + stride)
            put(board.states, at + stride - 1, guess_code(cell, value, FALSE))
            put(board.states, at + 2 * stride - 1, guess_code(cell, value, TRUE))
            top += 2
        if why != place.FINISHED:
            break
        exact[number] = not left_early
        top = 0
        own_nodes = -1
        number += 1
    progress[place.PUZZLE], progress[place.OPEN], progress[place.OWN_NODES] = number, top, own_nodes
    progress[place.NODES] += nodes
    progress[place.GUESSES] += guesses
    progress[place.ROUNDS] += rounds
    return why
