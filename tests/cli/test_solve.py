"""`harness solve`, `count` and `inspect`, and invalid input of every command."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.installed import needs

Harness = Callable[..., tuple[int, str, str]]

SEED_0 = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
SOLVED_0 = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
FIRST_ROW = "1234............"
pytestmark = pytest.mark.usefixtures("warm_workers")

CORE = ("native", "cpsat", "milp", "cnf")


def backends(*names: str) -> list[str]:
    return [word for name in names for word in ("--backend", name)]


def test_a_line_is_solved_and_drawn(harness: Harness) -> None:
    code, out, err = harness("solve", SEED_0)
    assert (code, err) == (0, "")
    assert out.startswith("4 8 3 | 9 2 1 | 6 5 7\n")
    assert "native  solved" in out


@pytest.mark.parametrize(("task", "memory"), [("solve", 500), ("count", 500), ("solve", 0)])
def test_a_proof_of_no_solution_under_a_limit_of_memory_has_a_notice(
    task: str, memory: int, a_backend: Callable[..., str], harness: Harness
) -> None:
    hides = "try: bytearray(2**40)\nexcept MemoryError: return {}"
    backend = a_backend(
        hides.format("Answer.unsatisfiable()") + "\nreturn Answer.unknown()",
        count=hides.format("Count(0, True)") + "\nreturn Count(0, False)",
    )
    words = (task, FIRST_ROW, "--backend", backend, "--memory", memory)
    _, _, err = harness(*words)
    assert ("a solver that hides lack of memory gives the same answer" in err) == (memory > 0)


def test_all_core_backends_solve_side_by_side(harness: Harness) -> None:
    code, out, _ = harness("solve", SEED_0, *backends(*CORE), "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["puzzle"] == SEED_0
    assert [r["backend"] for r in answer["results"]] == list(CORE)
    for result in answer["results"]:
        assert result["verdict"] == "solved"
        assert result["solution"] == SOLVED_0
        assert result["count"] is None
        assert result["wall_s"] > 0
        assert isinstance(result["stats"], dict)


@pytest.mark.parametrize(("limit", "number", "exact"), [("100", 12, True), ("5", 5, False)])
def test_all_core_backends_count_up_to_the_limit(
    harness: Harness, limit: str, number: int, exact: bool
) -> None:
    words = ("count", FIRST_ROW, "--max-solutions", limit, *backends(*CORE), "--json")
    code, out, _ = harness(*words)
    results = json.loads(out)["results"]
    assert code == 0
    answers = [(r["verdict"], r["count"], r["exact"]) for r in results]
    assert answers == [("counted", number, exact)] * len(CORE)


def test_no_solution_is_an_answer(harness: Harness) -> None:
    code, out, _ = harness("solve", "11..............", *backends("native", "cnf"))
    assert code == 0
    assert out.count("unsatisfiable") == 2
    assert out.count("\nduplicate: 1 is given 2 times in row 1: R1C1, R1C2\n") == 1


@pytest.mark.parametrize(
    ("puzzle", "reason"),
    [
        ("123....4........", "no candidate: every value of R1C4 is taken by a peer"),
        ("..1..4..2.3.....", ""),
    ],
)
@pytest.mark.parametrize("command", ["solve", "count"])
def test_no_solution_has_its_reason_if_the_givens_show_it(
    harness: Harness, command: str, puzzle: str, reason: str
) -> None:
    code, out, _ = harness(command, puzzle)
    assert code == 0
    assert out.splitlines()[1:] == ([reason] if reason else [])


def test_a_puzzle_comes_from_a_file_a_dataset_or_standard_input(
    harness: Harness, a_file: Callable[..., Path]
) -> None:
    path = a_file(["# my puzzle", SEED_0])
    assert SOLVED_0 in harness("solve", path, "--json")[1]
    assert SOLVED_0 in harness("solve", "seeds/seed000", "--json")[1]
    run = subprocess.run(
        [sys.executable, "-m", "harness", "solve", "-", "--json"],
        input="..3|.2.|6..\n9..|3.5|..1\n..1|8.6|4..\n---+---+---\n..8|1.2|9..\n7..|...|..8\n"
        "..6|7.8|2..\n---+---+---\n..2|6.9|5..\n8..|2.3|..9\n..5|.1.|3..\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout)["puzzle"] == SEED_0


def test_a_shape_selects_the_reading_of_a_line(harness: Harness) -> None:
    empty = "." * 36
    for shape in ("6x6", "box3x2", "latin6"):
        code, out, _ = harness("solve", empty, "--shape", shape, "--json")
        assert (code, json.loads(out)["shape"]) == (0, shape)


def test_a_wrong_answer_is_a_finding(harness: Harness, a_backend: Callable[..., str]) -> None:
    liar = a_backend("return Answer.unsatisfiable()")
    code, _, err = harness("solve", SEED_0, *backends("native", liar))
    assert code == 1
    assert "  made, solve: wrong: " in err


def test_no_answer_is_a_finding(harness: Harness, a_backend: Callable[..., str]) -> None:
    endless = a_backend("while True: pass")
    code, out, _ = harness("solve", SEED_0, *backends(endless), "--timeout", "0.3")
    assert code == 1
    assert "made  timeout" in out


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        ("", "puzzles.txt: "),
        ("# nothing\n\n", "puzzles.txt: "),
        (f"{SEED_0}\n{'.' * 80}\n", "puzzles.txt:2:81: "),
        (f"{SEED_0}\n{SEED_0}\n", "2 puzzles"),
        ("\0" * 81, "puzzles.txt:1:1: "),
    ],
)
def test_an_error_in_a_file_names_its_place(
    harness: Harness, tmp_path: Path, content: str, fact: str
) -> None:
    (tmp_path / "puzzles.txt").write_text(content)
    code, _, err = harness("solve", tmp_path / "puzzles.txt")
    assert code == 2
    assert err.count("\n") == 1
    assert f"{tmp_path}/puzzles.txt" in err
    assert fact in err


NOTED = [
    ("E....F..DB.AC..F.EA...C.......D..E..", "symbols: alphabet, A-F for 1-6"),
    (f"My puzzle:\n{SEED_0}", "passed over 'My puzzle:' in line 1"),
    (f"1\n{SEED_0}", "passed over the number of puzzles, 1"),
]


@pytest.mark.parametrize(("text", "text_of_note"), NOTED)
def test_a_note_is_on_standard_error_and_in_json_and_strict_refuses_it(
    text: str, text_of_note: str, harness: Harness, tmp_path: Path
) -> None:
    code, out, err = harness("solve", text, "--json")
    assert (code, err) == (0, f"note: {text_of_note}\n")
    assert json.loads(out)["notes"] == [text_of_note]
    path = tmp_path / "p.txt"
    path.write_text(text)
    assert harness("solve", path)[2] == f"note: {path}: {text_of_note}\n"
    for command in ("solve", "count"):
        code, out, err = harness(command, text, "--strict")
        assert (code, out) == (2, "")
        assert text_of_note in err


@needs("formats")
def test_a_text_of_any_format_is_an_argument(harness: Harness) -> None:
    link = f"https://sudokuexchange.com/play/?s={SEED_0.replace('.', '0')}"
    for text in (link, f"see [a puzzle]({link})", json.dumps({"grid": [*SEED_0.split()]})):
        code, out, err = harness("solve", text, "--json")
        assert (code, json.loads(out)["puzzle"]) == (0, SEED_0), err
    code, _, err = harness("solve", json.dumps([[0, None, 3, 4], *[[0] * 4] * 3]))
    assert code == 2
    assert "two blank" in err
