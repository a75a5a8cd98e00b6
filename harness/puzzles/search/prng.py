"""Random integers that are the same on every machine and in every version of Python.

The generator is xoshiro128++ (Blackman and Vigna, "Scrambled linear pseudorandom number
generators", ACM Transactions on Mathematical Software 47, 2021): additions, shifts and
rotations of four words of 32 bits.
"""

import hashlib
from collections.abc import MutableSequence, Sequence
from typing import Any, Final, TypeVar

from harness.puzzles.search.compiled import Integers, compiled, integers

_WORD: Final = 0xFFFFFFFF
_Item = TypeVar("_Item")


@compiled
def next_word(state: Integers) -> int:
    """The next 32 random bits."""
    first, second, third, fourth = state[0], state[1], state[2], state[3]
    total = (first + fourth) & _WORD
    word: int = ((((total << 7) & _WORD) | (total >> 25)) + first) & _WORD
    third ^= first
    fourth ^= second
    state[1] = second ^ third
    state[0] = first ^ fourth
    state[2] = third ^ ((second << 9) & _WORD)
    state[3] = ((fourth << 11) & _WORD) | (fourth >> 21)
    return word


@compiled
def below(state: Integers, number: int) -> int:
    """A random integer from 0 to `number` - 1, each with the same probability.

    The method is that of Lemire, "Fast random integer generation in an interval" (ACM
    Transactions on Modeling and Computer Simulation 29, 2019).
    """
    product = next_word(state) * number
    low = product & _WORD
    if low < number:
        least = (_WORD + 1 - number) % number
        while low < least:
            product = next_word(state) * number
            low = product & _WORD
    return product >> 32


class Prng:
    """A source of random integers."""

    def __init__(self, *seed: object) -> None:
        """The source of this `seed`; parts with equal texts make equal sources."""
        digest = hashlib.sha256("\0".join(map(str, seed)).encode()).digest()
        words = (int.from_bytes(digest[at : at + 4], "little") for at in range(0, 16, 4))
        self.state: Any = integers(words)
        """The state, as kernels take it."""

    def below(self, number: int) -> int:
        """A random integer from 0 to `number` - 1; `number` is at most 2^31."""
        return int(below(self.state, number))

    def choice(self, items: Sequence[_Item]) -> _Item:
        """A random item."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put `items` into random order (Fisher and Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]

    def order(self, number: int) -> list[int]:
        """The integers from 0 to `number` - 1 in random order."""
        items = list(range(number))
        self.shuffle(items)
        return items

    def sample(self, number: int, of: int) -> list[int]:
        """`number` different integers from 0 to `of` - 1, in random order."""
        return self.order(of)[:number]
