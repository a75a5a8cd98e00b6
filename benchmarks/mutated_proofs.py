"""Proofs with a fault: checkers of certificates have to refuse them, or accept them for a reason.

A mutated proof may still be right: a lemma may be superfluous, or follow in another order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from harness.puzzles import Grid, Puzzle


@dataclass(frozen=True)
class WrittenProof:
    """What a prover wrote about a puzzle."""

    puzzle: Puzzle
    solutions: tuple[Grid, ...]
    steps: tuple[str, ...]
    """The lines of the proof, without line ends."""


@dataclass(frozen=True)
class Mutant:
    """A proof with a fault."""

    kind: str
    proof: WrittenProof
    is_claim_false: bool = False
    """Whether the puzzle has more solutions than the claim, so that no proof can be right."""


def mutant(proof: WrittenProof, other: WrittenProof, random: Random) -> Mutant:
    """A mutant of `proof`.

    Args:
        proof: a right proof with some lemmas.
        other: the proof of another puzzle of the same shape.
        random: the source of all choices.
    """
    kind = random.choice([name for name in KINDS if name != _LEFT_OUT or proof.solutions])
    if kind == _LEFT_OUT:
        solutions = random.sample(proof.solutions, len(proof.solutions) - 1)
        return Mutant(kind, WrittenProof(proof.puzzle, tuple(solutions), proof.steps), True)
    if kind == _OTHER:
        return Mutant(kind, WrittenProof(proof.puzzle, proof.solutions, other.steps))
    steps = list(proof.steps)
    _CHANGES[kind](steps, random)
    return Mutant(kind, WrittenProof(proof.puzzle, proof.solutions, tuple(steps)))


def _lemma(steps: Sequence[str], random: Random) -> int:
    """The position of a lemma other than the empty clause."""
    return random.choice([at for at, step in enumerate(steps) if step[0] not in "d0"])


def _drop_lemma(steps: list[str], random: Random) -> None:
    del steps[_lemma(steps, random)]


def _flip_literal(steps: list[str], random: Random) -> None:
    at = _lemma(steps, random)
    words = steps[at].split()
    which = random.randrange(len(words) - 1)
    words[which] = words[which].removeprefix("-") if words[which][0] == "-" else f"-{words[which]}"
    steps[at] = " ".join(words)


def _drop_literal(steps: list[str], random: Random) -> None:
    at = _lemma(steps, random)
    words = steps[at].split()
    del words[random.randrange(len(words) - 1)]
    steps[at] = " ".join(words)


def _replace_literal(steps: list[str], random: Random) -> None:
    at, source = _lemma(steps, random), _lemma(steps, random)
    words = steps[at].split()
    words[random.randrange(len(words) - 1)] = random.choice(steps[source].split()[:-1])
    steps[at] = " ".join(words)


def _cut_short(steps: list[str], random: Random) -> None:
    del steps[random.randrange(len(steps)) :]


def _reorder(steps: list[str], random: Random) -> None:
    at, other = _lemma(steps, random), _lemma(steps, random)
    steps[at], steps[other] = steps[other], steps[at]


def _delete_early(steps: list[str], random: Random) -> None:
    at = _lemma(steps, random)
    steps.insert(random.randint(at + 1, len(steps) - 1), f"d {steps[at]}")


def _skip_middle(steps: list[str], random: Random) -> None:
    first = random.randrange(len(steps) - 1)
    del steps[first : random.randint(first + 1, len(steps) - 1)]


_OTHER: Final = "proof of another puzzle"
_LEFT_OUT: Final = "solution left out, so that the claim is false"
_CHANGES: Final[dict[str, Callable[[list[str], Random], None]]] = {
    "lemma dropped": _drop_lemma,
    "literal flipped": _flip_literal,
    "literal dropped": _drop_literal,
    "literal replaced": _replace_literal,
    "cut short": _cut_short,
    "steps skipped": _skip_middle,
    "two lemmas exchanged": _reorder,
    "lemma deleted early": _delete_early,
}
KINDS: Final = (*_CHANGES, _OTHER, _LEFT_OUT)
"""The kinds of faults."""
