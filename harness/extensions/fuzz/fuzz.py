"""Fuzzing for a time or a number of trials: the stream in rounds, and its faults."""

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain, count, islice, zip_longest
from math import inf
from pathlib import Path
from time import monotonic
from typing import ClassVar, Final

from msgspec.structs import asdict

from harness.base.errors import HarnessError
from harness.base.files import require_folder
from harness.base.plugins import harness_version
from harness.contract import EVERYTHING, BackendSpec, OptionInfo, Restriction
from harness.engine import Supervisor
from harness.extensions.certificates.certify import Certifiers
from harness.extensions.fuzz import DEFAULT_TIMEOUT_S
from harness.extensions.fuzz.calls import Caller, History, Reproducer, StreamEnded, call_of
from harness.extensions.fuzz.findings import (
    Evidence,
    FaultKind,
    FuzzFinding,
    Judge,
    findings_of,
)
from harness.extensions.fuzz.puzzles import (
    HARD,
    WEIGHTS,
    guesses_of,
    is_constrained,
    shape_of_block,
)
from harness.extensions.fuzz.saved import (
    FORMAT,
    SavedCall,
    SavedCase,
    save,
    saved_call,
    shown_spec,
    spec_from,
)
from harness.extensions.fuzz.shrinking import ConfirmedFault, Confirmer
from harness.extensions.fuzz.stream import Block, FuzzPace, Stream, batch_of, block_of
from harness.puzzles import Puzzle, Shape
from harness.puzzles.search import Prng
from harness.records import Batch, Configuration, Question, Start, Task, TrialRecord, Verdict, judge
from harness.records.folder import solve_command
from harness.runs import Observer, expand_specs, select_configurations

# Specs with other values of options.


_Setting = tuple[str, str]


def walk(configuration: Configuration, seed: int) -> Iterator[BackendSpec]:
    """An endless series of specs of a backend with other option values; none if none can vary.

    First each other value alone, the first value of every option before the second ones, with a
    random pair of options after every two of these; then random pairs. Options that the spec sets
    stay as they are, and so do those that need not keep the contract.

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
    names = {name for name, _ in configuration.spec.settings}
    options = configuration.description.options if configuration.description else ()
    return {
        option.name: values
        for option in options
        if option.name not in names and option.keeps_contract and (values := other_values(option))
    }


def _in_turn(values: dict[str, Sequence[str]], random: Prng) -> Iterator[_Setting]:
    """Every setting: the first value of each option, then the second of each, and so on."""
    decks = []
    for name, choices in values.items():
        deck = [(name, value) for value in choices]
        random.shuffle(deck)
        decks.append(deck)
    rounds = zip_longest(*decks)
    return (setting for setting in chain.from_iterable(rounds) if setting is not None)


def _pair(values: dict[str, Sequence[str]], random: Prng) -> tuple[_Setting, ...]:
    """Random values of two random options, in the order of the options."""
    names = list(values)
    pair = sorted(random.sample(2, len(names)))
    return tuple((names[at], random.choice(values[names[at]])) for at in pair)


def other_values(option: OptionInfo) -> Sequence[str]:
    """Values of an option other than its default, as a spec has them.

    The other choices or the other boolean value; for a number the smallest one and some near the
    default; none for a text without choices.
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


# Fuzzing for a time or a number of trials: the stream in rounds, and its faults.


MOST_FAULTS: Final = 3
"""Different faults of a backend after which it gets no further trials; twice as many findings
have the same effect."""


