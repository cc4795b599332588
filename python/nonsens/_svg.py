"""A graph as a small picture for notebooks: SVG without scripts, in the colour of the surrounding text."""

from __future__ import annotations

from html import escape
from math import hypot
from typing import TYPE_CHECKING, Dict, List, NamedTuple, Tuple

if TYPE_CHECKING:
    from ._graph import Edge, Graph

_MAX_NODES, _MAX_EDGES, _MAX_LETTERS = 40, 120, 24
_LETTER, _PADDING, _HEIGHT = 7.2, 10.0, 26.0  # pixels: width of a letter, beside a name, height of a box
_ACROSS, _DOWN, _MARGIN = 26.0, 46.0, 8.0  # pixels between boxes, between rows, around the picture
_HEAD = 9.0  # length of an arrowhead

_Point = Tuple[float, float]
_SWEEPS = 4  # over the rows, to place connected nodes below one another


class _Box(NamedTuple):
    x: float  # of the centre
    y: float
    width: float


class _Layout(NamedTuple):
    boxes: Dict[str, _Box]  # boxes of nodes, and of the gaps that long edges pass through
    paths: List[List[str]]  # for each edge: its source, the gaps, its target
    width: float
    height: float


def _short(name: str) -> str:
    """Shortens a name to fit into a box; the middle is left out, because names often differ at their ends."""
    if len(name) <= _MAX_LETTERS:
        return name
    half = (_MAX_LETTERS - 1) // 2
    return name[:half] + "\N{HORIZONTAL ELLIPSIS}" + name[-half:]


# ---- rows ----


def _order(graph: "Graph") -> List[str]:
    """Sorts causes before effects, as far as there are no cycles."""
    causes = {name: graph.parents(name) for name in graph.nodes}
    order: List[str] = []
    while len(order) < len(graph.nodes):
        left = [name for name in graph.nodes if name not in order]
        free = [name for name in left if not set(causes[name]) - set(order)]
        order += free or [min(left, key=lambda name: len(set(causes[name]) - set(order)))]
    return order


def _levels(graph: "Graph") -> Dict[str, int]:
    """Returns the row of each node: below all neighbours that come before it."""
    place = {name: k for k, name in enumerate(_order(graph))}
    level = dict.fromkeys(graph.nodes, 0)
    ends = [sorted((e.source, e.target), key=lambda name: place[name]) for e in graph.edges]
    for upper, lower in sorted(ends, key=lambda pair: place[pair[0]]):
        level[lower] = max(level[lower], level[upper] + 1)
    return level


def _rows_and_paths(graph: "Graph") -> Tuple[List[List[str]], List[List[str]]]:
    """Returns the rows from top to bottom, with a gap in each row that an edge passes, and the path of each edge."""
    level = _levels(graph)
    rows: List[List[str]] = [[] for _ in range(max(level.values()) + 1)]
    for name in graph.nodes:
        rows[level[name]].append(name)
    paths = []
    for k, edge in enumerate(graph.edges):
        first, last = level[edge.source], level[edge.target]
        step = 1 if first < last else -1
        gaps = ["\0%d %d" % (k, row) for row in range(first + step, last, step)]  # no name contains NUL
        for row, gap in zip(range(first + step, last, step), gaps):
            rows[row].append(gap)
        paths.append([edge.source, *gaps, edge.target])
    return rows, paths


def _sort_rows(rows: List[List[str]], paths: List[List[str]]) -> None:
    """Sorts each row by the positions of neighbours in the row above, then in the row below, repeatedly."""
    joined: Dict[str, List[str]] = {name: [] for row in rows for name in row}
    for path in paths:
        for one, other in zip(path, path[1:]):
            joined[one].append(other)
            joined[other].append(one)
    for sweep in range(_SWEEPS):
        ways = range(1, len(rows)) if sweep % 2 == 0 else range(len(rows) - 2, -1, -1)
        for k in ways:
            beside = rows[k - 1] if sweep % 2 == 0 else rows[k + 1]
            place = {name: (i + 0.5) / len(beside) for i, name in enumerate(beside)}
            own = {name: (i + 0.5) / len(rows[k]) for i, name in enumerate(rows[k])}
            rows[k].sort(key=lambda name: _mean([place[j] for j in joined[name] if j in place], own[name]))


