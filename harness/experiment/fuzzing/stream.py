"""The stream of trials: blocks for all configurations, lazily, and the finished blocks."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.contract.spec import BackendSpec
from harness.experiment.fuzzing.blocks import Block
from harness.experiment.fuzzing.pace import Pace
from harness.puzzles.catalogue import Instance
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search.prng import Prng
from harness.records.question import Question, Start
from harness.records.trial import Batch, Trial, TrialRecord

_BLOCK_S: Final = 1.0
_SHARE_S: Final = 0.05
"""Seconds for all configurations on each question of a block, and at least for each of them. Slow
ones answer fewer puzzles."""


@dataclass
class _Open:
    """A block whose trials have not all ended."""

    block: Block
    waiting: int = 0
    is_planned: bool = False
    records: list[TrialRecord] = field(default_factory=list)


class Stream:
    """The trials of blocks, and the blocks whose trials have ended.

    Args:
        blocks: the blocks, lazily.
        specs: the configurations; the label of a trial is that of its spec.
        pace: decides how many puzzles a configuration gets.
        timeout_s: limit of wall time of each trial, in seconds.
        is_over: whether no further batch shall begin, given the number of planned trials.
    """

    def __init__(
        self,
        blocks: Iterator[Block],
        specs: Callable[[], Sequence[BackendSpec]],
        pace: Pace,
        timeout_s: float,
        is_over: Callable[[int], bool],
    ) -> None:
        self._blocks = blocks
        self._specs = specs
        self._pace = pace
        self._timeout_s = timeout_s
        self._is_over = is_over
        self._open: dict[str, _Open] = {}
        self.planned = 0
        """Trials of the batches so far."""
        self.finished: deque[tuple[Block, list[TrialRecord]]] = deque()
        """Blocks whose trials have ended, for the caller to take from the left."""

    def batches(self) -> Iterator[Batch]:
        """The batches of one block after the other, until it is over."""
        for block in self._blocks:
            name = f"block {block.number}"
            opened = self._open[name] = _Open(block)
            for batch in self._batches_of(block, name):
                if self._is_over(self.planned):
                    break
                self.planned += len(batch.trials)
                opened.waiting += len(batch.trials)
                yield batch
            opened.is_planned = True
            self._close_if_done(name)
            if self._is_over(self.planned):
                return

    def add(self, records: Iterable[TrialRecord]) -> None:
        """Take note of finished trials."""
        for record in records:
            name = record.trial.dataset
            opened = self._open[name]
            opened.records.append(record)
            opened.waiting -= 1
            self._close_if_done(name)

    def unfinished(self) -> Iterator[tuple[Block, Sequence[TrialRecord]]]:
        """The blocks whose trials have not all ended, with those that have."""
        for opened in self._open.values():
            yield opened.block, opened.records

    def _close_if_done(self, name: str) -> None:
        opened = self._open.get(name)
        if opened and opened.is_planned and not opened.waiting:
            del self._open[name]
            self.finished.append((opened.block, opened.records))

    def _batches_of(self, block: Block, name: str) -> Iterator[Batch]:
        """Each question for each configuration, in random order."""
        random = Prng("fuzz turns", block.number)
        specs = list(self._specs())
        share_s = max(_SHARE_S, _BLOCK_S / max(1, len(specs)))
        for turn, query in enumerate(block.queries):
            question = Question.of(query.task, query.limit, block.start, self._timeout_s)
            random.shuffle(specs)
            for spec in specs:
                number = self._pace.puzzles(spec.label, block.puzzles[0], question, share_s, random)
                puzzles = list(enumerate(block.puzzles))[:number]
                if query.is_backwards:
                    puzzles.reverse()
                batch = _batch(f"{name}, question {turn}", name, puzzles, question, spec)
                if batch.trials:
                    yield batch


def _batch(
    call: str,
    name: str,
    puzzles: Sequence[tuple[int, Puzzle]],
    question: Question,
    spec: BackendSpec,
) -> Batch:
    """Numbered puzzles for a configuration; with the start `batch` all in one call."""
    is_batch = question.start is Start.BATCH
    together = f"{call} {spec.label}" if is_batch else None
    trials = [
        Trial(
            *(spec.label, name, Instance(f"puzzle {index}", puzzle), question, 1),
            spec.label,
            together,
        )
        for index, puzzle in puzzles
        if not is_batch or puzzle.pencilmarks is None
    ]
    return Batch(spec.label, question, trials)
