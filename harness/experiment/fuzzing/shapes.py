"""The shapes of the stream, and how often each occurs."""

from collections.abc import Mapping, Sequence
from typing import Final

from harness.puzzles.search.prng import Prng
from harness.puzzles.shape import Shape

_ROWS_ALONE: Final = "houses4:11121314.21222324.31323334.41424344"
_CELLS_WITHOUT_HOUSE: Final = "houses4:11121314.21222324.11122122/3344.3443"

WEIGHTS: Final[Mapping[str, int]] = {
    "9x9": 24,
    "4x4": 12,
    "6x6": 10,
    "box3x2": 5,
    "latin4": 4,
    "latin5": 5,
    "latin7": 5,
    "latin9": 3,
    "latin2": 1,
    "latin3": 2,
    "8x8": 4,
    "box4x2": 3,
    "10x10": 2,
    "box5x2": 2,
    "12x12": 3,
    "16x16": 2,
    "latin20": 1,
    "25x25": 1,
    "4x4+diagonal": 4,
    "6x6+diagonal": 3,
    "9x9+diagonal": 4,
    "latin5+diagonal": 3,
    "9x9+windoku": 4,
    "9x9+disjoint": 2,
    "6x6+antiking": 4,
    "8x8+antiknight": 3,
    "9x9+antiknight": 3,
    "9x9+antiking": 2,
    "4x4+antiknight": 2,
    "latin6+antiking": 2,
    "jigsaw:1112122233343444": 5,
    "jigsaw:111222113322143352443355446655466665": 4,
    "jigsaw:111111222133332242153633242153666442553664444556674777558677779858879999888889999": 3,
    "jigsaw:112222233122124335111124335144444335674774535677775555677899999688888999666668889": 3,
    _ROWS_ALONE: 1,
    _CELLS_WITHOUT_HOUSE: 1,
}
"""Shapes of the stream by definition, each with its weight. Small and plain ones are frequent:
their trials are fast, and a fault that shows on many shapes shows there first."""


def shape_of_block(seed: int, block: int, chosen: Sequence[Shape]) -> Shape:
    """The shape of the block with this number.

    Every other block has the next shape of a random order of all, so that a rare shape comes
    soon; the shapes of the other blocks are random, by their weights.

    Args:
        seed: the random seed of the stream.
        block: the number of the block, from 0.
        chosen: the shapes to choose from; all of `WEIGHTS` if empty.
    """
    turn, is_random = divmod(block, 2)
    shapes = chosen or tuple(map(Shape.parse, WEIGHTS))
    if not is_random:
        order = Prng("fuzz order", seed, turn // len(shapes)).order(len(shapes))
        return shapes[order[turn % len(shapes)]]
    random = Prng("fuzz shape", seed, block)
    if chosen:
        return random.choice(chosen)
    at = random.below(sum(WEIGHTS.values()))
    for definition, weight in WEIGHTS.items():
        at -= weight
        if at < 0:
            return Shape.parse(definition)
    raise AssertionError("weights add up to their sum")
