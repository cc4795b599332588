"""The contents of results, and how they are displayed."""

import copy
import json
import math
import pickle
import re
from xml.etree import ElementTree

import numpy
import pytest
from conftest import need, run_program, write_csv

import nonsens
from nonsens import Edge


@pytest.fixture(scope="module")
def direction(pair):
    return nonsens.direction(pair.X, pair.segments, method="nonsens", epochs=5, folds=2, restarts=1)


@pytest.fixture(scope="module")
def graph(four):
    return nonsens.discover(four.X, four.segments, method="lingam", bootstrap=3)


def block_of(page):
    """Returns the content of the page, without the time."""
    _, behind = page.read_text(encoding="utf-8").split('<script type="application/json" id="report">')
    found = json.loads(behind.split("</script>")[0])
    found["result"].pop("seconds")
    found["result"]["nonsens"].pop("threads")
    found.pop("command")
    return found


def test_page_is_that_of_the_program(tmp_path, four):
    path = write_csv(tmp_path / "data.csv", four.names, four.X, four.segments)
    frame = need("pandas").DataFrame(four.X, columns=four.names)
    for command, options in (
        ("direction", {"x": "x1", "y": "x2"}),
        ("discover", {}),
        ("explain", {"of": "s2", "against": "s1"}),
        ("effect", {"do": "x1=0.2", "on": "x2", "draws": "20", "method": "lingam"}),
    ):
        words = [word for key, value in options.items() for word in ("--" + key, value)]
        run_program(command, path, "--segment", "segment", *words, "--html", tmp_path / "program.html", "-q")
        found = getattr(nonsens, command)(frame, four.segments, **options)
        found.to_html(tmp_path / "ours.html", frame, four.segments)
        ours, program = block_of(tmp_path / "ours.html"), block_of(tmp_path / "program.html")
        assert program.pop("files") == [str(path)] and ours.pop("files") == []  # a frame has no file
        assert ours == program and ours["display"]["rows"] == len(four.X)
        found.to_html(tmp_path / "bare.html")
        assert block_of(tmp_path / "bare.html")["display"] is None
        loaded = pickle.loads(pickle.dumps(found))
        loaded.to_html(tmp_path / "loaded.html")
        assert block_of(tmp_path / "loaded.html") == block_of(tmp_path / "bare.html")
        with pytest.raises(nonsens.UsageError, match="without data"):
            loaded.to_html(tmp_path / "loaded.html", frame, four.segments)
        with pytest.raises(nonsens.UsageError, match="not the data"):
            found.to_html(tmp_path / "other.html", frame + 1.0, four.segments)
        with pytest.raises(nonsens.OutputError):
            found.to_html(tmp_path / "no" / "page.html")


@pytest.mark.filterwarnings("ignore::nonsens.DataWarning")
def test_mechanisms_that_differ(tmp_path):
    data = nonsens.simulate(sem="node", nodes=4, segments=6, per_segment=200, changing_mechanism=True, random_state=2)
    found = nonsens.discover(data.to_frame(), "segment").targets
    assert [(each.segment, each.variable, each.kind, each.known) for each in found] == [("s3", "x4", "changed", False)]
    assert found[0].p_value is not None and found[0].p_value < 0.001
    path = tmp_path / "targets.csv"
    path.write_text("segment,variable,kind\ns3,x4,fixed\n")
    named = nonsens.discover(data.to_frame(), "segment", targets=path).targets
    assert nonsens.Target("s3", "x4", "fixed", True) in named


