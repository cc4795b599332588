"""Keyword arguments are the library's options."""

import inspect

import numpy
import pytest

import nonsens

COMMANDS = ("direction", "discover", "explain", "effect", "ica", "independence", "diagnose")


@pytest.mark.parametrize("command", COMMANDS)
def test_defaults_are_those_of_the_table(command):
    table = {option.name: option for option in nonsens.options(command)}
    for name, parameter in inspect.signature(getattr(nonsens, command)).parameters.items():
        if name in table and parameter.default not in (None, inspect.Parameter.empty):
            assert str(parameter.default).lower() == table[name].default


def test_every_option_can_be_set(pair):
    """Setting all options of direction at once, each to its default, changes nothing."""
    usual = nonsens.direction(pair.X, pair.segments)
    values = {}
    for option in nonsens.options("direction"):
        if option.default and option.name != "as_published":
            convert = {"integer": int, "real": float}.get(option.type, str)
            values[option.name] = convert(option.default)
    values = {name: value == "true" if value in ("true", "false") else value for name, value in values.items()}
    assert len(values) > 25
    again = nonsens.direction(pair.X, pair.segments, **values)
    assert again.options == usual.options and again.score == usual.score


def test_options_reach_the_run(pair):
    found = nonsens.direction(pair.X, pair.segments, alpha=1e-3, score_folds=4, random_state=17, block_length=2)
    assert found.options["alpha"] == 0.001 and found.options["score-folds"] == 4 and found.options["block-length"] == 2
    assert found.seed == 17
    assert "score_folds=4, block_length=2" in found.details  # how to reproduce it


def test_preset_comes_first(pair):
    found = nonsens.direction(pair.X, pair.segments, method="nonsens", epochs=1, as_published=True)
    assert found.options["epochs"] == 1 and found.options["folds"] == 1


@pytest.mark.parametrize(
    "options, words",
    [
        ({"alhpa": 0.1}, "did you mean alpha"),
        ({"score_fold": 3}, "did you mean score_folds"),
        ({"seed": 3}, "it is called random_state here"),
        ({"threads": 3}, "it is called n_jobs here"),
        ({"xyzzy": 3}, "unexpected keyword argument 'xyzzy'$"),
        ({"bootstrap": 3}, "unexpected keyword argument 'bootstrap'"),
        ({"score_folds": {}}, "no value of an option"),
        ({"random_state": "one"}, "random_state must be"),
    ],
)
def test_wrong_keywords(pair, options, words):
    with pytest.raises(TypeError, match=words):
        nonsens.direction(pair.X, pair.segments, **options)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"alpha": 2}, "alpha=2: must be a number between 0 and 1"),
        ({"method": "none"}, "there is no such method"),
        ({"score_folds": 2.5}, "must be a whole number"),
        ({"x": "c1"}, "without `y`"),
        ({"x": "c1", "y": "c9"}, 'there is no column "c9"'),
        ({"x": 0, "y": 5}, "there is no column 5; X has 2"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"features": "many"}, "must be one of"),
        ({"random_state": -1}, "random_state=-1"),
    ],
)
def test_wrong_values(pair, options, words):
    with pytest.raises(ValueError, match=words):
        nonsens.direction(pair.X, pair.segments, **options)


def test_random_state():
    def first(state):
        return nonsens.simulate(per_segment=2, random_state=state).X[0, 0]

    assert first(3) == first(numpy.int64(3)) != first(4)
    assert first(numpy.random.RandomState(5)) == first(numpy.random.RandomState(5))
    generator = numpy.random.default_rng
    assert first(generator(5)) == first(generator(5)) != first(generator(6))
    numpy.random.seed(1)
    drawn = [first(None), first(None)]
    numpy.random.seed(1)
    assert drawn == [first(None), first(None)] and drawn[0] != drawn[1]


def test_threads(four):
    usual = nonsens.ica(four.X, four.segments).to_dict()
    for n_jobs in (1, 2, None, -2):
        found = nonsens.ica(four.X, four.segments, n_jobs=n_jobs).to_dict()
        assert found["unmixing"] == usual["unmixing"]
    assert nonsens.ica(four.X, four.segments, n_jobs=None).to_dict()["nonsens"]["threads"] == 1
    assert nonsens.ica(four.X, four.segments, n_jobs=3).to_dict()["nonsens"]["threads"] == 3


def test_methods():
    names = [method.name for method in nonsens.methods()]
    assert names[0] == "structured" and "pc" in names
    assert all(method.summary and method.assumes and method.citation for method in nonsens.methods())
    with pytest.raises(ValueError, match="there are compare"):
        nonsens.options("guess")


def test_build_info():
    assert nonsens.__version__ and "compiler: " in nonsens.build_info()


def test_texts_of_any_length():
    rows, variables = 500, 450
    names = ["v" * 220 + "%03d" % k for k in range(variables + 5)]
    table = dict(zip(names, numpy.random.RandomState(1).normal(size=(variables + 5, rows))))
    found = nonsens.discover(table, method="pc", alpha=1e-12, vars=names[:variables])
    wanted = ",".join(names[:variables])
    assert len(wanted) > 100_000 and found.options["vars"] == wanted
    assert len(found.nodes) == variables and found.edges == []
