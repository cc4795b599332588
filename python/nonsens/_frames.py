"""Several tables with the same columns; each one is a segment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, List, Tuple

import numpy as np
from numpy.typing import NDArray

from ._arrow import speaks_arrow
from ._columns import as_array, columns_of, is_frame, is_sequence


def _is_table(value: Any) -> bool:
    """Whether a value has rows and columns."""
    if isinstance(value, Mapping):
        return len(value) > 0 and all(is_sequence(column) for column in value.values())
    if isinstance(value, np.ndarray):
        return value.ndim == 2 or value.dtype.names is not None
    return is_frame(value) or (speaks_arrow(value) and not hasattr(value, "to_numpy"))


def are_frames(X: Any) -> bool:
    """Whether X is a list or a dict of tables."""
    if not isinstance(X, (list, tuple, Mapping)) or hasattr(X, "toarray") or len(X) == 0:
        return False
    return all(map(_is_table, X.values() if isinstance(X, Mapping) else X))


def frame_names(X: Any) -> List[str]:
    """Returns the names of the tables: the keys of a dict; those of a list are s1, s2, ..."""
    return [str(name) for name in X] if isinstance(X, Mapping) else ["s%d" % (k + 1) for k in range(len(X))]


def _same_columns(one: List[Any], other: List[Any], name: str, first: str) -> None:
    """Raises an error if two tables have different columns."""
    lacking = [column for column in other if column not in one]
    extra = [column for column in one if column not in other]
    for columns, a, b in ((lacking, name, first), (extra, first, name)):
        if columns:
            raise ValueError(
                "frame %r has no column %r, which frame %r has; give all frames the same columns" % (a, columns[0], b)
            )


def columns_of_frames(X: Any) -> Tuple[List[Any], List[Any], List[int]]:
    """Joins all tables, matched by column names; returns names, columns and the rows of each table."""
    tables, labels = [columns_of(one) for one in (X.values() if isinstance(X, Mapping) else X)], frame_names(X)
    keys, first = tables[0]
    for label, (names, columns) in zip(labels[1:], tables[1:]):
        _same_columns(names, keys, label, labels[0])
        if len(columns) != len(first):
            raise ValueError(
                "frame %r has %d columns, but frame %r has %d; give all frames the same columns"
                % (label, len(columns), labels[0], len(first))
            )
    joined = []
    for j in range(len(first)):
        what = "column %r" % (keys[j] if keys else "c%d" % (j + 1))
        parts = [columns[names.index(keys[j]) if keys else j] for names, columns in tables]
        joined.append(_below_one_another([as_array(part, what) for part in parts]))
    return keys, joined, [len(columns[0]) if columns else 0 for _, columns in tables]


def _below_one_another(parts: List[NDArray[Any]]) -> NDArray[Any]:
    """Joins arrays; numbers and strings keep their type."""
    if all(part.dtype.kind in "fiub" for part in parts) or len({part.dtype.kind for part in parts}) == 1:
        return np.concatenate(parts)
    return np.concatenate([part.astype(object) for part in parts])
