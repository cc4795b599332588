"""The effects of setting or changing variables."""

import copy
import json
import pickle

import numpy
import pytest
from conftest import comparable, need, run_program, write_csv

import nonsens

QUICK = {"draws": 0}
pytestmark = pytest.mark.filterwarnings("ignore::nonsens.DataWarning")  # few segments


@pytest.fixture(scope="module")
def chain():
    """x2 --> x3 --> x4, and x1 unconnected."""
    data = nonsens.simulate(
        sem="node", nodes=4, segments=4, per_segment=60, edge_prob=0.6, depth=1, random_state=4
    )
    assert [str(edge) for edge in data.graph.edges] == ["x2 --> x3", "x3 --> x4"]
    return data


def ask(chain, **options):
    return nonsens.effect(chain.X, chain.segments, **{"graph": chain.adjacency, **QUICK, **options})


@pytest.mark.parametrize(
    "words, options",
    [
        (["--do", "x2=0.5", "--on", "x4", "--draws", "20"], {"do": {"x2": 0.5}, "on": "x4", "draws": 20}),
        (["--do", "x2=-0.5:0.5:0.25", "--draws", "0"], {"do": {1: (-0.5, 0.5, 0.25)}, "draws": 0}),
        (["--do", "x2=0:2:1", "--draws", "0"], {"do": {"x2": range(3)}, "draws": 0}),
        (["--change", "x2=1,x1=-2", "--draws", "0"], {"change": {"x2": 1, "x1": numpy.int64(-2)}, "draws": 0}),
        (["--do", "x2=1", "--in", "s2", "--draws", "0"], {"do": "x2=1", "in_segment": "s2", "draws": 0}),
        (["--do", "x2=1", "--row", "1,18", "--on", "x3,x4"], {"do": {"x2": 1}, "rows": [0, 17], "on": ["x3", "x4"]}),
        (["--do", "x2=1", "--row", "all", "--draws", "0"], {"do": {"x2": 1}, "rows": "all", "draws": 0}),
        (["--do", "x2=50.5", "--extrapolate", "--draws", "0"], {"do": {"x2": 50.5}, "extrapolate": True, "draws": 0}),
        (["--draws", "20", "--alpha", "0.1", "--seed", "5"], {"draws": 20, "alpha": 0.1, "random_state": 5}),
    ],
)
def test_same_json(tmp_path, chain, words, options):
    path = write_csv(tmp_path / "data.csv", chain.names, chain.X, chain.segments)
    graph = tmp_path / "graph.json"
    graph.write_text(json.dumps(chain.truth()))
    printed = run_program("effect", path, "--segment", "segment", "--graph", graph, *words, "--json", "-")
    found = nonsens.effect(chain.to_frame(), "segment", graph=graph, **options)
    assert comparable(found.to_json()) == comparable(printed)


def test_answers(chain):
    found = ask(chain, do={"c2": 0.5}, on="c4", draws=20)
    one = found.effects[0]
    assert found.question == "c2 = 0.5" and found.identified
    assert repr(found) == "<EffectResult: effect of c2 = 0.5 on c4>"
    assert [effect.segment for effect in found.effects] == [None, "s1", "s2", "s3", "s4"]
    assert one.on == "c4" and one.at is None and one.answered == "one" and one.identified and one.range is None
    assert one.then.interval[0] < one.then.mean < one.then.interval[1]
    assert sorted(one.then.quantiles) == [0.05, 0.25, 0.5, 0.75, 0.95] and one.then.median == one.then.quantiles[0.5]
    assert one.now.mean == pytest.approx(chain.X[:, 3].mean())
    assert one.difference.mean == pytest.approx(one.then.mean - one.now.mean)
    assert 0 < one.support <= 1 and 0 <= one.robustness_of_interval <= one.robustness <= 1
    assert found.table == [] and found.counterfactuals == [] and found.graph_check.startswith("The graph passes")
    assert found.graph.edges == nonsens.Graph.from_adjacency(chain.adjacency).edges
    assert "effect of c2 = 0.5 on c4" in str(found) and "<b>effect of c2" in found._repr_html_()
    frame = found.to_frame()
    assert list(frame["on"]) == ["c4"] * 5 and list(frame["difference"]) == [e.difference.mean for e in found.effects]
    assert list(frame["then_low"]) == [e.then.interval[0] for e in found.effects]
    again = pickle.loads(pickle.dumps(found))
    assert again.to_json() == found.to_json() and again.effects == found.effects


