"""What a backend promises, how it is named and found, and the suite that checks it."""

from harness.contract.backend import (
    Answer,
    Backend,
    Count,
    Phases,
    PhaseTimer,
    Stats,
    Unavailable,
    Unsupported,
)
from harness.contract.options import Options, option
from harness.contract.status import Status

__all__ = [
    "Answer",
    "Backend",
    "Count",
    "Options",
    "PhaseTimer",
    "Phases",
    "Stats",
    "Status",
    "Unavailable",
    "Unsupported",
    "option",
]
