"""The documents that `harness trace` and `hint` print as JSON."""

from harness.extensions.reasoning.step import ReasoningStep
from harness.report import PuzzleDocument, QuestionDocument


class Traced(QuestionDocument):
    """The trace of a search; for a range of puzzles a list of such objects."""

    backend: str
    """Backend with its options."""
    verdict: str
    """`solved`, `unsatisfiable`, `counted`, `unknown` or `timeout`."""
    solution: str | None
    """First solution as a line."""
    count: int
    """Number of solutions found."""
    exact: bool
    """Whether `count` is the number of all solutions."""
    nodes: int
    """Boards visited."""
    guesses: int
    """Boards at which the search branched."""
    dead_ends: int
    """Boards without a solution."""
    conclusions: dict[str, int]
    """Number of conclusions of each rule."""
    steps: list[ReasoningStep]
    """The steps of the search, in their order."""
    left_out: int
    """Number of further steps, beyond `--limit`."""


class Hinted(PuzzleDocument):
    """The next step for one puzzle; for a range of puzzles a list of such objects."""

    state: str
    """`hint`, `solved`, `contradictory` or `no rule applies`."""
    rules: list[str]
    """The rules that were tried, the simplest first."""
    hints: list[ReasoningStep]
    """One hint, or with `--all` all hints of the same rule; else empty."""
