"""The processes that the server starts, from their start to their end."""

import asyncio
import logging
import os
import signal

import pytest

from harness.workbench.processes import Child


def test_signals_do_not_take_the_end_of_a_process_from_the_event_loop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def end_them() -> list[int | None]:
        codes = []
        for _ in range(5):
            child = await Child.start("platform")
            for _ in range(3000):
                child.send_signal(signal.SIGKILL)
            await child.close()
            codes.append(child.exit_code)
        return codes

    with caplog.at_level(logging.WARNING):
        codes = asyncio.run(end_them())
    assert [record.getMessage() for record in caplog.records] == []
    assert codes == [-signal.SIGKILL] * 5


def test_a_signal_to_a_process_that_has_ended_reaches_no_other() -> None:
    async def end_twice() -> int | None:
        child = await Child.start("platform")
        os.kill(child.pid, signal.SIGKILL)
        await child.close()
        child.send_signal(signal.SIGTERM)
        return child.exit_code

    assert asyncio.run(end_twice()) == -signal.SIGKILL
