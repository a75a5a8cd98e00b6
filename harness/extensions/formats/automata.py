"""Automata, tables of pairs and regular expressions in texts of Interactive Sudoku Solver.

Their Base64 is the one for URLs. A table has a bit for each pair of values, six to a symbol, the
lowest first; other codes begin with the highest bit of each symbol.
"""

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import unquote

from harness.base.errors import PuzzleError
from harness.base.text import shortened
from harness.puzzles import VALUES
from harness.puzzles.constraints import Automaton, automaton_of, members

_BASE64: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_MOST_WORK: Final = 10**6
"""The most steps for making the automaton of a text deterministic."""


def bits_of(symbol: str) -> int:
    """The number that a symbol of Base64 stands for.

    Raises:
        PuzzleError: `symbol` is not in the alphabet.
    """
    if (bits := _BASE64.find(symbol)) < 0:
        raise PuzzleError(f"{symbol!r} is not Base64", expected="letters, digits, - and _")
    return bits


def table_of(key: str, size: int) -> tuple[int, ...]:
    """The table of pairs that a key encodes: a bit for each, six to a symbol, the lowest first."""
    bits = sum(bits_of(symbol) << 6 * at for at, symbol in enumerate(key[: size * size // 6 + 1]))
    if len(key) > size * size // 6 + 1 or bits >> size * size:
        raise PuzzleError("a table that is too long", expected=f"at most {size * size} bits")
    every = (1 << size) - 1
    return tuple(bits >> size * row & every for row in range(size))


def key_of(table: Sequence[int]) -> str:
    """The key that encodes a table of pairs."""
    size = len(table)
    bits = sum(row << size * at for at, row in enumerate(table))
    return "".join(_BASE64[bits >> at & 63] for at in range(0, bits.bit_length(), 6))


_Moves = Callable[[int, int], int]
"""The next states as bits, from a state and a value."""


def _deterministic(
    start: int, accepting: int, moves: _Moves, size: int, parts: Sequence[int]
) -> Automaton:
    """The deterministic automaton for one that may be in several states at once.

    Args:
        start: the start states as bits.
        accepting: the states in which a line may end, as bits.
        moves: the next states; the value `size` + 1 marks the end of a part.
        size: the largest value.
        parts: the number of cells in each part of a line; one number if the line is undivided.
    """
    ends = {sum(parts[:at]) for at in range(1, len(parts))}
    work = 0

    def successors(states: int, value: int) -> int:
        nonlocal work
        following = 0
        for state in members(states):
            work += 1
            following |= moves(state, value)
        if work > _MOST_WORK:
            raise PuzzleError("an automaton that is too large", expected="a smaller one")
        return following

    def step(state: tuple[int, int], value: int) -> tuple[int, int] | None:
        place, states = state[0] + bool(ends), successors(state[1], value)
        if place in ends:
            states = successors(states, size + 1)
        return (place, states) if states else None

    return automaton_of(size, (0, start), step, lambda state: bool(state[1] & accepting))


class _Bits:
    """Reads numbers from the bits of a text in Base64, the highest bit first."""

    def __init__(self, text: str) -> None:
        self._bits = "".join(f"{bits_of(symbol):06b}" for symbol in text)
        self._bits = self._bits[: len(text) * 6 // 8 * 8]
        self.remaining = len(self._bits)

    def take(self, number: int) -> int:
        if number > self.remaining:
            raise PuzzleError("an automaton that ends early", expected="the whole automaton")
        start = len(self._bits) - self.remaining
        self.remaining -= number
        return int(self._bits[start : start + number] or "0", 2)


def automaton_of_code(code: str, size: int, parts: Sequence[int]) -> Automaton:
    """The automaton of the code in an item ``NFA``.

    Its bits are the format, the width of a state, the number of values, and the numbers of start
    states and of further accepting states; a bit for each start state that is 1 if it accepts; then
    the moves of each state. In format 1, these are a bit for each value and the next state for each
    bit that is set; in format 0, a number of moves with a value and a state each.
    """
    bits = _Bits(code)
    is_packed, width, values = bits.take(2), bits.take(4) + 1, bits.take(4) + 1
    starts, accepts = bits.take(width), bits.take(width)
    accepting = sum(1 << at for at in members(bits.take(starts))) | (1 << accepts) - 1 << starts
    if is_packed > 1:
        raise PuzzleError("an automaton in an unknown format", expected="format 0 or 1")
    number = values if is_packed else bits.take(4)
    following: list[dict[int, int]] = []
    while number and bits.remaining >= number:
        head = bits.take(number)
        symbols = list(members(head)) if is_packed else [-1] * head
        row: dict[int, int] = {}
        for symbol in symbols:
            value = symbol if is_packed else bits.take((values - 1).bit_length())
            row[value + 1] = row.get(value + 1, 0) | 1 << bits.take(width)
        following.append(row)
    if len(parts) > 1 and values <= size:
        raise PuzzleError(
            "an automaton without a value for ends of parts", expected="cells without -"
        )

    def moves(state: int, value: int) -> int:
        return following[state].get(value, 0) if state < len(following) else 0

    return _deterministic((1 << starts) - 1, accepting, moves, size, parts)


def code_of(automaton: Automaton, size: int) -> str:
    """The code of an automaton: its start state first, then the other accepting states."""
    states = range(len(automaton.accepting))
    order = sorted(states, key=lambda at: (at > 0, not automaton.accepting[at]))
    place = {state: at for at, state in enumerate(order)}
    width = max(1, (len(order) - 1).bit_length())
    accepts = sum(automaton.accepting[1:])
    first = int(automaton.accepting[0])
    bits = [f"01{width - 1:04b}{size - 1:04b}{1:0{width}b}{accepts:0{width}b}{first}"]
    for state in order:
        row = automaton.transitions[state]
        bits.append(f"{sum(1 << v for v, after in enumerate(row) if after >= 0):0{size}b}")
        bits += (f"{place[after]:0{width}b}" for after in row if after >= 0)
    text = "".join(bits)
    data = int(text.ljust(-(-len(text) // 8) * 8, "0"), 2).to_bytes(-(-len(text) // 8), "big")
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


_LONGEST: Final = 2000
"""The most symbols of a regular expression."""
_DEEPEST: Final = 50
_MOST_QUANTIFIERS: Final = 4
"""The most quantifiers one after another, each for the result of the one before."""
_Node = tuple[Any, ...]
"""("one", values), ("or", sequences) or ("times", sequence, least, most)."""
_Sequence = tuple[_Node, ...]


class Expression:
    """A regular expression; a state is what may follow (Antimirov, "Partial derivatives", 1996).

    It may have groups, alternatives, ``.``, classes ``[1-3]`` and ``[^5]``, and the quantifiers
    ``*``, ``+``, ``?`` and ``{2,3}``.
    """

    def __init__(self, text: str, size: int) -> None:
        if len(text) > _LONGEST:
            raise PuzzleError("a regular expression that is too long", expected="a shorter one")
        self._text = text
        self._size = size
        self._at = 0
        self._work = 0
        tree = self._alternatives(0)
        if self._at < len(text):
            raise self._error()
        start: frozenset[_Sequence] = frozenset([(tree,)])
        self.automaton = automaton_of(size, start, self._step, lambda s: any(map(_is_optional, s)))
        """The automaton that accepts the lines of values that match."""

    def _error(self) -> PuzzleError:
        problem = f"the regular expression {shortened(self._text, 40)!r} at {self._at + 1}"
        return PuzzleError(problem, expected="( ) | . [ ] * + ? { } and values")

    # From the text to a tree.

    def _read(self, symbol: str) -> bool:
        """Skip `symbol` if it comes next; return whether it did."""
        is_next = self._text.startswith(symbol, self._at)
        self._at += is_next
        return is_next

    def _alternatives(self, depth: int) -> _Node:
        sequences = [self._sequence(depth)]
        while self._read("|"):
            sequences.append(self._sequence(depth))
        return "or", tuple(sequences)

    def _sequence(self, depth: int) -> _Sequence:
        nodes = []
        quantifier = re.compile(r"\*|\+|\?|\{([0-9]{1,4})(,?)([0-9]{0,4})\}")
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            node, quantifiers = self._single(depth), 0
            while match := quantifier.match(self._text, self._at):
                self._at = match.end()
                quantifiers += 1
                least = int(match[1] or match[0] == "+")
                most = int(match[3]) if match[3] else None if match[0] in "*+" or match[2] else 1
                if match[1] and not match[2]:
                    most = least
                if (most is not None and most < least) or quantifiers > _MOST_QUANTIFIERS:
                    raise self._error()
                node = "times", (node,), least, most
            nodes.append(node)
        return tuple(nodes)

    def _single(self, depth: int) -> _Node:
        if self._read("("):
            group = self._alternatives(depth + 1)
            if not self._read(")") or depth >= _DEEPEST:
                raise self._error()
            return group
        every = (1 << self._size) - 1
        if self._read("."):
            return "one", every
        if not self._read("["):
            return "one", 1 << self._value() - 1
        is_excluded = self._read("^")
        values = 0
        while not self._read("]"):
            first = self._value()
            last = self._value() if self._read("-") else first
            values |= sum(1 << value - 1 for value in range(first, last + 1))
        if not values:
            raise self._error()
        return "one", every & ~values if is_excluded else values

    def _value(self) -> int:
        symbol = self._text[self._at : self._at + 1].upper()
        value = VALUES[: self._size].find(symbol) + 1 if symbol else 0
        if not value:
            raise self._error()
        self._at += 1
        return value

    # From the tree to an automaton.

    def _step(self, state: frozenset[_Sequence], value: int) -> frozenset[_Sequence] | None:
        return frozenset(after for before in state for after in self._after(before, value)) or None

    def _after(self, sequence: _Sequence, value: int) -> Iterator[_Sequence]:
        """What may follow `value` if a line begins with it and matches `sequence`."""
        self._work += 1
        if self._work > _MOST_WORK:
            raise PuzzleError("an automaton that is too large", expected="a smaller one")
        for at, node in enumerate(sequence, 1):
            kind, content, *times = node
            if kind == "one":
                if content >> value - 1 & 1:
                    yield sequence[at:]
            elif kind == "or":
                for part in content:
                    yield from (after + sequence[at:] for after in self._after(part, value))
            elif times[1] != 0:
                least, most = max(times[0] - 1, 0), times[1] and times[1] - 1
                again = (kind, content, least, most), *sequence[at:]
                yield from (after + again for after in self._after(content, value))
            if not _is_optional((node,)):
                return


def _is_optional(sequence: _Sequence) -> bool:
    """Whether a sequence matches a line without values."""
    for kind, content, *times in sequence:
        if kind == "or":
            is_optional = any(map(_is_optional, content))
        else:
            is_optional = kind == "times" and (not times[0] or _is_optional(content))
        if not is_optional:
            return False
    return True


def decode_links(code: str) -> str:
    """The text in a code: Base64 for URLs, or percent escapes as in older files."""
    if "%" in code:
        return unquote(code)
    bits = _Bits(code.rstrip("="))
    return "".join(chr(bits.take(8)) for _ in range(bits.remaining // 8))
