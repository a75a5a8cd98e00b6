"""Cases as files: written when a fault is found, replayed to see whether it is still there."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

import msgspec
from msgspec import Meta, Struct

from harness.base.errors import InputError, located, within
from harness.base.files import errors_named, parse_json, read_file_text, replace_file, writing
from harness.base.text import shortened
from harness.contract import BackendSpec
from harness.extensions.certificates.certify import Certifiers
from harness.extensions.fuzz.calls import Call, Caller, CallSequence, Reproducer
from harness.extensions.fuzz.findings import FaultKind, Judge
from harness.extensions.fuzz.shrinking import answer_of
from harness.puzzles import Puzzle, Shape, SolutionCount
from harness.records import Question, Start, Task, TrialRecord
from harness.runs import single_spec

# Cases as files: written when a fault is found, read to see whether it is still there.


FORMAT: Final = 1
_SUFFIX: Final = ".json"
_LARGEST: Final = 64 * 2**20
"""The largest size of a case file in bytes: thousands of calls about puzzles of 64x64."""


class SavedCall(Struct, frozen=True, forbid_unknown_fields=True):
    """A call to a backend."""

    task: Task
    """`solve` or `count`."""
    start: Start
    """`cold`, `warm` or `batch`."""
    shape: str
    """Definition of the shape."""
    puzzles: list[str]
    """The puzzle as a line; in a batch, a line for each puzzle."""
    limit: int | None = None
    """Number of solutions at which `count` stops; None for `solve`."""


class SavedCase(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A fault as it is saved in a file."""

    format: int
    backend: str
    """The spec of the configuration; a relative path starts at the folder of this file."""
    fault: FaultKind
    calls: Annotated[list[SavedCall], Meta(min_length=1)]
    answer: str
    """What the backend answered."""
    solutions: str
    """The number of solutions of the last puzzle."""
    evidence: str
    """The evidence for that number."""
    hash_seed: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 0
    """The value of PYTHONHASHSEED in its process, the seed of string hashes."""
    wrong_of: tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=1, le=10_000)]]
    """Wrong answers, and the repetitions of the last call: (1, 1) for a fault that always shows."""
    found: str
    """Where the stream had the fault: seed, block, broken law and version."""

    def __post_init__(self) -> None:
        """Check the two numbers of `wrong_of`.

        Raises:
            ValueError: there are more wrong answers than repetitions.
        """
        wrong, repetitions = self.wrong_of
        if wrong > repetitions:
            raise ValueError(f"wrong_of: {wrong} of {repetitions}")


@dataclass(frozen=True, slots=True)
class Replayable:
    """A saved case, checked."""

    path: Path
    saved: SavedCase
    case: CallSequence


def save(case: SavedCase, folder: Path) -> Path:
    """Write a case into `folder`, which is made if needed; its name follows from the case.

    Raises:
        HarnessError: the file cannot be written.
    """
    content = msgspec.json.format(msgspec.json.encode(case), indent=2) + b"\n"
    identity = [case.backend, case.hash_seed, msgspec.to_builtins(case.calls)]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:10]
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in Path(case.backend).name)
    path = folder / f"{name[:40].strip('-')}-{digest}{_SUFFIX}"
    with writing(str(path)):
        folder.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)
    return path


def saved_call(call: Call) -> SavedCall:
    """A call in the form of files and documents."""
    lines = [puzzle.line for puzzle in call.puzzles]
    return SavedCall(call.task, call.start, call.shape.definition, lines, call.limit or None)


def read_cases(path: Path) -> list[Replayable]:
    """The case in a file, or those of all files in a folder, by name.

    Raises:
        InputError: a file is missing or malformed, or the folder has no case.
    """
    if path.is_dir():
        with errors_named(str(path), InputError):
            files = sorted(file for file in path.glob(f"*{_SUFFIX}") if file.is_file())
        if not files:
            raise InputError(
                "no saved case", where=str(path), expected=f"files that end in {_SUFFIX}"
            )
        return [_read(file) for file in files]
    return [_read(path)]


def _read(path: Path) -> Replayable:
    content: Any = parse_json(read_file_text(path, _LARGEST), str(path))
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            "not a saved case of this version", where=str(path), expected=f'"format": {FORMAT}'
        )
    try:
        case = msgspec.convert(content, SavedCase)
    except ValueError as error:
        raise InputError(
            f"malformed: {error}", where=str(path), expected="a file that harness fuzz wrote"
        ) from None
    with located(lambda where: within(path, where), InputError):
        calls = tuple(map(_call, case.calls))
        spec = single_spec(case.backend, path.parent)
    return Replayable(path, case, CallSequence(spec, calls, case.hash_seed))


def spec_from(spec: BackendSpec, folder: Path) -> str:
    """The spec with its path relative to `folder`."""
    path, colon, name = _parts(spec)
    if spec.is_file and Path(path).is_absolute():
        path = Path(os.path.relpath(path, folder.resolve())).as_posix()
    return spec.spec_text(f"{path}{colon}{name}")


