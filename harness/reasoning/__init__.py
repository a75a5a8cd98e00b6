"""Reasoning about puzzles of any shape, step by step, as a person does.

board         candidates of all cells, and values placed
conclusion    conclusions with their reasons, as data
rule          the interface of a rule
rules         the rules, one per file
cells         sets of cells, as bits
hall_sets     k sets with k elements in total: subsets and fish
wording       lists of cells, values and houses in the words of reasons
bilocation    the bilocation graph, and its nonrepetitive walks
solving       solving by rules without search
levels        levels of difficulty of generated puzzles
"""
