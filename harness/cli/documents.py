"""The documents of ``--json``: their keys, types and meanings, each declared once.

``docs/machine-output.md`` follows from the declarations, and the tests decode what the
commands print into them.
"""

from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct

from harness.records.environment import Activity, SystemInfo
from harness.report.render.json import Cell

_Type = TypeVar("_Type")

Row = dict[str, Cell]
"""A row of a table; the keys are the columns in docs/measures.md."""


def _says(text: str) -> Any:
    return Meta(description=text)


class Document(Struct, forbid_unknown_fields=True):
    """Base of all documents and their parts."""


class ReplyData(Document):
    """The answer of one backend."""

    backend: Annotated[str, _says("Label of the configuration.")]
    verdict: Annotated[str, _says("Verdict on the answer.")]
    solution: Annotated[str | None, _says("Solution as a line; for a count, one of them.")]
    count: Annotated[int | None, _says("Number of solutions that were counted.")]
    exact: Annotated[bool | None, _says("Whether `count` is the number of all solutions.")]
    wall_s: Annotated[float | None, _says("Wall time of the call in seconds.")]
    cpu_s: Annotated[float | None, _says("CPU time of the call in seconds.")]
    phases: Annotated[dict[str, float | None], _says("Seconds of each phase that is known.")]
    stats: Annotated[dict[str, int | float | None], _says("Statistics of the solver.")]
    reason: Annotated[str, _says("Why the answer is wrong or missing; empty for a right one.")]


class CertificationData(Document):
    """The attempt to prove the number of solutions, with `--certify`."""

    file: Annotated[str, _says("The file of certificates.")]
    claim: Annotated[
        str | None, _says("What is proven: `exactly 1`, `at least 7`; null if nothing is.")
    ]
    prover: Annotated[str, _says("The backend that wrote the proof; empty without a proof.")]
    steps: Annotated[int, _says("Steps of the proof.")]
    clauses: Annotated[int, _says("Clauses of the formula that the proof refutes.")]
    failure: Annotated[str, _says("Why nothing is proven; empty if something is.")]
    refuted: Annotated[
        dict[str, str], _says("For each backend whose answer the proof refutes, how it does.")
    ]


class Solved(Document):
    """The answers to one puzzle; for a range of puzzles a list of such objects."""

    name: Annotated[str, _says("Name of the puzzle in its file; otherwise its id.")]
    puzzle: Annotated[str, _says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, _says("Digest of houses and givens.")]
    shape: Annotated[str, _says("Name of the shape.")]
    task: Annotated[str, _says("`solve` or `count`.")]
    limit: Annotated[int | None, _says("Number of solutions at which `count` stops.")]
    results: Annotated[list[ReplyData], _says("The answer of each backend.")]
    certification: Annotated[
        CertificationData | None, _says("What is proven; null without `--certify`.")
    ]


class CertificateData(Document):
    """A certificate, and whether its claim is proven."""

    place: Annotated[str, _says("File and line of the certificate.")]
    puzzle: Annotated[str, _says("The puzzle as a line.")]
    shape: Annotated[str, _says("Name of the shape.")]
    claim: Annotated[str, _says("The claim: `exactly 1`, `at least 7`.")]
    prover: Annotated[str, _says("What made the proof, as the file states; empty if unknown.")]
    proven: Annotated[bool, _says("Whether the claim is proven.")]
    refuted: Annotated[bool, _says("Whether the listed solutions show that the claim is false.")]
    reason: Annotated[str, _says("Why the claim is not proven; empty if it is.")]
    solutions: Annotated[int, _says("Solutions in the certificate.")]
    clauses: Annotated[int, _says("Clauses of the formula; 0 if no proof was checked.")]
    steps: Annotated[int, _says("Steps of the proof.")]
    checker: Annotated[
        bool | None, _says("Whether the checker of the harness accepts the proof; null unchecked.")
    ]
    second_opinion: Annotated[
        bool | None, _says("Whether dratify accepts the proof; null if it was not consulted.")
    ]
    trusted: Annotated[list[str], _says("What must be trusted to trust the result.")]


class Verified(Document):
    """The claims of files of certificates."""

    proven: Annotated[bool, _says("Whether every claim is proven.")]
    claims: Annotated[list[CertificateData], _says("The certificates, in their order.")]


