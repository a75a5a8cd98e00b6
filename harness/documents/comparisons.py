"""Comparisons of runs and trends."""

from typing import Annotated

from harness.documents.document import Document, Row, says


class Trended(Document):
    """The values of three or more runs over time."""

    folders: Annotated[list[str], says("Folders of the runs, in their order.")]
    slowed: Annotated[
        bool,
        says(
            "Whether the last step of a backend on an equal machine is a slowdown, or the last "
            "run has a wrong answer."
        ),
    ]
    notes: Annotated[
        list[str], says("What a reader needs to know before any value, unfinished runs first.")
    ]
    tables: Annotated[
        dict[str, list[Row]], says("The rows of `trends`, `steps`, `runs` and `values`.")
    ]


class TimeData(Document):
    """The time by which a backend is compared."""

    time: Annotated[str, says("`wall` or `cpu`.")]
    reason: Annotated[str, says("Why.")]


class DifferenceData(Document):
    """A condition that differs between two runs."""

    subject: Annotated[str, says("What differs.")]
    before: Annotated[str, says("In the first run.")]
    after: Annotated[str, says("In the second run.")]


class Compared(Document):
    """The changes between two runs."""

    before: Annotated[str, says("Folder of the first run.")]
    after: Annotated[str, says("Folder of the second run.")]
    regressed: Annotated[bool, says("Whether anything is worse on an equal machine.")]
    suspected: Annotated[
        bool, says("Whether anything is worse that an unequal machine may have caused.")
    ]
    times: Annotated[
        dict[str, TimeData], says("For each backend the time that is compared, and why.")
    ]
    unequal: Annotated[
        list[DifferenceData], says("How the machine differed between the runs; empty if equal.")
    ]
    partial: Annotated[
        list[str], says("Why the comparison does not cover all of both runs; empty if it does.")
    ]
    changes: Annotated[dict[str, int], says("Number of each kind of change.")]
    only_before: Annotated[int, says("Results that only the first run has.")]
    only_after: Annotated[int, says("Results that only the second run has.")]
    notes: Annotated[list[str], says("What a reader needs to know before any value.")]
    tables: Annotated[
        dict[str, list[Row]],
        says("The rows of `status`, `limits`, `times`, `puzzles` and `environment`."),
    ]
