"""Runs, their plans and their reports."""

from typing import Annotated

from harness.documents.agreement import AgreementData
from harness.documents.document import Document, Row, says


class Sharded(Document):
    """A sweep that was divided into shards."""

    folder: Annotated[str, says("Folder of the shards' files.")]
    plan: Annotated[str, says("Digest of the plan, which all shards have.")]
    shards: Annotated[int, says("Number of shards.")]
    expected_s: Annotated[
        float | None, says("Seconds that all trials are expected to take; null if unknown.")
    ]


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
    proven: Annotated[str, says("What is proven: `exactly 1`, `at least 7`.")]


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
    certificates: Annotated[
        CertifiedRunData | None, says("What is proven; null without `--certify`.")
    ]
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
    unavailable: Annotated[dict[str, str], says("Backends left out, with the reason.")]
    plan: Annotated[list[PlannedData], says("Each configuration on each dataset.")]
