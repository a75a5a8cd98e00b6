"""A band of the grid as one value: the vector type of the 9x9 kernel.

A register of a modern CPU holds many small numbers side by side, its *lanes*, and one
instruction operates on all of them. Here a lane is a number of 16 bits with the
candidates of a cell: bit 0 stands for value 1, bit 8 for value 9. A `band` is three rows
of the grid, 27 cells in three boxes, each in a lane. The *layout* maps cells to
registers; the kernel is independent of it:

    boxes   three registers of 16 lanes, a box in each: cell (r, c) of the box in lane 4r+c
    rows    one register of 32 lanes, the cells row by row, for CPUs with AVX-512

Lanes without a cell hold all nine candidates, and no rule changes them.

Numba has no such type, so this module defines it: each function below generates a few
instructions of LLVM's portable vector language, which LLVM compiles for the CPU: AVX-512,
AVX2, SSE2, or NEON on ARM. The operators ``&``, ``|``, ``^``, ``~`` and ``+`` work on
bands as on integers.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

ALL_NINE: Final = 0b111_111_111

Cell = tuple[int, int, int]
"""A cell of a band: its box, and its row and column in that box, each from 0."""

CELLS: Final[list[Cell]] = [(box, r, c) for r in range(3) for box in range(3) for c in range(3)]
"""The cells of a band, row by row."""


@dataclass(frozen=True)
class Layout:
    """A mapping of the 27 cells of a band to registers."""

    name: str
    registers: int
    width: int
    """Lanes per register."""

    def lane(self, cell: Cell) -> int:
        """The lane of a cell, numbered over all registers."""
        box, r, c = cell
        return 16 * box + 4 * r + c if self is BOXES else 9 * r + 3 * box + c


BOXES: Final = Layout("boxes", registers=3, width=16)
ROWS: Final = Layout("rows", registers=1, width=32)


def features() -> str:
    """The features of the CPU that Numba compiles for, by their names in LLVM."""
    return str(cpu_target.target_context.codegen().magic_tuple()[2])


LAYOUT: Final = ROWS if "+avx512bw" in features() else BOXES
"""A register of 32 lanes pays if the CPU can move any lane to any position in one step."""
WIDTH: Final = LAYOUT.width
LANES: Final = LAYOUT.registers * WIDTH
"""Lanes per band."""

_LANE = ir.IntType(16)
_INDEX = ir.IntType(32)
_REGISTER = ir.VectorType(_LANE, WIDTH)
_BAND = ir.LiteralStructType([_REGISTER] * LAYOUT.registers)


class BandType(types.Type):
    """Numba's type of a band."""

    def __init__(self) -> None:
        super().__init__(name=f"band in {LAYOUT.name}")


band: Final = BandType()


@register_model(BandType)
class _BandModel(models.PrimitiveModel):
    """In compiled code a band is a struct of LLVM vectors."""

    def __init__(self, manager: Any, type_: BandType) -> None:
        super().__init__(manager, type_, _BAND)


# Code generation. `builder` is llvmlite's: each of its calls adds one instruction.


def _registers(builder: Any, value: Any) -> list[Any]:
    return [builder.extract_value(value, i) for i in range(LAYOUT.registers)]


def _in_band(builder: Any, registers: list[Any]) -> Any:
    value = ir.Constant(_BAND, ir.Undefined)
    for i, register in enumerate(registers):
        value = builder.insert_value(value, register, i)
    return value


def _each(builder: Any, instruct: Callable[..., Any], *values: Any) -> Any:
    """The band of the results of `instruct` for each register of `values`."""
    by_register = zip(*(_registers(builder, value) for value in values), strict=True)
    return _in_band(builder, [instruct(*registers) for registers in by_register])


def _same(number: int) -> ir.Constant:
    """A register with the same number in every lane."""
    return ir.Constant(_REGISTER, [number] * WIDTH)


def _order(lanes: list[int]) -> ir.Constant:
    return ir.Constant(ir.VectorType(_INDEX, len(lanes)), lanes)


