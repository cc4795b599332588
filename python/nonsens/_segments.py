"""Labels of segments as categories."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from ._arrow import read, speaks_arrow
from ._columns import as_array, columns_of, is_frame, is_missing

# Separates the parts of a label from several columns: the first separator that no part contains, as in the program.
_BETWEEN = ("/", " / ", "|", " | ", " + ", " & ", " -- ", "///")


def _label_text(value: Any) -> Optional[str]:
    """Returns a label as it would be in a file; None if it is missing."""
    if is_missing(value):
        return None
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return None if text in ("", "<NA>", "NaT") else text


def _categorise(values: Sequence[Any]) -> Tuple[NDArray[Any], List[str]]:
    """Returns (rows) categories in the order of their first rows, and their texts; -1 if the label is missing."""
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


def codes_of(segments: Any) -> Tuple[NDArray[Any], List[str]]:
    """Returns (rows) categories in the order of their first rows, and their texts; -1 if the label is missing."""
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


# ---- labels in several columns ----


def _separator(texts: Sequence[Sequence[str]]) -> str:
    held = {letter for column in texts for text in column for letter in text}
    return next((between for between in _BETWEEN if not held & set(between)), _BETWEEN[-1])


def joined_codes(columns: Sequence[Any]) -> Tuple[NDArray[Any], List[str]]:
    """Returns categories of rows by several columns: two rows have the same one if they agree in all columns."""
    found = [codes_of(column) for column in columns]
    (category, texts), between = found[0], _separator([one[1] for one in found])
    for other, other_texts in found[1:]:
        if len(other) != len(category):
            raise ValueError("the columns of segments have %d and %d rows" % (len(category), len(other)))
        both = category.astype(np.int64) * max(1, len(other_texts)) + other
        both[(category < 0) | (other < 0)] = -1
        values, first, inverse = np.unique(both, return_index=True, return_inverse=True)
        order = [k for k in np.argsort(first, kind="stable").tolist() if values[k] >= 0]
        number = np.full(len(values), -1, dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        pairs = [divmod(int(values[k]), max(1, len(other_texts))) for k in order]
        texts = [texts[a] + between + other_texts[b] for a, b in pairs]
        category = number[inverse].astype(np.int32)
    return category, texts


def label_columns(segments: Any) -> Tuple[List[Any], List[Any]]:
    """Returns names and columns of labels that are given as a table; otherwise one column without a name."""
    if is_frame(segments) or (speaks_arrow(segments) and not hasattr(segments, "to_numpy")):
        names, columns = read(segments) if speaks_arrow(segments) else columns_of(segments)
        if not columns:
            raise ValueError("segments is a table without columns; give one with a column of labels")
        return list(names), list(columns)
    return [], [segments]


def names_columns(segments: Any, known: Sequence[str], rows: int) -> bool:
    """Whether segments is a list of columns of X, not of labels."""
    if not isinstance(segments, (list, tuple)) or len(segments) in (0, rows):
        return False
    return all(isinstance(one, str) for one in segments) and any(one in known for one in segments)