class CandidateData(Document):
    """A candidate of a cell."""

    cell: Annotated[str, _says("Name of the cell, for instance `R1C2`.")]
    value: Annotated[str, _says("The symbol.")]


class EventData(Document):
    """An event of a search. Keys that the kind of event does not have are null or empty."""

    kind: Annotated[
        str, _says("`assigned`, `eliminated`, `options`, `dead end`, `reset` or `solved`.")
    ]
    branch: Annotated[
        str, _says("Name of the node: `total` for the puzzle, `total12` after two guesses.")
    ]
    cells: Annotated[
        list[str], _says("Cells that are assigned, branched at, without a candidate or reset.")
    ]
    value: Annotated[str | None, _says("Value that is assigned.")]
    options: Annotated[
        list[str], _says("Values of a cell at which the search branches, in their order.")
    ]
    number: Annotated[
        int | None, _says("Number of values that an assigned cell could have; 1 by a rule.")
    ]
    rule: Annotated[
        str | None,
        _says("Rule of a conclusion, or of one that ends in a dead end; otherwise null."),
    ]
    removed: Annotated[list[CandidateData], _says("Candidates that a rule removes.")]
    solution: Annotated[str | None, _says("Solution as a line.")]
    words: Annotated[str, _says("The event in words, with the reason of a conclusion.")]


class Traced(Document):
    """The trace of a search; for a range of puzzles a list of such objects."""

    name: Annotated[str, _says("Name of the puzzle in its file; otherwise its id.")]
    puzzle: Annotated[str, _says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, _says("Digest of houses and givens.")]
    shape: Annotated[str, _says("Name of the shape.")]
    task: Annotated[str, _says("`solve` or `count`.")]
    limit: Annotated[int | None, _says("Number of solutions at which `count` stops.")]
    backend: Annotated[str, _says("Backend with its options.")]
    verdict: Annotated[str, _says("`solved`, `unsatisfiable`, `counted`, `unknown` or `timeout`.")]
    solution: Annotated[str | None, _says("First solution as a line.")]
    count: Annotated[int, _says("Number of solutions found.")]
    exact: Annotated[bool, _says("Whether `count` is the number of all solutions.")]
    nodes: Annotated[int, _says("Boards visited.")]
    guesses: Annotated[int, _says("Boards at which the search branched.")]
    dead_ends: Annotated[int, _says("Boards without a solution.")]
    conclusions: Annotated[dict[str, int], _says("Number of conclusions of each rule.")]
    events: Annotated[list[EventData], _says("The events, in their order.")]
    left_out: Annotated[int, _says("Number of further events, beyond `--trace-limit`.")]


class HintData(Document):
    """A conclusion of a rule."""

    rule: Annotated[str, _says("Name of the rule.")]
    cell: Annotated[str | None, _says("Cell that has a value; null if candidates are removed.")]
    value: Annotated[str | None, _says("That value.")]
    removed: Annotated[list[CandidateData], _says("Candidates that are part of no solution.")]
    cells: Annotated[list[str], _says("Cells whose candidates make the conclusion hold.")]
    words: Annotated[str, _says("The conclusion with its reason.")]


class Hinted(Document):
    """The next step for one puzzle; for a range of puzzles a list of such objects."""

    name: Annotated[str, _says("Name of the puzzle in its file; otherwise its id.")]
    puzzle: Annotated[str, _says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, _says("Digest of houses and givens.")]
    shape: Annotated[str, _says("Name of the shape.")]
    state: Annotated[str, _says("`hint`, `solved`, `contradictory` or `no rule applies`.")]
    rules: Annotated[list[str], _says("The rules that were tried, the simplest first.")]
    hints: Annotated[
        list[HintData], _says("One hint, or with `--all` those of the same rule; else empty.")
    ]


class LikelyValue(Document):
    """A value that a cell of an image may have."""

    value: Annotated[str, _says("The symbol, `.` for a blank.")]
    probability: Annotated[float, _says("Its probability, 0 to 1.")]


class DoubtfulCell(Document):
    """A cell of an image whose value is not certain."""

    cell: Annotated[str, _says("Name of the cell, for instance `R1C2`.")]
    value: Annotated[str, _says("The symbol that was chosen, `.` for a blank.")]
    changed: Annotated[bool, _says("Whether it is not the likeliest value.")]
    likely: Annotated[list[LikelyValue], _says("The likeliest values, the likeliest first.")]