def _call(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Call an LLVM intrinsic on registers, such as ``llvm.ctpop.v16i16``."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    name = f"llvm.{name}.v{WIDTH}i16"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def _lanewise(instruct: Callable[..., Any], doc: str) -> Any:
    """The function of a band that applies `instruct(builder, register)` to each register."""

    def lanewise(typingctx: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _each(builder, lambda x: instruct(builder, x), *args)

        return band(band), generate

    lanewise.__doc__ = doc
    return intrinsic(lanewise)


# Operators


def _operator(symbol: Callable[..., Any], instruction: str, operands: int) -> None:
    """Define the operator `symbol` on bands, register by register."""

    @infer_global(symbol)
    class Typing(AbstractTemplate):
        key = symbol

        def generic(self, args: Any, kws: Any) -> Any:
            return signature(band, *args) if args == (band,) * operands else None

    @lower_builtin(symbol, *[band] * operands)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _each(builder, getattr(builder, instruction), *args)


for _symbol, _in_place, _instruction in (
    (operator.and_, operator.iand, "and_"),
    (operator.or_, operator.ior, "or_"),
    (operator.xor, operator.ixor, "xor"),
    (operator.add, operator.iadd, "add"),
):
    _operator(_symbol, _instruction, 2)
    _operator(_in_place, _instruction, 2)
_operator(operator.invert, "not_", 1)


# Permutations of cells


def _move(source: Callable[[int, int, int], Cell]) -> Any:
    """The function that moves the contents of ``source(box, r, c)`` to each cell (box, r, c)."""
    order = list(range(LANES))
    for cell in CELLS:
        order[LAYOUT.lane(cell)] = LAYOUT.lane(source(*cell))

    @intrinsic
    def moved(typingctx: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            old, new = _registers(builder, args[0]), []
            for start in range(0, LANES, WIDTH):
                wanted = order[start : start + WIDTH]
                register = old[wanted[0] // WIDTH]  # each box draws on one other box
                places = [lane % WIDTH for lane in wanted]
                if places != list(range(WIDTH)):
                    register = builder.shuffle_vector(register, register, _order(places))
                new.append(register)
            return _in_band(builder, new)

        return band(band), generate

    return moved


def _rotation(boxes: int, down: int, right: int) -> Any:
    """The rotation by a number of boxes, rows and columns."""
    return _move(lambda box, r, c: ((box + boxes) % 3, (r + down) % 3, (c + right) % 3))


right1, right2 = _rotation(0, 0, 1), _rotation(0, 0, 2)
"""The cell one, or two, to the right in the same mini-row."""
down1, down2 = _rotation(0, 1, 0), _rotation(0, 2, 0)
"""The cell one, or two, below in the same mini-column."""
next1, next2 = _rotation(1, 0, 0), _rotation(2, 0, 0)
"""The same cell of the next box of the band, or of the one after that."""
next1_down1, next2_down2 = _rotation(1, 1, 0), _rotation(2, 2, 0)
next1_down2, next2_down1 = _rotation(1, 2, 0), _rotation(2, 1, 0)


# Operations on single cells


def _without_first(builder: Any, x: Any) -> Any:
    return builder.and_(x, builder.sub(x, _same(1)))


def _single(builder: Any, x: Any) -> Any:
    alone = builder.icmp_unsigned("==", _without_first(builder, x), _same(0))
    return builder.select(alone, x, _same(0))


def _three(builder: Any, x: Any) -> Any:
    fits = builder.icmp_unsigned("==", _call(builder, "ctpop", _REGISTER, x), _same(3))
    return builder.select(fits, x, _same(0))


def _size(builder: Any, x: Any) -> Any:
    return _call(builder, "ctpop", _REGISTER, x)


singles = _lanewise(_single, "The lanes that hold one candidate; 0 in the others.")
threes = _lanewise(_three, "The lanes that hold three candidates; 0 in the others.")
without_first = _lanewise(
    _without_first, "The candidates without the smallest: 0 for at most one candidate."
)
sizes = _lanewise(_size, "The number of candidates in each lane.")


@intrinsic
def unless_empty(typingctx: Any, x: Any, y: Any) -> Any:
    """Lane by lane x, or y where x is 0."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def choose(x: Any, y: Any) -> Any:
            return builder.select(builder.icmp_unsigned("==", x, _same(0)), y, x)

        return _each(builder, choose, *args)

    return band(band, band), generate


@intrinsic
def smaller(typingctx: Any, x: Any, y: Any) -> Any:
    """Lane by lane the smaller of two unsigned numbers."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _each(builder, lambda x, y: _call(builder, "umin", _REGISTER, x, y), *args)

    return band(band, band), generate


def only(wanted: Callable[[int, int, int], bool]) -> Any:
    """The function that keeps the cells with ``wanted(box, r, c)`` and sets all others to 0."""
    kept = [0] * LANES
    for cell in CELLS:
        kept[LAYOUT.lane(cell)] = -wanted(*cell)
    masks = [ir.Constant(_REGISTER, kept[i : i + WIDTH]) for i in range(0, LANES, WIDTH)]

    @intrinsic
    def kept_only(typingctx: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pairs = zip(_registers(builder, args[0]), masks, strict=True)
            return _in_band(builder, [builder.and_(x, mask) for x, mask in pairs])

        return band(band), generate

    return kept_only


# Conversion between bands and numbers


@intrinsic
def everywhere(typingctx: Any, number: Any) -> Any:
    """The same number in every lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        small = builder.trunc(args[0], _LANE)
        one = builder.insert_element(ir.Constant(_REGISTER, ir.Undefined), small, _INDEX(0))
        return _in_band(
            builder, [builder.shuffle_vector(one, one, _order([0] * WIDTH))] * LAYOUT.registers
        )

    return band(types.int64), generate


def _any(builder: Any, condition: str, value: Any) -> Any:
    """Whether any lane is equal (``==``) or unequal (``!=``) to 0."""
    bits = None
    for register in _registers(builder, value):
        these = builder.icmp_unsigned(condition, register, _same(0))
        bits = these if bits is None else builder.or_(bits, these)
    number = ir.IntType(WIDTH)
    return builder.icmp_unsigned("!=", builder.bitcast(bits, number), number(0))


@intrinsic
def any_left(typingctx: Any, x: Any) -> Any:
    """Whether any lane is not 0."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _any(builder, "!=", args[0])

    return types.boolean(band), generate


@intrinsic
def any_empty(typingctx: Any, x: Any) -> Any:
    """Whether any lane is 0."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _any(builder, "==", args[0])

    return types.boolean(band), generate


@intrinsic
def smallest(typingctx: Any, x: Any) -> Any:
    """The smallest unsigned number of all lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        least, *others = _registers(builder, args[0])
        for register in others:
            least = _call(builder, "umin", _REGISTER, least, register)
        number = _call(builder, "vector.reduce.umin", _LANE, least)
        return builder.zext(number, ir.IntType(64))

    return types.int64(band), generate


# Memory


def _pointer(context: Any, builder: Any, array_type: Any, to: Any, array: Any, start: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [start]), to.as_pointer())


def _places(context: Any, builder: Any, array_type: Any, array: Any, start: Any) -> list[Any]:
    """Pointers to the registers of a band in an array."""
    first = _pointer(context, builder, array_type, _REGISTER, array, start)
    return [builder.gep(first, [_INDEX(i)]) for i in range(LAYOUT.registers)]


@intrinsic
def load(typingctx: Any, array: Any, start: Any) -> Any:
    """The band at `start` in an int16 array, lane after lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = _places(context, builder, sig.args[0], *args)
        return _in_band(builder, [builder.load(place, align=2) for place in places])

    return band(array, types.int64), generate


@intrinsic
def store(typingctx: Any, array: Any, start: Any, x: Any) -> Any:
    """Write a band to an int16 array at `start`, lane after lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = _places(context, builder, sig.args[0], *args[:2])
        for place, register in zip(places, _registers(builder, args[2]), strict=True):
            builder.store(register, place, align=2)
        return context.get_dummy_value()

    return types.void(array, types.int64, band), generate


_BYTES = ir.VectorType(ir.IntType(8), len(CELLS))
_WORDS = ir.VectorType(_LANE, len(CELLS))


@intrinsic
def from_givens(typingctx: Any, puzzle: Any, start: Any) -> Any:
    """The candidates of the 27 givens, 0 to 9, at `start` in a uint8 array."""
    nowhere = len(CELLS)
    order = [nowhere] * LANES
    for number, cell in enumerate(CELLS):
        order[LAYOUT.lane(cell)] = number

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        none, one, every = (ir.Constant(_WORDS, [n] * len(CELLS)) for n in (0, 1, ALL_NINE))
        place = _pointer(context, builder, sig.args[0], _BYTES, *args)
        givens = builder.zext(builder.load(place, align=1), _WORDS)
        blank = builder.icmp_unsigned("==", givens, none)
        # A negative shift is undefined, so blanks are shifted by 0.
        by = builder.select(blank, none, builder.sub(givens, one))
        candidates = builder.select(blank, every, builder.shl(one, by))
        lanes = [_order(order[i : i + WIDTH]) for i in range(0, LANES, WIDTH)]
        return _in_band(builder, [builder.shuffle_vector(candidates, every, o) for o in lanes])

    return band(puzzle, types.int64), generate


@intrinsic
def to_values(typingctx: Any, grid: Any, start: Any, x: Any) -> Any:
    """Write the values of 27 decided cells to a uint8 array at `start`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        parts = []
        for x in _registers(builder, args[2]):
            below = _size(builder, builder.sub(x, _same(1)))  # the bits below the single candidate
            parts.append(builder.add(below, _same(1)))
        parts += parts[:1] * (len(parts) == 3)  # a fourth part, so that they join in pairs
        while len(parts) > 1:
            both = _order(list(range(2 * parts[0].type.count)))
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [builder.shuffle_vector(one, other, both) for one, other in pairs]
        row_by_row = _order([LAYOUT.lane(cell) for cell in CELLS])
        values = builder.shuffle_vector(parts[0], parts[0], row_by_row)
        place = _pointer(context, builder, sig.args[0], _BYTES, *args[:2])
        builder.store(builder.trunc(values, _BYTES), place, align=1)
        return context.get_dummy_value()

    return types.void(grid, types.int64, band), generate
