"""The contract of backends, their names, and how they are found."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.contract.answers import (
        Answer,
        Count,
        ManyAnswers,
        ManyCounts,
        Phases,
        PhaseTimer,
        Proof,
        Stats,
        Status,
        first_and_number,
    )
    from harness.contract.backend import (
        EVERYTHING,
        Backend,
        Capability,
        Restriction,
        Unavailable,
        Unsupported,
        batch_of,
        capabilities_in_words,
        limitations_in_words,
        require_symbols,
        restrictions_of,
    )
    from harness.contract.command import ProgramFile, last_number, program_in, run_lines
    from harness.contract.cover import Choices, CoverBackend, CoverQuestion, GaveUp, Tally
    from harness.contract.environments import (
        FOLDER_VARIABLE,
        OWN,
        RECORD,
        Environment,
        find,
        folder,
        remedy_of,
        version_key,
    )
    from harness.contract.options import (
        BackendSpec,
        OptionInfo,
        Options,
        describe_options,
        option,
        parse_specs,
    )
    from harness.contract.registry import (
        ONE_LINE,
        Description,
        InstalledBackend,
        borrow,
        declared_distributions,
        file_digest,
        home_of,
        installed_backends,
        take_over,
    )

__all__ = [
    "EVERYTHING",
    "FOLDER_VARIABLE",
    "ONE_LINE",
    "OWN",
    "RECORD",
    "Answer",
    "Backend",
    "BackendSpec",
    "Capability",
    "Choices",
    "Count",
    "CoverBackend",
    "CoverQuestion",
    "Description",
    "Environment",
    "GaveUp",
    "InstalledBackend",
    "ManyAnswers",
    "ManyCounts",
    "OptionInfo",
    "Options",
    "PhaseTimer",
    "Phases",
    "ProgramFile",
    "Proof",
    "Restriction",
    "Stats",
    "Status",
    "Tally",
    "Unavailable",
    "Unsupported",
    "batch_of",
    "borrow",
    "capabilities_in_words",
    "declared_distributions",
    "describe_options",
    "file_digest",
    "find",
    "first_and_number",
    "folder",
    "home_of",
    "installed_backends",
    "last_number",
    "limitations_in_words",
    "option",
    "parse_specs",
    "program_in",
    "remedy_of",
    "require_symbols",
    "restrictions_of",
    "run_lines",
    "take_over",
    "version_key",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
