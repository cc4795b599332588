"""Several frames, each of them a segment; labels in several columns; masks."""

import numpy
import pytest
from conftest import comparable, need, run_program, write_csv

import nonsens
from nonsens._table import Table


def parts(four):
    """Returns name and rows of each segment."""
    return {label: four.X[four.segments == label] for label in dict.fromkeys(four.segments)}


def without_labels(result):
    found = comparable(result.to_json())
    del found["nonsens"]["options"]["segment"]
    return found


def test_frames_are_segments(four):
    pandas = need("pandas")
    usual = nonsens.ica(four.to_frame(), "segment")
    by_name = {label: pandas.DataFrame(X, columns=four.names) for label, X in parts(four).items()}
    assert without_labels(nonsens.ica(by_name)) == without_labels(usual)
    assert without_labels(nonsens.ica(list(by_name.values()))) == without_labels(usual)  # also called s1, s2, ...
    turned = {label: frame[four.names[::-1]] for label, frame in by_name.items()}
    turned["s1"] = by_name["s1"]  # the first frame determines the order
    assert without_labels(nonsens.ica(turned)) == without_labels(usual)
    as_arrays = nonsens.ica(list(parts(four).values()))
    assert as_arrays.names == ["c1", "c2", "c3", "c4"] and numpy.array_equal(as_arrays.sources, usual.sources)
    as_dicts = [{name: X[:, k] for k, name in enumerate(four.names)} for X in parts(four).values()]
    assert without_labels(nonsens.ica(as_dicts)) == without_labels(usual)
    labelled = nonsens.ica([four.to_frame()[:200], four.to_frame()[200:]], four.segments)  # labels of all rows
    assert labelled.n_segments == 10


def test_frames_are_files(four, tmp_path):
    """Frames give what the program gives for one file per segment."""
    frames, paths = {}, []
    for label, X in parts(four).items():
        frames[label] = dict(zip(four.names, X.T))
        paths.append(write_csv(tmp_path / (label + ".csv"), four.names, X))
    printed = run_program("ica", *paths, "-o", tmp_path / "out.csv", "--json", "-", "-q")
    ours, theirs = without_labels(nonsens.ica(frames)), comparable(printed)
    theirs["nonsens"]["options"].pop("segment")
    assert ours["unmixing"] == theirs["unmixing"] and ours["modulation"] == theirs["modulation"]
    assert ours["nonsens"]["data_hash"] == theirs["nonsens"]["data_hash"]


@pytest.mark.parametrize(
    "frames, words",
    [
        ([{"a": [1.0], "b": [2.0]}, {"a": [1.0]}], "frame 's2' has no column 'b', which frame 's1' has"),
        ({"mon": {"a": [1]}, "tue": {"a": [1], "b": [2]}}, "frame 'mon' has no column 'b', which frame 'tue' has"),
        ([numpy.zeros((3, 2)), numpy.zeros((3, 3))], "frame 's2' has 3 columns, but frame 's1' has 2"),
    ],
)
def test_different_columns(frames, words):
    with pytest.raises(ValueError, match=words):
        Table(frames)


def test_frames_and_segments(four):
    with pytest.raises(ValueError, match="each a segment, so segments cannot be given as well"):
        nonsens.ica([four.X[:200], four.X[200:]], "equal:4")


# ---- labels in several columns ----


def test_several_columns(four):
    frame = four.to_frame()
    frame["operator"] = numpy.where(numpy.arange(len(frame)) % 2, "anna", "bob")
    found = nonsens.diagnose(frame, ["segment", "operator"])
    assert found.names == four.names and found.n_segments == 20 and found.options["segment"] == "segment,operator"
    joined = frame["segment"] + "/" + frame["operator"]
    assert Table(frame, ["segment", "operator"]).labels == list(dict.fromkeys(joined))
    by_hand = nonsens.diagnose(frame[four.names], joined)
    assert without_labels(found) == without_labels(by_hand)
    as_table = nonsens.diagnose(frame[four.names], frame[["segment", "operator"]])
    assert without_labels(as_table) == without_labels(found) and as_table.options["segment"] == "segment,operator"
    twice = nonsens.diagnose(frame, frame[["segment", "operator"]])  # the columns are still in X
    assert twice.names == four.names
    one = nonsens.diagnose(frame, ["segment"])
    assert one.n_segments == 10


def test_numbers_and_missing_labels():
    table = Table({"x": numpy.zeros(4), "day": [1, 1, 2, 2], "hour": [7.0, None, 7.0, 8.0]}, ("day", "hour"))
    assert table.labels == ["1/7.0", "2/7.0", "2/8.0"] and table.category.tolist() == [0, -1, 1, 2]
    table = Table({"x": numpy.zeros(3), "day": ["1/2", "3", "3"], "hour": ["a b", "c", "c"]}, ["day", "hour"])
    assert table.labels == ["1/2|a b", "3|c"]  # no label contains the separator


def test_unknown_column(four):
    with pytest.raises(ValueError, match="segments names 'segmnt', but X has no such column. Did you mean 'segment'"):
        nonsens.ica(four.to_frame(), ["x1", "segmnt"])


def test_labels_are_labels():
    """A list with as many texts as rows is a list of labels, even if columns have these names."""
    assert Table({"a": [1.0, 2.0], "b": [3.0, 4.0]}, ["a", "b"]).labels == ["a", "b"]
    with pytest.raises(ValueError, match="X has 4 rows, but segments has 2 labels"):
        Table(numpy.zeros((4, 2)), ["monday", "tuesday"])


# ---- masks ----


@pytest.mark.parametrize("kind", ["f8", "f4", "i4", "u1", "?"])
def test_masked_arrays(kind):
    values = numpy.arange(12).reshape(6, 2).astype(kind)
    mask = numpy.zeros((6, 2), dtype=bool)
    mask[4, 1] = True
    masked = numpy.ma.MaskedArray(values, mask)
    columns = [masked[:, 0], masked[:, 1]]
    for X in (masked, masked.tolist(), {"a": columns[0], "b": columns[1]}, [masked[:3], masked[3:]], list(masked)):
        table = Table(X)
        found = numpy.column_stack(table.values)
        assert numpy.isnan(found).tolist() == mask.tolist() and (found[~mask] == values[~mask]).all()


def test_masked_fields_and_labels():
    fields = numpy.ma.zeros(4, dtype=[("a", "f8"), ("b", "i4")])
    fields["b"][2] = numpy.ma.masked
    assert numpy.isnan(Table(fields).values[1]).tolist() == [False, False, True, False]
    labels = numpy.ma.MaskedArray([1, 2, 1, 2], [0, 0, 0, 1])
    assert Table(numpy.zeros((4, 1)), labels).category.tolist() == [0, 1, 0, -1]


def test_masked_cells_are_missing_values(four):
    masked = numpy.ma.MaskedArray(four.X, numpy.zeros_like(four.X, dtype=bool))
    masked[6, 2] = numpy.ma.masked
    with pytest.raises(nonsens.DataError, match=r'"c3" has a missing value \(data row 7\)'):
        nonsens.ica(masked, four.segments)
    without = nonsens.ica(numpy.delete(four.X, 6, axis=0), numpy.delete(four.segments, 6))
    assert numpy.array_equal(nonsens.ica(masked, four.segments, na="drop-rows").sources, without.sources)
