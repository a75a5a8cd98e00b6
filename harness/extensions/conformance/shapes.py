"""The shapes of the conformance suite, a complete grid of each, and transcribed puzzles.

They were generated for it. The tests count the solutions of each with a plain search. The
puzzles with 17 clues are isomorphic to ones of Gordon Royle's collection of minimum Sudoku.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from random import Random
from typing import Final

from harness.base.errors import PuzzleError
from harness.puzzles import Grid, Puzzle, Shape, fills_houses, pattern_grid, values_of_line
from harness.puzzles.search import Candidates

# The shapes of the conformance suite, and a complete grid of each.


JIGSAW: Final = "jigsaw:1112122233343444"
"""A 4x4 jigsaw with four irregular regions."""
SHAPES: Final = ("4x4", JIGSAW, "6x6", "9x9", "16x16", "latin5", "6x6+antiking")
"""The default shapes of an examination, with all series."""
BRIEF_SHAPES: Final = (
    *("latin2", "latin3", "latin4", "box3x2", "latin6", "latin7", "8x8", "box4x2", "latin9"),
    *("10x10", "box5x2", "latin11", "12x12", "box4x3", "box6x2", "latin13", "14x14", "15x15"),
    *("18x18", "20x20", "25x25", "36x36"),
    *("6x6+diagonal", "9x9+diagonal", "12x12+diagonal", "9x9+windoku", "9x9+antiking"),
    *("9x9+antiknight", "8x8+antiknight", "latin7+antiknight"),
    "jigsaw:111222113322133332455556445566444666",
    "jigsaw:111111122333341222353441262353346662555544662577774468557974668777999988999988888",
)
"""The shapes with a few questions each in a default examination: a fault may be in one size or
one kind of houses only. None has a diagonal that follows from the other one."""

_GRIDS: Final = {"4x4+diagonal": "1234341243212143", JIGSAW: "1234412334122341"}
_ATTEMPTS: Final = 10
"""The number of searches for a complete grid."""
_CHOICES: Final = 600
"""The number of choices after which a search gives up."""


def shape_named(spec: str) -> Shape:
    """The shape `spec`, a name for `Shape.parse`.

    Raises:
        PuzzleError: no shape has this name.
    """
    return Shape.parse(spec)


def known_grid(shape: Shape) -> Grid:
    """A fixed complete grid of `shape`.

    Raises:
        PuzzleError: the shape has no complete grid, or none was found.
    """
    return _known_grid(shape)


@cache
def _known_grid(shape: Shape) -> Grid:
    if line := _GRIDS.get(shape.definition):
        return values_of_line(line)
    if not shape.pairs:
        with suppress(PuzzleError):
            return pattern_grid(shape)
    return _rotated_grid(shape) or _searched_grid(shape)


def _rotated_grid(shape: Shape) -> Grid | None:
    """A grid whose rows are rotations of the first; None if none is found soon."""
    size, peers, choices = shape.size, shape.peers, 0
    earlier = [[peer for peer in peers[cell] if peer < cell] for cell in range(size**2)]
    grid: list[int] = []

    def fill() -> bool:
        nonlocal choices
        if len(grid) == size**2:
            return True
        for offset in range(size):
            choices += 1
            start = len(grid)
            grid.extend((column + offset) % size + 1 for column in range(size))
            cells = range(start, start + size)
            fits = all(grid[peer] != grid[cell] for cell in cells for peer in earlier[cell])
            if choices < _CHOICES and fits and fill():
                return True
            del grid[start:]
        return False

    return tuple(grid) if fill() and fills_houses(shape, grid) else None


def _searched_grid(shape: Shape) -> Grid:
    """A grid that Algorithm X finds, with several random orders of the candidates."""
    candidates = Candidates(Puzzle(shape, (0,) * shape.size**2))
    for attempt in range(_ATTEMPTS):
        order = list(range(len(candidates)))
        if attempt:
            Random(attempt).shuffle(order)  # noqa: S311  a grid, not a secret
        try:
            cover = _cover(candidates, order)
        except TimeoutError:
            continue
        if cover is None:
            raise PuzzleError(f"{shape} has no complete grid", expected="another shape")
        return candidates.grid(cover)
    raise PuzzleError(f"no complete grid of {shape} was found", expected="another shape")


def _cover(candidates: Candidates, order: Sequence[int]) -> Sequence[int] | None:
    """One candidate of each group, from the group of fewest candidates; None if none exist.

    Raises:
        TimeoutError: the search took too many choices.
    """
    members = candidates.members()
    choices = 0

    def complete(open_groups: dict[int, set[int]], cover: Sequence[int]) -> Sequence[int] | None:
        nonlocal choices
        if not open_groups:
            return cover
        choices += 1
        if choices > _CHOICES:
            raise TimeoutError
        fewest = min(open_groups, key=lambda group: len(open_groups[group]))
        for candidate in sorted(open_groups[fewest], key=order.__getitem__):
            groups = members[candidate]
            out = {other for group in groups for other in candidates.groups[group]}
            rest = {n: options - out for n, options in open_groups.items() if n not in groups}
            if all(rest.values()) and (whole := complete(rest, [*cover, candidate])) is not None:
                return whole
        return None

    # The groups of pairs have a candidate for "neither", so they are no choice of their own.
    slack = {c for c, (_, value) in enumerate(candidates.meaning) if not value}
    open_groups = {n: set(g) for n, g in enumerate(candidates.groups) if slack.isdisjoint(g)}
    return complete(open_groups, ())


# Transcribed puzzles of the conformance suite, as lines.


MINIMAL: Final[dict[str, tuple[str, ...]]] = {
    "4x4": (
        "..1..3...4..2...",
        ".23...1......32.",
        "2.1..13.....32..",
        "2..43.....4....2",
        ".......1.1.34...",
        "1.....2.4.....1.",
    ),
    JIGSAW: (
        ".4.........2...1",
        ".3.2......4....1",
        "....32..23.1....",
        "..1....3....1.2.",
        "2.....3.12......",
        ".4.3........21..",
    ),
    "6x6": (
        "..3.1.2......4...2.5.3..5...4.......",
        "5...1...2....3..2....3.....6...16.3.",
        ".34...2.....62......1...5...63....51",
        ".....22.61.3.6....5.3.....5.46...5..",
        ".5.4....6......6...4..23.13......2..",
        "....2..3......6......1.56.1..22...4.",
        ".2..5..1..2.3..4....4..5.......4.6..",
    ),
    "latin5": (
        ".....4........3.3..15.4..",
        ".3....45....21....2.4....",
        "1...3.54......4...3.4...2",
        "....1.2....432..5.1.2...3",
        "3421..34...2.3......21...",
        "...35....21....2.5...4.1.",
        ".1......5..4..34.5.....2.",
    ),
    "6x6+antiking": (
        "2...1.........3.5.4.1....3.....4...2",
        "........4....3.1.5.....6......6.13..",
        "...6.......45......2......15..3.....",
        "......2..4..6.........2.4.3..11.....",
        ".1...2............45.36.....4.......",
        ".42....1..2...........4.....5.3.....",
        "....1.......6...........5......1.23.",
    ),
    "9x9": (
        "....18..92.5...3....6........42...5....7..6...1..........5..................4..18",
        ".6.......85...........4.9.3..6.3.7.................58......5....13.....4...7....6",
        "...........35...8.4.......11.......7...3..4....2..6.....9...53..2..1........7....",
        "....78...2......3......61.7..85...9.9...1..4.42........45..7..1.....2......85.6..",
        "1.8.........1.62..6.3..4....3..8...4...3.2.1....6..9...9...7.2.2.1.......4....6.9",
        "....382..5.6.7.3..8.....1.......5.7..9.4.......1..7.6..7..46..1.8....7342........",
        "1...6.2....73..18..6..2..35518...........574..4.9.......65....1.8........5..9...3",
        "17.....6.......1...6..2...8....126.5...5.8.23....69....95.743...2...6..4..4.3....",
        "...6....9.6....2....84.51.....794.......3.8..4....2..35..........19.8.7.3...7..5.",
        "..5..9...2..4..9.66.8.2.4.....31...57.3.4.......5..6.........2...1.95...486......",
        ".3...418....26...4.....8..54..3.....67.....1...1..7....6..5..7..5.....9...79.1.4.",
    ),
}
"""Puzzles with one solution, which each of their givens is necessary for. Together their givens
cover every cell of a shape."""

HIDDEN: Final[dict[str, tuple[str, ...]]] = {
    JIGSAW: (
        "2.3...233......2",
        "3.2...3.2.......",
    ),
    "6x6": (
        ".214..5...1.....2..64351...1..41...2",
        "6.2.13...62.3142.6.2...1..31......32",
        ".35..221.3..5..13...352...........51",
        "....64...5...4.126.......1..4....351",
    ),
    "latin5": (
        "42...5....1..4.....4..31.",
        ".1....543..2...4..5.345..",
    ),
    "6x6+antiking": (
        "...........22.......6.2.......6.....",
        "6.21...............1.....2..........",
    ),
    "9x9": (
        "...7...2..72....3...5..419754............5.8...3......76....21...1...3........9..",
        ".296...4...39.....67.3........16.835..75........8.......6..912...1....5...5.1.78.",
        "..36..7....6..1.9.9....5.2.36.1..........8.12.....4......4.6..32.5...9......5.8..",
        "..7.54..9.....92..93.2...4...5.3........15.9.....9.71.3.9.2...1....73.54...9.13..",
    ),
    "16x16": (
        (
            ".8.3...5.E491FG.94E...G.3..2..B.G....8.3...B..9E.D...4.6....83.7.E.G.C82..7.A946"
            "4.6.FE1G2.C87..5.....A4.GF..C...8.32......A..G1F7.BD9..4.G1E...2...4.5.18.F..D7B"
            "C....37.4...6.EGE6.1...8DB.7..A932....5.E19..CF8FG8.D....4B.9E6.....8........A5."
            ".B..1.6.C.G..73."
        ),
        (
            ".BE.5.3.96A.2....G2.6.....E..C5...3......42.A96.6.A...21.538.BF7E....14.....F..."
            "...CE.6B...G..A..7.......E6B...C.85.2.FG134C.D...4C..6BEF1..9.D....A1...4.C3B..E"
            "...E84.35D9A..1.1.G......7BEC48.G.7..385.BD.1...9.....7F..14....C.14B.D6E.7F...5"
            "BA...214..85.E.9"
        ),
    ),
}
"""Puzzles without a solution. In each, naked and hidden singles lead to no contradiction."""

COUNTED: Final[dict[str, tuple[tuple[str, int], ...]]] = {
    "4x4": (
        ("...4...34......1", 3),
        ("1....4...1..4.1.", 4),
        (".....2.4......41", 5),
        (".4.3.........2.1", 7),
        (".32......1......", 9),
        (".....4.3....4.3.", 10),
        ("....32...3......", 12),
        ("1...........2...", 24),
        ("........4.......", 72),
        ("................", 288),
    ),
    JIGSAW: (
        ("..4..41...2..2.1", 3),
        ("..4...3...1..12.", 5),
        ("..4...3...1...2.", 6),
        ("..........2....1", 10),
        (".....4.....4....", 18),
        (".........3....3.", 30),
        ("................", 144),
    ),
    "6x6+antiking": (
        (".......1.6......1....245...53......4", 3),
        ("...1......2..236.5............25....", 5),
        ("..........262..6........1.4...3.6...", 6),
        ("........5.........43....6.4.....3246", 10),
        ("..3...6..4..........2..4.......3....", 18),
        ("....3...4..........3.........3.2....", 30),
        ("...........4....................56..", 300),
    ),
    "6x6": (
        (".2.35........6.52.542.13..41656.5.32", 3),
        (".213........1.3...54.......1...1.4.2", 5),
        ("3.6.1.....6..61.5...5126....4..24.3.", 13),
        ("..13.6.......6352......3...165.1....", 17),
        (".53......1...3...5.6........4.......", 64),
        ("......6..2......5.......13..6..5....", 255),
        ("..5..2.........45...4...5....4.....1", 256),
        (".......4.3....46.3....2..61.........", 257),
        ("....6...6..5.6.4.3..4.....1.........", 300),
        ("..4.....12......5....1.............2", 768),
    ),
    "latin5": (
        ("...15.254....34...231..52", 3),
        ("1.2..3......4.1......4.1.", 13),
        ("..145..4.......1......23.", 17),
        ("..5.......3............21", 256),
        ("4.................3...24.", 512),
        (".1........3.........4....", 1344),
    ),
    "9x9": (
        ("1.64879...5.16.7..74.2358.167...3.892.....1..315928.7658.6.4..2.613.2.484..85.697", 3),
        ("14.....2.2.81.9367.7..2......9.......254...1.7..65...2.37964.5159..3....4.....9.3", 13),
        (".4.8.5..91564...3..8..3......5.1.6...98...7...12......9.7.....153.69.24.824...976", 17),
        ("1.2.9....3...12.............9..6.....1...9.8........12.2..8.541.517.4..88...31...", 255),
        ("....482......769..4.....1..7164.2.......1.72..42.....96....1...8249..3.1.3.....9.", 256),
        (".4..........247.5.97.163..8.3.61....7.23.4816..........5.....8..678.52..82.......", 257),
        (".......2.4.2......8.9..3..65..7..6..69...5...7..9..285....781...46..28......4.5..", 300),
        ("138....5.........2.69.57...825..1.7...6..2...7..8.6...65...4....72.1....4..7.....", 512),
        ("....59...6..1....5...3..1.43......5.5..7.4.....9...3..7..4.......1..54..4.329.5.7", 768),
        ("..3....89.8..........53...267.......3.9.6...82.........9...3....412..89...2...6.5", 1344),
        (".......5.2..9..8........1..49...75...8.1...27.....3.6...94........27.645......9.8", 351),
        ("..3....5..7.2........9.......93.1..5.3.6....1..18549633....9..78...3..9.9...8..32", 148),
    ),
    "16x16": (
        (
            (
                "..3...D9.1.....A...D.4...A..1.....G1.5A.7.E..63.A....G1.6..2E..DB.A..C.G.6...ED7"
                ".D...6.4.B8..1CG.4....7E1.CG8.A.G1C.A...D.9E.4.37ED94.63...BC.1F63..E..7...FAB.8"
                "8B....CF32..D7.9.....A.BE...2...D.7....28.BA.CF1.A....G12.6...9..CF...5A9E.D...."
                "42.3..ED.G.1BA.."
            ),
            58,
        ),
        (
            (
                "A.4..13B6G.5F............4AD..2..........EF.A.49F....A.D3.1B..G..7..8...A.29G3B."
                ".A...G..7....C.F.F.CD..91.G.E.5..1B3.E7.F.4.29D.3BA..6.G..C.94F..5.G..8E.F943..."
                ".8..F.D..A.2.G1...F.A.B.51.G....8.67CD...9.A513.5G.1.8..4.DF......9A3..1........"
                ".4CF9.2AG3..8..E"
            ),
            48,
        ),
    ),
}
"""Puzzles with their numbers of solutions. A local search chose those of 16x16, and the last two
of 9x9, by what they expose: a search that loses a value behind a dozen guesses, or the third of
several candidates, counts too few."""

BEYOND_16_BITS: Final[dict[str, tuple[tuple[str, int], ...]]] = {
    "6x6": ((".............6....5...........6.5...", 69_120),),
    "9x9": (
        (
            "...4..9...5..6.7...4......16......892.....1..3.5..8.76.8...4....6..............97",
            66_461,
        ),
    ),
}
"""Puzzles with more solutions than 16 bits can count."""
