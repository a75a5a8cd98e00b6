"""Rules in words: whether they say more than the constraints of a puzzle.

A sentence is understood if it has only words of the rules of a plain sudoku, or only words about
one kind of constraint that the puzzle has. Any other sentence may be a constraint.
"""

import re
from typing import Final

from harness.base.errors import PuzzleError
from harness.base.text import shortened
from harness.puzzles import Shape

_SENTENCE: Final = re.compile(r"[^.;!?\n]+")
_DIFFER: Final = re.compile(
    r"\b(?:identical|equal|same) (?:digits|numbers) (?:can ?not|can't|not) be\b"
    r"|(?:\b(?:can ?not|can't|don't|doesn't|mustn't|never|without|not?|non)[ -]"
    r"|\bno (?:digits?|numbers?) )"
    r"(?:(?:may|can|must|any|be|ever) )*(?:repeat\w*|repetition"
    r"|(?:contain|have|share|be)?s? ?(?:the )?(?:same|identical)(?: (?:digit|number|value)s?)?)"
)
"""Ways to say that digits differ."""
_AUXILIARY: Final = re.compile(r"\b(?:may|must|do|does|should|will|can) (?=not )")
_RANGE: Final = re.compile(r"([0-9]+) ?(?:to|through|-) ?([0-9]+)")
_SAYS_NOTHING: Final = re.compile(
    r"not (?:all|every)(?: of)?(?: the)?(?: possible)? [\w' ]+ (?:is|are|have been)"
    r"(?: necessarily)? (?:given|shown|marked|indicated)"
)
_WORD: Final = re.compile(r"[\w'-]+")
_GRID: Final = frozenset(
    _WORD.findall(
        "a an and are as at be by cell cells contain contains containing differ digit digits each "
        "for from has have in into is it must number numbers of on or that the their them there "
        "these they this to value values which with within"
    )
)
_PLAIN: Final = _GRID.union(
    _WORD.findall(
        "all always any appear appears applies apply blank box boxes classic column columns "
        "complete empty enter every exactly fill given grid normal once one only outlined place "
        "put region regions regular row rows rule rules so square squares standard sudoku thick "
        "usual using x "
        "die es gelten normale normalen regeln sudokuregeln sudoku-regeln "
        "classiques du les normales règles s'appliquent "
        "aplican clásicas de del estándar las reglas se"
    )
)
"""Words of the rules of a sudoku without further constraints."""
_CHESS: Final = "apart away by chess constraint different move moves separated "
_LINE: Final = "along line lines "
_CLUE: Final = "clue clues column columns grid indicate indicates outside row rows show sum sums "
_KROPKI: Final = "adjacent between connected dot dots joined kropki separated two "
_MARKED: Final = "circle circles gray grey marked shaded square squares "
_TOPICS: Final = {
    part: _GRID.union(words.split())
    for part, words in {
        "jigsaw": "column columns every irregular jigsaw once outlined region regions row rows",
        "diagonal": "all along also both diagonal diagonals indicated long main marked once every "
        "appear appears exactly",
        "antiknight": _CHESS + "anti-knight antiknight knight knight's knights",
        "antiking": _CHESS + "adjacent anti-king antiking diagonally king king's kings touch",
        "disjoint": "box boxes different disjoint group groups position positions relative same",
        "nonconsecutive": "adjacent cannot can't consecutive may neighbouring non-consecutive "
        "nonconsecutive not orthogonally",
        "killer": "add adds cage cages clue clues corner dashed different if indicated killer "
        "left marked provided shown small standard sum sums top top-left total totals up upper",
        "distinct": "additional coloured different extra gray grey once region regions set shaded",
        "thermometer": "along away bulb bulbs end ends increase increases increasing moving "
        "start starting strictly thermo thermos thermometer thermometers tip",
        "slow-thermometer": "along away bulb bulbs end equal increase same slow stay thermo "
        "thermos thermometer thermometers tip",
        "whisper": _LINE + "adjacent difference german green least neighbouring whisper whispers",
        "renban": _LINE + "any consecutive form order pink purple renban sequence set",
        "region-sum": _LINE + "blue border borders box boxes divide divides equal region same "
        "segment segments sum sums",
        "palindrome": _LINE + "backward backwards both direction directions either end ends form "
        "forward forwards gray grey palindrome palindromes read reads same",
        "zipper": _LINE + "center centre distance equal equidistant middle pair pairs same sum "
        "sums zipper",
        "between": _LINE + "between circle circles end ends lie lies strictly two",
        "entropic": _LINE + "1-3 4-6 7-9 any consecutive entropic high low medium middle one set "
        "three",
        "modular": _LINE + "any consecutive different divided mod modular modulo remainder "
        "remainders set three",
        "nabner": _LINE + "any consecutive may nabner no two yellow",
        "arrow": "add adds along arrow arrows attached circle circles circled equal equals its sum "
        "sums total up",
        "double-arrow": _LINE + "arrow between circle circles double end ends equal equals sum",
        "difference": _KROPKI + "consecutive difference white",
        "ratio": _KROPKI + "black other ratio",
        "xv": "add adjacent between connected edge joined separated sum sums two up v vs x xs",
        "all-xv": "adjacent all between every given marked possible shown v vs x xs",
        "odd": _MARKED + "odd",
        "even": _MARKED + "even",
        "minimum": "adjacent all less lower minimum neighbours orthogonally smaller than",
        "maximum": "adjacent all greater higher larger maximum neighbours orthogonally than",
        "sandwich": _CLUE + "1 between sandwich sandwiched",
        "x-sum": _CLUE + "direction first seen where x x-sum x-sums",
        "skyscraper": _CLUE + "building buildings height heights seen skyscraper skyscrapers",
        "little-killer": _CLUE + "along arrow arrows can diagonal diagonals direction indicated "
        "killer little may repeat",
        "clone": "clone clones corresponding identical position positions same shaded shape shapes",
        "quadruple": "appear circle circles corner four intersection least once quad quadruple "
        "quadruples surrounding touching white",
    }.items()
}
"""Words that a sentence about a part of a shape, or about a kind of constraint, may have."""
_TOGETHER: Final = re.findall(
    r"([\w-]+)=([\w-]+)",
    "antiknight=antiking difference=ratio odd=even minimum=maximum xv=all-xv",
)
"""Topics that a sentence may have both."""
_DEFAULTS: Final = {"difference": "1", "ratio": "2", "modular": "3", "xv": "5"}
_NAMES: Final = {
    "1": "one",
    "2": "two double twice half 1",
    "3": "three",
    "4": "four",
    "5": "five",
    "10": "ten",
}
"""Other words for a number in a rule about it."""


