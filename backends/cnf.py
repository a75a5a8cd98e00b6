"""Boolean satisfiability: a puzzle as clauses, for a SAT solver from PySAT.

    candidate   a value that no given forbids a blank cell
    variable    "this candidate holds", numbered from 1 without gaps
    group       variables of which exactly one holds: the candidates of a cell,
                the places of a value in a house
    at least    a clause over a group
    at most     a clause over each pair of a group, or a cardinality constraint

The encodings are those of Lynce and Ouaknine, "Sudoku as a SAT problem" (AIMATH
2006): *minimal* says no more than is needed, *extended* says "exactly one" of
every group. A SAT solver spends longer on reading clauses than on an ordinary
puzzle, so clauses are written for the candidates alone.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, Final

from harness.contract import Answer, Backend, Count, Options, PhaseTimer, Stats, Unavailable, option
from harness.errors import InputError, one_of
from harness.puzzles import Grid, Puzzle, Shape

# fmt: off
SOLVERS: Final = (
    "cadical103", "cadical153", "cadical195", "cadical300", "ergo", "gluecard3", "gluecard4",
    "glucose3", "glucose4", "glucose42", "kissat404", "lingeling", "maplechrono", "maplecm",
    "maplesat", "mergesat3", "minicard", "minisat-ep", "minisat-gh", "minisat22",
)
# fmt: on
"""The solvers that come with PySAT; its `cryptominisat` is a package of its own."""

WITH_CARDINALITY: Final = ("gluecard3", "gluecard4", "minicard")
NOT_INCREMENTAL: Final = ("kissat404",)
"""They ignore assumptions, die of clauses added after the first model, count nothing."""
WITHOUT_PROPAGATIONS: Final = ("maplecm", "maplesat")
"""They report no propagations, whatever they did."""

Model = list[int]
"""The variables that hold."""


@dataclass(frozen=True)
class CnfOptions(Options):
    """Which solver reads which clauses.

    Raises:
        InputError: the options do not go together.
    """

    solver: str = option("minicard", help="the SAT solver, by its name in PySAT", choices=SOLVERS)
    encoding: str = option(
        "auto",
        help="minimal or extended clauses, or cardinality constraints "
        f"({', '.join(WITH_CARDINALITY)}); auto is cardinality where the solver knows it "
        "and extended elsewhere",
        choices=("auto", "minimal", "extended", "cardinality"),
    )
    counting: str = option(
        "blocking",
        help="forbid the blank cells of each solution, or let PySAT enumerate models",
        choices=("blocking", "enumerate"),
    )
    reuse: bool = option(
        False,
        help="keep one solver for all puzzles, with the givens as assumptions; "
        "learned clauses carry over from puzzle to puzzle",
    )

    @property
    def written(self) -> str:
        """The encoding that is written."""
        if self.encoding != "auto":
            return self.encoding
        return "cardinality" if self.solver in WITH_CARDINALITY else "extended"

    def __post_init__(self) -> None:
        """See whether the solver can do what the other options ask for."""
        expected = ""
        if self.encoding == "cardinality" and self.solver not in WITH_CARDINALITY:
            expected = f"{one_of(WITH_CARDINALITY)} with encoding=cardinality"
        elif self.solver in NOT_INCREMENTAL and (self.reuse or self.counting == "enumerate"):
            expected = "another solver with reuse=true or counting=enumerate"
        if expected:
            raise InputError(
                f"{self.solver} does not do", where="cnf option solver", expected=expected
            )
        if self.reuse and self.counting == "enumerate":
            # What PySAT blocks while it enumerates, it blocks for good.
            raise InputError(
                "a kept solver does not enumerate",
                where="cnf option counting",
                expected="blocking with reuse=true",
            )


class Cnf(Backend):
    """A SAT solver on the clauses of a puzzle."""

    name = "cnf"
    paradigm = "SAT"
    distributions = ("python-sat",)
    options_type = CnfOptions
    counts_natively = True

    @classmethod
    def load(cls, options: Options) -> None:
        """Import PySAT and see whether this release of it has the solver."""
        assert isinstance(options, CnfOptions)
        new_solver(options.solver).delete()

    def __init__(self, shape: Shape, options: Options) -> None:
        assert isinstance(options, CnfOptions)
        self.options = options
        self.kept: Session | None = None
        if options.reuse:
            blank = Puzzle(shape, (0,) * shape.size**2)
            self.kept = Session(Candidates(blank), options)

    def solve(self, puzzle: Puzzle) -> Answer:
        """The first model that the solver finds, or the proof that there is none."""
        timer = PhaseTimer()
        with self.session(puzzle) as session:
            before = session.work()
            timer.search()
            model = session.model(puzzle)
            timer.decode()
            stats = session.stats(before)
            if model is None:
                return Answer.unsatisfiable(stats, timer.stop())
            return Answer.solved(session.grid(puzzle, model), stats, timer.stop())

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of models, up to `limit`."""
        if self.options.solver in NOT_INCREMENTAL:
            return super().count(puzzle, limit)
        timer = PhaseTimer()
        with self.session(puzzle) as session, closing(session.models(puzzle)) as models:
            before = session.work()
            timer.search()
            number, first = 0, None
            for model in islice(models, limit):
                number += 1
                first = first or model
            timer.decode()
            witness = None if first is None else session.grid(puzzle, first)
            stats = session.stats(before)
        return Count(number, number < limit, witness, stats, timer.stop())

    @contextmanager
    def session(self, puzzle: Puzzle) -> Iterator["Session"]:
        """The kept session, or one for this puzzle alone."""
        if self.kept is not None:
            yield self.kept
            return
        session = Session(Candidates(puzzle), self.options)
        try:
            yield session
        finally:
            session.solver.delete()


