"""Information from the kernel: the machine and process trees."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
