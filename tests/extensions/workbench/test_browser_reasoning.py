"""The view of the reasoning in a real browser: stepping, playing, the tree, the tables."""

import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from harness.extensions.reasoning.board import Board
from harness.extensions.reasoning.graphs import BilocationGraph
from harness.extensions.reasoning.ladder import LADDER
from harness.extensions.reasoning.solving import steps
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.catalogue import load_dataset
from tests.extensions.workbench.conftest import OpenPage
from tests.extensions.workbench.tab import Tab

ESCARGOT = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
SOLVED = "162857493534129678789643521475312986913586742628794135356478219241935867897261354"
FIGURE_6 = ".9..5342..134928...4..67.39..1524...92.318..4.5.9763121.924576...573.2...7.68...."
FIGURE_11 = "5....1..8......6......6257..9.2.51....4.1.3....83.9.2..7698......5......8..1....3"

# The driver leaves a socket to the garbage collector when it ends.
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.long]

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

    def wait_for(self, holds: Callable[[], Any], seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, self.count
            self.page.wait_for_timeout(20)

    def button(self, name: Any) -> Any:
        exact = isinstance(name, str)
        return self.section.get_by_role("button", name=name, exact=exact)

    def go(self, number: int) -> None:
        self.section.locator(".slider").fill(str(number))
        self.wait_for(lambda: self.position == number)

    @property
    def count(self) -> str:
        text = self.section.locator(".count").inner_text()
        assert isinstance(text, str)
        return text

    @property
    def position(self) -> int:
        return int(self.count.split()[1])

    @property
    def sentence(self) -> str:
        text = self.section.locator(".sentence").inner_text()
        assert isinstance(text, str)
        return text

    @property
    def candidates(self) -> list[str]:
        """The candidates that each blank cell shows."""
        found: list[str] = self.page.eval_on_selector_all(
            ".reasoning .board .cell",
            "all => all.map(cell => [...cell.querySelectorAll('.marks span')]"
            ".map(mark => mark.dataset.mark ?? '').join(''))",
        )
        return found

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.section.locator(selector).all_inner_texts()
        return found


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
    found = view()
    puzzle = parse_puzzle(FIGURE_11)
    found.trace(puzzle)
    board = Board(puzzle)
    shown = []
    for number, step in enumerate(steps(Board(puzzle), LADDER), 1):
        if number > 35:
            break
        shown.append((found.sentence, found.values()))
        assert found.position == number
        assert found.sentence.startswith(f"{step.rule.name[0].upper()}{step.rule.name[1:]} (rung")
        before = board.copy()
        board.apply(step.conclusion)
        expected = symbols_of(before)
        # A cell that gets its value shows the value in place of its candidates.
        differs = [a for a, b in zip(found.candidates, expected, strict=True) if a != b]
        assert differs in ([], [""])
        current = found.section.locator('.step[aria-current="step"]')
        assert current.get_attribute("data-step") == str(number)
        found.page.keyboard.press("ArrowRight")
    for sentence, values in reversed(shown):
        found.page.keyboard.press("ArrowLeft")
        assert (found.sentence, found.values()) == (sentence, values)
    found.page.keyboard.press("Home")
    assert found.values() == FIGURE_11
    assert found.button("Back").is_disabled()
    found.page.keyboard.press("End")
    assert "." not in found.values()
    assert found.button("Forward").is_disabled()
    assert found.sentence == "The board is a solution of the puzzle."


@pytest.mark.long
def test_what_a_step_marks_is_drawn(view: OpenView) -> None:
    found = view()
    puzzle = parse_puzzle(FIGURE_11)
    found.trace(puzzle)
    rules = [step.rule.name for step in steps(Board(puzzle), LADDER)]

    def drawn(selector: str) -> int:
        number = found.section.locator(f".thought {selector}").count()
        assert isinstance(number, int)
        return number

    found.go(rules.index("locked candidates") + 1)
    found.wait_for(lambda: drawn(".border.base") == 1)
    assert drawn(".border.cover") == 1
    removed = found.section.locator(".marks .removed").count()
    assert drawn(".stroke") == removed > 0
    assert drawn(".candidate") == found.section.locator(".marks .marked").count() >= 2
    found.go(rules.index("conflicting paths") + 1)
    found.wait_for(lambda: drawn(".label.walk0 circle") == 1)
    assert drawn(".label.walk1 path") == 4
    assert found.section.locator(".thought .placed").is_visible()
    found.go(rules.index("hidden single") + 1)
    found.wait_for(lambda: drawn(".fill.reason") == 9)
    assert found.section.locator(".cell.placed").count() == 1
    assert not found.section.locator(".thought .placed").is_visible()


def test_a_trace_plays_and_pauses(view: OpenView) -> None:
    found = view()
    found.trace(parse_puzzle(FIGURE_6))
    found.section.locator("select").nth(3).select_option("30")
    found.page.locator("body").press("Space")
    found.wait_for(lambda: found.position > 5)
    assert found.button("Pause").get_attribute("aria-pressed") == "true"
    found.button("Pause").click()
    position = found.position
    found.page.wait_for_timeout(200)
    assert found.position == position
    found.button("Play").click()
    found.wait_for(lambda: found.values().count(".") == 0)
    found.wait_for(lambda: found.button("Play").is_visible())


@pytest.mark.long
def test_steps_of_the_list_and_first_uses_jump(view: OpenView) -> None:
    found = view()
    found.trace(parse_puzzle(FIGURE_11))
    found.section.locator('.step[data-step="12"]').click()
    assert found.position == 12
    found.button("First step of conflicting paths: 16").click()
    assert found.position == 16
    assert "rung 20" in found.texts('.step[aria-current="step"] .name')[0]
    found.button("Later steps").click()
    found.section.locator('.step[data-step="70"]').click()
    assert found.position == 70
    found.wait_for(lambda: "Level: hard" in found.texts(".rating")[0])
    assert "conflicting paths" in found.texts(".rating")[0]


def test_the_search_tree_grows_and_jumps(view: OpenView) -> None:
    found = view()
    found.trace(parse_puzzle(ESCARGOT))
    nodes = ".tree .node:not(.later)"
    assert found.section.locator(nodes).count() == 1
    found.button("Last").click()
    assert found.section.locator(nodes).count() == 8
    assert found.section.locator(".tree .node.dead-end").count() == 4 - 1
    assert found.section.locator(".tree .node.solution.present").count() == 1
    assert found.values() == SOLVED
    last = found.position
    # One number of guesses: a guess tries all values of a cell.
    stated = re.search(r"(\d+) guess", found.section.inner_text())
    assert stated
    row = found.section.locator("tr", has=found.page.locator("th:text-is('guess')"))
    assert row.locator("td.number").nth(1).inner_text() == stated[1]
    found.section.get_by_role("button", name="First step of guess").click()
    found.page.keyboard.press("ArrowRight")
    assert "(total1)" in found.sentence
    assert "Each digit after total is a guess: 1 tries its first value" in found.sentence
    found.go(last)
    found.section.locator(".tree .node.dead-end").first.click()
    assert found.position < last
    assert found.sentence.startswith("Dead end: ")
    assert found.section.locator(".tree .node.solution").count() == 0


def test_the_bilocation_graph_is_drawn_on_request(view: OpenView) -> None:
    found = view()
    puzzle = parse_puzzle(FIGURE_6)
    found.trace(puzzle)
    assert found.section.locator(".thought .link.graph").count() == 0
    found.section.get_by_label("Bilocation graph").check()
    edges = BilocationGraph(Board(puzzle)).edges
    found.wait_for(lambda: found.section.locator(".thought .link.graph").count() == edges)
    assert f"{edges} links" in found.section.inner_text()
    board = Board(puzzle)
    for _ in zip(range(9), steps(board, LADDER), strict=False):
        found.page.keyboard.press("ArrowRight")
    edges = BilocationGraph(board).edges
    found.wait_for(lambda: found.section.locator(".thought .link.graph").count() == edges)


@pytest.mark.long
def test_another_puzzle_and_the_board(view: OpenView) -> None:
    found = view()
    found.trace(parse_puzzle(FIGURE_6))
    assert not found.section.locator(".notice").is_visible()
    found.page.evaluate(_OPEN, ["9x9", ESCARGOT])
    assert "earlier puzzle" in found.section.locator(".notice").inner_text()
    found.go(9)
    values = found.page.evaluate(
        "[...document.querySelectorAll('.reasoning .cell.given, .reasoning .cell.found')].length"
    )
    found.button("Open on the board").click()
    found.page.wait_for_selector("section[aria-label=Board] .board .cell.given")
    given = found.page.locator("section[aria-label=Board] .board .cell.given").count()
    assert given == values
    found.page.click("#views >> text=Reasoning")
    assert found.position == 9


def test_a_trace_is_cancelled_and_its_steps_stay(view: OpenView) -> None:
    found = view()
    found.page.evaluate(_OPEN, ["16x16", "." * 256])
    found.section.locator("summary").first.click()
    found.section.locator("select").nth(1).select_option("20000")
    found.button("Show the reasoning").click()
    found.wait_for(lambda: found.count.endswith("so far") and int(found.count.split()[3]) > 20)
    found.button("Cancel").click()
    found.wait_for(lambda: "was cancelled" in found.section.inner_text())
    found.page.keyboard.press("End")
    assert found.position > 20


@pytest.mark.long
def test_it_fits_a_phone(view: OpenView) -> None:
    found = view(width=360, height=740)
    found.trace(parse_puzzle(ESCARGOT))
    for number in (1, 20, 60, 195):
        found.go(number)
        assert found.page.evaluate("document.documentElement.scrollWidth") <= 360
    found.button("Back").click()
    assert found.position == 194


@pytest.mark.long
@pytest.mark.parametrize(("dataset", "index"), [("25x25", 0), ("jigsaw", 54)])
def test_other_shapes(view: OpenView, dataset: str, index: int) -> None:
    found = view()
    puzzle = load_dataset(dataset).instances[index].puzzle
    found.trace(puzzle)
    found.page.keyboard.press("End")
    found.wait_for(lambda: "." not in found.values())


@pytest.mark.long
def test_the_reasoning_of_a_killer_names_its_cages(view: OpenView) -> None:
    found = view()
    shape = Shape.parse("4x4; killer 3: R1C1 R1C2; killer 4: R3C1 R4C1; killer 7: R2C3 R2C4")
    found.trace(Puzzle(shape, (0,) * 16))
    assert found.sentence.startswith("Cage combination (rung 3): R1C1 and R1C2 are not 3 or 4")
    assert found.page.locator("#main > section:not([hidden]) .board img.layer").count() == 2
