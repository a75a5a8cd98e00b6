"""The contract of backends, their names, and how they are found."""

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
)
from harness.contract.options import Options, option

__all__ = [
    "EVERYTHING",
    "Answer",
    "Backend",
    "Capability",
    "Count",
    "ManyAnswers",
    "ManyCounts",
    "Options",
    "PhaseTimer",
    "Phases",
    "Proof",
    "Restriction",
    "Stats",
    "Status",
    "Unavailable",
    "Unsupported",
    "first_and_number",
    "option",
]
