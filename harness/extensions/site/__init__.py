"""The site of results: records of runs as static pages, offline and without scripts."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
