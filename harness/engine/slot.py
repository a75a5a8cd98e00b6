"""One of the places where trials run: what is at work there, and what waits."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from harness.engine.processes import WorkerProcess
from harness.engine.wire.channel import ChannelBroken
from harness.engine.wire.journal import outcomes_in, serials_in
from harness.records.outcome import Outcome
from harness.records.question import Start
from harness.records.trial import Batch, EndedTrials, Trial


@dataclass
class Slot:
    """A core with its workers, one for each backend, of which one at most is at work."""

    core: int | None
    workers: dict[str, WorkerProcess] = field(default_factory=dict)
    at_work: WorkerProcess | None = None
    batch: Batch | None = None
    """What it works on, or worked on last."""
    waiting: deque[tuple[int, Trial]] = field(default_factory=deque)
    """Trials that have not ended, each with its serial, in their order."""
    ordered: Outcome | None = None
    """What the trial at hand comes to when its worker was ordered to end."""
    heard: float = 0.0
    """When the worker was last heard, on the clock of `time.monotonic`."""
    looked: float = 0.0
    """When its journal was last read, on the same clock."""
    alone: bool = False
    """Whether the trials that wait are run one at a time, to find the one at fault."""
    _told: bytes = b""
    _told_of: deque[tuple[int, Trial]] = field(default_factory=deque)

    def give(self, batch: Batch, serials: Sequence[int]) -> None:
        """Have the trials of `batch` wait, with these serials."""
        self.batch, self.alone = batch, False
        self.waiting = deque(zip(serials, batch.trials, strict=True))

    def next_up(self) -> Iterator[tuple[int, Trial]]:
        """The trials that a worker is given now."""
        return islice(self.waiting, 1 if self.alone else None)

    def take(self, serial: int | None) -> Trial | None:
        """The trial with this serial, which waits no more; None if it does not wait."""
        return _take(self.waiting, serial)

    @property
    def as_one(self) -> bool:
        """Whether the trials that wait are one call, so that all of them end alike."""
        return self.batch is not None and self.batch.question.start is Start.BATCH

    def take_culprits(self, serial: int | None) -> list[Trial]:
        """The trial with this serial or, where that is None, the first that waits.

        All that wait, where they are one call.
        """
        if self.as_one:
            culprits, self.waiting = [trial for _, trial in self.waiting], deque()
            return culprits
        trial = self.take(self.waiting[0][0] if serial is None else serial)
        return [trial] if trial else []

    def ended(self, told: bytes) -> EndedTrials:
        """The trials that a journal tells of, which wait no more."""
        return _ended(self.waiting, told)

    def finish(self, told: bytes) -> EndedTrials:
        """The worker is done with what it was given; the trials that are given right away.

        Those of a batch are read when the next one is at work, so as not to keep
        the worker waiting.

        Raises:
            ChannelBroken: it has not told of all that it was given.
        """
        if serials_in(told) != [serial for serial, _ in self.next_up()]:
            raise ChannelBroken("a worker that is done without all of its trials")
        self.at_work = None
        if self.alone:
            return self.ended(told)
        self._told, self._told_of, self.waiting = told, self.waiting, deque()
        return []

    def read_what_was_told(self) -> EndedTrials:
        """The trials of the batch that is done, as far as they have not been given."""
        told, self._told = self._told, b""
        return _ended(self._told_of, told)


def _ended(waiting: deque[tuple[int, Trial]], told: bytes) -> EndedTrials:
    taken = ((_take(waiting, serial), outcome) for serial, outcome in outcomes_in(told))
    return [(trial, outcome) for trial, outcome in taken if trial]


def _take(waiting: deque[tuple[int, Trial]], serial: int | None) -> Trial | None:
    for at, (number, trial) in enumerate(waiting):
        if number == serial:
            del waiting[at]
            return trial
    return None
