"""The kinds of arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]
"""Rows and columns of pixels, 0 for black to 255 for white; or a stack of such arrays."""
Floats = NDArray[np.float32]
"""Measured values: ink, positions, probabilities."""
AnyArray = NDArray[Any]
"""Any other values: masks, labels, classes."""