class ImageRead(Document):
    """The puzzle of an image."""

    image: Annotated[str, _says("The file; `-` for standard input.")]
    puzzle: Annotated[str, _says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, _says("Digest of houses and givens.")]
    shape: Annotated[str, _says("Name of the shape.")]
    shape_is_clear: Annotated[bool, _says("Whether thick lines or `--shape` determine it.")]
    unique: Annotated[bool, _says("Whether the puzzle has exactly one solution.")]
    reason: Annotated[str, _says("Why no reading has exactly one solution; empty if one has.")]
    first_solutions: Annotated[
        int | None,
        _says("Solutions of the likeliest reading, 2 for two or more; null if not known."),
    ]
    questions: Annotated[int, _says("Number of readings whose solutions were counted.")]
    letters: Annotated[bool, _says("Whether values from 10 are letters in the image.")]
    corners: Annotated[
        list[tuple[float, float]],
        _says("x and y of the corners as shares of width and height, from the upper left on."),
    ]
    probabilities: Annotated[
        list[float], _says("The probability of the chosen value of each cell, row by row.")
    ]
    doubtful: Annotated[
        list[DoubtfulCell], _says("Cells whose value has a probability below 0.95 or was changed.")
    ]


class Problem(Document):
    """Equal givens in a house, or cells with the same only candidate."""

    house: Annotated[str, _says("The house, for instance `row 1`.")]
    value: Annotated[str, _says("The symbol.")]
    cells: Annotated[list[str], _says("Names of the cells, for instance `R1C2`.")]


class Inspected(Document):
    """The contradictions of one puzzle; for a range of puzzles a list of such objects."""

    name: Annotated[str, _says("Name of the puzzle in its file; otherwise its id.")]
    puzzle: Annotated[str, _says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, _says("Digest of houses and givens.")]
    shape: Annotated[str, _says("Name of the shape.")]
    clues: Annotated[int, _says("Number of givens.")]
    contradictory: Annotated[bool, _says("Whether a check proves that no solution exists.")]
    duplicates: Annotated[list[Problem], _says("Values given more than once in a house.")]
    no_candidates: Annotated[list[str], _says("Blank cells without a candidate.")]
    conflicts: Annotated[list[Problem], _says("Two blanks with the same only candidate.")]
    candidates: Annotated[dict[str, str], _says("The candidates of each blank cell.")]


class RaterData(Document):
    """A list has one such object for each rater."""

    name: Annotated[str, _says("Name for `--by`.")]
    meaning: Annotated[str, _says("What its number means; empty if unknown.")]
    problem: Annotated[str, _says("Why it cannot be used, or how to install it; empty if it can.")]
    others: Annotated[
        list[str], _says("Further packages with a rater of this name, which is not used.")
    ]


class DatasetData(Document):
    """A list of such objects, one for each dataset."""

    name: Annotated[str, _says("Name for `--dataset`.")]
    title: Annotated[str, _says("Content in a few words.")]
    puzzles: Annotated[int, _says("Number of different puzzles.")]
    shapes: Annotated[list[str], _says("Names of their shapes.")]
    origin: Annotated[str, _says("Origin of the puzzles.")]
    licence: Annotated[str | None, _says("Terms of use that the import gave.")]
    expected_count: Annotated[str, _says("What is known about their numbers of solutions.")]
    commands: Annotated[list[str], _says("Commands that generate it; empty if none.")]
    imported: Annotated[bool, _says("Whether you imported it.")]
    source: Annotated[str | None, _says("Name of the imported file.")]
    source_sha256: Annotated[str | None, _says("SHA-256 digest of the imported file.")]
    problem: Annotated[str, _says("Why it cannot be used; empty if it can.")]


