"""Whatever an outcome from a worker may hold is stored, read back and passes the checks."""

import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.run import load
from harness.puzzles import Instance, parse_puzzle
from harness.records.judging import judge
from harness.records.question import Question, Start, Task
from harness.records.trial import LONGEST_DETAIL, Ending, Outcome, Trial
from tests.stores import store_of

PUZZLE = parse_puzzle("1...............")
QUESTION = Question(Task.COUNT, 10**30, Start.WARM, 5.0)

BEYOND: dict[str, object] = {
    "memory_bytes": 2**63,
    "minor_faults": -1,
    "core": 2**31,
    "exit_code": -(2**31) - 1,
    "ended_at": 1e300,
    "wall_s": -0.001,
    "cpu_source": "x" * 21,
    "detail": "x" * (LONGEST_DETAIL + 1),
    "status": "x" * (LONGEST_DETAIL + 1),
    "solution": "12?",
    "stats": {str(n): n for n in range(1001)},
    "count": 1.5,
}


@pytest.mark.parametrize("name", BEYOND)
def test_an_outcome_beyond_what_a_store_holds_is_rejected(name: str) -> None:
    data = msgspec.json.encode({"ending": "answered", name: BEYOND[name]})
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(data, type=Outcome)


Texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
Integers = st.integers(-(10**50), 10**50)
Events = st.none() | st.integers(0, 2**63 - 1)
Seconds = st.none() | st.floats(0, allow_nan=False, allow_infinity=False)
Outcomes = st.fixed_dictionaries(
    {
        "ending": st.sampled_from([str(ending) for ending in Ending]),
        "status": st.none() | Texts,
        "detail": Texts,
        "count": st.none() | Integers | Texts,
        "exact": st.none() | st.booleans(),
        "solution": st.none() | st.sampled_from(["", "1234341221434321", "1"]),
        "raw_grid": st.none() | st.lists(st.integers(-5, 40) | Texts, max_size=20) | Texts,
        "wall_s": Seconds,
        "cpu_s": Seconds,
        "memory_bytes": Events,
        "minor_faults": Events,
        "core": st.none() | st.integers(0, 2**31 - 1),
        "stats": st.dictionaries(
            Texts, Integers | st.floats(allow_nan=False, allow_infinity=False), max_size=4
        ),
        "ended_at": st.none() | st.floats(0, 253402300799.0),
        "cpu_source": st.text("ab", max_size=20),
    }
)


@settings(max_examples=8, deadline=None)
@given(st.lists(Outcomes, min_size=1, max_size=8))
def test_every_accepted_outcome_is_stored_and_read_back(outcomes: list[dict[str, Any]]) -> None:
    instance = Instance("first", PUZZLE)
    pairs = [
        (
            Trial("made", "d", instance, QUESTION, number),
            msgspec.json.decode(msgspec.json.encode(outcome), type=Outcome),
        )
        for number, outcome in enumerate(outcomes, 1)
    ]
    records = judge(pairs)
    with tempfile.TemporaryDirectory() as folder:
        store = store_of(Path(folder), instance, {})
        store.add(records)
        store.close()
        trials = load(folder).trials
    assert len(trials) == len(records)
    for record, count in zip(records, trials["count"].astype("object"), strict=True):
        assert record.count == (None if pd.isna(count) else count)
