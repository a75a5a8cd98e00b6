"""Rules of inference, a module for each kind.

singles         naked and hidden singles, and arc consistency (AC-3)
subsets         locked candidates; naked and hidden pairs, triples and quads; fish
colouring       simple colouring: Wrap and Trap
wings           XY-wing and XYZ-wing
cycles          Eppstein's cycle rules on the bilocation and bivalue graphs
constraints     cages, pairs, counts and other constraints of variants
paths           Eppstein's path rule and conflicting paths rule
"""
