"""The contract of backends, their names, and how they are found."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
