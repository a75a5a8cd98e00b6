"""Texts as people paste them: equal tokens are the same puzzle, a token less or more is none."""

import json
import random
import re
from dataclasses import dataclass, replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.formats import ReadSettings, Symbols, parse_text
from tests.puzzles.example import LINE, SOLUTION

SIZES = (4, 6, 8, 9, 12, 16, 25)
DIGITS = "123456789ABCDEFGHIJKLMNOP"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXY"
BORDERS = ("---", "===", "+-+-+", "\u2500\u253c\u2500", "\u2550\u256c\u2550")


@dataclass(frozen=True)
class Layout:
    """How the cells of a grid are written."""

    symbols: str = ""
    """The symbol of each value; empty for numbers."""
    blank: str = "."
    delimiter: str = " "
    width: int = 0
    """Symbols of every number, with zeros before it; 0 for as few as it has."""
    bar: str = ""
    border: str = ""
    array: bool = False

    def token(self, value: int) -> str:
        if not value:
            return self.blank * max(1, self.width) if len(self.blank) == 1 else self.blank
        return self.symbols[value - 1] if self.symbols else str(value).zfill(self.width)

    def text(self, rows: list[list[str]], box: tuple[int, int]) -> str:
        if self.array:
            return "[" + ",\n ".join(f"[{', '.join(row)}]" for row in rows) + "]"
        lines = []
        for number, row in enumerate(rows):
            if self.border and number and number % box[0] == 0:
                lines.append(self.border)
            stacks = [row[at : at + box[1]] for at in range(0, len(row), box[1])]
            lines.append(
                (self.bar or self.delimiter).join(self.delimiter.join(stack) for stack in stacks)
            )
        return "\n".join(lines)


def layout_of(rng: random.Random, size: int) -> Layout:
    """A layout at random: symbols or numbers, padded or not, with a delimiter and borders."""
    is_number = size > 9 and rng.random() < 0.6
    symbols = "" if is_number else rng.choice([DIGITS, DIGITS, LETTERS])
    layout = Layout(
        symbols=symbols,
        blank=rng.choice([".", "0", "_", "*"]),
        delimiter=rng.choice([" ", "  ", "\t", ",", ", ", ";"]),
        bar="",
        border=rng.choice(["", "", *BORDERS]),
    )
    if symbols == DIGITS and size < 10 and rng.random() < 0.2:
        return replace(layout, symbols="", blank="0", width=2)
    if is_number and rng.random() < 0.3:
        layout = replace(layout, width=2, blank=rng.choice("0."))
    if is_number and rng.random() < 0.2 and not layout.width:
        layout = replace(layout, blank="-1")
    if layout.delimiter in (" ", "") and rng.random() < 0.5:
        layout = replace(layout, bar=rng.choice([" | ", "|", " \u2502 "]))
    if symbols and rng.random() < 0.3:
        layout = replace(layout, delimiter="", bar=rng.choice(["", "|", " "]))
    if is_number and rng.random() < 0.2:
        layout = replace(layout, array=True, border="", blank="0", width=0)
    if layout.delimiter in (",", ";", "\t") and rng.random() < 0.3 and not layout.array:
        layout = replace(layout, blank="", border="")
    return layout


def tokens_of(layout: Layout, puzzle: Puzzle) -> list[list[str]]:
    return [[layout.token(value) for value in row] for row in puzzle.rows()]


def puzzle_of(rng: random.Random, size: int) -> Puzzle:
    share = rng.choice([0.2, 0.5, 0.8])
    values = [rng.randint(1, size) if rng.random() < share else 0 for _ in range(size**2)]
    values[: size + 1] = [*range(2, size + 1), 1, 0]  # each symbol, so that no shape is smaller
    return Puzzle(Shape.of_side(size), tuple(values))


def box_of(puzzle: Puzzle) -> tuple[int, int]:
    assert puzzle.shape.box is not None
    return puzzle.shape.box


def read(text: str, layout: Layout, shape: Shape | None = None) -> list[Puzzle] | None:
    symbols = Symbols.ALPHABET if layout.symbols == LETTERS else Symbols.LETTERS
    try:
        puzzles = parse_text(text, ReadSettings(shape, symbols, understand=str))
        return [parsed.puzzle for parsed in puzzles]
    except PuzzleError:
        return None


