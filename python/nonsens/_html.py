"""Results as HTML, for notebooks.  Names and labels come from files: whatever is not ours is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

if TYPE_CHECKING:
    from ._graph import Graph
    from ._results import Result, Simulation

_ROWS = 30  # of a table; more are counted


def _number(value: Any) -> str:
    return "" if value is None else "%.4g" % value if isinstance(value, float) else escape(str(value))


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
        (e.source, e.type, e.target, e.weight, e.p_value, e.support) for e in graph.edges
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
    evidence: List[Sequence[Any]] = [(e.name, e.value, e.p_value, e.text) for e in result.evidence]
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
    return _table(keys, [[pair[key] for key in keys] for pair in pairs])


def of_simulation(simulation: "Simulation") -> str:
    """What was simulated."""
    return "<div><b>%s</b>%s</div>" % (escape(repr(simulation)[1:-1]), _edges(simulation.graph))
