"""Boolean satisfiability with the SAT solvers of PySAT.

    candidate   a value of a blank cell that no given and no pencilmark excludes
    variable    "this candidate holds", numbered from 1 without gaps
    group       variables; exactly one holds: the candidates of a cell, or the
                candidates of a value in a house
    at least    a clause over a group
    at most     a clause over each pair of a group, or a cardinality constraint
    apart       two variables; at most one holds: a value in two cells that differ
    encoding    groups, clauses and variables for the constraints of a shape

The encodings are those of Lynce and Ouaknine, "Sudoku as a SAT problem" (AIMATH 2006):
*minimal* has only the necessary clauses, *extended* states "exactly one" for every
group. On an ordinary puzzle a SAT solver spends more time reading clauses than
searching, so the clauses cover only the candidates. A group of 100 variables has 4,950 pairs:
*commander* splits "at most one" into groups of four, each with a variable that is true if one
of them holds (Klieber and Kwon, "Efficient CNF encoding for selecting 1 from N objects", 2007).
"""

import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any, Final

from harness.base.errors import OptionError, one_of
from harness.contract import (
    EVERYTHING,
    Answer,
    Backend,
    Count,
    Options,
    PhaseTimer,
    Proof,
    Stats,
    Unavailable,
    Unsupported,
    option,
)
from harness.puzzles import Grid, Puzzle, Shape
from harness.puzzles.search import Domains, Encoder, Encoding, propagate_puzzle

# fmt: off
SOLVERS: Final = (
    "cadical103", "cadical153", "cadical195", "cadical300", "ergo", "gluecard3", "gluecard4",
    "glucose3", "glucose4", "glucose42", "kissat404", "lingeling", "maplechrono", "maplecm",
    "maplesat", "mergesat3", "minicard", "minisat-ep", "minisat-gh", "minisat22",
)
# fmt: on
"""The solvers that PySAT includes; its `cryptominisat` needs another package."""

WITH_CARDINALITY: Final = ("gluecard3", "gluecard4", "minicard")
NOT_INCREMENTAL: Final = ("kissat404",)
"""Solvers that ignore assumptions, report no statistics, and crash when a clause is added
after the first model."""
PROVING: Final = (
    *("cadical103", "cadical153", "cadical195", "cadical300", "ergo", "gluecard3", "gluecard4"),
    *("glucose3", "glucose4", "glucose42", "lingeling", "maplechrono", "maplecm"),
)
"""Solvers whose proofs the harness has checked, even with solutions blocked between calls. The
proofs of maplesat use variables that its clauses lack; the remaining solvers write no proofs."""
WITHOUT_PROPAGATIONS: Final = ("maplecm", "maplesat")
"""Solvers that always report 0 propagations."""

WITHOUT_PHASES: Final = ("cadical103",)
"""Reusable solvers whose decisions PySAT cannot guide."""

LARGEST_WITH_PAIRS: Final = 25
"""In larger shapes commanders take less time than clauses for all pairs."""
MOST_LITERALS: Final = 15_000_000
"""Maximum number of literals of all clauses together; a literal takes about 100 bytes."""

Model = list[int]
"""The true variables."""


