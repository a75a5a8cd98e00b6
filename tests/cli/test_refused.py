"""What commands refuse: one line on standard error, exit code 2, and no file."""

import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import Ended
from tests.installed import needs, needs_command
from tests.puzzles.example import LINE, SOLUTION

TABLE: Final = tomllib.loads(Path(__file__).with_name("refused.toml").read_text("utf-8"))
CASES: Final = {
    f"{command} {words}": [facts] if isinstance(facts, str) else facts
    for command, rows in TABLE.items()
    for words, facts in rows.items()
}
RELABELLED: Final = LINE.translate(str.maketrans("123456789", "234567891"))


@pytest.fixture
def places(
    run_once: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Path]:
    """Two runs and a long name; the working folder is another one, with puzzle files."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "p.txt").write_text(f"{LINE}\n{SOLUTION}\n")
    (folder / "sweep.toml").write_text('datasets = "p.txt"\nbackends = "native"\n')
    (folder / "mine.csv").write_text(
        f"id,puzzle,solution,level\na,{LINE},{SOLUTION},2\nb,{RELABELLED},,3\n"
    )
    (folder / "empty.txt").write_text("")
    (folder / "words.txt").write_text("This is no puzzle at all.\nNor is there one in this line.\n")
    (folder / "plain.txt.gz").write_text(f"{LINE}\n")
    (folder / "board.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (folder / "own.py").write_text("import nosuchmodule\n")
    (folder / "wide.txt").write_text(f"{LINE}\n", "utf-16")
    (folder / "swapped.csv").write_text(f"solution,puzzle\n{LINE},{SOLUTION}\n")
    (folder / "itself").symlink_to("itself")
    monkeypatch.chdir(folder)
    runs = [
        run_once(name, ["1234............", "1..............."], ["native"]) / "run"
        for name in ("refused", "refused-again")
    ]
    return {"run": runs[0], "again": runs[1], "long": Path("a" * 300)}


def marks_of(line: str) -> pytest.MarkDecorator:
    """The mark of a case whose command, or whose message, needs an extension."""
    extensions = {
        ".sd": "formats",
        "--to sdm": "formats",
        "--max-solutions 2": "certificates",
        "--difficulty": "reasoning",
        "show named/1 --svg": "drawings",
        "https:": "formats",
    }
    words = (name for text, name in extensions.items() if text in line)
    extension = next(words, None)
    return needs(extension) if extension else needs_command(*line.split())


@pytest.mark.parametrize("line", [pytest.param(line, marks=marks_of(line)) for line in CASES])
def test_bad_input_is_one_line_and_exit_code_2(
    line: str, places: dict[str, Path], harness: Callable[..., Ended]
) -> None:
    def in_place(text: str) -> str:
        for name, path in places.items():
            text = text.replace(f"{{{name}}}", str(path))
        return text

    before = {folder: sorted(folder.iterdir()) for folder in (Path(), places["run"])}
    code, out, err = harness(*shlex.split(in_place(line)))
    assert (code, out) == (2, "")
    for fact in CASES[line]:
        assert in_place(fact) in err
    assert err.startswith("harness: ")
    assert err.count("\n") == 1
    assert before == {folder: sorted(folder.iterdir()) for folder in before}
