"""The end of a conversation: how the worker ended, also after the end of its monitor."""

import os
import signal
import time
from pathlib import Path

import pytest

from harness.engine.conversation import Conversation
from harness.engine.system import processes
from harness.engine.wire.messages import EndReason
from harness.extensions.certificates.prover import ProverLoaded, ProverMessage, prove_requests
from harness.runs.selection import expand_specs

pytestmark = pytest.mark.skipif(not processes.visible, reason="needs /proc")
BACKEND = """
import os, signal, time
from harness.contract import Answer, Backend

class Ends(Backend):
    name = "ends"
    paradigm = "none"

    @classmethod
    def load(cls, options):
        {end}

    def __init__(self, shape, options): ...
    def solve(self, puzzle): ...
"""


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("os._exit(3)", 3),
        ("os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)", -signal.SIGKILL),  # its monitor
    ],
)
def test_an_end_is_reported_after_that_of_the_monitor(end: str, code: int, tmp_path: Path) -> None:
    path = tmp_path / "ends.py"
    path.write_text(BACKEND.format(end=end))
    before = processes.children(os.getpid())
    with Conversation[ProverMessage](
        prove_requests,
        expand_specs([str(path)])[0],
        ProverMessage,
        memory_limit_mib=0,
        notice=lambda _: None,
    ) as conversation:
        assert not any(isinstance(message, ProverLoaded) for message in conversation.messages())
        (guard,) = {*processes.children(os.getpid())} - {*before}
        while processes.is_alive(guard):  # it ends after the monitor
            time.sleep(0.01)
        report = conversation.end()
    assert (report.reason, report.exit_code) == (EndReason.EXITED, code)
