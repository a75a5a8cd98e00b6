"""The documents of ``--json``: their keys, types and meanings, each declared once.

Numbers are numbers, and what is missing is null. No document needs pandas.
"""

import json as json_
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from msgspec import Struct, to_builtins

from harness.records.environment import Activity, SystemInfo

# What all documents share.


Cell = str | int | float | bool | None
"""A value of a table; a float is finite."""
Row = dict[str, Cell]
"""A row of a table; the keys are the columns in docs/reference/measures.md."""


class Document(Struct, forbid_unknown_fields=True):
    """Base of all documents and their parts."""


class PuzzleDocument(Document):
    """The first keys of a document on one puzzle."""

    name: str
    """Name of the puzzle in its file; otherwise its id."""
    puzzle: str
    """Givens as a line, `.` for a blank."""
    puzzle_id: str
    """Digest of houses and givens."""
    shape: str
    """Name of the shape."""


class QuestionDocument(PuzzleDocument):
    """The first keys of a document on one question."""

    task: str
    """`solve` or `count`."""
    limit: int | None
    """Number of solutions at which `count` stops."""


def json(document: Any) -> str:
    """`document` as JSON in lines, with a line end.

    JSON has no NaN and no infinity; they become null. Integers of any size stay integers.
    """
    data = finite(to_builtins(document))
    return json_.dumps(data, indent=2, allow_nan=False) + "\n"


def finite(data: Any) -> Any:
    """`data`, made of objects of JSON, with None for floats that are not finite."""
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [finite(value) for value in data]
    return data


# The comparison of all answers.


class ClaimData(Document):
    """A claim on the number of solutions of a puzzle."""

    source: str
    """`answer` of backends to one question, `expected count` of a dataset, or `different solutions`
    that passed the check."""
    text: str
    """`no solution`, `exactly 3 solutions`, `at least 1 solution`, or `wrong: ` with the reason."""
    backends: list[str]
    """Labels of the backends with this answer."""
    dataset: str
    """Name of the dataset; empty for different solutions."""
    name: str
    """Name of the puzzle in it."""
    task: str
    """`solve` or `count`; empty without an answer."""
    limit: int | None
    """Number of solutions at which `count` stops."""
    start: str
    """`cold`, `warm` or `batch`; empty without an answer."""
    least: int | None
    """Least number of solutions that it allows; null for a wrong answer."""
    most: int | None
    """Greatest number; null for a wrong answer, or if none is too great."""
    contradicted: bool
    """Whether the answer is wrong, or another claim excludes this one."""


class DisagreementData(Document):
    """A puzzle with contradictory claims, or with a wrong answer."""

    dataset: str
    """Name of the first dataset that has it."""
    name: str
    """Name of the puzzle in it."""
    scramble: str
    """Seed of `--scramble` that made it of that puzzle; empty without."""
    puzzle_id: str
    """Digest of houses and givens."""
    puzzle: str
    """Givens as a line."""
    original: str
    """Puzzle of the dataset as a line, if a scramble of it was run; empty otherwise."""
    shape: str
    """Name of the shape."""
    contradiction: str
    """The ends that exclude each other; empty if an answer is wrong and no more."""
    claims: list[ClaimData]
    """All claims on it, contradicted ones first."""
    commands: list[str]
    """Shell commands that repeat the questions with a contradicted claim."""


class FailureData(Document):
    """Trials of one backend that ended without an answer for the same reason."""

    backend: str
    """Label of the configuration."""
    verdict: str
    """Their verdict."""
    reason: str
    """The reason; of a traceback the last line."""
    trials: int
    """Number of trials."""
    dataset: str
    """Dataset of the first of them."""
    name: str
    """Puzzle of the first of them."""
    puzzle_id: str
    """Identifier of that puzzle."""
    original: str
    """Puzzle of the dataset as a line, if a scramble of it was run; empty otherwise."""
    shape: str
    """Shape of that puzzle."""
    command: str
    """Shell command that repeats the first of them."""


class AgreementData(Document):
    """The comparison of all answers."""

    agreed: bool
    """Whether a puzzle was compared, and nothing below is a finding."""
    puzzles: int
    """Different puzzles of all datasets."""
    questions: int
    """Questions: a puzzle with a task and its limit."""
    compared: int
    """Puzzles with answers of two backends, or of one and an expected count."""
    not_compared: str
    """Why no puzzle was compared; empty if one was, or if there is a disagreement."""
    disagreements: list[DisagreementData]
    """The smallest puzzle first."""
    unanswered: dict[str, dict[str, int]]
    """For each backend its verdicts other than answers."""
    failures: list[FailureData]
    """The reasons for `unanswered`."""
    without_answer: list[str]
    """Backends without a single answer."""


