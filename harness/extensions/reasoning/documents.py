"""The documents that `harness trace`, `hint` and `datasets raters` print as JSON."""

from harness.report.documents import Document, PuzzleDocument, QuestionDocument


class RaterData(Document):
    """A list has one such object for each rater."""

    name: str
    """Name for `--by`."""
    meaning: str
    """What its number means; empty if unknown."""
    problem: str
    """Why it cannot be used, or how to install it; empty if it can."""
    others: list[str]
    """Further packages with a rater of this name, which is not used."""


class CandidateData(Document):
    """A candidate of a cell."""

    cell: str
    """Name of the cell, for example `R1C2`."""
    value: str
    """The symbol."""


class EventData(Document):
    """An event of a search. Keys that the kind of event does not have are null or empty."""

    kind: str
    """`assigned`, `eliminated`, `options`, `dead end`, `reset` or `solved`."""
    branch: str
    """Name of the node: `total` for the puzzle, `total12` after two guesses."""
    cells: list[str]
    """Cells that are assigned, branched at, without a candidate or reset."""
    value: str | None
    """Value that is assigned."""
    options: list[str]
    """Values of a cell at which the search branches, in their order."""
    number: int | None
    """Number of values that an assigned cell could have; 1 by a rule."""
    rule: str | None
    """Rule of a conclusion, or of one that ends in a dead end; otherwise null."""
    removed: list[CandidateData]
    """Candidates that a rule removes."""
    solution: str | None
    """Solution as a line."""
    words: str
    """The event in words, with the reason of a conclusion."""


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
    events: list[EventData]
    """The events, in their order."""
    left_out: int
    """Number of further events, beyond `--limit`."""


class HintData(Document):
    """A conclusion of a rule."""

    rule: str
    """Name of the rule."""
    cell: str | None
    """Cell that has a value; null if candidates are removed."""
    value: str | None
    """That value."""
    removed: list[CandidateData]
    """Candidates that are part of no solution."""
    cells: list[str]
    """Cells whose candidates make the conclusion hold."""
    words: str
    """The conclusion with its reason."""


class Hinted(PuzzleDocument):
    """The next step for one puzzle; for a range of puzzles a list of such objects."""

    state: str
    """`hint`, `solved`, `contradictory` or `no rule applies`."""
    rules: list[str]
    """The rules that were tried, the simplest first."""
    hints: list[HintData]
    """One hint, or with `--all` all hints of the same rule; else empty."""
