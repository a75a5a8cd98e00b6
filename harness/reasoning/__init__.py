"""Reasoning about puzzles of any shape, step by step, as a person does.

board         candidates of all cells, and values placed
conclusion    conclusions with their reasons, as data
rule          the interface of a rule
rules         the rules, one per file
links         links between cells, and graphs of them
bilocation    the bilocation graph
bivalue       the bivalue graph
walks         shortest nonrepetitive walks
states        all nonrepetitive walks: which close, and what they reach
components    strongly connected components
cycles        the reason of rules that use nonrepetitive cycles
absence       what follows from the absence of a candidate
solving       solving by rules without search
levels        levels of difficulty of generated puzzles
"""
