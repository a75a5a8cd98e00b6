"""The steps of one trace: the rules, then a search, as data for the page.

`trace` finds them in a process of its own, and sends each as soon as it is found.
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import islice
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Raw, Struct

from harness.base.text import number_of
from harness.engine.system import confine
from harness.extensions.reasoning.board import Board, Placement, Rule
from harness.extensions.reasoning.ladder import LADDER, rung
from harness.extensions.reasoning.rating import hardest_rule, level_of
from harness.extensions.reasoning.search import Order, Search, Strategy
from harness.extensions.reasoning.solving import contradictions_in, steps
from harness.extensions.reasoning.step import Steps
from harness.extensions.reasoning.trace import Branch, Event, Recorder, Recording, branch_name
from harness.extensions.workbench.answering import Put
from harness.extensions.workbench.boards import PuzzleData
from harness.puzzles import Puzzle

# What is traced, and what is known about it.


MOST_STEPS: Final = 20_000
"""Maximum number of steps of a trace."""
_MOST_BYTES: Final = 2**25
"""Maximum size in bytes of all steps of a trace together."""


class NewTrace(Struct, forbid_unknown_fields=True):
    """A trace that a page requests."""

    page: Annotated[str, Meta(min_length=8, max_length=64)]
    """The name of the page."""
    puzzle: PuzzleData
    up_to: Annotated[str, Meta(max_length=60)] = ""
    """The last rule of the ladder; empty for all rules, ``none`` for no rule."""
    searches: bool = True
    order: Order = Order.FEWEST
    solutions: Annotated[int, Meta(ge=1, le=MOST_STEPS)] = 1
    most_steps: Annotated[int, Meta(ge=1, le=MOST_STEPS)] = 5_000
    timeout_s: Annotated[float, Meta(gt=0, le=3_600)] = 120.0


class TraceQuery(Struct, frozen=True):
    """What is traced, and where."""

    new: NewTrace
    cores: tuple[int, ...]
    """The cores on which the process may run; empty for all."""


class TraceEnding(StrEnum):
    """Why a trace ended."""

    SOLVED = "solved"
    """The rules found the solution, or the search found as many solutions as requested."""
    COMPLETE = "complete"
    """The search visited all boards, or the rules prove that there is no solution."""
    STUCK = "stuck"
    """The rules conclude nothing more, and no search was requested."""
    GIVEN = "given"
    """Every cell of the puzzle has its value."""
    CONTRADICTORY = "contradictory"
    """The givens contradict each other."""
    LIMIT = "limit"
    """The trace reached the number of steps that was requested, or has too many bytes."""
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    FAILED = "failed"


class EndData(Struct):
    """How a trace ended."""

    ending: TraceEnding
    words: str
    """The ending as a sentence."""
    solutions: int = 0
    nodes: int = 0
    guesses: int = 0
    dead_ends: int = 0


class DifficultyData(Struct):
    """How difficult the puzzle is."""

    level: str
    """The level of the puzzle; empty without exactly one solution, or with constraints."""
    hardest: str
    """The hardest rule that the puzzle needs; empty without exactly one solution."""


class TracePart(Struct, omit_defaults=True):
    """A part of a trace: a step, the end or the difficulty."""

    step: Raw = Raw()
    end: EndData | None = None
    difficulty: DifficultyData | None = None


# The level of a puzzle, and the hardest rule that it needs.


def difficulty_of(puzzle: Puzzle) -> DifficultyData:
    """The difficulty; its names are empty for a puzzle without exactly one solution."""
    level = level_of(puzzle)
    return DifficultyData("" if level is None else level.value, hardest_rule(puzzle) or "")


# The events of the reasoning: rules step by step, then a search where they end.


def reason(
    puzzle: Puzzle,
    rules: Sequence[Rule],
    record: Recorder,
    *,
    searches: bool = True,
    order: Order = Order.FEWEST,
    solutions: int = 1,
) -> EndData:
    """Apply rules as a person does, then search depth first; returns how that ended.

    Each step is the first conclusion of the simplest rule that has one. The search begins with
    the board that the rules leave, and applies the rules between two guesses.

    Args:
        puzzle: the puzzle.
        rules: the rules, simplest first: a rung of the ladder, or none.
        record: receives each event when it happens.
        searches: whether a search follows the rules.
        order: how the search chooses the cell at which it branches.
        solutions: the number of solutions at which the search ends.
    """
    board = Board(puzzle)
    if board.finished:
        return EndData(TraceEnding.GIVEN, "The puzzle is solved: every cell has a value.")
    if board.refuted:
        words = ": ".join(["The puzzle has no solution", *contradictions_in(puzzle)[:1]])
        return EndData(TraceEnding.CONTRADICTORY, f"{words}.")
    number = _apply(rules, board, record)
    if board.finished:
        words = f"The rules solve the puzzle in {number_of(number, 'step')}."
        return EndData(TraceEnding.SOLVED, words, solutions=1)
    if not all(board.candidates):
        return EndData(TraceEnding.COMPLETE, "The puzzle has no solution: the rules prove it.")
    if not searches:
        words = "No rule applies, so only a guess leads further."
        if rules:
            words += f" The last rule tried is the rule {rules[-1].name}."
        return EndData(TraceEnding.STUCK, words)
    if number:
        puzzle = Puzzle(puzzle.shape, tuple(board.values), tuple(board.candidates))
    search = Search(puzzle, Strategy(rules, order), record)
    total = sum(1 for _ in islice(search.solutions(), solutions))
    ending = TraceEnding.SOLVED if total == solutions else TraceEnding.COMPLETE
    return EndData(
        ending,
        _words(ending, total, solutions),
        solutions=total,
        nodes=search.nodes,
        guesses=search.guesses,
        dead_ends=search.dead_ends,
    )


def _apply(rules: Sequence[Rule], board: Board, record: Recorder) -> int:
    """Apply the rules step by step; returns the number of steps."""
    recording = Recording(record, goes_back=True)
    number = 0
    contradicts = False
    for step in steps(board, rules):
        number += 1
        recording.concluded((), step.rule, step.conclusion, board)
        conclusion = step.conclusion
        contradicts = isinstance(conclusion, Placement) and not board.candidates[conclusion.cell]
    if contradicts or not all(board.candidates):
        recording.dead_end((), board)
    elif board.finished:
        recording.solved((), board)
    return number


def _words(ending: TraceEnding, number: int, most: int) -> str:
    """The result of a search as a sentence."""
    if ending is TraceEnding.SOLVED:
        return (
            "The search found a solution."
            if most == 1
            else f"The search found {number_of(number, 'solution')}, and ended there."
        )
    if not number:
        return "The puzzle has no solution: the search visited every branch."
    return f"The search visited every branch: {number_of(number, 'solution')} in all."


# The trace: the steps, how they end, and the difficulty of the puzzle.


def short_name(branch: Branch) -> str:
    """The name of a branch; of a long name the beginning, the end, and the number of guesses.

    A search of a large board has hundreds of guesses.
    """
    name = branch_name(branch)
    if len(name) <= 24:
        return name
    return f"{name[:8]}..{name[-6:]} with {len(branch)} guesses"


class _Full(Exception):
    """Ends the reasoning at a limit, which is the message."""


def rules_up_to(name: str) -> tuple[Rule, ...]:
    """The rules of the ladder up to one; all for an empty name, none for ``none``.

    Raises:
        InputError: there is no such rule.
    """
    if name == "none":
        return ()
    return rung(name) if name else LADDER


def trace(query: TraceQuery, put: Put) -> None:
    """Send the steps of a trace, its end and, unless the givens contradict, the difficulty."""
    confine(query.cores)
    new = query.new
    puzzle = new.puzzle.puzzle()
    numbered_steps = Steps(puzzle, goes_back=True, name=short_name)
    bytes_sent = 0

    def send(event: Event) -> None:
        nonlocal bytes_sent
        if numbered_steps.number >= new.most_steps:
            raise _Full(number_of(new.most_steps, "step"))
        if bytes_sent > _MOST_BYTES:
            raise _Full(number_of(_MOST_BYTES, "byte"))
        step = Raw(msgspec.json.encode(numbered_steps.step(event)))
        bytes_sent += len(step)
        put(TracePart(step=step))

    try:
        end = reason(
            puzzle,
            rules_up_to(new.up_to),
            send,
            searches=new.searches,
            order=new.order,
            solutions=new.solutions,
        )
    except _Full as full:
        end = EndData(TraceEnding.LIMIT, f"The trace ends here, at its limit of {full}.")
    put(TracePart(end=end))
    if end.ending is not TraceEnding.CONTRADICTORY:
        put(TracePart(difficulty=difficulty_of(puzzle)))