def test_refuters(chain):
    found = ask(chain, do={"c2": 0.5}, on="c4", draws=20, refute=10)
    one, part = found.effects[0], found.effects[1]
    assert one.placebo.repetitions == one.subsets.repetitions == 10
    assert one.placebo.range[0] <= one.placebo.mean <= one.placebo.range[1]
    assert abs(one.subsets.mean - one.difference.mean) < abs(one.difference.mean)
    for refutation in (one.placebo, one.subsets):
        assert isinstance(refutation, nonsens.Refutation) and refutation.passes == (refutation.p_value >= 0.05)
    assert part.segment == "s1" and part.placebo is None and part.subsets is None
    assert ask(chain, do={"c2": 0.5}).effects[0].placebo is None
    with pytest.raises(nonsens.UsageError, match="at least 10"):
        ask(chain, do={"c2": 0.5}, draws=20, refute=3)


def test_grid_and_no_path(chain):
    found = ask(chain, do={"c2": (-1, 1, 1)}, on=["c1", "c4"])
    assert [(e.on, e.at) for e in found.effects] == [(on, at) for on in ("c1", "c4") for at in (-1.0, 0.0, 1.0)]
    assert {e.answered for e in found.effects[:3]} == {"no path"}
    assert [e.difference.mean for e in found.effects[:3]] == [0.0, 0.0, 0.0] and found.effects[0].identified


def test_table(chain):
    found = ask(chain)
    assert len(found.table) == 12 and found.effects == [] and found.question == ""
    by_pair = {(pair.cause, pair.on): pair for pair in found.table}
    assert by_pair["c2", "c4"].direct == 0.0 and by_pair["c2", "c4"].total != 0.0 and by_pair["c2", "c4"].identified
    assert by_pair["c4", "c2"].answered == "no path" and by_pair["c4", "c2"].total == 0.0
    assert by_pair["c3", "c4"].lower < by_pair["c3", "c4"].upper and by_pair["c3", "c4"].total_interval is None
    assert list(found.to_frame()["cause"]) == [pair.cause for pair in found.table]
    assert repr(found) == "<EffectResult: effects of 4 variables on one another>"


def test_rows(chain):
    found = ask(chain, do={"c2": 0.0}, rows=[239, 0], draws=20)
    asked = [(one.row, one.on) for one in found.counterfactuals]
    assert asked == [(row, on) for row in (239, 0) for on in ("c1", "c3", "c4")]
    for one in found.counterfactuals:
        assert one.now == pytest.approx(chain.X[one.row, int(one.on[1]) - 1])
        assert one.on != "c1" or one.then == one.now
    assert found.counterfactuals[1].interval[0] <= found.counterfactuals[1].then <= found.counterfactuals[1].interval[1]
    assert list(found.to_frame()["row"]) == [one.row for one in found.counterfactuals]
    assert repr(found) == "<EffectResult: 2 rows with c2 = 0>"
    same = ask(chain, do={"c2": float(chain.X[5, 1])}, rows=5).counterfactuals
    assert [one.then for one in same] == pytest.approx([one.now for one in same], abs=0.02)


def test_open_directions(chain):
    names = ["c1", "c2", "c3", "c4"]
    graph = nonsens.Graph(names, [nonsens.Edge("c2", "c3", "---"), nonsens.Edge("c3", "c4")])
    found = ask(chain, do={"c2": 0.5}, on="c4", graph=graph)
    one = found.effects[0]
    assert one.answered == "range" and not one.identified and not found.identified and 0.0 in one.range
    assert one.then.mean is None and "would settle it" in one.settle
    row = found.to_frame().iloc[0]
    assert (row["difference_low"], row["difference_high"]) == one.difference.interval
    hidden = nonsens.Graph(names, [nonsens.Edge("c2", "c3"), nonsens.Edge("c3", "c4"), nonsens.Edge("c2", "c4", "<->")])
    one = ask(chain, do={"c2": 0.5}, on="c4", graph=hidden).effects[0]
    assert one.answered == "none" and one.then.mean is None and "hidden common cause" in one.reason
    assert ask(chain, do={"c2": 0.5}, on="c4", graph=hidden, rows=3).counterfactuals[0].then is None