@dataclass(frozen=True)
class CnfOptions(Options):
    """The SAT solver and its clauses.

    Raises:
        OptionError: the solver does not support the other options.
    """

    solver: str = option("minicard", help="SAT solver, by its name in PySAT", choices=SOLVERS)
    encoding: str = option(
        "auto",
        help="encoding: minimal or extended clauses, extended with commander variables, or "
        f"cardinality constraints ({', '.join(WITH_CARDINALITY)} only); auto prefers cardinality, "
        f"then commander above {LARGEST_WITH_PAIRS}x{LARGEST_WITH_PAIRS}",
        choices=("auto", "minimal", "extended", "commander", "cardinality"),
    )
    counting: str = option(
        "blocking",
        help="method of counting: block each solution, or enumerate models in PySAT",
        choices=("blocking", "enumerate"),
    )
    cages: str = option(
        "combinations",
        help="encoding of sums of different cells: a literal for each combination of values, or "
        "states of partial sums",
        choices=("combinations", "partial-sums"),
    )
    reuse: bool = option(
        False,
        help="one solver for all puzzles, with givens and pencilmarks as assumptions; "
        "learned clauses carry over from puzzle to puzzle",
    )

    def encoding_for(self, size: int) -> str:
        """The encoding of puzzles of this size, with auto resolved."""
        if self.encoding != "auto":
            return self.encoding
        if self.solver in WITH_CARDINALITY:
            return "cardinality"
        return "commander" if size > LARGEST_WITH_PAIRS else "extended"

    def __post_init__(self) -> None:
        """Check that the solver supports the other options."""
        expected = ""
        if self.encoding == "cardinality" and self.solver not in WITH_CARDINALITY:
            expected = f"{one_of(WITH_CARDINALITY)} with encoding=cardinality"
        elif self.solver in NOT_INCREMENTAL and (self.reuse or self.counting == "enumerate"):
            expected = "another solver with reuse=true or counting=enumerate"
        if expected:
            raise OptionError(
                f"{self.solver} does not support the other options",
                where="cnf option solver",
                expected=expected,
            )
        if self.reuse and self.counting == "enumerate":
            # PySAT's enumeration blocks its models permanently.
            raise OptionError(
                "a reused solver cannot enumerate",
                where="cnf option counting",
                expected="blocking with reuse=true",
            )


