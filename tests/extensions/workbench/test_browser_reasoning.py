"""The view of the reasoning in a real browser: stepping, playing, the tree, the tables."""

import re
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import pytest

from harness.extensions.reasoning.board import Board
from harness.extensions.reasoning.graphs import BilocationGraph
from harness.extensions.reasoning.ladder import LADDER
from harness.extensions.reasoning.solving import steps
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.datasets.catalogue import load_dataset
from tests.backends.article_puzzles import FIGURE_6, FIGURE_11
from tests.backends.oracle import NAMED
from tests.extensions.workbench.conftest import OpenPage
from tests.extensions.workbench.tab import Tab

ESCARGOT = NAMED["escargot"]
SOLVED = "162857493534129678789643521475312986913586742628794135356478219241935867897261354"

pytestmark = pytest.mark.long

_OPEN = """async ([shape, line]) => {
    const { puzzle, shapeNamed, valuesOf } = await import('/static/puzzle.js');
    await puzzle.open({ shape, givens: valuesOf(line, await shapeNamed(shape)) });
}"""


class View(Tab):
    """A page that shows the reasoning."""

    def goto(self, path: str) -> None:
        super().goto(path)
        self.page.wait_for_selector("#main .board .cell")
        self.page.click("#views >> text=Reasoning")
        self.section = self.page.locator("section.reasoning")

    def trace(self, puzzle: Puzzle) -> None:
        """Open a puzzle, and show all its steps."""
        self.page.evaluate(_OPEN, [puzzle.shape.definition, puzzle.line])
        self.button(re.compile("Show the reasoning")).click()
        self.wait_for(lambda: re.fullmatch(r"Step [1-9]\d* of \d+", self.count), 180)

    def button(self, name: Any) -> Any:
        exact = isinstance(name, str)
        return self.section.get_by_role("button", name=name, exact=exact)

    def go(self, number: int) -> None:
        self.section.locator(".slider").fill(str(number))
        self.wait_for(lambda: self.position == number)

    @property
    def count(self) -> str:
        return str(self.section.locator(".count").inner_text())

    @property
    def position(self) -> int:
        return int(self.count.split()[1])

    @property
    def sentence(self) -> str:
        return str(self.section.locator(".sentence").inner_text())

    @property
    def candidates(self) -> list[str]:
        """The candidates that each blank cell shows."""
        symbols: list[str] = self.page.eval_on_selector_all(
            ".reasoning .board .cell",
            "all => all.map(cell => [...cell.querySelectorAll('.marks span')]"
            ".map(mark => mark.dataset.mark ?? '').join(''))",
        )
        return symbols

    def number_of(self, selector: str) -> int:
        """The number of elements in the view."""
        return int(self.section.locator(selector).count())


@pytest.fixture
def view(open_page: OpenPage) -> Callable[..., View]:
    """Opens the view in a context of its own."""
    return partial(open_page, kind=View)  # type: ignore[return-value]


OpenView = Callable[..., View]


def symbols_of(board: Board) -> list[str]:
    """The candidates of each blank cell, as the page shows them."""
    return [
        "" if value else "".join(str(v) for v in range(1, 10) if bits >> v - 1 & 1)
        for value, bits in zip(board.values, board.candidates, strict=True)
    ]


def test_a_trace_is_stepped_through_forward_and_back(view: OpenView) -> None:
    tab = view()
    puzzle = parse_puzzle(FIGURE_11)
    tab.trace(puzzle)
    board = Board(puzzle)
    earlier = []
    for number, step in enumerate(islice(steps(Board(puzzle), LADDER), 35), 1):
        earlier.append((tab.sentence, tab.values()))
        assert tab.position == number
        assert tab.sentence.startswith(f"{step.rule.name[0].upper()}{step.rule.name[1:]} (rung")
        before = board.copy()
        board.apply(step.conclusion)
        expected = symbols_of(before)
        # A cell that gets its value shows the value in place of its candidates.
        differs = [a for a, b in zip(tab.candidates, expected, strict=True) if a != b]
        assert differs in ([], [""])
        current = tab.section.locator('.step[aria-current="step"]')
        assert current.get_attribute("data-step") == str(number)
        tab.keys("ArrowRight")
    for sentence, values in reversed(earlier):
        tab.keys("ArrowLeft")
        assert (tab.sentence, tab.values()) == (sentence, values)
    tab.keys("Home")
    assert tab.values() == FIGURE_11
    assert tab.button("Back").is_disabled()
    tab.keys("End")
    assert "." not in tab.values()
    assert tab.button("Forward").is_disabled()
    assert tab.sentence == "The board is a solution of the puzzle."


