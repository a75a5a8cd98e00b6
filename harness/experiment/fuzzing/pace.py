"""Pace: how many puzzles of a block a configuration gets, from the times of its trials."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search.prng import Prng
from harness.records.question import Question, Start
from harness.records.trial import TrialRecord

_FIRST: Final = 1
"""Puzzles of a block for a configuration whose speed is not known yet."""
_GROWTH: Final = 4
"""Puzzles for each similar trial so far: the time of few trials may mislead."""
_NO_LIMIT: Final = 2**31
"""Limits from here on are for shapes with few solutions, and cost as much as 1,000."""
_BITS_OF_NO_LIMIT: Final = 10
_PARTS: Final = 1_000


class _Kind(NamedTuple):
    """Trials that take about as long."""

    spec: str
    """The spec of the configuration, or its backend with any options."""
    shape: str
    bits: int
    """The bits of the limit of a count; 0 for solve."""
    start: Start | None
    """None for any start."""


class Pace:
    """The mean times of kinds of trials."""

    def __init__(self) -> None:
        self._seconds: defaultdict[_Kind, float] = defaultdict(float)
        self._trials: Counter[_Kind] = Counter()

    def note(self, records: Iterable[TrialRecord]) -> None:
        """Take note of finished trials."""
        for record in records:
            trial = record.trial
            wall_s = record.outcome.wall_s
            if wall_s is None:
                wall_s = trial.question.timeout_s
            for kind in {*_kinds(trial.spec, trial.instance.puzzle, trial.question)}:
                self._seconds[kind] += wall_s
                self._trials[kind] += 1

    def puzzles(
        self, spec: str, puzzle: Puzzle, question: Question, share_s: float, random: Prng
    ) -> int:
        """The number of puzzles for a question: those that take `share_s` seconds.

        A question that takes longer comes as much less often.

        Args:
            spec: the spec of the configuration.
            puzzle: a puzzle of the shape.
            question: the question.
            share_s: the seconds for it.
            random: decides whether a question that takes longer comes.
        """
        kinds = list(_kinds(spec, puzzle, question))
        # A count takes about as long for each solution: what lower limits took is an estimate.
        for fewer in range(kinds[0].bits + 1):
            for kind in (kind._replace(bits=kind.bits - fewer) for kind in kinds):
                if self._trials[kind]:
                    mean = max(self._seconds[kind] / self._trials[kind], 1e-6) * 2**fewer
                    if mean > share_s:
                        return int(random.below(_PARTS) < _PARTS * share_s / mean)
                    return min(int(share_s / mean), _GROWTH * self._trials[kind])
        return _FIRST


def _kinds(spec: str, puzzle: Puzzle, question: Question) -> Iterator[_Kind]:
    """The kinds of a trial, the narrowest first.

    A spec with other options, which is new in a round, takes about as long as its backend.
    """
    limit = question.limit
    bits = limit.bit_length() if limit < _NO_LIMIT else _BITS_OF_NO_LIMIT
    shape, backend = puzzle.shape.spec, spec.partition("[")[0]
    yield _Kind(spec, shape, bits, question.start)
    yield _Kind(spec, shape, bits, None)
    yield _Kind(backend, shape, bits, None)
