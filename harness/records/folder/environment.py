"""Record of the machine, the software and the command of each invocation of a run."""

import hashlib
import platform
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct, field

from harness.base.child import output_of
from harness.base.plugins import harness_version, versions_in
from harness.base.text import encodable
from harness.records.folder import files as run_files
from harness.records.folder.files import RunFile

if TYPE_CHECKING:
    from harness.puzzles.datasets import Dataset

Load = Annotated[list[float], Meta(min_length=1)]
"""The load average over 1, 5 and 15 minutes."""


class SystemInfo(Struct, frozen=True, kw_only=True):
    """Facts about a machine; None for a fact that the system does not report.

    `harness.engine.system.machine` collects them and `harness.records.folder.checks` judges them.
    """

    host: str | None = None
    system: str | None = None
    """Kernel and its version."""
    machine: str | None = None
    """Instruction set: ``x86_64``."""
    processor: str | None = None
    hypervisor: bool | None = None
    """Whether the machine is virtual."""
    cpus: int | None = None
    usable_cores: list[int] | None = None
    cpu_quota: float | None = None
    """How many cores' worth of CPU time the control group allows; None for no quota."""
    governor: str | None = None
    """The frequency governor of the processor."""
    turbo: bool | None = None
    simultaneous_multithreading: bool | None = None
    memory_bytes: int | None = None
    memory_available_bytes: int | None = None
    swap_used_bytes: int | None = None
    load_average: Load | None = None
    clock_resolution_s: float | None = None
    processes_visible: bool | None = None
    """Whether ``/proc`` shows processes, their memory and CPU time."""
    children_visible: bool | None = None
    """Whether ``/proc`` lists the children of a process."""
    groups_available: bool | None = None
    """Whether the user may create and kill control groups (cgroups v2) of processes."""
    peaks_resettable: bool | None = None
    """Whether the kernel can reset the memory peak of a process."""
    cluster_processes: list[str] | None = None
    """Schedulers and coordinators of clusters on the usable cores, in records that have them."""
    open_files: int | None = None
    """How many files a process may have open."""

    @property
    def available_cores(self) -> float | None:
        """The cores that processes may use at the same time, a quota of CPU time included."""
        if self.usable_cores is None:
            return self.cpu_quota
        return min(len(self.usable_cores), self.cpu_quota or len(self.usable_cores))

    @property
    def cores_text(self) -> str:
        """The available cores in words: ``2 cores``, ``a quota of 1.5 of 8 cores``."""
        cores, available = self.usable_cores, self.available_cores
        if available is None:
            return "an unknown number of cores"
        if cores is None:
            return f"a quota of {available:g} core{'s' * (available != 1)}"
        whole = f"{len(cores)} core{'s' * (len(cores) != 1)}"
        return f"a quota of {available:g} of {whole}" if available < len(cores) else whole


class Activity(Struct, frozen=True, kw_only=True):
    """What a machine did over a span of time; None for a fact that the system does not report.

    `harness.engine.system.machine` measures it on the cores that the harness may use.
    """

    seconds: Annotated[float, Meta(ge=0)]
    """Length of the span."""
    own_cpu_s: float | None = None
    """CPU time of the harness and all its processes."""
    other_cpu_s: float | None = None
    """CPU time of other programs."""
    stolen_s: float | None = None
    """Time that the hypervisor gave to other machines."""
    throttled_s: float | None = None
    """Time for which a quota of CPU time stopped the processes."""
    heat_throttles: int | None = None
    """How often heat slowed the cores down."""
    calibration_s: float | None = None
    """Mean CPU time of the fixed computation of `harness.engine.meter` between trials."""

    @property
    def other_cores(self) -> float | None:
        """The cores that other programs used on average."""
        return self._per_second(self.other_cpu_s)

    @property
    def stolen_cores(self) -> float | None:
        """The cores that the hypervisor gave to other machines on average."""
        return self._per_second(self.stolen_s)

    def _per_second(self, seconds: float | None) -> float | None:
        return seconds / self.seconds if seconds is not None and self.seconds > 0 else None


class Checkout(Struct, frozen=True):
    """The git checkout that the harness runs from."""

    commit: str
    dirty: bool


class ConfigurationVersions(Struct, frozen=True):
    """What identifies a configuration besides its label."""

    options: dict[str, bool | int | float | str]
    versions: dict[str, str | None]
    """The versions of the harness and of each distribution that the backend needs, and what
    identifies the code of a backend that is not built in."""


class DatasetDigest(Struct, frozen=True):
    """The content of a dataset."""

    puzzles: int
    sha256: str
    """The digest of the puzzle ids, independent of their order."""
    repeats: int = 0
    """The number of duplicates that the dataset leaves out; 0 if an older harness wrote it."""
    excluded: int = 0
    """The number of puzzles that a condition or a sample leaves out; 0 from an older harness."""

    @staticmethod
    def of_dataset(dataset: "Dataset") -> "DatasetDigest":
        """The content of a dataset: its puzzles as they were before a scramble."""
        ids = sorted({(instance.original or instance.puzzle).id for instance in dataset.instances})
        digest = hashlib.sha256(" ".join(ids).encode()).hexdigest()
        return DatasetDigest(len(ids), digest, dataset.repeats, dataset.excluded)


