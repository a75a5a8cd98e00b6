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
    first_and_number,
)
from harness.contract.backend import Backend, Unavailable, Unsupported
from harness.contract.capabilities import Capability
from harness.contract.options import Options, option
from harness.contract.status import Status

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
