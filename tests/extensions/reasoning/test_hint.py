"""`harness hint`: the next step with its reason, or why there is none."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from harness.extensions.reasoning.cli.hint import Hinted
from harness.extensions.reasoning.ladder import LADDER
from tests.backends.article_puzzles import P3C
from tests.conftest import Harness

SINGLE = "123.34.........."
NO_CELL = "..1..3.....3...."
SOLVED = "1234341221434321"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LANG", "C")


def test_a_hint_for_a_killer_is_a_rule_for_cages_by_default(harness: Harness) -> None:
    result = harness("hint", "." * 16, "--shape", "4x4; killer 3: R1C1 R1C2; killer 7: R2C1 R2C2")
    assert result.code == 0
    assert "cage combination: R1C1 and R1C2 are not 3 or 4: cage 3 at R1C1 holds 1-2" in result.out


def test_a_hint_is_the_board_and_a_sentence(harness: Harness) -> None:
    result = harness("hint", SINGLE)
    assert (result.code, result.err) == (0, "")
    board, sentence = result.out.split("\n\n")
    assert "1 2 | 3 ." in board
    assert sentence == "naked single: R1C4 is 4: the only candidate left there\n"


@pytest.mark.parametrize(
    ("puzzle", "state", "message"),
    [
        (SOLVED, "solved", "the puzzle is solved: every cell has a value"),
        ("11..............", "contradictory", "duplicate: 1 is given 2 times in row 1: R1C1"),
        ("123....4........", "contradictory", "every value of R1C4 is taken by a peer"),
        (NO_CELL, "contradictory", "no cell for a value: row 1 has no cell for 3"),
        ("." * 16, "no rule applies", "no rule applies; only a guess leads further. Tried: naked"),
    ],
)
def test_without_a_hint_the_reason_is_shown_and_the_exit_code_is_1(
    harness: Harness, puzzle: str, state: str, message: str
) -> None:
    result = harness("hint", puzzle)
    assert (result.code, result.err) == (1, "")
    assert message in result.out.replace("\n", " ")
    data = harness("hint", puzzle, "--json")
    document = msgspec.json.decode(data.out, type=Hinted, strict=True)
    assert (data.code, document.state, document.hints) == (1, state, [])


def test_rules_are_tried_from_the_simplest(harness: Harness) -> None:
    document = [
        json.loads(harness("hint", SINGLE, "--json", *words).out)
        for words in (
            (),
            ("--rules", "hidden-single"),
            ("--rules", "hidden-single+naked-single"),
            ("--rules", "up-to-hidden-single"),
        )
    ]
    assert [len(document["rules"]) for document in document] == [len(LADDER), 1, 2, 2]
    assert [document["hints"][0]["rule"] for document in document] == [
        *("naked single", "hidden single", "naked single", "naked single")
    ]
    for none in ("none", ""):
        result = harness("hint", SINGLE, "--rules", none)
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("harness: --rules: ")


def test_all_shows_every_conclusion_of_the_same_rule(harness: Harness) -> None:
    words = ("hint", "seeds/seed000", "--json")
    first = json.loads(harness(*words).out)["hints"]
    every = json.loads(harness(*words, "--all").out)["hints"]
    assert first == every[:1]
    assert len(every) > 1
    assert len({hint["rule"] for hint in every}) == 1
    lines = harness("hint", "seeds/seed000", "--all").out.split("\n\n")[1].splitlines()
    assert len([line for line in lines if not line.startswith(" ")]) == len(every)


def test_documents_have_the_declared_keys(harness: Harness) -> None:
    for words in (("seeds/seed000",), ("named/2", "--rules", "locked-candidates")):
        result = harness("hint", *words, "--json", "--all")
        document = msgspec.json.decode(result.out, type=Hinted, strict=True)
        assert json.loads(result.out) == msgspec.to_builtins(document)
        for hint in document.hints:
            assert (hint.cell is None) is (hint.value is None) is bool(hint.removed)
            assert hint.cells
    several = json.loads(harness("hint", "named/1-2", "--json").out)
    assert [document["name"] for document in several] == ["wikipedia", "norvig_grid2"]


def test_one_puzzle_without_a_hint_decides_the_exit_code(
    harness: Harness, a_file: Callable[..., Path]
) -> None:
    path = a_file([SINGLE, SOLVED])
    result = harness("hint", f"{path}/1-2")
    assert result.code == 1
    assert "naked single: R1C4 is 4" in result.out
    assert "the puzzle is solved" in result.out


def test_pencilmarks_restrict_the_candidates(harness: Harness, a_file: Callable[..., Path]) -> None:
    """A line of candidates: R1C1 can be 1 only, and R1C2 can be 1 or 3."""
    marks = ["1234"] * 16
    marks[0], marks[1] = "1", "13"
    line = "".join("".join(v if v in cell_marks else "." for v in "1234") for cell_marks in marks)
    result = harness("hint", a_file([line]), "--shape", "4x4", "--json", "--rules", "naked-single")
    document = json.loads(result.out)
    words = "R1C2 is 3: the only candidate left there"
    assert [hint["words"] for hint in document["hints"]] == [words]


@pytest.mark.parametrize(("columns", "lines"), [("80", 37), ("43", 37), ("42", 13)])
def test_a_hint_that_removes_candidates_has_all_of_them_if_there_is_room(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, columns: str, lines: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    result = harness("hint", P3C, "--rules", "locked-candidates")
    board, sentence = result.out.split("\n\n")
    assert len(board.splitlines()) == lines
    lowest = "| 7 9 7 9 7 9 |         7   |"
    assert (lowest in board) is (lines == 37), "7 and 9 in R8C4 to R8C6, 7 in R8C9"
    assert sentence.startswith("locked candidates: R8C9 is not 7:")


def test_a_drawing_has_the_rule_and_the_sentence_below_its_grid(
    harness: Harness, tmp_path: Path
) -> None:
    out = tmp_path / "hint.svg"
    for puzzle, words in ((SINGLE, "naked single: R1C4 is 4: the only"), (SOLVED, "the puzzle is")):
        assert harness("hint", puzzle, "--svg", out, "--replace").code == (puzzle == SOLVED)
        lines = [
            text.text or ""
            for text in ElementTree.parse(out).iter("{http://www.w3.org/2000/svg}text")
            if text.get("class") == "caption"
        ]
        assert " ".join(lines).startswith(words)