class Cnf(Backend[CnfOptions]):
    """A SAT solver on the clauses of a puzzle."""

    name = "cnf"
    paradigm = "SAT"
    distributions = ("python-sat",)
    counts_natively = True
    proves = True
    takes = EVERYTHING

    @classmethod
    def load(cls, options: CnfOptions) -> None:
        """Import PySAT and check that this release includes the solver."""
        new_solver(options.solver).delete()

    def __init__(self, shape: Shape, options: CnfOptions) -> None:
        self.options = options
        self.kept: Session | None = None
        if options.reuse:
            blank = Puzzle(shape, (0,) * shape.size**2)
            self.kept = Session(Candidates(blank, options.cages, prunes=False), options)

    def solve(self, puzzle: Puzzle) -> Answer:
        """The first model that the solver finds, or the proof that none exists."""
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
            for model in islice(models, min(limit, sys.maxsize)):
                number += 1
                first = first or model
            timer.decode()
            witness = None if first is None else session.grid(puzzle, first)
            stats = session.stats(before)
        return Count(number, number < limit, witness, stats, timer.stop())

    def prove(self, puzzle: Puzzle, limit: int) -> Proof:
        """The models, up to `limit`, and what the solver has learned until none was left.

        Raises:
            Unsupported: the solver writes no proof that can be checked, the encoding is not CNF, or
                the shape has constraints.
        """
        self.require_proofs()
        if puzzle.shape.primitives:
            raise Unsupported("cnf proves puzzles with constraints by prove_clauses")
        candidates = Candidates(puzzle, self.options.cages)
        if not candidates.consistent or not candidates.meaning:
            is_solution = candidates.consistent and all(puzzle.givens)
            complete = limit > is_solution
            return Proof((puzzle.givens,) * is_solution, complete, "0\n" if complete else "")
        encoding = "minimal" if self.options.encoding == "minimal" else "extended"
        options = replace(self.options, reuse=False, counting="blocking", encoding=encoding)
        session = Session(candidates, options, with_proof=True)
        try:
            grids = [session.grid(puzzle, model) for model in islice(session.models(puzzle), limit)]
            complete = len(grids) < limit
            variables = [cell * puzzle.shape.size + value for cell, value in candidates.meaning]
            steps = "".join(self.steps(session.solver, variables, grids)) if complete else ""
            return Proof(tuple(grids), complete, steps)
        finally:
            session.solver.delete()

    def prove_clauses(self, puzzle: Puzzle, limit: int, clauses: Iterable[Sequence[int]]) -> Proof:
        """Like `prove`, but from the verifier's clauses, whose variables are those of the proof.

        Raises:
            Unsupported: as in `prove`.
        """
        self.require_proofs()
        size = puzzle.shape.size
        formula = [list(clause) for clause in clauses]
        last = max((abs(literal) for clause in formula for literal in clause), default=0)
        solver = new_solver(self.options.solver, with_proof=True)
        try:
            solver.append_formula(formula)
            grids: list[Grid] = []
            while len(grids) < limit and solver.solve():
                literals = [literal for literal in solver.get_model()[: size**3] if literal > 0]
                grids.append(tuple((literal - 1) % size + 1 for literal in literals))
                solver.add_clause([-literal for literal in literals])
            complete = len(grids) < limit
            variables = range(1, last + 1)
            steps = "".join(self.steps(solver, variables, grids)) if complete else ""
            return Proof(tuple(grids), complete, steps)
        finally:
            solver.delete()

    def require_proofs(self) -> None:
        """Check that the solver writes proofs.

        Raises:
            Unsupported: it writes no proof that can be checked, or the encoding is not CNF.
        """
        solver = self.options.solver
        if solver not in PROVING:
            raise Unsupported(
                f"{solver} writes no proof that can be checked; expected cnf[solver=glucose4], "
                f"or as solver {one_of(PROVING)}"
            )
        if self.options.encoding_for(0) == "cardinality":
            raise Unsupported(
                "cardinality constraints are not clauses; "
                f"expected cnf[solver={solver},encoding=extended]"
            )

    def steps(self, solver: Any, variables: Sequence[int], grids: Sequence[Grid]) -> Iterator[str]:
        """The proof of a solver that has found no further model, with the variables of `Proof`.

        The proof deletes only learned clauses, since the solver may have a clause of the formula
        twice, but the verifier once. After a model, the proof of CaDiCaL deletes none: when a
        clause is added, CaDiCaL restores clauses that it deleted, even learned ones, without a step
        (Fazekas, Biere and Scholl, "Incremental inprocessing in SAT solving", SAT 2019).

        Args:
            solver: the solver.
            variables: for each variable of the solver, from 1, that of the proof.
            grids: the solutions found before.

        Raises:
            Unsupported: the proof has variables that are not in the clauses.
        """
        literals = {str(at): str(variable) for at, variable in enumerate(variables, 1)}
        literals |= {f"-{at}": f"-{variable}" for at, variable in enumerate(variables, 1)}
        literals |= {"0": "0"}
        restores = bool(grids) and self.options.solver.startswith("cadical")
        learned_clauses: Counter[frozenset[str]] = Counter()
        step = ""
        for line in solver.get_proof():
            words = line.split()
            is_deletion = words[:1] == ["d"]
            try:
                step = f"{' '.join(literals[word] for word in words[is_deletion:])}\n"
            except KeyError as unknown:
                reason = f"the proof of {self.options.solver} has the literal {unknown}"
                raise Unsupported(f"{reason}, which is in no clause") from None
            clause = frozenset(words[is_deletion:])
            if not is_deletion:
                learned_clauses[clause] += 1
                yield step
            elif learned_clauses[clause] and not restores:
                learned_clauses[clause] -= 1
                yield f"d {step}"
        if step != "0\n":
            yield "0\n"  # maplecm leaves it out

    @contextmanager
    def session(self, puzzle: Puzzle) -> Iterator["Session"]:
        """The reused session, or a new one for this puzzle."""
        if self.kept is not None:
            yield self.kept
            return
        session = Session(Candidates(puzzle, self.options.cages), self.options)
        try:
            yield session
        finally:
            session.solver.delete()


