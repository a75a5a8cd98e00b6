"""How a trial ended: a closed set."""

from enum import StrEnum


class Verdict(StrEnum):
    """The ways in which a trial can end."""

    SOLVED = "solved"
    """A grid that was checked against the houses and the givens."""
    UNSATISFIABLE = "unsatisfiable"
    """A claim that there is no solution, which nothing known contradicts."""
    COUNTED = "counted"
    """A number of solutions, all there are or as many as the limit asked for."""
    UNKNOWN = "unknown"
    """The backend gave up by itself."""
    TIMEOUT = "timeout"
    """Stopped at the time limit, or answered after it."""
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    """An exception, or the death of the process."""
    WRONG = "wrong"
    """An answer that is proven wrong, or breaks the contract."""
    UNSUPPORTED = "unsupported"
    """The backend says that it does not handle this shape or task."""

    @property
    def answered(self) -> bool:
        """Whether the backend gave the answer that was asked for, as far as is known right."""
        return self in _ANSWERED


_ANSWERED = frozenset({Verdict.SOLVED, Verdict.UNSATISFIABLE, Verdict.COUNTED})
