"""What a Dask worker runs for the engine `dask`."""

import platform
import threading
from typing import Final, TypedDict

from harness.experiment.cluster.carrying import carry_out, forget, held
from harness.experiment.cluster.job import ShardJob
from harness.text import encodable

_ONE: Final = threading.Lock()
"""One shard at a time on a worker, however many threads it has."""


class Examined(TypedDict):
    """What a worker says about itself."""

    host: str
    held: list[int]
    """The numbers of the shards that have a folder on its machine."""


def examine(run: str) -> Examined:
    """What the coordinator needs to know of this worker before it gets shards."""
    return Examined(host=encodable(platform.node()), held=held(run))


def carry_out_encoded(data: bytes) -> bytes:
    """Carry out an encoded job; returns the encoded result."""
    with _ONE:
        return carry_out(ShardJob.decoded(data)).encoded()


def forget_run(run: str) -> None:
    """Remove the folders of all shards of a run from this machine."""
    forget(run)
