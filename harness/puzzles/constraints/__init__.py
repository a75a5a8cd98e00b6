"""Constraints: their kinds, and the primitives that each kind is made of."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
