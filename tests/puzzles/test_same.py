"""Which puzzles are the same, or equivalent."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.collection import Match, remembering
from harness.puzzles.symmetry import Scramble
from tests.puzzles.example import LINE, puzzles

PUZZLE = parse_puzzle(LINE)
RELABELLED = parse_puzzle(LINE.translate(str.maketrans("123456789", "234567891")))


def matches(found: list[Puzzle], most_canonical: int | None = None) -> list[Match | None]:
    with remembering(most_canonical) as seen:
        return [seen.match(puzzle, f"p:{number}") for number, puzzle in enumerate(found, 1)]


def test_the_first_puzzle_that_is_the_same_comes_before_an_equivalent_one() -> None:
    scrambled = Scramble.of(PUZZLE.shape, 5).puzzle(PUZZLE)
    assert matches([PUZZLE, scrambled, scrambled, PUZZLE]) == [
        None,
        Match("p:2", "p:1", "", equivalent=True),
        Match("p:3", "p:2", "", equivalent=False),
        Match("p:4", "p:1", "", equivalent=False),
    ]


def test_a_match_names_the_group_of_the_earlier_puzzle() -> None:
    with remembering() as seen:
        seen.begin("others")
        assert seen.match(PUZZLE, "others/1") is None
        seen.begin("")
        match = seen.match(RELABELLED, "f.txt:3")
    assert match == Match("f.txt:3", "others/1", "others", equivalent=True)
    assert str(match) == "f.txt:3 is equivalent to others/1"


@settings(max_examples=8, deadline=None)
@given(puzzles(["9x9"]), st.integers(0, 1000))
def test_every_scramble_of_a_9x9_is_found(puzzle: Puzzle, seed: int) -> None:
    scrambled = Scramble.of(puzzle.shape, seed).puzzle(puzzle)
    _, match = matches([puzzle, scrambled])
    assert match == Match("p:2", "p:1", "", equivalent=scrambled != puzzle)


@settings(max_examples=40, deadline=None)
@given(puzzles(["4x4", "6x6+diagonal", "latin5", "16x16"]), st.permutations(range(1, 37)))
def test_other_values_are_found_in_every_shape(puzzle: Puzzle, order: list[int]) -> None:
    values = [0, *(value for value in order if value <= puzzle.shape.size)]
    other = Puzzle(puzzle.shape, tuple(values[value] for value in puzzle.givens))
    _, match = matches([puzzle, other])
    assert match == Match("p:2", "p:1", "", equivalent=other != puzzle)


def test_shapes_and_pencilmarks_keep_puzzles_apart() -> None:
    diagonal = Puzzle(Shape.parse("9x9+diagonal"), PUZZLE.givens)
    every = (1 << 9) - 1
    marks = tuple(1 << value - 1 if value else every - 1 for value in PUZZLE.givens)
    restricted = Puzzle(PUZZLE.shape, PUZZLE.givens, marks)
    assert matches([PUZZLE, diagonal, restricted]) == [None] * 3
    assert matches([restricted, restricted])[1] == Match("p:2", "p:1", "", equivalent=False)


def test_the_number_of_canonical_forms_is_bounded_and_duplicates_are_found_beyond() -> None:
    with remembering(2) as seen:
        seen.begin("")
        lines = [LINE.replace("3", "."), LINE.replace("2", "."), LINE]
        for line in lines:
            assert seen.match(parse_puzzle(line), line) is None
        assert seen.unchecked == 1
        assert seen.match(RELABELLED, "beyond") is None
        assert seen.match(PUZZLE, "again") == Match("again", LINE, "", equivalent=False)
        assert seen.unchecked == 2


def test_the_seventeen_clue_puzzles_are_not_equivalent(shared_puzzles: Path) -> None:
    lines = (shared_puzzles / "17_clue_sample_3000.txt").read_text().split()
    found = [parse_puzzle(line) for line in lines if len(line) == 81][:300]
    scrambles = [Scramble.of(p.shape, n).puzzle(p) for n, p in enumerate(found)]
    done = matches(found + scrambles)
    assert done[:300] == [None] * 300
    assert [match.earlier for match in done[300:] if match] == [f"p:{n}" for n in range(1, 301)]


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    matches([PUZZLE, RELABELLED])
    assert list(tmp_path.iterdir()) == []
