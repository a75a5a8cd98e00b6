"""The documents of ``--json``: their keys, types and meanings, each declared once.

Numbers are numbers, and what is missing is null. No document needs pandas.
"""

import json as json_
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Annotated, Any

from msgspec import Meta, Struct, to_builtins

from harness.records.environment import Activity, SystemInfo

# What all documents share.


Cell = str | int | float | bool | None
"""A value of a table; a float is finite."""
Row = dict[str, Cell]
"""A row of a table; the keys are the columns in docs/reference/measures.md."""


def says(text: str) -> Any:
    """The meaning of a key."""
    return Meta(description=text)


class Document(Struct, forbid_unknown_fields=True):
    """Base of all documents and their parts."""


class PuzzleDocument(Document):
    """The first keys of a document on one puzzle."""

    name: Annotated[str, says("Name of the puzzle in its file; otherwise its id.")]
    puzzle: Annotated[str, says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    shape: Annotated[str, says("Name of the shape.")]


class QuestionDocument(PuzzleDocument):
    """The first keys of a document on one question."""

    task: Annotated[str, says("`solve` or `count`.")]
    limit: Annotated[int | None, says("Number of solutions at which `count` stops.")]


Unavailable = Annotated[dict[str, str], says("Backends left out, with the reason.")]


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

    source: Annotated[
        str,
        says(
            "`answer` of backends to one question, `expected count` of a dataset, or `different "
            "solutions` that passed the check."
        ),
    ]
    text: Annotated[
        str,
        says(
            "`no solution`, `exactly 3 solutions`, `at least 1 solution`, or `wrong: ` with the "
            "reason."
        ),
    ]
    backends: Annotated[list[str], says("Labels of the backends with this answer.")]
    dataset: Annotated[str, says("Name of the dataset; empty for different solutions.")]
    name: Annotated[str, says("Name of the puzzle in it.")]
    task: Annotated[str, says("`solve` or `count`; empty without an answer.")]
    limit: Annotated[int | None, says("Number of solutions at which `count` stops.")]
    start: Annotated[str, says("`cold`, `warm` or `batch`; empty without an answer.")]
    least: Annotated[
        int | None, says("Least number of solutions that it allows; null for a wrong answer.")
    ]
    most: Annotated[
        int | None, says("Greatest number; null for a wrong answer, or if none is too great.")
    ]
    contradicted: Annotated[
        bool, says("Whether the answer is wrong, or another claim excludes this one.")
    ]


class DisagreementData(Document):
    """A puzzle with contradictory claims, or with a wrong answer."""

    dataset: Annotated[str, says("Name of the first dataset that has it.")]
    name: Annotated[str, says("Name of the puzzle in it.")]
    scramble: Annotated[
        str, says("Seed of `--scramble` that made it of that puzzle; empty without.")
    ]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    puzzle: Annotated[str, says("Givens as a line.")]
    original: Annotated[
        str, says("Puzzle of the dataset as a line, if a scramble of it was run; empty otherwise.")
    ]
    shape: Annotated[str, says("Name of the shape.")]
    contradiction: Annotated[
        str, says("The ends that exclude each other; empty if an answer is wrong and no more.")
    ]
    claims: Annotated[list[ClaimData], says("All claims on it, contradicted ones first.")]
    commands: Annotated[
        list[str], says("Shell commands that repeat the questions with a contradicted claim.")
    ]


class FailureData(Document):
    """Trials of one backend that ended without an answer for the same reason."""

    backend: Annotated[str, says("Label of the configuration.")]
    verdict: Annotated[str, says("Their verdict.")]
    reason: Annotated[str, says("The reason; of a traceback the last line.")]
    trials: Annotated[int, says("Number of trials.")]
    dataset: Annotated[str, says("Dataset of the first of them.")]
    name: Annotated[str, says("Puzzle of the first of them.")]
    puzzle_id: Annotated[str, says("Identifier of that puzzle.")]
    original: Annotated[
        str, says("Puzzle of the dataset as a line, if a scramble of it was run; empty otherwise.")
    ]
    shape: Annotated[str, says("Shape of that puzzle.")]
    command: Annotated[str, says("Shell command that repeats the first of them.")]


class AgreementData(Document):
    """The comparison of all answers."""

    agreed: Annotated[bool, says("Whether a puzzle was compared, and nothing below is a finding.")]
    puzzles: Annotated[int, says("Different puzzles of all datasets.")]
    questions: Annotated[int, says("Questions: a puzzle with a task and its limit.")]
    compared: Annotated[
        int, says("Puzzles with answers of two backends, or of one and an expected count.")
    ]
    not_compared: Annotated[
        str,
        says("Why no puzzle was compared; empty if one was, or if there is a disagreement."),
    ]
    disagreements: Annotated[list[DisagreementData], says("The smallest puzzle first.")]
    unanswered: Annotated[
        dict[str, dict[str, int]], says("For each backend its verdicts other than answers.")
    ]
    failures: Annotated[list[FailureData], says("The reasons for `unanswered`.")]
    without_answer: Annotated[list[str], says("Backends without a single answer.")]


class Checked(AgreementData):
    """The agreement of backends; `agreed` is false if trials are missing."""

    interrupted: Annotated[bool, says("Whether Ctrl-C ended the check.")]
    trials: Annotated[int, says("Planned trials.")]
    done: Annotated[int, says("Finished trials; what is reported is based on them.")]
    backends: Annotated[list[str], says("The backends that were compared.")]
    unavailable: Unavailable


# Answers to one puzzle, and certificates of them.


class ReplyData(Document):
    """The answer of one backend."""

    backend: Annotated[str, says("Label of the configuration.")]
    verdict: Annotated[str, says("Verdict on the answer.")]
    solution: Annotated[str | None, says("Solution as a line; for a count, one of them.")]
    count: Annotated[int | None, says("Number of solutions that were counted.")]
    exact: Annotated[bool | None, says("Whether `count` is the number of all solutions.")]
    wall_s: Annotated[float | None, says("Wall time of the call in seconds.")]
    cpu_s: Annotated[float | None, says("CPU time of the call in seconds.")]
    phases: Annotated[dict[str, float | None], says("Seconds of each phase that is known.")]
    stats: Annotated[dict[str, int | float | None], says("Statistics of the solver.")]
    reason: Annotated[str, says("Why the answer is wrong or missing; empty for a right one.")]


class CertificationData(Document):
    """The attempt to prove the number of solutions, with `--certify`."""

    file: Annotated[str, says("The file of certificates.")]
    claim: Annotated[
        str | None, says("The proven number: `exactly 1`, `at least 7`; null without a proof.")
    ]
    prover: Annotated[str, says("The backend that wrote the proof; empty without a proof.")]
    steps: Annotated[int, says("Steps of the proof.")]
    clauses: Annotated[int, says("Clauses of the formula that the proof refutes.")]
    failure: Annotated[str, says("Why there is no proof; empty if there is one.")]
    refuted: Annotated[
        dict[str, str], says("For each backend whose answer the proof refutes, how it does.")
    ]


class SolveDocument(QuestionDocument):
    """The answers to one puzzle; for a range of puzzles a list of such objects."""

    results: Annotated[list[ReplyData], says("The answer of each backend.")]
    certification: Annotated[
        CertificationData | None, says("The proofs; null without `--certify`.")
    ]


class CertificateData(Document):
    """A certificate, and whether its claim is proven."""

    place: Annotated[str, says("File and line of the certificate.")]
    puzzle: Annotated[str, says("The puzzle as a line.")]
    shape: Annotated[str, says("Name of the shape.")]
    claim: Annotated[str, says("The claim: `exactly 1`, `at least 7`.")]
    prover: Annotated[str, says("What made the proof, as the file states; empty if unknown.")]
    proven: Annotated[bool, says("Whether the claim is proven.")]
    refuted: Annotated[bool, says("Whether the listed solutions show that the claim is false.")]
    reason: Annotated[str, says("Why the claim is not proven; empty if it is.")]
    solutions: Annotated[int, says("Solutions in the certificate.")]
    clauses: Annotated[int, says("Clauses of the formula; 0 if no proof was checked.")]
    steps: Annotated[int, says("Steps of the proof.")]
    checker: Annotated[
        bool | None, says("Whether the checker of the harness accepts the proof; null unchecked.")
    ]
    second_opinion: Annotated[
        bool | None, says("Whether dratify accepts the proof; null if it was not consulted.")
    ]
    trusted: Annotated[list[str], says("What the verdict relies on.")]


class Verified(Document):
    """The claims of files of certificates."""

    proven: Annotated[bool, says("Whether every claim is proven.")]
    claims: Annotated[list[CertificateData], says("The certificates, in their order.")]


# Backends and their options.


class BackendOptionData(Document):
    """An option of a backend."""

    name: Annotated[str, says("Name in a spec.")]
    type: Annotated[str, says("`bool`, `int`, `float` or `str`.")]
    default: Annotated[bool | int | float | str | None, says("Default value.")]
    help: Annotated[str, says("Meaning.")]
    choices: Annotated[list[str], says("Allowed values; empty for any.")]
    minimum: Annotated[int | float | None, says("Smallest allowed number; null for no limit.")]
    keeps_contract: Annotated[
        bool, says("Whether the backend keeps the contract with every value.")
    ]


class BackendData(Document):
    """A list of such objects, one for each backend."""

    name: Annotated[str, says("Name for `--backend`.")]
    paradigm: Annotated[str | None, says("How the backend solves.")]
    available: Annotated[bool, says("Whether it works on this machine.")]
    reason: Annotated[str | None, says("Why it is unavailable.")]
    remedy: Annotated[str | None, says("How to make it available, if known.")]
    distributions: Annotated[
        dict[str, str | None], says("Required packages with their installed versions.")
    ]
    capabilities: Annotated[list[str], says("What it can do, in words.")]
    options: Annotated[list[BackendOptionData], says("Options for its spec.")]


# Comparisons of runs and trends.


class Trended(Document):
    """The values of three or more runs over time."""

    folders: Annotated[list[str], says("Folders of the runs, in their order.")]
    slowed: Annotated[
        bool,
        says(
            "Whether the last step of a backend on an equal machine is a slowdown, or the last "
            "run has a wrong answer."
        ),
    ]
    notes: Annotated[
        list[str], says("What a reader needs to know before any value, unfinished runs first.")
    ]
    tables: Annotated[
        dict[str, list[Row]], says("The rows of `trends`, `steps`, `runs` and `values`.")
    ]


class TimeData(Document):
    """The time by which a backend is compared."""

    time: Annotated[str, says("`wall` or `cpu`.")]
    reason: Annotated[str, says("Why.")]


class DifferenceData(Document):
    """A condition that differs between two runs."""

    subject: Annotated[str, says("What differs.")]
    before: Annotated[str, says("In the first run.")]
    after: Annotated[str, says("In the second run.")]


class Compared(Document):
    """The changes between two runs."""

    before: Annotated[str, says("Folder of the first run.")]
    after: Annotated[str, says("Folder of the second run.")]
    regressed: Annotated[bool, says("Whether anything is worse on an equal machine.")]
    suspected: Annotated[
        bool, says("Whether anything is worse that an unequal machine may have caused.")
    ]
    times: Annotated[
        dict[str, TimeData], says("For each backend the time that is compared, and why.")
    ]
    unequal: Annotated[
        list[DifferenceData], says("How the machine differed between the runs; empty if equal.")
    ]
    partial: Annotated[
        list[str], says("Why the comparison does not cover all of both runs; empty if it does.")
    ]
    changes: Annotated[dict[str, int], says("Number of each kind of change.")]
    only_before: Annotated[int, says("Results that only the first run has.")]
    only_after: Annotated[int, says("Results that only the second run has.")]
    notes: Annotated[list[str], says("What a reader needs to know before any value.")]
    tables: Annotated[
        dict[str, list[Row]],
        says("The rows of `status`, `limits`, `times`, `puzzles` and `environment`."),
    ]


# Comparisons on random puzzles.


class CallData(Document):
    """A call to a backend."""

    task: Annotated[str, says("`solve` or `count`.")]
    limit: Annotated[int | None, says("Number of solutions at which `count` stops.")]
    start: Annotated[str, says("`cold`, `warm` or `batch`.")]
    shape: Annotated[str, says("Definition of the shape.")]
    puzzles: Annotated[list[str], says("The puzzle as a line; the rows of a batch.")]


class UnansweredData(CallData):
    """A call that ended at a limit."""

    backend: Annotated[str, says("Spec of the configuration.")]


class FuzzedBackend(Document):
    """The trials of one backend in a stream of random puzzles."""

    trials: Annotated[int, says("Finished trials, with all options.")]
    verdicts: Annotated[dict[str, int], says("Number of trials of each verdict.")]
    configurations: Annotated[list[str], says("The specs that ran, with varied options.")]
    unanswered: Annotated[
        dict[str, UnansweredData],
        says("The first `timeout` and the first `out_of_memory` on the smallest shape."),
    ]


class FaultData(Document):
    """A fault with the smallest case that shows it."""

    backend: Annotated[str, says("Spec of the configuration.")]
    fault: Annotated[
        str,
        says(
            "`wrong answer`, `contradiction`, `broken law`, `crash`, `exact at the limit` or "
            "`gave up`."
        ),
    ]
    law: Annotated[str | None, says("The broken law, if the fault was found by one.")]
    answer: Annotated[str, says("The answer to the last call.")]
    solutions: Annotated[str, says("The number of solutions of the last puzzle.")]
    evidence: Annotated[str, says("The evidence for that number.")]
    undecided: Annotated[bool, says("Whether no evidence shows which backend is wrong.")]
    calls: Annotated[list[CallData], says("The calls in their order.")]
    hash_seed: Annotated[int, says("The value of PYTHONHASHSEED in its process.")]
    wrong: Annotated[int, says("Wrong answers among the repetitions of the last call.")]
    repetitions: Annotated[int, says("1 for a fault that always shows.")]
    needed_houses: Annotated[
        list[str] | None,
        says("The houses that the fault needs; null for all, empty for no certain one."),
    ]
    repeated: Annotated[bool, says("Whether the fault was repeated; false after Ctrl-C.")]
    shrunk: Annotated[bool, says("Whether every smaller case was tried.")]
    after_trials: Annotated[int, says("Finished trials when the fault was found.")]
    after_s: Annotated[float, says("Seconds until the fault was found.")]
    file: Annotated[str | None, says("The saved case; null if it could not be written.")]
    failure: Annotated[str, says("Why it could not be written; empty if it was.")]
    command: Annotated[str | None, says("The command that repeats the case.")]


class Fuzzed(Document):
    """The comparison of backends on random puzzles."""

    backends: Annotated[dict[str, FuzzedBackend], says("The backends that were compared.")]
    unavailable: Unavailable
    trials: Annotated[int, says("Finished trials.")]
    puzzles: Annotated[int, says("Puzzles of the stream.")]
    laws: Annotated[int, says("Laws between puzzles that were checked.")]
    seconds: Annotated[float, says("Seconds of the stream, without those for shrinking.")]
    faults: Annotated[list[FaultData], says("The faults, in the order in which they were found.")]
    stopped: Annotated[list[str], says("Backends without further trials because of faults.")]
    without_answer: Annotated[list[str], says("Backends without a single right answer.")]
    interrupted: Annotated[bool, says("Whether Ctrl-C ended the stream.")]


class ReplayData(Document):
    """The replay of a saved case."""

    file: Annotated[str, says("The saved case.")]
    backend: Annotated[str, says("Spec of the configuration.")]
    result: Annotated[
        str, says("`still wrong`, `right`, `undecided`, `no answer` or `not available`.")
    ]
    answer: Annotated[str, says("The answer to the last call, or why there is none.")]
    wrong: Annotated[int, says("Wrong answers among the repetitions.")]
    repetitions: Annotated[int, says("Repetitions of the last call; 0 without an answer.")]


class Replays(Document):
    """Replays of saved cases."""

    replays: Annotated[list[ReplayData], says("The replays in their order.")]
    right: Annotated[bool, says("Whether all answers are right.")]


# Puzzles of images.


class LikelyValue(Document):
    """A value that a cell of an image may have."""

    value: Annotated[str, says("The symbol, `.` for a blank.")]
    probability: Annotated[float, says("Its probability, 0 to 1.")]


class DoubtfulCell(Document):
    """A cell of an image whose value is not certain."""

    cell: Annotated[str, says("Name of the cell, for example `R1C2`.")]
    value: Annotated[str, says("The symbol that was chosen, `.` for a blank.")]
    changed: Annotated[bool, says("Whether it is not the likeliest value.")]
    likely: Annotated[list[LikelyValue], says("The likeliest values, the likeliest first.")]


class ImageRead(Document):
    """The puzzle of an image."""

    image: Annotated[str, says("The file; `-` for standard input.")]
    puzzle: Annotated[str, says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    shape: Annotated[str, says("Name of the shape.")]
    shape_is_clear: Annotated[bool, says("Whether thick lines or `--shape` determine it.")]
    unique: Annotated[bool, says("Whether the puzzle has exactly one solution.")]
    reason: Annotated[str, says("Why no reading has exactly one solution; empty if one has.")]
    first_solutions: Annotated[
        int | None,
        says("Solutions of the likeliest reading, 2 for two or more; null if not known."),
    ]
    questions: Annotated[int, says("Number of readings whose solutions were counted.")]
    letters: Annotated[bool, says("Whether values from 10 are letters in the image.")]
    corners: Annotated[
        list[tuple[float, float]],
        says("x and y of the corners as shares of width and height, from the upper left on."),
    ]
    probabilities: Annotated[
        list[float], says("The probability of the chosen value of each cell, row by row.")
    ]
    doubtful: Annotated[
        list[DoubtfulCell], says("Cells whose value has a probability below 0.95 or was changed.")
    ]


# The state of a machine.


class CheckData(Document):
    """A check of the machine."""

    subject: Annotated[str, says("What is checked.")]
    passed: Annotated[bool | None, says("The outcome; null if the system does not report it.")]
    found: Annotated[str, says("What was found.")]
    remedy: Annotated[str, says("What to do; empty if nothing.")]


class Diagnosis(Document):
    """The machine and its checks."""

    system: Annotated[SystemInfo, says("Facts about the machine; null if unknown.")]
    activity: Annotated[Activity, says("What the machine did for half a second.")]
    checks: Annotated[list[CheckData], says("The checks.")]


class SpreadData(Document):
    """Differences between copies of one backend."""

    comparisons: Annotated[int, says("Runs, or pairs of consecutive runs.")]
    false: Annotated[int, says("Comparisons that show a difference.")]
    unequal: Annotated[int, says("Comparisons that show one and attribute it to the machine.")]
    resolution: Annotated[float, says("Factor that 95 % of those between copies are below.")]
    largest: Annotated[float, says("Largest factor between copies.")]


class NoiseData(Document):
    """What differences a machine can resolve, from copies of one backend: `--noise`."""

    backend: Annotated[str, says("The backend that was copied.")]
    instances: Annotated[int, says("Instances in each comparison.")]
    within: Annotated[SpreadData, says("Between copies in one run.")]
    between: Annotated[SpreadData, says("Between each run and the next.")]


# Puzzles, datasets and raters.


class Problem(Document):
    """Equal givens in a house, or cells with the same only candidate."""

    house: Annotated[str, says("The house, for example `row 1`.")]
    value: Annotated[str, says("The symbol.")]
    cells: Annotated[list[str], says("Names of the cells, for example `R1C2`.")]


class UnmetData(Document):
    """A constraint that no candidates of its cells fit."""

    constraint: Annotated[str, says("The constraint, for example `killer 55: R1C1 R1C2`.")]
    cells: Annotated[list[str], says("Names of the cells in which it fails.")]
    reason: Annotated[str, says("Why it fails whatever the givens; empty if givens matter.")]


class Inspected(PuzzleDocument):
    """The contradictions of one puzzle; for a range of puzzles a list of such objects."""

    clues: Annotated[int, says("Number of givens.")]
    contradictory: Annotated[bool, says("Whether a check proves that no solution exists.")]
    duplicates: Annotated[list[Problem], says("Values given more than once in a house.")]
    no_candidates: Annotated[list[str], says("Blank cells without a candidate.")]
    conflicts: Annotated[list[Problem], says("Two blanks with the same only candidate.")]
    unmet: Annotated[list[UnmetData], says("Constraints that no candidates fit.")]
    candidates: Annotated[dict[str, str], says("The candidates of each blank cell.")]


class RaterData(Document):
    """A list has one such object for each rater."""

    name: Annotated[str, says("Name for `--by`.")]
    meaning: Annotated[str, says("What its number means; empty if unknown.")]
    problem: Annotated[str, says("Why it cannot be used, or how to install it; empty if it can.")]
    others: Annotated[
        list[str], says("Further packages with a rater of this name, which is not used.")
    ]


class DatasetData(Document):
    """A list of such objects, one for each dataset."""

    name: Annotated[str, says("Name for `--dataset`.")]
    title: Annotated[str, says("Content in a few words.")]
    puzzles: Annotated[int, says("Number of different puzzles.")]
    shapes: Annotated[list[str], says("Names of their shapes.")]
    origin: Annotated[str, says("Origin of the puzzles.")]
    licence: Annotated[str | None, says("Terms of use that the import gave.")]
    expected_count: Annotated[str, says("What is known about their numbers of solutions.")]
    commands: Annotated[list[str], says("Commands that generate it; empty if none.")]
    imported: Annotated[bool, says("Whether you imported it.")]
    source: Annotated[str | None, says("Name of the imported file.")]
    source_sha256: Annotated[str | None, says("SHA-256 digest of the imported file.")]
    problem: Annotated[str, says("Why it cannot be used; empty if it can.")]


class StatisticsData(Document):
    """A list of such objects, one for each dataset; with `--each` of those below.

    Numbers of puzzles, except for clues and guesses. With `--quick` the keys that need a search
    are null.
    """

    dataset: Annotated[str, says("The dataset or file.")]
    puzzles: Annotated[int, says("All puzzles.")]
    shapes: Annotated[dict[str, int], says("Puzzles of each shape.")]
    clues_min: Annotated[int | None, says("Least number of clues.")]
    clues_median: Annotated[int | None, says("Median number of clues.")]
    clues_max: Annotated[int | None, says("Largest number of clues.")]
    clues: Annotated[dict[str, int], says("Puzzles with each number of clues.")]
    expected_counts: Annotated[int, says("With an expected number of solutions.")]
    solutions: Annotated[int, says("With an expected solution.")]
    pencilmarks: Annotated[int, says("With pencilmarks.")]
    duplicates: Annotated[int, says("The same as an earlier one of these datasets.")]
    equivalents: Annotated[int | None, says("Equivalent to an earlier one, not the same.")]
    symmetric: Annotated[int, says("Whose pattern of clues has a symmetry.")]
    minimal: Annotated[int | None, says("In which each clue is needed.")]
    minimal_unknown: Annotated[int | None, says("Whose minimality needs more nodes.")]
    without_guess: Annotated[int | None, says("That naked and hidden singles decide.")]
    guesses_median: Annotated[int | None, says("Median number of guesses.")]
    guesses_p90: Annotated[int | None, says("Guesses that 90 % do not exceed.")]
    guesses_max: Annotated[int | None, says("Largest number of guesses.")]
    guesses_unknown: Annotated[int | None, says("Whose guesses need more nodes.")]
    automorphic: Annotated[int | None, says("9x9 with more than one automorphism.")]


class PuzzleFacts(Document):
    """A list of such objects, one for each puzzle."""

    dataset: Annotated[str, says("The dataset or file.")]
    number: Annotated[int, says("Number in the dataset or file, from 1.")]
    name: Annotated[str, says("Name in the file; otherwise its number.")]
    shape: Annotated[str, says("Name of the shape.")]
    puzzle: Annotated[str, says("Givens as a line, `.` for a blank.")]
    clues: Annotated[int, says("Number of givens.")]
    candidates: Annotated[int | None, says("Candidates of all blank cells.")]
    pencilmarks: Annotated[bool, says("Whether pencilmarks restrict its candidates.")]
    expected: Annotated[str | None, says("Expected number of solutions, in words.")]
    solution: Annotated[str | None, says("Expected solution as a line.")]
    minimal: Annotated[bool | None, says("Whether each clue is needed; null if unknown.")]
    symmetries: Annotated[list[str], says("Symmetries of the pattern of clues.")]
    guesses: Annotated[int | None, says("Guesses of a search for two solutions.")]
    automorphisms: Annotated[int | None, says("Automorphisms of a 9x9.")]
    same_as: Annotated[str | None, says("The first puzzle that is the same.")]
    equivalent_to: Annotated[str | None, says("The first equivalent puzzle, if none is the same.")]


# Traces of searches, and hints.


class CandidateData(Document):
    """A candidate of a cell."""

    cell: Annotated[str, says("Name of the cell, for example `R1C2`.")]
    value: Annotated[str, says("The symbol.")]


class EventData(Document):
    """An event of a search. Keys that the kind of event does not have are null or empty."""

    kind: Annotated[
        str, says("`assigned`, `eliminated`, `options`, `dead end`, `reset` or `solved`.")
    ]
    branch: Annotated[
        str, says("Name of the node: `total` for the puzzle, `total12` after two guesses.")
    ]
    cells: Annotated[
        list[str], says("Cells that are assigned, branched at, without a candidate or reset.")
    ]
    value: Annotated[str | None, says("Value that is assigned.")]
    options: Annotated[
        list[str], says("Values of a cell at which the search branches, in their order.")
    ]
    number: Annotated[
        int | None, says("Number of values that an assigned cell could have; 1 by a rule.")
    ]
    rule: Annotated[
        str | None,
        says("Rule of a conclusion, or of one that ends in a dead end; otherwise null."),
    ]
    removed: Annotated[list[CandidateData], says("Candidates that a rule removes.")]
    solution: Annotated[str | None, says("Solution as a line.")]
    words: Annotated[str, says("The event in words, with the reason of a conclusion.")]


class Traced(QuestionDocument):
    """The trace of a search; for a range of puzzles a list of such objects."""

    backend: Annotated[str, says("Backend with its options.")]
    verdict: Annotated[str, says("`solved`, `unsatisfiable`, `counted`, `unknown` or `timeout`.")]
    solution: Annotated[str | None, says("First solution as a line.")]
    count: Annotated[int, says("Number of solutions found.")]
    exact: Annotated[bool, says("Whether `count` is the number of all solutions.")]
    nodes: Annotated[int, says("Boards visited.")]
    guesses: Annotated[int, says("Boards at which the search branched.")]
    dead_ends: Annotated[int, says("Boards without a solution.")]
    conclusions: Annotated[dict[str, int], says("Number of conclusions of each rule.")]
    events: Annotated[list[EventData], says("The events, in their order.")]
    left_out: Annotated[int, says("Number of further events, beyond `--trace-limit`.")]


class HintData(Document):
    """A conclusion of a rule."""

    rule: Annotated[str, says("Name of the rule.")]
    cell: Annotated[str | None, says("Cell that has a value; null if candidates are removed.")]
    value: Annotated[str | None, says("That value.")]
    removed: Annotated[list[CandidateData], says("Candidates that are part of no solution.")]
    cells: Annotated[list[str], says("Cells whose candidates make the conclusion hold.")]
    words: Annotated[str, says("The conclusion with its reason.")]


class Hinted(PuzzleDocument):
    """The next step for one puzzle; for a range of puzzles a list of such objects."""

    state: Annotated[str, says("`hint`, `solved`, `contradictory` or `no rule applies`.")]
    rules: Annotated[list[str], says("The rules that were tried, the simplest first.")]
    hints: Annotated[
        list[HintData], says("One hint, or with `--all` all hints of the same rule; else empty.")
    ]


# Runs, their plans and their reports.


class ShardPlanData(Document):
    """The shards of a sweep."""

    folder: Annotated[str, says("Folder of the shards' files.")]
    plan: Annotated[str, says("Digest of the plan, which all shards have.")]
    shards: Annotated[int, says("Number of shards.")]
    expected_s: Annotated[
        float | None, says("Seconds that all trials are expected to take; null if unknown.")
    ]


class Sharded(Document):
    """Sweeps that were divided into shards."""

    plans: Annotated[list[ShardPlanData], says("A plan for each sweep.")]


class ConfigurationProgressData(Document):
    """The trials of one configuration."""

    done: Annotated[int, says("Number of finished trials.")]
    planned: Annotated[int | None, says("Number of planned trials, if it is recorded.")]


class ProgressData(Document):
    """The trials of a run that are done, of those that were planned."""

    finished: Annotated[bool | None, says("Whether no trial is missing, if it is recorded.")]
    state: Annotated[str, says("Whether the run has all its trials, and if not, why.")]
    reason: Annotated[str, says("What interrupted or stopped it; empty if nothing did.")]
    ended_at: Annotated[str | None, says("When its last command ended, in UTC.")]
    done: Annotated[int, says("Number of finished trials.")]
    planned: Annotated[int | None, says("Number of planned trials, if it is recorded.")]
    configurations: Annotated[
        dict[str, ConfigurationProgressData], says("The numbers of each configuration.")
    ]
    left_out: Annotated[dict[str, str], says("Backends that were left out, with the reason.")]


class Reported(Document):
    """The tables of a run."""

    folders: Annotated[list[str], says("Folders of the runs.")]
    hosts: Annotated[list[str], says("Names of the machines.")]
    backends: Annotated[list[str], says("Labels of the configurations.")]
    trials: Annotated[int, says("Number of trials.")]
    progress: Annotated[ProgressData, says("What an unfinished run lacks.")]
    tables: Annotated[
        dict[str, list[Row]], says("The rows of each table, with the columns of its measure.")
    ]
    notes: Annotated[list[str], says("What a reader needs to know before any value.")]
    agreement: Annotated[AgreementData, says("The comparison of all answers.")]


class RefutedData(Document):
    """An answer that a proof refutes."""

    backend: Annotated[str, says("Backend with its options.")]
    dataset: Annotated[str, says("Dataset of the puzzle.")]
    name: Annotated[str, says("Name of the puzzle in it.")]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    stated: Annotated[int, says("Number of solutions that the answer states.")]
    proven: Annotated[str, says("The proven number: `exactly 1`, `at least 7`.")]


class UnprovenData(Document):
    """A puzzle whose number of solutions could not be proven."""

    dataset: Annotated[str, says("Dataset of the puzzle.")]
    name: Annotated[str, says("Name of the puzzle in it.")]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    reason: Annotated[str, says("Why it could not.")]


class CertifiedRunData(Document):
    """The certificates of the answers of a run that state an exact number of solutions."""

    folder: Annotated[str, says("Folder of the certificates.")]
    puzzles: Annotated[int, says("Puzzles with such answers.")]
    proven: Annotated[int, says("Puzzles with a certificate.")]
    refuted: Annotated[list[RefutedData], says("Answers that a certificate refutes.")]
    unproven: Annotated[list[UnprovenData], says("Puzzles without a certificate.")]
    interrupted: Annotated[bool, says("Whether Ctrl-C ended it.")]


class Finished(Document):
    """A run that has ended or was interrupted."""

    folder: Annotated[str, says("Folder of the run.")]
    interrupted: Annotated[bool, says("Whether Ctrl-C ended the run.")]
    trials: Annotated[int, says("Planned trials.")]
    done: Annotated[int, says("Finished trials, including those of earlier commands.")]
    done_before: Annotated[int, says("Trials that earlier commands had finished.")]
    duplicates: Annotated[
        dict[str, int], says("For each dataset with duplicates, the puzzles left out.")
    ]
    certificates: Annotated[CertifiedRunData | None, says("The proofs; null without `--certify`.")]
    report: Annotated[Reported | None, says("The report; null if interrupted.")]


class PlannedData(Document):
    """Trials of one configuration on one dataset."""

    backend: Annotated[str, says("Label of the configuration.")]
    dataset: Annotated[str, says("Name of the dataset.")]
    trials: Annotated[int, says("Planned trials.")]
    stored: Annotated[int, says("Trials among them that the folder has.")]
    expected_s: Annotated[
        float | None, says("Expected time of the rest; null without earlier trials.")
    ]
    longest_s: Annotated[float, says("Time of the rest if every trial reaches its time limit.")]


class Planned(Document):
    """What a run would do; `harness check --dry-run` prints the same object."""

    folder: Annotated[str | None, says("Folder of the run; null for a check.")]
    trials: Annotated[int, says("Planned trials.")]
    stored: Annotated[int, says("Trials among them that the folder has.")]
    jobs: Annotated[int, says("Trials at the same time.")]
    expected_s: Annotated[
        float | None, says("Expected time; null if it is unknown for a configuration.")
    ]
    longest_s: Annotated[float, says("Time if every trial reaches its time limit.")]
    unavailable: Unavailable
    plan: Annotated[list[PlannedData], says("Each configuration on each dataset.")]
