"""Arrays and data frames: names, missing values, labels, memory."""

import numpy
import pytest
from conftest import comparable, need

import nonsens
from nonsens._table import Table


def same(a, b):
    return comparable(a.to_json()) == comparable(b.to_json())


# ---- memory ----


@pytest.mark.parametrize("order", ["C", "F"])
def test_array_is_not_copied(four, order):
    X = numpy.array(four.X, order=order)
    assert all(numpy.shares_memory(X, values) for values in Table(X, four.segments).values)
    assert all(numpy.shares_memory(X, values) for values in Table(X[5:, ::2]).values)


def test_frame_is_not_copied(four):
    pandas = need("pandas")
    frame = pandas.DataFrame(four.X, columns=four.names)
    assert all(numpy.shares_memory(frame.to_numpy(), values) for values in Table(frame).values)


def test_layouts_agree(four):
    usual = nonsens.ica(four.X, four.segments)
    wide = numpy.zeros((len(four.X), 8))
    wide[:, 1::2] = four.X
    packed = numpy.zeros(len(four.X), dtype=[("flag", "u1"), ("x", "f8", 4)])  # doubles at odd addresses
    packed["x"] = four.X
    swapped = four.X.astype(four.X.dtype.newbyteorder())
    for X in (numpy.asfortranarray(four.X), wide[:, 1::2], packed["x"], swapped, four.X.tolist()):
        assert same(usual, nonsens.ica(X, four.segments))


def test_reversed_rows(four):
    usual = nonsens.ica(four.X, four.segments)
    turned = nonsens.ica(four.X[::-1], four.segments[::-1])  # negative strides
    assert same(usual, turned)
    assert numpy.array_equal(usual.sources, turned.sources[::-1])


def test_input_is_left_alone(four):
    X = four.X.copy()
    X.setflags(write=False)
    nonsens.ica(X, four.segments)
    assert numpy.array_equal(X, four.X)


@pytest.mark.filterwarnings("ignore::nonsens.DataWarning")
@pytest.mark.parametrize("kind", ["float32", "int16", "bool"])
def test_other_numbers(four, kind):
    X = (four.X > 0) if kind == "bool" else (10 * four.X).astype(kind)
    found = nonsens.independence(X, four.segments, x=0, y=1, test="fisher-z")
    assert same(found, nonsens.independence(X.astype(float), four.segments, x=0, y=1, test="fisher-z"))


# ---- names ----


def test_names(four):
    pandas = need("pandas")
    frame = pandas.DataFrame(four.X, columns=["a,b", 7, "<c>", "\N{SNOWMAN}"])
    found = nonsens.discover(frame, four.segments, method="lingam")
    assert found.nodes == found.names == ["a,b", "7", "<c>", "\N{SNOWMAN}"]
    asked = nonsens.independence(frame, four.segments, x="a,b", y=7, given=["<c>", "\N{SNOWMAN}"], test="fisher-z")
    assert asked.names == ["a,b", "7", "<c>", "\N{SNOWMAN}"]
    asked = nonsens.independence(frame, four.segments, x=["a,b", "<c>"], y=7, test="hsic")
    assert asked.names == ["a,b", "<c>", "7"]
    assert nonsens.direction(frame, four.segments, x=7, y=0, method="lingam").names == ["7", "a,b"]


def test_label_column(four):
    pandas = need("pandas")
    frame = pandas.DataFrame(four.X, columns=four.names)
    usual = nonsens.ica(frame, pandas.Series(four.segments, name="day"))
    frame.insert(1, "day", four.segments)
    assert same(usual, nonsens.ica(frame, "day"))
    assert same(usual, nonsens.ica(frame, frame["day"]))  # the column is still there
    assert usual.options["segment"] == "day"
    frame["day"] = frame["day"].str.upper()
    with pytest.raises(ValueError, match="something else; rename one"):
        nonsens.ica(frame, pandas.Series(four.segments, name="day"))


def test_label_array(four):
    """Labels without a name, beside a column that is called as they would be."""
    frame = four.to_frame()
    usual = nonsens.ica(frame, "segment")
    assert same(usual, nonsens.ica(frame, frame["segment"].to_numpy()))
    numbers = frame.rename(columns={"x1": "segment", "segment": "day"})
    found = nonsens.ica(numbers, numbers["day"])
    named = nonsens.ica(numbers.drop(columns="day"), four.segments)
    assert found.names == named.names == ["segment", "x2", "x3", "x4"]
    assert named.options["segment"] == "segments" and numpy.array_equal(named.sources, usual.sources)


