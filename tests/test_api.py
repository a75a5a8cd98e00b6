"""The Python interface: single questions, runs, replies and errors."""

import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_type_hints

import numpy
import pandas
import pytest

import harness
from harness.puzzles import parse_puzzle, values_of_line
from tests.installed import needs

SEED_0 = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
SOLVED_0 = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"


def test_solve_takes_every_form_of_a_puzzle() -> None:
    puzzle = parse_puzzle(SEED_0)
    rows = puzzle.rows()
    arrays = (numpy.array(rows), pandas.DataFrame(rows), list(SEED_0))
    for form in (puzzle, SEED_0, rows, puzzle.cells(), *arrays):
        reply = harness.solve(form)
        assert (reply.verdict, reply.solution, reply.reason) == ("solved", SOLVED_0, "")
        assert reply.puzzle == puzzle
        assert reply.wall_s is not None
        assert reply.cpu_s is not None
        assert sum(reply.phases.values()) <= reply.wall_s * 2


@pytest.mark.parametrize("backend", ["native", "cnf"])
def test_count_reports_whether_all_solutions_were_found(backend: str) -> None:
    reply = harness.count("1234............", backend, max_solutions=10)
    assert (reply.verdict, reply.count, reply.exact) == ("counted", 10, False)
    reply = harness.count("1234............", backend, max_solutions=13)
    assert (reply.verdict, reply.count, reply.exact) == ("counted", 12, True)


def test_a_start_is_chosen_by_its_name() -> None:
    assert harness.solve(SEED_0, start="warm").verdict == "solved"
    assert harness.solve(SEED_0, start=harness.Start.WARM).record.trial.question.start == "warm"


def test_a_failing_backend_gives_a_reply(a_backend: Callable[..., str]) -> None:
    crash = a_backend("os.abort()")
    reply = harness.solve(SEED_0, crash)
    assert reply.verdict is harness.Verdict.CRASHED
    assert "SIGABRT" in reply.reason
    assert harness.solve(SEED_0, crash).verdict is harness.Verdict.CRASHED
    endless = a_backend("while True: pass", name="endless")
    assert harness.solve(SEED_0, endless, timeout=0.2).verdict is harness.Verdict.TIMEOUT


def test_a_single_question_has_limits_of_cpu_time_and_memory(a_backend: Callable[..., str]) -> None:
    endless = a_backend("while True: pass", name="endless")
    assert harness.solve(SEED_0, endless, cpu=0.2).verdict is harness.Verdict.TIMEOUT
    hungry = a_backend("x = bytearray(300 << 20)\nreturn Answer.unknown()", name="hungry")
    assert harness.solve(SEED_0, hungry, memory=50).verdict is harness.Verdict.OUT_OF_MEMORY


SOLVED_4 = parse_puzzle("1234341221434321")
INVALID = [
    ({"puzzle": "." * 80}, harness.InputError, "80"),
    ({"puzzle": [[1, 2], [3]]}, harness.InputError, "row 2"),
    ({"puzzle": {"J1": 3}, "shape": "9x9"}, harness.InputError, "'J1'"),
    ({"puzzle": ". " * 1369}, harness.PuzzleError, "for example shape='latin37'"),
    ({"puzzle": 3}, harness.PuzzleError, "3"),
    ({"puzzle": [1, 2]}, harness.PuzzleError, "2 cells"),
    ({"puzzle": SOLVED_4, "shape": "latin4"}, harness.PuzzleError, "4x4; expected latin4"),
    ({"puzzle": None}, harness.PuzzleError, "None"),
    ({"puzzle": "seeds/1"}, harness.PuzzleError, "no puzzle is recognized in 'seeds/1'"),
    ({"backend": "nativ"}, harness.InputError, "'nativ'"),
    ({"backend": "x[a=[1,2]]"}, harness.InputError, "'x'"),
    ({"backend": "cnf[solver=[minisat22,glucose4]]"}, harness.OptionError, "several"),
    ({"shape": "9x10"}, harness.InputError, "'9x10'"),
    ({"start": "hot"}, harness.OptionError, "cold"),
    ({"timeout": -1}, harness.OptionError, "timeout"),
    ({"memory": 2**60}, harness.OptionError, "memory"),
]


@pytest.mark.parametrize(("arguments", "kind", "fact"), INVALID, ids=str)
def test_an_invalid_argument_is_an_input_error(
    arguments: dict[str, object], kind: type[harness.InputError], fact: str
) -> None:
    with pytest.raises(kind) as error:
        harness.solve(**{"puzzle": SEED_0} | arguments)  # type: ignore[arg-type]
    assert fact in str(error.value)


