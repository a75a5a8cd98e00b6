"""A workbench in a process of its own, for tests of runs."""

import http.client
import json
import queue
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.workbench.server import Answer
from tests.workbench.server import Workbench as Server

PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


class Workbench(Server):
    """A workbench whose runs are in ``folder/results``; a context manager."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        super().__init__(folder, *options, port=port)
        self.results = folder / "results"

    def __enter__(self) -> "Workbench":
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self, number: int = signal.SIGINT) -> int:
        """End the server; returns its exit code."""
        return self.stop(number)

    def answer(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """The code and the JSON of an answer."""
        code, _, data = self.raw(path, body, **headers)
        return code, json.loads(data)

    def raw(self, path: str, body: Any = None, **headers: str) -> Answer:
        """The answer to a GET, or with a body to a POST."""
        given = {"cookie": self.cookie, "x-workbench": "1", **headers}
        data = b"" if body is None else json.dumps(body).encode()
        return self.send("GET" if body is None else "POST", path, data, given)

    def delete(self, path: str) -> None:
        """Send a request to delete something."""
        assert self.request("DELETE", path).status == 200

    def got(self, path: str, body: Any = None) -> Any:
        """The JSON of an answer that is no refusal."""
        code, data = self.answer(path, body)
        assert code == 200, data
        return data

    def refusal(self, path: str, data: Any = None) -> str:
        """The text of a refusal."""
        code, answer = self.answer(path, data)
        assert code == 400, answer
        text = answer["error"]
        assert isinstance(text, str)
        return text

    def job(self, run: str) -> dict[str, Any]:
        """The sweep of a run."""
        found: dict[str, Any] = next(of for of in self.got("/api/sweeps") if of["run"] == run)
        return found

    def ended(self, run: str) -> dict[str, Any]:
        """The sweep of a run, when it has ended."""
        found: dict[str, Any] = wait_for(lambda: (job := self.job(run))["state"] == "ended" and job)
        return found

    def facts(self, run: str) -> dict[str, Any]:
        """What the page shows of a run."""
        found: dict[str, Any] = self.got(f"/api/runs/facts?run={quote(run)}")
        return found

    def done(self, run: str) -> int:
        """The finished trials of a run."""
        progress = self.facts(run)["progress"]
        return int(progress["done"]) if progress else 0

    def events(self) -> "Events":
        """The messages from now on."""
        return Events(f"127.0.0.1:{self.port}", self.cookie)


class Events:
    """The stream of messages, read by a thread; a context manager."""

    def __init__(self, host: str, cookie: str) -> None:
        self._connection = http.client.HTTPConnection(host, timeout=100)
        self._connection.request("GET", "/api/events", headers={"cookie": cookie})
        self._answer = self._connection.getresponse()
        self._queue: queue.Queue[tuple[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> "Events":
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
            found, data = self._queue.get(timeout=deadline - time.monotonic())
            if found == topic and holds(data):
                return data

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
    while not (found := condition()):
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.05)
    return found
