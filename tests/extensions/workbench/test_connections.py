"""Connections that do not send what they should."""

import asyncio
import socket

import msgspec
import pytest
from starlette.requests import Request

from harness.extensions.workbench.app import listening_on
from harness.extensions.workbench.messages import Hub
from tests.extensions.workbench.server import Workbench


@pytest.mark.parametrize("path", ["/api/image", "/api/check"])
def test_a_body_that_is_cut_off_is_no_failure_of_the_workbench(
    workbench: Workbench, path: str
) -> None:
    before = workbench.log.read_text()
    for part in (b"", b'{"shape": '):
        with workbench.connected() as client:
            fields = workbench.fields("content-length: 1000")
            client.sendall(f"POST {path} HTTP/1.1\r\n".encode() + fields + part)
            workbench.got("/api/shape")
    workbench.got("/api/shape")
    assert workbench.log.read_text() == before


def test_a_document_of_several_lines_is_one_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.extensions.workbench.messages._STILL_HERE_S", 0.01)

    async def received() -> str:
        hub = Hub()
        request = Request({"type": "http", "query_string": b"page=mine"})
        stream = aiter((await hub.stream(request)).body_iterator)
        await anext(stream)  # the greeting
        assert await anext(stream) == b": still here\n\n"
        hub.publish("job", msgspec.Raw(b'{\n  "puzzle": "1..."\n}\n'))
        event = await anext(stream)
        assert isinstance(event, bytes)
        return event.decode()

    topic, *data, end, rest = asyncio.run(received()).split("\n")
    assert (topic, end, rest) == ("event: job", "", "")
    # As browsers read it: the lines of an event are joined.
    assert all(line.startswith("data: ") for line in data)
    document = "\n".join(line.removeprefix("data: ") for line in data)
    assert msgspec.json.decode(document) == {"puzzle": "1..."}


# The sockets of the workbench.


def test_each_message_is_sent_at_once() -> None:
    async def delays() -> bool:
        end: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            end.set_result(not connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening_on(0) as listening:
            address = listening.getsockname()
            async with await asyncio.start_server(accept, sock=listening):
                _, writer = await asyncio.open_connection(*address)
                result = await end
                writer.close()
        return result

    assert not asyncio.run(delays())