def check_rules(text: str, shape: Shape) -> None:
    """Check that rules in words say no more than the houses and constraints of `shape`.

    Raises:
        PuzzleError: a sentence has another word, so it may state a constraint.
    """
    topics = _topics_of(shape)
    size = shape.size
    boxes = {f"{size}x{size}", *(f"{n}x{size // n}" for n in range(1, size) if size % n == 0)}
    plain = {f"1-{size}", str(size), *boxes}
    for sentence in _SENTENCE.findall(text):
        words = " ".join(sentence.lower().split()).translate(_DASHES)
        usual = _RANGE.sub(r"\1-\2", _DIFFER.sub(" differ ", _AUXILIARY.sub("", words)))
        others = {word.removesuffix("'s") for word in _WORD.findall(usual)} - plain
        if _SAYS_NOTHING.fullmatch(words) or any(topic >= others for topic in (_PLAIN, *topics)):
            continue
        rule = shortened(" ".join(sentence.split()), 80)
        problem = f"the rule {rule!r}, which may be a constraint"
        expected = (
            "normal sudoku rules and those of its constraints; "
            "if this rule says no more, delete it from the rules in the editor of the puzzle"
        )
        raise PuzzleError(problem, expected=expected)


_DASHES: Final = str.maketrans("\u2019\u2013\u2014\u00d7", "'--x")


def _topics_of(shape: Shape) -> list[frozenset[str]]:
    """The words of each topic that a sentence may have."""
    base, *variants = shape.without_constraints.definition.split("+")
    words = {name: _TOPICS[name] for name in (base.partition(":")[0], *variants) if name in _TOPICS}
    for constraint in shape.constraints:
        kind, number = constraint.kind, constraint.value
        if kind in _TOPICS:
            number = number if number.isdigit() else _DEFAULTS.get(kind, "")
            if kind == "whisper":
                number = number or str((shape.size + 1) // 2)
            numbers = {number, *_NAMES.get(number, "").split(), *(["10", "ten"] * (kind == "xv"))}
            words[kind] = words.get(kind, _TOPICS[kind]) | numbers
    pairs = (pair for pair in _TOGETHER if words.keys() >= {*pair})
    return [*words.values(), *(words[first] | words[second] for first, second in pairs)]
