"""A probe of the cores of a shard before its trials: how fast they are now, and how steady.

The probe is a fixed computation, many times, by the clock on the wall: a lower frequency, a busy
neighbour and a quota of CPU time all show in it.
"""

from collections.abc import Sequence
from statistics import fmean, median, quantiles
from time import perf_counter
from typing import Final

from msgspec import Struct

from harness.engine.system.kernel import confine, usable_cores

_BLOCKS: Final = 5
_TIMES: Final = 50
"""Computations in each block: a quota stops a process once in 0.1 s, so each block shows it, and
a single disturbance affects one block only."""
_STEPS: Final = 15_000
"""Enough for a millisecond, so that the probe of a core takes a quarter of a second."""


class Probe(Struct, frozen=True):
    """What a probe measured, on the slowest and the noisiest core."""

    seconds: float
    """The time of the computation in seconds: the mean of a block, the median of all blocks."""
    spread: float
    """The ninth decile of its times over their median."""


def probe(cores: Sequence[int] = ()) -> Probe:
    """Probe these cores one after the other; without any, wherever this thread runs."""
    usable = usable_cores()
    try:
        found = [_probe_of(core) for core in cores] or [_probed()]
    finally:
        confine(usable)
    return Probe(max(p.seconds for p in found), max(p.spread for p in found))


def _probe_of(core: int) -> Probe:
    confine([core])
    return _probed()


def _probed() -> Probe:
    blocks = [[_time() for _ in range(_TIMES)] for _ in range(_BLOCKS)]
    times = [time for block in blocks for time in block]
    return Probe(median(map(fmean, blocks)), quantiles(times, n=10)[-1] / median(times))


def _time() -> float:
    """The wall time of the computation in seconds."""
    began = perf_counter()
    total = 0
    for n in range(_STEPS):
        total = (total + n * n) % 1009
    return perf_counter() - began
