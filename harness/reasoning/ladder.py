"""The ladder of rules by name, the simplest first."""

from typing import Final

from harness.errors import InputError, meant, one_of
from harness.reasoning.rule import Rule
from harness.reasoning.rules.bivalue_nonrepetitive_cycle import BivalueNonrepetitiveCycleRule
from harness.reasoning.rules.bivalue_repetitive_cycle import BivalueRepetitiveCycleRule
from harness.reasoning.rules.conflicting_paths import ConflictingPathsRule
from harness.reasoning.rules.hidden_single import HiddenSingle
from harness.reasoning.rules.naked_single import NakedSingle
from harness.reasoning.rules.nonrepetitive_cycle import NonrepetitiveCycleRule
from harness.reasoning.rules.path import PathRule
from harness.reasoning.rules.repetitive_cycle import RepetitiveCycleRule

LADDER: Final[tuple[Rule, ...]] = (
    NakedSingle(),
    HiddenSingle(),
    NonrepetitiveCycleRule(),
    BivalueNonrepetitiveCycleRule(),
    RepetitiveCycleRule(),
    BivalueRepetitiveCycleRule(),
    ConflictingPathsRule(),
    PathRule(),
)
"""All rules; a rung is a rule together with those before it."""


def slug(rule: Rule) -> str:
    """The name of a rule in options: ``naked-single``."""
    return rule.name.replace(" ", "-")


def rule_named(name: str) -> Rule:
    """The rule with this name, ``naked-single`` or ``naked single``.

    Raises:
        InputError: there is none.
    """
    by_name = {slug(rule): rule for rule in LADDER}
    found = by_name.get(name.strip().lower().replace(" ", "-"))
    if found is None:
        raise InputError(
            f"unknown rule {name!r}{meant(name, by_name)}", expected=one_of(list(by_name))
        )
    return found


def rung(name: str) -> tuple[Rule, ...]:
    """The rule with this name and all simpler ones.

    Raises:
        InputError: there is none.
    """
    return LADDER[: LADDER.index(rule_named(name)) + 1]
