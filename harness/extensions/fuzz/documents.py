"""The document that `harness fuzz` prints as JSON."""

from harness.extensions.fuzz.fuzz import Coverage, SavedFault
from harness.extensions.fuzz.saved import SavedCall
from harness.report import Document


class UnansweredCall(SavedCall, frozen=True, kw_only=True):
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
    unanswered: dict[str, UnansweredCall]
    """The first `timeout` and the first `out_of_memory` on the smallest shape."""


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
    covered: Coverage
    """What the examined backends answered."""
    faults: list[SavedFault]
    """The faults, in the order in which they were found."""
    stopped: list[str]
    """Backends without further trials because of faults."""
    without_answer: list[str]
    """Backends without a single right answer."""
    interrupted: bool
    """Whether Ctrl-C ended the stream."""
