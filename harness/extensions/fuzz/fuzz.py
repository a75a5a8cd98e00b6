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
    by_puzzle,
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
from harness.runs import Observer, expand_specs, select_configurations, supervisor_of

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
    if configuration.description is None:
        return {}
    names = {name for name, _ in configuration.spec.settings}
    values = {
        option.name: other_values(option)
        for option in configuration.description.options
        if option.name not in names and option.keeps_contract
    }
    return {name: values for name, values in values.items() if values}


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


ROUND_S: Final = 20.0
"""Maximum length of a round in seconds; a short stream has about `_ROUNDS`. Options vary."""
_ROUNDS: Final = 8
_LEAST_PUZZLES: Final = 10
"""The fewest puzzles that a stream with a time limit must compare."""
_SHORTEST_S: Final = 5.0
_BLOCKS: Final = 40
"""Blocks of a round if the stream ends after a number of trials."""
_VARIED: Final = 3
"""Specs with other options of each backend in a round."""
_PROOF_S: Final = 20.0
"""Seconds for the proof of a number of solutions, in a long stream."""
_OPENING: Final = 0.1
"""If backends need more than this share of the time to start, the first round runs them as they
are, without other options."""
_PROBED: Final = 0.2
"""The largest share of the time for probing which shapes the backends support."""
_GRACE: Final = 0.1
"""The share of the time by which shrinking may exceed it."""
_MOST_REFUSED: Final = 1_000
"""Blocks in a row whose shapes no examined backend supports, after which the stream ends."""
_CONTRADICTORY: Final = (1, 1)
"""The first cells of a puzzle that probes whether a shape is supported; every solver is quick."""
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
    vary_options: bool = True
    """Whether each round adds each backend with other options."""
    skip_unavailable: bool = False


_SHOWN_BY_REPLAY: Final = (FaultKind.EXACT_AT_LIMIT, FaultKind.GAVE_UP)
"""Faults that the answers of ``harness solve`` and ``harness count`` do not show."""


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
        if not (self.case.is_single and always_shows and self.fault not in _SHOWN_BY_REPLAY):
            path = self.file
            return None if path is None else f"harness fuzz replay {shlex.quote(str(path))}"
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


_KEPT_FAILURES: Final = (Verdict.TIMEOUT, Verdict.OUT_OF_MEMORY)


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
    proof_s = _PROOF_S if request.seconds is None else min(_PROOF_S, max(1.0, request.seconds / 20))
    with Certifiers(timeout_s=proof_s) as certifiers:
        return _Fuzzing(request, observer or FuzzObserver(), certifiers).run()


