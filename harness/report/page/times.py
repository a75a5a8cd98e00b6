"""The times that a page can show: its tables, charts and key results, once for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Shown = TypeVar("Shown")
"""What a page shows of each time: a run or a comparison."""


@dataclass(frozen=True, slots=True)
class TimeView(Generic[Shown]):
    """What a page shows while a time is selected."""

    value: str
    """The value of the switch: ``wall``, ``cpu`` or ``reliable``."""
    label: str
    """The label of the switch: ``wall time``."""
    shown: Shown


@dataclass(frozen=True, slots=True)
class TimeViews(Generic[Shown]):
    """The times of a page; the first one is selected when it opens."""

    views: Sequence[TimeView[Shown]]
    note: str = ""
    """Why there is only one; empty if there are several."""

    @property
    def switch(self) -> list[dict[str, str]]:
        """The values and labels of the switch, as data for the scripts."""
        return [{"value": view.value, "label": view.label} for view in self.views]
