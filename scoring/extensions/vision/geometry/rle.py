"""Masks as run-length codes in COCO's column order, stored and compared without decompressing them to pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Bools, Floats, Ints, expand_ranges
from scoring.extensions.vision.geometry.shapes import Boxes, Kind, over_union

#: Maximum side of a mask; larger ones are considered corrupt.
MAX_SIDE = 1 << 16
_TOO_LARGE = f"a mask has sides of up to {MAX_SIDE} pixels"
#: Number of pairs compared at a time.
PAIRS = 1 << 12


class Masks(Struct, frozen=True, eq=False):
    """Masks of possibly different sizes, as run-length codes: a mask sets the pixels from `starts` up to (not
    including) `ends` of each of its runs, counted column by column; `first` is the index of each mask's first run.
    """

    kind: ClassVar[Kind] = "mask"
    heights: Ints
    widths: Ints
    first: Ints  # n + 1 values: the index of each mask's first run
    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return int(self.heights.size)

    @classmethod
    def from_counts(cls, sizes: Sequence[tuple[int, int]], counts: Sequence[Sequence[int] | str]) -> Masks:
        """Return masks from COCO run-length codes; raise a ValueError if the runs of one do not add up to its size.

        Args:
            sizes: Height and width of each mask.
            counts: Run lengths, beginning with unset pixels, as a list or as COCO's compressed string.

        Examples:
            >>> Masks.from_counts([(2, 3)], [[1, 2, 3]]).areas().tolist()
            [2.0]
        """
        try:
            lengths, per_mask = _all_lengths(counts)
            shape = np.array(sizes, dtype=np.int64).reshape(-1, 2)
        except OverflowError:  # an integer of more than 64 bits
            raise ValueError(_TOO_LARGE) from None
        offset = np.append(0, np.cumsum(per_mask))
        totals = np.append(0, np.cumsum(lengths))
        if (lengths < 0).any() or (shape < 0).any():
            raise ValueError("a run-length code has a negative run or size")
        if (shape > MAX_SIDE).any() or (lengths > MAX_SIDE**2).any():
            raise ValueError(_TOO_LARGE)
        covered = totals[offset[1:]] - totals[offset[:-1]]
        wrong = np.flatnonzero(covered != shape[:, 0] * shape[:, 1])
        if wrong.size:
            which = int(wrong[0])
            height, width = shape[which].tolist()
            raise ValueError(
                f"run lengths of mask {which} add up to {int(covered[which])}, not to {height} × {width} pixels"
            )
        place = np.arange(lengths.size) - np.repeat(offset[:-1], per_mask)
        base = np.repeat(totals[offset[:-1]], per_mask)
        begin = totals[:-1] - base
        # Every run at an odd position has set pixels; empty ones are dropped.
        chosen = (place % 2 == 1) & (lengths > 0)
        mask = np.repeat(np.arange(per_mask.size), per_mask)[chosen]
        first = np.append(0, np.cumsum(np.bincount(mask, minlength=per_mask.size)))
        starts = begin[chosen]
        return cls(shape[:, 0], shape[:, 1], first, starts, starts + lengths[chosen])

    @classmethod
    def from_bitmaps(cls, bitmaps: Iterable[Bools]) -> Masks:
        """Return masks from arrays of pixels; raise a ValueError for one that is not two-dimensional."""
        sizes: list[tuple[int, int]] = []
        starts: list[Ints] = []
        ends: list[Ints] = []
        for bitmap in bitmaps:
            if bitmap.ndim != 2:
                raise ValueError(f"a mask has two dimensions, but this one has {bitmap.ndim}")
            sizes.append((bitmap.shape[0], bitmap.shape[1]))
            column = np.ascontiguousarray(bitmap.T, dtype=np.bool_).ravel().view(np.int8)
            edges = np.flatnonzero(np.diff(column, prepend=0, append=0))
            starts.append(edges[::2])
            ends.append(edges[1::2])
        shape = np.array(sizes, dtype=np.int64).reshape(-1, 2)
        first = np.append(0, np.cumsum([len(part) for part in starts], dtype=np.int64))
        return cls(shape[:, 0], shape[:, 1], first.astype(np.int64), _joined(starts), _joined(ends))

    def bitmap(self, index: int) -> Bools:
        """Return the pixels of the mask with this index as an array, rows × columns."""
        height, width = int(self.heights[index]), int(self.widths[index])
        runs = slice(int(self.first[index]), int(self.first[index + 1]))
        steps = np.zeros(height * width + 1, dtype=np.int8)
        # Two runs may be adjacent, so that one ends where the next begins.
        np.add.at(steps, self.starts[runs], 1)
        np.add.at(steps, self.ends[runs], -1)
        return np.cumsum(steps[:-1], dtype=np.int8).astype(np.bool_).reshape(width, height).T

    def counts(self, index: int) -> list[int]:
        """Return the run lengths of the mask with this index, beginning with unset pixels."""
        column = np.ascontiguousarray(self.bitmap(index).T).ravel().view(np.int8)
        edges = np.flatnonzero(np.diff(column, prepend=0))
        return [int(length) for length in np.diff(edges, prepend=0, append=column.size)]

    def take(self, index: Ints) -> Masks:
        """Return the masks with the given indices."""
        lengths = self.first[index + 1] - self.first[index]
        runs = expand_ranges(self.first[index], lengths)
        return Masks(
            self.heights[index],
            self.widths[index],
            np.append(0, np.cumsum(lengths)).astype(np.int64),
            self.starts[runs],
            self.ends[runs],
        )

    def join(self, other: Masks) -> Masks:
        """Return a collection with these masks followed by those of `other`."""
        ours, theirs = ((one.heights, one.widths, np.diff(one.first), one.starts, one.ends) for one in (self, other))
        heights, widths, runs, starts, ends = map(np.concatenate, zip(ours, theirs, strict=True))
        return Masks(heights, widths, np.append(0, np.cumsum(runs)), starts, ends)

    def areas(self) -> Floats:
        """Return the number of set pixels of each mask."""
        covered = np.append(0, np.cumsum(self.ends - self.starts))
        return np.asarray(covered[self.first[1:]] - covered[self.first[:-1]], dtype=np.float64)

    def boxes(self) -> Boxes:
        """Return the pixel extent of each mask; an empty mask has an empty box at the origin."""
        owner = np.repeat(np.arange(len(self)), np.diff(self.first))
        height = self.heights[owner]
        left, right = self.starts // height, (self.ends - 1) // height
        across = right > left
        top = np.where(across, 0, self.starts % height)
        bottom = np.where(across, height - 1, (self.ends - 1) % height)
        x0, y0 = np.full(len(self), np.iinfo(np.int64).max), np.full(len(self), np.iinfo(np.int64).max)
        x1, y1 = np.full(len(self), -1), np.full(len(self), -1)
        np.minimum.at(x0, owner, left)
        np.maximum.at(x1, owner, right)
        np.minimum.at(y0, owner, top)
        np.maximum.at(y1, owner, bottom)
        empty = x1 < 0
        x0[empty], y0[empty] = 0, 0
        sides = (x1 + 1 - x0, y1 + 1 - y0)
        w, h = (np.where(empty, 0, side).astype(np.float64) for side in sides)
        return Boxes(x0.astype(np.float64), y0.astype(np.float64), w, h)

    def overlaps(self, truth: Masks, mine: Ints, theirs: Ints, crowd: Bools | None = None) -> Floats:
        """Return the intersection over union of pairs of masks, `self[mine[i]]` and `truth[theirs[i]]`, by pixel
        counts; raise a ValueError if masks of a pair differ in size.

        If `crowd` marks a mask of `truth` as a crowd region, the area of its partner in `self` replaces the union.
        """
        sizes = (self.heights[mine] != truth.heights[theirs]) | (self.widths[mine] != truth.widths[theirs])
        if sizes.any():
            raise ValueError("masks of different sizes cannot be compared")
        near = np.flatnonzero(self.boxes().overlaps(truth.boxes(), mine, theirs) > 0)
        common = np.zeros(mine.size)
        common[near] = self._common(truth, mine[near], theirs[near])
        crowds = None if crowd is None else crowd[theirs]
        return over_union(common, self.areas()[mine], truth.areas()[theirs], crowds)

    def _common(self, truth: Masks, mine: Ints, theirs: Ints) -> Floats:
        """Return how many pixels each pair of masks, `self[mine[i]]` and `truth[theirs[i]]`, has in common.

        The runs of all masks of `truth` are placed one after another on one axis, so that one search finds them all.
        """
        stride = int(max((truth.heights * truth.widths).max(initial=0), self.ends.max(initial=0))) + 1
        owner = np.repeat(np.arange(len(truth)), np.diff(truth.first))
        begin = truth.starts + owner * stride
        finish = truth.ends + owner * stride
        covered = np.append(0, np.cumsum(truth.ends - truth.starts))
        result = np.empty(mine.size)
        for part in range(0, mine.size, PAIRS):
            i, j = mine[part : part + PAIRS], theirs[part : part + PAIRS]
            lengths = self.first[i + 1] - self.first[i]
            runs = expand_ranges(self.first[i], lengths)
            base = np.repeat(j * stride, lengths)
            inside = _set_before(self.ends[runs] + base, begin, finish, covered)
            inside -= _set_before(self.starts[runs] + base, begin, finish, covered)
            total = np.append(0, np.cumsum(inside))
            last = np.cumsum(lengths)
            result[part : part + PAIRS] = total[last] - total[last - lengths]
        return result


def _set_before(position: Ints, begin: Ints, finish: Ints, covered: Ints) -> Ints:
    """Return the number of set pixels before each position on an axis along which runs of set pixels are placed.

    Args:
        position: The positions.
        begin: The start of each run, ascending.
        finish: The end of each run.
        covered: The number of set pixels before each run, and of all.
    """
    run = np.searchsorted(begin, position, side="right")
    beyond = np.maximum(finish[run - 1] - position, 0) if begin.size else np.zeros_like(position)
    return covered[run] - np.where(run > 0, beyond, 0)


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)


def _all_lengths(counts: Sequence[Sequence[int] | str]) -> tuple[Ints, Ints]:
    """Return the run lengths of all masks, concatenated, and how many of them each mask has; compressed strings are
    decoded.
    """
    texts = [count for count in counts if isinstance(count, str)]
    lengths, per_text = _decompress(texts)
    if len(texts) == len(counts):
        return lengths, per_text
    unpacked = (lengths[begin:end] for begin, end in pairwise([0, *np.cumsum(per_text).tolist()]))
    parts = [next(unpacked) if isinstance(count, str) else count for count in counts]
    per_mask = np.array([len(part) for part in parts], dtype=np.int64)
    return _joined([np.asarray(part, dtype=np.int64) for part in parts]), per_mask


def _decompress(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the run lengths in COCO's compressed strings, concatenated, and how many of them each string has.

    A character holds five bits, lowest first, and a sixth bit that means more follow. From its fourth number on, a
    string contains the difference to the number two positions before.
    """
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    try:
        codes = np.frombuffer("".join(texts).encode("ascii"), dtype=np.uint8).astype(np.int64) - 48
    except UnicodeEncodeError:
        raise ValueError("a compressed run-length code has a character outside COCO's alphabet") from None
    if ((codes < 0) | (codes > 63)).any():
        raise ValueError("a compressed run-length code has a character outside COCO's alphabet")
    final = codes & 0x20 == 0
    finals = np.flatnonzero(final)
    if sizes.size and (sizes > 0).any() and not final[np.cumsum(sizes)[sizes > 0] - 1].all():
        raise ValueError("a compressed run-length code ends in the middle of a number")
    start = np.append(0, finals[:-1] + 1) if finals.size else finals
    digits = finals - start + 1
    if (digits > 7).any():
        raise ValueError("a compressed run-length code has a run of more than 34 bits")
    shift = 5 * (np.arange(codes.size) - np.repeat(start, digits))
    values = np.add.reduceat((codes & 0x1F) << shift, start) if finals.size else codes[:0]
    values = np.where(codes[finals] & 0x10 != 0, values - (np.int64(1) << (5 * digits)), values)
    ends = np.searchsorted(finals, np.cumsum(sizes), side="left")
    per_text = np.diff(ends, prepend=0).astype(np.int64)
    return _undo_differences(values, per_text), per_text


