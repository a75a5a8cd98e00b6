"""Formulas and proofs in the formats of other checkers.

    cnf      the formula in DIMACS, with the clauses that forbid the listed solutions
    proof    the steps in DRAT
    lrat     the lemmas in LRAT: each names the clauses by which it follows (Cruz-Filipe, Heule,
             Hunt, Kaufmann and Schneider-Kamp, "Efficient certified RAT verification", CADE 2017)
    pbp      the lemmas for VeriPB, version 3.0 of its format; VeriPB reads DIMACS

Deletions are in `proof` alone: a lemma that follows from fewer clauses follows from more.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from harness.extensions.certificates.certificate import ProofSteps
from harness.extensions.certificates.formula import Formula


def _cnf(formula: Formula, _: ProofSteps) -> Iterator[str]:
    yield f"p cnf {formula.variables} {len(formula)}\n"
    yield from (f"{' '.join(map(str, [*clause, 0]))}\n" for clause in formula.clauses())


def _lemmas(steps: ProofSteps) -> Iterator[list[int]]:
    """The lemmas, and the empty clause at the end."""
    return chain((literals for is_deletion, literals in steps.steps() if not is_deletion), [[]])


def _pbp(formula: Formula, steps: ProofSteps) -> Iterator[str]:
    yield f"pseudo-Boolean proof version 3.0\nf {len(formula)} ;\n"
    for lemma in _lemmas(steps):
        terms = (f"1 {'~' * (literal < 0)}x{abs(literal)} " for literal in lemma)
        yield f"rup {''.join(terms)}>= 1 ;\n"
    yield "output NONE ;\nconclusion UNSAT : -1 ;\nend pseudo-Boolean proof ;\n"


def _lrat(formula: Formula, steps: ProofSteps) -> Iterator[str]:
    clauses = _Clauses()
    for clause in formula.clauses():
        clauses.append(clause)
    for step in _lemmas(steps):
        lemma = [] if clauses.conflict else step
        hints = clauses.hints(lemma)
        yield f"{clauses.append(lemma)} {' '.join(map(str, [*lemma, 0, *hints, 0]))}\n"
        if not lemma:
            return


class _Clauses:
    """Numbered clauses, what follows from them by unit propagation, and from which of them.

    The first two literals of a clause are watched, as in `kernel`.
    """

    def __init__(self) -> None:
        self._clauses: list[list[int]] = [[]]  # their numbers begin with 1
        self._watching: defaultdict[int, list[int]] = defaultdict(list)
        self._reasons: dict[int, int] = {}
        """For each true literal, in the order of the trail, its clause; 0 for an assumption."""
        self.conflict = 0
        """The number of a clause that the others make false; 0 for none."""

    def append(self, literals: Sequence[int]) -> int:
        """Add a clause, with all that follows from it, and return its number."""
        number, reasons = len(self._clauses), self._reasons
        clause = sorted(dict.fromkeys(literals), key=lambda literal: -literal in reasons)
        self._clauses.append(clause)
        for literal in clause[:2]:
            self._watching[literal].append(number)
        if not self.conflict and all(-literal in reasons for literal in clause[1:]):
            self.conflict = self._propagate([(clause[0], number)]) if clause else number
        return number

    def hints(self, lemma: Sequence[int]) -> list[int]:
        """The clauses from which a lemma follows, in the order of their use.

        With 0 among them, which is the number of no clause, the lemma does not follow.
        """
        reasons, root = self._reasons, len(self._reasons)
        conflict = self.conflict or self._propagate([(-literal, 0) for literal in lemma])
        numbers, negated = [conflict], {-literal for literal in self._clauses[conflict]}
        for literal in reversed(reasons):
            if literal in negated and -literal not in lemma:
                numbers.append(reasons[literal])
                negated.update(-other for other in self._clauses[reasons[literal]])
        while len(reasons) > root:
            reasons.popitem()
        return numbers[::-1]

    def _propagate(self, queue: list[tuple[int, int]]) -> int:
        """Make literals true for their reasons, with all that follows.

        Returns:
            A clause that becomes false, or 0.
        """
        reasons = self._reasons
        for literal, reason in queue:  # grows
            if literal in reasons:
                continue
            if -literal in reasons:
                return reason or reasons[-literal]
            reasons[literal] = reason
            for number in self._watching.pop(-literal, []):
                clause = self._clauses[number]
                if clause[0] == -literal:
                    clause[:2] = clause[1::-1]
                at = next((at for at in range(2, len(clause)) if -clause[at] not in reasons), 1)
                clause[1], clause[at] = clause[at], clause[1]
                self._watching[clause[1]].append(number)
                if at == 1:
                    queue.append((clause[0], number))
        return 0


FORMATS: Final = {
    "cnf": _cnf,
    "proof": lambda _, steps: iter([steps.text]),
    "lrat": _lrat,
    "pbp": _pbp,
}
"""What writes a file, by the name of its format: a function of a formula and the steps of a proof.

Its lines have line feeds.
"""