class StatisticsData(Document):
    """A list of such objects, one for each dataset; with `--each` of those below.

    Numbers of puzzles, except for clues and guesses. With `--quick` the keys that need a search
    are null.
    """

    dataset: Annotated[str, _says("The dataset or file.")]
    puzzles: Annotated[int, _says("All puzzles.")]
    shapes: Annotated[dict[str, int], _says("Puzzles of each shape.")]
    clues_min: Annotated[int | None, _says("Least number of clues.")]
    clues_median: Annotated[int | None, _says("Median number of clues.")]
    clues_max: Annotated[int | None, _says("Largest number of clues.")]
    clues: Annotated[dict[str, int], _says("Puzzles with each number of clues.")]
    expected_counts: Annotated[int, _says("With an expected number of solutions.")]
    solutions: Annotated[int, _says("With an expected solution.")]
    pencilmarks: Annotated[int, _says("With pencilmarks.")]
    duplicates: Annotated[int, _says("The same as an earlier one of these datasets.")]
    equivalents: Annotated[int | None, _says("Equivalent to an earlier one, not the same.")]
    symmetric: Annotated[int, _says("Whose pattern of clues has a symmetry.")]
    minimal: Annotated[int | None, _says("In which each clue is needed.")]
    minimal_unknown: Annotated[int | None, _says("Whose minimality needs more nodes.")]
    without_guess: Annotated[int | None, _says("That naked and hidden singles decide.")]
    guesses_median: Annotated[int | None, _says("Median number of guesses.")]
    guesses_p90: Annotated[int | None, _says("Guesses that 90 % do not exceed.")]
    guesses_max: Annotated[int | None, _says("Largest number of guesses.")]
    guesses_unknown: Annotated[int | None, _says("Whose guesses need more nodes.")]
    automorphic: Annotated[int | None, _says("9x9 with more than one automorphism.")]


class PuzzleFacts(Document):
    """A list of such objects, one for each puzzle."""

    dataset: Annotated[str, _says("The dataset or file.")]
    number: Annotated[int, _says("Number in the dataset or file, from 1.")]
    name: Annotated[str, _says("Name in the file; otherwise its number.")]
    shape: Annotated[str, _says("Name of the shape.")]
    puzzle: Annotated[str, _says("Givens as a line, `.` for a blank.")]
    clues: Annotated[int, _says("Number of givens.")]
    candidates: Annotated[int | None, _says("Candidates of all blank cells.")]
    pencilmarks: Annotated[bool, _says("Whether pencilmarks restrict its candidates.")]
    expected: Annotated[str | None, _says("Expected number of solutions, in words.")]
    solution: Annotated[str | None, _says("Expected solution as a line.")]
    minimal: Annotated[bool | None, _says("Whether each clue is needed; null if unknown.")]
    symmetries: Annotated[list[str], _says("Symmetries of the pattern of clues.")]
    guesses: Annotated[int | None, _says("Guesses of a search for two solutions.")]
    automorphisms: Annotated[int | None, _says("Automorphisms of a 9x9.")]
    same_as: Annotated[str | None, _says("The first puzzle that is the same.")]
    equivalent_to: Annotated[str | None, _says("The first equivalent puzzle, if none is the same.")]


class BackendOptionData(Document):
    """An option of a backend."""

    name: Annotated[str, _says("Name in a spec.")]
    type: Annotated[str, _says("`bool`, `int`, `float` or `str`.")]
    default: Annotated[bool | int | float | str | None, _says("Default value.")]
    help: Annotated[str, _says("Meaning.")]
    choices: Annotated[list[str], _says("Allowed values; empty for any.")]
    minimum: Annotated[int | float | None, _says("Smallest allowed number; null for no limit.")]
    keeps_contract: Annotated[
        bool, _says("Whether the backend keeps the contract with every value.")
    ]


class BackendData(Document):
    """A list of such objects, one for each backend."""

    name: Annotated[str, _says("Name for `--backend`.")]
    paradigm: Annotated[str | None, _says("How the backend solves.")]
    available: Annotated[bool, _says("Whether it works on this machine.")]
    reason: Annotated[str | None, _says("Why it is unavailable.")]
    remedy: Annotated[str | None, _says("How to make it available, if known.")]
    distributions: Annotated[
        dict[str, str | None], _says("Required packages with their installed versions.")
    ]
    capabilities: Annotated[list[str], _says("What it can do, in words.")]
    options: Annotated[list[BackendOptionData], _says("Options for its spec.")]


class CheckData(Document):
    """A check of the machine."""

    subject: Annotated[str, _says("What is checked.")]
    passed: Annotated[bool | None, _says("The outcome; null if the system does not report it.")]
    found: Annotated[str, _says("What was found.")]
    remedy: Annotated[str, _says("What to do; empty if nothing.")]


class Diagnosis(Document):
    """The machine and its checks."""

    system: Annotated[SystemInfo, _says("Facts about the machine; null if unknown.")]
    activity: Annotated[Activity, _says("What the machine did for half a second.")]
    checks: Annotated[list[CheckData], _says("The checks.")]