def _undo_differences(values: Ints, per_text: Ints) -> Ints:
    """Return the run lengths of each string from its decoded numbers, by summing the differences along odd and along
    even positions; position 0 is not a difference.

    Args:
        values: The decoded numbers of all strings.
        per_text: How many of them each string has.
    """
    offset = np.repeat(np.cumsum(per_text) - per_text, per_text)
    place = np.arange(values.size) - offset
    result = values.copy()
    for parity in (1, 2):
        chosen = np.flatnonzero((place % 2 == parity % 2) & (place >= parity))
        sums = np.cumsum(values[chosen])
        begins = np.flatnonzero(place[chosen] == parity)
        lengths = np.diff(np.append(begins, chosen.size))
        before = sums[begins] - values[chosen[begins]]
        result[chosen] = sums - np.repeat(before, lengths)
    return result


def compress(counts: Sequence[int]) -> str:
    """Return COCO's compressed string of run lengths.

    Examples:
        >>> compress([1, 2, 3])
        '123'
    """
    characters: list[str] = []
    for place, count in enumerate(counts):
        value = count - (counts[place - 2] if place > 2 else 0)
        more = True
        while more:
            digit = value & 0x1F
            value >>= 5
            more = value != (-1 if digit & 0x10 else 0)
            characters.append(chr((digit | 0x20 if more else digit) + 48))
    return "".join(characters)
