"""Checks whether a machine is fit for measurements: this machine, or one that a run recorded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from harness.records.folder.environment import Activity, Invocation, SystemInfo

_LEAST_OTHER_S: Final = 0.1
"""CPU time of other programs below this is within the error of the clocks: 0.01 s per core."""
_LEAST_MEMORY_BYTES: Final = 2 * 2**30
_LEAST_OPEN_FILES: Final = 256
_THROTTLED_SHARE: Final = 0.01
"""The largest share of a run for which a quota may stop its processes."""


@dataclass(frozen=True, slots=True)
class SystemCheck:
    """The outcome of one check of a machine."""

    subject: str
    """What is checked."""
    passed: bool | None
    """The outcome; None if the system does not report the fact."""
    found: str
    """What was found."""
    remedy: str = ""
    """What to do; empty if the check passed or no remedy is known."""

    # Subjects of checks that concern a run rather than its machine.
    JOBS: ClassVar = "jobs"
    OTHER_PROGRAMS: ClassVar = "other programs"
    THROTTLING: ClassVar = "throttling"
    STOLEN: ClassVar = "stolen time"
    LOAD: ClassVar = "load"

    BUSY: ClassVar = 0.5
    """The load average over the last minute above which other programs affect the times."""
    BUSY_CORES: ClassVar = 0.25
    """The lowest number of cores in use by other programs that affects times: a worker that
    shares its core with them for a quarter of the time takes a third longer."""
    STOLEN_CORES: ClassVar = 0.05
    """The lowest number of cores taken by a hypervisor that affects times; no worker can avoid
    it."""

    @staticmethod
    def of_machine(
        info: SystemInfo, *, jobs: int | None = None, activity: Activity | None = None
    ) -> "list[SystemCheck]":
        """All checks of a machine, each with a remedy if it failed.

        `harness doctor` calls it for this machine; reports and comparisons, through
        `of_invocation`, for the machine that a run has recorded.

        Args:
            info: the facts about the machine.
            jobs: number of trials at the same time; None for no run.
            activity: what the machine did during the run, or at the time of the check.
        """
        checks = [check(info) for check in _CHECKS]
        checks[2:2] = [_other_programs(activity, info), _throttling(activity), _stolen(activity)]
        return checks if jobs is None else [_jobs(jobs, info), *checks]

    @staticmethod
    def of_invocation(invocation: Invocation) -> "list[SystemCheck]":
        """The checks of the machine that an invocation of a run has recorded."""
        return SystemCheck.of_machine(
            invocation.system, jobs=invocation.jobs, activity=invocation.activity
        )


def _jobs(jobs: int, info: SystemInfo) -> SystemCheck:
    available = info.available_cores
    finding = f"{jobs} trial{'s' * (jobs != 1)} at a time on {info.cores_text}"
    if available is None:
        return SystemCheck(SystemCheck.JOBS, None, finding)
    if jobs <= available:
        return SystemCheck(SystemCheck.JOBS, True, finding)
    most = int(available)
    remedy = f"--jobs {most} or fewer" if most else "a larger quota of the container"
    return SystemCheck(SystemCheck.JOBS, False, finding, remedy)


def _other_programs(activity: Activity | None, info: SystemInfo) -> SystemCheck:
    cores = None if activity is None else activity.other_cores
    if activity is None or cores is None:
        return _unknown(SystemCheck.OTHER_PROGRAMS)
    busy = cores >= SystemCheck.BUSY_CORES and (activity.other_cpu_s or 0) >= _LEAST_OTHER_S
    remedy = "end other programs; trust cpu_s more than wall_s" if busy else ""
    finding = f"{cores:.2f} of {len(info.usable_cores or ()) or 'all'} cores in use"
    return SystemCheck(SystemCheck.OTHER_PROGRAMS, not busy, finding, remedy)


def _throttling(activity: Activity | None) -> SystemCheck:
    if activity is None or activity.throttled_s is None:
        return _unknown(SystemCheck.THROTTLING)
    findings, remedies = [], []
    if activity.throttled_s > _THROTTLED_SHARE * activity.seconds:
        findings.append(
            f"a quota of CPU time stopped the processes for {activity.throttled_s:.1f} of "
            f"{activity.seconds:.1f} s"
        )
        remedies.append("raise the quota of the container, or set fewer --jobs")
    if activity.heat_throttles:
        findings.append(f"heat slowed the cores down {activity.heat_throttles} times")
        remedies.append("cool the machine, or turn turbo off")
    return SystemCheck(
        SystemCheck.THROTTLING, not findings, "; ".join(findings) or "none", "; ".join(remedies)
    )


def _stolen(activity: Activity | None) -> SystemCheck:
    cores = None if activity is None else activity.stolen_cores
    if cores is None:
        return _unknown(SystemCheck.STOLEN)
    is_good = cores < SystemCheck.STOLEN_CORES
    finding = f"the hypervisor took {cores:.2f} cores"
    return SystemCheck(
        SystemCheck.STOLEN, is_good, finding, "" if is_good else "use another machine"
    )


def _pinning(info: SystemInfo) -> SystemCheck:
    cores = info.usable_cores
    if cores is None:
        return SystemCheck("pinning", None, "this system cannot pin workers to cores")
    if len(cores) < 2:
        remedy = "give the harness two cores: one for the worker, one for everything else"
        return SystemCheck("pinning", False, "one core for the worker and everything else", remedy)
    most = max(1, int(info.available_cores or 1) - 1)
    finding = f"{info.cores_text}: --jobs {most} leaves one for other programs"
    return SystemCheck("pinning", True, finding)


def _load(info: SystemInfo) -> SystemCheck:
    load = info.load_average
    if load is None:
        return _unknown(SystemCheck.LOAD)
    busy = load[0] > SystemCheck.BUSY
    remedy = "end other programs and wait a minute" if busy else ""
    return SystemCheck(SystemCheck.LOAD, not busy, f"{load[0]:.2f} over the last minute", remedy)


def _governor(info: SystemInfo) -> SystemCheck:
    if info.governor is None:
        return SystemCheck("governor", None, "not reported by this system")
    is_good = info.governor == "performance"
    remedy = "" if is_good else "cpupower frequency-set -g performance"
    return SystemCheck("governor", is_good, info.governor, remedy)


def _turbo(info: SystemInfo) -> SystemCheck:
    remedy = "turn it off in the firmware or under /sys/devices/system/cpu"
    return _switched_off("turbo", info.turbo, remedy)


def _hyperthreads(info: SystemInfo) -> SystemCheck:
    remedy = "set --jobs to at most half of the cores"
    return _switched_off("hyperthreads", info.simultaneous_multithreading, remedy)


def _switched_off(subject: str, active: bool | None, remedy: str) -> SystemCheck:
    if active is None:
        return _unknown(subject)
    return SystemCheck(subject, not active, "on" if active else "off", remedy if active else "")


def _hypervisor(info: SystemInfo) -> SystemCheck:
    if info.hypervisor is None:
        return _unknown("hypervisor")
    if not info.hypervisor:
        return SystemCheck("hypervisor", True, "none")
    remedy = "compare ratios within one run; trust cpu_s more than wall_s"
    finding = "a virtual machine: other machines may take its time"
    return SystemCheck("hypervisor", False, finding, remedy)


def _memory(info: SystemInfo) -> SystemCheck:
    available = info.memory_available_bytes
    if available is None:
        return _unknown("memory")
    is_good = available >= _LEAST_MEMORY_BYTES
    remedy = "" if is_good else "free some memory"
    return SystemCheck("memory", is_good, f"{available / 2**30:.1f} GiB free", remedy)


def _swap(info: SystemInfo) -> SystemCheck:
    swap = info.swap_used_bytes
    if swap is None:
        return _unknown("swap")
    finding = f"{swap / 2**20:.0f} MiB in use" if swap else "unused"
    remedy = "swapoff -a, or set --memory so that nothing is swapped" if swap else ""
    return SystemCheck("swap", not swap, finding, remedy)


def _processes(info: SystemInfo) -> SystemCheck:
    if info.processes_visible is None:
        return _unknown("processes")
    if not info.processes_visible:
        finding = "no /proc: limits on memory and CPU time do not work; children may survive a kill"
        return SystemCheck("processes", False, finding, "measure on Linux")
    if not info.children_visible:
        finding = "the kernel does not list children: forked processes may survive a kill"
        return SystemCheck("processes", False, finding, "use a kernel with CONFIG_PROC_CHILDREN")
    groups = ", cgroups v2" if info.groups_available else ""
    finding = f"children visible, orphans adopted, limits enforced{groups}"
    return SystemCheck("processes", True, finding)


def _peaks(info: SystemInfo) -> SystemCheck:
    subject = "peak memory"
    if info.peaks_resettable is None:
        return _unknown(subject)
    if info.peaks_resettable:
        return SystemCheck(subject, True, "from the kernel for each trial of 5 ms or more")
    return SystemCheck(subject, None, "known per process only: memory_source is 'bound'")


def _files(info: SystemInfo) -> SystemCheck:
    limit = info.open_files
    if limit is None:
        return _unknown("open files")
    is_good = limit >= _LEAST_OPEN_FILES
    return SystemCheck("open files", is_good, f"up to {limit}", "" if is_good else "ulimit -n 1024")


def _unknown(subject: str) -> SystemCheck:
    return SystemCheck(subject, None, "not reported by this system")


_CHECKS: Final[tuple[Callable[[SystemInfo], SystemCheck], ...]] = (
    _pinning,
    _load,
    _governor,
    _turbo,
    _hyperthreads,
    _hypervisor,
    _memory,
    _swap,
    _processes,
    _peaks,
    _files,
)
