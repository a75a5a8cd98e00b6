"""The compiled native solver: two kernels that Numba turns into machine code.

    backend     what the harness sees: options, answers, counts, batches, a stream of solutions
    search      hands puzzles to a kernel, slice by slice, and looks at the clock
    compiled    compiles a kernel, or takes it from the user's cache
    vectors     the kernel for plain 9x9, which works on whole bands at once
    band        the vector type that it works on
    houses      the kernel for any other shape
    progress    what kernels and search agree on

Only `backend` is imported before `NativeJit.load`, so that it can be listed without Numba.
"""

from backends.native_jit.backend import NativeJit

__all__ = ["NativeJit"]