def test_explain(tmp_path):
    data = nonsens.simulate(sem="node", nodes=4, segments=6, per_segment=300, fault=4, random_state=3)
    fault = data.truth()["fault"]
    places = {"of": fault["segment"], "against": fault["against"]}
    by_graph = nonsens.explain(data.to_frame(), "segment", graph=data.graph, **places)
    assert by_graph.root_causes == [fault["variable"]]
    first = by_graph.changes[0]
    assert first.verdict == "changed itself" and first.interval[0] < first.own_change and first.interval[1] is None
    assert by_graph.graph.edges == data.graph.edges and by_graph.options["graph"] == "GRAPH"
    assert 'graph="GRAPH"' in by_graph.details
    (tmp_path / "truth.json").write_text(json.dumps(data.truth()))
    by_path = nonsens.explain(data.to_frame(), "segment", graph=tmp_path / "truth.json", **places)
    assert by_path.changes == by_graph.changes
    by_matrix = nonsens.explain(data.to_frame(), "segment", graph=data.adjacency, **places)
    assert by_matrix.changes == by_graph.changes
    assert list(by_graph.to_frame()["variable"]) == [change.variable for change in by_graph.changes]
    assert len(by_graph.note_levels) == len(by_graph.notes)
    by_graph.to_html(tmp_path / "page.html", data.to_frame(), "segment")
    pickle.loads(pickle.dumps(by_graph)).to_html(tmp_path / "loaded.html")
    for page in (tmp_path / "page.html", tmp_path / "loaded.html"):
        assert "--against s1 --graph GRAPH" in page.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="3 rows, but there are 4 nodes"):
        nonsens.explain(data.to_frame(), "segment", of="s2", graph=numpy.zeros((3, 3)))
    names = data.names[:2]
    some = nonsens.explain(data.to_frame(), "segment", of="s2", vars=names, graph=[[0, 1], [0, 0]])
    assert [(e.source, e.target) for e in some.graph.edges] == [tuple(names)]
    numbers = data.segments.astype("U8")
    dates = numpy.array(["2024-01-0%s" % label[1:] for label in numbers], dtype="datetime64[D]")
    places = numpy.array([float(label[1:]) for label in numbers])
    for labels, of in ((places, 6), (places, 6.0), (dates, dates.max())):
        found = nonsens.explain(data.X, labels, of=of, against=labels[0], graph=data.adjacency)
        assert [change.p_value for change in found.changes] == [change.p_value for change in by_graph.changes]
    need("matplotlib")
    assert len(by_graph.plot().get_yticklabels()) == 4
    with pytest.raises(nonsens.DataError, match="no segment"):
        nonsens.explain(data.to_frame(), "segment", of="nowhere")


def test_direction(pair):
    found = nonsens.direction(pair.to_frame(), "segment")
    assert found.decision == found.direction == "x2->x1" and found.score < 0 and found.p_value < 0.05
    assert found.method == "structured" and found.version == nonsens.__version__ and found.seed == 1
    assert re.fullmatch("[0-9a-f]{16}", found.data_hash)
    assert (found.n_rows, found.n_segments, found.names) == (900, 6, ["x1", "x2"])
    assert found.evidence[0].name == "rank" and found.evidence[0].p_value is None and found.evidence[0].text
    assert found.assumptions and found.reason and not found.assumes_effect and found.seconds > 0
    assert repr(found).startswith("<DirectionResult: x2->x1 (structured, p ")
    assert str(found).startswith("decision: x2->x1\n")
    assert [str(edge) for edge in found.to_graph().edges] == ["x2 --> x1"]
    assert found.to_graph().adjacency.tolist() == [[0, 0], [1, 0]]


def test_disturbances(direction, pair):
    assert direction.disturbances.shape == pair.X.shape and direction.rows.tolist() == list(range(900))
    assert set(direction.modulation) == {"c1", "c2"} and set(direction.modulation["c1"]) == set(pair.segments)
    # the modulation is each segment's standard deviation over the pooled one: computed here from the disturbances
    N, labels = direction.disturbances, sorted(set(pair.segments))
    spread = {label: N[pair.segments == label].std(axis=0) for label in labels}
    for j, name in enumerate(["c1", "c2"]):
        ratio = [direction.modulation[name][label] / spread[label][j] for label in labels]
        assert numpy.allclose(ratio, ratio[0], rtol=0.02)


def test_no_disturbances(pair):
    found = nonsens.direction(pair.X, pair.segments, method="reci")
    assert found.disturbances is None and found.modulation == {} and found.assumes_effect and found.p_value is None
    with pytest.raises(ValueError, match="nothing to draw"):
        found.plot()


def test_ica(four):
    found = nonsens.ica(four.X, four.segments)
    assert numpy.allclose(found.mixing @ found.unmixing, numpy.eye(4))
    assert numpy.allclose(found.sources @ found.mixing.T, four.X - four.X.mean(axis=0))
    within = sum(numpy.var(found.sources[four.segments == label], axis=0) for label in set(four.segments)) / 10
    assert numpy.allclose(within, 1, rtol=0.05)
    assert found.source_names == ["s1", "s2", "s3", "s4"] and found.converged and found.iterations > 0
    assert set(found.modulation) == set(found.source_names) and "sources" in found.convention.lower()


def test_independence(four):
    found = nonsens.independence(four.X, four.segments, x=0, y=2)
    assert found.decision == "dependent" and not found.independent and found.p_value < 0.05
    assert found.test == "hsic(c1, c3)" and found.statistic == found.evidence[0].value > 0