@given(st.integers(0, 2**32))
@example(27525)  # rows of letters and points that look like the names of hosts
@settings(max_examples=150)
def test_a_puzzle_is_the_same_in_every_layout_and_so_are_two_below_each_other(
    seed: int,
) -> None:
    rng = random.Random(seed)
    size = rng.choice(SIZES)
    first, second = puzzle_of(rng, size), puzzle_of(rng, size)
    layout = layout_of(rng, size)
    texts = [layout.text(tokens_of(layout, each), box_of(first)) for each in (first, second)]
    if layout.symbols == LETTERS and rng.random() < 0.3:
        texts = [text.lower() for text in texts]
    assert read(texts[0], layout) == [first], texts[0]
    assert read("\n\n".join(texts), layout) == [first, second], texts
    heading = rng.choice(["My puzzle:", "% from a club", "# easy", "// copied", "Two of a kind"])
    for around in (f"{heading}\n{texts[0]}", f"{heading}\n\n{texts[0]}\n\n{heading}\n"):
        assert read(around, layout) == [first], around


@given(st.integers(0, 2**32))
@settings(max_examples=150)
def test_a_token_less_or_more_is_refused(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.choice(SIZES)
    puzzle = puzzle_of(rng, size)
    layout = layout_of(rng, size)
    rows = tokens_of(layout, puzzle)
    row = rows[rng.randrange(size)]
    at = rng.randrange(size)
    if rng.random() < 0.5:
        del row[at]
    else:
        row.insert(at, layout.token(rng.randint(1, size)))
    text = layout.text(rows, box_of(puzzle))
    assert read(text, layout) is None, text
    assert read(text, layout, puzzle.shape) is None, text


def mutate(rng: random.Random, rows: list[list[str]], layout: Layout) -> None:
    """Change, lose, double, glue or move tokens."""
    for _ in range(rng.randint(1, 2)):
        row = rng.choice([row for row in rows if row])
        at = rng.randrange(len(row))
        kind = rng.choice([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7])
        if kind == 7:
            other = rng.choice(rows)
            row[at], other[-1] = other[-1], row[at]
        elif kind == 0:
            row[at] = rng.choice(
                [layout.token(1), layout.blank, "0", "00", "7", "07", "x", "-", "q"]
            )
        elif kind == 1:
            del row[at]
        elif kind == 2:
            row.insert(at, row[at])
        elif kind == 3 and at:
            row[at - 1 : at + 1] = ["".join(row[at - 1 : at + 1])]
        elif kind == 4:
            rng.choice(rows).insert(0, row.pop(at))
        elif kind == 5:
            rows.insert(rng.randrange(len(rows)), list(row))
        elif len(rows) > 1:
            rows.remove(row)


def independent(text: str, layout: Layout, size: int) -> list[int] | None:
    """The values in a mutated text, as a reader knows that has its layout."""
    values_of = {symbol: value for value, symbol in enumerate(layout.symbols[:size], 1)}
    tokens: list[str] = []
    text = re.sub(r"[\[\]]|,(?=\n)", "", text) if layout.array else text
    rows = [line for line in text.split("\n") if line != layout.border or not line]
    is_header = re.split(r" *[,;\t] *", rows[0]) == [*map(str, range(1, size + 1))]
    rows = rows[1:] if is_header and len(rows) > size else rows  # names of columns
    for line in rows:
        for part in re.split("[|\u2502]", line) if layout.bar.strip() else [line]:
            if layout.symbols and not layout.delimiter.strip(" "):
                tokens += "".join(part.split())
            elif layout.delimiter.strip(" ") or layout.array:
                tokens += map(
                    str.strip, part.split("," if layout.array else layout.delimiter.strip(" "))
                )
            else:
                tokens += part.split()
    counts = [len(tokens), len(rows)]
    values = []
    widths = {len(token) for token in tokens if token}
    is_padded = len(widths) == 1 and widths != {1}
    for token in tokens:
        if layout.symbols:
            value = values_of.get(token.upper(), 0 if token in {*".0_*-xX", ""} else -1)
        elif is_padded:
            value = 0 if token.strip(".0_*-xX") == "" else int(token) if token.isdigit() else -1
        else:
            is_natural = re.fullmatch("[1-9][0-9]?", token)
            value = int(token) if is_natural else 0 if token in {*".0_*-xX", "", "-1"} else -1
        values.append(value)
    blanks = {token for token, value in zip(tokens, values, strict=True) if value == 0}
    is_valid = len(blanks) <= 1 and all(0 <= value <= size for value in values)
    return values if is_valid and counts == [size**2, size] else None


def check(seed: int, number: int) -> tuple[int, int]:
    """Read mutated texts; returns how many were read and how many were refused."""
    rng = random.Random(seed)
    readable = refused = 0
    for _ in range(number):
        puzzle = puzzle_of(rng, rng.choice(SIZES))
        layout = layout_of(rng, puzzle.shape.size)
        rows = tokens_of(layout, puzzle)
        mutate(rng, rows, layout)
        text = layout.text(rows, box_of(puzzle))
        puzzles = read(text, layout, rng.choice([None, puzzle.shape]))
        if puzzles is None:
            refused += 1
            continue
        readable += 1
        values = independent(text, layout, puzzle.shape.size)
        assert [list(each.givens) for each in puzzles] == [values], (layout, text)
    return readable, refused


def test_mutated_tokens_are_read_as_another_reader_reads_them_or_refused() -> None:
    readable, refused = check(0, 600)
    assert min(readable, refused) > 60


@pytest.mark.long
def test_20_000_mutated_texts_are_read_as_another_reader_reads_them_or_refused() -> None:
    readable, refused = check(1, 20_000)
    assert min(readable, refused) > 2_000


ROWS = [LINE[at : at + 9] for at in range(0, 81, 9)]
NUMBERED = [" ".join([str(at), *row.replace(".", "0")]) for at, row in enumerate(ROWS, 1)]
ZEROS = [row.replace(".", "0") for row in ROWS]
SIDE_BY_SIDE = "\n".join(f"{row}   {row}".replace(".", "0") for row in ROWS)
SMALL = [" ".join("12040412")] * 8
SIX_CELLS = "\t6\t\t2\t\t\t3\t\t1" + "\t" * 27 + "4"
NUMBERED_LINES = "! by Ann\n; easy, Nikoli style\n" + "\n".join(
    f"{at}: {' '.join(row)}" for at, row in enumerate(ROWS, 1)
)
FIELDS = [";".join(row).replace(".", "") for row in ROWS]
PADDED = [" ".join(f"0{cell}" for cell in row) for row in ZEROS]
OPEN_BARS = "\n".join("|".join(row).replace(".", " ") for row in ROWS)
SHORTENED = "[[5 3 0 ... 0 0 0]\n [6 0 0 ... 0 0 0]\n ...\n [0 6 0 ... 2 8 0]\n [0 0 0 ... 0 7 9]]"
BOX_BORDERS = "\n".join([*["1 . | . . | . ."] * 3, "----+-----+----", *[". . | 2 . | . ."] * 3])
SIX = ["1 5 | 6 4 | . .", "6 4 | . . | 1 5", *["5 . | 4 . | . 6"] * 4]


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("0 1 2 3 4 5 6 7 8 9\n" + "\n".join(NUMBERED), "only the cells"),
        ("0 " + " ".join("012345678") + "\n" + "\n".join(NUMBERED), "only the cells"),
        (SIDE_BY_SIDE, "the left grid alone if another is its solution"),
        (f"{SIX_CELLS}\n{SIX_CELLS}", "shape='6x6'"),
        (f"{SIX_CELLS}\n{SIX_CELLS}".replace("\t", ","), "shape='6x6'"),
        (
            "\n".join([*FIELDS[:3], FIELDS[3] + ";", *FIELDS[4:]]),
            "4:1: a row of 10 cells; expected 9",
        ),
        ("\n".join([*PADDED[:2], PADDED[2].replace("08 00", "0800"), *PADDED[3:]]), "two numbers"),
        (NUMBERED_LINES, "3:1: rows with a label"),
        (OPEN_BARS, "a bar at both ends of each row"),
        (SHORTENED, "numpy.set_printoptions(threshold=sys.maxsize)"),
        ("\n".join(SMALL), "smaller puzzles below each other"),
        ("\n".join(SIX), "box3x2"),
        (f"{LINE} {LINE}", "one puzzle, or a puzzle and its solution"),
        (f"{LINE}\u2028{LINE}", "one puzzle, or a puzzle and its solution"),
        (f'{{"puzzle": "{LINE}", "antiknight": true}}', "may change the rules"),
        (f'{{"board": "{LINE}", "fixed": "{LINE}"}}', "may change the rules"),
        (f"puzzle,regions\n{LINE},{LINE}\n", "may change the rules"),
        (f"puzzle\n{LINE.replace('.', '0')[:15]}{'0' * 66}\n", "formatted as text"),
        (f"2\n{LINE}\n{LINE}\n{LINE}", "their number 3"),
        (f"Puzzle:\n{LINE}\nSolution:\n{SOLUTION}", "puzzles only"),
        ("\n".join(ROWS[:4]) + "\n---\n" + "\n".join(ROWS[4:]), "9 rows for 9x9"),
        ("On Monday Bob wrote:\n> " + "\n> ".join(ROWS), "all lines without > before them"),
        ("* " + "\n* ".join(ROWS), "the rows without a mark"),
        ("\n".join(f'"{row}",' for row in ROWS), "the rows without marks"),
        (re.sub("([0-9])", r"**\1**", "\n".join(map(" ".join, ROWS))), "the givens without **"),
        (" \\\\\n".join(map(" & ".join, ROWS)) + r" \\", "the rows alone, without"),
        ("<table>\n" + "".join(f"<tr><td>{row}</td></tr>\n" for row in ROWS), "a browser shows"),
        (f"matrix(c({','.join(LINE.replace('.', '0'))}), nrow = 9)", "row by row"),
        (
            "\n".join(";".join(f"{cell}," + "0" for cell in row) for row in ZEROS),
            "5 in place of 5,0",
        ),
        ("A1 = 5, A2 = 3, A5 = 7, B1 = 6", "a grid or a line with ."),
        (
            "\n".join(f"{'+---' * 9}+   {'+---' * 9}+\n{row}   {row}" for row in ROWS),
            "below each other",
        ),
        ("\n".join(row.replace(".", " ") for row in ROWS), "spaces are none"),
        ("\n".join(f"{at}. {row}" for at, row in enumerate(ROWS, 1)), "without labels"),
        (
            "\n".join(f"{row} {at}" for at, row in zip("ABCDEFGHI", ROWS, strict=True)),
            "without labels",
        ),
        ("\n".join(f"R{at}: {' '.join(row)}" for at, row in enumerate(ROWS, 1)), "without labels"),
        ("\n".join(f"{at},{','.join(row)}" for at, row in enumerate(ZEROS, 1)), "without labels"),
        (f"please solve {LINE} for me", "the puzzle alone, "),
        (f"[sudoku]\ngrid={LINE}", "the puzzle alone, "),
        (f"<puzzle>{LINE}</puzzle>", "the puzzle alone, "),
        ("\n".join(f"[12:0{at}] {row}" for at, row in enumerate(ROWS)), "without times"),
        ("\n".join(f"{','.join(row.replace('.', ''))}," for row in ROWS), "between cells only"),
        ("+" + "\n+".join(ROWS), "the rows without a mark"),
        (re.sub(r"([0-9])", r"Some(\1)", "\n".join(ROWS)), "the numbers alone"),
        (LINE.replace(".", "\xa0"), "spaces are none"),
        (
            "Hi Tom,\n\n" + "\n".join(ROWS) + "\n81 cells: 1 2 3 4 5",
            "only the lines between 3 and 11",
        ),
        ("box 3x2\n" + "\n".join(["1.5.6."] * 6), "shape='box3x2' for other boxes"),
        (LINE.replace(".", "0") * 4, "smaller puzzles below each other, or shape='18x18'"),
        (f'{{"puzzle": "{LINE * 4}"}}', "no value above 9"),
        (f"puzzle\n{LINE * 4}\n", "no value above 9"),
        ("1,2,3,4,5,6,7,8,9\n" + "\n".join(map(",".join, ZEROS[:8])), "9 rows below it"),
        ("0;1;2;3;4;5;6;7;8\n" + "\n".join(map(";".join, ZEROS[:8])), "9 rows below it"),
        (
            ",2,1,3,4,5,6,7,8,9\n"
            + "\n".join(f"{at},{','.join(row)}" for at, row in enumerate(ZEROS, 1)),
            "the cells without labels",
        ),
        ("\n".join([ROWS[0][1:], *ROWS[1:]]), "9 cells in each row, with the blanks and zeros"),
        ("\n".join([ROWS[0] + "3", *ROWS[1:]]), "9 cells in each row, with the blanks and zeros"),
        (f"{[[0] * 8, *[[0, 1] + [0] * 7] * 8]}", "9 cells in each row, with the blanks and zeros"),
        ("\n".join(f"{' '.join(row)}   {' '.join(row)}" for row in ROWS[:8]), "below each other"),
        ("\n".join([*[". " * 18] * 6, *[". " * 21] * 3, *["1 " * 9] * 3]), "grids that overlap"),
        ("3\n" + "\n".join(["1 0 0 0 " * 4] * 3), "shape='4x4', or 16 rows"),
        (
            "\n".join(
                [",".join(f"{row[:3]} {row[3:]}") for row in ROWS[:3]]
                + [",,,,,,,,,"]
                + [",".join(f"{row[:3]} {row[3:]}") for row in ROWS[3:]]
            ),
            "without empty rows",
        ),
        ("given(1,2,9). given(1,4,6).", "facts of a row, a column and a value"),
        ("\\begin{sudoku}\n| |1| |4|.\n\\end{sudoku}", "without the point at its end"),
        ('{"cells": [], "nbformat": 4}', "the text of its cell"),
        ('{"grid": [null, 2, 0, ' + "1, " * 12 + "null]}", "'from-zero' if 0 is a value"),
        ("9 9\n" + "\n".join(map(" ".join, ZEROS)), "only the lines between 2 and 10"),
        ("v{ {" + "},\n{".join(map(",".join, ZEROS)) + "} };\nf(v);", "between 1 and 9"),
        ("|  |  |\n|--|--|\n" + "\n".join(f"|{'|'.join(row)}|" for row in ROWS[:8]), "below it"),
        ("B = [1,2,2;\n1,5,3;\n1,8,4;\n2,1,6];", "rows of three numbers"),
        ("\n".join([ROWS[0], *["\u2591".join(row) for row in ROWS]]), "datasets convert"),
        ("{| class='wikitable'\n| 5 || 3\n|-\n|}", "in rows such as |5| |3|"),
        ("version: 2\n0|130|1|5|0|0|", "the whole file"),
        (
            "\n".join(" ".join(LINE.replace(".", "0")[at : at + 20]) for at in range(0, 81, 20)),
            "9 lines of 9 cells",
        ),
        ("p(1, P) :-\n P = [[" + "],\n[".join(map(",".join, ZEROS)) + "]]", "between 2 and 10"),
        ("    [,1] [,2]\n[1,]    5    3\n[2,]    6    .", "cells without labels"),
        (f"[\n  {{ id: 1, grid: '{LINE}' }},\n]", "JSON"),
        (
            "\n".join("\t".join(row).replace(".", "").rstrip() for row in ROWS),
            "9 cells in each row",
        ),
        (f'{{"a": {{"b": {{"puzzle": "{LINE}"}}, "c": {{}}}}, "d": {{}}}}', "the object in a.b"),
        ("\n".join(ROWS).replace(".", "\u25a1"), "'\u25a1', white square"),
        ("\n".join([*map(" ".join, ROWS[:8]), " ".join(ROWS[8][:8]) + " (9)"]), "the digit alone"),
        (f"c({', '.join(f'{cell}L' for cell in LINE)}), dim = c(9L, 9L))", "without L"),
        ("\\begin{tabular}{cc}\n 1 & 2 \\\\\n   & 3 \\\\\n\\end{tabular}", "an empty cell"),
        (
            "\n".join(f"| {' | '.join(row)} |".replace(".", " ") for row in ROWS[:8]),
            "expected 9 rows",
        ),
        ("1 0 0 0 0 3 0 0 4 0 0 0 0 0 0 9", "shape='4x4', or 16 rows"),
        (
            "\n".join(
                " ".join(f"0{cell}" for cell in row)
                for row in [*ZEROS[:5], ZEROS[5][:8], *ZEROS[6:]]
            ),
            "6:1: a row of 8 cells; expected 9",
        ),
        (f"[1/2/2026, 19:02] Bob: easy?\n[1/2/2026, 19:02] Bob: {LINE}", "which begins with"),
        (f"grid <- structure(c({', '.join(LINE)}), dim = c(9L, 9L))", "without L"),
        (re.sub("([0-9])", "\\1\ufe0f\u20e3", "\n".join(ROWS)), "plain digits"),
        (
            "\n".join(
                [
                    *(f"{','.join(row[:8])},".replace(".", "") for row in ROWS[:3]),
                    f"{','.join(ROWS[3][:8])},,".replace(".", ""),
                    *(f"{','.join(row[:8])},".replace(".", "") for row in ROWS[4:]),
                ]
            ),
            "4:1: a row of 10 cells",
        ),
        (json.dumps({"cells": [{"value": 0, "given": False}] * 81}), "a list of values"),
        ('grid = """\n' + "\n".join(ROWS) + '"""', "rows in quotation marks"),
        (f"<s><row>{'</row><row>'.join(ROWS)}</row></s>", "the rows without tags"),
        (
            "\n".join(f"[{']['.join(row)}]" for row in ROWS),
            "the cells alone",
        ),
        ("\n".join(f"Row {at}: {row}" for at, row in enumerate(ROWS, 1)), "without labels"),
        ("\n".join(LINE[at : at + 27] for at in (0, 27, 54)), "9 lines of 9 cells"),
        ("\n".join("|".join(row).replace(".", "") for row in ROWS), "a bar at both ends"),
        ('{"A1": 5, "B2": 3}', "cells by name"),
        ('[{"row": 1, "col": 1, "value": 5}]', "cells by name"),
        (BOX_BORDERS, "box3x2"),
    ],
)
def test_what_may_be_another_puzzle_is_refused_with_the_remedy(text: str, remedy: str) -> None:
    with pytest.raises(PuzzleError, match=re.escape(remedy)):
        list(parse_text(text, ReadSettings(understand=str)))


