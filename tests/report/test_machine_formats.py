"""JSON and Parquet of frames: exact values and types."""

import json as json_
import re
import sys
from math import inf, nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.run import load
from harness.base.errors import InputError
from harness.records.folder.record import INSTALL, write_parquet
from harness.report.jsonable import json
from harness.report.run_documents import rows
from tests.trials import trials_from

REFERENCE = Path(__file__).resolve().parents[2] / "results" / "reference"
documents = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def refuse(constant: str) -> None:
    raise AssertionError(constant)


@given(documents)
def test_json_has_no_constant_outside_the_standard_and_keeps_integers(document: Any) -> None:
    read = json_.loads(json(document), parse_constant=refuse)
    reread = json_.loads(json_.dumps(document), parse_constant=lambda _: None)
    assert read == reread
    assert type(read) is type(reread)


def test_rows_have_plain_values_and_none_for_what_is_missing() -> None:
    frame = pd.DataFrame(
        {
            "text": pd.Series(["a", None], dtype="string"),
            "number": pd.Series([1, None], dtype="Int64"),
            "time": pd.Series([nan, inf], dtype="float64"),
            "flag": pd.Series([True, None], dtype="boolean"),
            "big": pd.Series([6670903752021072936960, None], dtype=object),
            "group": pd.Series(["x", "y"], dtype="category"),
        }
    )
    assert rows(frame) == [
        {
            "text": "a",
            "number": 1,
            "time": None,
            "flag": True,
            "big": 6670903752021072936960,
            "group": "x",
        },
        {"text": None, "number": None, "time": None, "flag": None, "big": None, "group": "y"},
    ]
    assert [type(value) for value in rows(frame)[0].values()][:2] == [str, int]


def test_parquet_keeps_missing_values_and_dtypes_of_an_empty_run(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    for number, trials in enumerate((trials_from([{"backend": "a"}]), load(REFERENCE).trials[:0])):
        write_parquet(trials, tmp_path / f"{number}.parquet")
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / f"{number}.parquet"), trials)


def test_without_pyarrow_the_error_has_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=re.escape(INSTALL)):
        write_parquet(pd.DataFrame({"a": [1]}), tmp_path / "x.parquet")
    assert not list(tmp_path.iterdir())
