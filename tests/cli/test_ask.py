"""`harness solve`, `count` and `inspect`, as a user types them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Harness = Callable[..., tuple[int, str, str]]

SEED_0 = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
SOLVED_0 = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
FIRST_ROW = "1234............"
CORE = ("native", "cpsat", "milp", "cnf")


def backends(*names: str) -> list[str]:
    return [word for name in names for word in ("--backend", name)]


def test_a_line_is_solved_and_drawn(harness: Harness) -> None:
    code, out, err = harness("solve", SEED_0)
    assert (code, err) == (0, "")
    assert out.startswith("4 8 3 | 9 2 1 | 6 5 7\n")
    assert "native  solved" in out


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
        assert result["seconds"] > 0
        assert isinstance(result["stats"], dict)


def test_all_core_backends_count_the_same(harness: Harness) -> None:
    code, out, _ = harness("count", FIRST_ROW, "--limit", "100", *backends(*CORE), "--json")
    results = json.loads(out)["results"]
    assert code == 0
    assert [(r["verdict"], r["count"], r["exact"]) for r in results] == [("counted", 12, True)] * 4


def test_a_count_that_stops_at_its_limit_is_not_exact(harness: Harness) -> None:
    code, out, _ = harness("count", FIRST_ROW, "--limit", "5", *backends(*CORE), "--json")
    results = json.loads(out)["results"]
    assert code == 0
    assert [(r["verdict"], r["count"], r["exact"]) for r in results] == [("counted", 5, False)] * 4
    code, out, _ = harness("count", FIRST_ROW, "--limit", "5")
    assert "5 solutions or more, stopped at the limit" in out


def test_no_solution_is_an_answer(harness: Harness) -> None:
    code, out, _ = harness("solve", "11..............", *backends("native", "cnf"))
    assert code == 0
    assert out.count("unsatisfiable") == 2


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


def test_a_shape_says_how_a_line_is_meant(harness: Harness) -> None:
    empty = "." * 36
    for shape in ("6x6", "box3x2", "latin6"):
        code, out, _ = harness("solve", empty, "--shape", shape, "--json")
        assert (code, json.loads(out)["shape"]) == (0, shape)


def test_a_wrong_answer_is_a_finding(harness: Harness, a_backend: Callable[..., str]) -> None:
    liar = a_backend("return Answer.unsatisfiable()")
    code, _, err = harness("solve", SEED_0, *backends("native", liar))
    assert code == 1
    assert "DISAGREEMENT on 1 of 1 question" in err
    assert "made.py:Made: wrong: claims no solutions, but 1 solution passed the check" in err


def test_no_answer_is_a_finding(harness: Harness, a_backend: Callable[..., str]) -> None:
    endless = a_backend("while True: pass")
    code, out, _ = harness("solve", SEED_0, *backends(endless), "--timeout", "0.3")
    assert code == 1
    assert "made.py:Made  timeout" in out


BAD_INPUT = [
    (
        ("solve", "." * 80),
        "80 characters; expected 64 for 8x8 or 81 for 9x9",
    ),
    (("solve", "." * 40 + "A" + "." * 40), "'A' is not a value of 9x9; expected 1-9"),
    (("solve", "." * 40 + "0" * 41), "puzzle:1:41"),
    (("solve", "missing.txt"), "missing.txt: no such file"),
    (("solve", "seeds/nothing"), "seeds: no puzzle 'nothing'; expected one of seed000"),
    (("solve", SEED_0, "--backend", "cpsatt"), "'cpsatt'; expected one of annealing"),
    (("solve", SEED_0, "--backend", "cnf[solvr=x]"), "'solvr'"),
    (("solve", SEED_0, "--backend", "cnf[solver=x]"), "'x'; expected one of "),
    (("solve", SEED_0, "--backend", "cnf["), "'cnf['"),
    (("solve", SEED_0, "--backend", "none.py:Made"), "none.py: no such file"),
    (("solve", SEED_0, "--shape", "9by9"), "'9by9'; expected 9x9"),
    (("solve", SEED_0, "--shape", "latin7"), "expected 49 characters"),
    (("solve", SEED_0, "--timeout", "0"), "no timeout of 0 s"),
    (("solve", SEED_0, "--timeout", "soon"), "--timeout"),
    (("solve", SEED_0, "--start", "hot"), "hot"),
    (("solve",), "PUZZLE"),
    (("count", SEED_0, "--limit", "0"), "limit 0 is too small"),
    (("count", SEED_0, "--limit", "many"), "--limit"),
    (("solve", SEED_0, "--nosuch"), "--nosuch"),
    (("slove", SEED_0), "slove"),
    (("run", "--dataset", "seeds"), "no backend; expected at least one --backend"),
    (("run", "--backend", "native"), "no dataset; expected at least one --dataset"),
    (("run", "--dataset", "sedes", "--backend", "native"), "'sedes'; expected one of"),
    (("run", "--dataset", "seeds", "--backend", "native", "--task", "guess"), "guess"),
    (("run", "--dataset", "seeds", "--backend", "native", "--jobs", "0"), "0 jobs"),
    (("run", "missing.toml"), "missing.toml: no such file"),
    (("check", "--dataset", "x.txt"), "x.txt: no such file"),
    (("report", "nowhere"), "nowhere: no run; expected a folder that `harness run` has written"),
    (("report", "nowhere", "--format", "docx"), "docx"),
    (("export", "nowhere"), "nowhere: no run"),
    (("export", "nowhere", "--format", "xls"), "xls"),
]


@pytest.mark.parametrize(("words", "message"), BAD_INPUT, ids=lambda p: " ".join(p)[:50])
def test_bad_input_is_one_line_and_exit_code_2(
    harness: Harness, words: tuple[str, ...], message: str
) -> None:
    code, out, err = harness(*words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("harness: ")
    assert message in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no puzzle; expected at least one puzzle"),
        ("# nothing\n\n", "holds no puzzle"),
        (f"{SEED_0}\n{'.' * 80}\n", "puzzles.txt:2:81: a line of 80 characters for"),
        (f"{SEED_0}\n{SEED_0}\n", "holds 2 puzzles; expected one"),
        ("\0" * 81, "is no symbol of a puzzle"),
    ],
)
def test_a_bad_file_is_told_with_its_place(
    harness: Harness, tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "puzzles.txt").write_text(content)
    code, _, err = harness("solve", tmp_path / "puzzles.txt")
    assert code == 2
    assert err.count("\n") == 1
    assert f"{tmp_path}/puzzles.txt" in err


def test_inspect_shows_what_is_wrong(harness: Harness) -> None:
    code, out, _ = harness("inspect", SEED_0)
    assert code == 0
    assert "9x9, 32 givens" in out
    assert "no contradiction to be seen without search" in out
    code, out, _ = harness("inspect", "22..............")
    assert code == 1
    assert "duplicate: 2 is given 2 times in row 1: R1C1, R1C2" in out
    code, out, _ = harness("inspect", "123.4.......4...", "--json")
    data = json.loads(out)
    assert code == 1
    assert data["contradictory"] is True
    assert data["candidates"]["R1C4"] == "4"


def test_help_is_quick_and_names_every_command(harness: Harness) -> None:
    code, out, _ = harness("--help")
    assert code == 0
    for command in ("run", "check", "report", "export", "solve", "count", "backends", "datasets"):
        assert f"  {command} " in out
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "harness", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    for heavy in ("pandas", "numpy", "ortools", "pulp", "pysat"):
        assert f" {heavy}\n" not in loaded


def test_the_version_is_that_of_the_distribution(harness: Harness) -> None:
    from importlib.metadata import version

    assert harness("--version")[1] == f"harness {version('sudoku-harness')}\n"


def test_what_takes_seconds_before_a_backend_is_ready_is_told(
    a_backend: Callable[..., str], a_file: Callable[..., Path], harness: Harness, tmp_path: Path
) -> None:
    backend = a_backend("return Answer.unsatisfiable()")
    with Path(backend.partition(":")[0]).open("a") as file:
        file.write("Made.preparation = classmethod(lambda cls, options: 'melting the ore')\n")
    code, _, err = harness("solve", FIRST_ROW, "--backend", backend)
    assert (code, err) == (0, "melting the ore\n")
    words = ["--dataset", a_file([FIRST_ROW]), "--backend", backend, "--out", tmp_path / "run"]
    _, _, err = harness("run", *words)
    assert "melting the ore" in err
