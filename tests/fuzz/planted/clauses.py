"""Faults in the clauses: a missing group, a missing clause, a house that is not seen."""

from backends.cnf import Cnf
from backends.cpsat import CpSat
from tests.fuzz.planted.edits import Edit, edited


@edited(
    Edit(
        "for one, other in puzzle.shape.pairs:",
        "for one, other in puzzle.shape.pairs[:-1]:",
    )
)
class LastPairIsMissing(Cnf):
    """Has no clauses for the last pair of a shape with pairs."""


@edited(Edit("for house, values in enumerate(given)", "for house, values in enumerate(given[:28])"))
class HousesAfter28(Cnf):
    """Has no clauses for houses from the 29th on: a diagonal, or windows, of a 9x9."""


@edited(
    Edit(
        "at_least = candidates.cells if minimal",
        "at_least = [group for group in candidates.cells if len(group) < 8] if minimal",
    )
)
class WideCellsMayBeEmpty(Cnf):
    """With encoding=minimal, leaves cells with eight or more candidates without "at least one"."""


@edited(Edit("if len(group) > 1:", "if len(group) > 2:"))
class TwoCandidatesMayBothHold(Cnf):
    """With encoding=cardinality, states "at most one" only for groups of three and more."""


@edited(
    Edit(
        "for house in houses_of[cell]:\n                taken |= given[house]",
        "for house in houses_of[cell][:3]:\n                taken |= given[house]",
    )
)
class GivensOfThreeHouses(Cnf):
    """With encoding=minimal, a given on a diagonal or in a window leaves its value to the rest."""


@edited(
    Edit(
        "for house in shape.houses\n        for offset in range(size)\n    ]\n    constraints",
        "for house in shape.houses[: 30 if size == 12 else 999]\n"
        "        for offset in range(size)\n    ]\n    constraints",
    )
)
class LowerBoxesOf12x12(CpSat):
    """Has no constraints for the boxes 7 to 12 of 12x12 in the Boolean model."""


@edited(
    Edit(
        "for cells in (*(house.cells for house in shape.houses), *shape.pairs):",
        "for cells in (*(house.cells for house in shape.houses[:25]), *shape.pairs):",
    )
)
class IntegersOf25Houses(CpSat):
    """With formulation=integer, has constraints for 25 houses at most."""
