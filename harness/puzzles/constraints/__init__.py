"""Constraints: their kinds, and the primitives that each kind is made of."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.puzzles.constraints.kinds import (
        KINDS,
        Cells,
        Constraint,
        Field,
        automaton_text,
        check_constraint,
        constraint_of,
        neighbours,
        reductions,
        table_text,
    )
    from harness.puzzles.constraints.primitives import (
        Automaton,
        Distinct,
        Line,
        Primitive,
        Relation,
        Sum,
        ValueCount,
        automaton_of,
        bits_of,
        keeps,
        members,
        minimal,
        move,
        normal_form,
        pairs_of,
        relabel,
        relation_of,
        sum_of,
        transpose,
        union,
    )

__all__ = [
    "KINDS",
    "Automaton",
    "Cells",
    "Constraint",
    "Distinct",
    "Field",
    "Line",
    "Primitive",
    "Relation",
    "Sum",
    "ValueCount",
    "automaton_of",
    "automaton_text",
    "bits_of",
    "check_constraint",
    "constraint_of",
    "keeps",
    "members",
    "minimal",
    "move",
    "neighbours",
    "normal_form",
    "pairs_of",
    "reductions",
    "relabel",
    "relation_of",
    "sum_of",
    "table_text",
    "transpose",
    "union",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
