"""Trials in isolated processes: supervisor, servers, monitors, workers and limits."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