class Candidates:
    """The candidates of a puzzle as variables, and their groups."""

    def __init__(self, puzzle: Puzzle, cages: str, *, prunes: bool = True) -> None:
        size, houses_of = puzzle.shape.size, puzzle.shape.houses_of
        partners_of, marks = puzzle.shape.partners_of, puzzle.pencilmarks
        primitives = puzzle.shape.primitives
        self.size = size
        self.meaning: list[tuple[int, int]] = []
        """The cell and value of each variable, beginning with variable 1."""
        self.cells: list[list[int]] = []
        """The variables of each blank cell."""
        self.outside: list[list[int]] = []
        """The variables of each blank cell outside all houses."""
        self.consistent = True
        """Whether the givens have no duplicates and the constraints, if any, allow them."""

        # A set of values is a bit mask: bit v stands for value v.
        values_of_houses = [0] * len(puzzle.shape.houses)
        for cell, value in enumerate(puzzle.givens):
            if value:
                for house in houses_of[cell]:
                    if values_of_houses[house] >> value & 1:
                        self.consistent = False
                    values_of_houses[house] |= 1 << value
                for partner in partners_of[cell]:
                    if puzzle.givens[partner] == value:
                        self.consistent = False

        domains: Domains | None = None
        if primitives:
            domains, possible = propagate_puzzle(puzzle) if prunes else ([*puzzle.allowed], True)
            self.consistent = self.consistent and possible
            marks = tuple(domains)
        places: list[list[list[int]]] = [[[] for _ in range(size + 1)] for _ in values_of_houses]
        for cell, value in enumerate(puzzle.givens):
            if value:
                continue
            excluded_values = 0 if marks is None else ~(marks[cell] << 1)
            for house in houses_of[cell]:
                excluded_values |= values_of_houses[house]
            for partner in partners_of[cell]:
                excluded_values |= 1 << puzzle.givens[partner]
            variables = []
            for value in range(1, size + 1):
                if not excluded_values >> value & 1:
                    self.meaning.append((cell, value))
                    variable = len(self.meaning)
                    variables.append(variable)
                    for house in houses_of[cell]:
                        places[house][value].append(variable)
            self.cells.append(variables)
            if not houses_of[cell]:
                self.outside.append(variables)
        self.places = [
            places[house][value]
            for house, values in enumerate(values_of_houses)
            for value in range(1, size + 1)
            if not values >> value & 1
        ]
        """The variables of each value that is missing in a house."""
        self.apart: list[list[int]] = []
        """The two variables of each value in two cells of a pair."""
        self.encoding = Encoding(len(self.meaning))
        """Groups and clauses of the constraints of the shape, with further variables."""
        if not (puzzle.shape.pairs or primitives):
            return
        variable_of = {meaning: number for number, meaning in enumerate(self.meaning, 1)}
        for first, second in puzzle.shape.pairs:
            for value in range(1, size + 1):
                both = variable_of.get((first, value)), variable_of.get((second, value))
                if both[0] and both[1]:
                    self.apart.append([both[0], both[1]])
        if domains is not None and self.consistent:
            combine = cages == "combinations"
            encoder = Encoder(variable_of, domains, puzzle.shape.peers, combine=combine)
            self.encoding = encoder.encode(primitives)