@dataclass(frozen=True, slots=True)
class FuzzRequest:
    """What to fuzz and for how long."""

    backends: tuple[str, ...]
    """Specs, as `harness.runs.sweep.Sweep` has them."""
    seconds: float | None
    """Seconds for everything; None if `trials` limits the stream."""
    trials: int | None
    """Trials of the stream; None if `seconds` limits it."""
    folder: Path
    """The folder for the cases of faults."""
    seed: int = 0
    shapes: tuple[Shape, ...] = ()
    """The shapes of the stream; empty for the usual ones."""
    timeout_s: float = DEFAULT_TIMEOUT_S
    jobs: int = 1
    known: Mapping[Shape, Sequence[Puzzle]] = field(default_factory=dict)
    """Puzzles to mutate, by shape."""
    skip_unavailable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFault(ConfirmedFault):
    """A fault with the smallest case that shows it."""

    json_keys: ClassVar = (
        *("backend", "fault", "law", "answer", "solutions", "evidence", "undecided", "calls"),
        *("hash_seed", "wrong", "repetitions", "repeated", "shrunk"),
        *("after_trials", "after_s", "file", "failure", "command"),
    )

    name: str
    """The label of the backend, without the options that the stream varied."""
    file: Path | None
    """The saved case; None if it could not be written."""
    failure: str
    """Why the case could not be saved; empty if it was."""
    after_trials: int
    """Finished trials when the fault was found."""
    after_s: float
    """Seconds until the fault was found."""

    @property
    def backend(self) -> str:
        """Spec of the configuration."""
        return shown_spec(self.case.spec)

    @property
    def solutions(self) -> str:
        """The number of solutions of the last puzzle."""
        return str(self.judgement)

    @property
    def evidence(self) -> Evidence:
        """The evidence for that number."""
        return self.judgement.evidence

    @property
    def calls(self) -> list[SavedCall]:
        """The calls in their order."""
        return [*map(saved_call, self.case.calls)]

    @property
    def hash_seed(self) -> int:
        """The value of PYTHONHASHSEED in its process."""
        return self.case.hash_seed

    @property
    def command(self) -> str | None:
        """The command that repeats the case; None if the fault did not recur, or without a file."""
        if not self.wrong:
            return None
        always_shows = self.repetitions == 1 and not self.case.hash_seed
        # The answers of `harness solve` and `harness count` do not show these faults.
        is_hidden = self.fault in (FaultKind.EXACT_AT_LIMIT, FaultKind.GAVE_UP)
        if is_hidden or not (self.case.is_single and always_shows):
            return f"harness fuzz replay {shlex.quote(str(self.file))}" if self.file else None
        last = self.case.last
        return solve_command(
            last.task,
            last.puzzles[0].line,
            last.shape.definition,
            [shown_spec(self.case.spec)],
            limit=last.limit or None,
        )


class UnansweredCall(SavedCall, frozen=True, kw_only=True):
    """A call that ended at the time or memory limit."""

    backend: str
    """Spec of the configuration."""


@dataclass
class Coverage:
    """What is covered by the puzzles that an examined backend answered."""

    shapes: set[Shape] = field(default_factory=set)
    """Shapes, without their constraints."""
    constraints: set[str] = field(default_factory=set)
    """Kinds of constraints."""
    hard: int = 0
    """Puzzles for which the internal solver needs 40 guesses or more: `HARD`."""
    guesses: int = 0
    """Largest number of guesses that a puzzle needs."""

    def add(self, puzzle: Puzzle) -> None:
        """Take note of a puzzle."""
        shape, guesses = puzzle.shape, guesses_of(puzzle)
        self.shapes.add(shape.without_constraints)
        self.constraints |= {constraint.kind for constraint in shape.constraints}
        self.hard += guesses >= HARD
        self.guesses = max(self.guesses, guesses)


@dataclass
class FuzzedBackend:
    """The trials of one backend in a stream of random puzzles."""

    json_keys: ClassVar = ("trials", "verdicts", "configurations", "unanswered")

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    """Number of trials of each verdict."""
    configurations: set[str] = field(default_factory=set)
    """The specs that ran, with varied options."""
    unanswered: dict[Verdict, UnansweredCall] = field(default_factory=dict)
    """The first `timeout` and `out_of_memory`, each on the smallest shape that had one."""

    @property
    def trials(self) -> int:
        """Finished trials, with all options."""
        return self.verdicts.total()