class SpreadData(Document):
    """Differences between copies of one backend."""

    comparisons: Annotated[int, _says("Runs, or pairs of consecutive runs.")]
    false: Annotated[int, _says("Comparisons that show a difference.")]
    unequal: Annotated[int, _says("Comparisons that show one and attribute it to the machine.")]
    resolution: Annotated[float, _says("Factor that 95 % of those between copies are below.")]
    largest: Annotated[float, _says("Largest factor between copies.")]


class NoiseData(Document):
    """What differences a machine can resolve, from copies of one backend: `--noise`."""

    backend: Annotated[str, _says("The backend that was copied.")]
    instances: Annotated[int, _says("Puzzles in each comparison.")]
    within: Annotated[SpreadData, _says("Between copies in one run.")]
    between: Annotated[SpreadData, _says("Between each run and the next.")]


class ClaimData(Document):
    """A claim on the number of solutions of a puzzle."""

    source: Annotated[
        str,
        _says(
            "`answer` of backends to one question, `expected count` of a dataset, or `different "
            "solutions` that passed the check."
        ),
    ]
    text: Annotated[
        str,
        _says(
            "`no solution`, `exactly 3 solutions`, `at least 1 solution`, or `wrong: ` with the "
            "reason."
        ),
    ]
    backends: Annotated[list[str], _says("Labels of the backends with this answer.")]
    dataset: Annotated[str, _says("Name of the dataset; empty for different solutions.")]
    name: Annotated[str, _says("Name of the puzzle in it.")]
    task: Annotated[str, _says("`solve` or `count`; empty without an answer.")]
    limit: Annotated[int | None, _says("Number of solutions at which `count` stops.")]
    start: Annotated[str, _says("`cold`, `warm` or `batch`; empty without an answer.")]
    least: Annotated[
        int | None, _says("Least number of solutions that it allows; null for a wrong answer.")
    ]
    most: Annotated[
        int | None, _says("Greatest number; null for a wrong answer, or if none is too great.")
    ]
    contradicted: Annotated[
        bool, _says("Whether the answer is wrong, or another claim excludes this one.")
    ]


class DisagreementData(Document):
    """A puzzle with contradictory claims, or with a wrong answer."""

    dataset: Annotated[str, _says("Name of the first dataset that has it.")]
    name: Annotated[str, _says("Name of the puzzle in it.")]
    scramble: Annotated[
        str, _says("Seed of `--scramble` that made it of that puzzle; empty without.")
    ]
    puzzle_id: Annotated[str, _says("Digest of houses and givens.")]
    puzzle: Annotated[str, _says("Givens as a line.")]
    original: Annotated[
        str, _says("Puzzle of the dataset as a line, if a scramble of it was run; empty otherwise.")
    ]
    shape: Annotated[str, _says("Name of the shape.")]
    contradiction: Annotated[
        str, _says("The ends that exclude each other; empty if an answer is wrong and no more.")
    ]
    claims: Annotated[list[ClaimData], _says("All claims on it, contradicted ones first.")]
    commands: Annotated[
        list[str], _says("Shell commands that repeat the questions with a contradicted claim.")
    ]


class FailureData(Document):
    """Trials of one backend that ended without an answer for the same reason."""

    backend: Annotated[str, _says("Label of the configuration.")]
    verdict: Annotated[str, _says("Their verdict.")]
    reason: Annotated[str, _says("The reason; of a traceback the last line.")]
    trials: Annotated[int, _says("Number of trials.")]
    dataset: Annotated[str, _says("Dataset of the first of them.")]
    name: Annotated[str, _says("Puzzle of the first of them.")]
    puzzle_id: Annotated[str, _says("Identifier of that puzzle.")]
    original: Annotated[
        str, _says("Puzzle of the dataset as a line, if a scramble of it was run; empty otherwise.")
    ]
    shape: Annotated[str, _says("Shape of that puzzle.")]
    command: Annotated[str, _says("Shell command that repeats the first of them.")]


