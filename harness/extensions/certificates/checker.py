"""Checks a proof forward: every lemma, in order, against the formula and the lemmas before it.

Backward checking examines only the lemmas that the empty clause needs. Forward checking examines
all up to the empty clause, so it also refuses a proof with a wrong lemma that nothing needs.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from harness.extensions.certificates import kernel
from harness.extensions.certificates.certificate import ProofSteps
from harness.extensions.certificates.formula import Formula
from harness.puzzles.search import COMPILES

_SLICE: Final = 20_000_000
"""Work of a call of the kernel, a tenth of a second; an interrupt ends the check between calls."""
_SLICE_WITHOUT_NUMBA: Final = 200_000


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The verdict of a checker on a proof."""

    accepted: bool
    """Whether the proof shows that the formula has no model."""
    failed_step: int | None = None
    """The number of the first step that is wrong, from 0; None if no step is wrong."""
    reason: str = ""
    """Why the proof is refused; empty if it is accepted."""
    steps: int = 0
    """The number of steps that were examined."""
    work: int = field(default=0, compare=False)
    """The work of the check, see `kernel.Memory.work`; 0 if unknown."""


def check_proof(formula: Formula, steps: ProofSteps) -> CheckResult:
    """Whether `steps` are a proof that `formula` has no model; see `kernel.check`.

    RUP is the only rule. A lemma that is RAT but not RUP, which keeps a formula satisfiable
    without following from it, is refused.
    """
    memory = _memory(formula, steps)
    units = kernel.as_integers(kernel.encoded(formula.units))
    clauses = len(formula.starts) - 1
    is_deletion = kernel.as_integers(steps.is_deletion)
    progress = kernel.zeros(kernel.PROGRESS)
    budget = _SLICE if COMPILES else _SLICE_WITHOUT_NUMBA
    state = kernel.PAUSED
    while state == kernel.PAUSED:
        state = kernel.check(units, clauses, is_deletion, budget, progress, memory)
    steps_done, work = int(progress[kernel.STEP]), int(memory.work[0])
    if state == kernel.ACCEPTED:
        return CheckResult(True, steps=steps_done, work=work)
    if state == kernel.INCOMPLETE:
        return CheckResult(False, reason=INCOMPLETE, steps=steps_done, work=work)
    return CheckResult(False, steps_done, NOT_RUP, steps_done, work)


INCOMPLETE: Final = "the proof does not reach the empty clause"
NOT_RUP: Final = "does not follow by unit propagation (RUP, the only rule here: RAT is refused)"


def _memory(formula: Formula, steps: ProofSteps) -> kernel.Memory:
    literals = np.concatenate([formula.literals, steps.literals])
    starts = np.concatenate([formula.starts, formula.starts[-1] + steps.starts[1:]])
    number = len(starts) - 1
    codes = 2 * formula.variables + 2
    first, implications = formula.binaries.implications
    has_deletions = bool(steps.is_deletion.any())
    buckets = 1 << max(1, number.bit_length()) if has_deletions else 1
    integers = kernel.as_integers
    return kernel.Memory(
        values=integers(np.zeros(codes, np.int8)),
        trail=integers(np.zeros(formula.variables, np.int32)),
        first=integers(first),
        implied=integers(implications),
        first_watch=integers(np.full(codes, -1, np.int32)),
        next_watch=integers(np.full(2 * number, -1, np.int32)),
        buckets=integers(np.full(buckets, -1, np.int32)),
        next_clause=integers(np.full(number if has_deletions else 0, -1, np.int32)),
        marks=integers(np.full(codes, -1, np.int32)),
        literals=integers(kernel.encoded(literals)),
        starts=integers(starts[:-1]),
        ends=integers(starts[1:]),
        is_live=integers(np.zeros(number, np.int8)),
        work=kernel.zeros(1),
    )
