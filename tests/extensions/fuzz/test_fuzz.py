"""Fuzzing with real backends in real processes: what is found, shrunk, saved and replayed."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import InputError
from harness.contract.backend import Capability
from harness.contract.options import BackendSpec
from harness.contract.registry import Description
from harness.extensions.fuzz.calls import Caller, History, Reproducer
from harness.extensions.fuzz.findings import Evidence, FaultKind, FuzzFinding, Judge, fault_of
from harness.extensions.fuzz.fuzz import (
    MOST_FAULTS,
    FuzzedBackend,
    FuzzObserver,
    FuzzReport,
    FuzzRequest,
    SavedFault,
    fuzz,
)
from harness.extensions.fuzz.presentation import lines
from harness.extensions.fuzz.puzzles import HARD
from harness.extensions.fuzz.saved import Replayed, read_cases, replay
from harness.extensions.fuzz.shrinking import Confirmer
from harness.puzzles import Puzzle, Shape
from harness.puzzles.puzzle import Instance
from harness.records.question import Configuration, Question, Start, Task, Verdict
from harness.records.trial import Ending, Outcome, Trial, TrialRecord
from harness.runs.selection import single_spec

BACKENDS = Path(__file__).with_name("backends.py")
CONSTRAINTS = Path(__file__).parents[1] / "conformance" / "bad_restrictions.py"


def spec(name: str) -> str:
    return f"{BACKENDS}:{name}"


class Interrupts(FuzzObserver):
    """Ends a stream at its first fault."""

    def found(self, fault: SavedFault) -> None:
        raise KeyboardInterrupt


class InterruptsShrinking(FuzzObserver):
    """Ends a stream at its first finding."""

    def shrinks(self, finding: FuzzFinding) -> None:
        raise KeyboardInterrupt


Run = Callable[..., FuzzReport]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Fuzzes backends of this folder, or others by their specs, until the first fault."""

    def run(
        *names: str,
        trials: int | None = 3_000,
        seconds: float | None = None,
        shapes: tuple[str, ...] = (),
        observer: type[FuzzObserver] = Interrupts,
        **fields: Any,
    ) -> FuzzReport:
        specs = tuple(spec(name) if name[0].isupper() else name for name in names)
        fields = {"folder": tmp_path, "shapes": tuple(map(Shape.parse, shapes)), **fields}
        return fuzz(FuzzRequest(specs, seconds, None if seconds else trials, **fields), observer())

    return run


def test_right_backends_have_no_fault(run: Run, tmp_path: Path) -> None:
    report = run("Sound", trials=200, shapes=("4x4", "6x6"))
    assert report.faults == []
    assert report.trials >= 200
    assert report.laws > 5
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("puzzles", "agreed"), [(9, False), (10, True)])
def test_a_stream_with_few_puzzles_is_no_evidence_of_agreement(puzzles: int, agreed: bool) -> None:
    backends = {"a": FuzzedBackend(Counter({Verdict.SOLVED: 30}))}
    report = FuzzReport(backends, puzzles=puzzles, least_puzzles=10, seconds=20.0)
    assert report.agreed is agreed
    first, *_ = lines(report)
    assert first.startswith("no fault: " if agreed else "no fault, but fewer than 10 puzzles")


def test_a_backend_that_starts_slowly_has_its_time(run: Run) -> None:
    report = run("StartsSlowly", seconds=8.0, shapes=("4x4",))
    assert report.agreed


@pytest.mark.long
def test_a_lost_candidate_of_a_search_is_found(run: Run) -> None:
    (fault, *_) = run("DropsTheThirdValue", trials=4_000, observer=InterruptsShrinking).faults
    assert fault.fault is FaultKind.CONTRADICTION
    assert fault.original.shape == Shape.parse("9x9")


@pytest.mark.long
def test_the_examined_backend_has_the_time_and_the_shapes(run: Run) -> None:
    report = run("SearchOf9x9", "native", trials=1_500, observer=FuzzObserver)
    assert report.agreed
    assert report.covered.shapes == {Shape.parse("9x9")}
    assert report.covered.hard > 0
    assert report.covered.guesses >= HARD
    examined = report.backends["search-of9x9"]
    answers = examined.trials - examined.verdicts[Verdict.UNSUPPORTED]
    assert report.backends["native"].trials <= examined.trials
    assert answers > 0.8 * examined.trials


