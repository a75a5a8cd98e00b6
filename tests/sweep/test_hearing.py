"""What comes from a worker is what a worker says, or the channel counts as broken."""

import json
from typing import Any

import pytest

from harness.sweep.channel import ChannelBroken
from harness.sweep.hearing import checked, outcome_in
from harness.sweep.trial import Ending, Outcome

WARM = {"is": "warm", "shape": "4x4", "task": "solve", "seconds": None, "ending": "answered"}
UNUSUAL = Outcome(Ending.ANSWERED, number=[1, "x"], exact="yes", grid=[[1]], wall=0.5, core=1)


def row(outcome: Outcome = UNUSUAL, **changes: object) -> dict[str, Any]:
    """A row as it arrives, but for these changes of its outcome."""
    told: dict[str, Any] = json.loads(json.dumps(outcome._asdict()))
    return {"is": "row", "serial": 3, "outcome": told | changes}


@pytest.mark.parametrize("message", [{"is": "done"}, WARM | {"detail": ""}, row()])
def test_what_a_worker_says_is_taken(message: dict[str, Any]) -> None:
    assert checked(message) is message


def test_an_outcome_arrives_as_it_was() -> None:
    assert outcome_in(checked(row())) == UNUSUAL


@pytest.mark.parametrize(
    "message",
    [
        *({}, {"is": 3}, {"is": []}, {"is": "told"}, {"is": "done", "more": 1}),
        *({"is": "warm"}, WARM, WARM | {"detail": 1}, WARM | {"detail": "", "seconds": "1"}),
        *({"is": "row"}, row() | {"outcome": {}}, row() | {"outcome": 3}, row() | {"serial": "x"}),
        *(row(ending="nope"), row(wall="long"), row(line="\u00df" * 16), row(detail=3)),
        *(row(stats="[1]"), row(stats="no json"), row(core=2.5), row(more=1), row(claim=["x"])),
    ],
)
def test_anything_else_is_not(message: dict[str, Any]) -> None:
    with pytest.raises(ChannelBroken, match="a frame that no worker sends"):
        checked(message)
