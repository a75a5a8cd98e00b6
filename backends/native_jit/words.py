"""Instructions on words: numbers of 32 or 64 bits in arrays, without a check of the index.

A *start* is the address of an array's first element. Numba counts the references to an array
wherever a function takes one; a start has no count, so the rules of the any-shape kernel run four
times as fast with starts.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_NARROW = ir.IntType(32)
_WIDE = ir.IntType(64)


def _element(builder: Any, start: Any, index: Any) -> Any:
    return builder.gep(start, [index], inbounds=True)


@intrinsic
def start_of(typingctx: Any, array: Any) -> Any:
    """The start of an array, which the caller keeps alive."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.make_array(sig.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def advance(typingctx: Any, start: Any, by: Any) -> Any:
    """The start of the part of an array that begins at an index."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _element(builder, *args)

    return start(start, types.int64), generate


@intrinsic
def get(typingctx: Any, start: Any, index: Any) -> Any:
    """The word at an index, as a number of 64 bits."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = builder.load(_element(builder, *args))
        return value if value.type == _WIDE else builder.zext(value, _WIDE)

    return types.int64(start, types.int64), generate


@intrinsic
def put(typingctx: Any, start: Any, index: Any, word: Any) -> Any:
    """Write the word at an index."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _element(builder, *args[:2])
        lane = pointer.type.pointee
        builder.store(args[2] if lane == _WIDE else builder.trunc(args[2], lane), pointer)
        return context.get_dummy_value()

    return types.void(start, types.int64, types.int64), generate


@intrinsic
def get_weight(typingctx: Any, start: Any, index: Any) -> Any:
    """The weight at an index."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_element(builder, *args))

    return types.float32(start, types.int64), generate


@intrinsic
def put_weight(typingctx: Any, start: Any, index: Any, weight: Any) -> Any:
    """Write the weight at an index."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], _element(builder, *args[:2]))
        return context.get_dummy_value()

    return types.void(start, types.int64, types.float32), generate


@intrinsic
def size_of(typingctx: Any, word: Any) -> Any:
    """The number of bits that are set."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def first_of(typingctx: Any, word: Any) -> Any:
    """The number of the lowest bit that is set, of a word that has one."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.int64), generate


@intrinsic
def last_of(typingctx: Any, word: Any) -> Any:
    """The number of the highest bit that is set, of a word that has one."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.sub(_WIDE(63), builder.ctlz(args[0], ir.IntType(1)(1)))

    return types.int64(types.int64), generate


@intrinsic
def mirror(typingctx: Any, word: Any) -> Any:
    """The word with its bits in reverse order: bit 0 becomes bit 63."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitreverse(args[0])

    return types.int64(types.int64), generate


@intrinsic
def shifted_right(typingctx: Any, word: Any, by: Any) -> Any:
    """The word shifted to lower bits, with zeros above."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.lshr(*args)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def score_at(typingctx: Any, weights: Any, words: Any, place: Any, index: Any) -> Any:
    """The weight at `place` over 2 to the number of bits of the word at `index`; 0 for one bit.

    The result is the float as an integer: both have the same order, and a division by a power
    of 2 is a subtraction from the exponent. So LLVM compares 16 words at a time.
    """

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        weight = builder.bitcast(builder.load(_element(builder, args[0], args[2])), _NARROW)
        word = builder.load(_element(builder, args[1], args[3]))
        size = builder.ctpop(word)
        size = size if size.type == _NARROW else builder.trunc(size, _NARROW)
        return _score(builder, weight, size)

    return types.int32(weights, words, types.int64, types.int64), generate


