"""The steps of a trace as data, against the reasoning room itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec
import pytest

from harness.extensions.reasoning.board import Board, Placement, Rule, sentence
from harness.extensions.reasoning.graphs import BilocationGraph
from harness.extensions.reasoning.ladder import LADDER, ladder_of, rung
from harness.extensions.reasoning.solving import steps as steps_by_rules
from harness.extensions.reasoning.trace import (
    Branch,
    Eliminated,
    Event,
    Tracker,
    branch_name,
    steps_of,
)
from harness.extensions.workbench.trace_steps import (
    EndData,
    Reasoning,
    StepData,
    StepKind,
    TraceEnding,
    TraceSteps,
    difficulty_of,
)
from harness.extensions.workbench.traces import BoardData, bilocation_links
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.catalogue import load_dataset

ESCARGOT = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
FIGURE_11 = "5....1..8......6......6257..9.2.51....4.1.3....83.9.2..7698......5......8..1....3"


@dataclass
class Traced:
    """A trace, with the events from which it is made."""

    puzzle: Puzzle
    steps: list[StepData] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    end: EndData = field(default_factory=lambda: EndData(TraceEnding.FAILED, ""))

    def boards(self) -> list[Board]:
        """The board after each number of steps, from the data alone, as the page makes them."""
        found = [Board(self.puzzle)]
        for number, step in enumerate(self.steps):
            board = found[number if step.base is None else step.base].copy()
            if step.value and step.kind in (StepKind.PLACEMENT, StepKind.GUESS):
                assert step.cell is not None
                board.place(step.cell, step.value)
            for cell, value in step.removed:
                board.remove(cell, value)
            found.append(board)
        return found

    def boards_before(self) -> Iterator[tuple[StepData, Board]]:
        """Each step with the board from which it starts."""
        boards = self.boards()
        for number, step in enumerate(self.steps):
            yield step, boards[number if step.base is None else step.base]


def traced(
    puzzle: Puzzle,
    rules: Sequence[Rule] = LADDER,
    *,
    searches: bool = True,
    solutions: int = 1,
) -> Traced:
    found = Traced(puzzle)
    steps = TraceSteps(puzzle)

    def record(event: Event) -> None:
        found.events.append(event)
        # As the page gets it.
        data = msgspec.json.encode(steps.of(event))
        found.steps.append(msgspec.json.decode(data, type=StepData))

    found.end = Reasoning(puzzle, rules, record, searches=searches, solutions=solutions).run()
    return found


def puzzle_of(dataset: str, index: int) -> Puzzle:
    return load_dataset(dataset).instances[index].puzzle


SOME = [
    *(("seeds", 1), ("named", 4)),  # the second is a puzzle of Eppstein's article
    *(("hard", 1), ("jigsaw", 54), ("diagonal", 23)),
    pytest.param("16x16", 9, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("dataset", "index"), SOME)
def test_without_a_search_the_steps_are_those_of_the_rules(dataset: str, index: int) -> None:
    puzzle = puzzle_of(dataset, index)
    found = traced(puzzle, searches=False)
    board = Board(puzzle)
    expected = []
    for step in steps_by_rules(board, LADDER):
        conclusion = step.conclusion
        where = (
            (conclusion.cell, conclusion.value)
            if isinstance(conclusion, Placement)
            else list(conclusion.candidates)
        )
        expected.append((step.rule.name, where, sentence(conclusion, puzzle.shape)))
    concluded = [
        (of.rule, (of.cell, of.value) if of.value else of.removed, of.words)
        for of in found.steps
        if of.kind in (StepKind.PLACEMENT, StepKind.ELIMINATION)
    ]
    assert concluded == expected
    assert found.end.ending is (TraceEnding.SOLVED if board.finished else TraceEnding.STUCK)
    last = found.boards()[-1]
    assert (last.values, last.candidates) == (board.values, board.candidates)


@pytest.mark.parametrize(("dataset", "index"), [*SOME, ("named", 6), ("no-solution", 3)])
def test_the_board_before_a_step_and_its_change_give_the_board_after(
    dataset: str, index: int
) -> None:
    puzzle = puzzle_of(dataset, index)
    found = traced(puzzle)
    boards = found.boards()
    expected = [values for _, values in steps_of(found.events, puzzle)]
    assert [tuple(board.values) for board in boards[1:]] == expected
    for event, (step, before) in zip(found.events, found.boards_before(), strict=True):
        if isinstance(event, Eliminated):
            assert all(before.candidates[cell] >> value - 1 & 1 for cell, value in step.removed)
            after = before.copy()
            after.apply(event.conclusion)
            number = found.steps.index(step)
            assert boards[number + 1].candidates == after.candidates


@pytest.mark.parametrize(("dataset", "index"), SOME)
def test_marks_are_on_the_board_before_the_step(dataset: str, index: int) -> None:
    found = traced(puzzle_of(dataset, index))
    size, houses = found.puzzle.shape.size, found.puzzle.shape.houses
    for step, before in found.boards_before():
        for group in step.groups:
            assert all(before.candidates[cell] >> value - 1 & 1 for cell, value in group)
        for walk in step.walks:
            assert all(one[1] == other[0] for one, other in pairwise(walk))
            for source, target, value, given in walk:
                assert before.candidates[source] >> value - 1 & 1
                assert before.candidates[target] >> given - 1 & 1
        for source, target, value in step.pairs:
            assert before.candidates[source] & before.candidates[target] & 1 << value - 1
        assert all(0 <= house < len(houses) for group in step.houses for house in group)
        assert all(0 <= cell < size**2 for cell in step.cells)
        if step.rule:
            assert ladder_of(before.shape)[step.rung - 1].name == step.rule
            assert step.cells or step.houses or step.groups or step.walks


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
    found = [of for of in traced(puzzle_of(dataset, index)).steps if of.rule == rule]
    assert found
    for step in found:
        if "cycle" in rule or "path" in rule:
            assert step.walks
        elif rule == "simple colouring":
            assert len(step.groups) == 2
            assert step.pairs
        elif rule.endswith("wing") and rule != "X-wing":
            assert step.groups
        elif rule == "naked single":
            assert step.cells == (step.cell,)
        else:
            assert step.houses
        if rule == "hidden single":
            ((house,),) = step.houses
            assert step.cell in puzzle_of(dataset, index).shape.houses[house].cells


@pytest.mark.parametrize(
    ("line", "rules"),
    [(FIGURE_11, ()), (ESCARGOT, rung("hidden-single")), (ESCARGOT, LADDER)],
)
def test_the_tree_and_the_tables_are_those_of_the_articles(
    line: str, rules: Sequence[Rule]
) -> None:
    found = traced(parse_puzzle(line), rules)
    numbers: dict[Branch, int] = {(): 0}
    for step, event in zip(found.steps, found.events, strict=True):
        if step.kind is StepKind.GUESS:
            assert step.parent == numbers[event.branch[:-1]]
            assert step.number == event.branch[-1]
            numbers[event.branch] = step.node
            if ".." not in step.branch:
                assert step.branch == branch_name(event.branch)
        elif step.kind is not StepKind.BACK:
            assert step.node == numbers[event.branch]
    assert sorted(numbers.values()) == list(range(len(numbers)))
    rows = [row for of in found.steps for row in of.rows]
    assert rows == list(Tracker().history(found.events))
    assert found.end.nodes == (0 if len(numbers) == 1 else len(numbers))


def test_after_all_solutions_the_search_is_back_at_the_first_branch() -> None:
    puzzle = puzzle_of("multi-solution", 60)
    found = traced(puzzle, solutions=1000)
    assert found.end.ending is TraceEnding.COMPLETE
    expected = load_dataset("multi-solution").instances[60].expected_count
    assert expected is not None
    assert found.end.solutions == expected.least
    grids = {
        tuple(board.values)
        for step, board in found.boards_before()
        if step.kind is StepKind.SOLUTION
    }
    assert len(grids) == expected.least
    last = found.steps[-1]
    assert (last.kind, last.node) == (StepKind.BACK, 0)


def test_a_puzzle_without_a_solution_ends_in_dead_ends() -> None:
    found = traced(puzzle_of("no-solution", 0))
    assert found.end.ending is TraceEnding.COMPLETE
    assert found.end.solutions == 0
    assert any(of.kind is StepKind.DEAD_END for of in found.steps)
    assert "no solution" in found.end.words


def test_rules_alone_can_end_in_a_dead_end() -> None:
    found = traced(Puzzle.of_line(".3.4......2..1..", Shape.parse("4x4")), searches=False)
    assert found.end.ending is TraceEnding.COMPLETE
    assert found.end.words == "The puzzle has no solution: the rules prove it."
    assert found.steps[-1].kind is StepKind.DEAD_END


@pytest.mark.parametrize(
    ("line", "ending", "words"),
    [
        ("1234341221434321", TraceEnding.GIVEN, "every cell has a value"),
        ("11..............", TraceEnding.CONTRADICTORY, "duplicate: 1 is given 2 times in row 1"),
        ("................", TraceEnding.STUCK, "only a guess leads further"),
    ],
)
def test_puzzles_without_a_step(line: str, ending: TraceEnding, words: str) -> None:
    found = traced(Puzzle.of_line(line, Shape.parse("4x4")), searches=False)
    assert found.steps == []
    assert found.end.ending is ending
    assert words in found.end.words


def test_a_house_without_a_cell_for_a_value_is_named() -> None:
    every = 15
    marks = tuple(every & ~1 if cell < 4 else every for cell in range(16))
    found = traced(Puzzle(Shape.parse("4x4"), (0,) * 16, marks))
    assert found.end.words.endswith("row 1 has no cell for 1.")


def test_the_graph_is_the_bilocation_graph_of_the_board() -> None:
    puzzle = puzzle_of("named", 3)
    board = Board(puzzle)
    data = BoardData(puzzle.shape.definition, tuple(board.values), tuple(board.candidates))
    graph = BilocationGraph(board)
    links = bilocation_links(data)
    assert len(links) == graph.edges > 0
    assert {frozenset((a, b)) for a, b, _ in links} == {
        frozenset((link.source, link.target)) for link in graph.every_link
    }


@pytest.mark.parametrize(
    ("line", "level", "hardest"),
    [
        (FIGURE_11, "hard", "conflicting-paths"),
        (ESCARGOT, "hard", "search"),
        ("." * 81, "", ""),
    ],
)
def test_the_difficulty(line: str, level: str, hardest: str) -> None:
    found = difficulty_of(parse_puzzle(line))
    assert (found.level, found.hardest) == (level, hardest)