def test_a_trial_in_flight_is_ended_with_the_time(run: Run) -> None:
    report = run("NeverAnswers", seconds=1.0, shapes=("4x4",), timeout_s=50.0)
    assert report.trials == 0
    assert not any(backend.unanswered for backend in report.backends.values())


def test_a_fault_is_kept_as_it_is_when_the_time_has_ended() -> None:
    puzzle = Puzzle(Shape.parse("latin2"), (1, 2, 2, 1))
    question = Question(Task.SOLVE, 0, Start.WARM, 10.0)
    trial = Trial("crashes", "block 0", Instance("puzzle 0", puzzle), question, 1, "crashes")
    record = TrialRecord(trial, Outcome(ending=Ending.EXITED), Verdict.CRASHED)
    finding = FuzzFinding(FaultKind.CRASHED, 0, (puzzle,), (record,))
    specs = {"crashes": single_spec(spec("Crashes"))}
    with Caller(1.0, until=0.0) as caller:
        confirmer = Confirmer(Reproducer(caller, Judge()), History(), specs)
        (fault,) = confirmer.confirm(finding)
        assert caller.trials == 0
    assert not fault.repeated
    assert not fault.shrunk
    assert fault.case.last.puzzles == (puzzle,)


@pytest.mark.long
def test_a_fault_of_one_shape_shrunk_to_it(run: Run) -> None:
    fault = run("NoSolutionForLastValue").faults[0]
    assert fault.fault is FaultKind.CONTRADICTION
    assert fault.case.last.shape.size == 6
    assert fault.case.last.puzzles[0].clues <= 3
    assert fault.case.is_single
    assert fault.answer == "no solution"
    assert fault.judgement.solutions.least >= 1


@pytest.mark.long
def test_a_fault_of_every_shape_shrunk_to_a_small_one(run: Run) -> None:
    fault = run("OneTooFew").faults[0]
    assert fault.case.last.shape.size <= 4
    assert fault.case.last.task is Task.COUNT
    assert fault.judgement.evidence is Evidence.GRIDS
    assert fault.judgement.solutions.least >= 4


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("TakesOneTotalTooMany", 2),
        *(
            pytest.param(name, 0, marks=pytest.mark.long)
            for name in ("TransposesTables", "AcceptsInOneState", "IgnoresNumbersOfValues")
        ),
    ],
)
def test_few_constraints_show_a_fault(name: str, seed: int, run: Run, tmp_path: Path) -> None:
    fault = run(f"{CONSTRAINTS}:{name}", trials=8_000, seed=seed).faults[0]
    shape = fault.case.last.shape
    assert shape.size == 4
    assert 1 <= len(shape.constraints) <= 2
    assert fault.case.last.puzzles[0].clues <= 3
    (case, *_) = read_cases(tmp_path)
    assert case.case.last.shape.definition == shape.definition
    (again,) = replay([case], [], 10.0)
    assert again.result is Replayed.STILL_WRONG
    (outcome,) = replay([case], [single_spec("native")], 10.0)
    assert outcome.result is Replayed.RIGHT


@pytest.mark.long
def test_a_fault_that_needs_an_earlier_call_shrunk_to_two_calls(run: Run, tmp_path: Path) -> None:
    fault = run("AfterUnsatisfiable").faults[0]
    calls = fault.case.calls
    assert len(calls) == 2 or (len(calls) == 1 and len(calls[0].puzzles) == 2)
    assert fault.repetitions == 1
    assert calls[-1].start is not Start.COLD
    (case, *_) = read_cases(tmp_path)
    assert case.case == fault.case or len(read_cases(tmp_path)) > 1
    (again,) = replay([case], [], 10.0)
    assert again.result is Replayed.STILL_WRONG
    (outcome,) = replay([case], [single_spec(spec("Sound"))], 10.0)
    assert outcome.result is Replayed.RIGHT


@pytest.mark.long
def test_a_crash_is_a_fault(run: Run) -> None:
    fault = run("Crashes", shapes=("latin2",)).faults[0]
    assert fault.fault is FaultKind.CRASHED
    assert fault.answer == "crashed: ZeroDivisionError: no blank cell"
    assert fault.case.last.shape == Shape.parse("latin2")


