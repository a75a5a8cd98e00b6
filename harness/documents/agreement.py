"""The comparison of all answers."""

from typing import Annotated

from harness.documents.document import Document, says


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
    """The agreement of backends; `agreed` is false if Ctrl-C ended the check."""

    interrupted: Annotated[bool, says("Whether Ctrl-C ended the check.")]
    trials: Annotated[int, says("Planned trials.")]
    done: Annotated[int, says("Finished trials; what is reported is based on them.")]
    backends: Annotated[list[str], says("The backends that were compared.")]
    unavailable: Annotated[dict[str, str], says("Backends left out, with the reason.")]