def _mean(values: List[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _layout(graph: "Graph") -> _Layout:
    """Computes all positions."""
    rows, paths = _rows_and_paths(graph)
    _sort_rows(rows, paths)
    widths = {name: 0.0 if name[0] == "\0" else _LETTER * len(_short(name)) + 2 * _PADDING for r in rows for name in r}
    lengths = [sum(widths[name] for name in row) + _ACROSS * (len(row) - 1) for row in rows]
    boxes = {}
    for k, (row, length) in enumerate(zip(rows, lengths)):
        x, y = _MARGIN + (max(lengths) - length) / 2, _MARGIN + _HEIGHT / 2 + k * (_HEIGHT + _DOWN)
        for name in row:
            boxes[name] = _Box(x + widths[name] / 2, y, widths[name])
            x += widths[name] + _ACROSS
    high = len(rows) * _HEIGHT + (len(rows) - 1) * _DOWN
    return _Layout(boxes, paths, max(lengths) + 2 * _MARGIN, high + 2 * _MARGIN)


# ---- shapes ----


def _border(box: _Box, towards: _Point) -> _Point:
    """Returns where the line from the centre of a box towards a point leaves the box."""
    dx, dy = towards[0] - box.x, towards[1] - box.y
    share = min(
        box.width / 2 / abs(dx) if dx else float("inf"),
        _HEIGHT / 2 / abs(dy) if dy else float("inf"),
    )
    return box.x + share * dx, box.y + share * dy


def _points(path: List[str], boxes: Dict[str, _Box]) -> List[_Point]:
    """Returns the line of an edge: from border to border, vertical through gaps."""
    inner: List[_Point] = []
    down = 1 if boxes[path[0]].y < boxes[path[-1]].y else -1
    for gap in path[1:-1]:
        box = boxes[gap]
        inner += [(box.x, box.y - down * _HEIGHT / 2), (box.x, box.y + down * _HEIGHT / 2)]
    a, b = boxes[path[0]], boxes[path[-1]]
    start = _border(a, inner[0] if inner else (b.x, b.y))
    end = _border(b, inner[-1] if inner else (a.x, a.y))
    return [start, *inner, end]


def _head(tip: _Point, behind: _Point) -> str:
    """Returns an arrowhead whose shaft comes from a point."""
    dx, dy = tip[0] - behind[0], tip[1] - behind[1]
    length = hypot(dx, dy) or 1.0
    ux, uy = dx / length, dy / length
    x, y = tip[0] - _HEAD * ux, tip[1] - _HEAD * uy
    points = (tip, (x - 0.4 * _HEAD * uy, y + 0.4 * _HEAD * ux), (x + 0.4 * _HEAD * uy, y - 0.4 * _HEAD * ux))
    corners = " ".join("%.1f,%.1f" % point for point in points)
    return "<polygon points='%s' fill='currentColor' stroke='none'/>" % corners


def _words(edge: "Edge") -> str:
    return str(edge) + ("" if edge.effect is None else ", effect %.3g" % edge.effect)


def _edge(edge: "Edge", points: List[_Point]) -> str:
    dashed = " stroke-dasharray='5 4'" if edge.type == "<->" or edge.confounded else ""
    line = " ".join("%.1f,%.1f" % point for point in points)
    path = "<polyline points='%s' fill='none' stroke-linejoin='round'%s/>" % (line, dashed)
    heads = _head(points[-1], points[-2]) if edge.type != "---" else ""
    heads += _head(points[0], points[1]) if edge.type == "<->" else ""
    return "<g><title>%s</title>%s%s</g>" % (escape(_words(edge)), path, heads)


def _node(name: str, box: _Box) -> str:
    frame = "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='6' fill='none'/>" % (
        box.x - box.width / 2,
        box.y - _HEIGHT / 2,
        box.width,
        _HEIGHT,
    )
    text = "<text x='%.1f' y='%.1f' text-anchor='middle' fill='currentColor' stroke='none'>%s</text>" % (
        box.x,
        box.y + 4.5,
        escape(_short(name)),
    )
    return "<g><title>%s</title>%s%s</g>" % (escape(name), frame, text)


def of_graph(graph: "Graph") -> str:
    """Draws a graph; empty if it would be too large to read."""
    if not graph.nodes or not graph.edges or len(graph.nodes) > _MAX_NODES or len(graph.edges) > _MAX_EDGES:
        return ""
    layout = _layout(graph)
    parts = [_edge(edge, _points(path, layout.boxes)) for edge, path in zip(graph.edges, layout.paths)]
    parts += [_node(name, layout.boxes[name]) for name in graph.nodes]
    wide, high = layout.width, layout.height
    return (
        "<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='graph with %d nodes and %d edges' "
        "width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f' style='max-width:100%%' font-family='monospace' "
        "font-size='12' stroke='currentColor'>%s</svg>"
        % (len(graph.nodes), len(graph.edges), wide, high, wide, high, "".join(parts))
    )
