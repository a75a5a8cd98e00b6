"""A workbench in a process of its own, and requests to it."""

import http.client
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


class Workbench:
    """A workbench with the working folder `folder`; its results are there."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        self.folder = folder
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
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)", self.address)
        assert found, (self.address, self.log.read_text())
        self.port, self.token = int(found[1]), found[2]
        self.cookie = self.enter().headers["set-cookie"].partition(";")[0]

    def enter(self) -> Answer:
        """Open the address with the token."""
        return self.send("GET", f"/?token={self.token}")

    def send(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a request as it is, without the cookie."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=100)
        try:
            connection.request(method, path, body or None, dict(headers or {}))
            found = connection.getresponse()
            named = {name.lower(): value for name, value in found.getheaders()}
            return Answer(found.status, named, found.read())
        finally:
            connection.close()

    def request(self, method: str, path: str, data: Any = None) -> Answer:
        """Send a request as the page does."""
        body = b"" if data is None else json.dumps(data).encode()
        headers = {"cookie": self.cookie, "x-workbench": "1", "content-type": "application/json"}
        return self.send(method, path, body, headers)

    def get(self, path: str) -> Any:
        """The answer of the page's request as an object."""
        found = self.request("GET", path)
        assert found.status == 200, found
        return found.data

    def post(self, path: str, data: Any) -> Any:
        found = self.request("POST", path, data)
        assert found.status == 200, found
        return found.data

    def refusal(self, path: str, data: Any) -> str:
        """The sentence with which a request is refused."""
        found = self.request("POST", path, data)
        assert found.status == 400, found
        text = found.data["error"]
        assert isinstance(text, str)
        return text

    def answers(self, question: str, seconds: float = 30.0) -> dict[str, Any]:
        """The states of a question by configuration, when none runs any more."""
        deadline = time.monotonic() + seconds
        while True:
            states = self.get(f"/api/questions/{question}")["answers"]
            if all(state["state"] not in ("waiting", "running") for state in states):
                return {state["configuration"]: state for state in states}
            assert time.monotonic() < deadline, states
            time.sleep(0.02)

    def ended_job(self, job: str, seconds: float = 30.0) -> Any:
        """The state of a job when it has ended."""
        deadline = time.monotonic() + seconds
        while True:
            state = self.get(f"/api/jobs/{job}")
            if state["state"] not in ("waiting", "running"):
                return state
            assert time.monotonic() < deadline, state
            time.sleep(0.02)

    def stop(self, number: int = signal.SIGINT) -> int:
        """End it, by default as Ctrl-C does; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return self.process.wait(40)
