"""Checks whether a machine is fit for measurements: this machine, or one that a run recorded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

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
        checks = [
            _checked(subject, None if (fact := getattr(info, name)) is None else judge(fact, info))
            for subject, name, judge in _CHECKS
        ]
        checks[2:2] = [
            _checked(SystemCheck.OTHER_PROGRAMS, _other_programs(activity, info)),
            _checked(SystemCheck.THROTTLING, _throttling(activity)),
            _checked(SystemCheck.STOLEN, _stolen(activity)),
        ]
        if jobs is not None:
            checks.insert(0, _checked(SystemCheck.JOBS, _jobs(jobs, info)))
        return checks

    @staticmethod
    def of_invocation(invocation: Invocation) -> "list[SystemCheck]":
        """The checks of the machine that an invocation of a run has recorded."""
        return SystemCheck.of_machine(
            invocation.system, jobs=invocation.jobs, activity=invocation.activity
        )


_Finding = tuple[bool | None, str, str]
"""Whether a check passed, the state of the system, and what to do if the check failed."""


def _checked(subject: str, finding: _Finding | None) -> SystemCheck:
    """The outcome of a check; without a finding, the system does not report the fact."""
    passed, state, remedy = finding or (None, "not reported by this system", "")
    return SystemCheck(subject, passed, state, remedy if passed is False else "")


def _jobs(jobs: int, info: SystemInfo) -> _Finding:
    available = info.available_cores
    state = f"{jobs} trial{'s' * (jobs != 1)} at a time on {info.cores_text}"
    if available is None:
        return None, state, ""
    most = int(available)
    remedy = f"--jobs {most} or fewer" if most else "a larger quota of the container"
    return jobs <= available, state, remedy


def _other_programs(activity: Activity | None, info: SystemInfo) -> _Finding | None:
    cores = None if activity is None else activity.other_cores
    if activity is None or cores is None:
        return None
    busy = cores >= SystemCheck.BUSY_CORES and (activity.other_cpu_s or 0) >= _LEAST_OTHER_S
    state = f"{cores:.2f} of {len(info.usable_cores or ()) or 'all'} cores in use"
    return not busy, state, "end other programs; trust cpu_s more than wall_s"


def _throttling(activity: Activity | None) -> _Finding | None:
    if activity is None or activity.throttled_s is None:
        return None
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
    return not findings, "; ".join(findings) or "none", "; ".join(remedies)


def _stolen(activity: Activity | None) -> _Finding | None:
    cores = None if activity is None else activity.stolen_cores
    if cores is None:
        return None
    state = f"the hypervisor took {cores:.2f} cores"
    return cores < SystemCheck.STOLEN_CORES, state, "use another machine"


def _pinning(_: str, info: SystemInfo) -> _Finding:
    cores = info.usable_cores
    if cores is None:
        return None, "this system cannot pin workers to cores", ""
    if len(cores) < 2:
        remedy = "give the harness two cores: one for the worker, one for everything else"
        return False, "one core for the worker and everything else", remedy
    most = max(1, int(info.available_cores or 1) - 1)
    return True, f"{info.cores_text}: --jobs {most} leaves one for other programs", ""


def _load(load: list[float], _: SystemInfo) -> _Finding:
    state = f"{load[0]:.2f} over the last minute"
    return load[0] <= SystemCheck.BUSY, state, "end other programs and wait a minute"


def _governor(governor: str, _: SystemInfo) -> _Finding:
    return governor == "performance", governor, "cpupower frequency-set -g performance"


def _turbo(active: bool, _: SystemInfo) -> _Finding:
    remedy = "turn it off in the firmware or under /sys/devices/system/cpu"
    return not active, "on" if active else "off", remedy


def _hyperthreads(active: bool, _: SystemInfo) -> _Finding:
    remedy = "set --jobs to at most half of the cores"
    return not active, "on" if active else "off", remedy


def _hypervisor(present: bool, _: SystemInfo) -> _Finding:
    state = "a virtual machine: other machines may take its time" if present else "none"
    return not present, state, "compare ratios within one run; trust cpu_s more than wall_s"


def _memory(available: int, _: SystemInfo) -> _Finding:
    state = f"{available / 2**30:.1f} GiB free"
    return available >= _LEAST_MEMORY_BYTES, state, "free some memory"


def _swap(used: int, _: SystemInfo) -> _Finding:
    state = f"{used / 2**20:.0f} MiB in use" if used else "unused"
    return not used, state, "swapoff -a, or set --memory so that nothing is swapped"


def _processes(visible: bool, info: SystemInfo) -> _Finding:
    if not visible:
        state = "no /proc: limits on memory and CPU time do not work; children may survive a kill"
        return False, state, "measure on Linux"
    if not info.children_visible:
        state = "the kernel does not list children: forked processes may survive a kill"
        return False, state, "use a kernel with CONFIG_PROC_CHILDREN"
    groups = ", cgroups v2" if info.groups_available else ""
    return True, f"children visible, orphans adopted, limits enforced{groups}", ""


def _peaks(resettable: bool, _: SystemInfo) -> _Finding:
    if resettable:
        return True, "from the kernel for each trial of 5 ms or more", ""
    return None, "known per process only: memory_source is 'bound'", ""


def _files(limit: int, _: SystemInfo) -> _Finding:
    return limit >= _LEAST_OPEN_FILES, f"up to {limit}", "ulimit -n 1024"


_CHECKS: Final[tuple[tuple[str, str, Callable[[Any, SystemInfo], _Finding]], ...]] = (
    ("pinning", "cores_text", _pinning),
    (SystemCheck.LOAD, "load_average", _load),
    ("governor", "governor", _governor),
    ("turbo", "turbo", _turbo),
    ("hyperthreads", "simultaneous_multithreading", _hyperthreads),
    ("hypervisor", "hypervisor", _hypervisor),
    ("memory", "memory_available_bytes", _memory),
    ("swap", "swap_used_bytes", _swap),
    ("processes", "processes_visible", _processes),
    ("peak memory", "peaks_resettable", _peaks),
    ("open files", "open_files", _files),
)
"""Each check of a machine: its subject, the fact that it judges, and the judge of a known fact."""
