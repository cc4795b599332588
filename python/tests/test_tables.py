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
    packed = numpy.zeros(len(four.X), dtype=[("flag", "u1"), ("x", "f8", 4)])  # doubles at unaligned addresses
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
    """Labels without a name, beside a column that has their default name."""
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


# ---- errors in data ----


def test_missing_value(four):
    X = four.X.copy()
    X[6, 2] = numpy.nan
    with pytest.raises(nonsens.DataError, match=r'column "c3" has a missing value \(data row 7\)') as caught:
        nonsens.ica(X, four.segments)
    assert isinstance(caught.value, ValueError)
    nonsens.ica(X, four.segments, vars=[0, 1])  # that column is not used


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
    """Whichever way the library is called, the warning points at the caller's line."""
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
    """Numeric labels are not quantities, and the names of labels do not matter."""
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
        (numpy.ones((4, 2)) * 1j, None, "Complex data"),
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


# ---- masks ----


def masked(values, place):
    out = numpy.ma.array(values)
    out[place] = numpy.ma.masked
    return out


def of_masked_column(four):
    columns = dict(zip(four.names, four.X.T))
    columns["x3"] = masked(four.X[:, 2], 6)
    return columns


@pytest.mark.parametrize(
    "make",
    [
        lambda four: masked(four.X, (6, 2)),
        lambda four: masked((1000 * four.X).astype(int), (6, 2)),
        lambda four: masked(four.X.astype(object), (6, 2)),
        lambda four: list(masked(four.X, (6, 2))),
        lambda four: four.X[:6].tolist() + [[1.0, 2.0, numpy.ma.masked, 3.0]] + four.X[7:].tolist(),
        of_masked_column,
        lambda four: need("pandas").DataFrame(of_masked_column(four)),
    ],
)
@pytest.mark.filterwarnings("error::UserWarning")
def test_masked_values_are_missing(four, make):
    X = make(four)
    with pytest.raises(nonsens.DataError, match=r'column "[cx]3" has a missing value \(data row 7\).*na="drop-rows"$'):
        nonsens.ica(X, four.segments)
    with pytest.warns(nonsens.DataWarning, match="1 of 400 rows was left out"):
        assert 6 not in nonsens.ica(X, four.segments, na="drop-rows").rows


def test_masked_structured_array(four):
    X = numpy.ma.zeros(len(four.X), dtype=[(name, float) for name in four.names])
    for name, values in zip(four.names, four.X.T):
        X[name] = values
    assert same(nonsens.ica(X, four.segments), nonsens.ica(of_columns(four), four.segments))
    X["x3"][6] = numpy.ma.masked
    with pytest.raises(nonsens.DataError, match=r'column "x3" has a missing value \(data row 7\)'):
        nonsens.ica(X, four.segments)


@pytest.mark.filterwarnings("ignore::nonsens.DataWarning")
def test_values_under_a_mask_do_not_matter(four):
    X = masked(four.X, (6, 2))
    usual = nonsens.ica(numpy.where(numpy.ma.getmaskarray(X), numpy.nan, four.X), four.segments, na="drop-rows")
    X.data[6, 2] = 1e300
    assert same(usual, nonsens.ica(X, four.segments, na="drop-rows"))


def test_mask_without_masked_values(four):
    X, segments = numpy.ma.array(four.X), numpy.ma.array(four.segments)
    assert same(nonsens.ica(four.X, four.segments), nonsens.ica(X, segments))
    assert all(numpy.shares_memory(four.X, values) for values in Table(X).values)


KINDS = {
    "text": lambda labels: labels,
    "integer": lambda labels: numpy.array([int(label[1:]) for label in labels]),
    "float": lambda labels: KINDS["integer"](labels).astype(float),
    "object": lambda labels: labels.astype(object),
    "date": lambda labels: numpy.datetime64("2020-01-01") + KINDS["integer"](labels),
}


