"""What measures are made of: columns, frames of results, comparison groups, inference."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
