"""Which machines have become slower or noisier than they were."""

from dataclasses import dataclass
from typing import Final

from harness.experiment.cluster.probe import Probe

SLOWER: Final = 1.25
"""A machine is slower if a probe takes this many times as long as the fastest one before."""
NOISY: Final = 1.5
"""A machine is noisy if the slowest tenth of a probe takes this many times its median, and it
did not before."""


@dataclass(frozen=True, slots=True)
class Change:
    """A machine that is not as it was."""

    host: str
    what: str
    """``1.7 times slower than before``."""


class MachineSpeed:
    """The probes of all machines."""

    def __init__(self) -> None:
        self._best: dict[str, Probe] = {}
        self._changed: set[tuple[str, str]] = set()

    def changes(self, host: str, probe: Probe) -> list[Change]:
        """How a machine has changed, by a new probe; each kind of change once for each machine.

        Args:
            host: the name of the machine.
            probe: its probe before a shard.
        """
        found = []
        best = self._best.setdefault(host, probe)
        factor = probe.seconds / best.seconds
        if factor >= SLOWER and self._is_new(host, "slower"):
            found.append(Change(host, f"{factor:.1f} times slower than before"))
        is_noisy = probe.spread >= NOISY > best.spread
        if is_noisy and self._is_new(host, "noisier"):
            found.append(Change(host, f"noisier than before: times vary by {probe.spread:.1f}"))
        self._best[host] = Probe(min(best.seconds, probe.seconds), min(best.spread, probe.spread))
        return found

    def is_slower(self, host: str, probe: Probe) -> bool:
        """Whether a machine was slower at a probe than at its fastest one."""
        best = self._best.get(host)
        return best is not None and probe.seconds >= SLOWER * best.seconds

    def _is_new(self, host: str, kind: str) -> bool:
        is_new = (host, kind) not in self._changed
        self._changed.add((host, kind))
        return is_new