@intrinsic
def score_of(typingctx: Any, weights: Any, sizes: Any, index: Any) -> Any:
    """Like `score_at`, but for the weight and the size, a number, at the same index."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        weight = builder.bitcast(builder.load(_element(builder, args[0], args[2])), _NARROW)
        size = builder.load(_element(builder, args[1], args[2]))
        return _score(builder, weight, size)

    return types.int32(weights, sizes, types.int64), generate


def _score(builder: Any, weight: Any, size: Any) -> Any:
    score = builder.sub(weight, builder.shl(size, _NARROW(23)))
    return builder.select(builder.icmp_unsigned("<=", size, _NARROW(1)), _NARROW(0), score)


def _splat(builder: Any, word: Any, vector: Any) -> Any:
    """A register with this word in each lane."""
    lane = vector.element
    word = word if lane == _WIDE else builder.trunc(word, lane)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), word, _NARROW(0))
    same_lane = ir.Constant(ir.VectorType(_NARROW, vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, first, same_lane)


def _load(builder: Any, start: Any, index: Any, width: int) -> Any:
    """Words that begin at an index, in a register."""
    pointer = _element(builder, start, index)
    lane = pointer.type.pointee
    pointer = builder.bitcast(pointer, ir.VectorType(lane, width).as_pointer())
    return builder.load(pointer, align=lane.width // 8)


def _test_among(width: int, test: Callable[[Any, Any, Any], Any], relation: str = "==") -> Any:
    """Makes a function of `width` words: which have nothing (==) or something (!=) after `test`."""

    @intrinsic
    def among(typingctx: Any, start: Any, index: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            words = _load(builder, args[0], args[1], width)
            part = test(builder, words, _splat(builder, args[2], words.type))
            nothing = ir.Constant(words.type, [0] * width)
            flags = builder.icmp_unsigned(relation, part, nothing)
            bits = builder.bitcast(flags, ir.IntType(width))
            return bits if bits.type == _WIDE else builder.zext(bits, _WIDE)

        return types.int64(start, types.int64, types.int64), generate

    return among


def _combined_among(width: int, operation: str, neutral: int) -> Any:
    """Makes a function that combines those of `width` words that bits select."""

    @intrinsic
    def among(typingctx: Any, start: Any, index: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            words = _load(builder, args[0], args[1], width)
            lanes = builder.trunc(args[2], ir.IntType(width))
            lanes = builder.bitcast(lanes, ir.VectorType(ir.IntType(1), width))
            others = ir.Constant(words.type, [neutral] * width)
            selection = builder.select(lanes, words, others)
            lane = words.type.element
            name = f"llvm.vector.reduce.{operation}.v{width}i{lane.width}"
            kind = ir.FunctionType(lane, [words.type])
            reduce = cgutils.get_or_insert_function(builder.module, kind, name)
            result = builder.call(reduce, [selection])
            return result if lane == _WIDE else builder.zext(result, _WIDE)

        return types.int64(start, types.int64, types.int64), generate

    return among


@intrinsic
def changed_among_16(typingctx: Any, start: Any, index: Any, other: Any, other_index: Any) -> Any:
    """Which of 16 words from an index on differ from those of another array, as bits."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        words = _load(builder, args[0], args[1], 16)
        others = _load(builder, args[2], args[3], 16)
        flags = builder.icmp_unsigned("!=", words, others)
        return builder.zext(builder.bitcast(flags, ir.IntType(16)), _WIDE)

    return types.int64(start, types.int64, other, types.int64), generate


def _outside(builder: Any, words: Any, word: Any) -> Any:
    return builder.and_(words, builder.not_(word))


subsets_among_16 = _test_among(16, _outside)
"""Which of 16 words from an index on have no bit outside a word, as bits."""
subsets_among_32 = _test_among(32, _outside)
"""Which of 32 words from an index on have no bit outside a word, as bits."""
subsets_among_64 = _test_among(64, _outside)
"""Which of 64 words from an index on have no bit outside a word, as bits."""
supersets_among_16 = _test_among(16, lambda builder, words, word: _outside(builder, word, words))
"""Which of 16 words from an index on have all bits of a word, as bits."""
meeting_among_16 = _test_among(16, lambda builder, words, word: builder.and_(words, word), "!=")
"""Which of 16 words from an index on have a bit of a word, as bits."""
union_among_16 = _combined_among(16, "or", 0)
"""The union of those words, among 16 from an index on, that bits select."""
common_among_16 = _combined_among(16, "and", -1)
"""The intersection of those words, among 16 from an index on, that bits select."""
