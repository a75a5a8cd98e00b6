"""Jobs: what is sent to a machine for a shard, and what comes back."""

from enum import StrEnum

import msgspec
from msgspec import Struct

from harness.experiment.cluster.probe import Probe

Files = dict[str, bytes]
"""The contents of files by their names, which are relative to a folder of their own."""


class ShardJob(Struct, frozen=True, kw_only=True):
    """A shard with all the files that a machine needs to carry it out."""

    run: str
    """The name of the run, from its plan."""
    number: int
    """The number of the shard."""
    submission: int
    """How often the shard has been handed out, this time included."""
    shard_file: str
    """The name of the shard's sweep file among `files`."""
    files: Files
    expected_s: float | None
    """Seconds that the shard is expected to take; None if unknown."""
    cores: int
    """Trials that run at the same time."""
    merged: tuple[int, ...] = ()
    """Shards of the plan that need no folder any longer."""

    @property
    def key(self) -> str:
        """A name that no other job has."""
        return f"{self.run}-{self.number:04d}-{self.submission}"

    def encoded(self) -> bytes:
        """The job as bytes."""
        return msgspec.msgpack.encode(self)

    @staticmethod
    def decoded(data: bytes) -> "ShardJob":
        """The job that `encoded` made."""
        return msgspec.msgpack.decode(data, type=ShardJob)


class End(StrEnum):
    """How a job ended."""

    COMPLETE = "complete"
    REFUSED = "refused"
    """The machine has other software or other puzzles than the plan; it measured nothing."""
    FAILED = "failed"
    STOPPED = "stopped"
    """The engine stopped it, or ended itself."""


class Carried(Struct, frozen=True, kw_only=True):
    """What a machine made of a job."""

    number: int
    host: str
    end: End
    reason: str = ""
    """Why it is not complete."""
    files: Files = {}
    """The files of its run, if it is complete."""
    seconds: float = 0.0
    """Wall time on the machine, in seconds."""
    probe: Probe | None = None
    """The speed of the machine before the shard; None if it measured nothing."""

    def encoded(self) -> bytes:
        """The result as bytes."""
        return msgspec.msgpack.encode(self)

    @staticmethod
    def decoded(data: bytes) -> "Carried":
        """The result that `encoded` made."""
        return msgspec.msgpack.decode(data, type=Carried)