class Checked(AgreementData):
    """The agreement of backends; `agreed` is false if trials are missing."""

    interrupted: bool
    """Whether Ctrl-C ended the check."""
    trials: int
    """Planned trials."""
    done: int
    """Finished trials; what is reported is based on them."""
    backends: list[str]
    """The backends that were compared."""
    unavailable: dict[str, str]
    """Backends left out, with the reason."""


# Answers to one puzzle.


class ReplyData(Document):
    """The answer of one backend."""

    backend: str
    """Label of the configuration."""
    verdict: str
    """Verdict on the answer."""
    solution: str | None
    """Solution as a line; for a count, one of them."""
    count: int | None
    """Number of solutions that were counted."""
    exact: bool | None
    """Whether `count` is the number of all solutions."""
    wall_s: float | None
    """Wall time of the call in seconds."""
    cpu_s: float | None
    """CPU time of the call in seconds."""
    phases: dict[str, float | None]
    """Seconds of each phase that is known."""
    stats: dict[str, int | float | None]
    """Statistics of the solver."""
    reason: str
    """Why the answer is wrong or missing; empty for a right one."""


class SolveDocument(QuestionDocument):
    """The answers to one puzzle; for a range of puzzles a list of such objects."""

    results: list[ReplyData]
    """The answer of each backend."""


# Backends and their options.


class BackendOptionData(Document):
    """An option of a backend."""

    name: str
    """Name in a spec."""
    type: str
    """`bool`, `int`, `float` or `str`."""
    default: bool | int | float | str | None
    """Default value."""
    help: str
    """Meaning."""
    choices: list[str]
    """Allowed values; empty for any."""
    minimum: int | float | None
    """Smallest allowed number; null for no limit."""
    keeps_contract: bool
    """Whether the backend keeps the contract with every value."""


class BackendData(Document):
    """A list of such objects, one for each backend."""

    name: str
    """Name for `--backend`."""
    paradigm: str | None
    """How the backend solves."""
    available: bool
    """Whether it works on this machine."""
    reason: str | None
    """Why it is unavailable."""
    remedy: str | None
    """How to make it available, if known."""
    distributions: dict[str, str | None]
    """Required packages with their installed versions."""
    environments: list[str]
    """The installed versions in environments of their own, as specs."""
    capabilities: list[str]
    """What it can do, in words."""
    options: list[BackendOptionData]
    """Options for its spec."""


# Comparisons of runs.


class TimeData(Document):
    """The time by which a backend is compared."""

    time: str
    """`wall` or `cpu`."""
    reason: str
    """Why."""


class DifferenceData(Document):
    """A condition that differs between two runs."""

    subject: str
    """What differs."""
    before: str
    """In the first run."""
    after: str
    """In the second run."""


class Compared(Document):
    """The changes between two runs."""

    before: str
    """Folder of the first run."""
    after: str
    """Folder of the second run."""
    regressed: bool
    """Whether anything is worse on an equal machine."""
    suspected: bool
    """Whether anything is worse that an unequal machine may have caused."""
    times: dict[str, TimeData]
    """For each backend the time that is compared, and why."""
    unequal: list[DifferenceData]
    """How the machine differed between the runs; empty if equal."""
    partial: list[str]
    """Why the comparison does not cover all of both runs; empty if it does."""
    changes: dict[str, int]
    """Number of each kind of change."""
    only_before: int
    """Results that only the first run has."""
    only_after: int
    """Results that only the second run has."""
    notes: list[str]
    """What a reader needs to know before any value."""
    tables: dict[str, list[Row]]
    """The rows of `status`, `limits`, `times`, `puzzles` and `environment`."""


# Puzzles of images.


class LikelyValue(Document):
    """A value that a cell of an image may have."""

    value: str
    """The symbol, `.` for a blank."""
    probability: float
    """Its probability, 0 to 1."""


class DoubtfulCell(Document):
    """A cell of an image whose value is not certain."""

    cell: str
    """Name of the cell, for example `R1C2`."""
    value: str
    """The symbol that was chosen, `.` for a blank."""
    changed: bool
    """Whether it is not the likeliest value."""
    uncertain: bool
    """Whether another value is nearly as likely, or a clear value was changed."""
    likely: list[LikelyValue]
    """The likeliest values, the likeliest first."""


