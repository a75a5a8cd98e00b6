"""The state of a machine."""

from typing import Annotated

from harness.documents.document import Document, says
from harness.records.environment import Activity, SystemInfo


class CheckData(Document):
    """A check of the machine."""

    subject: Annotated[str, says("What is checked.")]
    passed: Annotated[bool | None, says("The outcome; null if the system does not report it.")]
    found: Annotated[str, says("What was found.")]
    remedy: Annotated[str, says("What to do; empty if nothing.")]


class Diagnosis(Document):
    """The machine and its checks."""

    system: Annotated[SystemInfo, says("Facts about the machine; null if unknown.")]
    activity: Annotated[Activity, says("What the machine did for half a second.")]
    checks: Annotated[list[CheckData], says("The checks.")]


class SpreadData(Document):
    """Differences between copies of one backend."""

    comparisons: Annotated[int, says("Runs, or pairs of consecutive runs.")]
    false: Annotated[int, says("Comparisons that show a difference.")]
    unequal: Annotated[int, says("Comparisons that show one and attribute it to the machine.")]
    resolution: Annotated[float, says("Factor that 95 % of those between copies are below.")]
    largest: Annotated[float, says("Largest factor between copies.")]


class NoiseData(Document):
    """What differences a machine can resolve, from copies of one backend: `--noise`."""

    backend: Annotated[str, says("The backend that was copied.")]
    instances: Annotated[int, says("Puzzles in each comparison.")]
    within: Annotated[SpreadData, says("Between copies in one run.")]
    between: Annotated[SpreadData, says("Between each run and the next.")]
