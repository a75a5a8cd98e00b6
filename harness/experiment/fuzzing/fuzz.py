"""Fuzzing for some seconds or trials: the stream in rounds, and its faults."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Final

from harness.contract.spec import BackendSpec
from harness.experiment.certification import Certifiers
from harness.experiment.fuzzing.blocks import Block, block_of
from harness.experiment.fuzzing.calls import Caller
from harness.experiment.fuzzing.confirmation import (
    ConfirmedFault,
    Confirmer,
    interval_text,
)
from harness.experiment.fuzzing.findings import Fault, Finding, by_puzzle, findings_of
from harness.experiment.fuzzing.history import History
from harness.experiment.fuzzing.judgement import Judge
from harness.experiment.fuzzing.option_space import walk
from harness.experiment.fuzzing.pace import Pace
from harness.experiment.fuzzing.reproduction import Reproducer
from harness.experiment.fuzzing.saved import FORMAT, SavedCase, save, saved_calls, shown_spec
from harness.experiment.fuzzing.stopwatch import Stopwatch
from harness.experiment.fuzzing.stream import Stream
from harness.experiment.observer import Observer
from harness.experiment.run import supervisor_of
from harness.experiment.selection import expand_specs, selected
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.configuration import Configuration
from harness.records.environment import harness_version
from harness.records.judge import judge
from harness.records.trial import TrialRecord
from harness.records.verdict import Verdict

ROUND_S: Final = 20.0
"""Seconds of a round, if there is time for `_ROUNDS` of them; each round has other options."""
_ROUNDS: Final = 8
_SHORTEST_S: Final = 2.0
_BLOCKS: Final = 40
"""Blocks of a round if the stream has a number of trials."""
_VARIED: Final = 3
"""Specs with other options of each backend in a round."""
DEFAULT_TIMEOUT_S: Final = 3.0
"""Seconds of wall time for each trial; a slow answer is worth less than many quick ones."""
_PROOF_S: Final = 20.0
"""Seconds for the proof of a number of solutions."""
MOST_FAULTS: Final = 3
"""Different faults of a backend after which it gets no further trials; twice as many findings
have the same effect."""


@dataclass(frozen=True, slots=True)
class FuzzRequest:
    """What to fuzz and for how long."""

    backends: tuple[str, ...]
    """Specs, as `harness.experiment.sweep.Sweep` has them."""
    seconds: float | None
    """Seconds of the stream; None for a number of trials."""
    trials: int | None
    """Trials of the stream; None for a number of seconds."""
    folder: Path
    """The folder for the cases of faults."""
    seed: int = 0
    shapes: tuple[Shape, ...] = ()
    """The shapes of the stream; empty for the usual ones."""
    timeout_s: float = DEFAULT_TIMEOUT_S
    jobs: int = 1
    known: Mapping[Shape, Sequence[Puzzle]] = field(default_factory=dict)
    """Puzzles to mutate, by shape."""
    vary_options: bool = True
    """Whether each round adds each backend with other options."""
    skip_unavailable: bool = False


@dataclass(frozen=True, slots=True)
class SavedFault:
    """A fault with its file."""

    confirmed: ConfirmedFault
    backend: str
    """The label of the backend, without the options of the stream."""
    path: Path
    after_trials: int
    """Trials of the stream that had ended when the fault was found."""
    after_s: float
    """Seconds of the stream until then."""


@dataclass
class FuzzReport:
    """What a stream has run and found; filled while it runs."""

    backends: tuple[str, ...] = ()
    unavailable: dict[str, str] = field(default_factory=dict)
    trials: defaultdict[str, Counter[Verdict]] = field(default_factory=lambda: defaultdict(Counter))
    """Verdicts of the trials of each backend, with all its options."""
    configurations: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The specs that have run, of each backend."""
    puzzles: int = 0
    blocks: int = 0
    laws: int = 0
    """Laws that were checked."""
    seconds: float = 0.0
    """Seconds of the stream with the start of its processes, without those for shrinking."""
    faults: list[SavedFault] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    """Backends that got no further trials after `MOST_FAULTS` faults."""
    interruption: KeyboardInterrupt | None = None

    @property
    def number_of_trials(self) -> int:
        """Trials that have ended."""
        return sum(verdicts.total() for verdicts in self.trials.values())