class AgreementData(Document):
    """The comparison of all answers."""

    agreed: Annotated[bool, _says("Whether a puzzle was compared, and nothing below is a finding.")]
    puzzles: Annotated[int, _says("Different puzzles of all datasets.")]
    questions: Annotated[int, _says("Questions: a puzzle with a task and its limit.")]
    compared: Annotated[
        int, _says("Puzzles with answers of two backends, or of one and an expected count.")
    ]
    not_compared: Annotated[
        str,
        _says("Why no puzzle was compared; empty if one was, or if there is a disagreement."),
    ]
    disagreements: Annotated[list[DisagreementData], _says("The smallest puzzle first.")]
    unanswered: Annotated[
        dict[str, dict[str, int]], _says("For each backend its verdicts other than answers.")
    ]
    failures: Annotated[list[FailureData], _says("The reasons for `unanswered`.")]
    without_answer: Annotated[list[str], _says("Backends without a single answer.")]


class Checked(AgreementData):
    """The agreement of backends; `agreed` is false if Ctrl-C ended the check."""

    interrupted: Annotated[bool, _says("Whether Ctrl-C ended the check.")]
    trials: Annotated[int, _says("Planned trials.")]
    done: Annotated[int, _says("Finished trials; what is reported is based on them.")]
    backends: Annotated[list[str], _says("The backends that were compared.")]
    unavailable: Annotated[dict[str, str], _says("Backends left out, with the reason.")]


class CallData(Document):
    """A call to a backend."""

    task: Annotated[str, _says("`solve` or `count`.")]
    limit: Annotated[int | None, _says("Number of solutions at which `count` stops.")]
    start: Annotated[str, _says("`cold`, `warm` or `batch`.")]
    shape: Annotated[str, _says("Definition of the shape.")]
    puzzles: Annotated[list[str], _says("The puzzle as a line; the rows of a batch.")]


class UnansweredData(CallData):
    """A call that ended at a limit."""

    backend: Annotated[str, _says("Spec of the configuration.")]


class FuzzedBackend(Document):
    """The trials of one backend in a stream of random puzzles."""

    trials: Annotated[int, _says("Finished trials, with all options.")]
    verdicts: Annotated[dict[str, int], _says("Number of trials of each verdict.")]
    configurations: Annotated[list[str], _says("The specs that ran, with varied options.")]
    unanswered: Annotated[
        dict[str, UnansweredData],
        _says("The first `timeout` and the first `out_of_memory` on the smallest shape."),
    ]


class FaultData(Document):
    """A fault with the smallest case that shows it."""

    backend: Annotated[str, _says("Spec of the configuration.")]
    fault: Annotated[
        str,
        _says(
            "`wrong answer`, `contradiction`, `broken law`, `crash`, `exact at the limit` or "
            "`gave up`."
        ),
    ]
    law: Annotated[str | None, _says("The broken law, if the fault was found by one.")]
    answer: Annotated[str, _says("The answer to the last call.")]
    solutions: Annotated[str, _says("The number of solutions of the last puzzle.")]
    evidence: Annotated[str, _says("The evidence for that number.")]
    undecided: Annotated[bool, _says("Whether no evidence shows which backend is wrong.")]
    calls: Annotated[list[CallData], _says("The calls in their order.")]
    hash_seed: Annotated[int, _says("The value of PYTHONHASHSEED in its process.")]
    wrong: Annotated[int, _says("Wrong answers among the repetitions of the last call.")]
    repetitions: Annotated[int, _says("1 for a fault that always shows.")]
    needed_houses: Annotated[
        list[str] | None,
        _says("The houses that the fault needs; null for all, empty for no certain one."),
    ]
    repeated: Annotated[bool, _says("Whether the fault was repeated; false after Ctrl-C.")]
    shrunk: Annotated[bool, _says("Whether every smaller case was tried.")]
    after_trials: Annotated[int, _says("Finished trials when the fault was found.")]
    after_s: Annotated[float, _says("Seconds until the fault was found.")]
    file: Annotated[str | None, _says("The saved case; null if it could not be written.")]
    failure: Annotated[str, _says("Why it could not be written; empty if it was.")]
    command: Annotated[str | None, _says("The command that repeats the case.")]


class Fuzzed(Document):
    """The comparison of backends on random puzzles."""

    backends: Annotated[dict[str, FuzzedBackend], _says("The backends that were compared.")]
    unavailable: Annotated[dict[str, str], _says("Backends left out, with the reason.")]
    trials: Annotated[int, _says("Finished trials.")]
    puzzles: Annotated[int, _says("Puzzles of the stream.")]
    laws: Annotated[int, _says("Laws between puzzles that were checked.")]
    seconds: Annotated[float, _says("Seconds of the stream, without those for shrinking.")]
    faults: Annotated[list[FaultData], _says("The faults, in the order in which they were found.")]
    stopped: Annotated[list[str], _says("Backends without further trials because of faults.")]
    without_answer: Annotated[list[str], _says("Backends without a single right answer.")]
    interrupted: Annotated[bool, _says("Whether Ctrl-C ended the stream.")]


