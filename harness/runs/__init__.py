"""Sweeps: the plan, the sweep file and its execution."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
