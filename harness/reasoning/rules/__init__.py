"""Rules of inference, one per file.

naked_single        a cell has one candidate (basic rules, eliminate)
arc_consistency     the same by AC-3, on a queue of arcs
hidden_single       a house has one cell for a value (exclusion, only choice)
locked_candidates   all places of a value in a house are in another house (pointing, claiming)
naked_subset        two, three or four cells share as many values
hidden_subset       two, three or four values share as many cells
fish                two, three or four rows share as many columns for a value, or the reverse
simple_colouring    conjugate pairs of a value in two colours (Wrap, Trap)
xy_wing             a pivot with two candidates and two pincers
xyz_wing            a pivot with three candidates and two pincers

Rules on the bilocation and bivalue graphs (Eppstein):

nonrepetitive_cycle           a cycle of links has one of two values in each cell
bivalue_nonrepetitive_cycle   a cycle of cells with two candidates excludes values around it
repetitive_cycle              a walk from the absence of a value ends with its presence
bivalue_repetitive_cycle      a walk from the presence of a value ends with its absence
conflicting_paths             walks from the absence of a value end with a conflict
path                          one of the two ends of a walk has a value
"""