def shown_spec(spec: BackendSpec) -> str:
    """The spec as a user types it in the working folder."""
    path, _, _ = _parts(spec)
    here = Path.cwd()
    return spec_from(spec, here) if Path(path).is_relative_to(here) else spec.label


def _parts(spec: BackendSpec) -> tuple[str, str, str]:
    """The path or the name of a spec, and the class behind a colon."""
    return spec.locator.rpartition(":") if ".py:" in spec.locator else (spec.locator, "", "")


def _call(call: SavedCall) -> Call:
    shape = Shape.parse(call.shape)
    limit = call.limit or 0
    Question(call.task, limit, call.start, 1.0)  # checks the limit
    if call.task is Task.COUNT and limit < 1:
        raise InputError(f"a limit of {limit}", where="limit", expected="at least 1")
    if not call.puzzles or (call.start is not Start.BATCH and len(call.puzzles) > 1):
        raise InputError(f"{len(call.puzzles)} puzzles in a {call.start} call", expected="one")
    puzzles = tuple(_puzzle(line, shape) for line in call.puzzles)
    return Call(puzzles, call.task, limit, call.start)


def _puzzle(line: str, shape: Shape) -> Puzzle:
    if line.isascii() and (puzzle := Puzzle.of_line(line, shape)).line == line:
        return puzzle
    raise InputError(f"{shortened(line, 40)!r} is not a puzzle of {shape}", where="puzzles")


# Replay of saved cases: whether a fault is still there.


class Replayed(StrEnum):
    """What a replay shows, from best to worst."""

    RIGHT = "right"
    NO_ANSWER = "no answer"
    """The backend gave up, ran out of time or does not support the puzzle."""
    UNDECIDED = "undecided"
    """Nothing refutes the answer, and no evidence shows that it is right."""
    STILL_WRONG = "still wrong"
    UNAVAILABLE = "not available"


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The replay of one case on one backend."""

    json_keys: ClassVar = ("file", "backend", "result", "answer", "wrong", "repetitions")

    replayable: Replayable
    spec: BackendSpec
    result: Replayed
    """`still wrong`, `right`, `undecided`, `no answer` or `not available`."""
    answer: str
    """The last answer in words, or the reason why there is none."""
    wrong: int
    """Wrong answers among the repetitions."""
    repetitions: int
    """Repetitions of the last call; 0 if the backend is not available."""

    @property
    def file(self) -> Path:
        """The saved case."""
        return self.replayable.path

    @property
    def backend(self) -> str:
        """Spec of the configuration."""
        return shown_spec(self.spec)


def replay(
    cases: Sequence[Replayable], specs: Sequence[BackendSpec], timeout_s: float
) -> Iterator[ReplayResult]:
    """Run each case again.

    Args:
        cases: the saved cases.
        specs: the backends to run them on; empty for the backend of each case.
        timeout_s: wall time limit of each call, in seconds.
    """
    with Certifiers(timeout_s=20.0) as certifiers, Caller(timeout_s) as caller:
        reproducer = Reproducer(caller, Judge(certifiers))
        for case in cases:
            for spec in specs or [case.case.spec]:
                yield _replay_of(case, spec, reproducer)


def _replay_of(replayable: Replayable, spec: BackendSpec, reproducer: Reproducer) -> ReplayResult:
    case, caller = replace(replayable.case, spec=spec), reproducer.caller
    if reason := caller.configuration(case).unavailable:
        return ReplayResult(replayable, spec, Replayed.UNAVAILABLE, reason, 0, 0)
    _, repetitions = replayable.saved.wrong_of
    if repetitions > 1:
        wrong, repetitions = reproducer.rate(case, max(repetitions, 1_000))
        if wrong:
            return ReplayResult(replayable, spec, Replayed.STILL_WRONG, "", wrong, repetitions)
    records = caller.answers(case)
    faulty = list(reproducer.faults_among(case, records))
    if faulty:
        answer = answer_of(faulty[-1].record)
        return ReplayResult(replayable, spec, Replayed.STILL_WRONG, answer, 1, 1)
    results = [
        (_judged(record, reproducer.judge), answer_of(record))
        for record in records
        if record.trial.repetition == len(case.calls)
    ]
    result, answer = max(results, key=lambda pair: [*Replayed].index(pair[0]))
    return ReplayResult(replayable, spec, result, answer, 0, max(1, repetitions))


def _judged(record: TrialRecord, judge: Judge) -> Replayed:
    """The result for an answer that the enumeration has not refuted."""
    claim = record.claim
    if claim is None or not record.verdict.answered:
        return Replayed.NO_ANSWER
    grids = [record.solution] if record.solution else []
    count = SolutionCount(len(grids))
    if not claim.includes(count):
        count = judge.judged(record.trial.instance.puzzle, [claim], grids).solutions
    if claim.excludes(count):
        return Replayed.STILL_WRONG
    return Replayed.RIGHT if claim.includes(count) else Replayed.UNDECIDED
