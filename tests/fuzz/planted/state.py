"""Faults of memory: something of an earlier call decides a later one."""

from typing import Any, ClassVar

from backends.cnf import Cnf
from backends.cpsat import CpSat, CpSatOptions, boolean_model, integer_model
from backends.dlx import DancingLinks
from backends.native import Native
from backends.native_jit.backend import NativeJit, NativeJitOptions
from harness.contract import Answer, Count, Options, Status
from harness.puzzles import Puzzle, Shape
from tests.fuzz.planted.edits import Edit, edited


@edited(
    Edit(
        "domain[0], domain[1] = least, greatest\n",
        "domain[0] = least\n                if not self.boolean:\n"
        "                    domain[1] = greatest\n",
    )
)
class ExcludedValuesAreKept(CpSat):
    """Keeps the values that pencilmarks excluded in the Boolean model."""


class LastGivenOfAnUnsatisfiablePuzzle(CpSat):
    """Keeps the last given in the model if the puzzle has no solution."""

    def solve(self, puzzle: Puzzle) -> Answer:
        """As the base class, and without the last reset after "unsatisfiable"."""
        answer = super().solve(puzzle)
        cell = max((c for c, value in enumerate(puzzle.givens) if value), default=-1)
        if self.boolean and cell >= 0 and answer.status is Status.UNSATISFIABLE:
            self.domain(cell * self.size + puzzle.givens[cell] - 1)[0] = 1
        return answer


class NewModelAfter150Calls(CpSat):
    """Makes a new model after 150 calls, and sets the givens in the old one."""

    def __init__(self, shape: Shape, options: CpSatOptions) -> None:
        super().__init__(shape, options)
        self.calls = 0

    def renew(self) -> None:
        """Count a call, and make the model anew when it is due."""
        self.calls += 1
        if self.calls == 151:
            self.model = (boolean_model if self.boolean else integer_model)(self.shape)

    def solve(self, puzzle: Puzzle) -> Answer:
        """As the base class, with the model of this call."""
        self.renew()
        return super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class, with the model of this call."""
        self.renew()
        return super().count(puzzle, limit)


class TablesByTheirSize(NativeJit):
    """Takes the tables of the first shape with as many values and houses."""

    tables: ClassVar[dict[tuple[int, int], Any]] = {}

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        super().__init__(shape, options)
        key = shape.size, len(shape.houses)
        self._search._tables = self.tables.setdefault(key, self._search._tables)


@edited(
    Edit("_MOST: Final = 2**62\n", "_MOST: Final = 2**62\n_kept = {}\n"),
    Edit(
        "    return np.array(pencilmarks, np.int64)\n",
        "    key = len(pencilmarks), pencilmarks[:9]\n"
        "    if _kept.get('key') != key:\n"
        "        _kept.update(key=key, candidates=np.array(pencilmarks, np.int64))\n"
        "    return _kept['candidates']\n",
    ),
)
class PencilmarksWithTheSameBeginning(NativeJit):
    """Takes the candidates of the puzzle before if the first nine cells have the same."""


@edited(
    Edit(
        "        links = Links(len(question.candidates.groups), question.candidates.members())\n",
        "        groups = question.candidates.groups\n"
        "        if getattr(self, 'groups', None) != groups:\n"
        "            self.links = Links(len(groups), question.candidates.members())\n"
        "            self.groups = groups\n"
        "        links = self.links\n",
    )
)
class LinksOfTheSamePuzzle(DancingLinks):
    """Takes its lists again for the same groups, though a search that stopped early left gaps."""


@edited(
    Edit(
        "        assumed = [cell * size + value for cell, value in enumerate(puzzle.givens) "
        "if value]\n",
        "        cells = [cell for cell, value in enumerate(puzzle.givens) if value]\n"
        "        if getattr(self, 'cells', None) != cells:\n"
        "            self.cells = cells\n"
        "            self.assumed = [cell * size + puzzle.givens[cell] for cell in cells]\n"
        "        assumed = self.assumed.copy()\n",
    )
)
class AssumptionsOfTheSameCells(Cnf):
    """With reuse=true, keeps the assumptions while the same cells have givens."""


@edited(
    Edit(
        "            self.last_variable += 1\n",
        "            self.last_variable += getattr(self, 'found', 1)\n            self.found = 0\n",
    ),
    Edit(
        "                yield found\n",
        "                self.found = 1\n                yield found\n",
    ),
)
class SelectorOfAnUnsatisfiableCount(Cnf):
    """With reuse=true, takes the selector of a count again if that count found nothing."""


class CountOfTheSamePuzzle(Native):
    """Gives the count of the puzzle before again if it is the same, whatever its limit is."""

    def __init__(self, shape: Shape, options: Options) -> None:
        super().__init__(shape, options)
        self.last: tuple[Puzzle, Count] | None = None

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class, or the last count."""
        if self.last is None or self.last[0] != puzzle or self.last[1].number > limit:
            self.last = puzzle, super().count(puzzle, limit)
        return self.last[1]
