"""Requests over HTTP: who may send them, malformed ones, and broken connections."""

import asyncio
import json
import random
import socket
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.requests import Request

from harness.extensions.workbench.access import kept_secret
from harness.extensions.workbench.app import listening_on
from harness.extensions.workbench.messages import Hub
from tests.extensions.workbench.server import Workbench


def test_the_token_gives_a_cookie_and_leaves_the_address(workbench: Workbench) -> None:
    answer = workbench.enter()
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert workbench.request("GET", "/").status == 200


@pytest.mark.parametrize("token", ["", "\u00e4"])
def test_another_token_gives_none(workbench: Workbench, token: str) -> None:
    path = "/?token=" + "".join(f"%{byte:02X}" for byte in token.encode())
    answer = workbench.send("GET", path)
    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    assert b"Open the address that harness workbench printed" in answer.body


@pytest.mark.parametrize("path", ["/", "/api/events", "/static/main.js", "/nothing"])
def test_nothing_is_shown_without_the_cookie(workbench: Workbench, path: str) -> None:
    assert workbench.send("GET", path).status == 403
    name = workbench.cookie.partition("=")[0]
    wrong = {"cookie": f"{name}={'0' * 64}"}
    assert workbench.send("GET", path, headers=wrong).status == 403
    assert workbench.send("GET", f"{path}?token={workbench.token}x", headers=wrong).status == 403


@pytest.mark.parametrize(
    "other", ['prefs={"a":1}', "expires=Thu, 01 Jan 1970", "a=\u00e9", 'a="open', "", "$Version=1"]
)
def test_cookies_of_other_applications_do_not_hide_ours(workbench: Workbench, other: str) -> None:
    name, _, value = workbench.cookie.partition("=")
    for line, status in (
        (f"{other}; {workbench.cookie}", 200),
        (f"{workbench.cookie}; {other}", 200),
        (f"{other}; {name}={value[1:]}", 403),
        (f"{other}; x{name}={value}", 403),
        (f"{other};{name}", 403),
    ):
        answer = workbench.send("GET", "/api/shape", headers={"cookie": line})
        assert answer.status == status, line


@pytest.mark.parametrize("field", ["origin", "host", "sec-fetch-site"])
def test_every_line_of_a_header_is_checked(workbench: Workbench, field: str) -> None:
    good = f"127.0.0.1:{workbench.port}"
    lines = {
        "origin": [f"http://{good}", "http://evil.example"],
        "host": [good, "evil.example"],
        "sec-fetch-site": ["same-origin", "cross-site"],
    }[field]
    for first, second in (lines, lines[::-1]):
        with workbench.connected() as client:
            host = "" if field == "host" else f"host: {good}\r\n"
            twice = f"{field}: {first}\r\n{field}: {second}\r\n"
            rest = f"cookie: {workbench.cookie}\r\n\r\n"
            client.sendall(f"GET /api/shape HTTP/1.1\r\n{host}{twice}{rest}".encode())
            assert client.recv(12) in (b"HTTP/1.1 403", b"HTTP/1.1 400")


def test_another_name_of_the_server_is_refused(workbench: Workbench) -> None:
    for host in ("evil.example", f"evil.example:{workbench.port}", "127.0.0.1", "127.0.0.1:1", ""):
        headers = {"cookie": workbench.cookie, "host": host}
        assert workbench.send("GET", "/api/shape", headers=headers).status == 403, host
        answer = workbench.send("GET", f"/?token={workbench.token}", headers={"host": host})
        assert answer.status == 403, host
    headers = {"cookie": workbench.cookie, "host": f"localhost:{workbench.port}"}
    assert workbench.send("GET", "/api/shape", headers=headers).status == 200


