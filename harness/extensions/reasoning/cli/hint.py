"""`harness hint`: the next step for a puzzle, by the simplest rule that finds one."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import InputError, OptionError, located
from harness.base.text import encodable
from harness.cli.folders import put_drawing, require_drawing_file
from harness.cli.options import WRITTEN, JsonOption, ShapeOption, shape_of, value_option
from harness.cli.puzzle_argument import PuzzleArgument, PuzzleSource, headed
from harness.cli.terminal import show, theme_of, width, wrapped
from harness.extensions.reasoning.board import Board, Elimination, Rule, all_of, sentence
from harness.extensions.reasoning.ladder import LADDER, rules_of
from harness.extensions.reasoning.solving import Step, contradictions_in
from harness.extensions.reasoning.step import ReasoningStep, step_of
from harness.puzzles import Instance, Puzzle, constraints_in_words, draw, width_of
from harness.report import PuzzleDocument, Style


class State(StrEnum):
    """Whether there is a hint, and if not, why."""

    HINT = "hint"
    SOLVED = "solved"
    CONTRADICTORY = "contradictory"
    STUCK = "no rule applies"


class Hinted(PuzzleDocument):
    """The next step for one puzzle; for a range of puzzles a list of such objects."""

    state: str
    """`hint`, `solved`, `contradictory` or `no rule applies`."""
    rules: list[str]
    """The rules that were tried, simplest first."""
    hints: list[ReasoningStep]
    """One hint, or with `--all` all hints of the same rule; empty if there is none."""


@dataclass(frozen=True)
class Hints:
    """The hints for one puzzle."""

    instance: Instance
    rules: Sequence[Rule]
    state: State
    steps: Sequence[Step]


def hint(
    puzzle: PuzzleArgument,
    rules: Annotated[
        str | None,
        value_option(
            "--rules",
            "RULES",
            "Rules to try: names joined by +, or up-to-NAME for a rule and all simpler ones. "
            "[default: all rules]",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show all conclusions of the rule, not only the first.")
    ] = False,
    shape: ShapeOption = None,
    as_json: JsonOption = False,
    svg: Annotated[
        Path | None,
        value_option(
            "--svg",
            "FILE",
            "Draw the board into this file as SVG, with the first hint and its reason.",
        ),
        WRITTEN,
    ] = None,
) -> None:
    """Show the next step for a puzzle by the simplest rule, with the reason.

    Exit code 1: no hint, because the puzzle is solved or contradictory, or no rule applies.
    """
    ladder = LADDER if rules is None else _rules(rules)
    source = PuzzleSource.parse(puzzle)
    instances = source.read(shape_of(shape))
    answers = [_hints(instance, ladder, every=every) for instance in instances]
    if svg is not None:
        if len(answers) != 1:
            expected = "the address of one puzzle, such as named/3"
            raise OptionError(f"{len(answers)} puzzles", where="--svg", expected=expected)
        require_drawing_file(svg)
        _draw(answers[0], svg)
    if as_json:
        source.show_json([_document(hints) for hints in answers])
    else:
        for _, hints in zip(headed(instances), answers, strict=True):
            _show_hint(hints)
    if any(hints.state is not State.HINT for hints in answers):
        raise typer.Exit(1)


def _rules(text: str) -> Sequence[Rule]:
    """The chosen rules.

    Raises:
        InputError: a rule does not exist, or no rule is chosen.
    """
    with located("--rules", InputError):
        rules = rules_of(text)
    if not rules:
        raise OptionError("a hint needs a rule", where="--rules", expected="a rule, or up-to-RULE")
    return rules


def _hints(instance: Instance, rules: Sequence[Rule], *, every: bool) -> Hints:
    board = Board(instance.puzzle)
    if board.finished or board.refuted:
        state = State.SOLVED if board.finished else State.CONTRADICTORY
        return Hints(instance, rules, state, ())
    for rule in rules:
        conclusions = islice(rule.conclusions(board), None if every else 1)
        if steps := [Step(rule, conclusion) for conclusion in conclusions]:
            return Hints(instance, rules, State.HINT, steps)
    return Hints(instance, rules, State.STUCK, ())


def _show_hint(hints: Hints) -> None:
    puzzle, theme = _drawn_puzzle(hints), theme_of()
    cells = {cell for step in hints.steps for cell in step.conclusion.cells}

    def style_of(cell: int, symbol: str) -> str:
        return theme.styled(symbol, Style.GOOD if cell in cells else Style.GIVEN)

    for line in draw(puzzle, unicode=theme.unicode, style=style_of):
        show(line)
    show()
    for text in constraints_in_words(puzzle.shape):
        show(wrapped(text, 2, first=0))
    for step in hints.steps:
        show(wrapped(_words(step, hints), 4, first=0))
    if not hints.steps:
        for line in _reason(hints).splitlines():
            show(theme.styled(wrapped(line, 0), Style.BAD))


def _drawn_puzzle(hints: Hints) -> Puzzle:
    """The puzzle, with all candidates if a hint removes some and the terminal has room for them."""
    puzzle = hints.instance.puzzle
    if any(isinstance(step.conclusion, Elimination) for step in hints.steps):
        with_marks = Puzzle(puzzle.shape, puzzle.givens, tuple(Board(puzzle).candidates))
        if width_of(with_marks) <= width():
            return with_marks
    return puzzle


def _draw(hints: Hints, out: Path) -> None:
    """Draw the board with the first hint, or without one, into the file `out`."""
    from harness.extensions.reasoning.drawing import svg as svg_of_board

    puzzle = hints.instance.puzzle
    conclusion = hints.steps[0].conclusion if hints.steps else None
    title = encodable(_words(hints.steps[0], hints) if hints.steps else hints.instance.name)
    text = title if hints.steps else _reason(hints)
    board = Board(puzzle)
    drawing = svg_of_board(board, conclusion, givens=puzzle.givens, title=title, caption=text)
    put_drawing(drawing, out, hints.instance.name)


def _words(step: Step, hints: Hints) -> str:
    return f"{step.rule.name}: {sentence(step.conclusion, hints.instance.puzzle.shape)}"


def _reason(hints: Hints) -> str:
    """Why there is no hint."""
    if hints.state is State.SOLVED:
        return "the puzzle is solved: every cell has a value"
    if hints.state is State.CONTRADICTORY:
        contradictions = contradictions_in(hints.instance.puzzle)
        return "\n".join(["the puzzle has no solution", *contradictions])
    shape = hints.instance.puzzle.shape
    names = all_of([rule.name for rule in hints.rules if rule.applies_to(shape)] or ["none"])
    return f"no rule applies; only a guess leads further. Tried: {names}"


def _document(hints: Hints) -> Hinted:
    board = Board(hints.instance.puzzle)
    return Hinted.about(
        hints.instance,
        state=str(hints.state),
        rules=[rule.name for rule in hints.rules],
        hints=[step_of(step.conclusion, board, step.rule) for step in hints.steps],
    )
