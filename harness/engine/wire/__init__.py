"""Messages and shared memory between the processes of the engine."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.engine.wire.channel import (
        SEND_LIMIT_S,
        ChannelBroken,
        ChannelClosed,
        Connection,
        Message,
    )
    from harness.engine.wire.messages import (
        FORK_DESCRIPTORS,
        LONGEST_REASON,
        MIB,
        WORKER_DESCRIPTORS,
        CallObserved,
        Done,
        EndReason,
        EndWorker,
        ForkWorker,
        Limits,
        LoadBackend,
        MonitorMessage,
        MonitorReport,
        MonitorRequest,
        MonitorStarted,
        Preparing,
        Ready,
        Refusal,
        Refused,
        Rest,
        Row,
        ServerMessage,
        ServerRequest,
        TrialsRequest,
        WarmedUp,
        WatchTrials,
        WorkerMessage,
    )
    from harness.engine.wire.shared import (
        STANDSTILL_S,
        WARM_UP,
        CurrentTrial,
        Journal,
        RunningTrial,
        TrialPhase,
    )

__all__ = [
    "FORK_DESCRIPTORS",
    "LONGEST_REASON",
    "MIB",
    "SEND_LIMIT_S",
    "STANDSTILL_S",
    "WARM_UP",
    "WORKER_DESCRIPTORS",
    "CallObserved",
    "ChannelBroken",
    "ChannelClosed",
    "Connection",
    "CurrentTrial",
    "Done",
    "EndReason",
    "EndWorker",
    "ForkWorker",
    "Journal",
    "Limits",
    "LoadBackend",
    "Message",
    "MonitorMessage",
    "MonitorReport",
    "MonitorRequest",
    "MonitorStarted",
    "Preparing",
    "Ready",
    "Refusal",
    "Refused",
    "Rest",
    "Row",
    "RunningTrial",
    "ServerMessage",
    "ServerRequest",
    "TrialPhase",
    "TrialsRequest",
    "WarmedUp",
    "WatchTrials",
    "WorkerMessage",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