@pytest.mark.long
def test_giving_up_with_an_option_is_a_fault_unless_the_backend_declares_it(run: Run) -> None:
    (fault, *_) = run("GivesUpWithOption[mode=fast]", trials=500, shapes=("4x4",)).faults
    assert fault.fault is FaultKind.GAVE_UP
    assert dict(fault.case.spec.settings) == {"mode": "fast"}
    assert not run("MayGiveUpWithOption[mode=fast]", trials=1_500, shapes=("4x4",)).faults


@pytest.mark.long
def test_the_seed_of_hashes_varies(run: Run) -> None:
    (fault, *_) = run("WrongWithHashes", trials=12_000, shapes=("4x4",)).faults
    assert fault.case.hash_seed > 0
    assert fault.repetitions == 1


@pytest.mark.long
def test_a_backend_without_answers_is_reported_with_a_puzzle(run: Run) -> None:
    report = run("NeverAnswers", trials=6, timeout_s=0.2)
    assert not report.faults
    assert report.without_answer == list(report.backends)
    assert not report.agreed
    (backend,) = report.backends.values()
    (first_call,) = backend.unanswered.values()
    assert first_call.puzzles[0]


@pytest.mark.long
def test_pencilmarks_are_shrunk_to_one_candidate(run: Run) -> None:
    case = run("MissesACandidate", trials=6_000, shapes=("9x9",)).faults[0].case
    assert case.last.shape.size <= 4
    (puzzle,) = case.last.puzzles
    number = sum(puzzle.shape.size - bin(marks).count("1") for marks in puzzle.allowed)
    assert number == 1


def test_a_fault_is_kept_if_its_file_cannot_be_written(run: Run, tmp_path: Path) -> None:
    class Occupies(Interrupts):
        def shrinks(self, finding: FuzzFinding) -> None:
            (tmp_path / "cases").write_text("")

    folder = tmp_path / "cases"
    (fault,) = run("Crashes", shapes=("latin2",), folder=folder, observer=Occupies).faults
    assert fault.file is None
    assert fault.failure == f"{folder}: is a file; expected a folder"


def test_an_interrupted_fault_is_saved_with_its_calls(run: Run, tmp_path: Path) -> None:
    report = run("AfterUnsatisfiable", shapes=("4x4",), observer=InterruptsShrinking)
    assert report.interruption is not None
    (fault,) = report.faults
    assert not fault.repeated
    assert not fault.shrunk
    assert len(fault.case.calls) > 1
    (result,) = replay(read_cases(tmp_path), (), 3.0)
    assert result.result is Replayed.STILL_WRONG


@pytest.mark.long
def test_options_are_varied_and_those_that_do_not_matter_are_left_out(run: Run) -> None:
    runs = (run("WrongWithOption", trials=1_500, shapes=("4x4", "6x6"), seed=n) for n in range(4))
    fault = next(report.faults[0] for report in runs if report.faults)
    assert dict(fault.case.spec.settings) == {"mode": "fast"}
    assert fault.answer == "exactly 1 solution"


@pytest.mark.long
def test_a_faulty_backend_gets_no_further_trials(run: Run) -> None:
    report = run("Crashes", "Sound", trials=2_500, observer=FuzzObserver)
    assert len(report.faults) <= MOST_FAULTS
    assert len(report.stopped) == 1
    faulty, sound = sorted(backend.trials for backend in report.backends.values())
    assert faulty < sound / 2


@pytest.mark.long
def test_an_interrupted_stream_reports_what_it_found(run: Run) -> None:
    report = run("Crashes", seconds=60.0, shapes=("latin2",))
    assert isinstance(report.interruption, KeyboardInterrupt)
    (fault,) = report.faults
    assert fault.file
    assert fault.file.exists()


@pytest.mark.long
def test_a_fault_by_chance_has_a_rate_and_is_replayed_often(run: Run, tmp_path: Path) -> None:
    fault = run("ByChance").faults[0]
    assert fault.repetitions == 1_000
    assert 2 <= fault.wrong <= 60
    (again, *_) = replay(read_cases(tmp_path)[:1], [], 10.0)
    assert again.result is Replayed.STILL_WRONG
    assert 0 < again.wrong < again.repetitions == 1_000


