"""Where randomness comes from: OpenDP and the operating system, or a seeded imitation with the same law.

`SecureNoise` is the only source for a release. `SimulatedNoise` draws from the same distributions with a seeded
generator, for experiments and tests; everything that it touches is marked NOT PRIVATE.

Laws (scale s > 0)
    noisy max, pure DP   argmax of score + Exponential(s)   (permute-and-flip)
    noisy max, zCDP      argmax of score + Gumbel(s)         (exponential mechanism)
    two-sided geometric  P(k) proportional to exp(-|k| / s)
    discrete Gaussian    P(k) proportional to exp(-k^2 / (2 s^2))
    pick(l)              P(i) proportional to exp(l_i): see `exact_pick`
    below(k)             uniform on 0, ..., k - 1, exactly, for integers of any length
    random(k)            k independent uniform multiples of 2^-53 in [0, 1)
    stream(k)            one such number, or a multiple of 2^-32, for each of k rows; any stretch can be had again
    subset(k, m)         m of k positions, all subsets alike

Streams are what makes dither the same however rows are cut into chunks. A secure one is the output of SHAKE-128 on
a fresh 256-bit key of the operating system and a block number: numbers that only the holder of the key can tell from
independent ones.
"""

import functools
import hashlib
import random
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.errors import OptionError

Definition = Literal["pure", "zcdp"]
Stream = Callable[[int, int], Floats]
"""From the position of a row, and how many rows are wanted, to their numbers."""

_BLOCK = 1 << 14  # numbers that are made from one block of a secure stream
_LEVEL = 1 << 17  # bits of the whole numbers that weights are compared as
_BITS = 52  # of the integer that stands for a weight between 1 and 2


class Noise(Protocol):
    """What the gate needs of a source of randomness."""

    private: bool

    def noisy_max(self, scores: Integers, scale: float, definition: Definition) -> int:
        """Return the index of the largest score after noise."""
        ...

    def geometric(self, counts: Integers, scale: float) -> Integers:
        """Return the counts plus independent two-sided geometric noise."""
        ...

    def gaussian(self, counts: Integers, scale: float) -> Integers:
        """Return the counts plus independent discrete Gaussian noise."""
        ...

    def pick(self, logs: Floats) -> int:
        """Return an index with probability proportional to exp of its log weight."""
        ...

    def random(self, size: int) -> Floats:
        """Return independent uniform numbers, one per row."""
        ...

    def stream(self, rows: int) -> Stream:
        """Return independent uniform numbers, one per row, by position: dither, jitter, Poisson subsamples.

        Under add/remove the guarantee rests on their independence: taking a row out shifts all later ones.
        """
        ...

    def generator(self) -> np.random.Generator:
        """Return a generator for randomness without a guarantee: synthetic rows."""
        ...

    def subset(self, rows: int, size: int) -> Integers:
        """Return so many positions of a table, ascending, every subset with the same chance: a secret part of it."""
        ...


class SecureNoise:
    """OpenDP's samplers and the operating system's entropy; cannot be seeded, on purpose."""

    private = True

    def noisy_max(self, scores: Integers, scale: float, definition: Definition) -> int:
        """Return the index of the largest score after noise, by OpenDP's `make_noisy_max`."""
        return int(noisy_max_measurement(scale, definition)(scores.tolist()))

    def geometric(self, counts: Integers, scale: float) -> Integers:
        """Return the counts plus noise, by OpenDP's `make_geometric`."""
        return np.asarray(geometric_measurement(scale)(counts.tolist()), dtype=np.int64)

    def gaussian(self, counts: Integers, scale: float) -> Integers:
        """Return the counts plus noise, by OpenDP's `make_gaussian`."""
        return np.asarray(gaussian_measurement(scale)(counts.tolist()), dtype=np.int64)

    def below(self, total: int) -> int:
        """Return a uniform integer from the operating system's entropy."""
        return secrets.randbelow(total)

    def pick(self, logs: Floats) -> int:
        """Return an index by exact integer arithmetic."""
        return exact_pick(logs, self.below)

    def random(self, size: int) -> Floats:
        """Return uniform numbers from the operating system's entropy."""
        words = np.frombuffer(secrets.token_bytes(8 * size), dtype=np.uint64)
        return np.asarray((words >> np.uint64(11)) * 2.0**-53, dtype=np.float64)

    def stream(self, rows: int) -> Stream:
        """Return uniform numbers that follow from a fresh key."""
        return functools.partial(_keyed_uniform, secrets.token_bytes(32))

    def generator(self) -> np.random.Generator:
        """Return a generator seeded by the operating system."""
        return np.random.default_rng(secrets.randbits(256))

    def subset(self, rows: int, size: int) -> Integers:
        """Return positions from the operating system's entropy."""
        return _secret_subset(rows, size)


