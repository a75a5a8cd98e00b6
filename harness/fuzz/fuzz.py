"""Fuzzing for some seconds or trials: the stream in rounds, and its faults."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice, zip_longest
from pathlib import Path
from time import monotonic
from typing import Final

from harness.contract.options import BackendSpec, OptionInfo
from harness.errors import HarnessError
from harness.files import require_folder
from harness.fuzz.calls import Call, Caller, History, Reproducer, call_of
from harness.fuzz.findings import FaultKind, FuzzFinding, Judge, by_puzzle, findings_of
from harness.fuzz.saved import FORMAT, SavedCase, save, saved_calls, spec_from
from harness.fuzz.shrinking import ConfirmedFault, Confirmer
from harness.fuzz.stream import Block, FuzzPace, Stream, block_of
from harness.puzzles.kernel import Prng
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.environment import harness_version
from harness.records.judge import judge
from harness.records.question import Configuration, Task, Verdict
from harness.records.trial import TrialRecord
from harness.runs.certify import Certifiers
from harness.runs.execute import Observer
from harness.runs.run import supervisor_of
from harness.runs.selection import expand_specs, selected

# Specs with other values of options.


_Setting = tuple[str, str]


def walk(configuration: Configuration, seed: int) -> Iterator[BackendSpec]:
    """Specs of a backend with other values of its options, without end; none without options.

    First each other value alone, the first value per option before the second ones, and after
    each two of them a random pair of options; then random pairs. Options that the spec sets stay
    as they are, and so do those that need not keep the contract.

    Args:
        configuration: the backend with the options that stay.
        seed: the random seed of the pairs.
    """
    random = Prng("fuzz options", seed, configuration.spec.label)
    values = _values(configuration)
    if not values:
        return
    spec = configuration.spec
    for number, setting in enumerate(_in_turn(values, random), 1):
        yield replace(spec, settings=(*spec.settings, setting))
        if number % 2 == 0 and len(values) > 1:
            yield replace(spec, settings=(*spec.settings, *_pair(values, random)))
    singles = list(_in_turn(values, random))
    while True:
        pair = _pair(values, random) if len(values) > 1 else (random.choice(singles),)
        yield replace(spec, settings=(*spec.settings, *pair))


def _values(configuration: Configuration) -> dict[str, Sequence[str]]:
    """The other values of each option that can vary."""
    if configuration.description is None:
        return {}
    fixed = {name for name, _ in configuration.spec.settings}
    found = {
        option.name: other_values(option)
        for option in configuration.description.options
        if option.name not in fixed and option.keeps_contract
    }
    return {name: values for name, values in found.items() if values}


def _in_turn(values: dict[str, Sequence[str]], random: Prng) -> Iterator[_Setting]:
    """Every setting: the first value of each option, then the second of each, and so on."""
    decks = []
    for name, of in values.items():
        deck = [(name, value) for value in of]
        random.shuffle(deck)
        decks.append(deck)
    rounds = zip_longest(*decks)
    return (setting for setting in chain.from_iterable(rounds) if setting is not None)


def _pair(values: dict[str, Sequence[str]], random: Prng) -> tuple[_Setting, ...]:
    """Random values of two random options, in the order of the options."""
    names = list(values)
    chosen = sorted(random.sample(2, len(names)))
    return tuple((names[at], random.choice(values[names[at]])) for at in chosen)


def other_values(option: OptionInfo) -> Sequence[str]:
    """Values of an option other than its default, as a spec has them.

    All choices and both boolean values; of a number the least one and some near the default;
    none of a text without choices.
    """
    default = option.default
    if isinstance(default, bool):
        return [str(not default).lower()]
    if option.choices:
        return [choice for choice in option.choices if choice != default]
    if isinstance(default, str):
        return []
    near = [default + 1, default + 2, default * 2, default + 20]
    values = [*near, *([option.minimum] if option.minimum is not None else [])]
    kind = type(default)
    return [f"{kind(value)}" for value in dict.fromkeys(values) if kind(value) != default]


# The time of a stream: of its trials alone, however long backends take to start.


class Stopwatch:
    """Runs from its creation, except while it is paused."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._paused = 0.0

    @property
    def seconds(self) -> float:
        """Seconds so far; not to be read during a pause."""
        return monotonic() - self._began - self._paused

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Leave the time of the block out."""
        began = monotonic()
        try:
            yield
        finally:
            self._paused += monotonic() - began


# Fuzzing for some seconds or trials: the stream in rounds, and its faults.


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
    """Specs, as `harness.runs.sweep.Sweep` has them."""
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
    path: Path | None
    """Its file; None if it could not be written."""
    failure: str
    """Why it could not be written; empty if it was."""
    after_trials: int
    """Trials of the stream that had ended when the fault was found."""
    after_s: float
    """Seconds of the stream until then."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question that a backend did not answer."""

    spec: BackendSpec
    call: Call


