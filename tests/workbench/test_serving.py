"""The sockets of the workbench."""

import asyncio
import socket

from harness.workbench.serving import listening_on


def test_each_message_is_sent_at_once() -> None:
    async def delays() -> bool:
        found: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        async def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            found.set_result(not connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening_on(0) as listening:
            address = listening.getsockname()
            async with await asyncio.start_server(accepted, sock=listening):
                _, writer = await asyncio.open_connection(*address)
                result = await found
                writer.close()
        return result

    assert not asyncio.run(delays())
