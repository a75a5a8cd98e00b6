"""Solving by rules, step by step, without search."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from harness.extensions.reasoning.board import Board, Conclusion, Rule
from harness.puzzles import Puzzle, check

Follow = Callable[[Rule, Conclusion], object]


@dataclass(frozen=True, slots=True)
class Step:
    """A conclusion, and the rule that drew it."""

    rule: Rule
    conclusion: Conclusion


def steps(board: Board, rules: Sequence[Rule]) -> Iterator[Step]:
    """Solve `board` step by step, and yield each step after it is applied.

    A step is the first conclusion of the first rule that has one, so a rule is used only where
    those before it conclude nothing. The steps end when no rule concludes anything, or when a
    cell has no candidate.
    """
    while board.blanks and all(board.candidates):
        step = next(
            (Step(rule, conclusion) for rule in rules for conclusion in rule.conclusions(board)),
            None,
        )
        if step is None:
            return
        board.apply(step.conclusion)
        yield step


def propagate(board: Board, rules: Sequence[Rule], follow: Follow | None = None) -> bool:
    """Apply `rules` to `board` until none concludes anything more.

    Faster than `steps`: all conclusions that a rule draws from a board are applied before the
    next rule is tried, if their reasons last. Each conclusion holds in every solution, so this
    is equally sound.

    Args:
        board: the board; it changes.
        rules: the rules, simplest first.
        follow: called after each conclusion that changed the board, with only the candidates
            that an elimination removed. The last placement may contradict the board: then its
            cell has no candidate.

    Returns:
        False if a cell is left without a candidate: no solution.
    """
    candidates = board.candidates
    while board.blanks and all(candidates):
        for rule in rules:
            conclusions = rule.conclusions(board)
            steps_of_rule = list(conclusions) if rule.reasons_last else list(islice(conclusions, 1))
            for conclusion in steps_of_rule:
                new = board.apply(conclusion)
                if new is None:
                    continue
                if follow is not None:
                    follow(rule, new)
                if not all(candidates):
                    return False
            if steps_of_rule:
                break
        else:
            break
    return all(candidates)


def solve(puzzle: Puzzle, rules: Sequence[Rule]) -> Board:
    """The board of `puzzle` after `rules`, simplest first, conclude nothing more."""
    board = Board(puzzle)
    for _ in steps(board, rules):
        pass
    return board


# Why a puzzle has no solution, if its givens show it.


def contradictions_in(puzzle: Puzzle) -> list[str]:
    """The contradictions in a puzzle before the first step, a line each: the findings of `check`.

    If `check` finds none, the first house without a cell for a value; empty if every house has one.
    """
    if findings := list(check(puzzle).findings()):
        return findings
    shape, candidates = puzzle.shape, Board(puzzle).candidates
    for house in shape.houses:
        for value in range(1, shape.size + 1):
            if not any(candidates[cell] >> value - 1 & 1 for cell in house.cells):
                return [f"no cell for a value: {house} has no cell for {shape.symbol(value)}"]
    return []