class _Fuzzing:
    """One execution of `fuzz`."""

    def __init__(
        self, request: FuzzRequest, observer: FuzzObserver, certifiers: Certifiers
    ) -> None:
        self._request = request
        self._observer = observer
        least = 0 if request.seconds is None else _LEAST_PUZZLES
        self._report = FuzzReport(least_puzzles=least)
        self._pace = FuzzPace()
        self._judge = Judge(certifiers)
        self._findings: Counter[str] = Counter()
        self._seen: set[tuple[str, FaultKind, str]] = set()
        self._kept: set[_Kind] = set()
        self._rounds = 0
        self._blocks = self._supported_blocks()
        self._refused: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
        """For each backend, sets of demands of shapes that it does not support."""
        self._suspects: list[str] = []
        """The backends that are examined; the others are references without a share of the time."""
        self._began = monotonic()
        seconds = inf if request.seconds is None else request.seconds
        self._end = self._began + seconds
        """When the stream ends, on the clock of `time.monotonic`."""
        self._shrinking_end = self._end + _GRACE * seconds
        self._walks: dict[str, Iterator[BackendSpec]] = {}
        self._planned = 0

    def run(self) -> FuzzReport:
        request = self._request
        try:
            with supervisor_of(
                expand_specs(request.backends), request.jobs, self._observer, warm_up=False
            ) as supervisor:
                bases = self._select(supervisor)
                self._prepare(bases)
                if self._seconds > _OPENING * (request.seconds or inf):
                    self._round(supervisor, bases, [(base.spec, base.label) for base in bases])
            while not self._is_over(0):
                specs = self._configurations(bases)
                with supervisor_of(
                    list({spec.label: spec for spec, _ in specs}.values()),
                    request.jobs,
                    self._observer,
                    warm_up=False,
                    hash_seed=self._rounds,
                ) as supervisor:
                    self._round(supervisor, supervisor.open(refusals=True), specs)
        except KeyboardInterrupt as interruption:
            self._report.interruption = interruption
        except StreamEnded:
            pass
        self._report.seconds = self._seconds
        return self._report

    def _prepare(self, bases: Sequence[Configuration]) -> None:
        """Take note of what the backends are and support."""
        own = [base.label for base in bases if base.description and base.description.code]
        self._suspects = own or [base.label for base in bases]
        # The first puzzles on a machine compile the solver that makes them, which takes seconds.
        block_of(self._request.seed, 0, self._request.shapes, self._request.known)
        self._takes_constraints = False
        for base in bases:
            takes = base.description.takes if base.description else frozenset[Restriction]()
            self._refused[base.label] = {
                frozenset({restriction}) for restriction in EVERYTHING - takes
            }
            is_plain = takes <= {Restriction.PENCILMARKS, Restriction.PAIRS}
            self._takes_constraints |= base.label in self._suspects and not is_plain
            vary = self._request.vary_options and base.label in self._suspects
            self._walks[base.label] = walk(base, self._request.seed) if vary else iter(())

    @property
    def _seconds(self) -> float:
        return monotonic() - self._began

    def _select(self, supervisor: Supervisor) -> list[Configuration]:
        request = self._request
        configurations, self._report.unavailable = select_configurations(
            supervisor.open(),
            request.backends,
            self._observer,
            skip_unavailable=request.skip_unavailable,
        )
        self._report.backends = {c.label: FuzzedBackend() for c in configurations}
        return configurations

    def _supported_blocks(self) -> Iterator[Block]:
        """The blocks of the stream, without those of shapes that no examined backend supports."""
        request = self._request
        skips = 0
        for number in count():
            if skips > _MOST_REFUSED:
                raise StreamEnded
            skips += 1
            if not self._takes_constraints and is_constrained(number, request.shapes):
                continue
            if not self._is_refused(shape_of_block(request.seed, number, request.shapes)):
                yield block_of(request.seed, number, request.shapes, request.known)
                skips = 0

    def _is_refused(self, shape: Shape) -> bool:
        demands = _demands(shape)
        return all(
            any(demand <= demands for demand in self._refused[name]) for name in self._suspects
        )

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
        """A puzzle of each shape, which shows whether the backends support the shape."""
        question = Question(Task.SOLVE, 0, Start.WARM, self._request.timeout_s)
        end = monotonic() + _PROBED * (self._request.seconds or 0.0)
        for shape in self._request.shapes or map(Shape.parse, WEIGHTS):
            if monotonic() > end:
                return
            puzzle = Puzzle(shape, _CONTRADICTORY + (0,) * (shape.size**2 - 2))
            for spec in specs:
                yield batch_of("probe", "probe", [(0, puzzle)], question, spec)

    def _round(
        self,
        supervisor: Supervisor,
        ready: Sequence[Configuration],
        named_specs: Sequence[tuple[BackendSpec, str]],
    ) -> None:
        """Run the blocks of a round.

        Args:
            supervisor: the open backends.
            ready: their configurations.
            named_specs: the specs that get trials, each with the name of its backend.
        """
        name_of = {spec.label: name for spec, name in named_specs}
        specs = {spec.label: spec for spec, _ in named_specs}
        hash_seed, self._rounds = self._rounds, self._rounds + 1
        configurations = {c.spec.label: c for c in ready if not c.unavailable}
        usable = [specs[label] for label in configurations]
        stream = Stream(
            self._blocks_of_a_round(),
            lambda: [s for s in usable if name_of[s.label] not in self._report.stopped],
            self._pace,
            self._request.timeout_s,
            self._is_over,
            {label for label, name in name_of.items() if name not in self._suspects},
        )
        this_round = _Round(configurations, name_of, History(), hash_seed)
        if not hash_seed and self._request.trials is None:
            suspects = [s for s in usable if name_of[s.label] in self._suspects]
            for outcomes in supervisor.run(self._probes(suspects), idle=self._require_time):
                self._note_refusals(judge(outcomes), name_of)
        try:
            for outcomes in supervisor.run(stream.batches(), idle=self._require_time):
                records = judge(outcomes)
                self._pace.note(records)
                this_round.history.add(records)
                stream.add(records)
                supervisor.events.clear()
                self._count(records, specs, name_of)
                self._note_refusals(records, name_of)
                while stream.finished:
                    self._examine(*stream.finished.popleft(), this_round)
                self._require_time()
        except (KeyboardInterrupt, StreamEnded) as end:
            if isinstance(end, KeyboardInterrupt):
                self._shrinking_end = 0.0
            for block, answers in [*stream.finished, *stream.open_blocks()]:
                self._examine(block, answers, this_round)
            raise
        self._planned += stream.planned

    def _blocks_of_a_round(self) -> Iterator[Block]:
        """Blocks for the seconds of a round, or `_BLOCKS` of them if there is no time limit."""
        seconds = self._request.seconds
        if seconds is None:
            yield from islice(self._blocks, _BLOCKS)
            return
        end = monotonic() + min(ROUND_S, max(seconds / _ROUNDS, _SHORTEST_S))
        while monotonic() < end and (block := next(self._blocks, None)):
            yield block

    def _configurations(self, bases: Sequence[Configuration]) -> list[tuple[BackendSpec, str]]:
        """The specs of a round with other options, each with the name of its backend."""
        specs = []
        for base in bases:
            if base.label not in self._report.stopped:
                variants = islice(self._walks[base.label], _VARIED)
                specs += [(spec, base.label) for spec in (base.spec, *variants)]
        return specs

    def _note_refusals(self, records: Sequence[TrialRecord], name_of: Mapping[str, str]) -> None:
        for record in records:
            if record.verdict is Verdict.UNSUPPORTED:
                puzzle = record.trial.instance.puzzle
                marks = {Restriction.PENCILMARKS} if puzzle.pencilmarks is not None else set()
                self._refused[name_of[record.trial.spec]].add(_demands(puzzle.shape) | marks)

    def _count(
        self,
        records: Sequence[TrialRecord],
        specs: Mapping[str, BackendSpec],
        name_of: Mapping[str, str],
    ) -> None:
        for record in records:
            backend = self._report.backends[name_of[record.trial.spec]]
            backend.verdicts[record.verdict] += 1
            backend.configurations.add(record.trial.spec)
            if record.verdict in _KEPT_FAILURES:
                call, earlier = call_of(record), backend.unanswered.get(record.verdict)
                if earlier is None or call.shape.size < Shape.parse(earlier.shape).size:
                    backend.unanswered[record.verdict] = UnansweredCall(
                        backend=shown_spec(specs[record.trial.spec]), **asdict(saved_call(call))
                    )
        self._report.seconds = self._seconds
        self._observer.fuzzed(self._report)

    def _examine(self, block: Block, answers: Sequence[TrialRecord], this_round: "_Round") -> None:
        """Compare the answers about a block, and confirm new findings."""
        records = by_puzzle(answers)
        self._report.puzzles += len(records)
        for puzzle, of_puzzle in records.items():
            if any(
                r.verdict.answered and this_round.name_of[r.trial.spec] in self._suspects
                for r in of_puzzle
            ):
                self._report.covered.add(puzzle)
        for relation in block.relations:
            self._report.laws += records.keys() >= {relation.base, *relation.derived}
        for finding in findings_of(block, records, this_round.configurations):
            if self._is_known(finding, this_round.name_of):
                continue
            number = len(self._report.faults)
            try:
                self._observer.shrinks(finding)
                self._confirm(finding, this_round)
            except KeyboardInterrupt:
                self._shrinking_end = 0.0
                if len(self._report.faults) == number:
                    self._confirm(finding, this_round)
                raise

    def _confirm(self, finding: FuzzFinding, this_round: "_Round") -> None:
        """Keep the faults behind a finding, shrunk if there is time."""
        with Caller(self._request.timeout_s, until=self._shrinking_end) as caller:
            for fault in this_round.confirmer(caller, self._judge).confirm(finding):
                self._keep(fault, this_round.name_of[fault.configuration])

    def _is_known(self, finding: FuzzFinding, name_of: Mapping[str, str]) -> bool:
        """Whether each backend of a finding has had a similar one, or gets no further trials."""
        keys = {
            (r.trial.spec, finding.fault, r.trial.instance.puzzle.shape.spec)
            for r in finding.records
            if name_of[r.trial.spec] not in self._report.stopped
        }
        is_known = keys <= self._seen
        self._seen |= keys
        return is_known

    def _keep(self, new: ConfirmedFault, name: str) -> None:
        """Save a fault, unless another finding led to a case of the same kind."""
        report = self._report
        self._findings[name] += not new.undecided
        kind = _kind(new)
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


@dataclass(frozen=True, slots=True)
class _Round:
    """What is known about the configurations of a round, by their labels."""

    configurations: Mapping[str, Configuration]
    name_of: Mapping[str, str]
    history: History
    hash_seed: int

    def confirmer(self, caller: Caller, judge: Judge) -> Confirmer:
        """Confirms the findings of the round."""
        specs = {label: c.spec for label, c in self.configurations.items()}
        return Confirmer(Reproducer(caller, judge), judge, self.history, specs, self.hash_seed)


def _demands(shape: Shape) -> frozenset[str]:
    """What a backend must support: the shape without constraints, and what it must take."""
    plain = shape.without_constraints.definition
    return frozenset({plain, *Restriction.of_shape(shape)})


_Kind = tuple[BackendSpec, FaultKind, Task, str, bool, str]


def _kind(fault: ConfirmedFault) -> _Kind:
    """What cases of one defect have in common."""
    case = fault.case
    claim = fault.answer if fault.undecided else ""
    last = case.last
    return (case.spec, fault.fault, last.task, last.shape.spec, len(case.calls) > 1, claim)


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