class ImageRead(Document):
    """The puzzle of an image."""

    image: str
    """The file; `-` for standard input."""
    puzzle: str
    """Givens as a line, `.` for a blank."""
    puzzle_id: str
    """Digest of houses and givens."""
    shape: str
    """Name of the shape."""
    shape_is_clear: bool
    """Whether thick lines or `--shape` determine it."""
    unique: bool
    """Whether the puzzle has exactly one solution."""
    certain: bool
    """Whether it is unique, no cell is uncertain, and all likely readings were looked at."""
    reason: str
    """Why no reading has exactly one solution, or why the search ended early; else empty."""
    first_solutions: int | None
    """Solutions of the likeliest reading, 2 for two or more; null if not known."""
    questions: int
    """Number of readings whose solutions were counted."""
    letters: bool
    """Whether values from 10 are letters in the image."""
    corners: list[tuple[float, float]]
    """x and y of the corners as shares of width and height, from the upper left on."""
    probabilities: list[float]
    """The probability of the chosen value of each cell, row by row."""
    doubtful: list[DoubtfulCell]
    """Cells whose value is uncertain, has a probability below 0.95, or was changed."""
    entries: list[str]
    """Cells of a half-solved puzzle whose values are handwritten; `puzzle` has these values too."""


# The state of a machine.


class CheckData(Document):
    """A check of the machine."""

    subject: str
    """What is checked."""
    passed: bool | None
    """The outcome; null if the system does not report it."""
    found: str
    """What was found."""
    remedy: str
    """What to do; empty if nothing."""


class Diagnosis(Document):
    """The machine and its checks."""

    system: SystemInfo
    """Facts about the machine; null if unknown."""
    activity: Activity
    """What the machine did for half a second."""
    checks: list[CheckData]
    """The checks."""


class SpreadData(Document):
    """Differences between copies of one backend."""

    comparisons: int
    """Runs, or pairs of consecutive runs."""
    false: int
    """Comparisons that show a difference."""
    unequal: int
    """Comparisons that show one and attribute it to the machine."""
    resolution: float
    """Factor that 95 % of those between copies are below."""
    largest: float
    """Largest factor between copies."""


class NoiseData(Document):
    """What differences a machine can resolve, from copies of one backend."""

    backend: str
    """The backend that was copied."""
    instances: int
    """Instances in each comparison."""
    within: SpreadData
    """Between copies in one run."""
    between: SpreadData
    """Between each run and the next."""


# Puzzles and datasets.


class Problem(Document):
    """Equal givens in a house, or cells with the same only candidate."""

    house: str
    """The house, for example `row 1`."""
    value: str
    """The symbol."""
    cells: list[str]
    """Names of the cells, for example `R1C2`."""


class UnmetData(Document):
    """A constraint that no candidates of its cells fit."""

    constraint: str
    """The constraint, for example `killer 55: R1C1 R1C2`."""
    cells: list[str]
    """Names of the cells in which it fails."""
    reason: str
    """Why it fails whatever the givens; empty if givens matter."""


class Inspected(PuzzleDocument):
    """The contradictions of one puzzle; for a range of puzzles a list of such objects."""

    clues: int
    """Number of givens."""
    contradictory: bool
    """Whether a check proves that no solution exists."""
    duplicates: list[Problem]
    """Values given more than once in a house."""
    no_candidates: list[str]
    """Blank cells without a candidate."""
    conflicts: list[Problem]
    """Two blanks with the same only candidate."""
    unmet: list[UnmetData]
    """Constraints that no candidates fit."""
    candidates: dict[str, str]
    """The candidates of each blank cell."""


class DatasetData(Document):
    """A list of such objects, one for each dataset."""

    name: str
    """Name for `--dataset`."""
    title: str
    """Content in a few words."""
    puzzles: int
    """Number of different puzzles."""
    shapes: list[str]
    """Names of their shapes."""
    origin: str
    """Origin of the puzzles."""
    licence: str | None
    """Terms of use that the import gave."""
    expected_count: str
    """What is known about their numbers of solutions."""
    commands: list[str]
    """Commands that generate it; empty if none."""
    imported: bool
    """Whether you imported it."""
    source: str | None
    """Name of the imported file."""
    source_sha256: str | None
    """SHA-256 digest of the imported file."""
    problem: str
    """Why it cannot be used; empty if it can."""


class StatisticsData(Document):
    """A list of such objects, one for each dataset; with `--each` of those below.

    Numbers of puzzles, except for clues and guesses. With `--quick` the keys that need a search
    are null.
    """

    dataset: str
    """The dataset or file."""
    puzzles: int
    """All puzzles."""
    shapes: dict[str, int]
    """Puzzles of each shape."""
    clues_min: int | None
    """Least number of clues."""
    clues_median: float | None
    """Median number of clues."""
    clues_max: int | None
    """Largest number of clues."""
    clues: dict[str, int]
    """Puzzles with each number of clues."""
    expected_counts: int
    """With an expected number of solutions."""
    solutions: int
    """With an expected solution."""
    pencilmarks: int
    """With pencilmarks."""
    duplicates: int
    """The same as an earlier one of these datasets."""
    equivalents: int | None
    """Equivalent to an earlier one, not the same."""
    symmetric: int
    """Whose pattern of clues has a symmetry."""
    minimal: int | None
    """In which each clue is needed."""
    minimal_unknown: int | None
    """Whose minimality needs more nodes."""
    without_guess: int | None
    """That naked and hidden singles decide."""
    guesses_median: float | None
    """Median number of guesses."""
    guesses_p90: int | None
    """Guesses that 90 % do not exceed."""
    guesses_max: int | None
    """Largest number of guesses."""
    guesses_unknown: int | None
    """Whose guesses need more nodes."""
    automorphic: int | None
    """9x9 with more than one automorphism."""


