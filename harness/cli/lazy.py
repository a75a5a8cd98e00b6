"""What commands need only when they run: each name is imported at its first use.

Help and completion import all modules of commands, so these import nothing that takes a long time:
pandas alone needs half a second. A command that runs calls ``lazy.load(folder)``, and pays only for
what it uses. The names are listed once, in the stub beside this file, which `lazily` reads.

Modules that are named here, and what they import, do not use this module.
"""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
