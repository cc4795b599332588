"""Tables in memory as the library takes them: columns without copies, labels of segments as categories.

Numbers that are already doubles are not copied here; the library makes the only copy, on which it works.
"""

from __future__ import annotations

import ctypes
import difflib
import reprlib
from collections.abc import Mapping
from ctypes import c_char_p, c_void_p
from typing import Any, List, Optional

import numpy as np
from numpy.typing import NDArray

from . import _library as c
from ._call import Context
from ._columns import addressable, as_array, columns_of, is_missing, refuse_segments
from ._frames import are_frames, columns_of_frames, frame_names
from ._segments import codes_of, joined_codes, label_columns, names_columns

_BYTES = 8  # of a double


def _is_series(values: Any) -> bool:
    return hasattr(values, "name") and hasattr(values, "to_numpy")


# ---- numbers ----


def _refuse_text(values: NDArray[Any], name: str) -> None:
    """Raises an error at the first value that is not a number, as for a file; does nothing if no value is a number."""
    numbers, first = 0, None
    for i, value in enumerate(values):
        if isinstance(value, (Mapping, list, set)):
            raise TypeError(
                "column %r, data row %d: the argument must be a string or a number, not %r" % (name, i + 1, type(value))
            )
        try:
            numbers += not np.isnan(float(value))
        except (TypeError, ValueError, OverflowError):
            first = (i, value) if first is None and not is_missing(value) else first
    if first is not None and (numbers or isinstance(first[1], int)):
        problem = "too large for a floating-point number" if isinstance(first[1], int) else "not a number"
        raise ValueError("column %r, data row %d: %s is %s" % (name, first[0] + 1, reprlib.repr(first[1]), problem))


def _doubles(values: Any, name: str) -> Optional[NDArray[Any]]:
    """Returns (rows) doubles, in the caller's own memory if possible; None for a column of text."""
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "fiub":
        doubles: Any = values.astype(np.float64)
        return np.asarray(doubles.filled(np.nan))
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
        raise ValueError("Complex data not supported: column %r; take real numbers" % name)
    if array.dtype.kind not in "fiub":
        return None  # dates, times and similar values
    return addressable(np.asarray(array, dtype=np.float64))


# ---- the table ----


