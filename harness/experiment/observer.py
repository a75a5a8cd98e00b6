"""Progress of a run, for displays."""

from collections.abc import Mapping, Sequence

from harness.records.trial import Batch, TrialRecord


class Observer:
    """Receives the progress of a run; override the methods of interest."""

    def preparing(self, what: str) -> None:
        """A backend prepares this before it is ready, which takes seconds."""

    def reserved(self, cores: Sequence[int]) -> None:
        """The trials of a shard are about to run on these cores; none if no core is known."""

    def left_out(self, backend: str, reason: str) -> None:
        """A backend is unavailable, and the run continues without it."""

    def unreliable(self, what: str) -> None:
        """Times of the run will be unreliable for this reason."""

    def warned(self, backend: str, what: str) -> None:
        """Something happened to the workers of a backend that users should know.

        The run's table ``events`` has every occurrence; this is the first of its kind.
        """

    def planned(self, trials: int, done: int) -> None:
        """The plan has `trials` trials; earlier invocations finished `done` of them."""

    def planned_each(self, trials: Mapping[str, int], done: Mapping[str, int]) -> None:
        """The plan has these trials of each configuration, more than it had before.

        Earlier invocations finished `done` of them. Keys are labels.
        """

    def began(self, batch: Batch) -> None:
        """A worker is about to run this batch."""

    def finished(self, results: Sequence[TrialRecord]) -> None:
        """Trials have ended and are in the sink."""

    def extended(self, trials: int) -> None:
        """The plan has this number of further trials: repetitions of unstable results."""