@pytest.mark.parametrize(
    "text",
    [
        "```text\n{grid}\n```",
        "Puzzle:\n{grid}",
        "{grid}\nexpected: exactly 1 solution\nsource: a club",
        "1. {line}\n2. {line}",
        "| {bars} |",
        "{slashes}",
        '"{lines}"',
        "A = [{matrix}];",
        ",1,2,3,4,5,6,7,8,9\n{frame}",
        "int[][] grid = {{\n{commented}\n}};",
        "puzzle:\n  - [{list}]",
        "int grid[9][9] = {{\n{array}\n}};",
        "A puzzle that my program prints\nint grid[9][9] = {{\n{array}\n}};",
        ">>> grid\narray([[{list}]], dtype=int8)",
        "[code]\n{grid}\n[/code]",
        "SUDOKU No. 1234   \u2605\u2605\n{grid}\nSolution on page 48",
        "{grid}\n\n71438e56: 9x9, 30 clues\nminimal: no",
        "board := [][]byte{{\n{array}\n}}",
        "A = [{continued}];",
        "[\n{remarked}\n]",
        "const board = `\n{grid}\n`;",
        '{{"response": {{"level": "easy", "puzzle": "{line}"}}}}',
        "{nothing}",
        "{fractions}",
        "-- an easy one\n{line}\n-- end",
        "{tabs}\n{tabs}",
        "|{empty}\n|{rule}\n{table}",
        "let g = vec![\n{vectors}];",
        "let board: [[u8; 9]; 9] = [\n{rows}\n];",
        "grid: list[list[int]] = [\n{rows}\n]",
        "const grid: number[][] = [\n{rows}\n];",
        "let g: Vec<Vec<u8>> = vec![\n{vectors}];",
        "int[,] grid = new int[9,9] {{\n{array}\n}};",
        "problem(1, [{rows}]).",
        "1. {line}",
        "12: {line}",
        "{semicolons}",
        "{commas}",
        "| a | b | c | d | e | f | g | h | i |\n|{rule}\n{table}",
        "Hi Jo,\n\nhere is the sudoku of today!\n\n{line}\n\nGood luck\nMaria",
        "public class A {{\n    static int[][] b = new int[][] {{\n{array}\n}};\n}}",
        "package main\n\nvar puzzle = [9][9]int{{\n{array},\n}}",
        "{grid}\n\n1: 9x9, 30 clues, id 26cd62d68031903b\nguesses: 0",
        "array([['{quoted}']], dtype='<U1')",
    ],
)
def test_text_around_a_puzzle_is_passed_over(text: str) -> None:
    array = ",\n".join("{" + ", ".join(row.replace(".", "0")) + "}" for row in ROWS)
    parts = {"grid": "\n".join(ROWS), "line": LINE, "bars": "|".join(ROWS), "array": array}
    parts |= {"slashes": "/".join(ROWS), "lines": r"\n".join(ROWS)}
    parts["matrix"] = ";\n".join(map(" ".join, ZEROS))
    parts["remarked"] = "\n".join(f"[{', '.join(row)}],  # a row" for row in ZEROS)
    parts["continued"] = "; ...\n".join(map(" ".join, ZEROS))
    parts["frame"] = "\n".join(
        f"{letter},{','.join(row).replace('0', '')}"
        for letter, row in zip("ABCDEFGHI", ZEROS, strict=True)
    )
    parts["commented"] = "\n".join(f"{{{', '.join(row)}}}, // a row" for row in ZEROS)
    parts["nothing"] = "\n".join(" ".join(row).replace(".", "nan") for row in ROWS)
    parts["fractions"] = "\n".join(re.sub("([0-9])", r"\1.0", ",".join(row)) for row in ROWS)
    parts["table"] = "\n".join(f"| {' | '.join(row)} |".replace(".", " ") for row in ROWS)
    parts |= {"empty": " |" * 9, "rule": "---|" * 9}
    parts["rows"] = ",\n".join(f"[{', '.join(row)}]" for row in ZEROS)
    parts |= {
        "semicolons": "; ".join(map(" ".join, ROWS)),
        "commas": "; ".join(map(",".join, ZEROS)),
    }
    parts["vectors"] = ",\n".join(f"vec![{', '.join(row)}]" for row in ZEROS)
    parts["quoted"] = "'],\n       ['".join("', '".join(row) for row in ROWS)
    parts["tabs"] = "\t".join(LINE).replace(".", "")
    parts["list"] = "]\n  - [".join(map(", ".join, ZEROS))
    puzzles = parse_text(text.format(**parts), ReadSettings(understand=str))
    assert {parsed.puzzle.line for parsed in puzzles} == {LINE}


