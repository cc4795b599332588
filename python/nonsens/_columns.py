"""Takes X as columns, and raises errors for values that have none.

Columns are views of the caller's memory if possible; masked values become missing ones.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Mapping
from typing import Any, List, Tuple

import numpy as np
from numpy.typing import NDArray

from ._arrow import read, speaks_arrow

_BYTES = 8  # of a double
_WANTED = "give an array with rows and columns, a data frame, an Arrow table or a dict of columns"


# ---- missing values ----


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT, pandas.NA or a masked element."""
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"  # pandas.NA is neither equal to anything nor different


def _unmasked(array: Any) -> NDArray[Any]:
    """Returns the array without its mask: masked values become NaN, NaT or None, depending on the type."""
    values = np.asarray(array.data)
    if array.dtype.names or not np.any(array.mask):
        return values
    missing = {"f": np.nan, "M": "NaT", "m": "NaT"}
    values = values.copy() if array.dtype.kind in missing else values.astype(object)
    values[array.mask] = missing.get(array.dtype.kind)
    return values


def _without_masks(values: Any) -> Any:
    """Removes masks from arrays, and from lists of arrays or of single values."""
    if values is np.ma.masked:
        return None
    if isinstance(values, np.ma.MaskedArray):
        return _unmasked(values)
    if isinstance(values, (list, tuple)):
        return [_without_masks(value) for value in values]
    return values


def as_array(values: Any, what: str) -> NDArray[Any]:
    """Makes an array of any value that can become one; masked values become missing."""
    if speaks_arrow(values) and not hasattr(values, "to_numpy"):
        return as_array(read(values)[1][0], what)
    try:
        return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else _without_masks(values))
    except ValueError:  # numpy's own message is about inhomogeneous shapes
        raise ValueError("%s has rows of different lengths%s" % (what, _lengths(values))) from None


def _lengths(rows: Any) -> str:
    """Says where the lengths differ, for a message."""
    try:
        length = [len(row) for row in rows]
        other = next(i for i, one in enumerate(length) if one != length[0])
        return ": row 1 has %d values, row %d has %d" % (length[0], other + 1, length[other])
    except (TypeError, StopIteration):
        return "; give every row as many values"


# ---- memory ----


def addressable(array: NDArray[Any]) -> NDArray[Any]:
    """Returns the array itself if the library can step through it in doubles, otherwise a copy."""
    fits = array.dtype.isnative and array.flags.aligned and all(stride % _BYTES == 0 for stride in array.strides)
    return array if fits else np.array(array, dtype=np.float64)


# ---- what X and segments may be ----


def is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and not isinstance(X, np.ndarray)


def is_sequence(values: Any) -> bool:
    """Whether a value can become an array with at least one dimension."""
    return isinstance(values, (list, tuple)) or speaks_arrow(values) or (
        (hasattr(values, "__array__") or hasattr(values, "to_numpy")) and np.ndim(values) > 0
    )


def refuse_segments(segments: Any) -> None:
    """Raises an error for segments that are not a label for each row."""
    if not is_sequence(segments):
        raise ValueError(
            'segments must be labels, one per row, the name of a column of X, a list of such names or "equal:K", not %s'
            % _description(segments)
        )


def _description(value: Any) -> str:
    """Describes a value, for a message."""
    if value is None:
        return "None"
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return "the single value %s" % reprlib.repr(value.item())
    if isinstance(value, (str, bytes, os.PathLike)):
        return "the text %s" % reprlib.repr(os.fspath(value))
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return "the single value %s" % reprlib.repr(value)
    return "a value of the type %s" % type(value).__name__


def columns_of(X: Any) -> Tuple[List[Any], List[Any]]:
    """Returns the columns of X with their names; no names if X is an array."""
    if speaks_arrow(X):
        return read(X)
    if hasattr(X, "toarray"):  # some sparse matrices are dicts as well
        raise ValueError("X is sparse; write X.toarray()")
    if is_frame(X):
        names = list(X.columns)
        return names, [X.iloc[:, j] for j in range(len(names))] if hasattr(X, "iloc") else [X[k] for k in names]
    if isinstance(X, Mapping):
        return list(X), _columns_of_dict(X)
    if isinstance(X, np.ndarray) and X.dtype.names and X.ndim == 1:
        return list(X.dtype.names), _columns_of_dict({name: X[name] for name in X.dtype.names})
    return [], _columns_of_array(X)


def _columns_of_dict(X: "Mapping[Any, Any]") -> List[Any]:
    columns = [v if hasattr(v, "to_numpy") else as_array(v, "column %r" % name) for name, v in X.items()]
    for name, values in zip(X, columns):
        if np.ndim(values) != 1:
            shape = np.shape(values)
            raise ValueError("column %r of X must have one value per row, not the shape %s" % (name, shape))
        if len(values) != len(columns[0]):
            first = next(iter(X))
            raise ValueError(
                "column %r of X has %d rows, but column %r has %d" % (name, len(values), first, len(columns[0]))
            )
    return columns


def _refuse_no_array(X: Any) -> None:
    """Raises an error, with a remedy, for values that NumPy would pack into a single object."""
    if isinstance(X, (str, bytes, os.PathLike)):
        raise ValueError("X is %s; if it names a file, read that, such as with pandas.read_csv" % _description(X))
    if isinstance(X, (list, tuple)) and any(isinstance(row, Mapping) for row in X):
        raise ValueError("X is a list of dicts; write pandas.DataFrame(X)")
    if not is_sequence(X):
        raise ValueError("X is %s; %s" % (_description(X), _WANTED))


def _columns_of_array(X: Any) -> List[Any]:
    _refuse_no_array(X)
    array = as_array(X, "X")
    if array.size == 0 and array.ndim < 2:
        raise ValueError("X is empty; %s" % _WANTED)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported; take X.real or abs(X)")
    if array.dtype.kind in "mM":
        raise ValueError("X must hold real numbers, not %s; turn times into numbers, such as days" % array.dtype)
    if array.dtype.kind not in "fiubOUS":
        raise ValueError("X must hold real numbers, not %s" % array.dtype)
    if array.ndim == 1 and array.dtype.kind == "O" and any(isinstance(row, (list, tuple)) for row in array):
        raise ValueError("X has rows of different lengths%s" % _lengths(array))
    if array.ndim == 1:
        raise ValueError("X must have rows and columns; for one column write numpy.reshape(X, (-1, 1))")
    if array.ndim != 2:
        raise ValueError("X must have rows and columns, not %d dimensions" % array.ndim)
    if array.dtype.kind in "fiub":
        array = addressable(np.asarray(array, dtype=np.float64))
    return [array[:, j] for j in range(array.shape[1])]
