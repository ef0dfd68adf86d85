"""Points of a scrambled Sobol sequence: those of `scipy.stats.qmc.Sobol`, bit for bit, of the first dimensions.

Importing scipy.stats takes longer than to fit a small table, and points that are made dimension by dimension are
made in place. Directions after Joe and Kuo (2008, new-joe-kuo-6.21201), scrambled by linear maps of bits and a shift
(Matousek 1998); points come in the order of a Gray code, in which the second half of the first 2^(k+1) is the first
half backwards, moved by direction k.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint32]

_BITS = 30
_POWERS = 2 ** np.arange(_BITS, dtype=np.uint32)
# Of every dimension after the first its primitive polynomial, and the first odd directions.
_DIRECTIONS = """
3:1 7:1,3 11:1,3,1 13:1,1,1 19:1,1,3,3 25:1,3,5,13 37:1,1,5,5,17 41:1,1,5,5,5 47:1,1,7,11,19 55:1,1,5,1,1
59:1,1,1,3,11 61:1,3,5,5,31 67:1,3,3,9,7,49 91:1,1,1,15,21,21 97:1,3,1,13,27,49 103:1,1,1,15,7,5
109:1,3,1,15,13,25 115:1,1,5,5,19,61 131:1,3,7,11,23,15,103 137:1,3,7,13,13,15,69 143:1,1,3,13,7,35,63
145:1,3,5,9,1,25,53 157:1,3,1,13,9,35,107 167:1,3,1,5,27,61,31 171:1,1,5,11,19,41,61 185:1,3,5,3,3,13,69
191:1,1,7,13,1,19,1 193:1,3,7,5,13,19,59 203:1,1,3,9,25,29,41 211:1,3,5,13,23,1,55 213:1,3,7,3,13,59,17
229:1,3,1,3,5,53,69 239:1,1,5,5,23,33,13 241:1,1,7,7,1,61,123 247:1,1,7,9,13,61,49 253:1,3,3,5,3,55,33
285:1,3,1,15,31,13,49,245 299:1,3,5,15,31,59,63,97 301:1,3,1,11,11,11,77,249 333:1,3,1,11,27,43,71,9
351:1,1,7,15,21,11,81,45 355:1,3,7,3,25,31,65,79 357:1,3,1,1,19,11,3,205 361:1,1,5,9,19,21,29,157
369:1,3,7,11,1,33,89,185 391:1,3,3,3,15,9,79,71 397:1,3,7,11,15,39,119,27 425:1,1,3,1,11,31,97,225
451:1,1,1,3,23,43,57,177 463:1,3,7,7,17,17,37,71 487:1,3,1,5,27,63,123,213 501:1,1,3,5,11,43,53,133
"""
DIMENSIONS = 1 + len(_DIRECTIONS.split())
"""Dimensions that are known here; of further ones scipy knows the directions."""


UNIT = 2.0**-_BITS


def sobol_points(dimensions: int, power: int, rng: np.random.Generator) -> Bits:
    """Return 2^power points, one row per dimension, as multiples of `UNIT`; the scramble has a generator of its own.

    Examples
    --------
    >>> np.sort(sobol_points(1, 2, np.random.default_rng(1))[0] // 2**28).tolist()
    [0, 1, 2, 3]
    """
    (own,) = rng.spawn(1)
    shift = own.integers(2, size=(dimensions, _BITS), dtype=np.uint32) @ _POWERS
    maps = np.tril(own.integers(2, size=(dimensions, _BITS, _BITS), dtype=np.uint32))
    maps[:, range(_BITS), range(_BITS)] = 1
    directions = _POWERS[::-1] @ (maps @ _direction_bits()[:dimensions] % 2)
    points = np.empty((dimensions, 2**power), dtype=np.uint32)
    points[:, 0] = shift
    for k in range(power):
        points[:, 2**k : 2 ** (k + 1)] = points[:, 2**k - 1 :: -1] ^ directions[:, k : k + 1]
    return points


@cache
def _direction_bits() -> Bits:
    """Return, for every dimension, the bits of directions: a row for each bit from the highest, a column for each."""
    directions = [[1] * _BITS, *(_directions(text) for text in _DIRECTIONS.split())]
    numbers = np.array(directions, dtype=np.uint32) * _POWERS[::-1]
    return (numbers[:, np.newaxis, :] // _POWERS[::-1, np.newaxis]) % 2


def _directions(text: str) -> list[int]:
    """Return the odd directions of a dimension by the recurrence of its polynomial."""
    polynomial, first = text.split(":")
    found = [int(number) for number in first.split(",")]
    degree = len(found)
    for j in range(degree, _BITS):
        new = found[j - degree]
        for k in range(1, degree + 1):
            if int(polynomial) >> (degree - k) & 1:
                new ^= found[j - k] << k
        found.append(new)
    return found
