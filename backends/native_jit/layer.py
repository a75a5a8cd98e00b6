"""A third of the grid as one value: the vector type of the 9x9 kernel.

A register of a modern CPU holds many small numbers side by side, its *lanes*, and one
instruction operates on all of them. Here a lane is a number of 16 bits with the
candidates of a cell: bit 0 stands for value 1, bit 8 for value 9. A `layer` is one row of
each band of the grid: the 27 cells of rows 1, 4 and 7, or 2, 5 and 8, or 3, 6 and 9. So a
mini-row is three lanes of one layer, and a mini-column is the same lane of three layers.
The *layout* maps cells to registers; the kernel is independent of it:

    whole   one register of 32 lanes, the cells row by row, for CPUs with AVX-512
    bands   three registers of 16 lanes, the row of a band in each: cell c of the
            mini-row in stack s in lane 4s+c

Lanes without a cell hold all nine candidates, and no rule changes them.

Numba has no such type, so this module defines it: each function below generates a few
instructions of LLVM's portable vector language, which LLVM compiles for the CPU: AVX-512,
AVX2, SSE2, or NEON on ARM. The operators ``&``, ``|``, ``^``, ``~`` and ``+`` work on
layers as on integers.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model
from numpy.typing import NDArray

ALL_NINE: Final = 0b111_111_111

Cell = tuple[int, int, int]
"""A cell of a layer: its band, its stack, and its column in that stack, each from 0."""

CELLS: Final[list[Cell]] = [(b, s, c) for b in range(3) for s in range(3) for c in range(3)]
"""The cells of a layer, row by row."""


@dataclass(frozen=True)
class Layout:
    """A mapping of the 27 cells of a layer to registers."""

    name: str
    registers: int
    width: int
    """Lanes per register."""

    def lane(self, cell: Cell) -> int:
        """The lane of a cell, numbered over all registers."""
        band, stack, c = cell
        return 16 * band + 4 * stack + c if self is BANDS else 9 * band + 3 * stack + c


BANDS: Final = Layout("bands", registers=3, width=16)
WHOLE: Final = Layout("whole", registers=1, width=32)


Layer = Any
"""A layer in compiled code."""
Layers = tuple[Layer, Layer, Layer]
"""A state: the candidates of all cells."""

rule = njit(forceinline=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Compiles a function of layers into its caller."""


def features() -> str:
    """The features of the CPU that Numba compiles for, by their names in LLVM."""
    return str(cpu_target.target_context.codegen().magic_tuple()[2])


LAYOUT: Final = WHOLE if "+avx512bw" in features() else BANDS
"""A register of 32 lanes pays off if the CPU can move any lane to any position in one step."""
WIDTH: Final = LAYOUT.width
LANES: Final = LAYOUT.registers * WIDTH
"""Lanes per layer."""
STATE: Final = 3 * LANES
"""Numbers per state."""

_LANE = ir.IntType(16)
_INDEX = ir.IntType(32)
_REGISTER = ir.VectorType(_LANE, WIDTH)
_LAYER = ir.LiteralStructType([_REGISTER] * LAYOUT.registers)


class LayerType(types.Type):
    """Numba's type of a layer."""

    def __init__(self) -> None:
        super().__init__(name=f"layer in {LAYOUT.name}")


layer: Final = LayerType()


@register_model(LayerType)
class _LayerModel(models.PrimitiveModel):
    """In compiled code a layer is a struct of LLVM vectors."""

    def __init__(self, manager: Any, type_: LayerType) -> None:
        super().__init__(manager, type_, _LAYER)


# Code generation. `builder` is llvmlite's: each of its calls adds one instruction.


def _registers(builder: Any, value: Any) -> list[Any]:
    return [builder.extract_value(value, i) for i in range(LAYOUT.registers)]


def _in_layer(builder: Any, registers: list[Any]) -> Any:
    value = ir.Constant(_LAYER, ir.Undefined)
    for i, register in enumerate(registers):
        value = builder.insert_value(value, register, i)
    return value