class SimulatedNoise:
    """The same laws from a seed. NOT PRIVATE: whoever knows the seed can take the noise away again."""

    private = False

    def __init__(self, seed: int, group: Sequence[int] = ()) -> None:
        check_seed(seed)
        self._seed, self._group = seed, tuple(group)
        self._numpy = self._seeded(0)
        self._python = random.Random(" ".join(map(str, ("quantail", seed, *group))))
        self._streams = 0

    def noisy_max(self, scores: Integers, scale: float, definition: Definition) -> int:
        """Return the index of the largest score after simulated noise."""
        draw = self._numpy.exponential if definition == "pure" else functools.partial(self._numpy.gumbel, 0.0)
        return int(np.argmax(scores + draw(scale, scores.size)))

    def geometric(self, counts: Integers, scale: float) -> Integers:
        """Return the counts plus the difference of two geometric variables."""
        p = -np.expm1(-1.0 / scale)
        noise = self._numpy.geometric(p, counts.size) - self._numpy.geometric(p, counts.size)
        return np.asarray(counts + noise, dtype=np.int64)

    def gaussian(self, counts: Integers, scale: float) -> Integers:
        """Return the counts plus discrete Gaussian noise, by rejection from two-sided geometric noise."""
        noise, missing = np.zeros(counts.size, dtype=np.int64), np.arange(counts.size)
        width = np.floor(scale) + 1.0
        while missing.size:
            tried = self.geometric(np.zeros(missing.size, dtype=np.int64), width)
            far = (np.abs(tried) - scale**2 / width) / scale
            kept = self._numpy.random(missing.size) < np.exp(-(far**2) / 2)
            noise[missing[kept]] = tried[kept]
            missing = missing[~kept]
        return np.asarray(counts + noise, dtype=np.int64)

    def below(self, total: int) -> int:
        """Return a uniform integer from the seeded generator."""
        return self._python.randrange(total)

    def pick(self, logs: Floats) -> int:
        """Return an index by exact integer arithmetic."""
        return exact_pick(logs, self.below)

    def random(self, size: int) -> Floats:
        """Return uniform numbers from the seeded generator."""
        return self._numpy.random(size)

    def stream(self, rows: int) -> Stream:
        """Return the next numbers of the seeded generator, by position."""
        state, bits = self._numpy.bit_generator.state, self._numpy.bit_generator
        assert isinstance(bits, np.random.PCG64)
        bits.advance(rows)
        return functools.partial(_advanced_uniform, state)

    def generator(self) -> np.random.Generator:
        """Return a generator that depends on the seed and on how many were asked for before."""
        self._streams += 1
        return self._seeded(self._streams)

    def subset(self, rows: int, size: int) -> Integers:
        """Return positions from a generator of their own."""
        return drawn_subset(self.generator(), rows, size)

    def _seeded(self, stream: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence([self._seed, stream], spawn_key=self._group))


def check_seed(seed: int | None) -> None:
    """Raise an OptionError unless a seed is a whole number of at least zero, or none is given."""
    if seed is not None and (not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0):
        raise OptionError("seed must be a whole number of at least 0")


def exact_pick(logs: Floats, below: Callable[[int], int]) -> int:
    """Return an index with probability exactly proportional to 2^(exponent) * mantissa of the given log weights.

    Parameters
    ----------
    logs : array
        Log weights.
    below : callable
        From a total to a uniform integer below it.
    """
    binary = (logs - logs.max()) / np.log(2.0)
    exponent = np.floor(binary)
    mantissa = np.rint(np.exp2(binary - exponent) * 2.0**_BITS).astype(np.int64).tolist()
    lowest = int(exponent.min())
    if lowest < -_LEVEL:
        return _level_pick(mantissa, -exponent.astype(np.int64), below)
    parts = [m << (int(e) - lowest) for m, e in zip(mantissa, exponent.tolist(), strict=True)]
    left = below(sum(parts))
    for index, part in enumerate(parts):
        left -= part
        if left < 0:
            return index
    raise ArithmeticError("unreachable: the parts add up to their sum")


