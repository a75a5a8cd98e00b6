"""Connections that do not send what they should."""

import socket

import pytest

from tests.workbench.running import wait_for
from tests.workbench.server import Workbench


def fields(workbench: Workbench, path: str, *more: str, method: str = "POST") -> bytes:
    """The beginning of a request of the page, as it is sent."""
    lines = [f"{method} {path} HTTP/1.1", f"host: 127.0.0.1:{workbench.port}", *more]
    return "\r\n".join([*lines, f"cookie: {workbench.cookie}", "x-workbench: 1", "\r\n"]).encode()


@pytest.mark.parametrize("path", ["/api/image", "/api/check", "/api/sweeps"])
def test_a_body_that_is_cut_off_is_no_failure_of_the_workbench(
    workbench: Workbench, path: str
) -> None:
    for part in (b"", b'{"shape": '):
        with socket.create_connection(("127.0.0.1", workbench.port), timeout=5) as client:
            client.sendall(fields(workbench, path, "content-length: 1000") + part)
            wait_for(lambda: workbench.request("GET", "/api/shape").status == 200)
    assert workbench.request("GET", "/api/shape").status == 200
    assert workbench.log.read_text().count("\n") <= 1  # what Ctrl-C does
