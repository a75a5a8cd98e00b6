"""The compression LZString (pieroxy.net/blog/pages/lz-string), with Base64.

It is LZ78 over UTF-16 units, in which new units are sent in 8 or 16 bits, with codes that
grow by a bit whenever the dictionary has doubled. Bits go from the lowest to the highest.
"""

from typing import Final

from harness.errors import PuzzleError

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BITS_OF: Final = {symbol: f"{value:06b}" for value, symbol in enumerate(_ALPHABET)}
_SYMBOL_OF: Final = {bits: symbol for symbol, bits in _BITS_OF.items()}
_URL_SAFE: Final = str.maketrans("-_ ", "+/+")
_NEW_8, _NEW_16, _END = 0, 1, 2
MOST: Final = 2**22
"""The largest number of characters of a text."""


def compress(text: str) -> str:
    """`text` compressed, in Base64."""
    sent: list[str] = []  # bits
    singles: dict[int, int] = {}
    longer: dict[tuple[int, int], int] = {}  # the code of a word and a unit after it
    new: dict[int, int] = {}  # units that have not been sent, by their codes
    width, room, size = 2, 2, 3

    def grow() -> None:
        nonlocal width, room
        room -= 1
        if room == 0:
            room = 1 << width
            width += 1

    def flush(word: int) -> None:
        unit = new.pop(word, None)
        if unit is None:
            sent.append(_bits(word, width))
        else:
            sent.append(_bits(_NEW_16 if unit >= 256 else _NEW_8, width))
            sent.append(_bits(unit, 16 if unit >= 256 else 8))
            grow()
        grow()

    word = -1
    for unit in _units(text):
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
    sent.append(_bits(_END, width))
    bits = "".join(sent)
    # The reference implementation always ends with a symbol that is not full.
    bits += "0" * (6 - len(bits) % 6)
    packed = "".join(_SYMBOL_OF[bits[at : at + 6]] for at in range(0, len(bits), 6))
    return packed + "=" * (-len(packed) % 4)


def decompress(packed: str) -> str:
    """The text that `compress` made `packed` of.

    LZString has no checksum. But a text has one compressed form, up to zeros at its end, so
    most damages show when the text is compressed again.

    Raises:
        PuzzleError: `packed` is damaged, or expands to more than `MOST` characters.
    """
    symbols = packed.translate(_URL_SAFE).rstrip("=")
    text = _expanded(symbols)
    if compress(text).rstrip("=A") != symbols.rstrip("A"):
        raise _damaged("compression of its text gives other symbols")
    return text


def _expanded(symbols: str) -> str:
    """The text of symbols, which may be damaged."""
    if wrong := set(symbols) - _BITS_OF.keys():
        raise _damaged(f"{min(wrong)!r} is no Base64")
    bits = "".join(map(_BITS_OF.__getitem__, symbols))
    position = 0

    def take(number: int) -> int:
        nonlocal position
        end = position + number
        if end > len(bits):
            raise _damaged("it ends early")
        value = int(bits[position:end][::-1], 2)
        position = end
        return value

    words = ["", "", ""]
    found: list[str] = []
    size = 0
    width, room = 2, 4
    before = ""
    while True:
        code = take(width)
        if code == _END:
            return _text("".join(found))
        if code in (_NEW_8, _NEW_16):
            word = chr(take(16 if code == _NEW_16 else 8))
            words.append(word)
            if before:
                room -= 1
                if room == 0:
                    room = 1 << width
                    width += 1
        elif not before:
            raise _damaged("it begins with a repetition")
        elif code < len(words):
            word = words[code]
        elif code == len(words):
            word = before + before[0]
        else:
            raise _damaged("it repeats what has not occurred")
        found.append(word)
        size += len(word)
        if size > MOST or len(word) * len(words) > 64 * MOST:
            raise PuzzleError(
                f"the payload expands to more than {MOST:,} characters", expected="a smaller puzzle"
            )
        if not before:
            width, room = 3, 4
        else:
            words.append(before + word[0])
            room -= 1
            if room == 0:
                room = 1 << width
                width += 1
        before = word


def _bits(value: int, width: int) -> str:
    """The bits of `value` from the lowest to the highest."""
    return f"{value:0{width}b}"[::-1]


def _damaged(why: str) -> PuzzleError:
    return PuzzleError(f"the payload is damaged: {why}", expected="LZString in Base64")


def _units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[at] | data[at + 1] << 8 for at in range(0, len(data), 2)]


def _text(units: str) -> str:
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
