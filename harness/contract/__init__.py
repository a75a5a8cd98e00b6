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
        require_symbols,
    )
    from harness.contract.command import ProgramFile, last_number, program_in, run_lines
    from harness.contract.cover import Choices, CoverBackend, CoverQuestion, GaveUp, Tally
    from harness.contract.environments import (
        Environment,
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
    )

__all__ = [
    "EVERYTHING",
    "ONE_LINE",
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
    "describe_options",
    "first_and_number",
    "last_number",
    "option",
    "parse_specs",
    "program_in",
    "require_symbols",
    "run_lines",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