class Sharded(Document):
    """A sweep that was divided into shards."""

    folder: Annotated[str, _says("Folder of the shards' files.")]
    plan: Annotated[str, _says("Digest of the plan, which all shards have.")]
    shards: Annotated[int, _says("Number of shards.")]
    expected_s: Annotated[
        float | None, _says("Seconds that all trials are expected to take; null if unknown.")
    ]


class ReplayData(Document):
    """The replay of a saved case."""

    file: Annotated[str, _says("The saved case.")]
    backend: Annotated[str, _says("Spec of the configuration.")]
    result: Annotated[
        str, _says("`still wrong`, `right`, `undecided`, `no answer` or `not available`.")
    ]
    answer: Annotated[str, _says("The answer to the last call, or why there is none.")]
    wrong: Annotated[int, _says("Wrong answers among the repetitions.")]
    repetitions: Annotated[int, _says("Repetitions of the last call; 0 without an answer.")]


class Replays(Document):
    """Replays of saved cases."""

    replays: Annotated[list[ReplayData], _says("The replays in their order.")]
    right: Annotated[bool, _says("Whether all answers are right.")]


class ConfigurationProgressData(Document):
    """The trials of one configuration."""

    done: Annotated[int, _says("Number of finished trials.")]
    planned: Annotated[int | None, _says("Number of planned trials, if it is recorded.")]


class ProgressData(Document):
    """The trials of a run that are done, of those that were planned."""

    finished: Annotated[bool | None, _says("Whether no trial is missing, if it is recorded.")]
    state: Annotated[str, _says("Whether the run has all its trials, and if not, why.")]
    reason: Annotated[str, _says("What interrupted or stopped it; empty if nothing did.")]
    ended_at: Annotated[str | None, _says("When its last command ended, in UTC.")]
    done: Annotated[int, _says("Number of finished trials.")]
    planned: Annotated[int | None, _says("Number of planned trials, if it is recorded.")]
    configurations: Annotated[
        dict[str, ConfigurationProgressData], _says("The numbers of each configuration.")
    ]
    left_out: Annotated[dict[str, str], _says("Backends that were left out, with the reason.")]


class Reported(Document):
    """The tables of a run."""

    folders: Annotated[list[str], _says("Folders of the runs.")]
    hosts: Annotated[list[str], _says("Names of the machines.")]
    backends: Annotated[list[str], _says("Labels of the configurations.")]
    trials: Annotated[int, _says("Number of trials.")]
    progress: Annotated[ProgressData, _says("What an unfinished run lacks.")]
    tables: Annotated[
        dict[str, list[Row]], _says("The rows of each table, with the columns of its measure.")
    ]
    notes: Annotated[list[str], _says("What a reader needs to know before any value.")]
    agreement: Annotated[AgreementData, _says("The comparison of all answers.")]


class RefutedData(Document):
    """An answer that a proof refutes."""

    backend: Annotated[str, _says("Backend with its options.")]
    dataset: Annotated[str, _says("Dataset of the puzzle.")]
    name: Annotated[str, _says("Name of the puzzle in it.")]
    puzzle_id: Annotated[str, _says("Digest of houses and givens.")]
    stated: Annotated[int, _says("Number of solutions that the answer states.")]
    proven: Annotated[str, _says("What is proven: `exactly 1`, `at least 7`.")]


class UnprovenData(Document):
    """A puzzle whose number of solutions could not be proven."""

    dataset: Annotated[str, _says("Dataset of the puzzle.")]
    name: Annotated[str, _says("Name of the puzzle in it.")]
    puzzle_id: Annotated[str, _says("Digest of houses and givens.")]
    reason: Annotated[str, _says("Why it could not.")]


class CertifiedRunData(Document):
    """The certificates of the answers of a run that state an exact number of solutions."""

    folder: Annotated[str, _says("Folder of the certificates.")]
    puzzles: Annotated[int, _says("Puzzles with such answers.")]
    proven: Annotated[int, _says("Puzzles with a certificate.")]
    refuted: Annotated[list[RefutedData], _says("Answers that a certificate refutes.")]
    unproven: Annotated[list[UnprovenData], _says("Puzzles without a certificate.")]
    interrupted: Annotated[bool, _says("Whether Ctrl-C ended it.")]


