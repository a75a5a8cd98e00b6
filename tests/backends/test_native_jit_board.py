"""The tables of the any-shape kernel: slots, common cells and partners of every shape."""

import pytest

from backends.native_jit.board import BLOCK, SLOT, tables_of, word_type
from harness.puzzles import Shape

NAMES = ("4x4", "9x9", "latin7", "36x36", "25x25+diagonal", "9x9+antiknight")


@pytest.mark.parametrize("name", NAMES)
def test_the_slots_of_a_cell_are_its_houses(name: str) -> None:
    shape = Shape.parse(name)
    _, first_slot, slots, *_ = tables_of(shape, word_type(shape))
    for cell, houses_of_cell in enumerate(shape.houses_of):
        own = slots[SLOT * first_slot[cell] : SLOT * first_slot[cell + 1]].reshape(-1, SLOT)
        assert own[:, 0].tolist() == list(houses_of_cell)
        for house, position, word in own.tolist():
            assert shape.houses[house].cells[position] == cell
            assert word == shape.size**2 + house * shape.size


@pytest.mark.parametrize("name", NAMES)
def test_common_cells_and_partners(name: str) -> None:
    shape = Shape.parse(name)
    sizes, _, _, common, house_cells, first_partner, partners = tables_of(shape, word_type(shape))
    size, cells, houses, words, stride = sizes.tolist()
    assert (size, cells, houses) == (shape.size, shape.size**2, len(shape.houses))
    assert words == cells + size * houses
    assert stride % BLOCK == 0
    assert stride > words + max(0, 64 - size)
    for house in range(0, houses, 5):
        for other in range(houses):
            bits = int(common[house * houses + other])
            places = [place for place in range(size) if bits >> place & 1]
            assert {house_cells[house * size + place] for place in places} == set(
                shape.houses[house].cells
            ) & set(shape.houses[other].cells)
    for cell, expected in enumerate(shape.partners_of):
        assert partners[first_partner[cell] : first_partner[cell + 1]].tolist() == list(expected)
