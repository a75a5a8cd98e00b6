"""The cells, clues, houses and pairs that are questions."""

from collections.abc import Iterable
from random import Random
from typing import Final

from harness.puzzles.shape import Shape

MEDIUM: Final = 9
"""The largest size whose cells and numbers of clues are all questions."""
SAMPLE: Final = 24
"""The number of cells, clues, houses or pairs of a larger shape that are sampled."""


def sampled(number: int, shape: Shape, thorough: bool) -> Iterable[int]:
    """The indices from 0 to `number`, or a sample of them for a large shape."""
    if thorough or shape.size <= MEDIUM or number <= SAMPLE:
        return range(number)
    random = Random(number)  # noqa: S311  a sample, not a secret
    return sorted(random.sample(range(number), SAMPLE))