def _level_pick(mantissa: list[int], depth: Integers, below: Callable[[int], int]) -> int:
    """Return an index with probability exactly proportional to mantissa * 2^-depth, for depths of any size.

    Weights are looked at level by level of `_LEVEL` bits. Those of deeper levels are bounded by a whole number in
    units of the present one; what falls into the bound goes one level down, and what falls beside them all starts anew.
    """
    level = depth // _LEVEL
    levels = np.unique(level).tolist()
    while True:
        room = None
        for here, deeper in zip(levels, [*levels[1:], None], strict=True):
            members = np.flatnonzero(level == here).tolist()
            parts = [mantissa[k] << ((here + 1) * _LEVEL - int(depth[k])) for k in members]
            total, bound = sum(parts), 0 if deeper is None else len(mantissa) << (_BITS + 1)
            left = below(total + bound if room is None else room)
            for index, part in zip(members, parts, strict=True):
                left -= part
                if left < 0:
                    return int(index)
            if deeper is None or left >= bound:
                break
            room = bound << ((deeper - here) * _LEVEL)


def drawn_subset(rng: np.random.Generator, rows: int, size: int) -> Integers:
    """Return so many positions out of all, ascending."""
    return np.sort(rng.choice(rows, size, replace=False))


def _secret_subset(rows: int, size: int) -> Integers:
    """Return so many positions, ascending: uniform ones, one after the other, until enough distinct ones are there.

    Exact: a word is uniform below a multiple of `rows`, or is thrown away; of a large part the rest is drawn.
    """
    wanted = min(size, rows - size)
    found = np.empty(0, dtype=np.uint64)
    last = np.uint64(2**64 // rows * rows - 1)
    while found.size < wanted:
        words = np.frombuffer(secrets.token_bytes(16 * (wanted - found.size) + 512), dtype=np.uint64)
        drawn = np.concatenate([found, words[words <= last] % np.uint64(rows)])
        _, first = np.unique(drawn, return_index=True)
        found = drawn[np.sort(first)]
    positions = np.sort(found[:wanted].astype(np.int64))
    return positions if wanted == size else np.delete(np.arange(rows, dtype=np.int64), positions)


def _keyed_uniform(key: bytes, start: int, size: int) -> Floats:
    """Return a stretch of the numbers of a key: block b holds those from b * _BLOCK on."""
    blocks = range(start // _BLOCK, -(-(start + size) // _BLOCK))
    content = b"".join(
        hashlib.shake_128(key + block.to_bytes(8, "little")).digest(4 * _BLOCK) for block in blocks
    )
    words = np.frombuffer(content, dtype="<u4")[start % _BLOCK : start % _BLOCK + size]
    return words * 2.0**-32


def _advanced_uniform(state: Any, start: int, size: int) -> Floats:
    """Return a stretch of the numbers that a generator in this state would give."""
    bits = np.random.PCG64()
    bits.state = state
    return np.random.Generator(bits.advance(start)).random(size)


@functools.lru_cache(maxsize=256)
def noisy_max_measurement(scale: float, definition: Definition) -> Any:
    """Return OpenDP's noisy max on vectors of integers; `map(sensitivity)` gives its privacy loss."""
    from opendp.measurements import make_noisy_max
    from opendp.measures import max_divergence, zero_concentrated_divergence
    from opendp.metrics import linf_distance

    measure = max_divergence() if definition == "pure" else zero_concentrated_divergence()
    return make_noisy_max(_integers(), linf_distance(T="i64"), measure, scale=scale)


@functools.lru_cache(maxsize=256)
def noisy_max_loss(scale: float, definition: Definition, sensitivity: int) -> float:
    """Return what OpenDP says a noisy max costs, if one row moves any score by so much."""
    return float(noisy_max_measurement(scale, definition).map(sensitivity))


@functools.lru_cache(maxsize=256)
def geometric_measurement(scale: float) -> Any:
    """Return OpenDP's two-sided geometric mechanism on vectors of integers."""
    from opendp.measurements import make_geometric
    from opendp.metrics import l1_distance

    return make_geometric(_integers(), l1_distance(T="i64"), scale=scale)


@functools.lru_cache(maxsize=256)
def geometric_loss(scale: float, distance: int) -> float:
    """Return what OpenDP says two-sided geometric noise costs, in epsilon, if one row moves counts so far (L1)."""
    return float(geometric_measurement(scale).map(distance))


@functools.lru_cache(maxsize=256)
def gaussian_measurement(scale: float) -> Any:
    """Return OpenDP's discrete Gaussian mechanism on vectors of integers."""
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance

    return make_gaussian(_integers(), l2_distance(T="f64"), scale=scale)


@functools.lru_cache(maxsize=256)
def gaussian_loss(scale: float, distance: float) -> float:
    """Return what OpenDP says discrete Gaussian noise costs, in rho, if one row moves counts so far (L2)."""
    return float(gaussian_measurement(scale).map(distance))


def _integers() -> Any:
    """Return OpenDP's domain of vectors of integers; its prelude would load all it has bridges to."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.mod import enable_features

    enable_features("contrib")
    return vector_domain(atom_domain(T="i64"))
