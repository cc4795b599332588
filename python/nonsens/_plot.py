"""Pictures with matplotlib, if it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._graph import Graph
    from ._results import Change

_MAX_LABELS = 30


def _axes(ax: Any) -> Any:
    """Returns the given axes, or those of a new figure."""
    try:
        from matplotlib import pyplot  # type: ignore[import]
    except ImportError:
        raise ImportError("plots need matplotlib; install it (Debian: apt install python3-matplotlib)") from None
    return ax if ax is not None else pyplot.subplots()[1]


def _natural(label: str) -> Tuple[Any, ...]:
    """Returns a sort key that puts s2 before s10."""
    digits = "".join(letter for letter in label if letter.isdigit())
    return (label.rstrip("0123456789"), int(digits) if digits else -1, label)


def modulation(values: Mapping[str, Mapping[str, Optional[float]]], title: str, ax: Any) -> Any:
    """Draws a line over the segments for each variable or source."""
    if not values:
        raise ValueError("there is nothing to draw: the method says nothing on how disturbances change over segments")
    ax = _axes(ax)
    labels = sorted(next(iter(values.values())), key=_natural)
    for name, by_segment in values.items():
        heights = [np.nan if by_segment[label] is None else by_segment[label] for label in labels]
        ax.plot(range(len(labels)), heights, marker="o", label=_plain(name))
    if len(labels) <= _MAX_LABELS:
        ax.set_xticks(range(len(labels)))
        ax.set_xticklabels([_plain(label) for label in labels], rotation=90 if len(labels) > 10 else 0)
    ax.set_xlabel("segment")
    ax.set_ylabel("modulation")
    ax.set_title(_plain(title))
    ax.legend()
    return ax


def changes(found: Sequence["Change"], title: str, ax: Any) -> Any:
    """Draws each variable as a mark with its lower bound, root causes filled; scores if rows are few."""
    ax = _axes(ax)
    scores = all(change.own_change is None for change in found)
    for place, change in enumerate(found):
        value = change.score if scores else change.own_change
        if value is None:
            continue
        colour = "C1" if change.verdict == "changed itself" else "0.4"
        if change.interval is not None:
            ax.plot([change.interval[0], value], [place, place], color=colour)
        ax.plot(value, place, marker="s" if colour == "C1" else "o", color=colour)
    ax.axvline(0.0, color="0.7", linewidth=0.8)
    ax.set_yticks(range(len(found)))
    ax.set_yticklabels([_plain(change.variable) for change in found])
    ax.invert_yaxis()
    ax.set_xlabel("score (standard deviations)" if scores else "change of the disturbance (nats per row)")
    ax.set_title(_plain(title))
    return ax


def matrix(values: NDArray[Any], rows: Sequence[str], columns: Sequence[str], title: str, ax: Any) -> Any:
    """Draws a matrix as coloured squares."""
    ax = _axes(ax)
    most = float(np.abs(values).max()) or 1.0
    picture = ax.imshow(values, cmap="RdBu_r", vmin=-most, vmax=most)
    ax.set_yticks(range(len(rows)))
    ax.set_yticklabels([_plain(name) for name in rows])
    ax.set_xticks(range(len(columns)))
    ax.set_xticklabels([_plain(name) for name in columns])
    ax.set_title(_plain(title))
    ax.figure.colorbar(picture, ax=ax)
    return ax


def scatter(X: NDArray[Any], segments: NDArray[Any], names: Sequence[str], ax: Any) -> Any:
    """Draws the first two variables, coloured by segment."""
    ax = _axes(ax)
    for label in sorted(set(segments.tolist()), key=_natural):
        rows = segments == label
        ax.plot(X[rows, 0], X[rows, 1], ".", markersize=3, alpha=0.6, label=_plain(str(label)))
    ax.set_xlabel(_plain(names[0]))
    ax.set_ylabel(_plain(names[1]))
    if len(set(segments.tolist())) <= _MAX_LABELS:
        ax.legend(markerscale=2, fontsize="small")
    return ax


def _plain(text: str) -> str:
    """Returns text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


# ---- graphs ----


def _levels(graph: "Graph") -> Optional[List[int]]:
    """Returns the length of the longest path to each node; None if arrows make a cycle."""
    arrows = [(graph.nodes.index(e.source), graph.nodes.index(e.target)) for e in graph.edges if e.type == "-->"]
    level = [0] * len(graph.nodes)
    for _ in range(len(graph.nodes) + 1):
        changed = False
        for cause, effect in arrows:
            if level[effect] <= level[cause]:
                level[effect] = level[cause] + 1
                changed = True
        if not changed:
            return level
    return None


def _places(graph: "Graph") -> Dict[str, Tuple[float, float]]:
    """Places causes above their effects; nodes lie on a circle if arrows make a cycle, or there are none."""
    count, level = len(graph.nodes), _levels(graph)
    if level is None or max(level, default=0) == 0:
        angles = [2 * np.pi * k / max(count, 1) for k in range(count)]
        return {name: (float(np.sin(a)), float(np.cos(a))) for name, a in zip(graph.nodes, angles)}
    places = {}
    for height in range(max(level) + 1):
        row = [name for name, at in zip(graph.nodes, level) if at == height]
        for k, name in enumerate(row):
            bend = 0.12 * (k % 2) + 0.05 * height % 0.1  # so that no three nodes of a row or column lie on one line
            places[name] = (k - (len(row) - 1) / 2 + 0.22 * (height % 3), -(height + bend))
    return places


def graph(found: "Graph", ax: Any) -> Any:
    """Draws names in boxes, edges as arrows, lines, or arrows with two heads; dashed if a hidden cause is likely."""
    ax = _axes(ax)
    box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": "0.25"}
    places = _places(found)
    names = {}
    for name, (x, y) in places.items():
        ax.plot([x], [y], alpha=0)  # text alone does not widen the axes
        names[name] = ax.text(x, y, _plain(name), ha="center", va="center", bbox=box)
    styles = {"-->": "-|>", "---": "-", "<->": "<|-|>"}
    for edge in found.edges:
        ax.annotate(
            "",
            xy=places[edge.target],
            xytext=places[edge.source],
            arrowprops={
                "arrowstyle": styles[edge.type],
                "linestyle": "--" if edge.type == "<->" or edge.confounded else "-",
                "patchA": names[edge.source].get_bbox_patch(),
                "patchB": names[edge.target].get_bbox_patch(),
                "shrinkA": 1,
                "shrinkB": 1,
                "mutation_scale": 14,
                "color": "0.25",
            },
        )
    ax.margins(0.25)
    ax.set_axis_off()
    return ax
