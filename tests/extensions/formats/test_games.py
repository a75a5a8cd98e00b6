"""Saved games: the givens are the puzzle, whatever a player did; a damaged game is refused."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.puzzles import Shape
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, parse_text
from tests.extensions.formats.texts import error_of
from tests.puzzles.detected import read_single
from tests.puzzles.example import LINE


@dataclass(frozen=True)
class Game:
    """Values of the cells in rows, which are given, and notes in the others."""

    values: list[int]
    is_given: list[bool]
    notes: list[list[int]]

    @property
    def puzzle(self) -> str:
        pairs = zip(self.values, self.is_given, strict=True)
        return "".join(str(value) if value and fixed else "." for value, fixed in pairs)

    @property
    def entries(self) -> list[str]:
        return [
            f"R{cell // 9 + 1}C{cell % 9 + 1}={value}"
            for cell, value in enumerate(self.values)
            if value and not self.is_given[cell]
        ]

    def notices(self, cells: int) -> list[str]:
        """What is passed over, if this number of cells have notes in the file."""
        number = len(self.entries)
        digits = f"passed over {number} digit{'s' * (number > 1)} that a player placed"
        notes = f"passed over the notes of a player in {cells} cell{'s' * (cells > 1)}"
        return [digits] * (number > 0) + [notes] * (cells > 0)


@st.composite
def games(draw: st.DrawFn) -> Game:
    rng = random.Random(draw(st.integers(0, 2**32)))
    share, noted = draw(st.sampled_from([0.1, 0.5, 1.0])), draw(st.sampled_from([0.0, 0.1, 0.9]))
    values = [rng.randint(1, 9) if rng.random() < share else 0 for _ in range(81)]
    values[40] = 5
    is_given = [value > 0 and rng.random() < share for value in values]
    is_given[40] = True
    notes = [
        sorted(rng.sample(range(1, 10), rng.randint(1, 9))) if rng.random() < noted else []
        for _ in range(81)
    ]
    return Game(values, is_given, notes)


def opensudoku(game: Game, version: int) -> str:
    """The data of OpenSudoku; version 2 has a bar too many after notes."""
    cells = []
    for value, fixed, notes in zip(game.values, game.is_given, game.notes, strict=True):
        bits = str(sum(1 << note - 1 for note in notes))
        written = {
            1: ["".join(f"{note}," for note in notes) or "-"],
            2: [f"{bits}|" if notes else bits],
            3: [bits],
            4: [bits, "0"],
            5: ["0", bits, "7"],
        }[version]
        cells += [str(value), *written, str(int(not fixed))]
    data = "|".join(cells) + "|"
    return f'<opensudoku version="3"><game data="version: {version}&#10;{data}"/></opensudoku>'


def gnome(game: Game) -> str:
    cells = [
        {"position": [*divmod(cell, 9)], "value": value, "fixed": fixed, "earmarks": notes}
        for cell, (value, fixed, notes) in enumerate(
            zip(game.values, game.is_given, game.notes, strict=True)
        )
        if value or notes
    ]
    data = {"difficulty_category": "easy", "time_elapsed": 3.5, "cells": cells}
    return json.dumps(data, indent=2)


def ksudoku(game: Game, graph: str = '<graph order="9" type="sudoku"/>') -> str:
    across = [9 * (cell % 9) + cell // 9 for cell in range(81)]
    values = "".join(
        chr(96 + 1 + game.values[cell]) if game.is_given[cell] else "_" for cell in across
    )
    events = [
        f'<simple-event index="{index}" value="{game.values[cell]}"/>'
        if game.values[cell]
        else f'<simple-event index="{index}" markers="{"1" * len(game.notes[cell])}"/>'
        for index, cell in enumerate(across)
        if not game.is_given[cell]
    ]
    return (
        f"<!DOCTYPE ksudoku>\n<ksudoku>\n <game><puzzle>{graph}\n<values>{values}</values></puzzle>"
        f"<history><complex-event>{''.join(events)}</complex-event></history></game>\n</ksudoku>"
    )


def read(text: str) -> tuple[ParsedPuzzle, list[str]]:
    """The single puzzle of a text, in the format that is detected, and the notices."""
    notices: list[str] = []
    (parsed,) = parse_text(text, ReadSettings(understand=notices.append), "game")
    return parsed, notices


@given(games(), st.integers(1, 5))
def test_opensudoku(game: Game, version: int) -> None:
    parsed, notices = read(opensudoku(game, version))
    assert parsed.puzzle.line == game.puzzle
    assert parsed.fields.get("entries", "").split() == game.entries
    assert notices == game.notices(sum(map(bool, game.notes)))


@given(games())
def test_gnome_and_ksudoku(game: Game) -> None:
    noted = sum(map(bool, game.notes))
    pairs = zip(game.values, game.notes, strict=True)
    free = sum(bool(notes and not value) for value, notes in pairs)
    for text, cells in ((gnome(game), noted), (ksudoku(game), free)):
        parsed, notices = read(text)
        assert (parsed.puzzle.line, notices) == (game.puzzle, game.notices(cells))
        assert parsed.fields.get("entries", "").split() == game.entries


def test_gnome_before_3_14() -> None:
    game = Game([5, 4, *[0] * 79], [True, *[False] * 80], [[]] * 81)
    pair = "S'" + " ".join("5" + "0" * 80) + r"\n" + " ".join("54" + "0" * 79) + "'"
    parsed, notices = read(f"(dp0\nS'gsd.hints'\np1\nI0\nsS'game'\np2\n{pair}\np3\ns.")
    assert (parsed.puzzle.line, notices) == (game.puzzle, game.notices(0))


TOKEN = {
    "opensudoku": re.compile(r"(?<=[|\n;])[\d,-]+\|"),
    "gnome": re.compile(r'"(?:value|fixed|earmarks|cells)": |(?<=[0-9]),(?=\s+[0-9])'),
    "ksudoku": re.compile(r"(?<=[>_a-j])[_a-j](?=[_a-j<])|<graph[^>]*>|index="),
}
ENCODERS: dict[str, Callable[[Game], str]] = {"gnome": gnome, "ksudoku": ksudoku} | {
    f"opensudoku {version}": lambda game, version=version: opensudoku(game, version)  # type: ignore[misc]
    for version in (1, 2, 3, 4, 5)
}


@pytest.mark.parametrize("name", ENCODERS)
@given(game=games(), data=st.data(), is_more=st.booleans())
def test_other_tokens_are_errors(name: str, game: Game, data: st.DataObject, is_more: bool) -> None:
    text = ENCODERS[name](game)
    token = data.draw(st.sampled_from([*TOKEN[name.split()[0]].finditer(text)]))
    damaged = text[: token.start()] + token[0] * 2 * is_more + text[token.end() :]
    assert error_of(read, damaged)


JIGSAW = "AAABBBCCC" * 2 + "AADBBBCCC" + "ADDEEEFFF" + "DDDEEEFFF" * 2 + "GGGHHHIII" * 3
"""Boxes, but for two cells of the first and the fourth."""


def group(cells: list[int]) -> str:
    return f'<clique size="{len(cells)}">{" ".join(map(str, cells))} </clique>'


def custom(*groups: str, kind: str = "Jigsaw") -> str:
    sizes = 'order="9" sizeX="9" sizeY="9" sizeZ="1"'
    return f'<graph {sizes} type="custom" specific-type="{kind}">{"".join(groups)}</graph>'


LINES = '<sudokugroups at="0" withblocks="0"/>'
REGIONS = [
    # The cells of a graph go down the columns.
    group([9 * (cell % 9) + cell // 9 for cell in range(81) if JIGSAW[cell] == letter])
    for letter in sorted({*JIGSAW})
]
DIAGONALS = [group([*range(0, 81, 10)]), group([*range(8, 73, 8)])]
EMPTY = Game([5, *[0] * 80], [True, *[False] * 80], [[]] * 81)


@pytest.mark.parametrize(
    ("graph", "shape"),
    [
        ('<graph order="9" type="sudoku"/>', "9x9"),
        (custom("<sudokugroups/>", *DIAGONALS, kind="XSudoku"), "9x9+diagonal"),
        (custom(LINES, *REGIONS), f"jigsaw:{JIGSAW}"),
        (custom(LINES, *REGIONS, *DIAGONALS), f"jigsaw:{JIGSAW}+diagonal"),
    ],
)
def test_the_groups_of_ksudoku_are_the_houses_of_the_shape(graph: str, shape: str) -> None:
    parsed, _ = read(ksudoku(EMPTY, graph))
    assert parsed.puzzle.shape == Shape.parse(shape)
    assert parsed.puzzle.line == EMPTY.puzzle


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ksudoku(EMPTY, '<graph order="9" type="roxdoku"/>'), "the type 'roxdoku'; expected a Sud"),
        (ksudoku(EMPTY, custom(LINES, "<cage/>", kind="KillerSudoku")), "type 'KillerSudoku'"),
        (ksudoku(EMPTY, custom(LINES, *REGIONS[1:])), "type 'Jigsaw'"),
        (ksudoku(EMPTY, custom(LINES, *REGIONS, DIAGONALS[0])), "type 'Jigsaw'"),
        (ksudoku(EMPTY).replace("_f", "_5").replace("f_", "5_"), "'5' among the values"),
        (f"<ksudoku-graph>{custom(LINES)}</ksudoku-graph>", "'ksudoku-graph' with 0 elements 'gam"),
        (opensudoku(EMPTY, 3).replace("n: 3", "n: 6"), "data of version 6; expected one of 1"),
        (opensudoku(EMPTY, 3).replace("5|0|0|", "5|0|1|"), "none is given; expected the digits as"),
        (gnome(EMPTY).replace('"value": 5', '"value": 10'), "game: cell 1: {'earmarks': []"),
        (gnome(EMPTY).replace('"time_el', '"variant": "x", "time_el'), "with the keys"),
        (":0000:x:" + LINE[1:] + ":::", "game:1:9: givens of 80 cells; expected 81 cells"),
    ],
)
def test_other_games_are_refused_by_name(text: str, message: str) -> None:
    assert message in error_of(read, text)


@pytest.mark.parametrize("suffix", ["ss", "sdk"])
def test_a_puzzle_in_one_line_is_read_in_files_of_grids(suffix: str) -> None:
    assert read_single(LINE, f"game.{suffix}").puzzle.line == LINE


def test_sections_with_the_progress_of_a_player_are_passed_over() -> None:
    rows = "\n".join(LINE[at : at + 9] for at in range(0, 81, 9))
    parsed, notices = read(f"[Puzzle]\n{rows}\n[State]\n{rows.replace('.', '9')}\n")
    assert parsed.puzzle.line == LINE
    assert notices == ["passed over [State], the progress of a player"]


def test_digits_that_a_player_placed_are_taken_as_givens() -> None:
    parsed, notices = read(f":0000:x:{LINE.replace('2', '+2', 1)}:::")
    assert parsed.puzzle.line == LINE
    cell = LINE.index("2")
    name = f"R{cell // 9 + 1}C{cell % 9 + 1}"
    assert notices == [f"1 digit that a player placed is taken as given: {name}"]
