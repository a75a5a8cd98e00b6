"""The ladder of rules by name, the simplest first."""

from typing import Final

from harness.errors import InputError, meant, one_of
from harness.reasoning.rule import Rule
from harness.reasoning.rules.hidden_single import HiddenSingle
from harness.reasoning.rules.naked_single import NakedSingle
from harness.reasoning.rules.repetitive_cycle import RepetitiveCycleRule

LADDER: Final[tuple[Rule, ...]] = (
    NakedSingle(),
    HiddenSingle(),
    RepetitiveCycleRule(),
)
"""All rules; a rung is a rule together with those before it."""

_UP_TO: Final = "up-to-"


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
    named = [rule_named(name) for name in chosen.split("+")]
    return tuple(rule for rule in LADDER if rule in named)
