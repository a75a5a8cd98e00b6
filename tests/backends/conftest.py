"""Puzzles, shapes and fixtures for the tests of backends."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.contract import Backend
from harness.contract.options import parse_specs
from harness.contract.registry import load_backend
from harness.puzzles import Grid, House, Puzzle, Shape, parse_puzzle

NAMED = {
    # Peter Norvig, "Solving Every Sudoku Puzzle": no solution, but no given contradicts another.
    "impossible": (
        ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
    ),
    # Wikipedia, "Sudoku": one solution.
    "wikipedia": (
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    ),
    # Arto Inkala, "AI Escargot", 2006: one solution, none by singles alone.
    "escargot": (
        "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
    ),
    # "Golden Nugget", widely published: one solution, among the hardest for search.
    "nugget": (".......39.....1..5..3.5.8....8.9...6.7...2...1..4.......9.8..5..2....6..4..7....."),
    # The test puzzle of the Rust crate rustoku: six solutions.
    "six": "295743..14318659..8761925433874592166123874955492167387635.......................",
    # The article "你会玩数独么?": 38,122 solutions.
    "many": "...8......3..92..1.9.......7.....8....57..9..2..........352.1...5....4.2..6..4...",
}

# A 9x9 jigsaw: pairs of cells that adjacent boxes exchange.
_EXCHANGED = ((2, 12), (14, 24), (29, 39), (41, 51), (56, 66), (68, 78))


def diagonal(size: str) -> Shape:
    """A boxed shape with both diagonals as houses."""
    plain = Shape.parse(size)
    n = plain.size
    diagonals = (
        House("diagonal", 1, tuple(i * n + i for i in range(n))),
        House("diagonal", 2, tuple(i * n + n - 1 - i for i in range(n))),
    )
    return Shape(f"{size} with diagonals", n, (*plain.houses, *diagonals), plain.box)


def windoku() -> Shape:
    """9x9 with four more boxes, one cell away from the edges."""
    plain = Shape.parse("9x9")
    windows = tuple(
        House(
            "window",
            2 * (top // 4) + left // 4 + 1,
            tuple((top + r) * 9 + left + c for r in range(3) for c in range(3)),
        )
        for top in (1, 5)
        for left in (1, 5)
    )
    return Shape("windoku", 9, (*plain.houses, *windows), plain.box)


def jigsaw() -> Shape:
    """9x9 with irregular regions instead of boxes."""
    plain = Shape.parse("9x9")
    lines = [house for house in plain.houses if house.kind != "box"]
    regions = [list(house.cells) for house in plain.houses if house.kind == "box"]
    for one, other in _EXCHANGED:
        of = {cell: number for number, cells in enumerate(regions) for cell in cells}
        first, second = of[one], of[other]
        regions[first] = [other if cell == one else cell for cell in regions[first]]
        regions[second] = [one if cell == other else cell for cell in regions[second]]
    made = tuple(House("region", i, tuple(sorted(cells))) for i, cells in enumerate(regions, 1))
    return Shape("jigsaw", 9, (*lines, *made))


SPECIAL = {
    "4x4 with diagonals": diagonal("4x4"),
    "9x9 with diagonals": diagonal("9x9"),
    "windoku": windoku(),
    "jigsaw": jigsaw(),
}


@pytest.fixture
def shape_of() -> Callable[[str], Shape]:
    """A shape by name, including those in `SPECIAL`."""
    return lambda name: SPECIAL.get(name) or Shape.parse(name)


@pytest.fixture
def make() -> Callable[..., Backend]:
    """Create a backend from a spec, for a shape or its name."""

    def made(text: str, shape: str | Shape = "9x9") -> Backend:
        (spec,) = parse_specs(text)
        backend, options = load_backend(spec.locator, spec.settings)
        return backend(Shape.parse(shape) if isinstance(shape, str) else shape, options)

    return made


@pytest.fixture
def named() -> Callable[[str], Puzzle]:
    """A 9x9 puzzle by name."""

    def puzzle(name: str) -> Puzzle:
        return parse_puzzle(NAMED[name])

    return puzzle


@pytest.fixture
def is_solution() -> Callable[[Grid | None, Puzzle], bool]:
    """Whether a grid has every value in each house and keeps the givens."""

    def holds(grid: Grid | None, puzzle: Puzzle) -> bool:
        assert grid is not None
        every = set(range(1, puzzle.shape.size + 1))
        filled = all({grid[cell] for cell in h.cells} == every for h in puzzle.shape.houses)
        kept = all(given in (0, value) for given, value in zip(puzzle.givens, grid, strict=True))
        return filled and kept

    return holds


@pytest.fixture
def big(shared_puzzles: Path) -> Callable[[str], Puzzle]:
    """A 16x16 or 25x25 puzzle of the shared collection, by its id."""
    by_id = {
        instance["id"]: instance
        for instance in json.loads((shared_puzzles / "big.json").read_text())
    }

    def puzzle(name: str) -> Puzzle:
        size = by_id[name]["n"]
        return Puzzle(Shape.parse(f"{size}x{size}"), tuple(by_id[name]["givens"]))

    return puzzle
