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
from harness.contract.backend import Backend, Capability, Unavailable, Unsupported
from harness.contract.options import Options, option

__all__ = [
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
    "Stats",
    "Status",
    "Unavailable",
    "Unsupported",
    "first_and_number",
    "option",
]