def test_of_a_graph_that_was_found(chain):
    frame = chain.to_frame().rename(columns={"x2": "temp", "x4": "defects"})
    frame.loc[3, "temp"] = numpy.nan
    with pytest.warns(nonsens.DataWarning, match="1 of 240 rows"):
        graph = nonsens.discover(frame, "segment", method="lingam", na="drop-rows", vars=["temp", "x3", "defects"])
    with pytest.warns(nonsens.DataWarning):
        found = graph.effect(do={"temp": 0.3}, on="defects", draws=20)
    assert found.names == ["temp", "x3", "defects"] and found.n_rows == graph.n_rows
    assert found.data_hash == graph.data_hash and found.options["na"] == "drop-rows"
    assert [str(edge) for edge in found.graph.edges] == [str(edge) for edge in graph.edges]
    with pytest.warns(nonsens.DataWarning):
        table = graph.effects(on="defects", draws=0)
    assert set(table["cause"]) == {"temp", "x3"} and set(table["on"]) == {"defects"}
    for other in (copy.copy(graph), pickle.loads(pickle.dumps(graph))):
        with pytest.raises(nonsens.UsageError, match="has no data; call nonsens.effect"):
            other.effect(do={"temp": 0.3})


def test_data_that_were_changed(chain):
    X = chain.X.copy()
    graph = nonsens.discover(X, chain.segments, method="lingam")
    graph.effect(do={"c2": 0.3}, draws=0)
    X[0, 0] += 1.0
    with pytest.raises(nonsens.DataError, match="no longer those"):
        graph.effect(do={"c2": 0.3}, draws=0)


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"do": {"c9": 1}}, nonsens.DataError, "no such variable"),
        ({"do": {7: 1}}, ValueError, "there is no column 7"),
        ({"do": {"c2": "warm"}}, TypeError, "'warm' is no value of a variable; give a number, a range"),
        ({"do": {"c2": [1, 2]}}, TypeError, "no value of a variable"),
        ({"do": [("c2", 1)]}, TypeError, "do=.*give a dict"),
        ({"do": {"c2": 99}}, nonsens.DataError, "do=.*c2 lies between .* or add extrapolate=True"),
        ({"do": {"c2": 1}, "on": "c2"}, nonsens.UsageError, "set or changed itself"),
        ({"do": {"c2": 1}, "change": {"c2": 1}}, nonsens.UsageError, "name it once"),
        ({"do": {"c2": 1}, "rows": 240}, ValueError, "there is no row 240; X has 240, counted from 0"),
        ({"do": {"c2": 1}, "rows": [0.5]}, TypeError, "0.5 is no row"),
        ({"do": {"c2": 1}, "rows": []}, ValueError, "rows is empty"),
        ({"rows": 3}, nonsens.UsageError, "say what is done with do="),
        ({"do": {"c2": 1}, "in_segment": "s9"}, nonsens.DataError, "no segment has this label"),
        ({"do": {"c2": 1}, "in": "s1"}, TypeError, "did you mean|unexpected keyword argument 'in'"),
        ({"do": {"c2": 1}, "row": 1}, TypeError, "unexpected keyword argument 'row'"),
    ],
)
def test_refusals(chain, options, error, words):
    with pytest.raises(error, match=words):
        ask(chain, **options)


def test_other_names(chain):
    frame = need("pandas").DataFrame(chain.X, columns=["a,b", "t", "<c>", " d"])
    with pytest.raises(ValueError, match="has a comma"):
        nonsens.effect(frame, chain.segments, do={"a,b": 1}, graph=chain.adjacency)
    found = nonsens.effect(frame, chain.segments, do={"t": 1}, on="<c>", graph=chain.adjacency, draws=0)
    assert found.effects[0].on == "<c>" and "&lt;c&gt;" in found._repr_html_()
    with_gap = frame.copy()
    with_gap.iloc[6, 0] = numpy.nan
    with pytest.raises(nonsens.DataError, match="^data row 7: this row was left out"):
        nonsens.effect(with_gap, chain.segments, do={"t": 1}, rows=6, na="drop-rows", graph=chain.adjacency)
