"""Forking a process that runs one function and never returns to its caller."""

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn


def fork_to_run(function: Callable[[], None]) -> int:
    """Fork a process that runs `function` and exits; the id of that process."""
    pid = os.fork()
    if not pid:
        run_and_exit(function)
    return pid


def run_and_exit(function: Callable[[], None]) -> NoReturn:
    """Run `function` and end this process: exit code 0, or 1 after an exception.

    The process ends without clean-up: in a forked process `atexit` handlers and an
    exception that propagates would run code of the parent, and unloading a solver's
    library can take longer than the work.
    """
    code = 1
    try:
        function()
        code = 0
    except BaseException:  # noqa: BLE001  the exception must not leave this function
        with suppress(BaseException):
            traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(code)
