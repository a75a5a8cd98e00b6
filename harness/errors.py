"""The errors that the harness raises on purpose; all share the base `HarnessError`."""


class HarnessError(Exception):
    """Base of all errors of the harness."""


class InputError(HarnessError, ValueError):
    """Something the user gave cannot be used.

    The message is one line: where it happened (file, line and column if known), what is
    wrong, and what was expected. The command line prints it and exits with code 2.

    Attributes:
        what: what is wrong.
        where: where it is, for instance ``puzzles.txt:3:17``; empty if unknown.
        expected: what would be right; empty if nothing can be named.
    """

    def __init__(self, what: str, *, where: str = "", expected: str = "") -> None:
        self.what = what
        self.where = where
        self.expected = expected
        message = f"{where}: {what}" if where else what
        super().__init__(f"{message}; expected {expected}" if expected else message)

    def at(self, where: str) -> "InputError":
        """The same error, located at `where`."""
        return type(self)(self.what, where=where, expected=self.expected)


class PuzzleError(InputError):
    """A puzzle, a shape or a puzzle file is malformed, or does not exist."""


class UnknownBackendError(InputError):
    """A name, a file or a class that should be a backend is none."""


class BackendUnavailableError(InputError):
    """A backend exists and cannot be used here, for instance without its library."""


class OptionError(InputError):
    """An option is unknown, or its value is out of range or of a wrong type."""


class RunError(InputError):
    """A folder holds no run, or one that this version cannot read."""


class StoreDamagedError(RunError):
    """The store of a run is damaged, or is not a store."""


class StorageError(HarnessError):
    """Results cannot be written: the disk is full, or the folder is gone.

    What was written before is intact. The command line exits with code 3.
    """


def one_of(names: "list[str] | tuple[str, ...]") -> str:
    """`names` for the end of an error message: ``"one of a, b, c"``."""
    return f"one of {', '.join(names)}" if names else "nothing: no choice exists"
