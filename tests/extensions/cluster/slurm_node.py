"""A Slurm cluster of one node on loopback: its controller and its daemon."""

import getpass
import os
import platform
import shutil
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep

COMMANDS = ("slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={daemon_port}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
KillWait=2
MaxArraySize={longest_array}
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> list[str]:
    """The commands of Slurm that are not installed."""
    return [command for command in COMMANDS if shutil.which(command, path=PATH) is None]


class SlurmNode:
    """Slurm on this machine, with a configuration of its own.

    Args:
        folder: an empty folder for its state and logs.
        longest_array: the number of jobs in an array, and one more.
    """

    def __init__(self, folder: Path, longest_array: int = 3) -> None:
        self.folder = folder
        self.file = folder / "slurm.conf"
        host = platform.node().partition(".")[0]
        controller_port, daemon_port = free_ports(2)
        self.file.write_text(
            CONFIGURATION.format(
                host=host,
                controller_port=controller_port,
                daemon_port=daemon_port,
                user=getpass.getuser(),
                folder=folder,
                cores=os.cpu_count(),
                longest_array=longest_array,
            )
        )
        for name in ("state", "spool"):
            (folder / name).mkdir()
        self._processes = [self._start("slurmctld"), self._start("slurmd")]
        deadline = monotonic() + 30
        while "idle" not in self.output("sinfo", "--noheader", "--format=%t"):
            assert monotonic() < deadline, (folder / "slurmctld.log").read_text()
            sleep(0.2)

    def _start(self, daemon: str) -> subprocess.Popen[bytes]:
        command = [shutil.which(daemon, path=PATH) or daemon, "-D", "-f", str(self.file)]
        with (self.folder / f"{daemon}.out").open("wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def output(self, *command: str) -> str:
        """What a command of Slurm prints; empty if it fails."""
        environment = os.environ | {"SLURM_CONF": str(self.file)}
        result = subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False
        )
        return result.stdout

    def running(self) -> list[str]:
        """The identifiers of the jobs that run."""
        return self.output("squeue", "--noheader", "--states=RUNNING", "--format=%i").split()

    def wait_for_jobs(self) -> None:
        """Wait until no job is left, for at most 20 seconds."""
        deadline = monotonic() + 20
        while self.output("squeue", "--noheader").strip() and monotonic() < deadline:
            sleep(0.2)

    def close(self) -> None:
        """Cancel all jobs, and end Slurm."""
        self.output("scancel", "--user", getpass.getuser())
        self.wait_for_jobs()
        for process in reversed(self._processes):
            process.terminate()
            process.wait()


def free_ports(number: int) -> list[int]:
    """Ports of loopback that are free now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for listener in sockets:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in sockets]