class InvocationEnd(StrEnum):
    """How an invocation ended."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    """By Ctrl-C or another signal."""
    STOPPED = "stopped"
    """By an error."""


class Invocation(Struct, frozen=True, kw_only=True):
    """One command that added to a run. A record by an older harness may lack fields."""

    started_at: str | None = None
    ended_at: str | None = None
    """None if it was killed, or is still running."""
    end: InvocationEnd | None = None
    """None if it was killed, is still running, or was made by an older harness."""
    end_reason: str = ""
    """The signal that interrupted it, or the error that stopped it."""
    command: list[str] = field(default_factory=list)
    harness: str | None = None
    """The version of the harness."""
    checkout: Checkout | None = None
    python: str | None = None
    implementation: str | None = None
    system: SystemInfo = SystemInfo()
    load_average_after: Load | None = None
    jobs: int | None = None
    """Number of trials that ran at the same time."""
    activity: Activity | None = None
    """What the machine did while the trials ran; None if it was killed."""
    packages: dict[str, str] = field(default_factory=dict)
    """Every installed distribution with its version."""
    environments: dict[str, dict[str, str]] = field(default_factory=dict)
    """The same for each configuration that ran in an environment of its own, and the version of
    ``Python``."""
    backends: dict[str, ConfigurationVersions] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Backends that were left out, with the reason."""
    datasets: dict[str, DatasetDigest] = field(default_factory=dict)
    replaced: str | None = None
    """What `harness.records.folder.anonymization` replaced."""


class _File(Struct, frozen=True):
    invocations: list[Invocation]


class InvocationLog:
    """Records one invocation in the run's file, which lists all of them.

    The record is written when the invocation starts, and again with the time and the load
    when it ends. The file therefore lists a killed invocation too.
    """

    def __init__(
        self,
        folder: Path,
        command: Sequence[str],
        system: SystemInfo,
        datasets: "Sequence[Dataset]",
        backends: Mapping[str, ConfigurationVersions],
        left_out: Mapping[str, str],
        environments: Mapping[str, dict[str, str]],
        jobs: int,
    ) -> None:
        self._folder = folder
        self._earlier = read_invocations(folder)
        self._invocation = Invocation(
            started_at=run_files.present_time("seconds"),
            command=[encodable(word) for word in command],
            harness=harness_version(),
            checkout=_checkout(),
            python=sys.version,
            implementation=platform.python_implementation(),
            system=system,
            jobs=jobs,
            packages=versions_in(),
            environments=dict(environments),
            backends=dict(backends),
            left_out=dict(left_out),
            datasets={dataset.name: DatasetDigest.of_dataset(dataset) for dataset in datasets},
        )
        self._write()

    def end(
        self,
        load_average: Sequence[float] | None,
        activity: Activity,
        left_out: Mapping[str, str],
        end: InvocationEnd = InvocationEnd.FINISHED,
        reason: str = "",
    ) -> None:
        """Record the end of the invocation, with the signal or error that caused it.

        Args:
            load_average: the load of the machine.
            activity: what the machine did while the trials ran.
            left_out: configurations that became unavailable, with the reason.
            end: how the invocation ended.
            reason: the signal or the error.
        """
        self._invocation = msgspec.structs.replace(
            self._invocation,
            ended_at=run_files.present_time("seconds"),
            end=end,
            end_reason=encodable(reason),
            left_out={**self._invocation.left_out, **left_out},
            load_average_after=None if load_average is None else list(load_average),
            activity=activity,
        )
        self._write()

    def _write(self) -> None:
        write_invocations(self._folder, [*self._earlier, self._invocation])


def read_invocations(folder: Path) -> list[Invocation]:
    """The invocations that made the run in `folder`, oldest first.

    Raises:
        RunError: the file is damaged, or was not written by a run.
    """
    path = folder / RunFile.ENVIRONMENT
    content = run_files.read_json(path, _File, "a record of invocations")
    return content.invocations if content else []


def write_invocations(folder: Path, invocations: Sequence[Invocation]) -> None:
    """Write the invocations that made the run in `folder`, oldest first, whole or not at all.

    Raises:
        StorageError: the file cannot be written.
    """
    oldest_first = sorted(invocations, key=lambda invocation: invocation.started_at or "")
    run_files.write_json(folder / RunFile.ENVIRONMENT, _File(oldest_first))


def _checkout() -> Checkout | None:
    """The checkout that the harness runs from; None if it is installed, or if git fails."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    git, most_bytes = ("git", "-C", str(root)), 2**26  # of the status of a checkout
    try:
        head = output_of((*git, "rev-parse", "HEAD"), most_bytes=most_bytes, seconds=10.0)
        status = output_of((*git, "status", "--porcelain"), most_bytes=most_bytes, seconds=10.0)
    except OSError:
        return None
    if head.code or status.code:
        return None
    return Checkout(head.output.decode(errors="replace").strip(), dirty=bool(status.output))
