"""Child processes: their limits, what is kept of their output, and their bond to the parent."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.base.child import END_OF_ERRORS, OutputTooLongError, module_command, output_of

Gone = Callable[[int], bool]


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_input_output_and_the_end_of_the_errors_pass_without_a_deadlock() -> None:
    code = (
        "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data[::-1]); "
        "sys.stderr.write('x' * 10**6 + 'end'); sys.exit(3)"
    )
    end = output_of(python(code), bytes(10**6) + b"ab", most_bytes=10**7)
    assert end.output == b"ba" + bytes(10**6)
    assert (len(end.errors), end.errors[-4:], end.code) == (END_OF_ERRORS, "xend", 3)


def test_a_program_need_not_read_its_input() -> None:
    end = output_of(python("print(5)"), bytes(10**7), most_bytes=100)
    assert (end.output.split(), end.errors, end.code) == ([b"5"], "", 0)


@pytest.mark.parametrize(
    ("rest", "error"),
    [
        ("wait", TimeoutError),
        ("while :; do echo much; done", OutputTooLongError),
        ("exec >&- 2>&-; wait", TimeoutError),
    ],
    ids=["time", "output", "time after its output"],
)
def test_a_program_at_a_limit_ends_with_its_children(
    rest: str, error: type[OSError], tmp_path: Path, has_ended: Gone
) -> None:
    child = tmp_path / "child"
    command = ["sh", "-c", f"sleep 60 & echo $! > {child}; {rest}"]
    for seconds in (0.3, 5, 30):  # a busy machine may not have started it
        with pytest.raises(error):
            output_of(command, most_bytes=10_000, seconds=seconds)
        if child.exists() and child.read_text():
            break
    assert has_ended(int(child.read_text()))


def test_a_signal_at_the_fork_of_a_program_is_not_lost() -> None:
    code = """
import os, signal, sys
from harness.base.child import output_of
from harness.base.interruption import Interrupted, interruptible
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
program = [sys.executable, "-c", "import time; time.sleep(30)"]
try:
    with interruptible():
        output_of(program, most_bytes=9, seconds=9, dies_with_caller=True)
except Interrupted as interruption:
    print(interruption)
"""
    end = output_of(python(code), most_bytes=99)
    assert (end.output.split(), end.errors, end.code) == ([b"SIGTERM"], "", 0)


def test_a_program_that_does_not_exist_cannot_be_started() -> None:
    with pytest.raises(FileNotFoundError):
        output_of(["no-such-program"], most_bytes=0)


def test_a_module_of_this_harness_runs_whatever_else_is_called_harness(tmp_path: Path) -> None:
    for name in ("installed/harness", "own/json"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.py").write_text("raise RuntimeError")
    code = (
        "import os, subprocess, sys; from harness.base.child import module_command\n"
        f"sys.path[0] = {str(tmp_path / 'own')!r}\n"
        f"os.environ['PYTHONPATH'] = {str(tmp_path / 'installed')!r}\n"
        "sys.exit(subprocess.call(module_command('harness', '--version')))"
    )
    end = output_of(python(code), most_bytes=1000)
    assert (end.output.split()[0], end.code) == (b"harness", 0), end.errors


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel is not Linux")
def test_a_module_dies_with_its_parent_by_the_signal(tmp_path: Path, has_ended: Gone) -> None:
    command = module_command("timeit", "-n1", "import time; time.sleep(60)", dies_by=signal.SIGINT)
    code = (
        "import subprocess, sys, os; command = sys.argv[1:]\n"
        "command[3] = str(os.getpid())\n"
        "process = subprocess.Popen(command, stderr=open('errors', 'w'))\n"
        "print(process.pid, flush=True); process.wait()"
    )
    with subprocess.Popen(
        [*python(code), *command], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    assert has_ended(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel is not Linux")
def test_a_program_dies_with_its_caller(tmp_path: Path, has_ended: Gone) -> None:
    code = """
import os, signal
from harness.base.child import output_of
kills = f"echo $$ > pid; kill -9 {os.getpid()}; exec sleep 60"
output_of(["sh", "-c", kills], most_bytes=9, dies_with_caller=True)
"""
    subprocess.run(python(code), cwd=tmp_path)
    assert has_ended(int((tmp_path / "pid").read_text()))