def test_what_a_step_marks_is_drawn(view: OpenView) -> None:
    tab = view()
    puzzle = parse_puzzle(FIGURE_11)
    tab.trace(puzzle)
    rules = [step.rule.name for step in steps(Board(puzzle), LADDER)]

    def drawn(selector: str) -> int:
        return tab.number_of(f".thought {selector}")

    tab.go(rules.index("locked candidates") + 1)
    tab.wait_for(lambda: drawn(".border.base") == 1)
    assert drawn(".border.cover") == 1
    assert drawn(".stroke") == tab.number_of(".marks .removed") > 0
    assert drawn(".candidate") == tab.number_of(".marks .marked") >= 2
    tab.go(rules.index("conflicting paths") + 1)
    tab.wait_for(lambda: drawn(".label.walk0 circle") == 1)
    assert drawn(".label.walk1 path") == 4
    assert tab.section.locator(".thought .placed").is_visible()
    tab.go(rules.index("hidden single") + 1)
    tab.wait_for(lambda: drawn(".fill.reason") == 9)
    assert tab.number_of(".cell.placed") == 1
    assert not tab.section.locator(".thought .placed").is_visible()


def test_a_trace_plays_and_pauses(view: OpenView) -> None:
    tab = view()
    tab.trace(parse_puzzle(FIGURE_6))
    tab.section.locator("select").nth(3).select_option("30")
    tab.page.locator("body").press("Space")
    tab.wait_for(lambda: tab.position > 5)
    assert tab.button("Pause").get_attribute("aria-pressed") == "true"
    tab.button("Pause").click()
    position = tab.position
    tab.page.wait_for_timeout(200)
    assert tab.position == position
    tab.button("Play").click()
    tab.wait_for(lambda: tab.values().count(".") == 0)
    tab.wait_for(lambda: tab.button("Play").is_visible())


def test_steps_of_the_list_and_first_uses_jump(view: OpenView) -> None:
    tab = view()
    tab.trace(parse_puzzle(FIGURE_11))
    tab.section.locator('.step[data-step="12"]').click()
    assert tab.position == 12
    tab.button("First step of conflicting paths: 16").click()
    assert tab.position == 16
    name = tab.section.locator('.step[aria-current="step"] .name')
    assert "rung 20" in name.inner_text()
    tab.button("Later steps").click()
    tab.section.locator('.step[data-step="70"]').click()
    assert tab.position == 70
    rating = tab.section.locator(".rating").first
    tab.wait_for(lambda: "Level: hard" in rating.inner_text())
    assert "conflicting paths" in rating.inner_text()


def test_the_search_tree_grows_and_jumps(view: OpenView) -> None:
    tab = view()
    tab.trace(parse_puzzle(ESCARGOT))
    nodes = ".tree .node:not(.later)"
    assert tab.number_of(nodes) == 1
    tab.button("Last").click()
    assert tab.number_of(nodes) == 8
    assert tab.number_of(".tree .node.dead-end") == 4 - 1
    assert tab.number_of(".tree .node.solution.present") == 1
    assert tab.values() == SOLVED
    last = tab.position
    # One number of guesses: a guess tries all values of a cell.
    statement = re.search(r"(\d+) guess", tab.section.inner_text())
    assert statement
    row = tab.section.locator("tr", has=tab.page.locator("th:text-is('guess')"))
    assert row.locator("td.number").nth(1).inner_text() == statement[1]
    tab.button(re.compile("First step of guess")).click()
    tab.keys("ArrowRight")
    assert "(total1)" in tab.sentence
    assert "Each digit after total is a guess: 1 tries its first value" in tab.sentence
    tab.go(last)
    tab.section.locator(".tree .node.dead-end").first.click()
    assert tab.position < last
    assert tab.sentence.startswith("Dead end: ")
    assert tab.number_of(".tree .node.solution") == 0


