"""The kernel `houses` for shapes with more than 32 values, with words of 64 bits."""

from typing import Final

from .houses import BATCH, MEMORY, TABLES
from .houses import run as run

SIGNATURE: Final = f"int64({BATCH}, {MEMORY}, {TABLES}{', none' * 5})".format("int64")
