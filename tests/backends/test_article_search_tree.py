"""The course project at Tsinghua University (seed 003): items C3.1 to C3.3, N3 and P3."""

import pytest

from backends.article_search_tree import SearchTree, SearchTreeOptions
from harness.contract import Status
from harness.puzzles import Puzzle, Shape, parse_puzzle
from tests.backends.article_puzzles import NEAR, P2, P3A, P3D, count_of
from tests.backends.oracle import backend_of, counted
from tests.plain_search import solutions

FOUR = Shape.parse("4x4")
EMPTY = Puzzle(FOUR, (0,) * 16)


def tree(puzzle: Puzzle, **options: object) -> SearchTree:
    return SearchTree(puzzle, SearchTreeOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("search", ["breadth-first", "depth-first"])
@pytest.mark.parametrize("inference", ["none", "basic", "exclusion"])
def test_c3_1_queue_and_stack_find_the_same_solutions(search: str, inference: str) -> None:
    options = {"search": search, "inference": inference}
    grids = list(tree(EMPTY, **options).solutions())
    assert len(grids) == 288
    assert set(grids) == set(solutions(EMPTY, 1000))


def test_c3_1_a_queue_expands_all_boards_of_a_depth_first() -> None:
    """Without inference all solutions are as deep; only a stack reaches one early."""
    for search, nodes in (("depth-first", 17), ("breadth-first", 300)):
        search_tree = tree(EMPTY, search=search, inference="none")
        next(search_tree.solutions())
        own = search_tree.nodes
        assert (own == nodes) if search == "depth-first" else (own > nodes)


def test_c3_1_breadth_first_search_gives_up_above_its_bound() -> None:
    puzzle = parse_puzzle("." * 81)
    backend = backend_of("article-search-tree[search=breadth-first,boards=50]")
    assert backend.solve(puzzle).status is Status.UNKNOWN
    assert counted(backend, puzzle, 5) == (0, False)
    assert backend_of("article-search-tree[boards=1]").solve(puzzle).status is Status.SOLVED


def test_the_bound_of_open_boards_is_the_largest_number_that_may_wait() -> None:
    """Four boards wait after the first node of an empty 4x4."""
    for limit, nodes in ((3, 1), (4, 2)):
        spec = f"article-search-tree[search=breadth-first,inference=none,boards={limit}]"
        assert backend_of(spec, FOUR).count(EMPTY, 5).stats["nodes"] == nodes


def test_c3_2_a_count_stops_at_10_solutions() -> None:
    for options, line, number in (("", P2, 10), ("[stop=25]", P2, 25), ("", "." * 81, 10)):
        count = count_of(f"article-search-tree{options}", line, 100)
        assert (count.number, count.exact) == (number, False), "at least this number"


@pytest.mark.parametrize(
    ("inference", "nodes"), [("none", 7396), ("basic", 972), ("exclusion", 122)]
)
def test_n3_inference_levels_expand_8024_899_and_119_nodes_in_kind(
    inference: str, nodes: int
) -> None:
    """C3.3: the project's puzzle is lost; this one is near it."""
    answer = backend_of(f"article-search-tree[inference={inference}]").solve(parse_puzzle(NEAR))
    assert answer.stats["nodes"] == nodes


@pytest.mark.parametrize(("line", "clues"), [(P3A, 63), (P3D, 41)], ids=["P3a", "P3d"])
def test_c3_3_without_inference_every_placement_is_a_node(line: str, clues: int) -> None:
    """Both puzzles have one solution, by naked singles alone."""
    puzzle = parse_puzzle(line)
    assert puzzle.clues == clues
    for inference, nodes in (("none", 81 - clues + 1), ("basic", 1)):
        backend = backend_of(f"article-search-tree[inference={inference}]")
        assert backend.solve(puzzle).stats == {"nodes": nodes, "guesses": 0}
        count = backend.count(puzzle, 9)
        assert (count.number, count.exact, count.stats["nodes"]) == (1, True, nodes)


def test_x3a_the_two_blanks_of_column_1_are_a_naked_8_and_a_naked_4() -> None:
    """The text leaves both cells 4 or 8, which is true of the column alone."""
    search = tree(parse_puzzle(P3A))
    root = search.root()
    assert root is not None
    assert [9 * row for row in range(9) if P3A[9 * row] == "."] == [18, 72]
    column = {int(P3A[9 * row]) for row in range(9) if P3A[9 * row] != "."}
    assert set(range(1, 10)) - column == {4, 8}
    # R7C3 has 4, so R9C1 is a naked 8; then R3C1 is a naked 4.
    assert P3A[9 * 6 + 2] == "4"
    assert (root.candidates[72], root.candidates[18]) == (1 << 7, 1 << 3 | 1 << 7)
    search.place(root, 72, 8)
    assert root.candidates[18] == 1 << 3