def test_small_p_values(pair):
    """Small p-values are shown as below the bound, in words and tables; the numbers themselves are kept."""
    found = nonsens.independence(pair.X, pair.segments)
    assert found.p_value < found.p_value_bound == 0.001
    assert repr(found) == "<IndependenceResult: dependent (independence, p < 0.001)>"
    assert "<td style='text-align:left'>&lt; 0.001</td>" in found._repr_html_() and "e-" not in found._repr_html_()
    unrelated = nonsens.independence(numpy.random.default_rng(1).normal(size=(200, 2)))
    assert unrelated.p_value > 0.001 and repr(unrelated).endswith("(independence, p = %.3g)>" % unrelated.p_value)
    edges = [nonsens.Edge("a", "b", p_value=1e-30), nonsens.Edge("b", "c", p_value=0.02)]
    graph = nonsens.Graph(["a", "b", "c"], edges)
    shown = re.findall("<td[^>]*>([^<]*)</td>", graph._repr_html_())
    assert shown == ["a", "--&gt;", "b", "&lt; 0.001", "b", "--&gt;", "c", "0.02"]


def test_graph(graph, four):
    assert graph.nodes == ["c1", "c2", "c3", "c4"] and sorted(graph.order) == graph.nodes
    assert graph.bootstrap["replicates"] == 3 and "causes" in graph.convention
    assert all(edge.support is not None and edge.weight is not None for edge in graph.edges)
    document = graph.to_dict()
    assert [(e["from"], e["to"]) for e in document["edges"]] == [(e.source, e.target) for e in graph.edges]
    for edge in graph.edges:
        assert graph.adjacency[graph.nodes.index(edge.source), graph.nodes.index(edge.target)] == 1
    assert graph.adjacency.sum() == len(graph.edges)
    assert str(graph) and repr(graph).startswith("<DiscoverResult: lingam, 4 nodes")


def test_simulation():
    made = nonsens.simulate(nodes=3, per_segment=20, segments=4, random_state=2)
    assert made.X.shape == made.sources.shape == (80, 3) and made.kind == "dag"
    assert made.graph.adjacency.tolist() == made.adjacency.tolist()
    assert {tuple(edge) for edge in made.edges} == {
        (made.names[i], made.names[j]) for i, j in zip(*numpy.nonzero(made.adjacency))
    }
    frame = made.to_frame()
    assert list(frame.columns) == ["x1", "x2", "x3", "segment"] and len(frame) == 80
    roots = [j for j in range(3) if not made.adjacency[:, j].any()]
    linear = nonsens.simulate(sem="node", nodes=3, depth=1, per_segment=20, random_state=2)
    root = next(j for j in range(3) if not linear.adjacency[:, j].any())
    relation = numpy.corrcoef(linear.X[:, root], linear.sources[:, root])[0, 1]
    assert roots and math.isclose(abs(relation), 1.0)
    assert nonsens.simulate(cyclic=True, per_segment=2).kind == "cyclic"


def test_copies(direction, graph, four):
    for found in (direction, graph, nonsens.ica(four.X, four.segments), four):
        again = pickle.loads(pickle.dumps(found))
        assert repr(again) == repr(found) and copy.deepcopy(found)._json == found._json
    direction.options["alpha"] = 1
    direction.to_dict()["decision"] = "changed"
    assert direction.options["alpha"] == 0.05 and direction.to_dict()["decision"] == direction.decision
    assert json.loads(direction.to_json()) == direction.to_dict()


EVIL = "<script>alert('x')</script>&"


def test_html_is_escaped(pair):
    pandas = need("pandas")
    frame = pandas.DataFrame(pair.X, columns=[EVIL, "b"])
    labels = numpy.array(["<b>" + label for label in pair.segments])
    found = [
        nonsens.direction(frame, labels, method="lingam"),
        nonsens.discover(frame, labels, method="lingam"),
        nonsens.discover(frame, labels, method="pc"),
        nonsens.directions(frame, labels, method="lingam"),
        nonsens.Graph([EVIL, "b"], [nonsens.Edge(EVIL, "b")]),
        nonsens.NonSENS(method="lingam").fit(frame, labels),
    ]
    for one in found:
        page = one._repr_html_()
        assert "&lt;script&gt;" in page and "<script" not in page and "<b><b>" not in page
        assert page.count("<table") == page.count("</table>") and page.count("<div") == page.count("</div>")


def test_html(direction, graph, four):
    assert direction.decision in direction._repr_html_().replace("&gt;", ">")
    for edge in graph.edges:
        assert "<td style='text-align:left'>%s</td>" % edge.source in graph._repr_html_()
    assert "rows" in four._repr_html_()
    many = nonsens.Graph(["a%d" % k for k in range(50)], [nonsens.Edge("a%d" % k, "a%d" % (k + 1)) for k in range(49)])
    assert "and 19 more" in many._repr_html_()
    assert "no edges" in nonsens.Graph(["a"], [])._repr_html_()


