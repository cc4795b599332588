"""The direction in every matrix: read back by the rules of the other package, the graph is the same."""

import sys
import types

import numpy
import pytest
from conftest import need

import nonsens
from nonsens import Edge, Graph

MIXED = Graph(list("abcd"), [Edge("b", "a", weight=0.5, p_value=0.01), Edge("a", "c", "---"), Edge("c", "d", "<->")])
DIRECTED = Graph(list("abcd"), [Edge("b", "a", weight=-2.0), Edge("a", "c"), Edge("d", "c", "---")])


def edges_of(graph):
    return {(e.source, e.type, e.target) for e in graph.edges}


def test_adjacency():
    a, b, c, d = range(4)
    matrix = MIXED.adjacency
    assert matrix[b, a] == 1 and matrix[a, b] == 0  # the row is the cause
    assert matrix[a, c] == matrix[c, a] == 1 and matrix[c, d] == matrix[d, c] == 0
    assert matrix.sum() == 3
    assert edges_of(Graph.from_adjacency(DIRECTED.adjacency, list("abcd"))) == {
        ("b", "-->", "a"),
        ("a", "-->", "c"),
        ("c", "---", "d"),
    }
    assert MIXED.weights[b, a] == 0.5 and numpy.isnan(DIRECTED.weights[a, c]) and MIXED.weights[a, c] == 0
    assert MIXED.parents("a") == ["b"] and MIXED.children("b") == ["a"] and MIXED.parents("c") == []


def test_cycle():
    both = Graph(["a", "b"], [Edge("a", "b"), Edge("b", "a")])
    assert both.adjacency.tolist() == [[0, 1], [1, 0]]
    for refuse in (both.to_causal_learn, both.to_pcalg):
        with pytest.raises(ValueError, match="two edges between a and b"):
            refuse()


def test_lingam():
    """x = B x + e: in these data B[i, j] is what j adds to i."""
    matrix = MIXED.to_lingam()
    assert matrix[0, 1] == 0.5 and matrix[1, 0] == 0
    assert numpy.isnan(matrix[0, 2]) and numpy.isnan(matrix[2, 0]) and numpy.isnan(matrix[2, 3])
    rng = numpy.random.default_rng(1)
    cause = rng.uniform(size=2000)
    X = numpy.column_stack([2 * cause + rng.uniform(size=2000), cause])
    found = nonsens.discover(X, method="lingam").to_lingam()
    assert abs(found[0, 1] - 2) < 0.1 and found[1, 0] == 0
    noise = X - X @ found.T
    assert abs(numpy.corrcoef(noise.T)[0, 1]) < 0.1


def test_causal_learn():
    """Marks at i of the edge between i and j: -1 is a tail, 1 an arrowhead."""
    matrix = MIXED.to_causal_learn()
    read = set()
    for i in range(4):
        for j in range(4):
            marks = (matrix[i, j], matrix[j, i])
            if marks == (-1, 1):
                read.add(("abcd"[i], "-->", "abcd"[j]))
            elif i < j and marks in ((-1, -1), (1, 1)):
                read.add(("abcd"[i], "---" if marks[0] == -1 else "<->", "abcd"[j]))
    assert read == edges_of(MIXED)


def test_causal_learn_edges(monkeypatch):
    """Tests the ends of edges in that package's terms, with a stand-in that records them."""

    class Other:
        TAIL, ARROW = "tail", "arrow"

        def __init__(self, *facts):
            self.facts, self.edges = facts, []

        def add_edge(self, edge):
            self.edges.append(edge.facts)

    for name in ("Edge", "Endpoint", "GeneralGraph", "GraphNode"):
        module = types.ModuleType("causallearn.graph." + name)
        setattr(module, name, Other)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    for name in ("causallearn", "causallearn.graph"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    made = MIXED.to_causal_learn(as_graph=True)
    assert [(a.facts[0], b.facts[0], *ends) for a, b, *ends in made.edges] == [
        ("b", "a", "tail", "arrow"),
        ("a", "c", "tail", "tail"),
        ("c", "d", "arrow", "arrow"),
    ]
    assert [node.facts[0] for node in made.facts[0]] == MIXED.nodes


def test_causal_learn_itself():
    pytest.importorskip("causallearn")
    made = MIXED.to_causal_learn(as_graph=True)
    assert numpy.array_equal(made.graph, MIXED.to_causal_learn())
    assert {str(edge) for edge in made.get_graph_edges()} == {"b --> a", "a --- c", "c <-> d"}


def test_pcalg_cpdag():
    """amat[a, b] = 0 and amat[b, a] = 1 implies a --> b; both 1 a --- b (pcalg's amatType)."""
    matrix = DIRECTED.to_pcalg()
    read = set()
    for i in range(4):
        for j in range(4):
            if matrix[i, j] == 0 and matrix[j, i] == 1:
                read.add(("abcd"[i], "-->", "abcd"[j]))
            elif i > j and matrix[i, j] == matrix[j, i] == 1:
                read.add(("abcd"[i], "---", "abcd"[j]))
    assert read == edges_of(DIRECTED)
    with pytest.raises(ValueError, match="kind='pag'"):
        MIXED.to_pcalg()
    with pytest.raises(ValueError, match="not 'dag'"):
        MIXED.to_pcalg("dag")


def test_pcalg_pag():
    """amat[a, b] = 2 and amat[b, a] = 3 implies a --> b; both 2 a <-> b; both 1 a o-o b."""
    matrix = MIXED.to_pcalg("pag")
    assert (matrix[1, 0], matrix[0, 1]) == (2, 3)
    assert matrix[0, 2] == matrix[2, 0] == 1 and matrix[2, 3] == matrix[3, 2] == 2
    assert numpy.count_nonzero(matrix) == 6


def test_marks_of_hidden_causes():
    marked = Graph(["a", "b", "c"], [Edge("a", "b", confounded=True), Edge("b", "c")])
    assert [edge.confounded for edge in marked.edges] == [True, False]
    networkx = need("networkx")
    made = marked.to_networkx()
    assert isinstance(made, networkx.DiGraph)
    assert made["a"]["b"]["confounded"] is True and "confounded" not in made["b"]["c"]


def test_networkx():
    networkx = need("networkx")
    made = MIXED.to_networkx()
    assert isinstance(made, networkx.DiGraph) and list(made.nodes) == list("abcd")
    assert made.has_edge("b", "a") and not made.has_edge("a", "b")
    assert made["b"]["a"] == {"type": "-->", "weight": 0.5, "p_value": 0.01}
    assert made.has_edge("a", "c") and made.has_edge("c", "a") and made["c"]["a"]["type"] == "---"
    assert made["c"]["d"]["type"] == made["d"]["c"]["type"] == "<->"


def test_graphml_reads_as_the_same(four):
    networkx = need("networkx")
    found = nonsens.discover(four.X, four.segments, method="lingam")
    read = networkx.parse_graphml(found.to_graphml())
    labels = {node: facts.get("label", facts.get("name", node)) for node, facts in read.nodes(data=True)}
    assert {(labels[a], labels[b]) for a, b in read.edges()} == {(e.source, e.target) for e in found.edges}


def test_wrong_graphs():
    with pytest.raises(ValueError, match="no type of edge"):
        Graph(["a", "b"], [Edge("a", "b", "->")])
    with pytest.raises(ValueError, match="no node"):
        Graph(["a"], [Edge("a", "b")])
    with pytest.raises(ValueError, match="square"):
        Graph.from_adjacency([[1, 2]])
