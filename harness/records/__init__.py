"""Records of a run: trial fields, verdicts, the store, the environment."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