def test_plots(direction, graph, four, pair, tmp_path):
    pyplot = need("matplotlib.pyplot")
    figure, axes = pyplot.subplots(2, 3)
    assert direction.plot(axes[0, 0]) is axes[0, 0]
    heights = axes[0, 0].lines[0].get_ydata()
    assert heights.tolist() == [direction.modulation["c1"]["s%d" % (k + 1)] for k in range(6)]
    graph.plot(axes[0, 1])
    assert sorted(text.get_text() for text in axes[0, 1].texts if text.get_text()) == graph.nodes
    assert len([text for text in axes[0, 1].texts if getattr(text, "arrow_patch", None)]) == len(graph.edges)
    nonsens.ica(four.X, four.segments).plot(axes[0, 2])
    nonsens.ica(four.X, method="fastica").plot(axes[1, 0])
    four.plot(axes[1, 1])
    cyclic = nonsens.Graph(["$a", "b"], [nonsens.Edge("$a", "b"), nonsens.Edge("b", "$a")])
    cyclic.plot(axes[1, 2])
    figure.savefig(tmp_path / "all.png")
    assert (tmp_path / "all.png").stat().st_size > 10000
    pyplot.close(figure)


def test_plot_without_matplotlib(monkeypatch, graph):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="install it"):
        graph.plot()


def test_causes_are_drawn_above():
    from nonsens import _plot

    chain = nonsens.Graph(list("cab"), [nonsens.Edge("a", "b"), nonsens.Edge("b", "c"), nonsens.Edge("a", "c")])
    places = _plot._places(chain)
    assert places["a"][1] > places["b"][1] > places["c"][1]


# ---- pictures in notebooks ----


def picture(thing):
    """Parses the SVG that a notebook shows."""
    page = thing._repr_html_()
    assert "<script" not in page
    return ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + len("</svg>")])


def shapes(svg, name):
    return list(svg.iter("{http://www.w3.org/2000/svg}" + name))


def test_picture_of_a_graph(four):
    found = nonsens.discover(four.to_frame(), "segment", method="lingam")
    svg = picture(found)
    assert [text.text for text in shapes(svg, "text")] == found.nodes
    assert len(shapes(svg, "polyline")) == len(found.edges)
    assert len(shapes(svg, "polygon")) == sum(edge.type == "-->" for edge in found.edges)
    assert "<svg" in four._repr_html_()
    assert "<svg" not in nonsens.Graph(["a", "b"], [])._repr_html_()
    many = ["v%d" % k for k in range(60)]
    assert "<svg" not in nonsens.Graph(many, [Edge("v0", "v1")])._repr_html_()  # too many to read


def test_picture_escapes_names():
    names = ["<script>alert(1)</script>", "a & 'b'", 'say "hi"', "long " * 40]
    svg = picture(nonsens.Graph(names, [Edge(names[0], names[1]), Edge(names[2], names[3], "<->")]))
    titles = [title.text for title in shapes(svg, "title")]
    assert set(names) <= set(titles) and "a & 'b'" in [text.text for text in shapes(svg, "text")]
    assert max(len(text.text) for text in shapes(svg, "text")) <= 24


@pytest.mark.parametrize(
    "edges",
    [
        [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")],  # a cycle
        [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("a", "c")],
        [("d", "c"), ("c", "b"), ("b", "a"), ("d", "a")],
        [("a", "b"), ("b", "a")],
    ],
)
@pytest.mark.parametrize("kind", ["-->", "---", "<->"])
def test_pictures_stay_inside(edges, kind):
    """All lines begin and end at the border of a box, avoid other boxes, and stay inside the picture."""
    graph = nonsens.Graph(list("abcd"), [Edge(*ends, kind) for ends in edges])
    svg = picture(graph)
    wide, high = (float(svg.get(side)) for side in ("width", "height"))
    boxes = [[float(box.get(key)) for key in ("x", "y", "width", "height")] for box in shapes(svg, "rect")]
    assert all(0 <= x and x + w <= wide and 0 <= y and y + h <= high for x, y, w, h in boxes)
    for line in shapes(svg, "polyline"):
        points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        assert all(-1 <= x <= wide + 1 and -1 <= y <= high + 1 for x, y in points)
        for (x1, y1), (x2, y2) in zip(points, points[1:]):
            middle = (x1 + x2) / 2, (y1 + y2) / 2
            assert not any(x < middle[0] < x + w and y < middle[1] < y + h for x, y, w, h in boxes)
    assert len(shapes(svg, "polygon")) == {"-->": 1, "---": 0, "<->": 2}[kind] * len(edges)


def test_pairs_are_short(pair):
    """The answer is visible; notes and evidence are folded."""
    page = nonsens.direction(pair.X, pair.segments)._repr_html_()
    open_part = re.sub("<details>.*?</details>", "", page, flags=re.DOTALL)
    assert "c2-&gt;c1" in open_part and len(re.sub("<[^>]*>", " ", open_part)) < 400
    assert "<summary>Evidence" in page
