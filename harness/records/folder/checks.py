"""Checks whether a machine is fit for measurements: this machine, or one that a run recorded."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from harness.base.text import number_of
from harness.records.folder.environment import Activity, Invocation, SystemInfo

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
        checks = [*_machine_checks(info, activity or Activity(seconds=0))]
        if jobs is not None:
            available = info.available_cores
            most = int(available or 0)
            remedy = f"--jobs {most} or fewer" if most else "a larger quota of the container"
            state = f"{number_of(jobs, 'trial')} at a time on {info.cores_text}"
            passed = None if available is None else jobs <= available
            checks.insert(0, _check(SystemCheck.JOBS, True, passed, state, remedy))
        return checks

    @staticmethod
    def of_invocation(invocation: Invocation) -> "list[SystemCheck]":
        """The checks of the machine that an invocation of a run has recorded."""
        return SystemCheck.of_machine(
            invocation.system, jobs=invocation.jobs, activity=invocation.activity
        )


def _check(
    subject: str, fact: object, passed: bool | None, state: str, remedy: str = ""
) -> SystemCheck:
    """The outcome of a check of `fact`; without it, the system does not report the fact."""
    if fact is None:
        return SystemCheck(subject, None, "not reported by this system")
    return SystemCheck(subject, passed, state, remedy if passed is False else "")


def _machine_checks(info: SystemInfo, activity: Activity) -> Iterator[SystemCheck]:
    cores = info.usable_cores
    if cores is None:
        yield _check("pinning", True, None, "this system cannot pin workers to cores")
    elif len(cores) < 2:
        remedy = "give the harness two cores: one for the worker, one for everything else"
        yield _check("pinning", True, False, "one core for the worker and everything else", remedy)
    else:
        most = max(1, int(info.available_cores or 1) - 1)
        state = f"{info.cores_text}: --jobs {most} leaves one for other programs"
        yield _check("pinning", True, True, state)
    load = (info.load_average or [0.0])[0]
    state = f"{load:.2f} over the last minute"
    remedy = "end other programs and wait a minute"
    yield _check(SystemCheck.LOAD, info.load_average, load <= SystemCheck.BUSY, state, remedy)
    yield from _activity_checks(activity, info)
    governor, remedy = info.governor, "cpupower frequency-set -g performance"
    yield _check("governor", governor, governor == "performance", str(governor), remedy)
    turbo, remedy = info.turbo, "turn it off in the firmware or under /sys/devices/system/cpu"
    yield _check("turbo", turbo, not turbo, "on" if turbo else "off", remedy)
    threads, remedy = info.simultaneous_multithreading, "set --jobs to at most half of the cores"
    yield _check("hyperthreads", threads, not threads, "on" if threads else "off", remedy)
    virtual = info.hypervisor
    state = "a virtual machine: other machines may take its time" if virtual else "none"
    remedy = "compare ratios within one run; trust cpu_s more than wall_s"
    yield _check("hypervisor", virtual, not virtual, state, remedy)
    memory = info.memory_available_bytes
    state, fits = f"{(memory or 0) / 2**30:.1f} GiB free", (memory or 0) >= 2 * 2**30
    yield _check("memory", memory, fits, state, "free some memory")
    swap = info.swap_used_bytes
    state = f"{swap / 2**20:.0f} MiB in use" if swap else "unused"
    remedy = "swapoff -a, or set --memory so that nothing is swapped"
    yield _check("swap", swap, not swap, state, remedy)
    groups = ", cgroups v2" if info.groups_available else ""
    state, remedy = f"children visible, orphans adopted, limits enforced{groups}", ""
    if not info.processes_visible:
        state = "no /proc: limits on memory and CPU time do not work; children may survive a kill"
        remedy = "measure on Linux"
    elif not info.children_visible:
        state = "the kernel does not list children: forked processes may survive a kill"
        remedy = "use a kernel with CONFIG_PROC_CHILDREN"
    yield _check("processes", info.processes_visible, not remedy, state, remedy)
    state = "known per process only: memory_source is 'bound'"
    if info.peaks_resettable:
        state = "from the kernel for each trial of 5 ms or more"
    yield _check("peak memory", info.peaks_resettable, info.peaks_resettable or None, state)
    files = info.open_files
    fits = (files or 0) >= 256
    yield _check("open files", files, fits, f"up to {files}", "ulimit -n 1024")


def _activity_checks(activity: Activity, info: SystemInfo) -> Iterator[SystemCheck]:
    cores = activity.other_cores or 0
    # Less CPU time is within the error of the clocks: 0.01 s per core.
    busy = cores >= SystemCheck.BUSY_CORES and (activity.other_cpu_s or 0) >= 0.1
    state = f"{cores:.2f} of {len(info.usable_cores or ()) or 'all'} cores in use"
    remedy = "end other programs; trust cpu_s more than wall_s"
    yield _check(SystemCheck.OTHER_PROGRAMS, activity.other_cores, not busy, state, remedy)
    throttled_s = activity.throttled_s or 0
    causes = {}
    if throttled_s > _THROTTLED_SHARE * activity.seconds:
        time = f"{throttled_s:.1f} of {activity.seconds:.1f} s"
        cause = f"a quota of CPU time stopped the processes for {time}"
        causes[cause] = "raise the quota of the container, or set fewer --jobs"
    if activity.heat_throttles:
        cause = f"heat slowed the cores down {activity.heat_throttles} times"
        causes[cause] = "cool the machine, or turn turbo off"
    state, remedy = "; ".join(causes) or "none", "; ".join(causes.values())
    yield _check(SystemCheck.THROTTLING, activity.throttled_s, not causes, state, remedy)
    stolen = activity.stolen_cores
    state = f"the hypervisor took {stolen or 0:.2f} cores"
    fits = (stolen or 0) < SystemCheck.STOLEN_CORES
    yield _check(SystemCheck.STOLEN, stolen, fits, state, "use another machine")
