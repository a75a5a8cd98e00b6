"""Hall sets: k sets that have k elements in total, so that each element is in one of them.

Suppose that each set receives one of its elements, all different. Then k sets with k elements
use all of these, and no other set receives any of them (P. Hall, "On representatives of
subsets", Journal of the London Mathematical Society 10, 1935). Naked subsets, hidden subsets
and fish are Hall sets of three kinds.
"""

from collections.abc import Iterator, Sequence


def hall_sets(sets: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """The indices of each choice of `size` sets with `size` elements in total.

    Each set has at least two elements: a set with one element needs no others. The work is
    bounded by the number of choices, n over `size` for n sets. A choice is extended only by
    sets that keep it within `size` elements, so few choices are visited in practice.

    Args:
        sets: sets as bits.
        size: the number of sets in a choice.

    Yields:
        Ascending indices, in lexicographic order.
    """
    usable = [(index, of) for index, of in enumerate(sets) if 2 <= of.bit_count() <= size]
    if len(usable) >= size:
        yield from _extended(usable, size, (), 0)


def _extended(
    usable: Sequence[tuple[int, int]], size: int, chosen: tuple[int, ...], elements: int
) -> Iterator[tuple[int, ...]]:
    """The choices that begin with `chosen`, whose sets have `elements`."""
    missing = size - len(chosen)
    for at in range(len(usable) - missing + 1):
        index, of = usable[at]
        wider = elements | of
        if missing > 1:
            following = [one for one in usable[at + 1 :] if (wider | one[1]).bit_count() <= size]
            yield from _extended(following, size, (*chosen, index), wider)
        elif wider.bit_count() == size:
            yield (*chosen, index)
