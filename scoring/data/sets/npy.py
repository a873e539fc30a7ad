"""Label maps from NumPy files: the header is checked before any memory is taken, and nothing is ever unpickled."""

from __future__ import annotations

import math
import tokenize
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from scoring.data.sets.png import check_pixels
from scoring.data.unpacked import whole
from scoring.vision.segmentation.pixels import Labels

NOT_A_MAP = "a label map is one array of whole numbers, rows by columns"
_PLAIN = "iub"
_VERSIONS = ((1, 0), (2, 0), (3, 0))


def read_npy(stream: BinaryIO) -> Labels:
    """The values of a label map.

    Args:
        stream: The file, at its begin.

    Raises:
        ValueError: when it is no such array, is cut off, or has more pixels than are read.

    Source:
        NumPy enhancement proposal 1, the .npy format.
    """
    try:
        version = npy.read_magic(stream)
        if version not in _VERSIONS:
            raise ValueError("a version that is not known")
        # A header of version 3 is one of version 2 in UTF-8, which names of fields alone need.
        read: Any = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, is_fortran, kind = read(stream)
    except (ValueError, TypeError, EOFError, SyntaxError, tokenize.TokenError, OverflowError, RecursionError) as error:
        raise ValueError("not a NumPy file, or its header is damaged") from error
    if kind.hasobject:
        raise ValueError("Object arrays cannot be loaded: they are pickles, which are never read")
    if kind.kind not in _PLAIN or len(shape) != 2 or any(type(side) is not int for side in shape):
        raise ValueError(NOT_A_MAP)
    check_pixels("an array", *shape)
    size = math.prod(shape) * kind.itemsize
    data = whole(stream, "the file")  # piece by piece, since the header may promise more than there is
    if len(data) != size:
        raise ValueError(f"{len(data)} bytes of values where {size} belong")
    values = np.frombuffer(data, dtype=kind)
    return values.reshape(shape, order="F" if is_fortran else "C").astype(np.int64)