_KEPT_FAILURES: Final = (Verdict.TIMEOUT, Verdict.OUT_OF_MEMORY)


@dataclass
class FuzzReport:
    """What a stream has run and found; filled while it runs."""

    backends: tuple[str, ...] = ()
    unavailable: dict[str, str] = field(default_factory=dict)
    trials: defaultdict[str, Counter[Verdict]] = field(default_factory=lambda: defaultdict(Counter))
    """Verdicts of the trials of each backend, with all its options."""
    configurations: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The specs that have run, of each backend."""
    unanswered: dict[tuple[str, Verdict], Unanswered] = field(default_factory=dict)
    """For each backend the first timeout, and the first end at the limit of memory, among those
    on the smallest shape."""
    puzzles: int = 0
    blocks: int = 0
    laws: int = 0
    """Laws that were checked."""
    seconds: float = 0.0
    """Seconds of the stream, without those for opening backends and for shrinking."""
    faults: list[SavedFault] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    """Backends that got no further trials after `MOST_FAULTS` faults."""
    interruption: KeyboardInterrupt | None = None

    @property
    def number_of_trials(self) -> int:
        """Trials that have ended."""
        return sum(verdicts.total() for verdicts in self.trials.values())

    @property
    def without_answer(self) -> list[str]:
        """The backends without any right answer."""
        return [
            name
            for name in self.backends
            if not any(verdict.answered for verdict in self.trials.get(name, ()))
        ]

    @property
    def agreed(self) -> bool:
        """Whether every backend has answered, and none has a fault."""
        return not self.faults and self.number_of_trials > 0 and not self.without_answer


class FuzzObserver(Observer):
    """Receives the progress of fuzzing; override the methods of interest."""

    def fuzzed(self, report: FuzzReport) -> None:
        """Trials have ended."""

    def shrinks(self, finding: FuzzFinding) -> None:
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
        InputError: a backend cannot be used, or the folder cannot be written; nothing has run.
        StorageError: as `InputError`, if the device of the folder is full or broken.
    """
    require_folder(request.folder)
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
        self._pace = FuzzPace()
        self._judge = Judge(certifiers)
        self._findings: Counter[str] = Counter()
        self._seen: set[tuple[str, FaultKind, str]] = set()
        self._kept: set[_Kind] = set()
        self._rounds = 0
        self._blocks: Iterator[Block] = map(self._block, count())
        self._stopwatch = Stopwatch()
        self._walks: dict[str, Iterator[BackendSpec]] = {}
        self._planned = 0

    def run(self) -> FuzzReport:
        bases = self._selected()
        # The first puzzles of a machine compile the solver that makes them: seconds, once.
        self._blocks = chain([next(self._blocks)], self._blocks)
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
        hash_seed, self._rounds = self._rounds, self._rounds + 1
        opened = supervisor_of(
            list(specs.values()),
            self._request.jobs,
            self._observer,
            warm_up=False,
            hash_seed=hash_seed,
        )
        with opened as supervisor:
            with self._stopwatch.pause():
                ready = supervisor.open(refusals=True)
            configurations = {c.spec.label: c for c in ready if not c.unavailable}
            left = [specs[label] for label in configurations]
            stream = Stream(
                self._blocks_of_a_round(),
                lambda: [s for s in left if name_of[s.label] not in self._report.stopped],
                self._pace,
                self._request.timeout_s,
                self._is_over,
            )
            examined = _Round(configurations, name_of, History(), hash_seed)
            try:
                for ended in supervisor.run(stream.batches()):
                    records = judge(ended)
                    self._pace.note(records)
                    examined.history.add(records)
                    stream.add(records)
                    supervisor.events.clear()
                    self._count(records, specs, name_of)
                    while stream.finished:
                        with self._stopwatch.pause():
                            self._examine(*stream.finished.popleft(), examined)
            except KeyboardInterrupt:
                self._keep_unfinished(stream, examined)
                raise
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

    def _count(
        self,
        records: Sequence[TrialRecord],
        specs: Mapping[str, BackendSpec],
        name_of: Mapping[str, str],
    ) -> None:
        for record in records:
            name = name_of[record.trial.spec]
            self._report.trials[name][record.verdict] += 1
            self._report.configurations[name].add(record.trial.spec)
            if record.verdict in _KEPT_FAILURES:
                key, call = (name, record.verdict), call_of(record)
                known = self._report.unanswered.get(key)
                if known is None or call.shape.size < known.call.shape.size:
                    found = Unanswered(specs[record.trial.spec], call)
                    self._report.unanswered[key] = found
        self._report.seconds = self._stopwatch.seconds
        self._observer.fuzzed(self._report)

    def _examine(self, block: Block, answers: Sequence[TrialRecord], of: "_Round") -> None:
        """Compare the answers about a block, and confirm what is new."""
        records = by_puzzle(answers)
        self._report.blocks += 1
        self._report.puzzles += len(records)
        for relation in block.relations:
            self._report.laws += records.keys() >= {relation.base, *relation.derived}
        for finding in findings_of(block, records, of.configurations):
            if self._is_known(finding, of.name_of):
                continue
            known = len(self._report.faults)
            try:
                self._observer.shrinks(finding)
                with Caller(self._request.timeout_s) as caller:
                    for confirmed in of.confirmer(caller, self._judge).confirmed(finding):
                        self._keep(confirmed, of.name_of[confirmed.configuration])
            except KeyboardInterrupt:
                if len(self._report.faults) == known:
                    self._keep_as_found(finding, of)
                raise

    def _keep_unfinished(self, stream: Stream, of: "_Round") -> None:
        """Keep the faults in blocks whose trials have not all ended, as they are."""
        for block, answers in stream.unfinished():
            for finding in findings_of(block, by_puzzle(answers), of.configurations):
                if not self._is_known(finding, of.name_of):
                    self._keep_as_found(finding, of)

    def _keep_as_found(self, finding: FuzzFinding, of: "_Round") -> None:
        """Keep a fault that there is no time to shrink."""
        with Caller(self._request.timeout_s) as caller:
            for found in of.confirmer(caller, Judge()).as_found(finding):
                self._keep(found, of.name_of[found.configuration])

    def _is_known(self, finding: FuzzFinding, name_of: Mapping[str, str]) -> bool:
        """Whether each backend of a finding has had one like it, or has had enough."""
        keys = {
            (r.trial.spec, finding.fault, r.trial.instance.puzzle.shape.spec)
            for r in finding.records
            if name_of[r.trial.spec] not in self._report.stopped
        }
        is_known = keys <= self._seen
        self._seen |= keys
        return is_known

    def _keep(self, confirmed: ConfirmedFault, name: str) -> None:
        """Save a fault, unless another finding led to a case of the same kind."""
        report = self._report
        self._findings[name] += not confirmed.is_undecided
        kind = _kind(confirmed)
        if kind not in self._kept:
            self._kept.add(kind)
            path, failure = None, ""
            try:
                folder = self._request.folder
                path = save(_saved(confirmed, self._request.seed, folder), folder)
            except HarnessError as error:
                failure = str(error)
            fault = SavedFault(
                confirmed, name, path, failure, report.number_of_trials, report.seconds
            )
            report.faults.append(fault)
            self._observer.found(fault)
        distinct = sum(
            1 for f in report.faults if f.backend == name and not f.confirmed.is_undecided
        )
        is_enough = distinct >= MOST_FAULTS or self._findings[name] >= 2 * MOST_FAULTS
        if is_enough and name not in report.stopped:
            report.stopped.append(name)


