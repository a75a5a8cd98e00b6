"""Trials in isolated processes: supervisor, servers, monitors, workers and limits."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.engine.conversation import Conversation
    from harness.engine.processes import outcome_of
    from harness.engine.supervisor import Supervisor

__all__ = [
    "Conversation",
    "Supervisor",
    "outcome_of",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
