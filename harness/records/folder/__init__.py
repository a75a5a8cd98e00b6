"""The folder of a run: its files, the store, shards, the environment, and merging."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.records.folder.anonymization import anonymize
    from harness.records.folder.checks import JOBS, SystemCheck, invocation_checks, system_checks
    from harness.records.folder.environment import (
        ENVIRONMENT_FILE,
        Activity,
        ConfigurationVersions,
        DatasetDigest,
        Invocation,
        InvocationEnd,
        InvocationLog,
        SystemInfo,
        digest_of,
        harness_version,
        read_invocations,
    )
    from harness.records.folder.files import (
        LOCK_FILE,
        NO_FOLLOW,
        SETTINGS_FILE,
        SHARD,
        Settings,
        is_held,
        parsed,
        read,
        read_settings,
        refuse_special_file,
        resolved,
        seen_from_here,
        solve_command,
        with_paths,
        write_settings,
    )
    from harness.records.folder.merge import Collection, different_runs
    from harness.records.folder.record import INSTALL, RECORD_FILE, rows_of, write_parquet
    from harness.records.folder.shard import (
        PLAN,
        SHARD_FILE,
        DifferentMachineError,
        Shard,
        ShardProgress,
        begin_attempt,
        plan_digest,
        read_shard,
        require_equal,
    )
    from harness.records.folder.store import Key, Store, read_rows, read_run
    from harness.records.folder.store_file import (
        INDEX,
        JOURNAL,
        LOG,
        NEW,
        STORE_FILE,
        SUFFIX,
        glancing,
    )

__all__ = [
    "ENVIRONMENT_FILE",
    "INDEX",
    "INSTALL",
    "JOBS",
    "JOURNAL",
    "LOCK_FILE",
    "LOG",
    "NEW",
    "NO_FOLLOW",
    "PLAN",
    "RECORD_FILE",
    "SETTINGS_FILE",
    "SHARD",
    "SHARD_FILE",
    "STORE_FILE",
    "SUFFIX",
    "Activity",
    "Collection",
    "ConfigurationVersions",
    "DatasetDigest",
    "DifferentMachineError",
    "Invocation",
    "InvocationEnd",
    "InvocationLog",
    "Key",
    "Settings",
    "Shard",
    "ShardProgress",
    "Store",
    "SystemCheck",
    "SystemInfo",
    "anonymize",
    "begin_attempt",
    "different_runs",
    "digest_of",
    "glancing",
    "harness_version",
    "invocation_checks",
    "is_held",
    "parsed",
    "plan_digest",
    "read",
    "read_invocations",
    "read_rows",
    "read_run",
    "read_settings",
    "read_shard",
    "refuse_special_file",
    "require_equal",
    "resolved",
    "rows_of",
    "seen_from_here",
    "solve_command",
    "system_checks",
    "with_paths",
    "write_parquet",
    "write_settings",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
