"""`harness trace`: its views, its limits and its end."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.extensions.reasoning.cli.trace_views import Traced
from harness.extensions.reasoning.step import StepKind
from tests.backends.article_puzzles import NEAR
from tests.conftest import Harness

TWELVE = "12..34.........."
"""Twelve solutions."""
UNSOLVABLE = "123....4........"
PLAIN = "reasoning[rules=none]"
ENDLESS = ("trace", "." * 81, "--max-solutions", "1000000000", "--backend", PLAIN)
"""A search that does not end by itself."""
GRID = "1 2 | 3 4\n3 4 | 1 2\n----+----\n2 1 | 4 3\n4 3 | 2 1\n"


pytestmark = pytest.mark.usefixtures("plain_terminal")


NAMES = "    each digit after total is a guess: 1 tries its first value, 2 its second"


@pytest.mark.parametrize(
    ("puzzle", "rules"), [("12343412214343..", "naked-single"), (TWELVE, "up-to-path")]
)
def test_stronger_rules_are_named_only_where_they_may_help(
    puzzle: str, rules: str, harness: Harness
) -> None:
    out = harness("trace", puzzle, "--backend", f"reasoning[rules={rules}]").out
    assert ("try " in out) == (puzzle == TWELVE)
    assert "stronger rules" not in out


def test_words_have_each_event_with_its_reason_then_the_outcome(harness: Harness) -> None:
    result = harness("trace", TWELVE)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(
        "branch at R1C3: 3 or 4\n"
        f"try R1C3 is 3: 1 of 2 (total1)\n{NAMES}\n"
        "R1C4 is 4: the only candidate left there (naked single)\n"
        "branch at R2C3: 1 or 2\n"
    )
    assert result.out.endswith(
        f"\nthe board is a solution of the puzzle\n\n{GRID}\n"
        "reasoning  solved: 5 nodes, 4 guesses, 0 dead ends, naked single 8\n"
        "stronger rules may need fewer guesses: --backend 'reasoning[rules=up-to-path]'\n"
    )
    assert result.out.count(NAMES) == 1, "at the first name"
    assert harness("trace", TWELVE, "--view", "words").out == result.out


def test_a_puzzle_without_a_solution_is_proved_to_have_none(harness: Harness) -> None:
    for limit, verdict in (((), "unsatisfiable"), (("--max-solutions", "9"), "0 solutions")):
        result = harness("trace", UNSOLVABLE, *limit, "--backend", PLAIN)
        assert (result.code, result.err) == (0, "")
        assert "dead end: R1C4 has no candidate" in result.out
        assert f"\n{PLAIN}  {verdict}: " in result.out


def test_c1_9_the_log_of_every_step_has_the_rows_of_trackhist(harness: Harness) -> None:
    """C1.9: the log is optional; each assignment, dead end and cell put back is a row."""
    line = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"
    result = harness("trace", line, "--view", "tracker", "--limit", "0", "--backend", PLAIN)
    history, tracker, attempts = result.out.split("\n\n")[:3]
    assert history.startswith("TRACKHIST: the whole history; 9999 is a dead end, 0 a cell put back")
    rows = [tuple(map(int, line.split())) for line in history.splitlines()[2:]]
    assignments = [row for row in rows if row[3] not in (0, 9999)]
    assert len(assignments) == 482 - 1, "every node but the puzzle itself"
    assert rows[-1] == assignments[-1]
    current = [tuple(map(int, line.split())) for line in tracker.splitlines()[2:]]
    assert tracker.startswith("TRACKER: the assignments at the end\n")
    assert len(current) == line.count(".")
    assert set(current) <= set(assignments)
    values = {int(line.split()[0]): line.split()[1:] for line in attempts.splitlines()[1:]}
    assert attempts.startswith("PAV: the values tried in each cell\n")
    assert all(str(row[3]) in values[row[2]] for row in current)
    plain = harness("solve", line, "--backend", PLAIN)
    solution = "".join(re.findall(r"\d", result.out.split("\n\n")[3]))
    assert solution == "".join(re.findall(r"\d", plain.out.split("\n\n")[0]))
    assert "CTR" not in plain.out


def test_c1_11_candidates_shrink_the_search_and_the_milp(harness: Harness) -> None:
    """C1.11: the model with binaries x[r,c,v] has the same solution as the search."""
    words = ("--backend", "milp", "--backend", "milp[model=full]", "--json")
    results = json.loads(harness("solve", "seeds/seed000", *words).out)["results"]
    after_reduction, full = (result["stats"]["variables"] for result in results)
    assert after_reduction < full == 9**3
    traces = [
        json.loads(harness("trace", "seeds/seed000", "--json", "--backend", spec).out)
        for spec in ("reasoning", "reasoning[rules=none]")
    ]
    assert traces[0]["nodes"] < traces[1]["nodes"]
    answers = [*results, *traces]
    assert len({answer["solution"] for answer in answers}) == 1


def test_c2_5_branches_have_the_names_and_paths_of_the_spreadsheets(harness: Harness) -> None:
    """C2.5: total, total1, total11: each node has its outcome and the guesses before it."""
    result = harness("trace", TWELVE, "--max-solutions", "1000", "--view", "branches")
    lines = result.out.split("\n\n")[0].splitlines()
    assert lines[:5] == [
        "total: 2 options at R1C3",
        "total1: 2 options at R2C3 (R1C3=3)",
        "total11: 2 options at R3C1 (R1C3=3 R2C3=1)",
        "total111: 2 options at R3C2 (R1C3=3 R2C3=1 R3C1=2)",
        "total1111: solution (R1C3=3 R2C3=1 R3C1=2 R3C2=1)",
    ]
    assert sum(": solution (" in line for line in lines) == 12
    for line in lines[1:]:
        name, _, path = line.partition(":")
        assert path.count("=") == len(name.removeprefix("total"))
    assert "\nreasoning  12 solutions: 23 nodes, " in result.out


def test_a_tree_is_drawn_after_the_search(harness: Harness, monkeypatch: Any) -> None:
    words = ("trace", TWELVE, "--max-solutions", "2", "--view", "tree")
    assert harness(*words).out.startswith(
        "total\n"
        "├─ R1C3=3\n"
        "│  ├─ R2C3=1\n"
        "│  │  ├─ R3C1=2\n"
        "│  │  │  ├─ R3C2=1  solution\n"
        "│  │  │  └─ R3C2=3  solution\n"
        "│  │  └─ R3C1=4  open\n"
        "│  └─ R2C3=2  open\n"
        "└─ R1C3=4  open\n"
    )
    monkeypatch.setenv("LANG", "C")
    assert harness(*words).out.isascii()
    short = harness(*words, "--limit", "3").out.split("\n\n")[0].splitlines()
    assert short == ["total", "|- R1C3=3  6 nodes below: 2 solutions", "`- R1C3=4  open"]


def test_steps_without_a_terminal_show_each_board(harness: Harness) -> None:
    result = harness("trace", TWELVE, "--steps")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(
        "branch at R1C3: 3 or 4\n"
        f"try R1C3 is 3: 1 of 2 (total1)\n{NAMES}\n\n"
        "1 2 | 3 .\n3 4 | . .\n----+----\n. . | . .\n. . | . .\n"
    )
    assert result.out.count(GRID) == 2, "the last step and the outcome"
    short = harness("trace", TWELVE, "--steps", "--limit", "2").out
    assert short.count("----+----") == 2
    assert "cut off: 15 of 17 steps; --limit 0 for all\n" in short


CUT_OFF = re.compile(r"^cut off: (\d+) of (\d+) lines; --limit 0 for all$", re.MULTILINE)


def test_the_limit_cuts_off_lines_and_says_so(harness: Harness) -> None:
    words = ("trace", "named/2", "--view", "words")
    every = harness(*words, "--limit", "0").out
    assert "cut off" not in every
    for most in (7, None):
        excerpt = harness(*words, *(() if most is None else ("--limit", str(most)))).out
        notice = CUT_OFF.search(excerpt)
        assert notice is not None
        omissions, total = map(int, notice.groups())
        assert total - omissions == (most or 200)
        assert every.startswith(excerpt[: notice.start()])
        assert every.endswith(excerpt[notice.end() :]), "the search goes on to its end"
    assert harness(*words, "--limit", str(total)).out == every
    assert f"cut off: 1 of {total} lines" in harness(*words, "--limit", str(total - 1)).out


@pytest.mark.parametrize("view", ["words", "tracker", "branches", "tree"])
def test_a_trace_has_80_columns(harness: Harness, view: str) -> None:
    words = ("--view", view, "--limit", "0", "--backend", "reasoning[rules=up-to-xyz-wing]")
    out = harness("trace", "seeds/seed000", *words).out
    assert max(map(len, out.splitlines())) <= 80


def test_several_puzzles_have_their_names(harness: Harness) -> None:
    result = harness("trace", "named/1-3", "--limit", "2")
    assert result.code == 0
    assert [*re.findall(r"^(?:\n)?(\w+)\n\n", result.out, re.M)] == [
        *("wikipedia", "norvig_grid2", "wikipedia_antibruteforce")
    ]
    assert result.out.count("cut off: ") == result.out.count("reasoning  solved: ") == 3
    traces = json.loads(harness("trace", "named/1-3", "--json").out)
    assert (len(traces), traces[0]["name"]) == (3, "wikipedia")


COUNT = ("trace", TWELVE, "--max-solutions", "1000")


def test_a_count_ends_at_its_limit(harness: Harness) -> None:
    for limit in (3, 12):
        result = harness("trace", TWELVE, "--max-solutions", str(limit))
        assert result.code == 0
        assert result.out.splitlines().count("the board is a solution of the puzzle") == limit
        assert f"\nreasoning  {limit} solutions or more: " in result.out
    assert "\nreasoning  12 solutions: " in harness(*COUNT).out


def test_documents_have_the_declared_keys(harness: Harness) -> None:
    kinds = set()
    for limit, puzzle, rules in (
        (("--max-solutions", "1000"), UNSOLVABLE, "none"),
        (("--max-solutions", "1000"), TWELVE, "naked-single"),
        ((), "named/2", "up-to-xyz-wing"),
    ):
        words = (*limit, "--json", "--backend", f"reasoning[rules={rules}]")
        result = harness("trace", puzzle, *words)
        assert (result.code, result.err) == (0, "")
        document = msgspec.json.decode(result.out, type=Traced, strict=True)
        assert json.loads(result.out) == msgspec.to_builtins(document)
        kinds |= {step.kind for step in document.steps}
        assert document.left_out == 0
        assert document.exact is bool(limit)
        assert sum(step.kind is StepKind.DEAD_END for step in document.steps) == document.dead_ends
        assert sum(step.kind is StepKind.OPTIONS for step in document.steps) == document.guesses
        solutions = [step.solution for step in document.steps if step.solution]
        assert len(solutions) == document.count
        assert document.solution == next(iter(solutions), None)
        by_rule = [step.rule for step in document.steps if step.rule]
        assert {rule: by_rule.count(rule) for rule in document.conclusions} == document.conclusions
        assert all(step.removed for step in document.steps if step.kind is StepKind.ELIMINATION)
    assert kinds == set(StepKind)


def test_the_limit_of_a_document_leaves_events_out(harness: Harness) -> None:
    every = json.loads(harness(*COUNT, "--json").out)
    for most in (1, 10):
        excerpt = json.loads(harness(*COUNT, "--json", "--limit", str(most)).out)
        assert excerpt["steps"] == every["steps"][:most]
        assert excerpt["left_out"] == len(every["steps"]) - most
        assert {**excerpt, "steps": [], "left_out": 0} == {**every, "steps": []}


def test_the_trace_of_contradictory_givens_names_them(harness: Harness) -> None:
    result = harness("trace", "11..............")
    assert result.code == 0
    assert "\nduplicate: 1 is given 2 times in row 1: R1C1, R1C2\n" in result.out


def test_a_search_that_gives_up_has_no_answer(harness: Harness) -> None:
    spec = "reasoning[rules=none,search=breadth-first,most_boards=3]"
    for view in ("words", "branches", "tree"):
        result = harness("trace", TWELVE, "--view", view, "--backend", spec)
        assert result.code == 1
        assert f"{spec}  unknown (more than 3 boards wait): " in result.out.replace("\n    ", " ")
    document = json.loads(harness(*COUNT, "--json", "--backend", spec).out)
    assert (document["verdict"], document["exact"]) == ("unknown", False)


@pytest.mark.parametrize("view", ["words", pytest.param("tree", marks=pytest.mark.long)])
def test_an_interrupted_trace_shows_what_it_found(tmp_path: Path, view: str) -> None:
    words = ("trace", "named:norvig_impossible", "--backend", PLAIN, "--view", view)
    with subprocess.Popen(
        [sys.executable, "-m", "harness", *words, "--limit", "3"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as command:
        assert command.stdout is not None
        if view == "words":
            command.stdout.readline()
        else:
            time.sleep(3)
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=30)
    assert command.returncode == 130
    assert "reasoning[rules=none]  interrupted: " in out
    assert err == ""


def test_the_time_limit_ends_a_long_trace(harness: Harness) -> None:
    for view in ("words", "tree"):
        began = time.monotonic()
        result = harness(*ENDLESS, "--view", view, "--timeout", "0.2", "--limit", "5")
        assert time.monotonic() - began < 20
        assert (result.code, result.err) == (1, "")
        solutions = r"(, [\d,]+ solutions? or more)?"  # none yet on a busy machine
        assert re.search(rf"\nreasoning\[rules=none\]  timeout{solutions}: ", result.out)
    words = ("--timeout", "0.05", "--json", "--limit", "1")
    document = json.loads(harness("trace", NEAR, "--backend", PLAIN, *words).out)
    outcome = [document[key] for key in ("verdict", "solution", "exact")]
    assert outcome == ["timeout", None, False]
    assert harness("trace", TWELVE, "--timeout", "1e30").code == 0


def test_a_reader_that_closes_ends_a_long_trace() -> None:
    command = [sys.executable, "-m", "harness", *ENDLESS, "--limit", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode != 0
