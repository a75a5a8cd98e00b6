"""Records of a run: trial fields, verdicts, the store, the environment."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.records.fields import DTYPES, FIELDS, StoreTable, fields_of
    from harness.records.judging import (
        AnswerRule,
        are_solutions,
        broken_by_count,
        broken_by_status,
        fault_of_grid,
        judge,
    )
    from harness.records.question import (
        DEFAULT_LIMIT,
        DEFAULT_TIMEOUT_S,
        MOST_MEMORY_MIB,
        RELIABLE,
        WARNING_KINDS,
        Configuration,
        Question,
        Start,
        Task,
        TimeKind,
        Verdict,
        WorkerEvent,
        check_names,
        claim_of,
        spec_of,
        without_folders,
    )
    from harness.records.schema import (
        COLUMNS,
        SELECT_TRIALS,
        TRIAL_COLUMNS,
    )
    from harness.records.trial import (
        LONGEST_NAME,
        MOST_STATS,
        SETTLED,
        Batch,
        EndedTrials,
        Ending,
        Measurements,
        Outcome,
        Trial,
        TrialRecord,
        shares_of_batch,
    )

__all__ = [
    "COLUMNS",
    "DEFAULT_LIMIT",
    "DEFAULT_TIMEOUT_S",
    "DTYPES",
    "FIELDS",
    "LONGEST_NAME",
    "MOST_MEMORY_MIB",
    "MOST_STATS",
    "RELIABLE",
    "SELECT_TRIALS",
    "SETTLED",
    "TRIAL_COLUMNS",
    "WARNING_KINDS",
    "AnswerRule",
    "Batch",
    "Configuration",
    "EndedTrials",
    "Ending",
    "Measurements",
    "Outcome",
    "Question",
    "Start",
    "StoreTable",
    "Task",
    "TimeKind",
    "Trial",
    "TrialRecord",
    "Verdict",
    "WorkerEvent",
    "are_solutions",
    "broken_by_count",
    "broken_by_status",
    "check_names",
    "claim_of",
    "fault_of_grid",
    "fields_of",
    "judge",
    "shares_of_batch",
    "spec_of",
    "without_folders",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
