"""Conditions on puzzles: what they accept, and the errors of those that are wrong."""

import string
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.base.errors import OptionError
from harness.puzzles import (
    Dataset,
    Instance,
    Puzzle,
    Shape,
    SolutionCount,
    load_dataset,
    parse_puzzle,
)
from harness.puzzles.datasets.facts import features_of
from harness.puzzles.datasets.features import FEATURES
from harness.puzzles.datasets.where import Where
from harness.puzzles.formats.stream import ParsedPuzzle
from tests.installed import needs
from tests.puzzles.example import LINE
from tests.tables import cases

EXAMPLE = Instance(
    "easy 1",
    parse_puzzle(LINE),
    SolutionCount.from_number(1),
    source="a book",
    fields={"rating": "7.1", "label": "x"},
)
MARKED = Instance("m", Puzzle(Shape.parse("4x4"), (0,) * 16, (3, 3, *(15,) * 14)))
PLAIN = Instance("p", Puzzle(Shape.parse("4x4"), (0,) * 16))


@needs("reasoning")
@pytest.mark.parametrize("text", cases(__file__, "a_condition_accepts_a_puzzle"))
def test_a_condition_accepts_a_puzzle(text: str) -> None:
    where = Where.parse(text)
    assert where.accepts(EXAMPLE, "named")
    assert not Where.parse(f"not (\n{text}\n)").accepts(EXAMPLE, "named")
    parsed = ParsedPuzzle(
        *(EXAMPLE.puzzle, "file.txt:1", EXAMPLE.name, EXAMPLE.expected_count, EXAMPLE.source),
        EXAMPLE.fields,
    )
    assert where.accepts(parsed, "named")
    assert str(where) == text


@needs("formats")
def test_constraints_are_features() -> None:
    shape = Shape.parse("4x4; killer 5: R1C1 R1C2; killer: R2C1 R2C2; odd: R4C4")
    variant = Instance("v", Puzzle(shape, (0,) * 16))
    text = "constraints == 3 and cages == 2 and 'killer' in kinds and 'odd' in kinds"
    assert Where.parse(text).accepts(variant)
    assert Where.parse("constraints == 0 and 'killer' not in kinds").accepts(PLAIN)
    assert Where.parse("shape != '4x4' and size == 4 and backdoor is None").accepts(variant)
    with pytest.raises(OptionError, match="did you mean 'killer'"):
        Where.parse("'kiler' in kinds")


def test_a_comparison_with_a_missing_value_is_false() -> None:
    for text in ("rating > 0", "rating == 0", "rating != 0", "rating in [1]", "rating not in [1]"):
        assert not Where.parse(text).accepts(PLAIN)
        assert Where.parse(f"not {text}").accepts(PLAIN)
    assert not Where.parse("rating + 1 > 0").accepts(PLAIN)
    assert not Where.parse("-rating < 0").accepts(PLAIN)
    assert not Where.parse("source == 'x' or automorphisms > 0 or solutions >= 0").accepts(PLAIN)
    assert Where.parse("rating is None").accepts(PLAIN)
    instance = Instance("r", PLAIN.puzzle, fields={"rating": "hard"})
    assert Where.parse("rating is None").accepts(instance)


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7.0), ("-7.5e2", -750.0), (".5", 0.5), ("1_000", None), ("\u0663", None)]
    + [(text, None) for text in ("nan", "inf", "1e999", "", "0x10", " 7", "7" * 5000)],
)
def test_a_number_is_one_as_files_have_it(text: str, number: float | None) -> None:
    instance = Instance("p", EXAMPLE.puzzle, fields={"n": text})
    assert Where.parse("number('n') is None").accepts(instance) is (number is None)
    assert Where.parse(f"number('n') == {number or 0}").accepts(instance) is (number is not None)


def test_a_field_that_no_puzzle_has_is_an_error() -> None:
    dataset = Dataset("d", (EXAMPLE, PLAIN))
    assert Where.parse("number('rating') > 7").choose([dataset])[0].instances == (EXAMPLE,)
    with pytest.raises(OptionError) as error:
        Where.parse("clues < 40 or text('lable') == 'x'").choose([dataset])
    assert str(error.value) == ("where: no puzzle has a field 'lable' (did you mean 'label'?)")
    with pytest.raises(OptionError, match="no puzzle has a field 'a'; expected a file with fields"):
        Where.parse("number('a') is None").choose([Dataset("d", (PLAIN,))])


def test_a_lower_bound_counts_as_the_number_of_solutions() -> None:
    many = Instance("many", PLAIN.puzzle, SolutionCount.from_number(2_000_000, exact=False))
    assert Where.parse("solutions > 1").accepts(many)
    assert not Where.parse("solutions == 1").accepts(many)
    huge = Instance("huge", PLAIN.puzzle, SolutionCount.from_number(10**400))
    assert Where.parse("solutions > 1e300").accepts(huge)
    assert not Where.parse("solutions / 3 > 1").accepts(huge)  # beyond all floats: missing


