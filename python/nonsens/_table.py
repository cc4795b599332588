"""Tables in memory as the library takes them: columns where they lie, labels of segments as categories.

Numbers that are doubles already are not copied on this side; the library makes the one copy that it works on.
"""

from __future__ import annotations

import ctypes
import difflib
import reprlib
from ctypes import c_char_p, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _library as c
from ._call import Context
from ._columns import addressable, as_array, columns_of, is_missing, refuse_segments

_BYTES = 8  # of a double


def _is_series(values: Any) -> bool:
    return hasattr(values, "name") and hasattr(values, "to_numpy")


# ---- numbers ----


def _refuse_text(values: NDArray[Any], name: str) -> None:
    """An error at the first value that is no number, as in a file; nothing where none is one."""
    numbers, first = 0, None
    for i, value in enumerate(values):
        try:
            numbers += not np.isnan(float(value))
        except (TypeError, ValueError, OverflowError):
            first = (i, value) if first is None and not is_missing(value) else first
    if first is not None and (numbers or isinstance(first[1], int)):
        problem = "too large for a floating-point number" if isinstance(first[1], int) else "not a number"
        raise ValueError("column %r, data row %d: %s is %s" % (name, first[0] + 1, reprlib.repr(first[1]), problem))


def _doubles(values: Any, name: str) -> Optional[NDArray[Any]]:
    """(rows) doubles, the caller's own memory where that is possible; None for a column of text."""
    array = as_array(values, "column %r" % name)
    if array.dtype.kind in "OUS":
        try:
            if hasattr(values, "to_numpy"):
                return np.asarray(values.to_numpy(dtype=float, na_value=np.nan))
            return np.array(array, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            _refuse_text(array, name)
            return None
    if array.dtype.kind == "c":
        raise ValueError("column %r holds complex numbers; take real ones" % name)
    if array.dtype.kind not in "fiub":
        return None  # times and the like
    return addressable(np.asarray(array, dtype=np.float64))


# ---- labels of segments ----


def _label_text(value: Any) -> Optional[str]:
    """A label as it would stand in a file; None where it is missing."""
    if is_missing(value):
        return None
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return None if text in ("", "<NA>", "NaT") else text


def _categorise(values: Sequence[Any]) -> Tuple[NDArray[Any], List[str]]:
    """(rows) categories, counted in the order of their first rows, and their texts; -1 where the label is missing."""
    known: Dict[str, int] = {}
    by_value: Dict[Any, int] = {}
    category = np.empty(len(values), dtype=np.int32)
    for i, value in enumerate(values):
        try:
            code = by_value.get((type(value), value))
        except TypeError:
            raise TypeError("data row %d: %r is no label of a segment" % (i + 1, value)) from None
        if code is None:
            text = _label_text(value)
            code = -1 if text is None else known.setdefault(text, len(known))
            by_value[(type(value), value)] = code
        category[i] = code
    return category, list(known)


def _codes(segments: Any) -> Tuple[NDArray[Any], List[str]]:
    array = as_array(segments, "segments")
    if array.dtype.kind == "c":
        raise ValueError("segments must be texts, numbers or dates, not complex numbers")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError("segments must have one label per row, not the shape %s" % (array.shape,))
    has_order = array.dtype.kind in "iub" or (array.dtype.kind == "U" and not np.any(array == ""))
    if not has_order:
        return _categorise(array.tolist() if array.dtype.kind != "M" else array.astype(str).tolist())
    _, first, inverse = np.unique(array, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int32)  # in the order of their first rows
    place[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return place[inverse].astype(np.int32), [str(array[i]) for i in np.sort(first)]


# ---- the table ----


class Table:
    """X and segments, ready for the library; keeps alive whatever its pointers point to.

    segments: labels, one per row; the name of a column of X; "equal:K", to cut the rows into K blocks; or None.
    """

    def __init__(self, X: Any, segments: Any = None) -> None:
        self._keys, columns = columns_of(X)
        self.names = ["c%d" % (j + 1) for j in range(len(columns))] if not self._keys else [str(k) for k in self._keys]
        self._places = list(self.names)  # with the column of labels, where that is one of X
        self.rows = len(columns[0]) if columns else len(X)
        self.segment = ""  # the options that tell of segments
        self.segments = ""
        self.labels: List[str] = []
        self.category: Optional[NDArray[Any]] = None
        self._take_segments(X, segments, columns)
        self.values = [_doubles(column, name) for name, column in zip(self.names, columns)]

    def _take_segments(self, X: Any, segments: Any, columns: List[Any]) -> None:
        if segments is None:
            return
        if isinstance(segments, str) and segments not in self.names:
            if not segments.startswith("equal:"):
                near = difflib.get_close_matches(segments, self.names, 1)
                raise ValueError(
                    "segments=%r: X has no column of that name; give labels, one per row, a column, or equal:K%s"
                    % (segments, ". Did you mean %r?" % near[0] if near else "")
                )
            self.segments = segments
            return
        if isinstance(segments, str):
            place = self.names.index(segments)
            self.segment, segments = segments, columns[place]
            del self.names[place], columns[place]
        else:
            refuse_segments(segments)
            self.segment = str(segments.name) if _is_series(segments) and segments.name is not None else "segment"
            self._drop_twin(segments, columns)
        if len(segments) != self.rows:
            raise ValueError("X has %d rows, but segments has %d labels" % (self.rows, len(segments)))
        self.category, self.labels = _codes(segments)

    def _drop_twin(self, segments: Any, columns: List[Any]) -> None:
        """The column of labels may still be in X: it is no variable then."""
        if self.segment not in self.names:
            return
        place = self.names.index(self.segment)
        if _equal(columns[place], segments):
            del self.names[place], columns[place]
        elif not _is_series(segments):
            self.segment = "segments"  # a name of ours gives way
        else:
            raise ValueError(
                "segments is called %r, and so is a column of X that is something else; rename one" % self.segment
            )

    def name_of(self, wish: Any) -> str:
        """A variable, by its name or, from 0, its place in X, as the library calls it."""
        is_place = isinstance(wish, (int, np.integer)) and not isinstance(wish, bool) and wish not in self._keys
        if not is_place:
            return str(wish)
        if not -len(self._places) <= wish < len(self._places):
            raise ValueError("there is no column %d; X has %d, counted from 0" % (wish, len(self._places)))
        return self._places[int(wish)]

    def list_of(self, wish: Any) -> Optional[str]:
        """Variables, by names or places, one or several, as the library takes lists."""
        if wish is None:
            return None
        if isinstance(wish, (str, int, np.integer)):
            return self.name_of(wish)
        names = [self.name_of(one) for one in wish]
        if len(names) > 1:  # a comma would part such a name in two; its number does not
            names = ["#%d" % (self.names.index(one) + 1) if "," in one and one in self.names else one for one in names]
        return ",".join(names)

    def label_of(self, wish: Any) -> str:
        """The label of a segment: as text, or as the number or date that the text stands for."""
        text = str(wish)
        if text in self.labels:
            return text
        for read in (float, np.datetime64):
            for label in self.labels:
                try:
                    if read(label) == read(wish):
                        return label
                except (TypeError, ValueError):
                    pass
        return text

    def numbers(self, wanted: Any = None) -> List[str]:
        """The variables: all columns of numbers, or those wanted, in that order."""
        if wanted is None:
            return [name for name, values in zip(self.names, self.values) if values is not None]
        return [self.name_of(one) for one in ([wanted] if isinstance(wanted, (str, int, np.integer)) else wanted)]

    def data(self, ctx: Context, options: c_void_p) -> c_void_p:
        """The data set of the library."""
        column = (c.Column * max(1, len(self.names)))()
        for j, (name, values) in enumerate(zip(self.names, self.values)):
            column[j].name = _encode(name)
            if values is not None:
                column[j].values = values.ctypes.data
                column[j].stride = values.strides[0] // _BYTES if self.rows > 1 else 1
        labels = (c_char_p * max(1, len(self.labels)))(*[_encode(label) for label in self.labels])
        category = None if self.category is None else self.category.ctypes.data_as(c_void_p)
        return ctx.run(
            c.lib.nonsens_data_from_columns,
            c.lib.nonsens_data_free,
            self.rows,
            len(self.names),
            ctypes.cast(column, ctypes.POINTER(c.Column)),
            category,
            len(self.labels),
            ctypes.cast(labels, ctypes.POINTER(c_char_p)),
            options,
        )


def _encode(name: str) -> bytes:
    if "\0" in name:
        raise ValueError("there is a NUL in the name %r" % name)
    return name.encode("utf-8")


def _equal(a: Any, b: Any) -> bool:
    """Whether two columns hold the same labels, missing ones included."""
    try:
        one, other = as_array(a, "X"), as_array(b, "segments")
        if len(one) != len(other):
            return False
        are_numbers = one.dtype.kind in "fiub" and other.dtype.kind in "fiub"
        if are_numbers and bool(np.all(one == other)):
            return True  # 1 is 1.0
        (first, texts), (second, other_texts) = _codes(one), _codes(other)
        return texts == other_texts and bool(np.all(first == second))
    except (TypeError, ValueError):
        return False