@pytest.mark.parametrize("kind", KINDS)
def test_masked_labels_are_missing(four, kind):
    labels = KINDS[kind](numpy.asarray(four.segments))
    hidden = masked(labels, 2)
    words = r'column "segment" has a missing value \(data row 3\).*na="drop-rows"$'
    with pytest.raises(nonsens.DataError, match=words):
        nonsens.ica(four.X, hidden)
    assert set(Table(four.X, hidden).labels) == set(Table(four.X, labels).labels)  # 1 has not become 1.0
    with pytest.warns(nonsens.DataWarning, match="1 of 400 rows was left out"):
        assert 2 not in nonsens.ica(four.X, hidden, na="drop-rows").rows


def test_masked_label_in_a_list(four):
    labels = [numpy.ma.masked] + list(four.segments)[1:]
    with pytest.raises(nonsens.DataError, match=r'column "segment" has a missing value \(data row 1\)'):
        nonsens.ica(four.X, labels)


@pytest.mark.parametrize("kind", ["Int64", "string", "category"])
def test_missing_pandas_labels(four, kind):
    pandas = need("pandas")
    labels = pandas.Series(KINDS["integer"](numpy.asarray(four.segments)) if kind == "Int64" else four.segments)
    labels = labels.astype(kind).rename("day")
    labels[2] = pandas.NA
    frame = four.to_frame().drop(columns="segment")
    frame["day"] = labels
    for X, segments in ((four.X, labels), (frame, "day"), (frame, frame["day"])):
        with pytest.raises(nonsens.DataError, match=r'column "day" has a missing value \(data row 3\)'):
            nonsens.ica(X, segments)


# ---- dicts, and values that are no table ----


def of_columns(four):
    return dict(zip(four.names, four.X.T))


def test_dict_of_columns(four):
    usual = nonsens.ica(four.to_frame(), "segment")
    columns = of_columns(four)
    lists = {name: values.tolist() for name, values in columns.items()}
    for X in (columns, lists, dict(columns, segment=four.segments)):
        found = nonsens.ica(X, "segment" if "segment" in X else four.segments)
        assert same(usual, found) and found.names == four.names
    assert all(numpy.shares_memory(four.X, values) for values in Table(columns).values)
    assert nonsens.direction(columns, four.segments, x=2, y="x1", method="lingam").names == ["x3", "x1"]


class Opaque:
    pass


class Sparse:
    """Like scipy's matrices, which NumPy would pack into a single object."""

    def toarray(self):
        return numpy.ones((4, 2))


@pytest.mark.parametrize(
    "X, words",
    [
        (None, "X is None; give an array"),
        (3.0, "X is the single value 3.0; give an array"),
        (numpy.float64(3), "X is the single value"),
        (numpy.array(3.0), "X is the single value 3.0; give an array"),
        (True, "X is the single value True"),
        ("data.csv", r"X is the text 'data.csv'.*pandas.read_csv"),
        (b"data.csv", "read_csv"),
        ({1, 2}, "X is a value of the type set; give an array"),
        ((row for row in [[1, 2]]), "X is a value of the type generator"),
        (Opaque(), "X is a value of the type Opaque"),
        (Sparse(), r"X is sparse; write X.toarray\(\)"),
        ([], "X is empty"),
        ([1, 2, 3], "reshape"),
        ([[1, 2], [3]], "rows of different lengths: row 1 has 2 values, row 2 has 1"),
        ([[1, 2], 3], "rows of different lengths"),
        ([{"a": 1}] * 4, r"list of dicts; write pandas.DataFrame\(X\)"),
        (numpy.zeros((4, 2), dtype="M8[D]"), "not datetime64.*turn times into numbers"),
        (numpy.zeros((4, 2), dtype=complex), r"Complex data not supported; take X.real or abs\(X\)"),
        ({"a": [1, 2, 3], "b": [1, 2]}, "column 'b' of X has 2 rows, but column 'a' has 3"),
        ({"a": 1.0, "b": 2.0}, "column 'a' of X must have one value per row"),
        ({"a": [[1], [2, 3]], "b": [1, 2]}, "column 'a' has rows of different lengths"),
        ({}, "at least one row and one column"),
        ([[10**400, 1.0]] * 4, "column 'c1', data row 1: 10+...0+ is too large for a floating-point number"),
        ([[1.0, 1j]] * 4, "Complex data"),
        (numpy.array([[1.0, 1j]] * 4 + [[1.0, 2.0]], dtype=object), "column 'c2', data row 1: 1j is not a number"),
        (numpy.full((4, 2), "a"), "variables must be numbers"),
    ],
)
def test_no_table(X, words):
    with pytest.raises(ValueError, match=words):
        nonsens.ica(X)


