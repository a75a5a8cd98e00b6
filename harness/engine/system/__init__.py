"""What the engine gets from the kernel: processes, files, limits, and facts about the machine."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
