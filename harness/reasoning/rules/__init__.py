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
repetitive_cycle    a walk through the bilocation graph proves a value (Eppstein)
"""
