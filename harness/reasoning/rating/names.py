"""The values of ratings that are names, the easiest first; this module imports no search."""

from typing import Final

from harness.reasoning.ladder import LADDER, slug
from harness.reasoning.levels import Level

NO_RULE: Final = "none"
"""The name of the hardest rule of a complete grid."""
BEYOND: Final = "search"
"""The name of the hardest rule of a puzzle that all rules together do not finish."""
RULE_NAMES: Final = (NO_RULE, *map(slug, LADDER), BEYOND)
"""The hardest rules."""
LEVELS: Final = (Level.NAIVE, Level.EASY, Level.NORMAL, Level.HARD)
"""The levels of a rated puzzle."""
