"""A workbench in a process of its own, and requests to it."""

import http.client
import json
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from harness.engine.system.processes import descendants

PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
BUSY = ("waiting", "running")
"""The states of answers and jobs that have not ended."""


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


def board(line: str = PUZZLE, shape: str = "9x9") -> dict[str, Any]:
    """A puzzle as the page sends it."""
    return {"shape": shape, "givens": [0 if symbol == "." else int(symbol) for symbol in line]}


def a_sweep(name: str, repeat: int = 1, **changes: Any) -> dict[str, Any]:
    """A sweep on one puzzle."""
    options = {"repeat": repeat, **changes.pop("options", {})}
    return {"name": name, "text": PUZZLE, "backends": ["native"], "options": options, **changes}


def endless(configuration: str) -> dict[str, Any]:
    """A question that takes longer than a test."""
    body = {"task": "count", "limit": 10**12, "timeout_s": 3600}
    return {"puzzle": board("." * 81), "configurations": [configuration], **body}


class Workbench:
    """A workbench with the working folder `folder`; its results are there."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        self.folder = folder
        self.results = folder / "results"
        self.log = folder / "log.txt"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "harness", "workbench", "--port", str(port), *options],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)", self.address)
        assert match, (self.address, self.log.read_text())
        self.port, self.token = int(match[1]), match[2]
        self.cookie = self.enter().headers["set-cookie"].partition(";")[0]

    def enter(self) -> Answer:
        """Open the address with the token."""
        return self.send("GET", f"/?token={self.token}")

    def send(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a request as it is, without the cookie."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=100)) as connection:
            connection.request(method, path, body or None, dict(headers or {}))
            response = connection.getresponse()
            named = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, named, response.read())

    def connected(self) -> socket.socket:
        """A connection for a request in bytes."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=5)

    def fields(self, *lines: str) -> bytes:
        """The fields of a request of the page, and these, up to the body."""
        host = f"host: 127.0.0.1:{self.port}"
        return "\r\n".join(
            [host, f"cookie: {self.cookie}", "x-workbench: 1", *lines, "", ""]
        ).encode()

    def request(self, method: str, path: str, data: Any = None) -> Answer:
        """Send a request as the page does."""
        body = b"" if data is None else json.dumps(data).encode()
        headers = {"cookie": self.cookie, "x-workbench": "1", "content-type": "application/json"}
        return self.send(method, path, body, headers)

    def answer(self, path: str, body: Any = None) -> tuple[int, Any]:
        """The code and the JSON of an answer to a GET, or with a body to a POST."""
        answer = self.request("GET" if body is None else "POST", path, body)
        return answer.status, answer.data

    def got(self, path: str, body: Any = None) -> Any:
        """The JSON of an answer that is no refusal."""
        code, data = self.answer(path, body)
        assert code == 200, data
        return data

    def refusal(self, path: str, body: Any = None) -> str:
        """The sentence with which a request is refused."""
        code, data = self.answer(path, body)
        assert code == 400, data
        return str(data["error"])

    def delete(self, path: str) -> None:
        """Send a request to end something."""
        assert self.request("DELETE", path).status == 200

    def answers(self, question: str, seconds: float = 60.0) -> dict[str, Any]:
        """The states of a question by configuration, when none runs any more."""

        def states() -> Any:
            answers = self.got(f"/api/questions/{question}")["answers"]
            return all(state["state"] not in BUSY for state in answers) and answers

        return {state["configuration"]: state for state in wait_for(states, seconds)}

    def ended_job(self, job: str, seconds: float = 90.0) -> Any:
        """The state of a job when it has ended."""
        path = f"/api/jobs/{job}"
        return wait_for(lambda: (job := self.got(path))["state"] not in BUSY and job, seconds)

    def sweep(self, run: str) -> dict[str, Any]:
        """The sweep of a run."""
        sweep: dict[str, Any] = next(job for job in self.got("/api/sweeps") if job["run"] == run)
        return sweep

    def ended_sweep(self, run: str) -> dict[str, Any]:
        """The sweep of a run, when it has ended."""
        wait_for(lambda: self.sweep(run)["state"] == "ended")
        return self.sweep(run)

    def run_sweep(self, name: str, repeat: int = 1, **changes: Any) -> dict[str, Any]:
        """Run a sweep to its end."""
        self.got("/api/sweeps", a_sweep(name, repeat, **changes))
        return self.ended_sweep(name)

    def stop_sweep(self, run: str) -> dict[str, Any]:
        """Stop a sweep, and wait for its end."""
        self.got("/api/sweeps/stop", {"run": run})
        return self.ended_sweep(run)

    def question(self, body: dict[str, Any]) -> str:
        """Put a question; returns its name."""
        return str(self.got("/api/questions", body)["question"])

    def facts(self, run: str) -> dict[str, Any]:
        """What the page shows of a run."""
        facts: dict[str, Any] = self.got(f"/api/runs/facts?run={quote(run)}")
        return facts

    def done(self, run: str) -> int:
        """The finished trials of a run."""
        progress = self.facts(run)["progress"]
        return int(progress["done"]) if progress else 0

    def processes(self, part: str = "") -> list[int]:
        """The processes below it whose command line has this part."""

        def has(pid: int) -> bool:
            try:
                return part in Path(f"/proc/{pid}/cmdline").read_bytes().decode()
            except OSError:
                return False  # it has ended

        return [pid for pid in descendants(self.process.pid) if has(pid)]

    def events(self, page: str = "") -> "Events":
        """The messages to a page from now on."""
        return Events(self, page)

    def __enter__(self) -> "Workbench":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self, number: int = signal.SIGINT) -> int:
        """End it, by default as Ctrl-C does; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return self.process.wait(40)


class Events:
    """The stream of messages to a page, read by a thread; a context manager."""

    def __init__(self, server: Workbench, page: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=100)
        headers = {"cookie": server.cookie}
        self._connection.request("GET", f"/api/events?page={page}", headers=headers)
        self._answer = self._connection.getresponse()
        self._queue: queue.Queue[tuple[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> "Events":
        self.next("hello")  # the server knows the page now
        return self

    def __exit__(self, *error: object) -> None:
        sock = self._connection.sock
        if sock is not None:
            sock.shutdown(2)
        self._connection.close()

    def next(self, topic: str, holds: Callable[[Any], bool] = lambda _: True) -> Any:
        """The next message with this topic for which `holds` is true."""
        deadline = time.monotonic() + 60
        while True:
            name, data = self._queue.get(timeout=deadline - time.monotonic())
            if name == topic and holds(data):
                return data

    def rest(self, topic: str) -> list[Any]:
        """The messages with this topic that are there."""
        every = [self._queue.get() for _ in range(self._queue.qsize())]
        return [data for name, data in every if name == topic]

    def _read(self) -> None:
        topic = ""
        try:
            for line in self._answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    topic = value
                elif name == "data":
                    self._queue.put((topic, json.loads(value)))
        except (OSError, ValueError, AttributeError):
            return  # the test has closed it


def wait_for(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """The first value of `condition` that is true."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.05)
    return result
