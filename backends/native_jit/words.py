"""Instructions on words: numbers of 32 or 64 bits in arrays, without a check of the index.

A *start* is the address of an array's first element. Numba counts the references to an array
wherever a function takes one, and a start has none: the rules of the any-shape kernel run four
times as fast for it.
"""

from typing import Any

from llvmlite import ir
from numba import types
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
def get(typingctx: Any, start: Any, index: Any) -> Any:
    """The word at an index, as a number of 64 bits."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = builder.load(_element(builder, *args))
        return found if found.type == _WIDE else builder.zext(found, _WIDE)

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
def score_at(typingctx: Any, weights: Any, words: Any, place: Any, index: Any) -> Any:
    """The weight at `place` over 2 to the number of bits of the word at `index`; 0 for one bit.

    The result is the float as an integer: both have the same order, and a division by a power
    of 2 is a subtraction from the exponent. So LLVM compares 16 words at a time.
    """

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        weight = builder.bitcast(builder.load(_element(builder, args[0], args[2])), _NARROW)
        word = builder.load(_element(builder, args[1], args[3]))
        size = builder.ctpop(word)
        is_decided = builder.icmp_unsigned("<=", size, size.type(1))
        size = size if size.type == _NARROW else builder.trunc(size, _NARROW)
        score = builder.sub(weight, builder.shl(size, _NARROW(23)))
        return builder.select(is_decided, _NARROW(0), score)

    return types.int32(weights, words, types.int64, types.int64), generate


def _subsets_among(width: int) -> Any:
    """Makes the function for `width` words, which is a few instructions on registers."""

    @intrinsic
    def subsets(typingctx: Any, start: Any, index: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pointer = _element(builder, *args[:2])
            lane = pointer.type.pointee
            vector = ir.VectorType(lane, width)
            pointer = builder.bitcast(pointer, vector.as_pointer())
            words = builder.load(pointer, align=lane.width // 8)
            outside = builder.not_(args[2])
            outside = outside if lane == _WIDE else builder.trunc(outside, lane)
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), outside, _NARROW(0))
            same_lane = ir.Constant(ir.VectorType(_NARROW, width), [0] * width)
            outside = builder.shuffle_vector(first, first, same_lane)
            nothing = ir.Constant(vector, [0] * width)
            found = builder.icmp_unsigned("==", builder.and_(words, outside), nothing)
            bits = builder.bitcast(found, ir.IntType(width))
            return bits if bits.type == _WIDE else builder.zext(bits, _WIDE)

        return types.int64(start, types.int64, types.int64), generate

    return subsets


subsets_among_16 = _subsets_among(16)
"""Which of 16 words from an index on have no bit outside of a word, as bits."""
subsets_among_32 = _subsets_among(32)
"""Which of 32 words from an index on have no bit outside of a word, as bits."""
subsets_among_64 = _subsets_among(64)
"""Which of 64 words from an index on have no bit outside of a word, as bits."""
