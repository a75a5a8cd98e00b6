"""The features of puzzles that reasoning finds, for conditions and columns."""

from functools import partial
from typing import Final

from harness.extensions.reasoning import rating
from harness.extensions.reasoning.ladder import LEVELS, RULE_NAMES
from harness.puzzles.datasets import FeatureType, search_feature

_NUMBER, _TEXT = FeatureType.NUMBER, FeatureType.TEXT


HARDEST_RULE: Final = search_feature(
    "hardest_rule",
    _TEXT,
    "Hardest rule needed: `none` for a complete grid, `search` if all rules do not suffice; "
    "missing without a unique solution.",
    rating.hardest_rule,
    RULE_NAMES,
)
LEVEL: Final = search_feature(
    "level",
    _TEXT,
    "Level: `naive` if naked singles finish the puzzle, otherwise the hardest of `easy`, `normal` "
    "and `hard` whose rules do not; missing without a unique solution, and with constraints.",
    rating.level_of,
    tuple(map(str, LEVELS)),
)
BACKDOOR: Final = search_feature(
    "backdoor",
    _NUMBER,
    "Fewest cells whose values let naked and hidden singles, and constraints, finish the "
    "puzzle; missing beyond 3, and without a unique solution.",
    rating.backdoor_size,
)
NODES_NONE: Final = search_feature(
    "nodes_none",
    _NUMBER,
    "Nodes of a search for the first solution without rules; missing beyond 100,000.",
    rating.nodes_of,
)
NODES_NAKED: Final = search_feature(
    "nodes_naked",
    _NUMBER,
    "Nodes of a search for the first solution with naked singles; missing beyond 100,000.",
    partial(rating.nodes_of, rules=rating.NAKED),
)
NODES_HIDDEN: Final = search_feature(
    "nodes_hidden",
    _NUMBER,
    "Nodes of a search for the first solution with naked and hidden singles; missing beyond "
    "100,000.",
    partial(rating.nodes_of, rules=rating.HIDDEN),
)
