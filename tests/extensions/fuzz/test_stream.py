"""The puzzles of the stream, and the laws between them."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract.options import BackendSpec
from harness.extensions.fuzz.puzzles import (
    HARD,
    QUICK_NODES,
    WEIGHTS,
    RandomPuzzles,
    a_solution,
    constrained_shape,
    enumerate_solutions,
    guesses_of,
    shape_of_block,
)
from harness.extensions.fuzz.stream import (
    FuzzPace,
    Law,
    Relation,
    Stream,
    batch_of,
    block_of,
    relation_of,
)
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints import primitives as primitive
from harness.puzzles.constraints.kinds import KINDS, Constraint
from harness.puzzles.constraints.primitives import Distinct, Line, Sum, ValueCount
from harness.puzzles.search.kernel import Prng
from harness.puzzles.solution_count import SolutionCount
from harness.records.judging import judge
from harness.records.question import Question, Start, Task
from harness.records.trial import Batch, Ending, Outcome, TrialRecord
from tests.examples import examples
from tests.plain_search import solutions
from tests.puzzles.rules import keeps

EVERY = 10**6
SMALL = [name for name in WEIGHTS if Shape.parse(name).size <= 4 and "houses" not in name]


@pytest.mark.long
@pytest.mark.parametrize("name", [n for n in WEIGHTS if n not in ("latin20", "25x25")])
def test_every_shape_has_puzzles_with_no_one_and_several_solutions(name: str) -> None:
    shape = Shape.parse(name)
    source = RandomPuzzles(shape, 0)
    number = 12 if shape.size > 12 else 60
    puzzles = [source.puzzle(0, index) for index in range(number)]
    assert all(puzzle.shape == shape for puzzle in puzzles)
    counts = Counter(min(enumerate_solutions(p, 3).least, 2) for p in puzzles)
    numbers = {0, 1, 2}
    if shape.size <= 2 or shape.size > 12 or name in ("4x4+diagonal", "4x4+antiknight"):
        numbers = {0}
    assert numbers <= counts.keys(), counts


def test_puzzles_are_of_many_kinds() -> None:
    source = RandomPuzzles(Shape.parse("9x9"), 7)
    puzzles = [source.puzzle(1, index) for index in range(300)]
    clues = {puzzle.clues for puzzle in puzzles}
    assert {0, 81} <= clues or min(clues) <= 2, sorted(clues)
    assert len(clues) > 40
    assert any(puzzle.pencilmarks is not None for puzzle in puzzles)
    duplicate = [
        p
        for p in puzzles
        if any(v and p.givens[o] == v for c, v in enumerate(p.givens) for o in p.shape.peers[c])
    ]
    assert duplicate, "no puzzle has two equal givens in a house"
    numbers = Counter(enumerate_solutions(p, 30).least for p in puzzles)
    assert {0, 1, 30} <= numbers.keys()
    assert len({*range(2, 13)} & numbers.keys()) > 5, numbers


def test_some_full_grids_break_only_houses_of_one_kind() -> None:
    shape = Shape.parse("9x9")
    source = RandomPuzzles(shape, 1)

    def violations(puzzle: Puzzle) -> set[str]:
        return {
            house.kind
            for house in shape.houses
            if len({puzzle.givens[cell] for cell in house.cells}) < shape.size
        }

    puzzles = [source.puzzle(0, index) for index in range(800)]
    kinds = [violations(p) for p in puzzles if p.clues == 81]
    assert all({kind} in kinds for kind in ("row", "column", "box"))


class EveryPuzzle(FuzzPace):
    """Gives every configuration all puzzles of a block."""

    def puzzles(self, *_: object) -> int:
        return 10**6


def ended(batch: Batch, wall_s: float) -> list[TrialRecord]:
    """The records of the trials of a batch, each after this time."""
    outcome = Outcome(ending=Ending.EXITED, wall_s=wall_s)
    return judge([(trial, outcome) for trial in batch.trials])


def test_blocks_count_with_two_limits_and_begin_with_the_last_puzzle() -> None:
    spec = BackendSpec("native", ())
    blocks = [block_of(1, number, (Shape.parse("4x4"),), {}) for number in range(40)]
    limits = [[q.limit for q in b.queries if q.task is Task.COUNT] for b in blocks]
    assert {len(batch_limits) for batch_limits in limits} == {1, 2}
    assert any(
        len({*batch_limits}) == 2 and batch_limits[0] < batch_limits[1] for batch_limits in limits
    )
    stream = Stream(iter(blocks), lambda: [spec], EveryPuzzle(), 1.0, lambda _: False)
    batches = [batch for batch in stream.batches() if batch.question.start is not Start.BATCH]
    assert len(batches) > 40
    for first, other in pairwise(batches):
        if first.trials[0].dataset == other.trials[0].dataset:
            assert len(first.trials) == len(other.trials) > 20
            assert first.trials[-1].instance.puzzle == other.trials[0].instance.puzzle


def test_a_slow_backend_gets_the_time_that_fast_ones_leave() -> None:
    specs = [BackendSpec("slow"), *(BackendSpec(f"fast{n}") for n in range(7))]
    block = block_of(1, 0, (Shape.parse("4x4"),), {})
    question = Question(Task.COUNT, 2, Start.WARM, 3.0)
    pace = FuzzPace()
    for spec in specs:
        batch = batch_of("", "", list(enumerate(block.puzzles)), question, spec)
        pace.note(ended(batch, 0.1 if spec.label == "slow" else 1e-4))
    share_s = pace.share_s([spec.label for spec in specs], block.puzzles, question)
    assert 0.4 < share_s < 0.5
    assert pace.puzzles("slow", block.puzzles[0], question, share_s, Prng("a")) == 4
    assert pace.share_s([spec.label for spec in specs[:1] * 4], block.puzzles, question) == 0.125


def test_a_block_follows_from_the_seed_and_its_number() -> None:
    assert block_of(3, 5, (), {}) == block_of(3, 5, (), {})
    others = {block_of(seed, number, (), {}).puzzles for seed, number in product((1, 2), (0, 1))}
    assert len(others) == 4


@pytest.mark.parametrize("name", ["9x9", "9x9+windoku", "10x10"])
def test_the_first_blocks_have_hard_puzzles(name: str) -> None:
    blocks = [block_of(seed, 0, (Shape.parse(name),), {}) for seed in range(3)]
    least = HARD if name != "10x10" else 5
    assert all(any(guesses_of(p) >= least for p in block.puzzles) for block in blocks)


def test_a_block_gets_more_puzzles_when_the_first_are_answered() -> None:
    """A backend that nothing is known of begins with one puzzle of each question."""
    shape = Shape.parse("4x4")
    blocks = [replace(block_of(1, 0, (shape,), {}), number=number) for number in range(3)]
    pace = FuzzPace()
    stream = Stream(iter(blocks), lambda: [BackendSpec("native")], pace, 1.0, lambda _: False)
    sizes = []
    for batch in stream.batches():
        records = ended(batch, 1e-4)
        pace.note(records)
        stream.add(records)
        sizes += [len(batch.trials)] * (batch.trials[0].dataset == "block 0")
    assert sizes[0] == 1
    assert max(sizes) > 1


def test_a_reference_gets_what_a_suspect_got() -> None:
    specs = [BackendSpec("slow"), BackendSpec("fast")]
    blocks = [block_of(1, number, (Shape.parse("4x4"),), {}) for number in range(12)]
    pace = FuzzPace()
    stream = Stream(iter(blocks), lambda: specs, pace, 1.0, lambda _: False, {"fast"})
    trials: dict[str, set[object]] = {spec.label: set() for spec in specs}
    for batch in stream.batches():
        pace.note(ended(batch, 0.02 if batch.backend == "slow" else 1e-5))
        trials[batch.backend] |= {(t.dataset, t.instance, t.question) for t in batch.trials}
    assert len(trials["slow"]) > 50
    assert trials["fast"] <= trials["slow"]


def test_chosen_shapes_are_the_only_ones() -> None:
    shapes = (Shape.parse("latin3"), Shape.parse("4x4"))
    assert {shape_of_block(0, number, shapes) for number in range(30)} == {*shapes}


def test_known_puzzles_are_changed() -> None:
    shape = Shape.parse("4x4")
    puzzle_to_mutate = Puzzle(shape, (1, *(0,) * 15))
    source = RandomPuzzles(shape, 0, [puzzle_to_mutate])
    near = [p for n in range(100) if (p := source.puzzle(n)).clues in (0, 1, 2)]
    assert len(near) > 10


_PUZZLE = Puzzle(Shape.parse("4x4"), (0,) * 16)


@pytest.mark.parametrize(
    ("law", "base", "derived", "may_hold"),
    [
        (Law.RELABELLED, (1, 1), [(2, None)], False),
        (Law.REARRANGED, (0, 0), [(1, None)], False),
        (Law.CLUE_ADDED, (3, 3), [(0, 0)], False),
        (Law.CLUE_ADDED, (3, 3), [(4, None)], False),
        (Law.CLUE_REMOVED, (3, None), [(2, 2)], False),
        (Law.SPLIT, (3, 3), [(1, 1), (1, 1)], False),
        (Law.SPLIT, (3, 3), [(2, None), (2, None)], False),
        (Law.SPLIT, (3, None), [(1, 1), (0, 1)], False),
        (Law.RELABELLED, (1, 2), [(2, None)], True),
        (Law.CLUE_ADDED, (3, 3), [(1, 3)], True),
        (Law.CLUE_ADDED, (0, None), [(0, None)], True),
        (Law.CLUE_REMOVED, (3, None), [(3, 3)], True),
        (Law.SPLIT, (3, 3), [(1, 1), (1, None)], True),
        (Law.SPLIT, (2, None), [(0, 1), (0, 1)], True),
    ],
)
def test_a_law_is_broken_if_it_cannot_hold(
    law: Law, base: tuple[int, int | None], derived: list[tuple[int, int | None]], may_hold: bool
) -> None:
    relation = Relation(law, _PUZZLE, (_PUZZLE,) * len(derived))
    counts = [SolutionCount(*ends) for ends in derived]
    assert relation.is_kept(SolutionCount(*base), counts) is may_hold


# Shapes with constraints.


SMALL_BASES = ("4x4", "latin4", "4x4+diagonal", "jigsaw:1112122233343444")


def constrained(name: str, seed: int) -> Shape:
    return constrained_shape(Shape.parse(name), Prng("test", seed))


def number_of_solutions(puzzle: Puzzle) -> int:
    """Their number, by the rules of each kind."""
    plain = Shape.parse(puzzle.shape.plain) if puzzle.shape.plain else puzzle.shape
    grids = solutions(Puzzle(plain, puzzle.givens, puzzle.pencilmarks), EVERY)
    return sum(keeps(grid, plain, puzzle.shape.constraints) for grid in grids)


@examples(110, 270)
@given(
    st.sampled_from(SMALL) | st.tuples(st.sampled_from(SMALL_BASES), st.integers(0, 10_000)),
    st.integers(0, 10_000),
)
def test_true_numbers_of_solutions_keep_every_law(base: str | tuple[str, int], seed: int) -> None:
    shape = Shape.parse(base) if isinstance(base, str) else constrained(*base)
    puzzle = RandomPuzzles(shape, seed).puzzle(seed)
    assert puzzle.shape == shape
    number = number_of_solutions(puzzle)
    nodes = 10**6 if shape.constraints else QUICK_NODES
    assert enumerate_solutions(puzzle, 1_000, nodes) == SolutionCount(number, number)
    for turn in range(6 if shape.constraints else 1):
        relation = relation_of(puzzle, a_solution(puzzle), Prng(seed, turn))
        if relation is not None:
            numbers = [number_of_solutions(derived) for derived in relation.derived]
            exact = [SolutionCount(number, number) for number in numbers]
            assert relation.is_kept(SolutionCount(number, number), exact), (relation, numbers)


def test_every_law_derives_puzzles() -> None:
    plain, constrained_laws = Counter[Law](), Counter[Law]()
    for number in range(200):
        puzzle = RandomPuzzles(Shape.parse("6x6"), 1).puzzle(number)
        relation = relation_of(puzzle, None, Prng(number))
        plain.update([relation.law] if relation else [])
    for number in range(400):
        puzzle = RandomPuzzles(constrained("4x4", number), 1).puzzle(number)
        relation = relation_of(puzzle, a_solution(puzzle), Prng(number))
        constrained_laws.update([relation.law] if relation else [])
        assert not relation or puzzle not in relation.derived or relation.law is not Law.RELABELLED
    # A clue is added to a known solution only.
    assert plain.keys() == {*Law} - {Law.LOOSENED, Law.NARROWED, Law.PARTS, Law.CLUE_ADDED}
    assert constrained_laws.keys() == {*Law}
    assert constrained_laws[Law.LOOSENED] > 20


def test_a_dot_stays_where_a_rule_for_other_neighbours_counts_it() -> None:
    shape = Shape.parse("4x4; difference: R1C1 R1C2; all-dots")
    puzzle = Puzzle(shape, (0,) * 16)
    relations = [relation_of(puzzle, None, Prng(number)) for number in range(300)]
    loose = {p.shape for r in relations if r and r.law is Law.LOOSENED for p in r.derived}
    assert {shape.spec for shape in loose} == {"4x4+difference"}


def test_a_third_of_the_shapes_have_constraints_of_all_primitives() -> None:
    shapes = [shape_of_block(3, number, ()) for number in range(300)]
    with_constraints = [shape for shape in shapes if shape.constraints]
    assert len(with_constraints) == 100
    primitives = {type(primitive) for shape in with_constraints for primitive in shape.primitives}
    assert primitives == {Distinct, Line, primitive.Relation, Sum, ValueCount}
    kinds = {constraint.kind for shape in with_constraints for constraint in shape.constraints}
    assert len(kinds) > 25
    assert shape_of_block(3, 1, ()) == shape_of_block(3, 1, ())


def placing(one: Constraint, other: Constraint) -> str:
    """How two constraints share cells; empty if they share none."""
    first, second = {*one.cells}, {*other.cells}
    if not first & second:
        return ""
    if one == other:
        return "twice"
    return "same" if first == second else "part" if first < second else "overlap"


def test_constraints_of_every_kind_share_cells_in_every_way() -> None:
    shapes = [constrained("4x4", number) for number in range(300)]
    shapes += [constrained_shape(Shape.parse("6x6"), Prng("test", n)) for n in range(80)]
    pairs = [pair for shape in shapes for pair in permutations(shape.constraints, 2)]
    placings = {(first.kind, placing(first, other)) for first, other in pairs}
    for way in ("twice", "same", "part", "overlap"):
        assert len({kind for kind, each in placings if each == way}) >= 20, way
    with_cells = {kind for kind, properties in KINDS.items() if properties.least_lists}
    assert len(with_cells - {kind for kind, way in placings if way}) <= 2
    others = {(first.kind, other.kind) for first, other in pairs if placing(first, other)}
    assert len(others) > 300
    assert sum(enumerate_solutions(Puzzle(s, (0,) * s.size**2), 1).least for s in shapes) > 240


def test_the_kinds_of_a_shape_without_thirds_are_drawn_from_others() -> None:
    assert "entropic" not in constrained_shape(Shape.parse("4x4"), Prng(0), ["entropic"]).spec


def test_the_puzzles_of_a_batch_have_one_shape() -> None:
    spec = BackendSpec("native", ())
    blocks = [block_of(1, number, (), {}) for number in range(1, 40, 3)]
    assert any(p.shape != b.shape for b in blocks for p in b.puzzles)
    stream = Stream(iter(blocks), lambda: [spec], EveryPuzzle(), 1.0, lambda _: False)
    for batch in stream.batches():
        assert len({trial.instance.puzzle.shape for trial in batch.trials}) == 1
    assert not list(stream.open_blocks()) or stream.planned
