"""The folder of a run: its files, the store, shards, the environment, and merging."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.records.folder.anonymization import anonymize
    from harness.records.folder.checks import (
        SystemCheck,
    )
    from harness.records.folder.environment import (
        Activity,
        ConfigurationVersions,
        DatasetDigest,
        Invocation,
        InvocationEnd,
        InvocationLog,
        SystemInfo,
        read_invocations,
    )
    from harness.records.folder.files import (
        RunFile,
        Settings,
        is_held,
        parsed,
        read_run_file,
        read_settings,
        refuse_special_file,
        seen_from_here,
        solve_command,
        with_absolute_paths,
        with_paths,
        write_run_file,
        write_settings,
    )
    from harness.records.folder.frames import (
        concatenated,
        frame,
        frame_of,
        integers,
        typed_frame,
        with_dtypes,
    )
    from harness.records.folder.merging import (
        Collection,
        Gathered,
        are_shards,
        different_runs,
        gather,
        merge,
    )
    from harness.records.folder.record import INSTALL, write_parquet
    from harness.records.folder.shard import (
        DifferentMachineError,
        Shard,
        ShardProgress,
        begin_attempt,
    )
    from harness.records.folder.store import Store, read_rows, read_run
    from harness.records.folder.store_file import (
        glancing,
    )

__all__ = [
    "INSTALL",
    "Activity",
    "Collection",
    "ConfigurationVersions",
    "DatasetDigest",
    "DifferentMachineError",
    "Gathered",
    "Invocation",
    "InvocationEnd",
    "InvocationLog",
    "RunFile",
    "Settings",
    "Shard",
    "ShardProgress",
    "Store",
    "SystemCheck",
    "SystemInfo",
    "anonymize",
    "are_shards",
    "begin_attempt",
    "concatenated",
    "different_runs",
    "frame",
    "frame_of",
    "gather",
    "glancing",
    "integers",
    "is_held",
    "merge",
    "parsed",
    "read_invocations",
    "read_rows",
    "read_run",
    "read_run_file",
    "read_settings",
    "refuse_special_file",
    "seen_from_here",
    "solve_command",
    "typed_frame",
    "with_absolute_paths",
    "with_dtypes",
    "with_paths",
    "write_parquet",
    "write_run_file",
    "write_settings",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
