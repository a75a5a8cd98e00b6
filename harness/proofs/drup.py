"""The text of a proof: a step on each line, in DRUP.

``1 -2 0`` is a lemma, a clause that follows from the formula and the lemmas before it;
``d 1 -2 0`` deletes a clause, so that it is no longer used; ``0`` is the empty clause, the end of
a refutation. Literals are those of DIMACS (Heule, Hunt and Wetzler, "Trimming while checking
clausal proofs", FMCAD 2013).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from harness.errors import InputError
from harness.text import printable, shortened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEPS: Final = re.compile(r"(?:(?:d )?+(?:-?+[1-9][0-9]{0,8}+ )*+0\n)*+")
"""Steps in the plain form: one blank between numbers, and no other."""
_BLANKS: Final = " \t\r"
_LITERAL: Final = re.compile(r"-?[1-9][0-9]{0,8}")


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of a proof."""

    text: str
    """The steps as text, one on each line, in the plain form."""
    literals: "NDArray[np.int32]"
    """int32[n]: the literals of all steps, one after another, as in DIMACS."""
    starts: "NDArray[np.int64]"
    """int64[steps + 1]: where the literals of each step begin, and the end of the last."""
    is_deletion: "NDArray[np.bool_]"
    """bool[steps]: whether a step deletes a clause."""

    def __len__(self) -> int:
        return len(self.is_deletion)

    def text_of(self, step: int) -> str:
        """A step as it is written; `step` is from 0."""
        of = self.literals[self.starts[step] : self.starts[step + 1]].tolist()
        return f"{'d ' if self.is_deletion[step] else ''}{' '.join(map(str, [*of, 0]))}"

    def steps(self) -> Iterable[tuple[bool, list[int]]]:
        """Each step: whether it is a deletion, and its literals."""
        literals, starts = self.literals.tolist(), self.starts.tolist()
        for at, is_deletion in enumerate(self.is_deletion.tolist()):
            yield is_deletion, literals[starts[at] : starts[at + 1]]


def read_steps(text: str, variables: int, name: str = "proof", line: int = 1) -> Steps:
    """The steps in `text`, one on each line.

    Args:
        text: lines that end with a line feed; tabs and repeated blanks are allowed.
        variables: the number of variables of the formula.
        name: the name of the file in errors.
        line: the number of the first line in the file.

    Raises:
        InputError: a line is not a step, or a literal has no variable; with its line.
    """
    import numpy as np

    if text and not text.endswith("\n"):
        text += "\n"
    if not _STEPS.fullmatch(text):
        text = "".join(
            _plain(of, f"{name}:{number}") for number, of in enumerate(text[:-1].split("\n"), line)
        )
    data = np.frombuffer(text.encode("ascii"), np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    first = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    is_deletion = data[first] == ord("d")
    numbers = np.fromstring(text.replace("d ", ""), np.int32, sep=" ")
    zeros = np.flatnonzero(numbers == 0)
    starts = np.concatenate([[0], zeros - np.arange(len(zeros))]).astype(np.int64)
    literals = numbers[numbers != 0]
    if len(literals) and np.abs(literals).max() > variables:
        wrong = int(np.flatnonzero(np.abs(literals) > variables)[0])
        step = int(np.searchsorted(starts, wrong, side="right")) - 1
        raise InputError(
            f"{literals[wrong]} is not a literal of the formula",
            where=f"{name}:{line + step}",
            expected=f"variables 1 to {variables}",
        )
    return Steps(text, literals, starts, is_deletion)


def _plain(text: str, where: str) -> str:
    """A line in the plain form.

    Raises:
        InputError: it is not a step.
    """
    words = text.strip(_BLANKS).replace("\t", " ").split(" ")
    words = [word for word in words if word]
    literals = words[1:] if words[:1] == ["d"] else words
    expected = "a step of a proof: literals and a final 0, perhaps after d"
    for word in literals[:-1]:
        if not _LITERAL.fullmatch(word):
            what = "0 before the end of the line" if word == "0" else repr(shortened(word, 40))
            raise InputError(f"{printable(what)} is not a literal", where=where, expected=expected)
    if literals[-1:] != ["0"]:
        shown = printable(shortened(text.strip(), 60))
        raise InputError(f"{shown!r} does not end with 0", where=where, expected=expected)
    return " ".join(words) + "\n"
