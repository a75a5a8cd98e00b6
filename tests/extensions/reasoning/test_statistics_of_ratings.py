"""Facts about the puzzles of a dataset, and ratings."""

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.extensions.reasoning.built_in_raters import GuessesRater
from harness.puzzles import Puzzle, SolutionCount, load_dataset, parse_puzzle
from harness.puzzles.datasets.collection import remembering
from harness.puzzles.datasets.facts import Distribution, Statistics, facts_of
from harness.puzzles.formats import ParsedPuzzle
from harness.puzzles.symmetry import Scramble
from tests.puzzles.example import LINE, SOLUTION

HARD = load_dataset("hard/1-5").instances


def parsed(*puzzles: Puzzle) -> Iterator[ParsedPuzzle]:
    return (ParsedPuzzle(puzzle, f"p:{n}", str(n)) for n, puzzle in enumerate(puzzles, 1))


def statistics(puzzles: Iterator[ParsedPuzzle], nodes: int | None = 50_000) -> Statistics:
    total = Statistics("p", with_search=nodes is not None)
    with remembering() as earlier:
        for facts in facts_of("p", enumerate(puzzles, 1), earlier, nodes):
            total.add(facts)
    return total


@given(st.lists(st.integers(0, 50), min_size=1), st.floats(0, 1))
def test_a_quantile_is_the_least_number_that_the_share_does_not_exceed(
    numbers: list[int], share: float
) -> None:
    distribution = Distribution()
    distribution.update(numbers)
    quantile = distribution.quantile(share)
    assert quantile in numbers
    assert sum(n <= quantile for n in numbers) >= share * len(numbers)
    assert sum(n < quantile for n in numbers) < max(share * len(numbers), 1)
    assert (distribution.quantile(0), distribution.quantile(1)) == (min(numbers), max(numbers))


@given(st.lists(st.integers(0, 50)))
def test_the_median_of_an_even_number_is_between_the_middle_ones(numbers: list[int]) -> None:
    distribution = Distribution()
    distribution.update(numbers)
    assert distribution.median == (np.median(numbers) if numbers else None)


def test_the_facts_of_known_puzzles_are_counted() -> None:
    puzzle = parse_puzzle(LINE)
    solved = parse_puzzle(SOLUTION)
    equivalent = Scramble.from_seed(puzzle.shape, 1).puzzle(puzzle)
    four = parse_puzzle("1.....2.........")
    numbers = statistics(parsed(puzzle, solved, puzzle, equivalent, four))
    assert numbers.puzzles == 5
    assert numbers.shapes == {"9x9": 4, "4x4": 1}
    assert dict(numbers.clue_numbers) == {32: 3, 81: 1, 2: 1}
    assert (numbers.duplicates, numbers.equivalents) == (1, 1)
    assert numbers.symmetric >= 3  # the pattern of the puzzle is a rotation of itself
    assert numbers.guesses[0] == 4  # only the 4x4 has several solutions
    assert (numbers.minimal, numbers.minimal_unknown) == (1, 0)  # the 4x4
    assert numbers.guesses_unknown == 0
    assert (numbers.expected_counts, numbers.solutions, numbers.pencilmarks) == (0, 0, 0)


def test_expected_answers_and_pencilmarks_are_counted() -> None:
    puzzle = parse_puzzle(LINE)
    marks = tuple(1 << v - 1 if v else 0b111111110 for v in puzzle.givens)
    unique = SolutionCount.from_number(1, True, SOLUTION)
    records = [
        ParsedPuzzle(puzzle, "p:1", "a", unique),
        ParsedPuzzle(
            Puzzle(puzzle.shape, puzzle.givens, marks), "p:2", "b", SolutionCount.from_number(0)
        ),
    ]
    numbers = statistics(iter(records))
    assert (numbers.expected_counts, numbers.solutions, numbers.pencilmarks) == (2, 1, 1)


def test_a_node_limit_leaves_facts_unknown() -> None:
    numbers = statistics(parsed(*(instance.puzzle for instance in HARD)), nodes=1)
    assert numbers.guesses_unknown == len(HARD)
    assert (numbers.minimal_unknown or 0) + (numbers.minimal or 0) == len(HARD)
    assert numbers.guesses.quantile(0.5) is None
    assert numbers.guesses.median is None


def test_a_rating_depends_on_the_seed_and_not_on_other_puzzles() -> None:
    puzzles = [instance.puzzle for instance in HARD]
    ratings = [[*map(GuessesRater(3, seed).rate, puzzles)] for seed in (5, 6)]
    assert ratings[0] == [GuessesRater(3, 5).rate(puzzle) for puzzle in reversed(puzzles)][::-1]
    assert ratings[0] != ratings[1]


def test_a_rating_is_the_mean_of_the_guesses_of_scrambles() -> None:
    from harness.puzzles.search.solver import solver_of

    puzzle = HARD[0].puzzle
    guesses = [
        solver_of(puzzle.shape).search_puzzle(
            Scramble.from_seed(puzzle.shape, f"rating 7 {n}").puzzle(puzzle), 2
        )
        for n in range(4)
    ]
    mean = sum(result.guesses for result in guesses) / 4
    assert GuessesRater(4, 7).rate(puzzle) == round(mean, 1)
