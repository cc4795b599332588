"""The conventions of scikit-learn."""

import copy
import inspect

import numpy
import pytest
from conftest import comparable, need

import nonsens
from nonsens import NonSENS


def clone(estimator):
    """Does what sklearn.base.clone does."""
    params = {name: copy.deepcopy(value) for name, value in estimator.get_params(deep=False).items()}
    made = type(estimator)(**params)
    again = made.get_params(deep=False)
    assert all(params[name] is again[name] for name in params)
    return made


def test_pair(pair):
    model = NonSENS(random_state=1)
    assert model.fit(pair.X, pair.segments) is model
    assert model.decision_ == model.direction_ == "c2->c1" and model.score_ < 0 < model.p_value_ < 0.05
    assert model.adjacency_matrix_.tolist() == [[0, 0], [1, 0]] == model.graph_.adjacency.tolist()
    assert model.feature_names_in_.tolist() == ["c1", "c2"] and model.n_features_in_ == 2 and model.n_segments_ == 6
    assert comparable(model.result_.to_json()) == comparable(nonsens.direction(pair.X, pair.segments).to_json())


def test_graph(four):
    model = NonSENS("lingam", bootstrap=2).fit(four.to_frame(), "segment")
    assert isinstance(model.result_, nonsens.DiscoverResult) and model.decision_ is None and model.disturbances_ is None
    assert model.feature_names_in_.tolist() == four.names
    assert model.adjacency_matrix_.shape == (4, 4) and model.graph_.edges[0].support is not None
    two = NonSENS("lingam", vars=["x1", "x2"]).fit(four.to_frame(), "segment")
    assert two.decision_ is not None and two.feature_names_in_.tolist() == ["x1", "x2"]
    assert NonSENS("lingam", x="x2", y="x1").fit(four.to_frame(), "segment").feature_names_in_.tolist() == ["x2", "x1"]


def test_method_for_graphs_alone(pair):
    model = NonSENS("pc").fit(pair.X, pair.segments)
    assert isinstance(model.result_, nonsens.DiscoverResult) and model.n_features_in_ == 2


def test_params(pair):
    model = NonSENS("nonsens", alpha=0.01, n_jobs=2, epochs=3)
    given = {name: value for name, value in model.get_params().items() if value is not None}
    wanted = {"method": "nonsens", "alpha": 0.01, "random_state": 1, "n_jobs": 2, "verbose": 0, "epochs": 3}
    assert given == wanted and model.get_params()["folds"] is None
    assert model.set_params(epochs=2, folds=2, restarts=1, alpha=0.05) is model
    assert repr(model) == "NonSENS(method='nonsens', n_jobs=2, epochs=2, folds=2, restarts=1)"
    again = clone(model)
    assert again.get_params() == model.get_params() and again is not model and not hasattr(again, "result_")
    assert again.fit(pair.X, pair.segments).result_.options["epochs"] == 2
    assert clone(again).get_params() == model.get_params()
    assert repr(NonSENS()) == "NonSENS()" and "NonSENS" in NonSENS()._repr_html_()


def test_wrong_params(pair):
    with pytest.raises(TypeError, match="unexpected keyword argument 'epoch'"):
        NonSENS(epoch=3)
    with pytest.raises(ValueError, match=r"set_params\(\): .* 'epoch'; did you mean epochs"):
        NonSENS().set_params(epoch=3)
    with pytest.raises(ValueError, match="y and segments are the same"):
        NonSENS().fit(pair.X, pair.segments, segments=pair.segments)
    with pytest.raises(TypeError, match="bootstrap"):  # an option of discover, but these are two variables
        NonSENS(bootstrap=3).fit(pair.X, pair.segments)
    with pytest.raises(ValueError, match="no such method"):
        NonSENS("guess").fit(pair.X, pair.segments)


def test_fit_again(pair):
    model = NonSENS().fit(pair.X, pair.segments)
    first = model.score_
    assert model.fit(pair.X[::-1], pair.segments[::-1]).score_ == first
    assert model.fit(pair.X[:, ::-1], pair.segments).score_ == -first or numpy.isclose(model.score_, -first)


def test_segments_by_their_own_name(pair):
    by_name = NonSENS("lingam").fit(pair.X, segments=pair.segments)
    by_place = NonSENS("lingam").fit(pair.X, pair.segments)
    assert comparable(by_name.result_.to_json()) == comparable(by_place.result_.to_json())


def test_every_option_is_a_parameter():
    """Every option of direction and discover, except those about many pairs or passed to fit."""
    parameters = inspect.signature(NonSENS).parameters
    assert all(one.kind is not inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    known = {option.name for command in ("direction", "discover") for option in nonsens.options(command)}
    assert known - {"segments", "fdr"} <= set(parameters)
    assert set(parameters) - known <= {"random_state", "n_jobs", "verbose", "exclude"}


def test_knowledge_and_lists(four):
    wanted = {"forbidden": [("x1", "x2"), ("x2", "x1")]}
    model = NonSENS("pc", knowledge=wanted).fit(four.to_frame(), "segment")
    assert not [edge for edge in model.graph_.edges if {edge.source, edge.target} == {"x1", "x2"}]
    assert model.get_params()["knowledge"] is wanted


def sklearn_checks():
    """Returns all of scikit-learn's checks, or a placeholder if it is missing."""
    try:
        from sklearn.utils.estimator_checks import check_estimator
    except ImportError:
        return [pytest.param(None, id="without scikit-learn")]
    checks = check_estimator(NonSENS(n_jobs=1), generate_only=True)
    return [pytest.param(check, id=check.func.__name__) for _, check in checks]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("check", sklearn_checks())
def test_check_estimator(check):
    """No check is left out (docs/python.md)."""
    need("sklearn")
    check(NonSENS(n_jobs=1))


def test_scikit_learn(pair):
    base = need("sklearn.base")
    model = NonSENS(alpha=0.01, score_folds=4)
    assert base.clone(model).get_params() == model.get_params()


def test_errors_of_fit(pair):
    X = pair.X.copy()
    X[6, 1] = numpy.nan
    with pytest.raises(nonsens.DataError, match=r'"c2" has a missing value, NaN \(data row 7\); .* na="drop-rows"'):
        NonSENS().fit(X, pair.segments)
    assert NonSENS("lingam", na="drop-rows").fit(X, pair.segments).result_.n_rows == len(X) - 1
    X[6, 1] = numpy.inf
    with pytest.raises(nonsens.DataError, match="data row 7: the value is infinite"):
        NonSENS().fit(X, pair.segments)
    with pytest.raises(ValueError, match=r"1 feature\(s\)"):
        NonSENS().fit(X[:, :1], pair.segments)
    with pytest.raises(ValueError, match="n_samples=1"):
        NonSENS().fit(X[:1], pair.segments[:1])
