"""The compression LZString (pieroxy.net/blog/pages/lz-string), with Base64.

It is LZ78 over UTF-16 units, in which new units are sent in 8 or 16 bits, with codes that
grow by a bit whenever the dictionary has doubled. Bits go from the lowest to the highest.
"""

from collections.abc import Iterator
from typing import Final

from harness.errors import PuzzleError

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_URL_SAFE: Final = str.maketrans("-_ ", "+/+")
_NEW_8, _NEW_16, _END = 0, 1, 2
MOST: Final = 2**22
"""The largest number of characters of a text."""


def compress(text: str) -> str:
    """`text` compressed, in Base64."""
    units = _units(text)
    bits: list[int] = []
    singles: dict[int, int] = {}
    longer: dict[tuple[int, int], int] = {}  # the code of a word and a unit after it
    new: dict[int, int] = {}  # units that have not been sent, by their codes
    width, room, size = 2, 2, 3

    def send(value: int, number: int) -> None:
        bits.extend(value >> at & 1 for at in range(number))

    def grow() -> None:
        nonlocal width, room
        room -= 1
        if room == 0:
            room = 1 << width
            width += 1

    def flush(word: int) -> None:
        unit = new.pop(word, None)
        if unit is None:
            send(word, width)
        else:
            send(_NEW_16 if unit >= 256 else _NEW_8, width)
            send(unit, 16 if unit >= 256 else 8)
            grow()
        grow()

    word = -1
    for unit in units:
        if unit not in singles:
            singles[unit] = size
            new[size] = unit
            size += 1
        if word < 0:
            word = singles[unit]
        elif (word, unit) in longer:
            word = longer[word, unit]
        else:
            flush(word)
            longer[word, unit] = size
            size += 1
            word = singles[unit]
    if word >= 0:
        flush(word)
    send(_END, width)
    # The reference implementation always ends with a symbol that is not full.
    bits.extend([0] * (6 - len(bits) % 6))
    symbols = (bits[at : at + 6] for at in range(0, len(bits), 6))
    packed = "".join(_ALPHABET[int("".join(map(str, of)), 2)] for of in symbols)
    return packed + "=" * (-len(packed) % 4)


def decompress(packed: str) -> str:
    """The text that `compress` made `packed` of.

    Raises:
        PuzzleError: `packed` is damaged, or expands to more than `MOST` characters.
    """
    bits = _bits(packed)

    def take(number: int) -> int:
        value = 0
        for at in range(number):
            bit = next(bits, None)
            if bit is None:
                raise _damaged("it ends early")
            value |= bit << at
        return value

    words: list[tuple[int, ...]] = [(), (), ()]
    found: list[int] = []
    width, room = 2, 4
    before: tuple[int, ...] | None = None
    while True:
        code = take(2 if before is None else width)
        if code == _END:
            return _text(found)
        if code in (_NEW_8, _NEW_16):
            word: tuple[int, ...] = (take(16 if code == _NEW_16 else 8),)
            words.append(word)
            if before is not None:
                room -= 1
                if room == 0:
                    room = 1 << width
                    width += 1
        elif before is None:
            raise _damaged("it begins with a repetition")
        elif code < len(words):
            word = words[code]
        elif code == len(words):
            word = (*before, before[0])
        else:
            raise _damaged("it repeats what has not occurred")
        found.extend(word)
        if len(found) > MOST or len(word) * len(words) > 64 * MOST:
            raise PuzzleError(
                f"the payload expands to more than {MOST:,} characters", expected="a smaller puzzle"
            )
        if before is None:
            width, room = 3, 4
        else:
            words.append((*before, word[0]))
            room -= 1
            if room == 0:
                room = 1 << width
                width += 1
        before = word


def _bits(packed: str) -> Iterator[int]:
    for symbol in packed.translate(_URL_SAFE).rstrip("="):
        value = _ALPHABET.find(symbol)
        if value < 0:
            raise _damaged(f"{symbol!r} is no Base64")
        yield from (value >> at & 1 for at in range(5, -1, -1))


def _damaged(why: str) -> PuzzleError:
    return PuzzleError(f"the payload is damaged: {why}", expected="LZString in Base64")


def _units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[at] | data[at + 1] << 8 for at in range(0, len(data), 2)]


def _text(units: list[int]) -> str:
    data = bytes(byte for unit in units for byte in (unit & 255, unit >> 8))
    return data.decode("utf-16-le", "replace")
