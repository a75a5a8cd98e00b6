"""Whatever the shell did with the standard streams, a command ends with one line or none."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.installed import needs

Harness = Callable[..., tuple[int, str, str]]
COMMAND = f"{sys.executable} -m harness"


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell script in `folder`; ``harness`` is the command of this checkout."""
    script = script.replace("harness", COMMAND, 1)
    return subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, text=True)


def test_output_to_a_full_disk_is_one_line_and_exit_code_3(tmp_path: Path) -> None:
    result = shell("harness solve 1............... > /dev/full", tmp_path)
    assert result.returncode == 3
    assert result.stderr == "harness: output: cannot be written: No space left on device\n"


def test_errors_to_a_full_disk_leave_the_exit_code(tmp_path: Path) -> None:
    assert shell("harness solve nonsense > /dev/full 2> /dev/full", tmp_path).returncode == 2


def test_a_working_folder_that_was_removed_is_one_line(tmp_path: Path) -> None:
    script = "mkdir x && cd x && rmdir ../x && harness "
    result = shell(f"{script} datasets show named/1", tmp_path)
    assert result.returncode == 2
    assert result.stderr.endswith("harness: the working folder no longer exists\n")
    assert shell(f"{script} solve 1...............", tmp_path).returncode == 0


@needs("page")
def test_a_limit_of_file_sizes_leaves_an_earlier_file_and_names_what_is_too_large(
    run_once: Callable[..., Path], tmp_path: Path
) -> None:
    folder = run_once("for-streams", ["1..............."], ["native"]) / "run"
    trials = tmp_path / "trials.csv"
    trials.write_text("earlier")
    for kib, command, cause in (
        (0, f"export {folder} --out trials.csv --replace", "trials.csv"),
        (40, "run --dataset seeds --backend native --out store", "store/trials.sqlite"),
        (300, "run --dataset seeds --backend native --out memory", "the memory shared with"),
    ):
        # Python would truncate the bytecode that it writes for all other processes.
        words = f"export PYTHONDONTWRITEBYTECODE=1; ulimit -f {2 * kib}; exec harness {command}"
        result = shell(words, tmp_path)
        assert result.returncode == 3, result.stderr
        last = result.stderr.splitlines()[-1]
        assert last.startswith(f"harness: {cause}"), last
        assert "cannot be written" in last
    assert trials.read_text() == "earlier"


@pytest.mark.long
def test_a_report_to_a_full_disk_is_an_error(
    harness: Harness, run_once: Callable[..., Path], tmp_path: Path
) -> None:
    folder = run_once("for-streams", ["1..............."], ["native"]) / "run"
    page = tmp_path / "page.html"
    page.symlink_to("/dev/full")
    for command, out in (("report", "/dev/full"), ("export", "/dev/full"), ("report", page)):
        form = "html" if out is page else "csv"
        code, output, err = harness(command, folder, "--format", form, "--out", out)
        assert (code, output) == (3, "")
        assert err == f"harness: {out}: cannot be written: No space left on device\n"
    code, _, err = harness("export", folder, "--out", tmp_path / "no" / "such.csv")
    assert (code, "cannot be written: No such file" in err) == (2, True)


@pytest.mark.long
def test_a_closed_standard_input_is_an_error_only_where_it_is_read(tmp_path: Path) -> None:
    result = shell("harness solve - <&-", tmp_path)
    assert result.returncode == 2
    assert result.stderr == "harness: standard input: is closed; expected a puzzle\n"
    (tmp_path / "p.txt").write_text("1234............\n")
    for redirection in ("<&-", "<&- >&- 2>&-"):
        script = f"harness run --dataset p.txt --backend native --out r {redirection}"
        result = shell(script, tmp_path)
        assert result.returncode == 0, redirection
        assert "Traceback" not in result.stderr
    result = shell("harness export r <&-", tmp_path)
    assert result.stdout.count("solved") == 1


