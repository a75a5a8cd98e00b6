"""A text of a backend that no file can hold is stored with an escape, and aborts nothing."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.run import load
from harness.contract import Unavailable, registry

Harness = Callable[..., tuple[int, str, str]]
LONE = "\\udcff"
"""A lone surrogate, as Python code writes it, and as a store shows it."""


def declaring(path: Path, *lines: str) -> Path:
    """Write a backend whose class begins with these lines."""
    body = "".join(f"    {line}\n" for line in lines)
    path.write_text(
        "from harness.contract import Answer, Backend\n"
        f"class Made(Backend):\n{body}"
        "    def __init__(self, shape, options): pass\n"
        "    def solve(self, puzzle): return Answer.unknown()\n"
    )
    return path


DECLARED = {
    "the paradigm": ("paradigm = chr(0xdcff)", "results: "),
    "a failure of load": (
        "@classmethod\n    def load(cls, options): raise OSError(chr(0xdcff) + '\\x1b[31m')",
        f"OSError: {LONE}\\x1b[31m",
    ),
}


@pytest.mark.parametrize("place", DECLARED)
def test_a_declaration_with_a_lone_surrogate_is_shown_as_its_escape(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path, place: str
) -> None:
    code, message = DECLARED[place]
    declaring(tmp_path / "made.py", "name = paradigm = 'made'", code)
    words = ["--dataset", a_file(["1..............."]), "--backend", f"{tmp_path}/made.py:Made"]
    _, out, err = harness("run", *words, "--out", tmp_path / "run")
    assert message in out + err
    assert "Traceback" not in out + err
    if place == "the paradigm":
        assert load(tmp_path / "run").trials["paradigm"].tolist() == [LONE]


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ("name = 'made'", "its class has no paradigm"),
        ("paradigm = 'made'", "its class has no name"),
    ],
)
def test_a_backend_without_a_name_or_a_paradigm_is_not_available(
    tmp_path: Path, attributes: str, reason: str
) -> None:
    path = declaring(tmp_path / "made.py", attributes)
    with pytest.raises(Unavailable) as error:
        registry.load_backend(str(path))
    assert error.value.reason == reason


def test_the_last_line_of_much_output_at_import_is_shown_shortened(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "loud.py").write_text(
        "import os, sys\n"
        "for _ in range(30): os.write(2, b'x' * 1_000_000)\n"
        "os.write(2, b'\\nSystemError: \\x1b[31m' + b'y' * 1000 + b' at the end\\n\\n')\n"
        "os._exit(3)\n"
    )
    words = ["--dataset", a_file(["1..............."]), "--backend", f"{tmp_path}/loud.py:Made"]
    code, _, err = harness("run", *words, "--out", tmp_path / "run")
    assert code == 2
    assert "its process exited with code 3: SystemError: \\x1b[31myyy" in err
    assert "yyy at the end" in err
    assert len(err) < 1000


@pytest.mark.long
def test_files_whose_names_are_not_utf_8_are_run_resumed_and_run_from_the_sweep_file(
    harness: Harness, tmp_path: Path
) -> None:
    odd = os.fsdecode(b"\xff")
    folder = tmp_path / f"f{odd}"
    folder.mkdir()
    (folder / f"p{odd}.txt").write_text("1...............\n")
    declaring(folder / f"b{odd}.py", "name = paradigm = 'made'")
    words = ["--dataset", folder / f"p{odd}.txt", "--backend", f"{folder}/b{odd}.py:Made"]
    run = folder / f"run{odd}"
    assert harness("run", *words, "--out", run)[0] == 0
    for again in (words, [run / "sweep.toml"]):
        code, out, err = harness("run", *again, "--out", run)
        assert (code, "1 of 1 trial was complete before" in err) == (0, True), err
        assert "made" in out
    (trial,) = load(run).trials.to_dict("records")
    assert trial["dataset"] == f"p{LONE}"
    assert trial["spec"] == f"{tmp_path}/f{LONE}/b{LONE}.py:Made"
    for options in (["--format", "html"], ["--format", "csv", "--table", "failures"], []):
        code, _, err = harness("report", run, *options)
        assert code == 0, err
    assert f"p{LONE}" in (run / "report.html").read_text(encoding="utf-8")
    assert harness("export", run, "--anonymize", "--out", folder / "public")[0] == 0
    code, out, err = harness("merge", run, folder / "public", "--out", folder / "both")
    assert code == 0, err
    assert len(load(folder / "both").trials) == 2