def test_a_page_of_another_origin_cannot_do_anything(workbench: Workbench) -> None:
    good = {"cookie": workbench.cookie, "x-workbench": "1", "content-type": "application/json"}
    body = b'{"puzzle":{"shape":"4x4","givens":[]},"configurations":["native"]}'
    for name, value in (
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", f"https://127.0.0.1:{workbench.port}"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ):
        headers = {**good, name: value}
        assert workbench.send("POST", "/api/questions", body, headers).status == 403
        assert workbench.send("GET", "/api/shape", headers=headers).status == 403
    # A form of another page can send neither the header nor this type of content.
    form = {"cookie": workbench.cookie, "content-type": "text/plain"}
    assert workbench.send("POST", "/api/questions", body, form).status == 403
    preflight = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    answer = workbench.send("OPTIONS", "/api/questions", headers=preflight)
    assert answer.status == 403
    assert not any(name.startswith("access-control") for name in answer.headers)
    assert workbench.send("POST", "/api/questions", body, good).status == 400  # only malformed


def test_every_answer_has_the_policies(workbench: Workbench) -> None:
    answers = [
        workbench.request("GET", "/"),
        workbench.request("GET", "/static/main.js"),
        workbench.request("GET", "/nothing"),
        workbench.send("GET", "/"),
        workbench.request("POST", "/api/questions", {}),
    ]
    assert [answer.status for answer in answers] == [200, 200, 404, 403, 400]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in answer.headers


@pytest.mark.parametrize(
    "path", ["../access.py", "..%2faccess.py", "%2fetc%2fpasswd", "main.js%00.txt", "a/" * 2000]
)
def test_no_file_outside_the_static_folder_is_shown(workbench: Workbench, path: str) -> None:
    answer = workbench.request("GET", f"/static/{path}")
    assert answer.status in (400, 404), answer
    assert b"import" not in answer.body
    assert b"root:" not in answer.body


def test_it_listens_on_loopback_only(workbench: Workbench) -> None:
    hosts = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None)}
    for host in (host for host in hosts if not host.startswith(("127.", "::1"))):
        with socket.socket() as client:
            client.settimeout(2)
            with pytest.raises(OSError, match="refused"):
                client.connect((host, workbench.port))
    assert workbench.request("GET", "/api/shape").status == 200


def test_a_large_body_is_refused_early(workbench: Workbench) -> None:
    text = workbench.refusal("/api/questions", {"puzzle": "x" * 2_000_000})
    assert text == "the request is too large; expected at most 1,048,576 bytes"


def test_a_declared_size_is_refused_before_the_body_arrives(workbench: Workbench) -> None:
    with workbench.connected() as client:
        fields = workbench.fields("content-length: 99999999999")
        client.sendall(b"POST /api/questions HTTP/1.1\r\n" + fields)
        answer = b""
        while b"too large" not in answer:
            part = client.recv(65_536)
            assert part, answer
            answer += part
    assert answer.startswith(b"HTTP/1.1 400")


def test_a_refusal_does_not_repeat_all_of_the_request(workbench: Workbench) -> None:
    body = {"shape": "9x9", "level": "x" * 100_000}
    text = workbench.refusal("/api/generate", body)
    assert text.startswith("malformed request: Invalid enum value")
    assert len(text) < 700
    unknown = workbench.refusal("/api/read", {"text": "1234", "format": "x" * 100_000})
    assert len(unknown) < 700
    board = {"shape": "9x9+pairs:" + "1-2," * 20_000, "givens": [0] * 81}
    text = workbench.refusal("/api/check", board)
    assert text.startswith("malformed request: Expected `str` of length <= 65536")


def test_a_deeply_nested_body_is_refused(workbench: Workbench) -> None:
    headers = {"cookie": workbench.cookie, "x-workbench": "1"}
    answer = workbench.send("POST", "/api/questions", b"[" * 500_000, headers)
    assert answer.status == 400
    assert answer.data["error"].startswith("malformed request: ")


