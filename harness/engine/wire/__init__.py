"""Messages and shared memory between the processes of the engine."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
