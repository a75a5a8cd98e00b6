"""Information from the kernel: the machine and process trees."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.engine.system.cgroup import Cgroup
    from harness.engine.system.files import MemoryFiles, OutputFile, remove_folder
    from harness.engine.system.kernel import (
        boot_clock,
        confine,
        limit_address_space,
        limited_data,
        pin,
        reserved_cores,
        usable_cores,
    )
    from harness.engine.system.machine import ActivityMeter, load_average, system_info
    from harness.engine.system.processes import (
        KILL_LIMIT_S,
        children,
        descendants,
        fork_to_run,
        is_stopped,
        kill,
        kill_descendants,
        reap_children,
        run_and_exit,
    )

__all__ = [
    "KILL_LIMIT_S",
    "ActivityMeter",
    "Cgroup",
    "MemoryFiles",
    "OutputFile",
    "boot_clock",
    "children",
    "confine",
    "descendants",
    "fork_to_run",
    "is_stopped",
    "kill",
    "kill_descendants",
    "limit_address_space",
    "limited_data",
    "load_average",
    "pin",
    "reap_children",
    "remove_folder",
    "reserved_cores",
    "run_and_exit",
    "system_info",
    "usable_cores",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
