"""Puzzles from images and drawn values, over HTTP."""

import io
from typing import Any

import pytest

from tests.extensions.workbench.server import PUZZLE, Answer, Workbench

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
    assert (part["puzzle"], part["shape"], part["unique"]) == (PUZZLE, "9x9", True)
    assert len(part["corners"]) == 4
    assert all(0 <= share <= 1 for corner in part["corners"] for share in corner)

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
        "no board was found; expected lines around 4, 6, 8, 9, 10, 12, 16 or 25 cells a side"
    )


def test_an_image_that_is_too_large_or_empty_is_refused_at_once(workbench: Workbench) -> None:
    assert send(workbench, b"").data["error"] == "the image is empty; expected an image file"
    answer = send(workbench, b"\x89PNG" + bytes(20_000_001))
    assert answer.data["error"] == "the request is too large; expected at most 20,000,000 bytes"


def test_a_drawn_value_is_read(workbench: Workbench) -> None:
    probabilities = workbench.got("/api/strokes", {"strokes": SEVEN, "size": 9})["probabilities"]
    assert len(probabilities) == 10
    assert probabilities.index(max(probabilities)) == 7
    assert workbench.got("/api/strokes", {"strokes": []})["probabilities"][0] == 1.0


def test_bad_drawings_are_refused_and_the_next_one_is_read(workbench: Workbench) -> None:
    for body in ({"strokes": SEVEN, "size": 26}, {"strokes": [[[1e9, 0]]]}):
        assert workbench.refusal("/api/strokes", body)
    assert workbench.got("/api/strokes", {"strokes": SEVEN})["probabilities"][7] > 0.5
