"""What commands need at work only: each name below is imported at its first use.

Help and completion import all modules of commands, so these import nothing that takes long:
pandas alone needs half a second. A command that works reads ``lazy.load(folder)``, and pays for
what it uses. The names stand once, in the imports for type checkers, which `lazily` reads.

Modules that are named here, and what they import, do not use this module.
"""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from pandas import DataFrame

    from harness.analysis import changes, difficulty
    from harness.analysis.claims import (
        Agreement,
        Disagreement,
        Failure,
        agreement,
        alike,
        exact_claims,
    )
    from harness.analysis.comparison import Comparison
    from harness.analysis.measures import columns, inference, measure
    from harness.analysis.resolution import Noise, Spread, noise
    from harness.analysis.run import Run, load
    from harness.cli.progress import StatusLine, counting
    from harness.cli.run_progress import LiveProgress
    from harness.engine.supervisor import Supervisor
    from harness.engine.system import machine
    from harness.puzzles.datasets import facts
    from harness.puzzles.datasets.where import Where
    from harness.puzzles.search.solver import solver_of
    from harness.records.folder import merge as merging
    from harness.records.folder.anonymization import anonymize
    from harness.records.folder.checks import system_checks
    from harness.records.folder.environment import harness_version, read_invocations
    from harness.records.folder.record import write_parquet
    from harness.records.folder.shard import Shard, read_shard
    from harness.records.frames import frame_of
    from harness.report import answer, ci, documents, run_documents, tables
    from harness.report.plain import json, plain
    from harness.report.render import markup, text
    from harness.report.render.data import csv
    from harness.report.reply import Reply
    from harness.report.table import ReportTable, Section
    from harness.report.tables import agreement as agreement_tables
    from harness.report.tables import comparison as comparison_tables
    from harness.runs.dry_run import Preview, preview
    from harness.runs.run import COPIES, CollectedTrials, collect, run_copies, run_sweep
    from harness.runs.selection import EVERY_BACKEND, expand_specs, single_spec
    from harness.runs.sweep import read_sweeps
    from harness.session import Session

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
