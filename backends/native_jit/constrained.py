"""The kernel `houses` for shapes with constraints."""

from typing import Final

from .houses import BATCH, CONSTRAINTS, MEMORY, TABLES
from .houses import run as run

SIGNATURE: Final = f"int64({BATCH}, {MEMORY}, {TABLES}, {CONSTRAINTS})".format("int64")
