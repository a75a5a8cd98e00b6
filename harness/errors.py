"""The one error that bad input raises, in every room."""


class InputError(ValueError):
    """Something the user gave cannot be used.

    The message is one line that says what is wrong, where (file, line and
    column where there are such) and what was expected; the command line prints
    it as it is and exits with code 2.
    """

    def __init__(self, what: str, *, where: str = "", expected: str = "") -> None:
        self.what = what
        self.where = where
        self.expected = expected
        message = f"{where}: {what}" if where else what
        super().__init__(f"{message}; expected {expected}" if expected else message)

    def at(self, where: str) -> "InputError":
        """The same error, told to have happened at `where`."""
        return type(self)(self.what, where=where, expected=self.expected)


class StorageError(Exception):
    """Results cannot be written: the disk is full, or the folder is gone.

    What was written before stays as it is; the command line exits with code 3.
    """


def one_of(names: "list[str] | tuple[str, ...]") -> str:
    """`names` as the end of an error message: ``"one of a, b, c"``."""
    return f"one of {', '.join(names)}" if names else "nothing: there is none"
