"""The project uses the terms of the field; see `tests.vocabulary`."""

import subprocess

import pytest

from tests.vocabulary import (
    PROJECT,
    REPLACED,
    Replaced,
    dialect_in,
    is_dialect,
    occurrences,
    places,
    tracked_files,
)


def test_replaced_words_do_not_occur() -> None:
    try:
        files = tracked_files()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("the project is not a git checkout")
    replacements = [
        f"{where}: {word.word!r}; write {word.by!r}"
        for word in REPLACED
        for where in occurrences(word, files)
    ]
    assert not replacements, f"{len(replacements)} occurrences:\n" + "\n".join(replacements)


MOST_DIALECT = {"backends": 0.01, "harness": 0.01, "tests": 0.01}
"""The largest share of bindings whose names may be prepositions or participles."""


@pytest.mark.parametrize("root", MOST_DIALECT)
def test_names_say_what_things_are(root: str) -> None:
    number, dialect = dialect_in((PROJECT / root).rglob("*.py"))
    few = len(dialect) < MOST_DIALECT[root] * number
    assert few, f"{len(dialect)} of {number} bindings:\n" + "\n".join(dialect)


@pytest.mark.parametrize("name", ["of", "found", "_left", "kept", "merged", "wanted_"])
def test_a_participle_is_no_name(name: str) -> None:
    assert is_dialect(name)


@pytest.mark.parametrize(
    "name", ["seed", "expected", "is_kept", "primitive", "found_cells", "often"]
)
def test_a_noun_is_a_name(name: str) -> None:
    assert not is_dialect(name)


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
    word = Replaced("plum", "", allowed=("sugar plum",))
    assert places(word, "sugar plum and plum") == [15]


def test_files_are_searched_by_path_and_line() -> None:
    files = {"plum.py": "a\nplum", "pear.py": "pear"}
    assert list(occurrences(Replaced("plum", ""), files)) == ["plum.py", "plum.py:2"]
