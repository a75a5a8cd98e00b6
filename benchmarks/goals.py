"""The goals of docs/performance.md, each with the benchmark that measures it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Goal:
    """A bound on a measured number."""

    bound: float
    unit: str
    benchmark: str
    """The module in `benchmarks` that measures it."""
    is_least: bool = False
    """Whether the number has to be at least the bound; otherwise at most."""

    @property
    def text(self) -> str:
        """The bound with its unit: ``at most 20 us``."""
        return f"at {'least' if self.is_least else 'most'} {self.bound:g} {self.unit}"

    def judged(self, value: float) -> str:
        """The bound, and whether a measured `value` reaches it."""
        reached = value >= self.bound if self.is_least else value <= self.bound
        return f"goal: {self.text}, {'reached' if reached else 'not reached'}"


def _times_tdoku(bound: float) -> Goal:
    return Goal(bound, "times tdoku", "kernel", is_least=True)


def _of_plain_model(bound: float) -> Goal:
    return Goal(bound, "of the plain model", "formulations")


GOALS: Final = {
    "17-clue": _times_tdoku(6.5),
    "top1465": _times_tdoku(3.3),
    "hard": _times_tdoku(3.0),
    "hardest": _times_tdoku(2.7),
    "several solutions": _times_tdoku(2.5),
    "serg": _times_tdoku(3.0),
    "serg, all solutions": _times_tdoku(2.0),
    "call of native-jit": Goal(8, "us", "single_calls"),
    "trial": Goal(20, "us", "overhead"),
    "trial over bare loop": Goal(1.5, "times", "overhead"),
    "call of a program over posix_spawn": Goal(1.5, "times", "programs"),
    "replacement of a worker": Goal(5, "ms", "overhead"),
    "harness solve": Goal(0.35, "s", "start"),
    "sweep of the demo": Goal(4, "s", "start"),
    "report as text": Goal(1, "s", "start"),
    "report as page": Goal(2, "s", "start"),
    "cpsat, warm, 17-clue": _of_plain_model(0.33),
    "cnf, kept, top1465": _of_plain_model(0.02),
    "milp, 17-clue": _of_plain_model(0.4),
}
"""The goals by the names of the measured numbers in docs/performance.md."""
