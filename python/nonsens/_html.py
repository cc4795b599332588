"""Results as HTML, for notebooks.  Names and labels come from files: whatever is not ours is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from . import _library as c

if TYPE_CHECKING:
    from ._graph import Graph
    from ._results import Result
    from ._simulation import Simulation

_ROWS = 30  # of a table; more are counted


def _number(value: Any) -> str:
    return "" if value is None else "%.4g" % value if isinstance(value, float) else escape(str(value))


def _p_value(value: Optional[float]) -> Optional[str]:
    """A p-value as a cell: "0.03", or "< 0.001" below the library's bound."""
    bound = float(c.lib.nonsens_p_value_bound())
    return None if value is None else "< %g" % bound if value < bound else "%.3g" % value


def p_words(value: Optional[float]) -> str:
    """A p-value in a sentence: "p = 0.03" or "p < 0.001"; empty if there is none."""
    cell = _p_value(value)
    return "" if cell is None else "p " + cell if cell.startswith("<") else "p = " + cell


def _table(head: Sequence[str], rows: List[Sequence[Any]]) -> str:
    cells = ["<tr>%s</tr>" % "".join("<th style='text-align:left'>%s</th>" % escape(word) for word in head)]
    for row in rows[:_ROWS]:
        cells.append("<tr>%s</tr>" % "".join("<td style='text-align:left'>%s</td>" % _number(cell) for cell in row))
    more = "<p>and %d more</p>" % (len(rows) - _ROWS) if len(rows) > _ROWS else ""
    return "<table>%s</table>%s" % ("".join(cells), more)


def _list(title: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    return "<p>%s</p><ul>%s</ul>" % (escape(title), "".join("<li>%s</li>" % escape(text) for text in texts))


def _edges(graph: "Graph") -> str:
    columns = ["from", "", "to", "weight", "p", "support"]
    rows: List[Sequence[Any]] = [
        (e.source, e.type, e.target, e.weight, _p_value(e.p_value), e.support) for e in graph.edges
    ]
    empty = [k for k in range(3, 6) if all(row[k] is None for row in rows)]
    kept = [k for k in range(6) if k not in empty]
    if not rows:
        return "<p>no edges between %s</p>" % escape(", ".join(graph.nodes))
    return _table([columns[k] for k in kept], [[row[k] for k in kept] for row in rows])


def of_graph(graph: "Graph") -> str:
    """A list of edges."""
    return "<div><b>%s</b>%s</div>" % (escape(graph._in_words()), _edges(graph))


def of_result(result: "Result") -> str:
    """Decision, what was found, and the evidence, which can be folded away."""
    from ._graph import Graph

    parts = ["<div><b>%s</b>" % escape(result.summary)]
    reason: Optional[str] = result.reason
    if reason:
        parts.append("<p>%s</p>" % escape(reason))
    if isinstance(result, Graph):
        parts.append(_edges(result))
    parts.append(_list("The data:", result.warnings))
    parts.append(_list("Notes:", result.notes))
    evidence: List[Sequence[Any]] = [(e.name, e.value, _p_value(e.p_value), e.text) for e in result.evidence]
    if evidence:
        table = _table(["evidence", "value", "p", "meaning"], evidence)
        parts.append("<details><summary>Evidence (%d)</summary>%s</details>" % (len(evidence), table))
    facts = "%d rows, %d segments, seed %d, nonsens %s" % (
        result.n_rows,
        result.n_segments,
        result.seed,
        result.version,
    )
    parts.append("<p><small>%s</small></p></div>" % escape(facts))
    return "".join(parts)


def of_pairs(pairs: Sequence[Dict[str, Any]]) -> str:
    """One line per pair."""
    keys = ["x", "y", "decision", "direction", "score", "p_value", "q_value", "error"]
    rows: List[Sequence[Any]] = [
        [_p_value(pair[key]) if key in ("p_value", "q_value") else pair[key] for key in keys] for pair in pairs
    ]
    return _table(keys, rows)


def of_segments(segments: Sequence[Dict[str, Any]]) -> str:
    """One line per segment."""
    keys = ["segment", "rows", "root_causes", "size", "q_value", "error"]
    rows: List[Sequence[Any]] = [
        [
            _p_value(one[key]) if key == "q_value" else ", ".join(one[key]) if key == "root_causes" else one[key]
            for key in keys
        ]
        for one in segments
    ]
    return _table(keys, rows)


def of_simulation(simulation: "Simulation") -> str:
    """What was simulated."""
    return "<div><b>%s</b>%s</div>" % (escape(repr(simulation)[1:-1]), _edges(simulation.graph))
