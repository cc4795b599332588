"""Graphs, and matrices in the conventions of other packages; each says which way it points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _html, _plot

_TYPES = ("-->", "---", "<->")


@dataclass(frozen=True)
class Edge:
    """An edge: source --> target (source causes target), source --- target (the direction is unknown), or
    source <-> target (a hidden common cause or, for pc and pc-nonsens, tests that contradict one another)."""

    source: str
    target: str
    type: str = "-->"
    weight: Optional[float] = None  #: how much one unit of the cause adds to the effect, for linear methods
    p_value: Optional[float] = None  #: of the hypothesis that there is no edge
    support: Optional[float] = None  #: share of bootstrap samples that have it, with `bootstrap`
    directed_by: Optional[str] = None  #: what determines the direction, for structured: "changes", "v-structure", ...
    confounded: bool = False  #: the noise of its ends is still dependent: a hidden common cause is likely (structured)
    effect: Optional[float] = None  #: change of the target's mean if the source goes through `step`, from discover
    effect_interval: Optional[Tuple[float, float]] = None  #: 95 % interval of the effect, given the graph
    step: Optional[Tuple[float, float]] = None  #: lower and upper quartile of the source

    def __str__(self) -> str:
        return "%s %s %s" % (self.source, self.type, self.target)


@dataclass(frozen=True)
class Target:
    """A segment in which the mechanism of a variable differs: given by `targets`, or found."""

    segment: str
    variable: str
    kind: str  #: "fixed", "changed" or "activity"
    known: bool  #: given by `targets`
    p_value: Optional[float] = None  #: of the hypothesis of no difference from the other segments; None if it was given


class Graph:
    """Nodes and edges between them.

    Examples
    --------
    >>> from nonsens import Edge, Graph
    >>> graph = Graph(["sun", "rain", "harvest"], [Edge("sun", "harvest"), Edge("rain", "harvest", "---")])
    >>> graph.adjacency
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 1, 0]])
    >>> graph.parents("harvest")
    ['sun']
    """

    def __init__(self, nodes: Sequence[str], edges: Sequence[Edge]) -> None:
        self.nodes: List[str] = list(nodes)
        self.edges: List[Edge] = list(edges)
        self._place: Dict[str, int] = {name: i for i, name in enumerate(self.nodes)}
        for edge in self.edges:
            if edge.type not in _TYPES:
                raise ValueError("%r is no type of edge; there are %s" % (edge.type, ", ".join(_TYPES)))
            if edge.source not in self._place or edge.target not in self._place:
                raise ValueError("the edge %s has an end that is no node" % edge)

    @classmethod
    def from_adjacency(cls, adjacency: Any, nodes: Optional[Sequence[str]] = None) -> "Graph":
        """Makes a graph from a matrix with A[i, j] != 0 if i causes j; both ways means that the direction is open."""
        matrix = np.asarray(adjacency)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError("an adjacency matrix is square, not of shape %s" % (matrix.shape,))
        names = list(nodes) if nodes is not None else ["c%d" % (i + 1) for i in range(len(matrix))]
        if len(names) != len(matrix):
            raise ValueError("the matrix has %d rows, but there are %d nodes" % (len(matrix), len(names)))
        edges = []
        for i, j in zip(*np.nonzero(matrix)):
            if matrix[j, i] == 0:
                edges.append(Edge(names[i], names[j]))
            elif i < j:
                edges.append(Edge(names[i], names[j], "---"))
        return Graph(names, edges)

    # ---- queries ----

    def _ends(self, edge: Edge) -> "tuple[int, int]":
        return self._place[edge.source], self._place[edge.target]

    def parents(self, node: str) -> List[str]:
        """Returns the nodes with an arrow to this one: its direct causes."""
        return [e.source for e in self.edges if e.type == "-->" and e.target == node]

    def children(self, node: str) -> List[str]:
        """Returns the nodes with an arrow from this one: its direct effects."""
        return [e.target for e in self.edges if e.type == "-->" and e.source == node]

    @property
    def adjacency(self) -> NDArray[Any]:
        """A[i, j] = 1 means nodes[i] --> nodes[j]: the row is the cause.

        If the direction is unknown (---), both A[i, j] and A[j, i] are 1; <-> means that neither causes the other, so
        both are 0 (see `edges`).
        """
        matrix = np.zeros((len(self.nodes), len(self.nodes)), dtype=int)
        for edge in self.edges:
            i, j = self._ends(edge)
            matrix[i, j] = edge.type != "<->"
            matrix[j, i] = edge.type == "---" or matrix[j, i]
        return matrix

    @property
    def weights(self) -> NDArray[Any]:
        """W[i, j] is the weight of nodes[i] --> nodes[j]; 0 if there is no arrow, NaN if the arrow has no weight."""
        matrix = np.zeros((len(self.nodes), len(self.nodes)))
        for edge in self.edges:
            if edge.type == "-->":
                matrix[self._ends(edge)] = np.nan if edge.weight is None else edge.weight
        return matrix

    def _refuse_two_ways(self, where: str) -> None:
        """Raises an error for two edges between the same nodes, which a matrix of marks cannot hold."""
        seen = set()
        for edge in self.edges:
            ends = frozenset((edge.source, edge.target))
            if ends in seen:
                raise ValueError("there are two edges between %s and %s; %s has room for one" % (*sorted(ends), where))
            seen.add(ends)

    # ---- other packages ----

    def to_networkx(self) -> Any:
        """Makes a networkx.DiGraph, in which an arc u -> v means that u causes v.

        Arcs have the attributes type, weight, p_value, support, directed_by and confounded, if known.  Edges without
        direction (---) and with two heads (<->) become two arcs, one each way; `type` distinguishes them.
        """
        import networkx  # type: ignore[import]

        made = networkx.DiGraph()
        made.add_nodes_from(self.nodes)
        for edge in self.edges:
            facts = {"weight": edge.weight, "p_value": edge.p_value, "support": edge.support,
                     "directed_by": edge.directed_by, "confounded": True if edge.confounded else None}
            known = {key: value for key, value in facts.items() if value is not None}
            made.add_edge(edge.source, edge.target, type=edge.type, **known)
            if edge.type != "-->":
                made.add_edge(edge.target, edge.source, type=edge.type, **known)
        return made

    def to_lingam(self) -> NDArray[Any]:
        """Makes the matrix that the package lingam calls `adjacency_matrix_`: B[i, j] is the effect of j on i.

        The column is the cause: it is the transpose of `adjacency`.  Arrows without a weight count 1.  If an edge has
        no direction or two heads, B[i, j] and B[j, i] are NaN, as in lingam for pairs that may have a hidden common
        cause.

        Examples
        --------
        >>> from nonsens import Edge, Graph
        >>> Graph(["a", "b"], [Edge("a", "b", weight=0.5)]).to_lingam()
        array([[0. , 0. ],
               [0.5, 0. ]])
        """
        matrix = np.zeros((len(self.nodes), len(self.nodes)))
        for edge in self.edges:
            i, j = self._ends(edge)
            if edge.type == "-->":
                matrix[j, i] = 1.0 if edge.weight is None else edge.weight
            else:
                matrix[i, j] = matrix[j, i] = np.nan
        return matrix

    def to_causal_learn(self, as_graph: bool = False) -> Any:
        """Makes the matrix of causal-learn's GeneralGraph: G[i, j] is the mark at i of the edge between i and j.

        -1 is a tail, 1 an arrowhead, 0 no edge: i --> j is G[i, j] = -1 and G[j, i] = 1, i --- j is -1 twice, i <-> j
        is 1 twice.

        Parameters
        ----------
        as_graph : bool
            Makes a causallearn.graph.GeneralGraph instead, for which that package must be installed.

        Examples
        --------
        >>> from nonsens import Edge, Graph
        >>> Graph(["a", "b"], [Edge("a", "b")]).to_causal_learn()
        array([[ 0, -1],
               [ 1,  0]])
        """
        self._refuse_two_ways("causal-learn's matrix")
        matrix = np.zeros((len(self.nodes), len(self.nodes)), dtype=int)
        for edge in self.edges:
            i, j = self._ends(edge)
            matrix[i, j] = 1 if edge.type == "<->" else -1
            matrix[j, i] = -1 if edge.type == "---" else 1
        return _general_graph(self) if as_graph else matrix

    def to_pcalg(self, kind: str = "cpdag") -> NDArray[Any]:
        """Makes an adjacency matrix of R's pcalg, of type amat.cpdag or amat.pag.

        "cpdag": M[i, j] is the mark at i, 0 a tail or no edge, 1 an arrowhead: i --> j is M[i, j] = 0 and
        M[j, i] = 1, i --- j is 1 twice.  It cannot hold edges with two heads.

        "pag": M[i, j] is the mark at j, 1 a circle, 2 an arrowhead, 3 a tail: i --> j is M[i, j] = 2 and M[j, i] = 3, i
        <-> j is 2 twice; if the direction is unknown, both ends are circles.

        Examples
        --------
        >>> from nonsens import Edge, Graph
        >>> graph = Graph(["a", "b"], [Edge("a", "b")])
        >>> graph.to_pcalg()
        array([[0, 0],
               [1, 0]])
        >>> graph.to_pcalg("pag")
        array([[0, 2],
               [3, 0]])
        """
        if kind not in ("cpdag", "pag"):
            raise ValueError("kind must be 'cpdag' or 'pag', not %r" % (kind,))
        self._refuse_two_ways("pcalg's matrix")
        matrix = np.zeros((len(self.nodes), len(self.nodes)), dtype=int)
        for edge in self.edges:
            i, j = self._ends(edge)
            if kind == "pag":
                matrix[i, j] = 1 if edge.type == "---" else 2
                matrix[j, i] = {"-->": 3, "---": 1, "<->": 2}[edge.type]
            elif edge.type == "<->":
                raise ValueError("%s: amat.cpdag has no edges with two heads; take kind='pag'" % edge)
            else:
                matrix[i, j] = edge.type == "---"
                matrix[j, i] = 1
        return matrix

    # ---- display ----

    def plot(self, ax: Any = None) -> Any:
        """Draws the graph, causes above their effects unless there is a cycle; returns matplotlib's axes."""
        return _plot.graph(self, ax)

    def _in_words(self) -> str:
        arrows = sum(edge.type == "-->" for edge in self.edges)
        others = len(self.edges) - arrows
        words = "%d nodes, %d arrow%s" % (len(self.nodes), arrows, "" if arrows == 1 else "s")
        return words + (", %d other edge%s" % (others, "" if others == 1 else "s") if others else "")

    def __repr__(self) -> str:
        return "<Graph: %s>" % self._in_words()

    def __str__(self) -> str:
        return "\n".join(str(edge) for edge in self.edges)

    def _repr_html_(self) -> str:
        return _html.of_graph(self)


def _general_graph(graph: Graph) -> Any:
    from causallearn.graph.Edge import Edge as OtherEdge  # type: ignore[import]
    from causallearn.graph.Endpoint import Endpoint  # type: ignore[import]
    from causallearn.graph.GeneralGraph import GeneralGraph  # type: ignore[import]
    from causallearn.graph.GraphNode import GraphNode  # type: ignore[import]

    nodes = {name: GraphNode(name) for name in graph.nodes}
    made = GeneralGraph(list(nodes.values()))
    for edge in graph.edges:
        at_source = Endpoint.ARROW if edge.type == "<->" else Endpoint.TAIL
        at_target = Endpoint.TAIL if edge.type == "---" else Endpoint.ARROW
        made.add_edge(OtherEdge(nodes[edge.source], nodes[edge.target], at_source, at_target))
    return made
