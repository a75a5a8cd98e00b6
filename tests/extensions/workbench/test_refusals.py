"""Malformed requests, each refused with a sentence: the table in `refusals.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.extensions.workbench.server import Workbench

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
