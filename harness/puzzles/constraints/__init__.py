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
        checked,
        constraint_of,
        neighbours,
        reduced,
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
        moved,
        normal_form,
        pairs_of,
        relabelled,
        relation_of,
        sum_of,
        transposed,
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
    "checked",
    "constraint_of",
    "keeps",
    "members",
    "minimal",
    "moved",
    "neighbours",
    "normal_form",
    "pairs_of",
    "reduced",
    "relabelled",
    "relation_of",
    "sum_of",
    "table_text",
    "transposed",
    "union",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