def test_the_bilocation_graph_is_drawn_on_request(view: OpenView) -> None:
    tab = view()
    puzzle = parse_puzzle(FIGURE_6)
    tab.trace(puzzle)
    assert tab.number_of(".thought .link.graph") == 0
    tab.section.get_by_label("Bilocation graph").check()
    edges = BilocationGraph(Board(puzzle)).edges
    tab.wait_for(lambda: tab.number_of(".thought .link.graph") == edges)
    assert f"{edges} links" in tab.section.inner_text()
    board = Board(puzzle)
    for _ in zip(range(9), steps(board, LADDER), strict=False):
        tab.keys("ArrowRight")
    edges = BilocationGraph(board).edges
    tab.wait_for(lambda: tab.number_of(".thought .link.graph") == edges)


def test_another_puzzle_and_the_board(view: OpenView) -> None:
    tab = view()
    tab.trace(parse_puzzle(FIGURE_6))
    assert not tab.section.locator(".notice").is_visible()
    tab.page.evaluate(_OPEN, ["9x9", ESCARGOT])
    assert "earlier puzzle" in tab.section.locator(".notice").inner_text()
    tab.go(9)
    values = tab.number_of(".cell.given, .cell.found")
    tab.button("Open on the board").click()
    tab.page.wait_for_selector("section[aria-label=Board] .board .cell.given")
    assert tab.page.locator("section[aria-label=Board] .board .cell.given").count() == values
    tab.page.click("#views >> text=Reasoning")
    assert tab.position == 9


def test_a_trace_is_cancelled_and_its_steps_stay(view: OpenView) -> None:
    tab = view()
    tab.page.evaluate(_OPEN, ["16x16", "." * 256])
    tab.section.locator("summary").first.click()
    tab.section.locator("select").nth(1).select_option("20000")
    tab.button("Show the reasoning").click()
    tab.wait_for(lambda: tab.count.endswith("so far") and int(tab.count.split()[3]) > 20)
    tab.button("Cancel").click()
    tab.wait_for(lambda: "was cancelled" in tab.section.inner_text())
    tab.keys("End")
    assert tab.position > 20


def test_it_fits_a_phone(view: OpenView) -> None:
    tab = view(width=360, height=740)
    tab.trace(parse_puzzle(ESCARGOT))
    for number in (1, 20, 60, 195):
        tab.go(number)
        assert tab.fits()
    tab.button("Back").click()
    assert tab.position == 194


@pytest.mark.parametrize(("dataset", "index"), [("25x25", 0), ("jigsaw", 54)])
def test_other_shapes(view: OpenView, dataset: str, index: int) -> None:
    tab = view()
    puzzle = load_dataset(dataset).instances[index].puzzle
    tab.trace(puzzle)
    tab.keys("End")
    tab.wait_for(lambda: "." not in tab.values())


def test_the_reasoning_of_a_killer_names_its_cages(view: OpenView) -> None:
    tab = view()
    shape = Shape.parse("4x4; killer 3: R1C1 R1C2; killer 4: R3C1 R4C1; killer 7: R2C3 R2C4")
    tab.trace(Puzzle(shape, (0,) * 16))
    assert tab.sentence.startswith("Cage combination (rung 3): R1C1 and R1C2 are not 3 or 4")
    assert tab.page.locator("#main > section:not([hidden]) .board img.layer").count() == 2


def test_a_limit_out_of_range_is_marked_and_stays_as_it_was_typed(open_page: OpenPage) -> None:
    tab = open_page("/#reasoning")
    page = tab.page
    page.locator(".reasoning summary", has_text="Rules, search and limits").click()
    for name, wrong, right in [("Most steps", "20001", "3"), ("Time limit in s", "0", "7.5")]:
        field = page.locator(".reasoning").get_by_label(name)
        field.fill(wrong)
        note = field.evaluate("field => field.validationMessage")
        assert note
        assert page.get_by_role("alert").get_by_text(note).is_visible()
        page.keyboard.press("Tab")
        assert field.input_value() == wrong
        assert field.get_attribute("aria-invalid") == "true"
        page.locator(".reasoning summary", has_text="Rules, search and limits").click()
        tab.button("Show the reasoning").click()
        assert field.is_visible()
        assert field.evaluate("field => field === document.activeElement")
        field.fill(right)
        assert field.get_attribute("aria-invalid") == "false"
        assert page.get_by_text(note).count() == 0
    tab.open_puzzle(ESCARGOT)
    page.evaluate("location.hash = '#reasoning'")
    page.locator(".reasoning summary", has_text="Rules, search and limits").click()
    page.locator(".reasoning").get_by_label("Most steps").fill("3")
    tab.button("Show the reasoning").click()
    tab.wait_for_text("of 3")
