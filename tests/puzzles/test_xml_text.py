"""The texts of elements in XML, in linear time."""

from itertools import repeat

import pytest

from harness.errors import PuzzleError
from harness.puzzles.formats import ReadSettings, TextSource
from harness.puzzles.formats.reading import format_named
from harness.puzzles.formats.xml import elements

PUZZLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"


def test_elements_have_their_own_text() -> None:
    text = "<a>1<b>2</b>3<c>4<!-- 5 -->6</c></a>"
    found = {e.name: e.text for e in elements(TextSource.of_text(text, "t"), keep_children=True)}
    assert found == {"a": "13", "b": "2", "c": "46"}


def test_a_stream_keeps_no_text_of_an_element_around_others() -> None:
    """The blanks between all games of a file belong to its root."""
    found = {e.name: e.text for e in elements(TextSource.of_text("<a>1<b>2</b>3<b/>4</a>", "t"))}
    assert found == {"a": "", "b": ""}


def test_a_text_of_an_element_without_an_end_is_refused() -> None:
    text = "<opensudoku>" + "<!-- -->\n x" * 700_000
    with pytest.raises(PuzzleError, match=r"a text of more than 1,048,576 characters"):
        list(elements(TextSource.of_text(text, "t")))


def test_blanks_between_games_take_linear_time() -> None:
    """20 MB; a time that grows with the square would be minutes."""
    game = f'<game data="{PUZZLE}"/>'
    blanks = "\n".join(repeat(" " * 100, 1000))
    text = f"<opensudoku>{(blanks + game) * 200}</opensudoku>"
    source = TextSource.of_text(text, "games.opensudoku")
    assert len(list(format_named("opensudoku").read(source, ReadSettings()))) == 200


def test_elements_may_be_nested_64_deep() -> None:
    for levels in (64, 65):
        text = "<a>" * levels + "</a>" * levels
        if levels == 64:
            assert len(list(elements(TextSource.of_text(text, "t")))) == 64
        else:
            with pytest.raises(PuzzleError, match="t:1:193: too many levels of elements"):
                list(elements(TextSource.of_text(text, "t")))
