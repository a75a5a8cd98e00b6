"""Constraints: their kinds, and the primitives that each kind is made of."""