class Finished(Document):
    """A run that has ended or was interrupted."""

    folder: Annotated[str, _says("Folder of the run.")]
    interrupted: Annotated[bool, _says("Whether Ctrl-C ended the run.")]
    trials: Annotated[int, _says("Planned trials.")]
    done: Annotated[int, _says("Finished trials, including those of earlier commands.")]
    done_before: Annotated[int, _says("Trials that earlier commands had finished.")]
    duplicates: Annotated[
        dict[str, int], _says("For each dataset with duplicates, the puzzles left out.")
    ]
    certificates: Annotated[
        CertifiedRunData | None, _says("What is proven; null without `--certify`.")
    ]
    report: Annotated[Reported | None, _says("The report; null if interrupted.")]


class PlannedData(Document):
    """Trials of one configuration on one dataset."""

    backend: Annotated[str, _says("Label of the configuration.")]
    dataset: Annotated[str, _says("Name of the dataset.")]
    trials: Annotated[int, _says("Planned trials.")]
    stored: Annotated[int, _says("Trials among them that the folder has.")]
    expected_s: Annotated[
        float | None, _says("Expected time of the rest; null without earlier trials.")
    ]
    longest_s: Annotated[float, _says("Time of the rest if every trial reaches its time limit.")]


class Planned(Document):
    """What a run would do; `harness check --dry-run` prints the same object."""

    folder: Annotated[str | None, _says("Folder of the run; null for a check.")]
    trials: Annotated[int, _says("Planned trials.")]
    stored: Annotated[int, _says("Trials among them that the folder has.")]
    jobs: Annotated[int, _says("Trials at the same time.")]
    expected_s: Annotated[
        float | None, _says("Expected time; null if it is unknown for a configuration.")
    ]
    longest_s: Annotated[float, _says("Time if every trial reaches its time limit.")]
    unavailable: Annotated[dict[str, str], _says("Backends left out, with the reason.")]
    plan: Annotated[list[PlannedData], _says("Each configuration on each dataset.")]


class Trended(Document):
    """The values of three or more runs over time."""

    folders: Annotated[list[str], _says("Folders of the runs, in their order.")]
    slowed: Annotated[
        bool,
        _says(
            "Whether the last step of a backend on an equal machine is a slowdown, or the last "
            "run has a wrong answer."
        ),
    ]
    notes: Annotated[
        list[str], _says("What a reader needs to know before any value, unfinished runs first.")
    ]
    tables: Annotated[
        dict[str, list[Row]], _says("The rows of `trends`, `steps`, `runs` and `values`.")
    ]


class TimeData(Document):
    """The time by which a backend is compared."""

    time: Annotated[str, _says("`wall` or `cpu`.")]
    reason: Annotated[str, _says("Why.")]


class DifferenceData(Document):
    """A condition that differs between two runs."""

    subject: Annotated[str, _says("What differs.")]
    before: Annotated[str, _says("In the first run.")]
    after: Annotated[str, _says("In the second run.")]


class Compared(Document):
    """The changes between two runs."""

    before: Annotated[str, _says("Folder of the first run.")]
    after: Annotated[str, _says("Folder of the second run.")]
    regressed: Annotated[bool, _says("Whether anything is worse on an equal machine.")]
    suspected: Annotated[
        bool, _says("Whether anything is worse that an unequal machine may have caused.")
    ]
    times: Annotated[
        dict[str, TimeData], _says("For each backend the time that is compared, and why.")
    ]
    unequal: Annotated[
        list[DifferenceData], _says("How the machine differed between the runs; empty if equal.")
    ]
    partial: Annotated[
        list[str], _says("Why the comparison does not cover all of both runs; empty if it does.")
    ]
    changes: Annotated[dict[str, int], _says("Number of each kind of change.")]
    only_before: Annotated[int, _says("Results that only the first run has.")]
    only_after: Annotated[int, _says("Results that only the second run has.")]
    notes: Annotated[list[str], _says("What a reader needs to know before any value.")]
    tables: Annotated[
        dict[str, list[Row]],
        _says("The rows of `status`, `limits`, `times`, `puzzles` and `environment`."),
    ]
