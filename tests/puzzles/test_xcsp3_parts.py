"""Parts of XCSP3 that change the meaning of a constraint are refused."""

import pytest

from harness.errors import PuzzleError
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.reading import format_named
from tests.puzzles.detected import one
from tests.puzzles.example import LINE

(*PARTS,) = format_named("xcsp3").write([one(LINE)])
TEXT = "".join(PARTS)


def _read(old: str, new: str) -> ParsedPuzzle:
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    (found,) = format_named("xcsp3").read(TextSource.of_text(text, "p.xml"), ReadSettings())
    return found


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("<allDifferent>", "<allDifferent><except>1</except>", "the element 'except'"),
        ("<allDifferent>", '<allDifferent reifiedBy="b">', "the attribute 'reifiedBy'"),
        ('id="x"', 'id="x" startIndex="1"', "the attribute 'startIndex'"),
        ("</constraints>", "</constraints><objectives/>", "the element 'objectives'"),
        ('type="CSP"', 'type="COP"', "the type 'COP'"),
        ("<instantiation>", "<instantiation><other/>", "the element 'other'"),
        (
            "<allDifferent>",
            "<allDifferent><list> x[0][0] </list><list> x[0][1] </list>",
            "2 lists and matrices",
        ),
    ],
)
def test_a_part_that_changes_the_meaning_is_refused(old: str, new: str, what: str) -> None:
    with pytest.raises(PuzzleError, match=what):
        _read(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<allDifferent>", '<allDifferent id="c1" note="row" class="rows">'),
        ('id="x"', 'id="x" type="integer" startIndex="[0][0]" note="grid"'),
        ("</constraints>", "</constraints><annotations><decision> x[] </decision></annotations>"),
    ],
)
def test_a_part_without_a_meaning_is_read(old: str, new: str) -> None:
    assert _read(old, new).puzzle.line == LINE