def test_text_columns(four):
    frame = four.to_frame()
    frame["note"] = "dry"
    with pytest.warns(nonsens.DataWarning, match="note"):
        assert nonsens.ica(frame, "segment").names == four.names
    frame["note"] = [1.0, "two"] + [3.0] * (len(frame) - 2)
    with pytest.raises(ValueError, match="column 'note', data row 2: 'two' is not a number"):
        nonsens.ica(frame, "segment")


def test_nullable_numbers(four):
    frame = four.to_frame()
    usual = nonsens.ica(frame, "segment")
    assert same(usual, nonsens.ica(frame.astype({"x1": "Float64"}), "segment"))
    frame = frame.astype({"x2": "Float64"})
    frame.loc[4, "x2"] = need("pandas").NA
    with pytest.raises(nonsens.DataError, match=r'column "x2" has a missing value \(data row 5\)'):
        nonsens.ica(frame, "segment")


# ---- what is wrong with data ----


def test_missing_value(four):
    X = four.X.copy()
    X[6, 2] = numpy.nan
    with pytest.raises(nonsens.DataError, match=r'column "c3" has a missing value \(data row 7\)') as caught:
        nonsens.ica(X, four.segments)
    assert isinstance(caught.value, ValueError)
    nonsens.ica(X, four.segments, vars=[0, 1])  # nobody asks for that column


def test_infinite_value(four):
    X = four.X.copy()
    X[1, 0] = numpy.inf
    with pytest.raises(ValueError, match='column "c1", data row 2: the value is not a finite number'):
        nonsens.ica(X, four.segments)


@pytest.mark.parametrize("missing", [None, float("nan"), ""])
def test_missing_label(four, missing):
    labels = four.segments.astype(object)
    labels[2] = missing
    with pytest.raises(ValueError, match=r'column "segment" has a missing value \(data row 3\)'):
        nonsens.ica(four.X, labels)
    with pytest.warns(nonsens.DataWarning, match="1 of 400 rows was left out"):
        found = nonsens.ica(four.X, labels, na="drop-rows")
    assert found.rows.tolist() == [0, 1] + list(range(3, 400)) and found.sources.shape == (399, 4)


def test_warnings_name_the_line(four):
    """Whichever way the library is called, the warning stands at the caller's line."""
    frame = four.to_frame()
    frame["note"] = "dry"
    model = nonsens.NonSENS("lingam")
    for call in (
        lambda: nonsens.ica(frame, "segment"),
        lambda: nonsens.directions(frame, "segment", method="lingam"),
        lambda: model.fit(frame, "segment"),
    ):
        with pytest.warns(nonsens.DataWarning, match="note") as caught:
            call()
        assert {one.filename for one in caught} == {__file__}


def test_labels_are_categories(four):
    """Numbers are no quantities, and what they are called does not matter."""
    usual = nonsens.ica(four.X, four.segments).sources
    names = dict(zip(sorted(set(four.segments)), [7, -1, 10**12, 0, 3, 55, 56, -9, 8, 1]))
    numbers = numpy.array([names[label] for label in four.segments])
    for labels in (numbers, numbers.astype(float), [str(k) for k in numbers], list(map(int, numbers))):
        assert numpy.array_equal(nonsens.ica(four.X, labels).sources, usual)


@pytest.mark.parametrize(
    "X, segments, words",
    [
        (numpy.ones(5), None, "reshape"),
        (numpy.ones((2, 2, 2)), None, "3 dimensions"),
        (numpy.ones((4, 2)) * 1j, None, "real numbers"),
        (numpy.ones((4, 2)), ["a", "b"], "4 rows, but segments has 2 labels"),
        (numpy.ones((4, 2)), "day", "no column of that name"),
        (numpy.ones((4, 2)), "equal:1", "at least 2"),
        (numpy.ones((4, 2)), numpy.ones((4, 2)), "one label per row"),
        (numpy.ones((0, 2)), None, "at least one row"),
    ],
)
def test_wrong_shapes(X, segments, words):
    with pytest.raises(ValueError, match=words):
        nonsens.ica(X, segments)


def test_needs_segments(pair):
    with pytest.raises(nonsens.DataError, match="needs segments"):
        nonsens.direction(pair.X)
    with pytest.raises(nonsens.DataError, match="constant"):
        nonsens.direction(numpy.column_stack([pair.X[:, 0], numpy.ones(len(pair.X))]), pair.segments)