@pytest.mark.parametrize("marks", [":-:", ":--", "--:", ":-", "---"])
def test_a_table_of_markdown_is_read_whatever_its_alignment(marks: str) -> None:
    first, *rows = (f"| {' | '.join(row).replace('.', ' ')} |" for row in ROWS)
    text = "\n".join([first, f"|{marks}" * 9 + "|", *rows])
    (parsed,) = parse_text(text, ReadSettings(understand=str))
    assert parsed.puzzle.line == LINE


@pytest.mark.parametrize("border", ["|-------|-------|-------|", "------+-------+------"])
@pytest.mark.parametrize("bar", ["| ", ""])
def test_a_blank_row_of_dashes_is_no_border(border: str, bar: str) -> None:
    blank = LINE[:45] + "." * 9 + LINE[54:]
    rows = [blank[at : at + 9].replace(".", "-") for at in range(0, 81, 9)]
    lines = [
        bar + "".join(f"{' '.join(row[at : at + 3])} {bar}" for at in (0, 3, 6)) for row in rows
    ]
    text = "\n".join([*lines[:3], border, *lines[3:6], border, *lines[6:]])
    (parsed,) = parse_text(text, ReadSettings(understand=str))
    assert parsed.puzzle.line == blank


def test_lines_of_fields_between_tabs_are_read_as_the_shape_says() -> None:
    settings = ReadSettings(Shape.parse("6x6"), understand=str)
    for delimiter in "\t,;":
        text = f"{SIX_CELLS}\n{SIX_CELLS}".replace("\t", delimiter)
        first, second = parse_text(text, settings)
        assert first.puzzle.line == second.puzzle.line == ".6.2..3.1" + "." * 26 + "4"