class PuzzleFacts(Document):
    """A list of such objects, one for each puzzle."""

    dataset: str
    """The dataset or file."""
    number: int
    """Number in the dataset or file, from 1."""
    name: str
    """Name in the file; otherwise its number."""
    shape: str
    """Name of the shape."""
    puzzle: str
    """Givens as a line, `.` for a blank."""
    clues: int
    """Number of givens."""
    candidates: int | None
    """Candidates of all blank cells."""
    pencilmarks: bool
    """Whether pencilmarks restrict its candidates."""
    expected: str | None
    """Expected number of solutions, in words."""
    solution: str | None
    """Expected solution as a line."""
    minimal: bool | None
    """Whether each clue is needed; null if unknown."""
    symmetries: list[str]
    """Symmetries of the pattern of clues."""
    guesses: int | None
    """Guesses of a search for two solutions."""
    automorphisms: int | None
    """Automorphisms of a 9x9."""
    same_as: str | None
    """The first puzzle that is the same."""
    equivalent_to: str | None
    """The first equivalent puzzle, if none is the same."""


# Runs, their plans and their reports.


class ShardPlanData(Document):
    """The shards of a sweep."""

    folder: str
    """Folder of the shards' files."""
    plan: str
    """Digest of the plan, which all shards have."""
    shards: int
    """Number of shards."""


class Sharded(Document):
    """Sweeps that were divided into shards."""

    plans: list[ShardPlanData]
    """A plan for each sweep."""


class ConfigurationProgressData(Document):
    """The trials of one configuration."""

    done: int
    """Number of finished trials."""
    planned: int | None
    """Number of planned trials, if it is recorded."""


class ProgressData(Document):
    """The trials of a run that are done, of those that were planned."""

    finished: bool | None
    """Whether no trial is missing, if it is recorded."""
    state: str
    """Whether the run has all its trials, and if not, why."""
    reason: str
    """What interrupted or stopped it; empty if nothing did."""
    ended_at: str | None
    """When its last command ended, in UTC."""
    done: int
    """Number of finished trials."""
    planned: int | None
    """Number of planned trials, if it is recorded."""
    configurations: dict[str, ConfigurationProgressData]
    """The numbers of each configuration."""
    left_out: dict[str, str]
    """Backends that were left out, with the reason."""


class Reported(Document):
    """The tables of a run."""

    folders: list[str]
    """Folders of the runs."""
    hosts: list[str]
    """Names of the machines."""
    backends: list[str]
    """Labels of the configurations."""
    trials: int
    """Number of trials."""
    progress: ProgressData
    """What an unfinished run lacks."""
    tables: dict[str, list[Row]]
    """The rows of each table, with the columns of its measure."""
    notes: list[str]
    """What a reader needs to know before any value."""
    agreement: AgreementData
    """The comparison of all answers."""


class Finished(Document):
    """A run that has ended or was interrupted."""

    folder: str
    """Folder of the run."""
    interrupted: bool
    """Whether Ctrl-C ended the run."""
    trials: int
    """Planned trials."""
    done: int
    """Finished trials, including those of earlier commands."""
    done_before: int
    """Trials that earlier commands had finished."""
    duplicates: dict[str, int]
    """For each dataset with duplicates, the puzzles left out."""
    report: Reported | None
    """The report; null if interrupted."""


class PlannedData(Document):
    """Trials of one configuration on one dataset."""

    backend: str
    """Label of the configuration."""
    dataset: str
    """Name of the dataset."""
    trials: int
    """Planned trials."""
    stored: int
    """Trials among them that the folder has."""
    expected_s: float | None
    """Expected time of the rest; null without earlier trials."""
    longest_s: float
    """Time of the rest if every trial reaches its time limit."""


class Planned(Document):
    """What a run would do; `harness check --dry-run` prints the same object."""

    folder: str | None
    """Folder of the run; null for a check."""
    trials: int
    """Planned trials."""
    stored: int
    """Trials among them that the folder has."""
    jobs: int
    """Trials at the same time."""
    expected_s: float | None
    """Expected time; null if it is unknown for a configuration."""
    longest_s: float
    """Time if every trial reaches its time limit."""
    unavailable: dict[str, str]
    """Backends left out, with the reason."""
    plan: list[PlannedData]
    """Each configuration on each dataset."""
