"""Simulated data and their true causes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, List, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _html, _plot
from ._graph import Edge, Graph

if TYPE_CHECKING:
    import pandas  # type: ignore[import]


class Simulation:
    """Simulated data with known causes.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The data, one column per variable.
    segments : ndarray of shape (n,)
        The label of each row's segment: "s1", "s2", ...
    names : list of str
        The variables: "x1", "x2", ...
    sources : ndarray of shape (n, d)
        The true disturbances.
    graph : Graph
        What causes what.
    """

    def __init__(
        self, X: NDArray[Any], segments: NDArray[Any], names: List[str], sources: NDArray[Any], truth: str
    ) -> None:
        self.X, self.segments, self.names, self.sources = X, segments, names, sources
        self._json = truth
        self._truth: Dict[str, Any] = json.loads(truth)
        self.graph = Graph(names, [Edge(a, b, "-->") for a, b in self.edges])

    @property
    def edges(self) -> List[Tuple[str, str]]:
        """(cause, effect) of each edge."""
        return [(a, b) for a, b in self._truth["edges"]]

    @property
    def adjacency(self) -> NDArray[Any]:
        """A[i, j] = 1 if variable i causes variable j: the row is the cause."""
        return np.array(self._truth["adjacency"], dtype=int)

    @property
    def kind(self) -> str:
        """ "dag", "cyclic", "independent" or "confounded"."""
        return str(self._truth["kind"])

    @property
    def modulation(self) -> Dict[str, Dict[str, float]]:
        """{variable: {segment: scale of its disturbance}}"""
        return {name: dict(values) for name, values in self._truth["modulation"].items()}

    def truth(self) -> Dict[str, Any]:
        """Everything that is known, as in the program's --truth file."""
        return dict(json.loads(self._json))

    def to_frame(self) -> "pandas.DataFrame":
        """Makes a pandas.DataFrame of X and, in a column `segment`, the labels."""
        import pandas

        frame = pandas.DataFrame(self.X, columns=self.names)
        frame["segment"] = self.segments
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draws the first two variables, coloured by segment; returns matplotlib's axes."""
        return _plot.scatter(self.X, self.segments, self.names, ax)

    def __repr__(self) -> str:
        arrows = ", ".join("%s->%s" % edge for edge in self.edges) or "no arrows"
        return "<Simulation: %d rows, %d variables, %s>" % (self.X.shape[0], self.X.shape[1], arrows)

    def _repr_html_(self) -> str:
        return _html.of_simulation(self)
