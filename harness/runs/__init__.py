"""Sweeps: the plan, the sweep file and its execution."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.runs.dry_run import Preview, preview
    from harness.runs.execution import MemorySink, Observer, execute
    from harness.runs.plan import FixedPlan, datasets_of
    from harness.runs.run import (
        COPIES,
        CollectedTrials,
        collect,
        identity,
        locked_run_folder,
        run_copies,
        run_sweep,
        supervisor_of,
    )
    from harness.runs.selection import (
        EVERY_BACKEND,
        expand_specs,
        require_available,
        select_configurations,
        single_spec,
    )
    from harness.runs.sweep import (
        RESULTS,
        SINGLE_LIMIT,
        SINGLE_TIMEOUT_S,
        Option,
        Sweep,
        SweepChanges,
        folder_name,
        options_of,
        parse_choice,
        question_of,
    )
    from harness.runs.sweep_files import add_sweep, read_sweeps

__all__ = [
    "COPIES",
    "EVERY_BACKEND",
    "RESULTS",
    "SINGLE_LIMIT",
    "SINGLE_TIMEOUT_S",
    "CollectedTrials",
    "FixedPlan",
    "MemorySink",
    "Observer",
    "Option",
    "Preview",
    "Sweep",
    "SweepChanges",
    "add_sweep",
    "collect",
    "datasets_of",
    "execute",
    "expand_specs",
    "folder_name",
    "identity",
    "locked_run_folder",
    "options_of",
    "parse_choice",
    "preview",
    "question_of",
    "read_sweeps",
    "require_available",
    "run_copies",
    "run_sweep",
    "select_configurations",
    "single_spec",
    "supervisor_of",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
