"""The body of every generated backend: it acts at `MOMENT`, and answers with expressions.

`cases.py` puts other values of the four constants below this docstring.
"""
# mypy: ignore-errors
# ruff: noqa: F401, PTH123

import atexit
import ctypes
import gc
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

from harness.contract import Answer, Backend, Count, Phases

MOMENT = ""
ACTION = "pass"
ANSWER = "Answer.solved(grid)"
COUNT = "Count(number, number < limit)"

real_clock = time.perf_counter
held = []


def act():
    """Execute the hostile statements."""
    exec(ACTION, globals())


def act_at(moment):
    """Execute the hostile statements if this is their moment."""
    if moment == MOMENT:
        act()


def parent_of(pid):
    """The parent of a process."""
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def deep(levels):
    """A tuple in a tuple in a tuple."""
    grid = ()
    for _ in range(levels):
        grid = (grid,)
    return grid


class Everything:
    """Equal to everything, of every type."""

    def __init__(self, value):
        self.value = value

    def __getattr__(self, name):
        return self

    def __call__(self, *arguments, **keywords):
        return self

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __len__(self):
        return 16

    def __getitem__(self, index):
        return self

    def __index__(self):
        return 1

    def __bool__(self):
        return True


class Endless(dict):
    """Statistics that never end."""

    def items(self):
        while True:
            yield "nodes", 1

    def __iter__(self):
        return iter(int, 1)


class Raising(dict):
    """Statistics that raise what no `except Exception` catches."""

    def items(self):
        raise SystemExit("items")

    __iter__ = keys = __len__ = __bool__ = items


class Acting(dict):
    """Statistics that act when they are read."""

    def items(self):
        act()
        return super().items()


class Dying(dict):
    """Statistics that act when they are deleted."""

    def __del__(self):
        act()


class Slow(tuple):
    """A grid that takes forever to delete."""

    def __del__(self):
        while True:
            pass


def completions(shape, cells):
    """All completions of a grid, one after another."""
    if 0 not in cells:
        yield tuple(cells)
        return
    cell = cells.index(0)
    for value in range(1, shape.size + 1):
        if all(cells[peer] != value for peer in shape.peers[cell]):
            yield from completions(shape, [*cells[:cell], value, *cells[cell + 1 :]])


class H(Backend):
    """A correct solver that acts at one moment."""

    name = "hostile"
    paradigm = "hostility"
    calls = 0

    def __init__(self, shape, options):
        act_at("construction")

    @classmethod
    def load(cls, options):
        act_at("load")

    def solve(self, puzzle):
        self.calls += 1
        if self.calls == 2:
            act_at("second call")
        if self.calls == 1:
            act_at("first call")
            self.prepare()
        grid = next(completions(self.shape, list(puzzle.givens)), None)
        if grid is None:
            return Answer.unsatisfiable()
        stats = {"statistics": Acting, "destructor": Dying}.get(MOMENT, dict)(nodes=1)
        answer = eval(ANSWER, globals() | {"grid": grid, "stats": stats})
        act_at("before the return")
        return answer

    def prepare(self):
        """Arrange that something acts later, or elsewhere."""
        if MOMENT == "child" and not os.fork():
            act()
            os._exit(0)
        if MOMENT == "thread":
            threading.Thread(target=act, daemon=True).start()
        if MOMENT == "after the return":
            threading.Timer(0.02, act).start()
        if MOMENT == "exit":
            atexit.register(act)

    def count(self, puzzle, limit):
        act_at("call of count")
        number = 0
        for _ in completions(self.shape, list(puzzle.givens)):
            number += 1
            if number == limit:
                break
        return eval(COUNT, globals() | {"number": number, "limit": limit})


act_at("import")
