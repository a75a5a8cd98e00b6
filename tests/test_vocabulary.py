"""The project uses the terms of the field; see `tests.vocabulary`."""

import subprocess

import pytest

from tests.vocabulary import REPLACED, Replaced, occurrences, places, tracked


def test_replaced_words_do_not_occur() -> None:
    try:
        files = tracked()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("the project is not a git checkout")
    replacements = [
        f"{where}: {replaced.word!r}; write {replaced.by!r}"
        for replaced in REPLACED
        for where in occurrences(replaced, files)
    ]
    assert not replacements, f"{len(replacements)} occurrences:\n" + "\n".join(replacements)


@pytest.mark.parametrize(
    "text", ["plum", "is_plum", "PLUM_AT", "plumBy", "wasPlum", "Plum.", "plum2"]
)
def test_a_word_is_found_alone_and_in_names(text: str) -> None:
    assert len(places(Replaced("plum", ""), f"x {text} y")) == 1


@pytest.mark.parametrize("text", ["aplum", "plumber", "APLUM", "Plumber"])
def test_a_part_of_another_word_is_not_found(text: str) -> None:
    assert places(Replaced("plum", ""), f"x {text} y") == []


@pytest.mark.parametrize(
    "text", ["ripe plum", "ripe_plum", "ripe\n    # plum", "RIPE_PLUM", "RipePlum"]
)
def test_a_phrase_is_found_in_prose_and_in_names(text: str) -> None:
    assert places(Replaced("ripe plum", ""), f"x {text} y") == [2]


def test_an_allowed_context_is_ignored() -> None:
    replaced = Replaced("plum", "", allowed=("sugar plum",))
    assert places(replaced, "sugar plum and plum") == [15]


def test_files_are_searched_by_path_and_line() -> None:
    files = {"plum.py": "a\nplum", "pear.py": "pear"}
    assert list(occurrences(Replaced("plum", ""), files)) == ["plum.py", "plum.py:2"]
