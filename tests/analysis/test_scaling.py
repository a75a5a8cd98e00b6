"""Times by size."""

from collections.abc import Callable

import pandas as pd

from harness.analysis.curves import scaling
from harness.analysis.results import results_of

Trials = Callable[..., pd.DataFrame]


def test_sizes_are_in_order_over_all_datasets(trials_of: Trials) -> None:
    places = [("16x16", "d"), ("4x4", "d"), ("4x4", "e"), ("box5x2", "d"), ("latin7", "d")]
    trials = pd.concat(
        [
            trials_of(
                {"a": [1.0, "timeout"]},
                shape=shape,
                dataset=name,
                puzzle_id=lambda n, shape=shape: f"{shape}{n}",
            )
            for shape, name in places
        ]
    )
    table = scaling(results_of(trials))
    assert list(table["shape"]) == ["4x4", "latin7", "box5x2", "16x16"]
    assert table["size"].tolist() == [4, 7, 10, 16]
    assert table["instances"].tolist() == [4, 2, 2, 2]
    assert table["share_answered"].tolist() == [0.5] * 4
    assert table["par2_s"].tolist() == [10.5] * 4
    assert table["median_is_bound"].all()