def interrupted_after(seconds: float, words: list[str], folder: Path) -> tuple[int, str]:
    """Start a command and send it Ctrl-C some time after its first statement.

    Before that, Python itself starts, and nothing that a program does can change how it ends.

    Returns:
        The exit code and standard error, on which Python has listed its imports.
    """
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "harness", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stderr is not None
    lines: list[str] = []
    for line in process.stderr:
        lines.append(line)
        if "harness.base.interruption" in line:
            break
    timer = threading.Timer(seconds, process.send_signal, [signal.SIGINT])
    timer.start()
    lines += process.stderr.readlines()
    timer.cancel()
    process.stderr.close()
    return process.wait(), "".join(lines)


@pytest.mark.parametrize("milliseconds", [5, 300])
def test_ctrl_c_while_libraries_are_imported_ends_without_a_traceback(
    tmp_path: Path, milliseconds: int
) -> None:
    reference = Path(__file__).resolve().parents[2] / "results" / "reference"
    words = ["report", str(reference), "--format", "html", "--out", "page.html"]
    code, err = interrupted_after(milliseconds / 1000, words, tmp_path)
    assert code == 130, err[-500:]
    assert "Traceback" not in err
    assert not (tmp_path / "page.html").exists()


AT_IMPORT = """
import os, sys
class Interrupting:
    @staticmethod
    def find_spec(name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), 2)
sys.meta_path.insert(0, Interrupting)
from harness.__main__ import main
sys.argv[1:] = ["backends"]
main()
"""


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("harness.base.interruption", -signal.SIGINT),
        ("typing", -signal.SIGINT),
        ("harness.cli", 130),
        ("harness.base.plugins", 130),
        ("typer", 130),
    ],
)
def test_ctrl_c_at_an_import_of_the_command_ends_without_a_traceback(
    module: str, code: int
) -> None:
    result = subprocess.run(
        [sys.executable, "-c", AT_IMPORT.format(module=module)],
        capture_output=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (result.returncode, result.stdout, result.stderr) == (code, b"", b"")


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("command", ["report", "run", "solve", "check"])
def test_ctrl_c_at_any_moment_ends_without_a_traceback(tmp_path: Path, command: str) -> None:
    reference = Path(__file__).resolve().parents[2] / "results" / "reference"
    (tmp_path / "p.txt").write_text("1234............\n" * 2)
    words = {
        "report": [str(reference), "--format", "html", "--out", "page.html"],
        "run": ["--dataset", "p.txt", "--backend", "native", "cpsat", "--out", "run"],
        "solve": ["1234............", "--backend", "cpsat", "--backend", "milp"],
        "check": ["--dataset", "p.txt", "--backend", "native", "cpsat"],
    }[command]
    for milliseconds in range(5, 1200, 40):
        code, err = interrupted_after(milliseconds / 1000, [command, *words], tmp_path)
        assert code in (0, 130), (milliseconds, err[-500:])
        assert "Traceback" not in err, milliseconds


@pytest.mark.long
@pytest.mark.parametrize("command", ["solve", "count"])
def test_a_command_that_waits_says_what_for(
    command: str, a_backend: Callable[..., str], tmp_path: Path
) -> None:
    """The notice comes while the backend waits for the test, and is not in the document."""
    os.mkfifo(tmp_path / "release")
    wait = f"open({str(tmp_path / 'release')!r}).close()\n"
    backend = a_backend(
        f"{wait}return Answer.unsatisfiable()", count=f"{wait}return Count(0, True)"
    )
    words = [sys.executable, "-m", "harness", command, "." * 16, "--backend", backend, "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        with (tmp_path / "release").open("w"):  # further calls need not wait
            out, _ = process.communicate(timeout=60)
    assert line.startswith("waiting for made.py:Made on ")
    assert line.endswith(", at most 300 s; --timeout SECONDS sets another limit\n")
    (result,) = json.loads(out)["results"]
    assert result["backend"] == "made"
