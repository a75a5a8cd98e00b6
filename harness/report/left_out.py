"""Backends that charts leave out, and why."""

from collections.abc import Callable
from typing import Final

import pandas as pd

from harness.report.formatting import number_of, printable, shortened

DISQUALIFIED: Final = "Disqualified for wrong answers"
WITHOUT_ANSWER: Final = "No instance answered"
_LONGEST: Final = 40


def disqualified(
    ranks: pd.DataFrame, name: Callable[[str], str], *, pooled: bool = False
) -> list[str]:
    """The backends with a wrong answer, each with the number of its instances.

    Args:
        ranks: rows of `harness.analysis.ranks`.
        name: the name to show for a label.
        pooled: whether to name the datasets.
    """
    found = []
    for backend, rows in ranks[ranks["wrong"] > 0].groupby("backend", sort=True):
        count = number_of(int(rows["wrong"].sum()), "instance")
        datasets = sorted(map(str, rows["dataset"].unique())) if pooled else []
        of = f" of {', '.join(printable(shortened(d, _LONGEST)) for d in datasets)}"
        found.append(f"{name(str(backend))} ({count}{of if datasets else ''})")
    return found


def without_answer(ranks: pd.DataFrame, name: Callable[[str], str]) -> list[str]:
    """The eligible backends that answered no instance, so that they have no curve."""
    none = ranks[(ranks["wrong"] == 0) & (ranks["answered"] == 0)]["backend"]
    return sorted({name(str(backend)) for backend in none})


def listed(what: str, names: list[str], most: int = 12) -> str:
    """``what: a, b, c and 2 more``; empty without names."""
    further = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{what}: {', '.join(names[:most])}{further}" if names else ""