@dataclass(frozen=True, slots=True)
class _Round:
    """What is known of the configurations of a round, by their labels."""

    configurations: Mapping[str, Configuration]
    name_of: Mapping[str, str]
    history: History
    hash_seed: int

    def confirmer(self, caller: Caller, of: Judge) -> Confirmer:
        """Confirms the findings of the round."""
        specs = {label: c.spec for label, c in self.configurations.items()}
        return Confirmer(Reproducer(caller, of), of, self.history, specs, self.hash_seed)


_Kind = tuple[BackendSpec, FaultKind, Task, str, bool, str]


def _kind(confirmed: ConfirmedFault) -> _Kind:
    """What cases of one defect have in common."""
    case = confirmed.case
    claim = confirmed.answer if confirmed.is_undecided else ""
    last = case.last
    return (case.spec, confirmed.fault, last.task, last.shape.spec, len(case.calls) > 1, claim)


def _saved(confirmed: ConfirmedFault, seed: int, folder: Path) -> SavedCase:
    law = f", law: {confirmed.law}" if confirmed.law else ""
    return SavedCase(
        format=FORMAT,
        backend=spec_from(confirmed.case.spec, folder),
        fault=confirmed.fault,
        calls=saved_calls(confirmed.case),
        answer=confirmed.answer,
        solutions=str(confirmed.judgement),
        evidence=confirmed.judgement.evidence,
        hash_seed=confirmed.case.hash_seed,
        wrong_of=(confirmed.wrong, confirmed.repetitions),
        found=f"seed {seed}, block {confirmed.block}{law}, harness {harness_version()}",
    )