_CALL = {"task": "solve", "start": "cold", "shape": "4x4", "puzzles": ["." * 16], "limit": 0}
CASE: dict[str, object] = {
    "format": 1,
    "backend": "native",
    "fault": "wrong answer",
    "calls": [_CALL],
    "answer": "no solution",
    "solutions": "at least 1 solution",
    "evidence": "",
    "wrong_of": [1, 1],
    "found": "by hand",
}


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (CASE | {"format": 2}, "not a saved case of this version"),
        ([CASE], "not a saved case"),
        ({key: value for key, value in CASE.items() if key != "calls"}, "malformed"),
        (CASE | {"calls": []}, r"length >= 1 - at `\$.calls`"),
        (CASE | {"backend": "nativ"}, "unknown backend"),
        (CASE | {"backend": "cnf[solver=[minicard,glucose4]]"}, "2 backends"),
        (CASE | {"wrong_of": [2, 1]}, "2 of 1"),
        (CASE | {"wrong_of": [-1, 1]}, r">= 0 - at `\$.wrong_of\[0\]`"),
        (CASE | {"wrong_of": [0, 0]}, r">= 1 - at `\$.wrong_of\[1\]`"),
        (CASE | {"wrong_of": [1, 10**12]}, r"<= 10000 - at `\$.wrong_of\[1\]`"),
        (CASE | {"hash_seed": -1}, r">= 0 - at `\$.hash_seed`"),
        (CASE | {"hash_seed": 2**32}, r"<= 4294967295 - at `\$.hash_seed`"),
        *(
            (CASE | {"calls": [_CALL | change]}, message)
            for change, message in (
                ({"puzzles": []}, "0 puzzles in a cold call"),
                ({"puzzles": ["1"]}, "1 cell for 4x4"),
                ({"puzzles": ["!" * 16]}, "is not a puzzle of 4x4"),
                ({"puzzles": ["." * 16] * 2}, "one"),
                ({"shape": "5x5"}, "prime"),
                ({"task": "count"}, "limit"),
                ({"color": 1}, "malformed"),
            )
        ),
    ],
)
def test_a_malformed_case_is_an_input_error(case: object, message: str, tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text(json.dumps(case))
    with pytest.raises(InputError, match=message) as caught:
        read_cases(file)
    assert str(file) in str(caught.value)


def test_an_unwritable_folder_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Exception, match="file"):
        run("Crashes", folder=tmp_path / "file" / "folder")


@pytest.mark.long
def test_without_evidence_a_contradiction_is_undecided() -> None:
    puzzle = Puzzle(Shape.parse("25x25"), (0,) * 625)  # enumeration reaches no exact number
    question = Question(Task.COUNT, 10**10, Start.WARM, 10.0)
    records = []
    for label, number in (("one", 10**8), ("other", 2 * 10**8)):
        trial = Trial(label, "block 0", Instance("puzzle 0", puzzle), question, 1, label)
        outcome = Outcome(ending=Ending.ANSWERED, count=number, exact=True)
        records.append(TrialRecord(trial, outcome, Verdict.COUNTED))
    specs = {label: BackendSpec(label) for label in ("one", "other")}
    with Caller(1.0) as caller:
        confirmer = Confirmer(Reproducer(caller, Judge()), History(), specs)
        finding = FuzzFinding(FaultKind.CONTRADICTION, 0, (puzzle,), tuple(records))
        first, other = confirmer.confirm(finding)
    assert first.undecided
    assert other.undecided
    answers = ("exactly 100,000,000 solutions", "exactly 200,000,000 solutions")
    assert (first.answer, other.answer) == answers


def test_a_batch_that_runs_out_of_time_has_not_given_up_early(tmp_path: Path) -> None:
    puzzle = Puzzle(Shape.parse("9x9"), (0,) * 81)
    description = Description("native-jit", "", {}, Capability.COMPLETE, frozenset(), ())
    configuration = Configuration(BackendSpec("native-jit"), description, {})
    faults = []
    for start, call_s in ((Start.WARM, 2.0), (Start.BATCH, 2.0), (Start.BATCH, 0.2)):
        question = Question(Task.COUNT, 100_000, start, 3.0)
        trial = Trial("native-jit", "block 0", Instance("puzzle 0", puzzle), question, 1, call="a")
        outcome = Outcome(ending=Ending.ANSWERED, count=7, exact=False, wall_s=0.1)
        record = TrialRecord(trial, outcome, Verdict.UNKNOWN)
        faults.append(fault_of(record, configuration, {"a": call_s}))
    assert faults == [FaultKind.GAVE_UP, None, FaultKind.GAVE_UP]
