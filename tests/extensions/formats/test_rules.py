"""Rules in words are understood if they say no more than the constraints of a puzzle."""

import json

import pytest

from harness.extensions.formats.fpuzzles import FORMAT, compress
from harness.extensions.formats.rules import check_rules
from harness.puzzles import Puzzle, Shape
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, parse_text
from tests.extensions.formats.texts import error_of
from tests.puzzles.detected import read_single
from tests.tables import cases


@pytest.mark.parametrize(("shape", "rules"), cases(__file__, "stated"))
def test_rules_that_state_the_constraints_are_understood(shape: str, rules: str) -> None:
    check_rules(rules, Shape.parse(shape))


@pytest.mark.parametrize(("shape", "rules"), cases(__file__, "further"))
def test_rules_that_say_more_are_refused(shape: str, rules: str) -> None:
    assert "the rule" in error_of(check_rules, rules, Shape.parse(shape))


@pytest.mark.parametrize(
    "host",
    [
        "https://www.f-puzzles.com/?load=",
        "https://sudokupad.app/fpuzzles",
        "https://app.crackingthecryptic.com/sudoku/?puzzleid=fpuzzles",
        "fpuzzles",
    ],
)
def test_a_rule_of_a_payload_is_refused_at_every_host(host: str) -> None:
    rules = "Normal sudoku rules apply. Cells a knight's move apart differ."
    data = {"size": 4, "ruleset": rules, "grid": [[{}] * 4] * 4}
    error = error_of(read_single, host + compress(json.dumps(data)))
    assert 'the rule "Cells a knight\'s move apart differ"' in error
    again = read_single(host + compress(json.dumps(data | {"antiknight": True})))
    assert again.fields["rules"] == rules


def test_a_title_that_may_state_a_rule_is_shown_unless_it_is_a_constraint() -> None:
    for shape, words in (("9x9", "name 'Anti-Knight Sudoku'"), ("9x9+antiknight", "")):
        puzzle = Puzzle(Shape.parse(shape), (1, *[0] * 80))
        parsed = ParsedPuzzle(puzzle, "p", "Anti-Knight Sudoku")
        link = "".join(FORMAT.write([parsed])).strip()
        for text in (link, f'<p>Try this: <a href="{link}">my puzzle</a></p>'):
            notes: list[str] = []
            (read,) = parse_text(text, ReadSettings(understand=notes.append))
            assert read.puzzle == puzzle
            rules = [note for note in notes if "rule" in note]
            assert words in "".join(rules)
            assert bool(rules) == bool(words)