WITH_SOLUTION = [
    f"| {' '.join(row)} |    | {' '.join(SOLUTION[at : at + 9])} |"
    for at, row in zip(range(0, 81, 9), ROWS, strict=True)
]
FACTS = ["seed000: 9x9, 30 clues", "expected: exactly 1 solution", "solution: the file gives it"]


def test_a_puzzle_beside_its_solution_is_never_read_as_the_solution() -> None:
    with pytest.raises(PuzzleError, match="the left grid alone"):
        list(parse_text("\n".join(WITH_SOLUTION + FACTS), ReadSettings(understand=str)))
    puzzle_rows, solution_rows = ([line[at : at + 21] for line in WITH_SOLUTION] for at in (0, 25))
    (parsed,) = parse_text("\n".join(puzzle_rows + FACTS), ReadSettings(understand=str))
    assert parsed.puzzle.line == LINE
    border = "\u250c" + "\u2500" * 20
    with pytest.raises(PuzzleError, match="may be a solution"):
        list(
            parse_text(
                "\n".join([border, *puzzle_rows, border, *solution_rows, border, *FACTS]),
                ReadSettings(understand=str),
            )
        )


AROUND = [
    ("From: ann@example.org\nSubject: sudoku\n\nHi Tom,\n\n", "\n\nCheers,\nAnn"),
    ("Today on the channel: https://example.org/watch?v=1a\n\n", ""),
    ("", "\nRating 8.3"),
    ("julia> A\n9\u00d79 Matrix{Int64}:\n", ""),
    ("sep=;\n", ""),
    ("Every row, and the cells a knight's move apart (see page 4), differ\n; as usual.\n", ""),
]


