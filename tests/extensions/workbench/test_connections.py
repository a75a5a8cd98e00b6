"""Connections that do not send what they should."""

import asyncio
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import msgspec
import pytest
import uvicorn
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from harness.extensions.workbench.messages import Hub
from harness.extensions.workbench.serving import PunctualProtocol, listening_on
from tests.extensions.workbench.server import Workbench, wait_for


def fields(workbench: Workbench, path: str, *more: str, method: str = "POST") -> bytes:
    """The beginning of a request of the page, as it is sent."""
    lines = [f"{method} {path} HTTP/1.1", f"host: 127.0.0.1:{workbench.port}", *more]
    return "\r\n".join([*lines, f"cookie: {workbench.cookie}", "x-workbench: 1", "\r\n"]).encode()


@pytest.mark.parametrize("path", ["/api/image", "/api/check"])
def test_a_body_that_is_cut_off_is_no_failure_of_the_workbench(
    workbench: Workbench, path: str
) -> None:
    before = workbench.log.read_text()
    for part in (b"", b'{"shape": '):
        with socket.create_connection(("127.0.0.1", workbench.port), timeout=5) as client:
            client.sendall(fields(workbench, path, "content-length: 1000") + part)
            wait_for(lambda: workbench.request("GET", "/api/shape").status == 200)
    assert workbench.request("GET", "/api/shape").status == 200
    assert workbench.log.read_text() == before


class Impatient(PunctualProtocol):
    """The protocol of the workbench with shorter limits."""

    headers_s = 0.4
    request_s = 1.0


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a server that answers at once, and at ``/slow`` in two parts."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if scope["path"] == "/slow":
            await send({"type": "http.response.body", "body": b"first", "more_body": True})
            await asyncio.sleep(2)
        await send({"type": "http.response.body", "body": b"last"})

    with listening_on(0) as listening:
        config = uvicorn.Config(app, http=Impatient, lifespan="off", log_level="error")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join()


@pytest.mark.long
@pytest.mark.parametrize(
    ("begin", "more", "most_s"),
    [
        (b"", b"", 0.4),
        (b"", b"G", 0.4),
        (b"GET / HTTP/1.1\r\n", b"x: y\r\n", 0.4),
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9999\r\n\r\n", b"x", 1.0),
        (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n", 1.0),
        (b"GET / HTTP/1.1\r\nhost: x\r\n\r\n", b"GET / HTTP/1.1\r\nx: y", 0.4),
    ],
    ids=["nothing", "letters", "headers", "body", "chunks", "second request"],
)
def test_a_request_that_never_ends_loses_its_connection(
    port: int, begin: bytes, more: bytes, most_s: float
) -> None:
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(begin)
        is_open = True
        while is_open and time.monotonic() < began + 5:
            time.sleep(0.05)
            with suppress(BlockingIOError):
                try:
                    is_open = bool(client.recv(65_536, socket.MSG_DONTWAIT))
                    client.sendall(more)
                except ConnectionError:
                    is_open = False
    assert most_s - 0.1 < time.monotonic() - began < most_s + 1.5


@pytest.mark.long
def test_a_long_answer_and_a_second_request_keep_the_connection(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for path, body in (("/", b"last"), ("/slow", b"firstlast"), ("/", b"last")):
        connection.request("POST", path, b"body")
        assert connection.getresponse().read() == body
        time.sleep(0.2)
    connection.close()


@pytest.mark.long
def test_a_connection_without_a_word_is_closed_and_an_open_page_is_not(
    workbench: Workbench,
) -> None:
    with ExitStack() as stack:
        client, page = (
            stack.enter_context(socket.create_connection(("127.0.0.1", workbench.port), 20))
            for _ in range(2)
        )
        page.sendall(fields(workbench, "/api/events", method="GET"))
        began = time.monotonic()
        with suppress(ConnectionError):
            assert client.recv(1) == b""
        assert 9 < time.monotonic() - began < 15
        answer = b""
        while answer.count(b"still here") < 2:
            part = page.recv(4096)
            assert part
            answer += part


def test_a_document_of_several_lines_is_one_event() -> None:
    async def received() -> str:
        hub = Hub()
        request = Request({"type": "http", "query_string": b"page=mine"})
        stream = aiter((await hub.stream(request)).body_iterator)
        await anext(stream)  # the greeting
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
