"""Results of many units, such as pairs or segments: a line of JSON each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Sequence

from . import _html
from ._sentences import document_in_python

if TYPE_CHECKING:
    import pandas  # type: ignore[import]


class _Lines(Sequence[Dict[str, Any]]):
    """Results of many units: a sequence of dicts, one for each line of JSON."""

    def __init__(self, lines: str) -> None:
        self._lines = lines
        self._found: List[Dict[str, Any]] = [document_in_python(json.loads(line)) for line in lines.split("\n") if line]

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, index: Any) -> Any:
        return self._found[index]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self._found)

    def to_json(self) -> str:
        """Returns one JSON object per line, as the program writes them."""
        return self._lines


class PairsResult(_Lines):
    """A direction for each of many pairs: a sequence of dicts with the keys x, y, decision, p_value, q_value, ..."""

    def __repr__(self) -> str:
        decided = sum("->" in (pair["decision"] or "") for pair in self._found)
        return "<PairsResult: %d pairs, %d directions>" % (len(self), decided)

    def _repr_html_(self) -> str:
        return _html.of_pairs(self._found)

    def to_frame(self) -> "pandas.DataFrame":
        """Makes a pandas.DataFrame of the pairs."""
        import pandas

        return pandas.DataFrame(self._found)


class SegmentsResult(_Lines):
    """The variables that changed by themselves in each segment: a sequence of dicts with the keys segment, p_value,
    q_value, error, explain, ..."""

    def __repr__(self) -> str:
        changed = sum(bool(row["root_causes"]) for row in self._rows())
        return "<SegmentsResult: %d segments, %d with root causes>" % (len(self), changed)

    def _repr_html_(self) -> str:
        return _html.of_segments(self._rows())

    def _rows(self) -> List[Dict[str, Any]]:
        rows = []
        for line in self._found:
            explain = line.get("explain", {"root_causes": [], "variables": [], "of_rows": None})
            size = explain["variables"][0]["size"] if explain["root_causes"] else None
            rows.append(
                {
                    "segment": line["segment"],
                    "rows": explain["of_rows"],
                    "root_causes": explain["root_causes"],
                    "size": size,
                    "p_value": line["p_value"],
                    "q_value": line["q_value"],
                    "error": line["error"],
                }
            )
        return rows

    def to_frame(self) -> "pandas.DataFrame":
        """Makes a pandas.DataFrame with a row for each segment: its root causes, the size of the first one, p and q."""
        import pandas

        return pandas.DataFrame(self._rows())
