"""The internal search of the generator: for any shape, with pencilmarks and pairs.

    compiled    compiles kernels with Numba if it is there, and leaves them as they are if not
    prng        random integers that are the same on every machine
    kernel      propagation and depth-first search
    solver      the kernel with the tables of a shape

Backends do not use it, so that they can check what the generator claims.
"""
