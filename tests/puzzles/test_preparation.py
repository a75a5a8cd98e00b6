"""Datasets chosen by a condition, and scrambled."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import OptionError
from harness.puzzles import (
    Dataset,
    Instance,
    Puzzle,
    Scramble,
    Shape,
    SolutionCount,
    load_dataset,
)
from harness.puzzles.datasets.catalogue import scrambled_instance
from harness.puzzles.datasets.where import Where
from harness.puzzles.formats import parse_puzzle
from harness.puzzles.puzzle import line_of, values_of_line
from harness.puzzles.search.candidates import Candidates
from harness.puzzles.search.kernel import Prng
from harness.puzzles.search.solver import solver_of
from harness.records.judging import are_solutions
from tests.puzzles.example import LINE

SPECS = (
    *("4x4", "6x6", "9x9", "latin5", "box2x3", "6x6+diagonal", "9x9+windoku", "9x9+disjoint"),
    *("6x6+antiknight", "9x9+antiking", "jigsaw:1112132233243444"),
)


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Instances with the right number of solutions, or without; perhaps with pencilmarks."""
    shape = Shape.parse(draw(st.sampled_from(SPECS)))
    random = Prng(draw(st.integers(0, 2**32)))
    grid = pytest.importorskip("harness.extensions.generate").random_grid(shape, random)
    clues = set(random.sample(len(grid) * draw(st.integers(3, 8)) // 10, len(grid)))
    givens = tuple(value if cell in clues else 0 for cell, value in enumerate(grid))
    marks = None
    if draw(st.booleans()):
        every = (1 << shape.size) - 1
        marks = tuple((every & ~(1 << random.below(shape.size))) | 1 << value - 1 for value in grid)
    puzzle = Puzzle(shape, givens, marks)
    result = solver_of(shape).search_puzzle(puzzle, 50)
    solution = line_of(grid) if result.number == 1 else None
    expected = SolutionCount.from_number(result.number, result.exact, solution)
    return Instance("a", puzzle, draw(st.sampled_from([None, expected])), "a book", {"rating": "3"})


@given(instances(), st.integers(-(2**70), 2**70))
@settings(max_examples=30)
def test_a_scrambled_instance_is_an_equivalent_one(instance: Instance, seed: int) -> None:
    scramble = scrambled_instance(instance, seed)
    puzzle, other = instance.puzzle, scramble.puzzle
    assert other.shape == puzzle.shape
    assert other.clues == puzzle.clues
    assert (other.pencilmarks is None) == (puzzle.pencilmarks is None)
    counts = [sum(map(len, Candidates(either).cells)) for either in (puzzle, other)]
    assert counts[0] == counts[1]
    solver = solver_of(puzzle.shape)
    before, after = solver.search_puzzle(puzzle, 50), solver.search_puzzle(other, 50)
    assert (before.number, before.exact) == (after.number, after.exact)
    assert before.solution is not None
    symmetry = Scramble.from_seed(puzzle.shape, f"{seed}:{puzzle.id}")
    line = line_of(symmetry.grid(before.solution))
    assert are_solutions(other.shape, [other.line], [line]) == [True]
    assert scramble.original == puzzle
    assert (scramble.name, scramble.source, scramble.fields) == ("a", "a book", {"rating": "3"})
    assert scramble.scramble == str(seed)
    if instance.expected_count is not None:
        assert scramble.expected_count is not None
        assert scramble.expected_count.least == instance.expected_count.least
        assert scramble.expected_count.exact == instance.expected_count.exact
        if solution := scramble.expected_count.solution:
            assert are_solutions(other.shape, [other.line], [solution]) == [True]
    assert symmetry.inverse.puzzle(other) == puzzle


def test_the_puzzle_follows_from_the_seed_and_the_puzzle_alone() -> None:
    dataset = load_dataset("named")
    scramble = dataset.scramble((1,))
    assert [i.name for i in scramble.instances] == [i.name for i in dataset.instances]
    assert dataset.scramble((1,)) == scramble
    alone = replace(dataset, name="other", instances=dataset.instances[3:5]).scramble((1,))
    assert alone.instances == scramble.instances[3:5]
    others = dataset.scramble((2,))
    for instance, other in zip(scramble.instances, others.instances, strict=True):
        assert (instance.puzzle == other.puzzle) == (instance.puzzle.clues == 0)
    # The same on every machine and in every version, or runs could not be extended.
    first = scrambled_instance(Instance("a", parse_puzzle(LINE)), 1)
    assert first.puzzle.line == FIRST


FIRST = ".....34...342...8..784...5..427...9.8..1...2..16..57..7..6...1..258...6..81..45.."


def test_a_scramble_of_a_jigsaw_without_symmetries_changes_the_values_alone() -> None:
    dataset = load_dataset("jigsaw")
    for instance in dataset.scramble((4,)).instances[::10]:
        assert instance.original is not None
        new = dict(zip(instance.original.givens, instance.puzzle.givens, strict=True))
        assert line_of(tuple(new[v] for v in instance.original.givens)) == instance.puzzle.line
        assert len(set(new.values())) == len(new)
        assert any(value != other for value, other in new.items())


def test_puzzles_that_become_equal_are_one_instance() -> None:
    shape = Shape.parse("latin2")
    instances = [
        Instance(str(n), Puzzle(shape, values_of_line(line)))
        for n, line in enumerate(["1...", "2...", ".1..", "..2.", "....", "12.."])
    ]
    dataset = Dataset("d", tuple(instances), repeats=1)
    for seed in range(10):
        scramble = dataset.scramble((seed,))
        lines = [instance.puzzle.line for instance in scramble.instances]
        assert len(lines) == len(set(lines))
        assert len(lines) + scramble.repeats == len(instances) + 1
    assert any(dataset.scramble((seed,)).repeats > 1 for seed in range(10))


def test_a_condition_chooses_instances_of_each_dataset() -> None:
    names, seeds = load_dataset("named"), load_dataset("seeds")
    few, other = Where.parse("clues < 25").choose([names, seeds])
    assert [i for i in names.instances if i.puzzle.clues < 25] == [*few.instances]
    assert few.excluded == len(names.instances) - len(few.instances) > 0
    assert other.name == "seeds"
    (only,) = Where.parse("dataset == 'named'").choose([names, seeds])
    assert only == names


def test_no_puzzle_left_is_an_error_with_the_size_of_each_dataset() -> None:
    names, single = load_dataset("named"), load_dataset("seeds/1")
    with pytest.raises(OptionError) as error:
        Where.parse("clues < 0").choose([names, single])
    assert error.value.what == (
        f"no puzzle meets clues < 0: named has {len(names.instances)} puzzles, seeds has 1 puzzle"
    )
    assert error.value.where == "where"