class Candidates:
    """The candidates that the givens of a puzzle leave, and their groups."""

    def __init__(self, puzzle: Puzzle) -> None:
        size, houses_of = puzzle.shape.size, puzzle.shape.houses_of
        self.meaning: list[tuple[int, int]] = []
        """Cell and value of each variable, that of variable 1 first."""
        self.cells: list[list[int]] = []
        """The variables of each blank cell."""
        self.consistent = True
        """Whether no value is given twice in a house."""

        # A set of values is a number in which bit v stands for v.
        given = [0] * len(puzzle.shape.houses)
        for cell, value in enumerate(puzzle.givens):
            if value:
                for house in houses_of[cell]:
                    if given[house] >> value & 1:
                        self.consistent = False
                    given[house] |= 1 << value

        places: list[list[list[int]]] = [[[] for _ in range(size + 1)] for _ in given]
        for cell, value in enumerate(puzzle.givens):
            if value:
                continue
            taken = 0
            for house in houses_of[cell]:
                taken |= given[house]
            variables = []
            for value in range(1, size + 1):
                if not taken >> value & 1:
                    self.meaning.append((cell, value))
                    variable = len(self.meaning)
                    variables.append(variable)
                    for house in houses_of[cell]:
                        places[house][value].append(variable)
            self.cells.append(variables)
        self.places = [
            places[house][value]
            for house, values in enumerate(given)
            for value in range(1, size + 1)
            if not values >> value & 1
        ]
        """The variables of each value that a house does not hold yet."""


class Session:
    """A solver that has read the clauses of some candidates."""

    def __init__(self, candidates: Candidates, options: CnfOptions) -> None:
        self.candidates = candidates
        self.options = options
        self.last_variable = len(candidates.meaning)
        self.solver = new_solver(options.solver)

        minimal = options.written == "minimal"
        groups = candidates.cells + candidates.places
        at_least = candidates.cells if minimal else groups
        at_most = candidates.places if minimal else groups
        clauses: list[Sequence[int]] = [*at_least]
        if not candidates.consistent:
            clauses.append(())
        constraints = 0
        if options.written == "cardinality":
            for group in at_most:
                if len(group) > 1:
                    self.solver.add_atmost(group, 1)
                    constraints += 1
        else:
            for group in at_most:
                clauses.extend(combinations([-variable for variable in group], 2))
        # A full grid leaves nothing to say, and maplesat dies of a formula without variables.
        self.solver.append_formula(clauses or [(1,)])
        self.size = {
            "variables": len(candidates.meaning),
            "clauses": len(clauses),
            "constraints": constraints,
        }

    def assumptions(self, puzzle: Puzzle) -> list[int]:
        """The givens as variables, where they are not in the clauses."""
        if not self.options.reuse:
            return []
        size = puzzle.shape.size
        return [cell * size + value for cell, value in enumerate(puzzle.givens) if value]

    def model(self, puzzle: Puzzle) -> Model | None:
        """The candidates that hold in some solution; None where there is none."""
        return self._solve(self.assumptions(puzzle))

    def models(self, puzzle: Puzzle) -> Generator[Model, None, None]:
        """The candidates that hold in each solution, once each."""
        if self.options.counting == "enumerate":
            for model in self.solver.enum_models():
                yield self._positive(model)
            return
        assumptions = self.assumptions(puzzle)
        unless: list[int] = []
        if self.options.reuse:
            # Under this assumption solutions are blocked; without it, they are free again.
            self.last_variable += 1
            assumptions.append(self.last_variable)
            unless = [-self.last_variable]
        meaning, givens = self.candidates.meaning, puzzle.givens
        try:
            while (found := self._solve(assumptions)) is not None:
                yield found
                block = [-variable for variable in found if not givens[meaning[variable - 1][0]]]
                self.solver.add_clause(unless + block)
        finally:
            if unless:
                self.solver.add_clause(unless)

    def grid(self, puzzle: Puzzle, model: Model) -> Grid:
        """The givens and what the model puts into the other cells."""
        grid = list(puzzle.givens)
        for variable in model:
            cell, value = self.candidates.meaning[variable - 1]
            grid[cell] = value
        return tuple(grid)

    def work(self) -> dict[str, int]:
        """The solver's own counters since it was made."""
        if self.options.solver in NOT_INCREMENTAL:
            return {}
        counters: dict[str, int] = self.solver.accum_stats()
        if self.options.solver in WITHOUT_PROPAGATIONS:
            del counters["propagations"]
        return counters

    def stats(self, before: dict[str, int]) -> Stats:
        """What the solver did since `before`, and how much it had read."""
        return {name: value - before[name] for name, value in self.work().items()} | self.size

    def _solve(self, assumptions: list[int]) -> Model | None:
        if not self.solver.solve(assumptions=assumptions):
            return None
        return self._positive(self.solver.get_model())

    def _positive(self, model: list[int]) -> Model:
        candidates = model[: len(self.candidates.meaning)]
        return [literal for literal in candidates if literal > 0]


def new_solver(name: str) -> Any:
    """A PySAT solver without clauses.

    Raises:
        Unavailable: this release of PySAT does not have it.
    """
    from pysat.solvers import NoSuchSolverError, Solver

    try:
        return Solver(name=name)
    except (NoSuchSolverError, AssertionError) as error:
        reason = f"this release of PySAT has no solver {name}"
        raise Unavailable(reason, "pip install --upgrade python-sat") from error
