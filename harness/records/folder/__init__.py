"""The folder of a run: its files, the store, shards, the environment, and merging."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
