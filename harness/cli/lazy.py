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

    from harness.analysis import (
        EVERY,
        Agreement,
        Change,
        Comparison,
        Disagreement,
        Failure,
        Noise,
        Run,
        Spread,
        agreement,
        alike,
        exact_claims,
        feature_columns,
        load,
        noise,
        parse_feature,
        with_features,
    )
    from harness.analysis.measures import (
        MEASURES,
        Criterion,
        check_tables,
        columns,
    )
    from harness.base.plugins import harness_version
    from harness.cli.progress import StatusLine, counting
    from harness.cli.run_progress import LiveProgress
    from harness.contract import environments
    from harness.engine import Supervisor
    from harness.engine.system import machine
    from harness.puzzles.datasets import (
        Distribution,
        Facts,
        Statistics,
        Where,
        address_of,
        facts_of,
        features_of,
        find,
        is_minimal,
        listings,
        public_sets,
        read_instances,
    )
    from harness.puzzles.formats import names as format_names
    from harness.puzzles.search import solver_of
    from harness.records.folder import (
        Gathered,
        Shard,
        SystemCheck,
        anonymize,
        are_shards,
        frame_of,
        gather,
        merge,
        read_invocations,
        write_parquet,
    )
    from harness.report import (
        Annotation,
        BackendData,
        CaseOutcome,
        Checked,
        Diagnosis,
        Finished,
        Inspected,
        JUnitCase,
        Reply,
        Reported,
        ReportTable,
        Section,
        SolveDocument,
        answer,
        cases_of_check,
        cases_of_comparison,
        comparison_document,
        json,
        plain,
        tables,
    )
    from harness.report.render import markup, text
    from harness.report.render.data import csv
    from harness.report.tables import agreement as agreement_tables
    from harness.report.tables import comparison as comparison_tables
    from harness.runs import (
        COPIES,
        EVERY_BACKEND,
        CollectedTrials,
        Preview,
        collect,
        expand_specs,
        preview,
        read_sweeps,
        run_copies,
        run_sweep,
        single_spec,
    )
    from harness.session import Session

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
