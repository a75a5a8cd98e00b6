"""The documents that `harness fuzz` prints as JSON."""

from harness.report.documents import Document


class CallData(Document):
    """A call to a backend."""

    task: str
    """`solve` or `count`."""
    limit: int | None
    """Number of solutions at which `count` stops."""
    start: str
    """`cold`, `warm` or `batch`."""
    shape: str
    """Definition of the shape."""
    puzzles: list[str]
    """The puzzle as a line; the rows of a batch."""


class UnansweredData(CallData):
    """A call that ended at a limit."""

    backend: str
    """Spec of the configuration."""


class FuzzedBackend(Document):
    """The trials of one backend in a stream of random puzzles."""

    trials: int
    """Finished trials, with all options."""
    verdicts: dict[str, int]
    """Number of trials of each verdict."""
    configurations: list[str]
    """The specs that ran, with varied options."""
    unanswered: dict[str, UnansweredData]
    """The first `timeout` and the first `out_of_memory` on the smallest shape."""


class FaultData(Document):
    """A fault with the smallest case that shows it."""

    backend: str
    """Spec of the configuration."""
    fault: str
    """`wrong answer`, `contradiction`, `broken law`, `crash`, `exact at the limit` or `gave up`."""
    law: str | None
    """The broken law, if the fault was found by one."""
    answer: str
    """The answer to the last call."""
    solutions: str
    """The number of solutions of the last puzzle."""
    evidence: str
    """The evidence for that number."""
    undecided: bool
    """Whether no evidence shows which backend is wrong."""
    calls: list[CallData]
    """The calls in their order."""
    hash_seed: int
    """The value of PYTHONHASHSEED in its process."""
    wrong: int
    """Wrong answers among the repetitions of the last call."""
    repetitions: int
    """1 for a fault that always shows."""
    needed_houses: list[str] | None
    """The houses that the fault needs; null for all, empty for no certain one."""
    repeated: bool
    """Whether the fault was repeated; false after Ctrl-C."""
    shrunk: bool
    """Whether every smaller case was tried."""
    after_trials: int
    """Finished trials when the fault was found."""
    after_s: float
    """Seconds until the fault was found."""
    file: str | None
    """The saved case; null if it could not be written."""
    failure: str
    """Why it could not be written; empty if it was."""
    command: str | None
    """The command that repeats the case."""


class Covered(Document):
    """What the puzzles of a stream had that an examined backend answered."""

    shapes: list[str]
    """Shapes, without constraints."""
    constraints: list[str]
    """Kinds of constraints."""
    hard: int
    """Puzzles that need 40 guesses or more of the internal solver."""
    guesses: int
    """The most guesses that a puzzle needs."""


class Fuzzed(Document):
    """The comparison of backends on random puzzles."""

    backends: dict[str, FuzzedBackend]
    """The backends that were compared."""
    unavailable: dict[str, str]
    """Backends left out, with the reason."""
    trials: int
    """Finished trials."""
    puzzles: int
    """Puzzles of the stream."""
    laws: int
    """Laws between puzzles that were checked."""
    seconds: float
    """Seconds in all, with those for opening backends and for shrinking."""
    covered: Covered
    """What the examined backends answered."""
    faults: list[FaultData]
    """The faults, in the order in which they were found."""
    stopped: list[str]
    """Backends without further trials because of faults."""
    without_answer: list[str]
    """Backends without a single right answer."""
    interrupted: bool
    """Whether Ctrl-C ended the stream."""


class ReplayData(Document):
    """The replay of a saved case."""

    file: str
    """The saved case."""
    backend: str
    """Spec of the configuration."""
    result: str
    """`still wrong`, `right`, `undecided`, `no answer` or `not available`."""
    answer: str
    """The answer to the last call, or why there is none."""
    wrong: int
    """Wrong answers among the repetitions."""
    repetitions: int
    """Repetitions of the last call; 0 without an answer."""


class Replays(Document):
    """Replays of saved cases."""

    replays: list[ReplayData]
    """The replays in their order."""
    right: bool
    """Whether all answers are right."""