def test_the_limit_of_a_count_is_checked() -> None:
    for limit in (0, "10", 2.5, 10**4300):
        with pytest.raises(harness.OptionError) as error:
            harness.count(SEED_0, max_solutions=limit)  # type: ignore[arg-type]
        assert error.value.where == "max_solutions"


def test_a_run_is_read_as_a_frame(a_file: Callable[..., Path], tmp_path: Path) -> None:
    run = harness.run([str(a_file([SEED_0]))], ["native", "cnf"], out=tmp_path / "run", repeat=3)
    assert run.trials.groupby("backend", observed=True).size().to_dict() == {"native": 3, "cnf": 3}
    assert run.agreement().agreed
    assert set(run.summary()["solved"]) == {1}
    assert len(harness.load(tmp_path / "run").trials) == 6


def test_options_of_a_run_take_one_value_or_several(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzles = str(a_file(["1234............"]))
    shape = harness.Shape.parse("4x4")
    run = harness.run(
        puzzles,
        "native",
        tasks="count",
        starts=[harness.Start.COLD, "warm"],
        max_solutions=20,
        shape=shape,
        out=tmp_path / "run",
    )
    assert set(run.trials["task"]) == {"count"}
    assert set(run.trials["start"]) == {"cold", "warm"}
    assert set(run.trials["count"]) == {12}


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({"datasets": []}, "datasets"),
        ({"tasks": "guess"}, "tasks"),
        ({"jobs": 0}, "jobs"),
        ({"jobs": 10**6}, "jobs"),
        ({"out": "a\0b"}, "out"),
    ],
    ids=str,
)
def test_an_invalid_option_of_a_run_is_an_option_error(
    arguments: dict[str, object], where: str, tmp_path: Path
) -> None:
    valid = {"datasets": "seeds", "backends": "native", "out": tmp_path / "run"}
    with pytest.raises(harness.OptionError) as error:
        harness.run(**valid | arguments)  # type: ignore[arg-type]
    assert error.value.where == where
    assert not (tmp_path / "run").exists()


def test_more_jobs_than_cores_are_refused_unless_it_is_meant(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    cores = len(os.sched_getaffinity(0))
    options = {"jobs": cores + 1, "out": tmp_path / "run"}
    puzzles = str(a_file(["1234............"]))
    expected = f"jobs: {cores + 1} trials at a time on .* expected jobs={cores} or fewer, or over"
    with pytest.raises(harness.OptionError, match=expected):
        harness.run(puzzles, "native", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()
    harness.run(puzzles, "native", oversubscribe=True, **options)  # type: ignore[arg-type]


def test_a_session_returns_a_reply_for_each_backend() -> None:
    question = harness.Question(harness.Task.COUNT, 20, harness.Start.COLD, 10.0)
    puzzle = harness.parse_puzzle("1234............")
    with harness.Session() as session:
        replies = session.ask(puzzle, ["native", "cnf"], question)
    assert all(isinstance(reply, harness.Reply) for reply in replies)
    assert [(reply.backend, reply.count) for reply in replies] == [("native", 12), ("cnf", 12)]
    assert isinstance(harness.count(puzzle, max_solutions=20), harness.Reply)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"task": "solve"}, "task"),
        ({"limit": -1}, "limit"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"cpu_limit_s": -1}, "cpu_limit_s"),
    ],
    ids=str,
)
def test_an_invalid_question_is_an_option_error(change: dict[str, object], where: str) -> None:
    valid = {"task": harness.Task.COUNT, "limit": 2, "start": harness.Start.COLD, "timeout_s": 9.0}
    with pytest.raises(harness.OptionError) as error:
        harness.Question(**valid | change)  # type: ignore[arg-type]
    assert error.value.where == where


@pytest.mark.parametrize(
    ("puzzle", "backends", "question"),
    [(3, ["native"], None), (SEED_0, 3, None), (SEED_0, ["native"], "solve")],
    ids=["a number as a puzzle", "a number as backends", "a text as a question"],
)
def test_a_session_still_answers_after_an_invalid_argument(
    puzzle: object, backends: object, question: object
) -> None:
    solve = harness.Question(harness.Task.SOLVE, 0, harness.Start.WARM, 10.0)
    with harness.Session() as session:
        with pytest.raises(harness.InputError):
            session.ask(puzzle, backends, question or solve)  # type: ignore[arg-type]
        (reply,) = session.ask(SEED_0, "native", solve)
    assert reply.solution == SOLVED_0