class FuzzObserver(Observer):
    """Receives the progress of fuzzing; override the methods of interest."""

    def fuzzed(self, report: FuzzReport) -> None:
        """Trials have ended."""

    def shrinks(self, finding: Finding) -> None:
        """A finding is about to be confirmed, which takes a while."""

    def found(self, fault: SavedFault) -> None:
        """A fault was found."""


def fuzz(request: FuzzRequest, observer: FuzzObserver | None = None) -> FuzzReport:
    """Run the stream; save each fault when it is found.

    A KeyboardInterrupt ends the stream; the report has what was found before.

    Args:
        request: what to run.
        observer: receives the progress.

    Raises:
        InputError: a backend cannot be used; nothing has run.
        HarnessError: a case cannot be written; the others are intact.
    """
    with Certifiers(timeout_s=_PROOF_S) as certifiers:
        return _Fuzzing(request, observer or FuzzObserver(), certifiers).run()


class _Fuzzing:
    """One execution of `fuzz`."""

    def __init__(
        self, request: FuzzRequest, observer: FuzzObserver, certifiers: Certifiers
    ) -> None:
        self._request = request
        self._observer = observer
        self._report = FuzzReport()
        self._pace = Pace()
        self._judge = Judge(certifiers)
        self._findings: Counter[str] = Counter()
        self._seen: set[tuple[str, Fault, Shape]] = set()
        self._cases: set[object] = set()
        self._blocks = map(self._block, count())
        self._stopwatch = Stopwatch()
        self._walks: dict[str, Iterator[BackendSpec]] = {}
        self._planned = 0

    def run(self) -> FuzzReport:
        bases = self._selected()
        self._stopwatch = Stopwatch()
        for base in bases:
            vary = self._request.vary_options
            self._walks[base.label] = walk(base, self._request.seed) if vary else iter(())
        try:
            while not self._is_over(0):
                self._round(bases)
        except KeyboardInterrupt as interruption:
            self._report.interruption = interruption
        self._report.seconds = self._stopwatch.seconds
        return self._report

    def _selected(self) -> list[Configuration]:
        request = self._request
        specs = expand_specs(request.backends)
        with supervisor_of(specs, 1, self._observer) as supervisor:
            used, self._report.unavailable = selected(
                supervisor.open(),
                request.backends,
                self._observer,
                skip_unavailable=request.skip_unavailable,
            )
        self._report.backends = tuple(c.label for c in used)
        return used

    def _block(self, number: int) -> Block:
        request = self._request
        return block_of(request.seed, number, request.shapes, request.known)

    def _is_over(self, planned: int) -> bool:
        """Whether the stream has had its time or its trials, or no backend is left."""
        request, report = self._request, self._report
        if report.backends and len(report.stopped) == len(report.backends):
            return True
        if request.trials is not None:
            return self._planned + planned >= request.trials
        return self._stopwatch.seconds >= (request.seconds or 0.0)

    def _round(self, bases: Sequence[Configuration]) -> None:
        """Run blocks for some seconds, with the default options and with others."""
        chosen = self._configurations(bases)
        name_of = {spec.label: name for spec, name in chosen}
        specs = {spec.label: spec for spec, _ in chosen}
        opened = supervisor_of(
            list(specs.values()), self._request.jobs, self._observer, warm_up=False
        )
        with opened as supervisor:
            configurations = {
                c.spec.label: c for c in supervisor.open(refusals=True) if not c.unavailable
            }
            left = [specs[label] for label in configurations]
            stream = Stream(
                self._blocks_of_a_round(),
                lambda: [s for s in left if name_of[s.label] not in self._report.stopped],
                self._pace,
                self._request.timeout_s,
                self._is_over,
            )
            history = History()
            for ended in supervisor.run(stream.batches()):
                records = judge(ended)
                self._pace.note(records)
                history.add(records)
                stream.add(records)
                supervisor.events.clear()
                self._count(records, name_of)
                while stream.finished:
                    with self._stopwatch.pause():
                        self._examine(*stream.finished.popleft(), configurations, history, name_of)
            self._planned += stream.planned

    def _blocks_of_a_round(self) -> Iterator[Block]:
        """Blocks for the seconds of a round; a number of them if there is no time limit."""
        seconds = self._request.seconds
        if seconds is None:
            yield from islice(self._blocks, _BLOCKS)
            return
        end = self._stopwatch.seconds + min(ROUND_S, max(seconds / _ROUNDS, _SHORTEST_S))
        while self._stopwatch.seconds < end:
            yield next(self._blocks)

    def _configurations(self, bases: Sequence[Configuration]) -> list[tuple[BackendSpec, str]]:
        """The specs of a round, each with the name of its backend."""
        chosen = []
        for base in bases:
            if base.label not in self._report.stopped:
                varied = islice(self._walks[base.label], _VARIED)
                chosen += [(spec, base.label) for spec in (base.spec, *varied)]
        return chosen

    def _count(self, records: Sequence[TrialRecord], name_of: Mapping[str, str]) -> None:
        for record in records:
            name = name_of[record.trial.spec]
            self._report.trials[name][record.verdict] += 1
            self._report.configurations[name].add(record.trial.spec)
        self._report.seconds = self._stopwatch.seconds
        self._observer.fuzzed(self._report)

    def _examine(
        self,
        block: Block,
        answers: Sequence[TrialRecord],
        configurations: Mapping[str, Configuration],
        history: History,
        name_of: Mapping[str, str],
    ) -> None:
        """Compare the answers about a block, and confirm what is new."""
        records = by_puzzle(answers)
        self._report.blocks += 1
        self._report.puzzles += len(records)
        for relation in block.relations:
            self._report.laws += records.keys() >= {relation.base, *relation.derived}
        for finding in findings_of(block, records, configurations):
            if self._is_known(finding, name_of):
                continue
            self._observer.shrinks(finding)
            specs = {label: c.spec for label, c in configurations.items()}
            with Caller(self._request.timeout_s) as caller:
                reproducer = Reproducer(caller, self._judge)
                confirmer = Confirmer(reproducer, self._judge, history, specs)
                for confirmed in confirmer.confirmed(finding):
                    self._keep(confirmed, name_of[confirmed.configuration])

    def _is_known(self, finding: Finding, name_of: Mapping[str, str]) -> bool:
        """Whether each backend of a finding has had one like it, or has had enough."""
        keys = {
            (r.trial.spec, finding.fault, r.trial.instance.puzzle.shape)
            for r in finding.records
            if name_of[r.trial.spec] not in self._report.stopped
        }
        is_known = keys <= self._seen
        self._seen |= keys
        return is_known

    def _keep(self, confirmed: ConfirmedFault, name: str) -> None:
        """Save a fault, unless another finding led to the same case."""
        report = self._report
        self._findings[name] += not confirmed.is_undecided
        if confirmed.case not in self._cases:
            self._cases.add(confirmed.case)
            path = save(_saved(confirmed, self._request.seed), self._request.folder)
            fault = SavedFault(confirmed, name, path, report.number_of_trials, report.seconds)
            report.faults.append(fault)
            self._observer.found(fault)
        distinct = sum(
            1 for f in report.faults if f.backend == name and not f.confirmed.is_undecided
        )
        is_enough = distinct >= MOST_FAULTS or self._findings[name] >= 2 * MOST_FAULTS
        if is_enough and name not in report.stopped:
            report.stopped.append(name)


def _saved(confirmed: ConfirmedFault, seed: int) -> SavedCase:
    law = f", law: {confirmed.law}" if confirmed.law else ""
    return SavedCase(
        format=FORMAT,
        backend=shown_spec(confirmed.case.spec),
        fault=confirmed.fault,
        calls=saved_calls(confirmed.case),
        answer=confirmed.answer,
        solutions=interval_text(confirmed.judgement.solutions),
        evidence=confirmed.judgement.evidence,
        wrong_of=(confirmed.wrong, confirmed.repetitions),
        found=f"seed {seed}, block {confirmed.block}{law}, harness {harness_version()}",
    )
