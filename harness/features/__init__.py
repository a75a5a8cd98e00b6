"""What can be known of a puzzle by name: features, conditions on them, and raters.

declared          all features by name, for conditions and columns
where             conditions such as ``clues < 20 and shape == '9x9'``
raters            plugins and programs that give a puzzle a number for its difficulty
built_in_raters   the raters of the harness
rating            records with their ratings
"""
