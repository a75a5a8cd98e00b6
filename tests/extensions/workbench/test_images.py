"""Puzzles from images and drawn values, over HTTP."""

import io
import re
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.extensions.workbench.conftest import READ_LINE
from tests.extensions.workbench.server import Answer, Workbench

PIL = pytest.importorskip("PIL.Image", reason="pillow is not installed")
pytest.importorskip("cv2", reason="opencv is not installed")

SEVEN = [[[0.3, 0.2], [0.7, 0.2], [0.5, 0.55], [0.4, 0.85]]]


def send(workbench: Workbench, data: bytes, query: str = "") -> Answer:
    headers = {"cookie": workbench.cookie, "x-workbench": "1", "content-type": "image/png"}
    return workbench.send("POST", f"/api/image{query}", data, headers)


def state_of(workbench: Workbench, data: bytes, query: str = "") -> Any:
    return workbench.ended_job(send(workbench, data, query).data["job"], 60)


@pytest.mark.long
def test_a_screenshot_becomes_a_puzzle(workbench: Workbench, image: bytes) -> None:
    state = state_of(workbench, image)
    assert state["state"] == "done", state
    (part,) = state["parts"]
    assert (part["puzzle"], part["shape"], part["unique"]) == (READ_LINE, "9x9", True)
    assert len(part["corners"]) == 4
    assert all(0 <= share <= 1 for corner in part["corners"] for share in corner)


@pytest.mark.long
def test_a_shape_can_be_chosen(workbench: Workbench, image: bytes) -> None:
    (part,) = state_of(workbench, image, "?shape=9x9%2Bdiagonal")["parts"]
    assert part["shape"] == "9x9+diagonal"
    assert send(workbench, image, "?shape=nothing").status == 400
    assert send(workbench, image, "?shape=36x36").status == 400


def test_what_is_no_image_of_a_board_is_refused(workbench: Workbench) -> None:
    white = io.BytesIO()
    PIL.new("L", (400, 300), 255).save(white, "PNG")
    state = state_of(workbench, white.getvalue())
    assert state["state"] == "failed"
    assert state["error"] == (
        "No board was found in the image. It needs lines around "
        "4, 6, 8, 9, 10, 12, 16 or 25 cells a side."
    )


def test_an_image_that_is_too_large_or_empty_is_refused_at_once(workbench: Workbench) -> None:
    assert send(workbench, b"").data["error"] == "the image is empty; expected an image file"
    answer = send(workbench, b"\x89PNG" + bytes(20_000_001))
    assert answer.data["error"] == "the request is too large; expected at most 20,000,000 bytes"


def test_few_images_wait_at_a_time(workbench: Workbench, image: bytes) -> None:
    answers = [send(workbench, image) for _ in range(12)]
    errors = [answer.data["error"] for answer in answers if answer.status == 400]
    assert errors
    assert set(errors) == {"8 images wait to be read; expected the end of some of them"}
    for answer in answers:
        if answer.status == 200:
            workbench.request("DELETE", f"/api/jobs/{answer.data['job']}")
            workbench.ended_job(answer.data["job"])
    job = send(workbench, image).data["job"]
    workbench.request("DELETE", f"/api/jobs/{job}")
    workbench.ended_job(job)


@pytest.fixture
def uploads(workbench: Workbench, image: bytes) -> Iterator[list[socket.socket]]:
    """Twelve connections that have sent an image but for its last byte."""
    fields = (
        f"POST /api/image HTTP/1.1\r\nhost: 127.0.0.1:{workbench.port}\r\n"
        f"cookie: {workbench.cookie}\r\nx-workbench: 1\r\ncontent-length: {len(image)}\r\n\r\n"
    ).encode()
    with ExitStack() as stack:
        clients = []
        for _ in range(12):
            client = socket.create_connection(("127.0.0.1", workbench.port), timeout=30)
            clients.append(stack.enter_context(client))
            client.sendall(fields + image[:-1])
        yield clients


@pytest.mark.long
def test_eight_images_of_twelve_that_arrive_at_once_are_taken(
    workbench: Workbench, image: bytes, uploads: list[socket.socket]
) -> None:
    sockets = select.select(uploads, [], [], 10)[0]
    deadline = time.monotonic() + 10
    while len(sockets) < 4 and time.monotonic() < deadline:
        sockets = select.select(uploads, [], [], 0.1)[0]
    assert len(sockets) == 4
    assert send(workbench, image).data["error"].startswith("8 images wait to be read")
    for client in uploads:
        if client not in sockets:
            client.sendall(image[-1:])
    statuses = [client.recv(12) for client in uploads]
    assert sorted(statuses) == [b"HTTP/1.1 200"] * 8 + [b"HTTP/1.1 400"] * 4
    for name in re.findall(rb'"job":"(\w+)"', b"".join(client.recv(65_536) for client in uploads)):
        workbench.request("DELETE", f"/api/jobs/{name.decode()}")
        workbench.ended_job(name.decode())


@pytest.mark.long
def test_an_image_that_never_arrives_or_finds_no_room_takes_no_place(
    workbench: Workbench, image: bytes, uploads: list[socket.socket]
) -> None:
    for client in uploads:
        client.close()
    endless = {"shape": "9x9", "count": 1000, "clues": "17"}
    jobs = [workbench.got("/api/generate", endless)["job"] for _ in range(100)]
    refusals = {send(workbench, image).data["error"] for _ in range(9)}
    assert refusals == {"100 jobs wait; expected the end of some of them"}
    for job in reversed(jobs):  # those that wait before those that run
        workbench.request("DELETE", f"/api/jobs/{job}")
    for job in jobs:
        workbench.ended_job(job)
    answer = send(workbench, image)
    assert answer.status == 200, answer
    assert workbench.ended_job(answer.data["job"])["state"] == "done"


def test_a_drawn_value_is_read(workbench: Workbench) -> None:
    for _ in range(2):
        probabilities = workbench.got("/api/strokes", {"strokes": SEVEN, "size": 9})[
            "probabilities"
        ]
        assert len(probabilities) == 10
        assert probabilities.index(max(probabilities)) == 7
    assert workbench.got("/api/strokes", {"strokes": []})["probabilities"][0] == 1.0


@pytest.mark.parametrize(
    "body",
    [
        {"strokes": SEVEN, "size": 26},
        {"strokes": [[[1e9, 0]]]},
        {"strokes": [[[0.1, 0.2]] * 20_001]},
    ],
)
def test_bad_drawings_are_refused_and_the_next_one_is_read(
    workbench: Workbench, body: dict[str, Any]
) -> None:
    assert workbench.refusal("/api/strokes", body)
    assert workbench.got("/api/strokes", {"strokes": SEVEN})["probabilities"][7] > 0.5
