"""The steps of a trace as data, against the reasoning room itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from harness.extensions.reasoning.board import Board, Rule, statement
from harness.extensions.reasoning.ladder import LADDER, ladder_of, rung
from harness.extensions.reasoning.solving import steps as steps_by_rules
from harness.extensions.reasoning.step import Marks, ReasoningStep, StepKind, Steps, marks_of
from harness.extensions.reasoning.trace import Assigned, Eliminated, Event, Reset, Tracker
from harness.extensions.workbench.trace_steps import (
    DifficultyData,
    EndData,
    TraceEnding,
    difficulty_of,
    reason,
    short_name,
)
from harness.puzzles import Pencilmarks, Puzzle, Shape, parse_puzzle
from harness.puzzles.datasets.catalogue import load_dataset
from harness.puzzles.shape import value_of
from tests.backends.article_puzzles import FIGURE_11
from tests.backends.oracle import NAMED

ESCARGOT = NAMED["escargot"]


@dataclass
class Traced:
    """A trace, with the events from which it is made."""

    puzzle: Puzzle
    steps: list[ReasoningStep] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    end: EndData = field(default_factory=lambda: EndData(TraceEnding.FAILED, ""))

    def boards(self) -> list[Board]:
        """The board after each number of steps, from the data alone, as the page makes them."""
        boards = [Board(self.puzzle)]
        shape = self.puzzle.shape
        for number, step in enumerate(self.steps):
            board = boards[number if step.base is None else step.base].copy()
            if step.value and step.kind in (StepKind.PLACEMENT, StepKind.GUESS):
                board.place(cell_of(step.cell, shape), value_of(step.value) or 0)
            for cell, value in marks_of(step, shape).removed:
                board.remove(cell, value)
            boards.append(board)
        return boards

    def marked(self) -> Iterator[tuple[ReasoningStep, Marks, Board]]:
        """Each step with its marks and the board from which it starts."""
        boards = self.boards()
        for number, step in enumerate(self.steps):
            board = boards[number if step.base is None else step.base]
            yield step, marks_of(step, board.shape), board


def values_after(events: list[Event], puzzle: Puzzle) -> Iterator[list[int]]:
    """The values of the board after each event."""
    values = list(puzzle.givens)
    for event in events:
        if isinstance(event, Assigned):
            values[event.cell] = event.value
        for cell in event.cells if isinstance(event, Reset) else ():
            values[cell] = 0
        yield values.copy()


def cell_of(name: str | None, shape: Shape) -> int:
    """The number of the cell with this name."""
    return [*map(shape.cell_name, range(shape.size**2))].index(name or "")


def trace_of(puzzle: Puzzle, rules: Sequence[Rule] = LADDER, **options: Any) -> Traced:
    trace = Traced(puzzle)
    steps = Steps(puzzle, goes_back=True, name=short_name)

    def record(event: Event) -> None:
        trace.events.append(event)
        # As the page gets it.
        data = msgspec.json.encode(steps.step(event))
        trace.steps.append(msgspec.json.decode(data, type=ReasoningStep))

    trace.end = reason(puzzle, rules, record, **options)
    return trace


def puzzle_of(dataset: str, index: int) -> Puzzle:
    return load_dataset(dataset).instances[index].puzzle


@cache
def trace_in(dataset: str, index: int) -> Traced:
    return trace_of(puzzle_of(dataset, index))


SOME = [
    *(("seeds", 1), ("named", 4)),  # the second is a puzzle of Eppstein's article
    *(("hard", 1), ("jigsaw", 54), ("diagonal", 23)),
    pytest.param("16x16", 9, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("dataset", "index"), SOME)
def test_without_a_search_the_steps_are_those_of_the_rules(dataset: str, index: int) -> None:
    puzzle = puzzle_of(dataset, index)
    trace = trace_of(puzzle, searches=False)
    board = Board(puzzle)
    expected = [
        (step.rule.name, statement(step.conclusion, puzzle.shape))
        for step in steps_by_rules(board, LADDER)
    ]
    conclusions = [
        (step.rule, step.words.split(":")[0])
        for step in trace.steps
        if step.kind in (StepKind.PLACEMENT, StepKind.ELIMINATION)
    ]
    assert conclusions == expected
    assert trace.end.ending is (TraceEnding.SOLVED if board.finished else TraceEnding.STUCK)
    last = trace.boards()[-1]
    assert (last.values, last.candidates) == (board.values, board.candidates)


@pytest.mark.parametrize(("dataset", "index"), [*SOME, ("named", 6), ("no-solution", 3)])
def test_the_board_before_a_step_and_its_change_give_the_board_after(
    dataset: str, index: int
) -> None:
    trace = trace_in(dataset, index)
    puzzle = trace.puzzle
    boards = trace.boards()
    assert [board.values for board in boards[1:]] == list(values_after(trace.events, puzzle))
    rows = zip(trace.events, trace.marked(), boards[1:], strict=True)
    for event, (_, marks, before), after in rows:
        if isinstance(event, Eliminated):
            assert all(before.candidates[cell] >> value - 1 & 1 for cell, value in marks.removed)
            before.apply(event.conclusion)
            assert after.candidates == before.candidates


@pytest.mark.parametrize(("dataset", "index"), SOME)
def test_marks_are_on_the_board_before_the_step(dataset: str, index: int) -> None:
    for step, marks, before in trace_in(dataset, index).marked():
        for group in marks.candidates:
            assert all(before.candidates[cell] >> value - 1 & 1 for cell, value in group)
        for walk in marks.walks:
            assert all(first.target == second.source for first, second in pairwise(walk))
            for link in walk:
                assert before.candidates[link.source] >> link.value - 1 & 1
                assert before.candidates[link.target] >> link.target_value - 1 & 1
        for link in marks.pairs:
            both = before.candidates[link.source] & before.candidates[link.target]
            assert both & 1 << link.value - 1
        if step.rule:
            assert step.rung
            assert ladder_of(before.shape)[step.rung - 1].name == step.rule
            assert step.cells


@pytest.mark.parametrize(
    ("rule", "dataset", "index"),
    [
        ("naked single", "seeds", 0),
        ("hidden single", "seeds", 1),
        ("locked candidates", "seeds", 1),
        ("hidden pair", "named", 3),
        ("X-wing", "named", 4),
        ("simple colouring", "seeds", 3),
        ("XY-wing", "hard", 1),
        ("bivalue nonrepetitive cycle", "named", 3),
        ("conflicting paths", "named", 4),
        ("path", "diagonal", 23),
    ],
)
def test_each_rule_marks_what_it_is_about(rule: str, dataset: str, index: int) -> None:
    steps = [step for step in trace_in(dataset, index).steps if step.rule == rule]
    assert steps
    for step in steps:
        if "cycle" in rule or "path" in rule:
            assert step.walks
        elif rule == "simple colouring":
            assert len(step.candidates) == 2
            assert step.pairs
        elif rule.endswith("wing") and rule != "X-wing":
            assert step.candidates
        elif rule == "naked single":
            assert step.cells == [step.cell]
        else:
            assert step.houses
        if rule == "hidden single":
            ((house,),) = step.houses
            shape = puzzle_of(dataset, index).shape
            (cells,) = [house_.cells for house_ in shape.houses if str(house_) == house]
            assert cell_of(step.cell, shape) in cells


@pytest.mark.parametrize(
    ("line", "rules"), [(FIGURE_11, ()), (ESCARGOT, rung("hidden-single")), (ESCARGOT, LADDER)]
)
def test_the_tree_and_the_tables_are_those_of_the_articles(
    line: str, rules: Sequence[Rule]
) -> None:
    trace = trace_of(parse_puzzle(line), rules)
    for step, event in zip(trace.steps, trace.events, strict=True):
        assert step.branch == short_name(event.branch)
        assert (step.number is None) is (step.value is None or step.kind is StepKind.DEAD_END)
    rows = [tuple(row) for step in trace.steps for row in step.rows]
    assert rows == list(Tracker().history(trace.events))
    guesses = sum(step.kind is StepKind.GUESS for step in trace.steps)
    assert trace.end.nodes == (guesses + 1 if guesses else 0)


def test_after_all_solutions_the_search_is_back_at_the_first_branch() -> None:
    puzzle = puzzle_of("multi-solution", 60)
    trace = trace_of(puzzle, solutions=1000)
    assert trace.end.ending is TraceEnding.COMPLETE
    expected = load_dataset("multi-solution").instances[60].expected_count
    assert expected is not None
    assert trace.end.solutions == expected.least
    grids = {
        tuple(board.values) for step, _, board in trace.marked() if step.kind is StepKind.SOLUTION
    }
    assert len(grids) == expected.least
    last = trace.steps[-1]
    assert last.kind is StepKind.BACK
    assert last.base is not None
    assert trace.steps[last.base - 1].branch == "total"


def test_a_puzzle_without_a_solution_ends_in_dead_ends() -> None:
    trace = trace_in("no-solution", 0)
    assert trace.end.ending is TraceEnding.COMPLETE
    assert trace.end.solutions == 0
    assert any(step.kind is StepKind.DEAD_END for step in trace.steps)
    assert "no solution" in trace.end.words
    # The rules alone can end in a dead end, too.
    trace = trace_of(Puzzle.of_line(".3.4......2..1..", Shape.parse("4x4")), searches=False)
    assert trace.end.ending is TraceEnding.COMPLETE
    assert trace.end.words == "The puzzle has no solution: the rules prove it."
    assert trace.steps[-1].kind is StepKind.DEAD_END


@pytest.mark.parametrize(
    ("line", "marks", "ending", "words"),
    [
        ("1234341221434321", None, TraceEnding.GIVEN, "every cell has a value"),
        ("11" + "." * 14, None, TraceEnding.CONTRADICTORY, "1 is given 2 times in row 1"),
        ("." * 16, (14,) * 4 + (15,) * 12, TraceEnding.CONTRADICTORY, "row 1 has no cell for 1."),
        ("." * 16, None, TraceEnding.STUCK, "only a guess leads further"),
    ],
)
def test_puzzles_without_a_step(
    line: str, marks: Pencilmarks | None, ending: TraceEnding, words: str
) -> None:
    shape = Shape.parse("4x4")
    trace = trace_of(Puzzle(shape, Puzzle.of_line(line, shape).givens, marks), searches=False)
    assert trace.steps == []
    assert trace.end.ending is ending
    assert words in trace.end.words


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (FIGURE_11, DifficultyData("hard", "conflicting-paths")),
        (ESCARGOT, DifficultyData("hard", "search")),
        ("." * 81, DifficultyData("", "")),
    ],
)
def test_the_difficulty(line: str, expected: DifficultyData) -> None:
    assert difficulty_of(parse_puzzle(line)) == expected