def _each(builder: Any, instruct: Callable[..., Any], *values: Any) -> Any:
    """The layer of the results of `instruct` for each register of `values`."""
    by_register = zip(*(_registers(builder, value) for value in values), strict=True)
    return _in_layer(builder, [instruct(*registers) for registers in by_register])


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
    """The function of a layer that applies `instruct(builder, register)` to each register."""

    def lanewise(typingctx: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _each(builder, lambda x: instruct(builder, x), *args)

        return layer(layer), generate

    lanewise.__doc__ = doc
    return intrinsic(lanewise)


# Operators


def _operator(symbol: Callable[..., Any], instruction: str, operands: int) -> None:
    """Define the operator `symbol` on layers, register by register."""

    @infer_global(symbol)
    class Typing(AbstractTemplate):
        key = symbol

        def generic(self, args: Any, kws: Any) -> Any:
            return signature(layer, *args) if args == (layer,) * operands else None

    @lower_builtin(symbol, *[layer] * operands)
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
    """The function that moves the contents of ``source(band, stack, c)`` to each cell."""
    order = list(range(LANES))
    for cell in CELLS:
        lane, origin = LAYOUT.lane(cell), LAYOUT.lane(source(*cell))
        order[lane] = origin
        if LAYOUT is BANDS:  # padding moves with its mini-row, so that one instruction is enough
            order[lane | 3] = origin | 3

    @intrinsic
    def move(typingctx: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            old, new = _registers(builder, args[0]), []
            for start in range(0, LANES, WIDTH):
                lanes = order[start : start + WIDTH]
                register = old[lanes[0] // WIDTH]  # each band draws on one other band
                places = [lane % WIDTH for lane in lanes]
                if places != list(range(WIDTH)):
                    register = builder.shuffle_vector(register, register, _order(places))
                new.append(register)
            return _in_layer(builder, new)

        return layer(layer), generate

    return move


def _rotation(bands: int, stacks: int, columns: int) -> Any:
    """The rotation by a number of bands, stacks and columns."""
    return _move(lambda b, s, c: ((b + bands) % 3, (s + stacks) % 3, (c + columns) % 3))


right1, right2 = _rotation(0, 0, 1), _rotation(0, 0, 2)
"""The cell one, or two, to the right in the same mini-row."""
beside1, beside2 = _rotation(0, 1, 0), _rotation(0, 2, 0)
"""The same cell of the next box of the band, or of the one after that."""
below1, below2 = _rotation(1, 0, 0), _rotation(2, 0, 0)
"""The same cell of the next box of the stack, or of the one after that."""
below1_right1, below2_right2 = _rotation(1, 0, 1), _rotation(2, 0, 2)
below1_right2, below2_right1 = _rotation(1, 0, 2), _rotation(2, 0, 1)


# Operations on single cells


def _without_first(builder: Any, x: Any) -> Any:
    return builder.and_(x, builder.sub(x, _same(1)))


def _single(builder: Any, x: Any) -> Any:
    alone = builder.icmp_unsigned("==", _without_first(builder, x), _same(0))
    return builder.select(alone, x, _same(0))


def _all_or_three(builder: Any, x: Any) -> Any:
    fits = builder.icmp_unsigned("==", _call(builder, "ctpop", _REGISTER, x), _same(3))
    return builder.select(fits, x, _same(-1))


def _size(builder: Any, x: Any) -> Any:
    return _call(builder, "ctpop", _REGISTER, x)


def _times(power: int) -> Callable[[Any, Any], Any]:
    return lambda builder, x: builder.shl(x, _same(power))


singles = _lanewise(_single, "The lanes that hold one candidate; 0 in the others.")
all_or_three = _lanewise(
    _all_or_three, "The lanes that hold three candidates; every bit in the others."
)
without_first = _lanewise(
    _without_first, "The candidates without the smallest: 0 for at most one candidate."
)
sizes = _lanewise(_size, "The number of candidates in each lane.")
less_one = _lanewise(lambda builder, x: builder.sub(x, _same(1)), "Each number less 1.")
times_8 = _lanewise(_times(3), "Eight times each number.")
times_256 = _lanewise(_times(8), "256 times each number.")


@intrinsic
def unless_empty(typingctx: Any, x: Any, y: Any) -> Any:
    """Lane by lane x, or y where x is 0."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def choose(x: Any, y: Any) -> Any:
            return builder.select(builder.icmp_unsigned("==", x, _same(0)), y, x)

        return _each(builder, choose, *args)

    return layer(layer, layer), generate


@intrinsic
def smaller(typingctx: Any, x: Any, y: Any) -> Any:
    """Lane by lane the smaller of two unsigned numbers."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _each(builder, lambda x, y: _call(builder, "umin", _REGISTER, x, y), *args)

    return layer(layer, layer), generate


def only(includes: Callable[[int, int, int], bool]) -> Any:
    """The function that keeps cells with ``includes(band, stack, c)`` and sets all others to 0."""
    lane_masks = [0] * LANES
    for cell in CELLS:
        lane_masks[LAYOUT.lane(cell)] = -includes(*cell)
    masks = [ir.Constant(_REGISTER, lane_masks[i : i + WIDTH]) for i in range(0, LANES, WIDTH)]

    @intrinsic
    def kept_only(typingctx: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pairs = zip(_registers(builder, args[0]), masks, strict=True)
            return _in_layer(builder, [builder.and_(x, mask) for x, mask in pairs])

        return layer(layer), generate

    return kept_only


cells = only(lambda band, stack, c: True)
"""All cells, and 0 in the lanes without a cell."""


# Conversion between layers and numbers


def _splat(builder: Any, number: Any) -> Any:
    """A register with a number of 64 bits in every lane."""
    small = builder.trunc(number, _LANE)
    register = builder.insert_element(ir.Constant(_REGISTER, ir.Undefined), small, _INDEX(0))
    return builder.shuffle_vector(register, register, _order([0] * WIDTH))


@intrinsic
def everywhere(typingctx: Any, number: Any) -> Any:
    """The same number in every lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _in_layer(builder, [_splat(builder, args[0])] * LAYOUT.registers)

    return layer(types.int64), generate


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

    return types.boolean(layer), generate


@intrinsic
def any_empty(typingctx: Any, x: Any) -> Any:
    """Whether any lane is 0."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _any(builder, "==", args[0])

    return types.boolean(layer), generate


def _gather(builder: Any, registers: list[Any], lanes: list[int]) -> Any:
    """A vector of these lanes, numbered over all registers."""
    parts = registers + registers[:1] * (len(registers) == 3)  # a fourth, to join them in pairs
    while len(parts) > 1:
        both = _order(list(range(2 * parts[0].type.count)))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [builder.shuffle_vector(part, other, both) for part, other in pairs]
    return builder.shuffle_vector(parts[0], parts[0], _order(lanes))


def smallest_of(cells: list[Cell]) -> Any:
    """The function that returns the smallest unsigned number of at most eight cells."""
    lanes = [LAYOUT.lane(cell) for cell in cells]
    lanes += lanes[:1] * (8 - len(lanes))

    @intrinsic
    def smallest(typingctx: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            eight = _gather(builder, _registers(builder, args[0]), lanes)
            kind = ir.FunctionType(_LANE, [eight.type])
            name = "llvm.vector.reduce.umin.v8i16"
            reduce = cgutils.get_or_insert_function(builder.module, kind, name)
            return builder.zext(builder.call(reduce, [eight]), ir.IntType(64))

        return types.int64(layer), generate

    return smallest


@intrinsic
def hash_of(typingctx: Any, x: Any, y: Any, z: Any) -> Any:
    """A number of 16 bits that depends on every lane of three layers."""
    factors = np.random.default_rng(1).integers(0, 1 << 15, (3, LAYOUT.registers, WIDTH)) * 2 + 1

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        total = _same(0)
        for of_layer, value in zip(factors.tolist(), args, strict=True):
            for numbers, register in zip(of_layer, _registers(builder, value), strict=True):
                product = builder.mul(register, ir.Constant(_REGISTER, numbers))
                total = builder.add(total, product)
        kind = ir.FunctionType(_LANE, [_REGISTER])
        name = f"llvm.vector.reduce.add.v{WIDTH}i16"
        reduce = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.zext(builder.call(reduce, [total]), ir.IntType(64))

    return types.int64(layer, layer, layer), generate


@intrinsic
def lanes_with(typingctx: Any, x: Any, number: Any) -> Any:
    """The lanes that have a bit in common with `number`, as bits."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        wide = ir.IntType(64)
        values = _splat(builder, args[1])
        lanes = wide(0)
        for i, register in enumerate(_registers(builder, args[0])):
            these = builder.icmp_unsigned("!=", builder.and_(register, values), _same(0))
            bits = builder.zext(builder.bitcast(these, ir.IntType(WIDTH)), wide)
            lanes = builder.or_(lanes, builder.shl(bits, wide(WIDTH * i)))
        return lanes

    return types.int64(layer, types.int64), generate


# Memory


def _pointer(context: Any, builder: Any, array_type: Any, to: Any, array: Any, start: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [start]), to.as_pointer())


def _places(context: Any, builder: Any, array_type: Any, array: Any, start: Any) -> list[Any]:
    """Pointers to the registers of a layer in an array."""
    first = _pointer(context, builder, array_type, _REGISTER, array, start)
    return [builder.gep(first, [_INDEX(i)]) for i in range(LAYOUT.registers)]


@intrinsic
def load(typingctx: Any, array: Any, start: Any) -> Any:
    """The layer at `start` in an int16 array, lane after lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = _places(context, builder, sig.args[0], *args)
        return _in_layer(builder, [builder.load(place, align=2) for place in places])

    return layer(array, types.int64), generate


@intrinsic
def store(typingctx: Any, array: Any, start: Any, x: Any) -> Any:
    """Write a layer to an int16 array at `start`, lane after lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = _places(context, builder, sig.args[0], *args[:2])
        for place, register in zip(places, _registers(builder, args[2]), strict=True):
            builder.store(register, place, align=2)
        return context.get_dummy_value()

    return types.void(array, types.int64, layer), generate


@rule
def load_state(states: NDArray[np.int16], number: int) -> Layers:
    """A state in an array of states, from 0."""
    at = number * STATE
    return load(states, at), load(states, at + LANES), load(states, at + 2 * LANES)


@rule
def store_state(states: NDArray[np.int16], number: int, state: Layers) -> None:
    """Write a state to an array of states."""
    at = number * STATE
    store(states, at, state[0])
    store(states, at + LANES, state[1])
    store(states, at + 2 * LANES, state[2])


def _bytes(number: int) -> ir.VectorType:
    return ir.VectorType(ir.IntType(8), number)


def _place(row: int, cell: Cell) -> int:
    """The number of a cell of layer `row` in the grid, row by row."""
    band, stack, c = cell
    return 27 * band + 9 * row + 3 * stack + c


def from_givens(row: int) -> Any:
    """The function that reads the candidates of layer `row` from a puzzle.

    Its arguments are a uint8 array and the place of the 81 givens in it, 0 to 9 each.
    """
    # 64 bytes from the first row of the layer on have its other rows too. The last layer begins a
    # byte earlier, so that the last puzzle of an array has all of them.
    first = min(9 * row, 81 - 64)
    nowhere = 64
    order = [nowhere] * LANES
    for cell in CELLS:
        order[LAYOUT.lane(cell)] = _place(row, cell) - first

    @intrinsic
    def read(typingctx: Any, puzzle: Any, start: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            start = builder.add(args[1], ir.IntType(64)(first))
            place = _pointer(context, builder, sig.args[0], _bytes(64), args[0], start)
            row_by_row, blank = builder.load(place, align=1), ir.Constant(_bytes(64), [0] * 64)
            none, ones, every = (_same(n) for n in (0, 1, ALL_NINE))
            registers = []
            for i in range(0, LANES, WIDTH):
                lane_order = _order(order[i : i + WIDTH])
                givens = builder.shuffle_vector(row_by_row, blank, lane_order)
                givens = builder.zext(givens, _REGISTER)
                is_blank = builder.icmp_unsigned("==", givens, none)
                # A negative shift is undefined, so blanks are shifted by 0.
                by = builder.select(is_blank, none, builder.sub(givens, ones))
                registers.append(builder.select(is_blank, every, builder.shl(ones, by)))
            return _in_layer(builder, registers)

        return layer(puzzle, types.int64), generate

    return read


top_givens, middle_givens, bottom_givens = from_givens(0), from_givens(1), from_givens(2)


@intrinsic
def to_values(typingctx: Any, grid: Any, start: Any, x: Any, y: Any, z: Any) -> Any:
    """Write the 81 values of three decided layers to a uint8 array at `start`."""
    lane_of = {
        _place(row, cell): 64 * row + LAYOUT.lane(cell) for row in range(3) for cell in CELLS
    }

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        layers = []
        for x in args[2:]:
            parts = []
            for register in _registers(builder, x):
                below = _size(builder, builder.sub(register, _same(1)))  # bits below the candidate
                values = builder.add(below, _same(1))
                parts.append(builder.trunc(values, _bytes(WIDTH)))
            lanes = [lane if lane < LANES else 0 for lane in range(64)]
            layers.append(_gather(builder, parts, lanes))
        for first, last in ((0, 64), (49, 81)):
            order = [lane_of[cell] for cell in range(first, last)]
            values = _gather(builder, layers, order)
            place = builder.add(args[1], ir.IntType(64)(first))
            to = _pointer(context, builder, sig.args[0], _bytes(last - first), args[0], place)
            builder.store(values, to, align=1)
        return context.get_dummy_value()

    return types.void(grid, types.int64, layer, layer, layer), generate