@pytest.mark.parametrize(("above", "below"), AROUND)
def test_all_text_around_the_only_grid_is_passed_over_with_a_note(above: str, below: str) -> None:
    notes: list[str] = []
    text = f"{above}{chr(10).join(ROWS)}{below}"
    (parsed,) = parse_text(text, ReadSettings(understand=notes.append))
    assert parsed.puzzle.line == LINE
    rules = [line for line in text.splitlines() if "knight" in line]
    assert notes
    assert all(rule in " ".join(notes) for rule in rules)


@pytest.mark.parametrize(
    "text",
    [
        "<?php\n$grid = array(\n{rows});",
        "(defparameter *p*\n  #2A({rows}))",
        "int g[9][9] = {{\n{rows}}};",
    ],
)
def test_arrays_of_more_languages_are_read(text: str) -> None:
    kind = "{}" if "int" in text else "()"
    between = " " if "defparameter" in text else ","
    rows = between.join(f"{kind[0]}/*row*/{between.join(row)}{kind[1]}\n" for row in ZEROS)
    (parsed,) = parse_text(text.format(rows=rows), ReadSettings(understand=str))
    assert parsed.puzzle.line == LINE


def test_a_matrix_of_r_is_read() -> None:
    header = "     " + " ".join(f"[,{at}]" for at in range(1, 10))
    rows = (f" [{at},] {' '.join(row)}".replace(".", "NA") for at, row in enumerate(ROWS, 1))
    notes: list[str] = []
    text = "\n".join([header, *rows])
    (parsed,) = parse_text(text, ReadSettings(understand=notes.append))
    assert parsed.puzzle.line == LINE
    assert notes[0] == "passed over the number before each row"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f'{{"puzzle": "{LINE}", "title": "Anti-Knight Sudoku"}}', "title 'Anti-Knight Sudoku'"),
        (f'{{"puzzle": "{LINE}", "tags": ["easy", "X-Sudoku"]}}', "X-Sudoku"),
        (f'{{"puzzle": "{LINE}", "extra": {{"game": "killer"}}}}', "killer"),
        (f"puzzle,comment\n{LINE},knights move\n", "comment 'knights move'"),
        (f"{LINE} # anti-king", "comment 'anti-king'"),
        (f"# Sudoku X\n{LINE}", "# Sudoku X"),
        (
            "Sudoku\nBoth diagonals must have 1-9.\n\n" + "\n".join(ROWS),
            "'Both diagonals must have 1-9.' in line 2",
        ),
        (f'{{"puzzle": "{LINE}", "title": "Puzzle 12", "author": "Anna King"}}', ""),
        (f'{{"puzzle": "{LINE}", "shape": "9x9+antiknight", "title": "Anti-knight"}}', ""),
    ],
)
def test_text_that_may_state_a_rule_is_shown(text: str, rule: str) -> None:
    notes: list[str] = []
    (parsed,) = parse_text(text, ReadSettings(understand=notes.append))
    assert parsed.puzzle.line == LINE
    assert rule in " ".join(notes) if rule else not notes