class Session:
    """A solver with the clauses of some candidates."""

    def __init__(
        self, candidates: Candidates, options: CnfOptions, *, with_proof: bool = False
    ) -> None:
        self.candidates = candidates
        self.options = options
        encoding = candidates.encoding
        self.last_variable = encoding.literals
        self.solver = new_solver(options.solver, with_proof=with_proof)

        kind = options.encoding_for(candidates.size)
        minimal = kind == "minimal"
        groups = candidates.cells + candidates.places + encoding.groups
        at_least = candidates.cells + encoding.groups if minimal else groups
        # A house has a value for each of its cells, so "at most once" suffices in a house.
        at_most = candidates.places + candidates.outside + encoding.groups if minimal else groups
        if candidates.size > LARGEST_WITH_PAIRS:
            check_size(at_least, at_most, kind)
        clauses: list[Sequence[int]] = [*at_least, *encoding.clauses]
        if not candidates.consistent:
            clauses.append(())
        constraints = 0
        if kind == "cardinality":
            for group in at_most + encoding.at_most:
                if len(group) > 1:
                    self.solver.add_atmost(group, 1)
                    constraints += 1
        else:
            if kind == "commander":
                further = Encoding(self.last_variable)
                at_most = [further.commanders(group) for group in at_most]
                clauses += further.clauses
                self.last_variable = further.literals
            for group in at_most + encoding.at_most:
                clauses.extend(combinations([-variable for variable in group], 2))
        clauses.extend([-first, -second] for first, second in candidates.apart)
        # A full grid has no clauses, and maplesat crashes on a formula without variables.
        self.solver.append_formula(clauses or [(1,)])
        if options.reuse and options.solver not in WITHOUT_PHASES:
            # A true candidate decides more than a false one.
            self.solver.set_phases(range(1, len(candidates.meaning) + 1))
        self.size = {
            "variables": self.last_variable,
            "clauses": len(clauses),
            "constraints": constraints,
        }

    def assumptions(self, puzzle: Puzzle) -> list[int]:
        """The givens and pencilmarks as assumptions, if the clauses do not contain them."""
        if not self.options.reuse:
            return []
        size = puzzle.shape.size
        assumptions = [cell * size + value for cell, value in enumerate(puzzle.givens) if value]
        if puzzle.pencilmarks is not None:
            for cell, marks in enumerate(puzzle.pencilmarks):
                if not puzzle.givens[cell]:
                    values = (value for value in range(size) if not marks >> value & 1)
                    assumptions += [-(cell * size + value + 1) for value in values]
        return assumptions

    def model(self, puzzle: Puzzle) -> Model | None:
        """The candidates of a solution, None if none exists."""
        return self._solve(self.assumptions(puzzle))

    def models(self, puzzle: Puzzle) -> Generator[Model, None, None]:
        """The candidates of each solution, once each."""
        if self.options.counting == "enumerate":
            for model in self.solver.enum_models():
                yield self._positive(model)
            return
        assumptions = self.assumptions(puzzle)
        unless: list[int] = []
        if self.options.reuse:
            # Blocking clauses hold only under this assumption.
            self.last_variable += 1
            assumptions.append(self.last_variable)
            unless = [-self.last_variable]
        meaning, givens = self.candidates.meaning, puzzle.givens
        try:
            while (solution := self._solve(assumptions)) is not None:
                yield solution
                block = [-variable for variable in solution if not givens[meaning[variable - 1][0]]]
                self.solver.add_clause(unless + block)
        finally:
            if unless:
                self.solver.add_clause(unless)

    def grid(self, puzzle: Puzzle, model: Model) -> Grid:
        """The grid of the givens and the model."""
        grid = list(puzzle.givens)
        for variable in model:
            cell, value = self.candidates.meaning[variable - 1]
            grid[cell] = value
        return tuple(grid)

    def work(self) -> dict[str, int]:
        """The solver's counters since its creation."""
        if self.options.solver in NOT_INCREMENTAL:
            return {}
        counters: dict[str, int] = self.solver.accum_stats()
        if self.options.solver in WITHOUT_PROPAGATIONS:
            del counters["propagations"]
        return counters

    def stats(self, before: dict[str, int]) -> Stats:
        """The solver's counters since `before`, and the size of the formula."""
        return {name: value - before[name] for name, value in self.work().items()} | self.size

    def _solve(self, assumptions: list[int]) -> Model | None:
        if not self.solver.solve(assumptions=assumptions):
            return None
        return self._positive(self.solver.get_model())

    def _positive(self, model: list[int]) -> Model:
        candidates = model[: len(self.candidates.meaning)]
        return [literal for literal in candidates if literal > 0]


def check_size(at_least: list[list[int]], at_most: list[list[int]], kind: str) -> None:
    """Check that the clauses fit into memory.

    Raises:
        Unsupported: there are too many.
    """
    literals = sum(map(len, at_least))
    for group in at_most:
        number = len(group)
        if kind in ("cardinality", "commander"):
            literals += number if kind == "cardinality" else 7 * number
        else:
            literals += number * (number - 1)
    if literals > MOST_LITERALS:
        raise Unsupported(
            f"the encoding {kind} has {literals:,} literals; expected at most {MOST_LITERALS:,}, "
            "as with encoding=commander or more givens"
        )


def new_solver(name: str, *, with_proof: bool = False) -> Any:
    """A new PySAT solver without clauses, which writes a proof if `with_proof` is true.

    Raises:
        Unavailable: this release of PySAT does not include it.
    """
    from pysat.solvers import NoSuchSolverError, Solver

    try:
        return Solver(name=name, with_proof=with_proof) if with_proof else Solver(name=name)
    except (NoSuchSolverError, AssertionError) as error:
        reason = f"this release of PySAT does not include {name}"
        raise Unavailable(reason, "pip install --upgrade python-sat") from error
