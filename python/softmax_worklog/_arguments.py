"""Numbers that callers give."""

import operator

from ._core import MAX_K


def check_k(k: int, cols: int) -> int:
    """k as an int, if it is one and in range."""
    if isinstance(k, bool):
        raise TypeError("k is a bool: must be an integer")
    try:
        k = operator.index(k)
    except TypeError:
        raise TypeError(f"k is a {type(k).__name__}: must be an integer") from None
    if not 1 <= k <= MAX_K:
        raise ValueError(f"k = {k}: must be from 1 to {MAX_K}")
    if k > cols:
        raise ValueError(f"k = {k}: must be at most {cols}, the length of the last axis")
    return k
