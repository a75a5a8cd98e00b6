"""What can be known of a puzzle by name: features, and conditions on them.

declared    all features by name, for conditions and columns
where       conditions such as ``clues < 20 and shape == '9x9'``
choosing    the puzzles of datasets that meet a condition
"""
