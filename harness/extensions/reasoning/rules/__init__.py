"""Rules of inference, a module for each kind.

singles         naked and hidden singles, and arc consistency (AC-3)
intersections   locked candidates: pointing and claiming
subsets         naked and hidden pairs, triples and quads; Hall sets
fish            X-wing, swordfish, jellyfish
colouring       simple colouring: Wrap and Trap
wings           XY-wing and XYZ-wing
cycles          Eppstein's cycle rules on the bilocation and bivalue graphs
constraints     cages, pairs, counts and other constraints of variants
paths           Eppstein's path rule and conflicting paths rule
"""