def test_a_feature_is_computed_only_if_the_answer_depends_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []

    def count(puzzle: Puzzle, nodes: int) -> int:
        calls.append(puzzle)
        return 0

    monkeypatch.setattr("harness.puzzles.datasets.facts.guesses_of", count)
    assert not Where.parse("clues < 20 and guesses > 0").accepts(EXAMPLE)
    assert Where.parse("clues > 20 or guesses > 0").accepts(EXAMPLE)
    assert not calls
    assert Where.parse("guesses == 0 and guesses < 1 and guesses >= 0").accepts(EXAMPLE)
    assert len(calls) == 1


def test_an_undecided_question_is_a_missing_value(monkeypatch: pytest.MonkeyPatch) -> None:
    minimal = "harness.puzzles.datasets.facts.is_minimal"
    monkeypatch.setattr(minimal, lambda puzzle, nodes: None)
    assert not Where.parse("minimal").accepts(EXAMPLE)
    assert not Where.parse("minimal == False").accepts(EXAMPLE)
    assert Where.parse("minimal is None").accepts(EXAMPLE)


@needs("reasoning")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        *cases(__file__, "a_wrong_condition_is_an_error_with_its_column"),
        ("name == '\udcff'", "a lone surrogate"),
        ("1" * 5000 + " < clues", "a number with too many digits"),
        ("clues < " + " + ".join(["1"] * 100), "more than 50 nested parts"),
        ("-" * 9000 + "1 > 0", "where: too many nested parts; expected a condition"),
        ("not " * 60 + "minimal", "more than 50 nested parts"),
        ("(" * 300 + "clues" + ")" * 300 + " < 1", "too many nested parentheses"),
        ("not " * 2400 + "minimal", "nested parts"),
        ("clues < 3 or " * 1000 + "minimal", "13,007 characters; expected at most 10,000"),
    ],
)
def test_a_wrong_condition_is_an_error_with_its_column(text: str, message: str) -> None:
    with pytest.raises(OptionError) as error:
        Where.parse(text)
    assert message in str(error.value)
    assert error.value.where == "where"


@cache
def _named() -> tuple[Instance, ...]:
    return load_dataset("named").instances


def test_features_are_those_of_the_puzzle() -> None:
    for instance in _named()[:20]:
        features = features_of(instance.puzzle)
        for name in ("clues", "candidates", "guesses", "automorphisms"):
            value = getattr(features, name)
            condition = f"{name} is None" if value is None else f"{name} == {value}"
            assert Where.parse(condition).accepts(instance), condition


_NAMES = st.sampled_from([*FEATURES])
_ALPHABET = string.ascii_letters + string.digits + "()[]{}<>=!+-*/%.,:'\" \n#\\&|^~@_é\x00"
_PIECES = st.sampled_from(
    [
        *("and", "or", "not", "in", "is", "None", "True", "<", "<=", "==", "!=", "(", ")", "["),
        *("]", ",", "+", "-", "*", "/", "//", "%", "**", "'9x9'", "'a'", "3", "0", "1e300", "\n"),
    ]
)


@needs("reasoning")
@given(
    st.one_of(st.text(_ALPHABET, max_size=60), st.lists(st.one_of(_NAMES, _PIECES)).map(" ".join))
)
@example("clues//0%0 < 1e300*1e300")
@example("1e300*1e300 - 1e300*1e300 < 0")
@example("ATNG")
def test_any_text_is_a_condition_or_an_error(text: str) -> None:
    try:
        where = Where.parse(text)
    except OptionError as error:
        place = (error.where, bool(error.expected) or "did you mean" in error.what)
        assert place == ("where", True)
        return
    for record in (PLAIN, MARKED):
        assert where.accepts(record) in (True, False)


_NUMBERS = st.sampled_from(["clues", "size", "cells", "3", "9", "32", "0.5"])
_SUMS = st.recursive(
    _NUMBERS,
    lambda inner: st.builds(
        "({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner
    ),
    max_leaves=5,
)
_COMPARISONS = st.builds(
    "{} {} {}".format, _SUMS, st.sampled_from(["<", "<=", "==", "!=", ">", ">="]), _SUMS
)
_CONDITIONS = st.recursive(
    _COMPARISONS,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("(not {})".format, inner),
    ),
    max_leaves=6,
)


@given(_CONDITIONS)
@settings(max_examples=50)
def test_a_condition_means_what_it_means_in_python(text: str) -> None:
    puzzle = EXAMPLE.puzzle
    values = {"clues": puzzle.clues, "size": 9, "cells": 81}
    try:
        expected = eval(text, {"__builtins__": {}}, values)
    except ZeroDivisionError:
        return
    assert Where.parse(text).accepts(EXAMPLE) is expected
