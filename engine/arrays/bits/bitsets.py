"""Truth values packed into bits: millions of verdicts are counted in a fraction of a millisecond.

A *plane* holds one truth value for each (judge, generator, rubric) as bits of `uint64` words, shape (judges,
generators, words). A *mask* is a plane without the first axes, or with some of them of size 1. Every instance
fills whole *units* of 2, 4 or 8 bits: that makes the counts of each instance, which the cluster bootstrap
needs, a sum over units.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Ints

Words = NDArray[np.uint64]

_BITS_PER_WORD = 64
_UNITS = (8, 4, 2)  # bits; the wider, the fewer units an instance has to sum
_MOST_PADDING = 1.5  # bits for each rubric


@dataclass(frozen=True, eq=False)
class Layout:
    """The place of each rubric's bit."""

    instance_of: Ints  # the instance of each rubric, ascending
    n_instances: int  # even those without a rubric
    unit: int = 8  # bits

    @classmethod
    def of(cls, instance_of: Ints, n_instances: int) -> "Layout":
        """Return the layout with the widest units that leave few bits unused."""
        sizes = np.bincount(instance_of, minlength=n_instances)
        room = _MOST_PADDING * len(instance_of)
        unit = next(unit for unit in _UNITS if (-(-sizes // unit)).sum() * unit <= room or unit == _UNITS[-1])
        return cls(instance_of, n_instances, unit)

    @cached_property
    def rubric_counts(self) -> Ints:
        """The number of rubrics of each instance, shape (instances,)."""
        return np.bincount(self.instance_of, minlength=self.n_instances).astype(np.int64)

    @cached_property
    def occupied(self) -> Ints:
        return np.flatnonzero(self.rubric_counts)

    @cached_property
    def _unit_starts(self) -> Ints:
        widths = -(-self.rubric_counts[self.occupied] // self.unit)
        return np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)

    @cached_property
    def bits(self) -> Ints:
        """The place of each rubric's bit, shape (rubrics,)."""
        first_rubric = np.concatenate([[0], np.cumsum(self.rubric_counts)])[self.instance_of]
        nth = np.arange(len(self.instance_of)) - first_rubric
        run = np.searchsorted(self.occupied, self.instance_of)
        return np.asarray(self._unit_starts[run] * self.unit + nth)

    @property
    def n_words(self) -> int:
        return -(-int(self._unit_starts[-1]) * self.unit // _BITS_PER_WORD)

    @cached_property
    def _places(self) -> tuple[Ints, Bools]:
        """The rubric of each bit, 0 if it has none, and which bits have one."""
        rubric = np.zeros(self.n_words * _BITS_PER_WORD, dtype=np.int64)
        rubric[self.bits] = np.arange(len(self.bits))
        return rubric, np.isin(np.arange(len(rubric)), self.bits)

    def pack(self, values: Bools) -> Words:
        """Pack the last axis (rubrics) of `values` into words."""
        rubric, is_rubric = self._places
        spread = np.take(values, rubric, axis=-1) & is_rubric  # twice as fast as setting them
        return np.packbits(spread, axis=-1, bitorder="little").view(np.uint64)

    def unpack(self, words: Words) -> Bools:
        """Undo `pack`."""
        spread = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
        return np.take(spread, self.bits, axis=-1).view(bool)

    def part(self, words: Words, first: int, end: int) -> tuple[slice, NDArray[np.uint8]]:
        """Return which bytes of a plane hold the rubrics from `first` to before `end`, and their content.

        `words` has these rubrics alone, in a layout with the same units. Bits of others in the first and last
        byte are unset.
        """
        start, stop = int(self.bits[first]), int(self.bits[end - 1]) + 1
        place = slice(start // 8, -(-stop // 8))
        spread = np.zeros((*words.shape[:-1], (place.stop - place.start) * 8), dtype=np.uint8)
        bits = np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")
        spread[..., start % 8 : start % 8 + stop - start] = bits[..., : stop - start]
        return place, np.packbits(spread, axis=-1, bitorder="little")

    def plane(self, shape: tuple[int, int], first: Ints, second: Ints, rubric: Ints) -> Words:
        """Return a plane with the bits at some places set; `shape` is that of its first two axes."""
        words = np.zeros(shape[0] * shape[1] * self.n_words, dtype=np.uint64)
        bit = self.bits[rubric]
        word = (first * shape[1] + second) * self.n_words + bit // _BITS_PER_WORD
        np.bitwise_or.at(words, word, np.uint64(1) << (bit % _BITS_PER_WORD).astype(np.uint64))
        return words.reshape(*shape, self.n_words)

    def bit(self, words: Words, first: Ints, second: Ints, rubric: Ints) -> Bools:
        """Return the bits at some places of a plane; an axis of size 1 stands for all its places."""
        first = np.minimum(first, words.shape[0] - 1)
        second = np.minimum(second, words.shape[1] - 1)
        bit = self.bits[rubric]
        word = words[first, second, bit // _BITS_PER_WORD] >> (bit % _BITS_PER_WORD).astype(np.uint64)
        return (word & np.uint64(1)).astype(bool)

    def instance_at(self, places: Ints) -> Ints:
        """Return the instance of the rubric at each of some places."""
        return np.asarray(self.instance_of[self._places[0][places]], dtype=np.int64)

    def places(self, words: Words) -> Ints:
        """Return the places of the bits that are set, shape (set,), for `words` of shape (words,)."""
        return np.flatnonzero(self.is_set(words))

    @staticmethod
    def is_set(words: Words) -> Bools:
        """Return whether each bit is set, shape (bits,), for `words` of shape (words,)."""
        return np.unpackbits(words.view(np.uint8), bitorder="little").view(bool)

    @staticmethod
    def count_at(words: Words, places: Ints) -> Ints:
        """Count, for each of some places, the rows of `words` whose bit is set there: shape (places,)."""
        byte = np.ascontiguousarray(words).view(np.uint8).take(places >> 3, axis=-1)
        is_set = (byte & (np.uint8(1) << (places & 7).astype(np.uint8))) != 0
        return np.asarray(is_set.sum(axis=0, dtype=np.uint32), dtype=np.int64)

    def count_by_instance(self, words: Words) -> NDArray[np.int32]:
        """Count the set bits of each instance: shape (..., instances)."""
        return self.small_counts(words).astype(np.int32)

    def small_counts(self, words: Words) -> NDArray[np.uint8 | np.int32]:
        """Return the counts of `count_by_instance` in bytes if they fit, those of an instance together."""
        small = self.rubric_counts.max(initial=0) < 256
        counts = self._sum_units(self._count_by_unit(words), np.uint8 if small else np.int32)
        return np.moveaxis(counts.reshape(self.n_instances, *words.shape[:-1]), 0, -1)

    def _count_by_unit(self, words: Words) -> NDArray[np.uint8]:
        """Count the set bits of each unit: shape (units, rows of words).

        Units come first, so that those of one instance are added row by row.
        """
        n_units, per_byte = int(self._unit_starts[-1]), 8 // self.unit
        rows = np.ascontiguousarray(words).view(np.uint8).reshape(prod(words.shape[:-1]), 8 * words.shape[-1])
        counts = np.ascontiguousarray(rows[:, : -(-n_units // per_byte)].T)
        if self.unit == 8:
            return np.bitwise_count(counts)
        counts = counts - (counts >> 1 & 0x55)  # the counts of each two bits, then of each four
        if self.unit == 4:
            counts = (counts & 0x33) + (counts >> 2 & 0x33)
        of_units = np.empty((len(counts), per_byte, counts.shape[1]), dtype=np.uint8)
        for nth in range(per_byte):
            of_units[:, nth] = counts >> nth * self.unit & (1 << self.unit) - 1
        return of_units.reshape(per_byte * len(counts), counts.shape[1])[:n_units]

    def _sum_units(self, per_unit: NDArray[np.integer], kind: type[np.integer]) -> NDArray[Any]:
        """Sum a value of each unit over each instance, of a kind that holds it: shape (instances, rows).

        Instances have few units, so that adding all their first units, all their second ones and so on
        is several times as fast as `np.add.reduceat`.
        """
        starts, widths = self._unit_starts[:-1], np.diff(self._unit_starts)
        if widths.max(initial=1) == 1 and len(starts) == self.n_instances:
            return per_unit.astype(kind, copy=False)
        sums = np.zeros((self.n_instances, per_unit.shape[1]), dtype=kind)
        sums[self.occupied] = per_unit[starts]
        for nth in range(1, widths.max(initial=1)):
            wide = np.flatnonzero(widths > nth)
            sums[self.occupied[wide]] += per_unit[starts[wide] + nth]
        return sums


def count(words: Words) -> Ints:
    """Count the set bits along the last axis, of fewer than 4 billion bits."""
    # In half the time of 64 bits, and of `sum` where there are few words.
    number = np.einsum("...w->...", np.bitwise_count(words), dtype=np.uint32)
    return np.asarray(number, dtype=np.int64)


def any_in_both(one: Words, other: Words) -> Words:
    """Return the bits that are set in both anywhere along the first axes, shape (words,)."""
    return np.asarray(np.bitwise_or.reduce(one & other, axis=(0, 1)))