@dataclass
class FuzzReport:
    """The comparison of backends on random puzzles; filled while it runs."""

    json_keys: ClassVar = (
        *("backends", "unavailable", "trials", "puzzles", "laws", "seconds", "covered", "faults"),
        *("stopped", "without_answer", "interrupted"),
    )

    backends: dict[str, FuzzedBackend] = field(default_factory=dict)
    """The backends that were compared."""
    unavailable: dict[str, str] = field(default_factory=dict)
    """Backends left out, with the reason."""
    puzzles: int = 0
    """Puzzles with finished trials."""
    least_puzzles: int = 0
    """The smallest number of puzzles that is evidence of agreement."""
    laws: int = 0
    """Laws between puzzles that were checked."""
    covered: Coverage = field(default_factory=Coverage)
    """What the examined backends answered."""
    seconds: float = 0.0
    """Seconds in all, including those for opening backends and for shrinking."""
    faults: list[SavedFault] = field(default_factory=list)
    """The faults, in the order in which they were found."""
    stopped: list[str] = field(default_factory=list)
    """Backends without further trials because of faults."""
    interruption: KeyboardInterrupt | None = None

    @property
    def trials(self) -> int:
        """Finished trials."""
        return sum(backend.trials for backend in self.backends.values())

    @property
    def without_answer(self) -> list[str]:
        """Backends without a single right answer."""
        return [
            name
            for name, backend in self.backends.items()
            if not any(verdict.answered for verdict in backend.verdicts)
        ]

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the stream."""
        return self.interruption is not None

    @property
    def agreed(self) -> bool:
        """Whether enough puzzles were compared, and every backend has answered without a fault."""
        is_enough = self.trials > 0 and self.puzzles >= self.least_puzzles
        return is_enough and not (self.faults or self.without_answer)


class FuzzObserver(Observer):
    """Receives the progress of fuzzing; override the methods of interest."""

    def fuzzed(self, report: FuzzReport) -> None:
        """Trials have ended."""

    def shrinks(self, finding: FuzzFinding) -> None:
        """A finding is about to be confirmed, which takes a while."""

    def found(self, fault: SavedFault) -> None:
        """A fault was found."""


def fuzz(request: FuzzRequest, observer: FuzzObserver | None = None) -> FuzzReport:
    """Run the stream; save each fault as soon as it is found.

    A KeyboardInterrupt ends the stream; the report has what was found before.

    Args:
        request: what to run.
        observer: receives the progress.

    Raises:
        InputError: a backend cannot be used, or the folder cannot be written; nothing has run.
        StorageError: the device of the folder is full or broken; nothing has run.
    """
    require_folder(request.folder)
    proof_s = min(20.0, max(1.0, (request.seconds or inf) / 20))
    with Certifiers(timeout_s=proof_s) as certifiers:
        return _Fuzzing(request, observer or FuzzObserver(), certifiers).run()


class _Fuzzing:
    """One execution of `fuzz`."""

    def __init__(
        self, request: FuzzRequest, observer: FuzzObserver, certifiers: Certifiers
    ) -> None:
        self._request = request
        self._observer = observer
        self._report = FuzzReport(least_puzzles=0 if request.seconds is None else 10)
        self._pace = FuzzPace()
        self._judge = Judge(certifiers)
        self._findings: Counter[str] = Counter()
        self._seen: set[tuple[str, FaultKind, str]] = set()
        self._kept: set[tuple[object, ...]] = set()
        """What the cases of each kept fault have in common."""
        self._blocks = self._supported_blocks()
        self._refused: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
        """For each backend, sets of demands of shapes that it does not support."""
        self._suspects: list[str] = []
        """The backends that are examined; the others are references without a share of the time."""
        self._began = monotonic()
        seconds = inf if request.seconds is None else request.seconds
        self._end = self._began + seconds
        """When the stream ends, on the clock of `time.monotonic`."""
        self._shrinking_end = self._end + 0.1 * seconds
        self._walks: dict[str, Iterator[BackendSpec]] = {}
        self._planned = 0
        # A round: its configurations and the names of their backends, by the labels of specs.
        self._configurations: dict[str, Configuration] = {}
        self._name_of: dict[str, str] = {}
        self._history = History()
        self._hash_seed = 0

    def run(self) -> FuzzReport:
        request = self._request
        try:
            with self._supervisor(expand_specs(request.backends)) as supervisor:
                bases = self._bases(supervisor)
                # If the backends start slowly, the first round runs them without other options.
                if self._seconds > 0.1 * (request.seconds or inf):
                    self._name_of = {base.spec.label: base.label for base in bases}
                    self._round(supervisor, bases)
            while not self._is_over(0):
                with self._supervisor(self._varied(bases)) as supervisor:
                    self._round(supervisor, supervisor.open(refusals=True))
        except KeyboardInterrupt as interruption:
            self._report.interruption = interruption
        except StreamEnded:
            pass
        self._report.seconds = self._seconds
        return self._report

    def _supervisor(self, specs: Sequence[BackendSpec]) -> Supervisor:
        return Supervisor(
            specs,
            jobs=self._request.jobs,
            warm_up=False,
            notice=self._observer.preparing,
            warn=self._observer.warned,
            hash_seed=self._hash_seed,
        )

    def _bases(self, supervisor: Supervisor) -> list[Configuration]:
        """The available backends, after taking note of what they are and support."""
        bases, self._report.unavailable = select_configurations(
            supervisor.open(),
            self._request.backends,
            self._observer,
            skip_unavailable=self._request.skip_unavailable,
        )
        self._report.backends = {base.label: FuzzedBackend() for base in bases}
        own = [base.label for base in bases if base.description and base.description.code]
        self._suspects = own or [base.label for base in bases]
        # The first puzzles on a machine compile the solver that makes them, which takes seconds.
        block_of(self._request.seed, 0, self._request.shapes, self._request.known)
        self._takes_constraints = False
        for base in bases:
            is_suspect = base.label in self._suspects
            takes = base.description.takes if base.description else frozenset[Restriction]()
            self._refused[base.label] = {
                frozenset({restriction}) for restriction in EVERYTHING - takes
            }
            is_plain = takes <= {Restriction.PENCILMARKS, Restriction.PAIRS}
            self._takes_constraints |= is_suspect and not is_plain
            self._walks[base.label] = walk(base, self._request.seed) if is_suspect else iter(())
        return bases

    @property
    def _seconds(self) -> float:
        return monotonic() - self._began

    def _supported_blocks(self) -> Iterator[Block]:
        """The blocks of the stream, without those of shapes that no examined backend supports."""
        request = self._request
        skips = 0
        for number in count():
            if skips > 1_000:
                raise StreamEnded
            skips += 1
            if not self._takes_constraints and is_constrained(number, request.shapes):
                continue
            demands = _demands(shape_of_block(request.seed, number, request.shapes))
            if not all(
                any(refused <= demands for refused in self._refused[name])
                for name in self._suspects
            ):
                yield block_of(request.seed, number, request.shapes, request.known)
                skips = 0

    def _is_over(self, number: int) -> bool:
        """Whether the time or the trials of the stream are used up, or no backend is left."""
        if set(self._suspects) <= set(self._report.stopped):
            return True
        trials = self._request.trials
        return monotonic() >= self._end if trials is None else self._planned + number >= trials

    def _require_time(self) -> None:
        if monotonic() >= self._end:
            raise StreamEnded

    def _probes(self, specs: Sequence[BackendSpec]) -> Iterator[Batch]:
        """A puzzle of each shape, which shows whether the backends support the shape.

        Two equal givens make it quick for every solver.
        """
        question = Question(Task.SOLVE, 0, Start.WARM, self._request.timeout_s)
        end = monotonic() + 0.2 * (self._request.seconds or 0.0)
        for shape in self._request.shapes or map(Shape.parse, WEIGHTS):
            if monotonic() > end:
                return
            puzzle = Puzzle(shape, (1, 1) + (0,) * (shape.size**2 - 2))
            for spec in specs:
                yield batch_of("probe", "probe", [(0, puzzle)], question, spec)

    def _round(self, supervisor: Supervisor, ready: Sequence[Configuration]) -> None:
        """Run the blocks of a round on these configurations, which the supervisor has opened."""
        self._configurations = {c.spec.label: c for c in ready if not c.unavailable}
        self._history = History()
        usable = [c.spec for c in self._configurations.values()]
        name_of = self._name_of
        stream = Stream(
            self._blocks_of_a_round(),
            lambda: [s for s in usable if name_of[s.label] not in self._report.stopped],
            self._pace,
            self._request.timeout_s,
            self._is_over,
            {label for label, name in name_of.items() if name not in self._suspects},
        )
        if not self._hash_seed and self._request.trials is None:
            suspects = [s for s in usable if name_of[s.label] in self._suspects]
            for outcomes in supervisor.run(self._probes(suspects), idle=self._require_time):
                self._note_refusals(judge(outcomes))
        try:
            for outcomes in supervisor.run(stream.batches(), idle=self._require_time):
                records = judge(outcomes)
                self._pace.note(records)
                self._history.add(records)
                stream.add(records)
                supervisor.events.clear()
                self._count(records)
                self._note_refusals(records)
                while stream.finished:
                    self._examine(*stream.finished.popleft())
                self._require_time()
        except (KeyboardInterrupt, StreamEnded) as end:
            if isinstance(end, KeyboardInterrupt):
                self._shrinking_end = 0.0
            for block, answers in [*stream.finished, *stream.open_blocks()]:
                self._examine(block, answers)
            raise
        self._planned += stream.planned
        self._hash_seed += 1

    def _blocks_of_a_round(self) -> Iterator[Block]:
        """Blocks for the seconds of a round, or 40 of them if there is no time limit.

        A short stream has about eight rounds.
        """
        seconds = self._request.seconds
        if seconds is None:
            yield from islice(self._blocks, 40)
            return
        end = monotonic() + min(20.0, max(seconds / 8, 5.0))
        while monotonic() < end and (block := next(self._blocks, None)):
            yield block

    def _varied(self, bases: Sequence[Configuration]) -> list[BackendSpec]:
        """The specs of the next round: each backend as it is, and with other options."""
        specs = {}
        self._name_of = {}
        for base in bases:
            if base.label not in self._report.stopped:
                for spec in (base.spec, *islice(self._walks[base.label], 3)):
                    specs[spec.label] = spec
                    self._name_of[spec.label] = base.label
        return list(specs.values())

    def _note_refusals(self, records: Sequence[TrialRecord]) -> None:
        for record in records:
            if record.verdict is Verdict.UNSUPPORTED:
                puzzle = record.trial.instance.puzzle
                marks = {Restriction.PENCILMARKS} if puzzle.pencilmarks is not None else set()
                self._refused[self._name_of[record.trial.spec]].add(_demands(puzzle.shape) | marks)

    def _count(self, records: Sequence[TrialRecord]) -> None:
        for record in records:
            backend = self._report.backends[self._name_of[record.trial.spec]]
            backend.verdicts[record.verdict] += 1
            backend.configurations.add(record.trial.spec)
            if record.verdict in (Verdict.TIMEOUT, Verdict.OUT_OF_MEMORY):
                call, earlier = call_of(record), backend.unanswered.get(record.verdict)
                if earlier is None or call.shape.size < Shape.parse(earlier.shape).size:
                    spec = shown_spec(self._configurations[record.trial.spec].spec)
                    unanswered = UnansweredCall(backend=spec, **asdict(saved_call(call)))
                    backend.unanswered[record.verdict] = unanswered
        self._report.seconds = self._seconds
        self._observer.fuzzed(self._report)

    def _examine(self, block: Block, answers: Sequence[TrialRecord]) -> None:
        """Compare the answers about a block, and confirm new findings."""
        records: defaultdict[Puzzle, list[TrialRecord]] = defaultdict(list)
        for record in answers:
            records[record.trial.instance.puzzle].append(record)
        self._report.puzzles += len(records)
        examined = {label for label, name in self._name_of.items() if name in self._suspects}
        for puzzle, of_puzzle in records.items():
            if any(r.verdict.answered and r.trial.spec in examined for r in of_puzzle):
                self._report.covered.add(puzzle)
        for relation in block.relations:
            self._report.laws += records.keys() >= {relation.base, *relation.derived}
        for finding in findings_of(block, records, self._configurations):
            if self._is_known(finding):
                continue
            number = len(self._report.faults)
            try:
                self._observer.shrinks(finding)
                self._confirm(finding)
            except KeyboardInterrupt:
                self._shrinking_end = 0.0
                if len(self._report.faults) == number:
                    self._confirm(finding)
                raise

    def _confirm(self, finding: FuzzFinding) -> None:
        """Keep the faults behind a finding, shrunk if there is time."""
        specs = {label: c.spec for label, c in self._configurations.items()}
        with Caller(self._request.timeout_s, self._shrinking_end) as caller:
            reproducer = Reproducer(caller, self._judge)
            confirmer = Confirmer(reproducer, self._history, specs, self._hash_seed)
            for fault in confirmer.confirm(finding):
                self._keep(fault, self._name_of[fault.configuration])

    def _is_known(self, finding: FuzzFinding) -> bool:
        """Whether each backend of a finding has had a similar one, or gets no further trials."""
        keys = {
            (r.trial.spec, finding.fault, r.trial.instance.puzzle.shape.spec)
            for r in finding.records
            if self._name_of[r.trial.spec] not in self._report.stopped
        }
        is_known = keys <= self._seen
        self._seen |= keys
        return is_known

    def _keep(self, new: ConfirmedFault, name: str) -> None:
        """Save a fault, unless another finding led to a case of the same kind."""
        report, case = self._report, new.case
        self._findings[name] += not new.undecided
        claim = new.answer if new.undecided else ""
        question = (case.last.task, case.last.shape.spec, len(case.calls) > 1)
        kind = (case.spec, new.fault, *question, claim)
        if kind not in self._kept:
            self._kept.add(kind)
            path, failure = None, ""
            try:
                folder = self._request.folder
                path = save(_case_to_save(new, self._request.seed, folder), folder)
            except HarnessError as error:
                failure = str(error)
            fault = SavedFault(
                **{each.name: getattr(new, each.name) for each in fields(new)},
                name=name,
                file=path,
                failure=failure,
                after_trials=report.trials,
                after_s=report.seconds,
            )
            report.faults.append(fault)
            self._observer.found(fault)
        distinct = sum(1 for f in report.faults if f.name == name and not f.undecided)
        is_enough = distinct >= MOST_FAULTS or self._findings[name] >= 2 * MOST_FAULTS
        if is_enough and name not in report.stopped:
            report.stopped.append(name)


def _demands(shape: Shape) -> frozenset[str]:
    """What a backend must support: the shape without constraints, and what it must take."""
    plain = shape.without_constraints.definition
    return frozenset({plain, *Restriction.of_shape(shape)})


def _case_to_save(fault: ConfirmedFault, seed: int, folder: Path) -> SavedCase:
    law = f", law: {fault.law}" if fault.law else ""
    return SavedCase(
        format=FORMAT,
        backend=spec_from(fault.case.spec, folder),
        fault=fault.fault,
        calls=[*map(saved_call, fault.case.calls)],
        answer=fault.answer,
        solutions=str(fault.judgement),
        evidence=fault.judgement.evidence,
        hash_seed=fault.case.hash_seed,
        wrong_of=(fault.wrong, fault.repetitions),
        found=f"seed {seed}, block {fault.block}{law}, harness {harness_version()}",
    )
