"""Reasoning about puzzles of any shape, step by step, as a person does.

board         candidates of all cells, and values placed
conclusion    conclusions with their reasons, as data
rule          the interface of a rule
rules         the rules, one per file
cells         sets of cells, as bits
hall_sets     k sets with k elements in total: subsets and fish
wording       lists of cells, values and houses in the words of reasons
links         links between cells, and graphs of them
bilocation    the bilocation graph
bivalue       the bivalue graph
walks         shortest nonrepetitive walks
states        all nonrepetitive walks: which close, and what they reach
components    strongly connected components
cycles        reasons of rules that use closed walks
wing          what the reasons of wings share
absence       what follows from the absence of a candidate
solving       solving by rules without search
search        search with rules between guesses, depth first or breadth first
order         the cell at which a search branches
trace         the events of a search, and their views
tracing       a search as a stream of events
explanation   conclusions as sentences
refutation    why a board has no solution
ladder        the rules by name, the simplest first
levels        levels of difficulty of generated puzzles
"""