def test_the_secret_is_kept_for_the_user_only(tmp_path: Path) -> None:
    first = kept_secret(tmp_path / "cache")
    assert len(first) == 32
    assert kept_secret(tmp_path / "cache") == first
    (file,) = (tmp_path / "cache").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(b"short")
    second = kept_secret(tmp_path / "cache")
    assert second not in (first, b"short")
    assert kept_secret(tmp_path / "cache") == second


def mutate(random_: random.Random, data: bytes) -> bytes:
    """The same bytes with some changes."""
    for _ in range(random_.randint(1, 8)):
        at, end = sorted(random_.choices(range(len(data) + 1), k=2))
        new = random_.choice([b"", random_.randbytes(1), data[at:end]])
        data = data[:at] + new + data[at + random_.randrange(2) :]
    return data


REQUESTS = [
    b"GET /api/shape?name=9x9%2Bdiagonal HTTP/1.1\r\n@",
    b"GET /static/main.js HTTP/1.1\r\n@",
    b"GET /api/board.svg?shape=4x4&puzzle=1234.............&grid=x HTTP/1.1\r\n@",
    b"GET /api/jobs/abc HTTP/1.1\r\n@",
    b'POST /api/read HTTP/1.1\r\n@{"text": "1...\\n..3.\\n....\\n.4..", "shape": "4x4"}',
    b'POST /api/write HTTP/1.1\r\n@{"puzzle": {"shape": "4x4", "givens": [1]}, "format": "line"}',
    b'POST /api/check HTTP/1.1\r\n@{"shape": "4x4", "givens": [0, 1, 2, 3], "marks": [1, 2]}',
    b'POST /api/generate HTTP/1.1\r\n@{"shape": "4x4", "count": 0, "clues": "5-3", "level": "x"}',
    b'POST /api/questions HTTP/1.1\r\n@{"puzzle": {"shape": "4x4"}, "configurations": ["../x"]}',
    b"DELETE /api/questions/abc HTTP/1.1\r\n@",
]


def test_mutated_requests_are_answered_without_a_failure(workbench: Workbench) -> None:
    """Each is answered at once, or its connection is closed."""
    before, random_ = sorted(workbench.folder.rglob("*")), random.Random(1)
    for _ in range(150):
        line, _, body = random_.choice(REQUESTS).partition(b"@")
        part = random_.randrange(3)
        line = mutate(random_, line) if part == 0 else line
        body = mutate(random_, body) if part == 1 else body
        fields = workbench.fields("connection: close", f"content-length: {len(body)}")
        fields = mutate(random_, fields) if part == 2 else fields
        began = time.monotonic()
        with workbench.connected() as client:
            client.sendall(line + fields + body)
            client.shutdown(socket.SHUT_WR)
            answer = b""
            while data := client.recv(65_536):
                answer += data
        assert time.monotonic() - began < 5, (line, fields, body)
        status = answer.partition(b"\r\n")[0]
        assert not answer or status.startswith(b"HTTP/1.1 "), answer[:200]
        assert b" 500 " not in status, (line, fields, body, answer)
    assert sorted(workbench.folder.rglob("*")) == before
    assert workbench.got("/api/shape")["size"] == 9


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


# Malformed requests, each refused with a sentence: the table in `refusals.json`.

GROUPS = json.loads(Path(__file__).with_name("refusals.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "base", "change", "expected"),
    [
        (path, group["base"], change, expected)
        for group in GROUPS
        for path in group["paths"]
        for change, expected in group["refused"]
    ],
)
def test_a_malformed_request_is_refused_with_a_sentence(
    workbench: Workbench, path: str, base: dict[str, Any], change: Any, expected: str
) -> None:
    before = sorted(workbench.results.glob("*"))
    text = workbench.refusal(path, {**base, **change} if isinstance(change, dict) else change)
    assert expected in text
    assert "\n" not in text
    assert "Traceback" not in text
    assert sorted(workbench.results.glob("*")) == before