@pytest.mark.parametrize("size", [4, 6, 9])
def test_a_grid_with_an_empty_first_row_and_column_is_read(size: int) -> None:
    rows = [[" "] * size, *([" ", *[" "] * (size - 2), str(at)] for at in range(1, size))]
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    for border in ("", f"|{'---|' * size}", f"+{'---+' * size}"):
        framed = f"\n{border}\n".join(["", *text.split("\n"), ""]) if border else text
        (parsed,) = parse_text(framed, ReadSettings())
        assert parsed.puzzle.line == "".join(map("".join, rows)).replace(" ", ".")


def test_cells_that_look_like_names_are_symbols_in_a_grid_of_many_lines() -> None:
    row, blank = "..A3.7......G2.8".ljust(36, "."), "." * 36
    rows = "\n".join([row, *[blank] * 5])
    grid = f"\n{'-' * 36}\n".join([rows, *["\n".join([blank] * 6)] * 5])
    (parsed,) = parse_text(grid, ReadSettings(Shape.parse("36x36")))
    assert parsed.puzzle.line == row + blank * 35


def test_a_matrix_of_matlab_is_read_with_a_comment() -> None:
    for size in (4, 6):
        rows = [["0"] * size for _ in range(size)]
        rows[1][2] = "3"
        text = "% easy\nM = [\n" + "\n".join(map(" ".join, rows)) + "\n];"
        (parsed,) = parse_text(text, ReadSettings(understand=str))
        assert parsed.puzzle.line == "".join(map("".join, rows)).replace("0", ".")


@pytest.mark.parametrize("between", [" ", ",", "\t", ", "])
@pytest.mark.parametrize(("line", "shape"), [("1....3..4......2", "4x4"), ("6" + "." * 35, "6x6")])
def test_one_line_of_small_numbers_is_a_puzzle(line: str, shape: str, between: str) -> None:
    for blank in "0" if between == " " else ("0", ""):
        (parsed,) = parse_text(between.join(line).replace(".", blank), ReadSettings())
        assert (parsed.puzzle.line, parsed.puzzle.shape) == (line, Shape.parse(shape))


def test_values_from_zero_in_a_record_are_read_if_the_symbols_say_so() -> None:
    cells = [None if symbol == "." else int(symbol) - 1 for symbol in LINE]
    settings = ReadSettings(symbols=Symbols.ZERO, understand=str)
    (parsed,) = parse_text(json.dumps(cells), settings)
    assert parsed.puzzle.line == LINE
