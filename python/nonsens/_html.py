"""Results as HTML, for notebooks.  Names and labels come from files, so all text that is not ours is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from . import _library as c
from . import _svg

if TYPE_CHECKING:
    from ._graph import Graph
    from ._results import Result
    from ._simulation import Simulation

_ROWS = 30  # of a table; further rows are counted


def _number(value: Any) -> str:
    return "" if value is None else "%.4g" % value if isinstance(value, float) else escape(str(value))


def _p_value(value: Optional[float]) -> Optional[str]:
    """Formats a p-value as a cell: "0.03", or "< 0.001" below the library's bound."""
    bound = float(c.lib.nonsens_p_value_bound())
    return None if value is None else "< %g" % bound if value < bound else "%.3g" % value


def p_words(value: Optional[float]) -> str:
    """Formats a p-value in a sentence: "p = 0.03" or "p < 0.001"; empty if there is none."""
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
    head = "<p>%s</p>" % escape(title) if title else ""
    return "%s<ul>%s</ul>" % (head, "".join("<li>%s</li>" % escape(text) for text in texts))


def _edges(graph: "Graph") -> str:
    columns = ["from", "", "to", "effect", "weight", "p", "support"]
    rows: List[Sequence[Any]] = [
        (e.source, e.type, e.target, e.effect, e.weight, _p_value(e.p_value), e.support) for e in graph.edges
    ]
    empty = [k for k in range(3, len(columns)) if all(row[k] is None for row in rows)]
    kept = [k for k in range(len(columns)) if k not in empty]
    if not rows:
        return "<p>no edges between %s</p>" % escape(", ".join(graph.nodes))
    return _table([columns[k] for k in kept], [[row[k] for k in kept] for row in rows])


def _picture(graph: "Graph") -> str:
    picture = _svg.of_graph(graph)
    return "<div>%s</div>" % picture if picture else ""


def _folded(title: str, inside: str) -> str:
    return "<details><summary>%s</summary>%s</details>" % (escape(title), inside)


def of_graph(graph: "Graph") -> str:
    """Shows a picture and a list of edges."""
    return "<div><b>%s</b>%s%s</div>" % (escape(graph._in_words()), _picture(graph), _edges(graph))


def of_result(result: "Result") -> str:
    """Shows the answer and its cautions; notes and evidence are folded."""
    from ._graph import Graph

    parts = ["<div><b>%s</b>" % escape(result.summary)]
    reason: Optional[str] = result.reason
    if reason:
        parts.append("<p>%s</p>" % escape(reason))
    if isinstance(result, Graph):
        parts.append(_picture(result))
        parts.append(_edges(result))
    parts.append(_list("The data:", result.warnings))
    careful = [note for note, level in zip(result.notes, result.note_levels) if level != "info"]
    parts.append(_list("Take care:", careful))
    others = [note for note in result.notes if note not in careful]
    if others:
        parts.append(_folded("Notes (%d)" % len(others), _list("", others)))
    evidence: List[Sequence[Any]] = [(e.name, e.value, _p_value(e.p_value), e.text) for e in result.evidence]
    if evidence:
        table = _table(["evidence", "value", "p", "meaning"], evidence)
        parts.append(_folded("Evidence (%d)" % len(evidence), table))
    facts = "%d rows, %d segments, seed %d, nonsens %s" % (
        result.n_rows,
        result.n_segments,
        result.seed,
        result.version,
    )
    parts.append("<p><small>%s</small></p></div>" % escape(facts))
    return "".join(parts)


def of_pairs(pairs: Sequence[Dict[str, Any]]) -> str:
    """Shows one line per pair."""
    keys = ["x", "y", "decision", "direction", "score", "p_value", "q_value", "error"]
    rows: List[Sequence[Any]] = [
        [_p_value(pair[key]) if key in ("p_value", "q_value") else pair[key] for key in keys] for pair in pairs
    ]
    return _table(keys, rows)


def of_segments(segments: Sequence[Dict[str, Any]]) -> str:
    """Shows one line per segment."""
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
    """Shows what was simulated."""
    return "<div><b>%s</b>%s%s</div>" % (
        escape(repr(simulation)[1:-1]),
        _picture(simulation.graph),
        _edges(simulation.graph),
    )