@pytest.mark.parametrize(
    "segments, words",
    [
        (3, "not the single value 3"),
        (numpy.array(3), "not the single value 3"),
        ({"a": 1}, "not a value of the type dict"),
        ((k for k in range(4)), "not a value of the type generator"),
        (numpy.arange(4) * 1j, "not complex numbers"),
        (numpy.ones((4, 2, 2)), "one label per row"),
    ],
)
def test_no_labels(segments, words):
    with pytest.raises(ValueError, match="^segments must .*" + words):
        nonsens.ica(numpy.ones((4, 2)), segments)


# ---- names in messages ----


@pytest.mark.parametrize(
    "options, words",
    [
        ({"na": "x"}, r'^na="x": must be one of error\|drop-rows\|pairwise$'),
        ({"alpha": 2}, "^alpha=2: must be"),
        ({"random_state": -1}, "^random_state=-1: must be"),
        ({"x": "c1"}, "`y`"),
    ],
)
def test_options_are_keywords(four, options, words):
    with pytest.raises(nonsens.UsageError, match=words) as caught:
        nonsens.direction(four.X, four.segments, method="lingam", **options)
    assert "--" not in str(caught.value)


@pytest.mark.filterwarnings("ignore::nonsens.DataWarning")
def test_remedies_are_keywords(four, pair):
    constant = numpy.column_stack([pair.X[:, 0], numpy.ones(len(pair.X))])
    for call, words in (
        (lambda: nonsens.direction(pair.X), 'as `segments`, cut the rows with segments="equal:K"'),
        (lambda: nonsens.direction(constant, pair.segments, keep_all=True), "`vars`"),
        (lambda: nonsens.direction(four.X, four.segments), 'with x="A", y="B"'),
        (lambda: nonsens.direction(pair.X, numpy.arange(len(pair.X)) % 2, method="nonsens"), 'segments="equal:K"'),
    ):
        with pytest.raises(nonsens.NonsensError) as caught:
            call()
        assert words in str(caught.value) and "--" not in str(caught.value)


def test_warnings_speak_of_keywords(pair):
    with pytest.warns(nonsens.DataWarning, match="are identical; leave one out with `vars`"):
        with pytest.raises(nonsens.DataError):
            nonsens.direction(pair.X[:, [0, 0]], pair.segments, keep_all=True)
    with pytest.warns(UserWarning, match="^`basis` has no effect with lingam$"):
        nonsens.direction(pair.X, pair.segments, method="lingam", basis=8)


def test_columns_and_segments_that_are_left_out(pair):
    X = numpy.column_stack([numpy.ones(len(pair.X)), pair.X, numpy.round(pair.X[:, 0], 3)])
    segments = ["trial"] * 3 + list(pair.segments[3:])
    with pytest.warns(nonsens.DataWarning) as caught:
        result = nonsens.direction(X, segments, method="lingam")
    assert [str(w.message) for w in caught][:3] == [
        '1 of 7 segments has fewer than 10 rows and was left out, with 3 of 900 rows: "trial"',
        'column "c1" is constant and was left out',
        'column "c4" is a copy of "c2" up to rounding and scale and was left out',
    ]
    assert result.warnings == [str(w.message) for w in caught]
