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


DECLARED = {
    "the paradigm": ("paradigm = chr(0xdcff)", "results: "),
    "a failure of load": (
        "@classmethod\ndef load(cls, options): raise OSError(chr(0xdcff) + '\\x1b[31m')",
        f"OSError: {LONE}\\x1b[31m",
    ),
}


@pytest.fixture
def words(a_file: Callable[..., Path]) -> list[str | Path]:
    return ["--dataset", a_file(["1..............."]), "--backend"]


@pytest.mark.parametrize("place", DECLARED)
def test_a_declaration_with_a_lone_surrogate_is_shown_as_its_escape(
    harness: Harness,
    a_backend: Callable[..., str],
    words: list[str | Path],
    tmp_path: Path,
    place: str,
) -> None:
    code, message = DECLARED[place]
    words.append(a_backend(members=code))
    _, out, err = harness("run", *words, "--out", tmp_path / "run")
    assert message in out + err
    assert "Traceback" not in out + err
    if place == "the paradigm":
        assert load(tmp_path / "run").trials["paradigm"].tolist() == [LONE]


@pytest.mark.parametrize("attribute", ["name", "paradigm"])
def test_a_backend_without_a_name_or_a_paradigm_is_not_available(
    a_backend: Callable[..., str], attribute: str
) -> None:
    with pytest.raises(Unavailable, match=f"^its class has no {attribute}$"):
        registry.load_backend(a_backend(members=f"del {attribute}"))


def test_the_last_line_of_much_output_at_import_is_shown_shortened(
    harness: Harness, a_backend: Callable[..., str], words: list[str | Path], tmp_path: Path
) -> None:
    loud = """
for _ in range(30): os.write(2, b'x' * 1_000_000)
os.write(2, b'\\nSystemError: \\x1b[31m' + b'y' * 1000 + b' at the end\\n\\n')
os._exit(3)
"""
    code, _, err = harness("run", *words, a_backend(top=loud), "--out", tmp_path / "run")
    assert code == 2
    assert "its process exited with code 3: SystemError: \\x1b[31myyy" in err
    assert "yyy at the end" in err
    assert len(err) < 1000


@pytest.mark.long
def test_files_whose_names_are_not_utf_8_are_run_resumed_and_run_from_the_sweep_file(
    harness: Harness, a_backend: Callable[..., str], tmp_path: Path
) -> None:
    odd = os.fsdecode(b"\xff")
    folder = tmp_path / f"f{odd}"
    folder.mkdir()
    (folder / f"p{odd}.txt").write_text("1...............\n")
    Path(a_backend().removesuffix(":Made")).rename(folder / f"b{odd}.py")
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
