"""The notes in a store about the shards that were merged into it."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from harness.records.configuration import MACHINE_CHANGED
from harness.records.merge import Event
from harness.records.shard import Attempt
from harness.records.store_file import reading
from harness.text import encodable

_DETAIL: Final = re.compile(
    r"shard ([0-9]+) of ([0-9]{1,9}) of plan ([0-9a-f]{12}), attempt [0-9a-f]+"
)


class ShardEvent(StrEnum):
    """The kind of a note."""

    MERGED = "shard merged"
    LEFT_OUT = "shard left out"
    """A further attempt at a shard that was merged before."""
    INCOMPLETE = "shard incomplete"
    """Merged with fewer trials than it should have."""


_ADDED: Final = (str(ShardEvent.MERGED), str(ShardEvent.INCOMPLETE))
"""The notes on shards whose trials a run has."""


def event_of(kind: ShardEvent, attempt: Attempt) -> Event:
    """The row of a note about an attempt."""
    shard = attempt.shard
    detail = f"{shard} of plan {shard.plan}, attempt {attempt.attempt}"
    return (_now(), "", str(kind), detail, None)


def machine_event(host: str, what: str) -> Event:
    """The row of a note that a machine has become slower or noisier."""
    return (_now(), "", MACHINE_CHANGED, f"{encodable(host)} is {what}", None)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def shard_of_event(detail: str) -> tuple[str, int] | None:
    """The plan and the number of the shard of a note; None for another text."""
    found = _DETAIL.fullmatch(detail)
    return (found[3], int(found[1])) if found else None


@dataclass(frozen=True, slots=True)
class ShardProgress:
    """The merged shards of a run."""

    merged: int
    """Complete shards."""
    of: int
    """Shards of the plan."""

    @property
    def is_complete(self) -> bool:
        """Whether no shard is missing or lacks trials."""
        return self.merged >= self.of


def shards_in(folder: Path) -> set[tuple[str, int]]:
    """The plan and the number of each shard that was merged into the run in `folder`.

    Raises:
        RunError: the folder holds no run.
    """
    with reading(folder) as db:
        query = "SELECT detail FROM events WHERE kind IN (?, ?)"
        rows = db.execute(query, _ADDED)
        return {found for (detail,) in rows if (found := shard_of_event(detail))}


def shard_progress(folder: Path) -> ShardProgress | None:
    """The shards that were merged into the run in `folder`; None for a run of its own.

    Raises:
        RunError: the folder holds no run.
    """
    with reading(folder) as db:
        query = "SELECT kind, detail FROM events WHERE kind IN (?, ?)"
        rows = [(kind, _DETAIL.fullmatch(detail)) for kind, detail in db.execute(query, _ADDED)]
    known = [(kind, found) for kind, found in rows if found]
    if not known:
        return None
    merged = {found[1] for kind, found in known if kind == ShardEvent.MERGED}
    return ShardProgress(len(merged), int(known[0][1][2]))