class Table:
    """X and segments, ready for the library; keeps alive whatever its pointers point to.

    segments: labels, one per row; the name of a column of X, or several; "equal:K", to cut the rows into K blocks; or
    None.
    """

    def __init__(self, X: Any, segments: Any = None) -> None:
        self.segment = ""  # the options about segments
        self.segments = ""
        self.labels: List[str] = []
        self.category: Optional[NDArray[Any]] = None
        if are_frames(X):
            self._keys, columns, lengths = columns_of_frames(X)
            segments = self._labels_of_frames(X, segments, lengths)
        else:
            self._keys, columns = columns_of(X)
        self.names = ["c%d" % (j + 1) for j in range(len(columns))] if not self._keys else [str(k) for k in self._keys]
        self._places = list(self.names)  # includes the column of labels, if it belongs to X
        self.rows = len(columns[0]) if columns else _rows_without_columns(X)
        self._take_segments(segments, columns)
        self.values = [_doubles(column, name) for name, column in zip(self.names, columns)]

    def _labels_of_frames(self, X: Any, segments: Any, lengths: List[int]) -> Any:
        """Makes each frame a segment with its key as label, or s1, s2, ...; unless a column has the labels."""
        if segments is None:
            return np.repeat(np.array(frame_names(X), dtype=object), lengths)
        if isinstance(segments, str) or (isinstance(segments, (list, tuple)) and len(segments) != sum(lengths)):
            raise ValueError(
                "X is several frames, each a segment, so segments cannot be given as well; leave it out, or put all "
                "rows into one frame"
            )
        return segments

    def _take_segments(self, segments: Any, columns: List[Any]) -> None:
        if segments is None:
            return
        if isinstance(segments, str) and segments not in self.names:
            if not segments.startswith("equal:"):
                raise ValueError(
                    "segments=%r: X has no column of that name; give labels, one per row, a column, or equal:K%s"
                    % (segments, self._hint(segments))
                )
            self.segments = segments
            return
        if isinstance(segments, str) or names_columns(segments, self.names, self.rows):
            labels = self._take_columns([segments] if isinstance(segments, str) else list(segments), columns)
        else:
            labels = self._take_labels(segments, columns)
        if len(labels[0]) != self.rows:
            raise ValueError("X has %d rows, but segments has %d labels" % (self.rows, len(labels[0])))
        self.category, self.labels = joined_codes(labels)

    def _hint(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.names, 1)
        return ". Did you mean %r?" % near[0] if near else ""

    def _take_columns(self, wanted: List[str], columns: List[Any]) -> List[Any]:
        """Takes columns of labels out of X."""
        self.segment = ",".join(wanted)
        found = []
        for name in wanted:
            if name not in self.names:
                raise ValueError("segments names %r, but X has no such column%s" % (name, self._hint(name)))
            place = self.names.index(name)
            found.append(columns[place])
            del self.names[place], columns[place]
        return found

    def _take_labels(self, segments: Any, columns: List[Any]) -> List[Any]:
        """Takes labels that are given separately from X."""
        refuse_segments(segments)
        names, labels = label_columns(segments)
        if len(labels) == 1 and not names:
            self.segment = str(segments.name) if _is_series(segments) and segments.name is not None else "segment"
            self._drop_twin(segments, columns)
            return labels
        self.segment = ",".join(str(name) for name in names)
        for name, values in zip(names, labels):
            place = self.names.index(str(name)) if str(name) in self.names else -1
            if place >= 0 and _equal(columns[place], values):
                del self.names[place], columns[place]
        return labels

    def _drop_twin(self, segments: Any, columns: List[Any]) -> None:
        """Drops the column of labels if it is still in X, because it is not a variable then."""
        if self.segment not in self.names:
            return
        place = self.names.index(self.segment)
        if _equal(columns[place], segments):
            del self.names[place], columns[place]
        elif not _is_series(segments):
            self.segment = "segments"  # an invented name yields to an existing one
        else:
            raise ValueError(
                "segments is called %r, and so is a column of X that is something else; rename one" % self.segment
            )

    def name_of(self, wish: Any) -> str:
        """Returns the library's name of a variable, given by name or by its position in X, from 0."""
        is_place = isinstance(wish, (int, np.integer)) and not isinstance(wish, bool) and wish not in self._keys
        if not is_place:
            return str(wish)
        if not -len(self._places) <= wish < len(self._places):
            raise ValueError("there is no column %d; X has %d, counted from 0" % (wish, len(self._places)))
        return self._places[int(wish)]

    def list_of(self, wish: Any) -> Optional[str]:
        """Returns the library's list of variables, given by names or positions, one or several."""
        if wish is None:
            return None
        if isinstance(wish, (str, int, np.integer)):
            return self.name_of(wish)
        names = [self.name_of(one) for one in wish]
        if len(names) > 1:  # a comma would split such a name; its number has none
            names = ["#%d" % (self.names.index(one) + 1) if "," in one and one in self.names else one for one in names]
        return ",".join(names)

    def label_of(self, wish: Any) -> str:
        """Returns the label of a segment: as text, or as the number or date that the text stands for."""
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
        """Returns the variables: all columns of numbers, or the requested ones, in that order."""
        if wanted is None:
            return [name for name, values in zip(self.names, self.values) if values is not None]
        return [self.name_of(one) for one in ([wanted] if isinstance(wanted, (str, int, np.integer)) else wanted)]

    def data(self, ctx: Context, options: c_void_p) -> c_void_p:
        """Makes the library's data set."""
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


def _rows_without_columns(X: Any) -> int:
    try:
        return len(X)
    except TypeError:
        raise ValueError("X has no columns; give a table with numbers") from None


def _encode(name: str) -> bytes:
    if "\0" in name:
        raise ValueError("there is a NUL in the name %r" % name)
    return name.encode("utf-8")


def _equal(a: Any, b: Any) -> bool:
    """Whether two columns hold the same labels, including missing ones."""
    try:
        one, other = as_array(a, "X"), as_array(b, "segments")
        if len(one) != len(other):
            return False
        are_numbers = one.dtype.kind in "fiub" and other.dtype.kind in "fiub"
        if are_numbers and bool(np.all(one == other)):
            return True  # 1 equals 1.0
        (first, texts), (second, other_texts) = codes_of(one), codes_of(other)
        return texts == other_texts and bool(np.all(first == second))
    except (TypeError, ValueError):
        return False
