"""Reasoning about puzzles of any shape, step by step, as a person does.

board         candidates of all cells, and values placed
conclusion    conclusions with their reasons, as data
rule          the interface of a rule
rules         the rules, one per file
bilocation    the bilocation graph, and its nonrepetitive walks
solving       solving by rules without search
levels        levels of difficulty of generated puzzles
"""
