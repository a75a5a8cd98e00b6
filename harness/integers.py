"""Integers without a bound of 64 bits: numbers of solutions, limits, statistics.

Python's integers are unbounded, and so is a number of solutions: an empty 9x9 has
6,670,903,752,021,072,936,960. Python writes and reads integers of up to `MOST_DIGITS`
digits, more than the number of grids of any shape has: 36**1296 has 2,017.
"""

from typing import Final

MOST_DIGITS: Final = 4300
"""Digits of the largest integer: Python's limit for the conversion to and from text."""
LARGEST: Final = 10**MOST_DIGITS - 1
"""The largest integer that can be written as text."""
LARGEST_OF_32_BITS: Final = 2**31 - 1
"""The largest limit of some solver libraries."""
LARGEST_OF_64_BITS: Final = 2**63 - 1
"""The largest integer of SQLite, of numpy and of most solver libraries."""


def is_writable(number: int) -> bool:
    """Whether `number` has at most `MOST_DIGITS` digits."""
    return -LARGEST <= number <= LARGEST


def fits_64_bits(number: int) -> bool:
    """Whether `number` is a signed integer of 64 bits."""
    return -LARGEST_OF_64_BITS - 1 <= number <= LARGEST_OF_64_BITS


def as_float(number: int | float) -> float:
    """A number as a float; infinity beyond its range."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
