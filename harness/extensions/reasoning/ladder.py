"""The ladder of rules by name, simplest first, and the levels of difficulty.

The levels and their stop rules are those of a course project at Tsinghua University, which
calls them Naive, Easy, Normal, Hard and Sometimes Naive. For Easy, for example,
clues are removed until the basic rules no longer finish the puzzle; with the clue that was
removed last, they still do. The last level ends where any removal would lose the uniqueness of
the solution, so its puzzles are minimal.
"""

from enum import StrEnum
from functools import lru_cache
from typing import Final

from harness.base.errors import InputError, not_among
from harness.extensions.reasoning.board import Rule
from harness.extensions.reasoning.rules import (
    colouring,
    constraints,
    cycles,
    paths,
    singles,
    subsets,
    wings,
)
from harness.puzzles import Shape

# The ladder of rules by name, simplest first.


LADDER: Final[tuple[Rule, ...]] = (
    singles.NakedSingle(),
    singles.HiddenSingle(),
    constraints.CountRule(),
    constraints.ThermometerBound(),
    constraints.PairTable(),
    constraints.CageCombination(),
    constraints.SumBound(),
    constraints.Innie(),
    constraints.Outie(),
    subsets.LockedCandidates(),
    subsets.NakedSubset("naked pair", 2),
    subsets.HiddenSubset("hidden pair", 2),
    constraints.PairValue(),
    constraints.CageValue(),
    constraints.InniesAndOuties(),
    constraints.ConstraintSupport(),
    subsets.NakedSubset("naked triple", 3),
    subsets.HiddenSubset("hidden triple", 3),
    subsets.NakedSubset("naked quad", 4),
    subsets.HiddenSubset("hidden quad", 4),
    subsets.Fish("X-wing", 2),
    colouring.SimpleColouring(),
    wings.XYWing(),
    subsets.Fish("swordfish", 3),
    wings.XYZWing(),
    subsets.Fish("jellyfish", 4),
    cycles.NonrepetitiveCycleRule(),
    cycles.BivalueNonrepetitiveCycleRule(),
    cycles.RepetitiveCycleRule(),
    cycles.BivalueRepetitiveCycleRule(),
    paths.ConflictingPathsRule(),
    paths.PathRule(),
)
"""All rungs; a rung is a rule together with those before it.

The order is that of most solving guides: patterns in one house by their size, then patterns in
several houses by the number of cells that a person has to keep in mind. Rules for constraints
conclude nothing for puzzles without them.
"""


@lru_cache(maxsize=16)
def ladder_of(shape: Shape) -> tuple[Rule, ...]:
    """The rungs that can conclude something for puzzles of a shape.

    Rules for constraints that the shape does not have are left out.
    """
    return tuple(rule for rule in LADDER if rule.applies_to(shape))


ALTERNATIVES: Final[tuple[Rule, ...]] = (singles.ArcConsistency(),)
"""Rules that conclude the same as naked singles in another way. None is a rung: each can replace
the first."""


def slug(rule: Rule) -> str:
    """The name of a rule in options: ``naked-single``."""
    return rule.name.lower().replace(" ", "-")


def rule_named(name: str) -> Rule:
    """The rule with this name, ``naked-single`` or ``naked single``.

    Raises:
        InputError: there is no such rule.
    """
    by_name = {slug(rule): rule for rule in (*LADDER, *ALTERNATIVES)}
    rule = by_name.get(name.strip().lower().replace(" ", "-"))
    if rule is None:
        raise not_among(InputError, f"unknown rule {name!r}", name, by_name)
    return rule


def rung(name: str) -> tuple[Rule, ...]:
    """The rule with this name and all simpler ones; an alternative to the first rung stands alone.

    Raises:
        InputError: there is no such rule.
    """
    rule = rule_named(name)
    if rule in ALTERNATIVES:
        return (rule,)
    return LADDER[: LADDER.index(rule) + 1]


def rules_of(text: str) -> tuple[Rule, ...]:
    """The rules that a text selects, simplest first.

    ``up-to-NAME`` selects a rung, names joined by ``+`` these rules, ``none`` no rule.

    Raises:
        InputError: a rule does not exist, or ``none`` is joined with others.
    """
    spec = text.strip().lower()
    if spec == "none":
        return ()
    if spec.startswith("up-to-"):
        return rung(spec.removeprefix("up-to-"))
    names = spec.split("+")
    if "none" in names:
        raise InputError(
            "'none' cannot be combined with rules", expected="rules joined by +, or 'none'"
        )
    rules = [rule_named(name) for name in names]
    return tuple(rule for rule in (*ALTERNATIVES, *LADDER) if rule in rules)


# Levels of difficulty of generated puzzles: clues are removed until rules no longer suffice.


class Level(StrEnum):
    """A level of difficulty."""

    NAIVE = "naive"
    """35 to 40 blanks in a 9x9, the same share of the cells in other shapes."""
    EASY = "easy"
    """Naked singles no longer finish the puzzle."""
    NORMAL = "normal"
    """Naked and hidden singles no longer finish it."""
    HARD = "hard"
    """Naked and hidden singles and the repetitive cycle rule no longer finish it."""
    MINIMAL = "minimal"
    """No clue can be removed: the level Sometimes Naive."""


RULES: Final[dict[Level, tuple[Rule, ...]]] = {
    Level.EASY: (singles.NakedSingle(),),
    Level.NORMAL: (singles.NakedSingle(), singles.HiddenSingle()),
    Level.HARD: (singles.NakedSingle(), singles.HiddenSingle(), cycles.RepetitiveCycleRule()),
}
"""The rules that no longer finish the puzzles of a level, simplest first."""

# The values of ratings that are names, easiest first; this module imports no search.


NO_RULE: Final = "none"
"""The name of the hardest rule of a complete grid."""
BEYOND: Final = "search"
"""The name of the hardest rule of a puzzle that all rules together do not finish."""
RULE_NAMES: Final = (NO_RULE, *map(slug, LADDER), BEYOND)
"""The possible names of the hardest rule of a puzzle."""
LEVELS: Final = (Level.NAIVE, Level.EASY, Level.NORMAL, Level.HARD)
"""The levels that a rating can have."""
