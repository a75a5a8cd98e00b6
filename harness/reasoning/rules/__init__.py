"""Rules of inference, one per file.

naked_single        a cell has one candidate (basic rules, eliminate)
hidden_single       a house has one cell for a value (exclusion, only choice)
repetitive_cycle    a walk through the bilocation graph proves a value (Eppstein)
"""
