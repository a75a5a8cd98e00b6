"""Rules of inference, one per file.

naked_single                a cell has one candidate (basic rules, eliminate)
hidden_single               a house has one cell for a value (exclusion, only choice)

Rules on the bilocation and bivalue graphs (Eppstein):

nonrepetitive_cycle           a cycle of links has one of two values in each cell
bivalue_nonrepetitive_cycle   a cycle of cells with two candidates excludes values around it
repetitive_cycle              a walk from the absence of a value ends with its presence
bivalue_repetitive_cycle      a walk from the presence of a value ends with its absence
conflicting_paths             walks from the absence of a value end with a conflict
path                          one of the two ends of a walk has a value
"""