def test_an_edited_backend_file_is_used_as_it_is_now(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = (
        "from harness.contract import Answer, Backend\n"
        "class Mine(Backend):\n"
        "    name, paradigm = 'mine', 'made for a test'\n"
        "    def __init__(self, shape, options): pass\n"
        "    def solve(self, puzzle): return Answer.{}()\n"
    )
    for status, verdict in (("unknown", "unknown"), ("unsatisfiable", "unsatisfiable")):
        file.write_text(text.format(status))
        assert harness.solve("11..............", file).verdict == verdict
        assert harness.solve("11..............", file).verdict == verdict


@pytest.mark.parametrize("folder", ["a\0b", 3, None])
def test_a_folder_that_is_no_path_is_a_run_error(folder: object) -> None:
    with pytest.raises(harness.RunError):
        harness.load(folder)  # type: ignore[arg-type]


def test_a_count_beyond_every_limit_is_wrong(a_backend: Callable[..., str]) -> None:
    backend = a_backend("return Answer.unknown()", count="return Count(10**40, True)")
    reply = harness.count(SEED_0, backend)
    assert (reply.verdict, reply.count) == ("wrong", 10**40)
    assert str(10**40) in reply.reason


def test_a_printed_reply_is_its_grid_and_one_line() -> None:
    reply = harness.solve(SEED_0)
    grid, _, line = str(reply).rpartition("\n")
    assert harness.parse_puzzle(grid).line == SOLVED_0
    assert line.startswith("native: solved ")
    assert line.endswith("s")
    assert (
        str(harness.count("1234............", max_solutions=20))
        .splitlines()[-1]
        .count("12 solutions")
    )
    assert str(harness.solve("11..............")).startswith("native: unsatisfiable ")


@needs("drawings")
def test_a_notebook_shows_a_reply_as_a_drawing() -> None:
    from harness.extensions.drawings.svg import svg

    reply = harness.solve(SEED_0)
    drawing = svg(reply.puzzle, values_of_line(SOLVED_0))
    assert reply._repr_html_().startswith(f"{drawing}<div>native: solved in ")


def test_a_notebook_without_drawings_shows_the_text_of_a_reply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "harness.extensions.drawings.svg", None)
    reply = harness.solve(SEED_0)
    assert reply._repr_html_() == f"<pre>{reply}</pre>"


def test_the_html_of_a_reply_is_escaped(a_backend: Callable[..., str]) -> None:
    reply = harness.solve(SEED_0, a_backend("raise ValueError('<b>&')"))
    assert "<b>" in reply.reason
    assert "<b>" not in reply._repr_html_()
    assert "&lt;b&gt;&amp;" in reply._repr_html_()


def test_a_reply_is_data_for_json() -> None:
    data = json.loads(json.dumps(harness.solve(SEED_0).as_dict()))
    assert (data["verdict"], data["solution"], data["backend"]) == ("solved", SOLVED_0, "native")


def test_dir_lists_every_public_name() -> None:
    assert dir(harness) == sorted(harness.__all__)
    for name in dir(harness):
        assert getattr(harness, name) is not None
    with pytest.raises(AttributeError):
        harness.slove  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("name", ["solve", "count", "run"])
def test_every_parameter_has_a_type_and_is_documented(name: str) -> None:
    function = getattr(harness, name)
    hints = get_type_hints(function)
    docs = f"{inspect.getdoc(function)}\n{inspect.getdoc(harness.solve)}"
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
        assert parameter.name in hints
        assert f"{parameter.name}:" in docs or f"`{parameter.name}`" in docs


@pytest.mark.parametrize(
    "kind",
    [
        harness.PuzzleError,
        harness.UnknownBackendError,
        harness.BackendUnavailableError,
        harness.OptionError,
        harness.RunError,
        harness.StoreDamagedError,
    ],
)
def test_kinds_of_input_errors_keep_their_kind_and_facts(kind: type[harness.InputError]) -> None:
    error = kind("problem", expected="solution").at("file:1")
    assert type(error) is kind
    assert isinstance(error, harness.InputError)
    assert (error.what, error.where, error.expected) == ("problem", "file:1", "solution")


def test_text_as_bytes_is_read_and_an_array_of_more_dimensions_is_named() -> None:
    line = "...4......7......213....6....1.39.2.......9...2....813...5..148.652.1.7.4..9832.5"
    assert harness.solve(line.encode()).puzzle == parse_puzzle(line)
    cells = [[[[0] * 3] * 3] * 3] * 3
    with pytest.raises(harness.PuzzleError, match="an array of more than two dimensions"):
        harness.solve(cells)
