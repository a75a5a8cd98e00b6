"""The ladder of rules by name, the simplest first."""

from typing import Final

from harness.errors import InputError, meant, one_of
from harness.reasoning.rule import Rule
from harness.reasoning.rules.arc_consistency import ArcConsistency
from harness.reasoning.rules.bivalue_nonrepetitive_cycle import BivalueNonrepetitiveCycleRule
from harness.reasoning.rules.bivalue_repetitive_cycle import BivalueRepetitiveCycleRule
from harness.reasoning.rules.conflicting_paths import ConflictingPathsRule
from harness.reasoning.rules.fish import Jellyfish, Swordfish, XWing
from harness.reasoning.rules.hidden_single import HiddenSingle
from harness.reasoning.rules.hidden_subset import HiddenPair, HiddenQuad, HiddenTriple
from harness.reasoning.rules.locked_candidates import LockedCandidates
from harness.reasoning.rules.naked_single import NakedSingle
from harness.reasoning.rules.naked_subset import NakedPair, NakedQuad, NakedTriple
from harness.reasoning.rules.nonrepetitive_cycle import NonrepetitiveCycleRule
from harness.reasoning.rules.path import PathRule
from harness.reasoning.rules.repetitive_cycle import RepetitiveCycleRule
from harness.reasoning.rules.simple_colouring import SimpleColouring
from harness.reasoning.rules.xy_wing import XYWing
from harness.reasoning.rules.xyz_wing import XYZWing

LADDER: Final[tuple[Rule, ...]] = (
    NakedSingle(),
    HiddenSingle(),
    LockedCandidates(),
    NakedPair(),
    HiddenPair(),
    NakedTriple(),
    HiddenTriple(),
    NakedQuad(),
    HiddenQuad(),
    XWing(),
    SimpleColouring(),
    XYWing(),
    Swordfish(),
    XYZWing(),
    Jellyfish(),
    NonrepetitiveCycleRule(),
    BivalueNonrepetitiveCycleRule(),
    RepetitiveCycleRule(),
    BivalueRepetitiveCycleRule(),
    ConflictingPathsRule(),
    PathRule(),
)
"""All rungs; a rung is a rule together with those before it.

The order is that of most solving guides: patterns in one house by their size, then patterns in
several houses by the number of cells that a person has to keep in mind.
"""

ALTERNATIVES: Final[tuple[Rule, ...]] = (ArcConsistency(),)
"""Rules that conclude the same as naked singles in another way. None is a rung: each can take
the place of the first."""

_UP_TO: Final = "up-to-"


def slug(rule: Rule) -> str:
    """The name of a rule in options: ``naked-single``."""
    return rule.name.lower().replace(" ", "-")


def rule_named(name: str) -> Rule:
    """The rule with this name, ``naked-single`` or ``naked single``.

    Raises:
        InputError: there is none.
    """
    by_name = {slug(rule): rule for rule in (*LADDER, *ALTERNATIVES)}
    found = by_name.get(name.strip().lower().replace(" ", "-"))
    if found is None:
        raise InputError(
            f"unknown rule {name!r}{meant(name, by_name)}", expected=one_of(list(by_name))
        )
    return found


def rung(name: str) -> tuple[Rule, ...]:
    """The rule with this name and all simpler ones; an alternative to the first rung is alone.

    Raises:
        InputError: there is none.
    """
    rule = rule_named(name)
    if rule in ALTERNATIVES:
        return (rule,)
    return LADDER[: LADDER.index(rule) + 1]


def rules_of(text: str) -> tuple[Rule, ...]:
    """The rules that a text chooses, the simplest first.

    ``up-to-NAME`` is a rung, names joined by ``+`` are these rules, ``none`` is no rule.

    Raises:
        InputError: a rule does not exist.
    """
    chosen = text.strip().lower()
    if chosen == "none":
        return ()
    if chosen.startswith(_UP_TO):
        return rung(chosen.removeprefix(_UP_TO))
    names = chosen.split("+")
    if "none" in names:
        raise InputError("none stands alone", expected="rules joined by +, or none")
    named = [rule_named(name) for name in names]
    return tuple(rule for rule in (*ALTERNATIVES, *LADDER) if rule in named)
