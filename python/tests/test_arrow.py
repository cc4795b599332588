"""Tables by the Arrow C data interface, from a producer in C (arrow/producer.c) that counts what is released."""

import ctypes
import os
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p, py_object
from pathlib import Path

import numpy
import pytest
from conftest import ROOT, comparable

import nonsens
from nonsens import _arrow
from nonsens._table import Table

LIBRARY = Path(os.environ.get("NONSENS_TEST_BUILD", str(ROOT / "build"))) / "python" / "libarrow_producer.so"
pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason="the producer is not built")
NO_FAILURE, SCHEMA = 3, -1  # the position at which a stream fails


def producer():
    library = ctypes.CDLL(str(LIBRARY))
    library.arrow_stream.restype, library.arrow_stream.argtypes = c_void_p, [c_char_p, c_int64, c_int, c_int]
    library.arrow_stream_free.restype, library.arrow_stream_free.argtypes = c_int, [c_void_p]
    library.arrow_counts.restype, library.arrow_counts.argtypes = None, [POINTER(c_int64)]
    return library


class Source:
    """The interface of another package's table."""

    def __init__(self, columns, rows=4, nulls=False, fail_at=NO_FAILURE):
        self.library = producer()
        self.stream = self.library.arrow_stream(columns.encode(), rows, nulls, fail_at)

    def __arrow_c_stream__(self, requested_schema=None):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
        return make(self.stream, b"arrow_array_stream", None)

    def counts(self):
        found = (c_int64 * 6)()
        self.library.arrow_counts(found)
        return list(found)

    def free(self):
        return bool(self.library.arrow_stream_free(self.stream))


def read(columns, **words):
    """Reads names and columns; everything that was made must be released exactly once."""
    source = Source(columns, **words)
    before = source.counts()
    try:
        return _arrow.read(source)
    finally:
        after = source.counts()
        assert after[:3] == after[3:], "made and released: %s" % after
        assert after[0] > before[0] or words.get("fail_at") == SCHEMA
        assert not source.free()  # the reader has released the stream


I = numpy.arange(100, 112)  # the values that the producer puts into 4 + 8 rows
MISSING = I % 4 == 3


@pytest.mark.parametrize("form", list("cCsSiIlLe"))
def test_whole_numbers(form):
    (name,), (values,) = read("x=%s" % form)
    assert name == "x" and values.tolist() == I.tolist()
    _, (values,) = read("x=%s" % form, nulls=True)
    missing = numpy.isnan(values) if form == "e" else values.mask
    assert missing.tolist() == MISSING.tolist() and values[~missing].tolist() == I[~MISSING].tolist()


@pytest.mark.parametrize("form, wanted", [("f", I + 0.5), ("g", I + 0.5), ("d:10,2", (-1.0) ** I * (I + 0.25))])
def test_other_numbers(form, wanted):
    _, (values,) = read("x=%s" % form)
    assert values.dtype.kind == "f" and values.tolist() == wanted.tolist()
    _, (values,) = read("x=%s" % form, nulls=True)
    assert numpy.array_equal(values, numpy.where(MISSING, numpy.nan, wanted), equal_nan=True)


def test_booleans():
    assert read("x=b")[1][0].tolist() == (I % 2 == 1).tolist()
    assert read("x=b", nulls=True)[1][0].mask.tolist() == MISSING.tolist()


def texts(number):
    return ["day %d" % i if i % 3 else "a label of many bytes %d" % i for i in number]


@pytest.mark.parametrize("form", ["u", "U", "vu"])
@pytest.mark.parametrize("nulls", [False, True])
def test_texts(form, nulls):
    wanted = [None if nulls and i % 4 == 3 else text for i, text in zip(I, texts(I))]
    assert read("x=%s" % form, nulls=nulls)[1][0].tolist() == wanted


def test_dictionaries():
    three = texts(range(3))
    assert read("x=u%i")[1][0].tolist() == [three[i % 3] for i in I]
    found = read("x=u%i", nulls=True)[1][0].tolist()
    assert found == [None if i % 4 == 3 else three[i % 3] for i in I]


@pytest.mark.parametrize("form, unit", [("tdD", "D"), ("tdm", "ms"), ("tsu:UTC", "us")])
def test_times(form, unit):
    days = (19000 + I).astype("M8[D]")
    _, (values,) = read("x=%s" % form)
    assert values.dtype == "M8[%s]" % unit and (values == days).all()
    _, (values,) = read("x=%s" % form, nulls=True)
    assert numpy.isnat(values).tolist() == MISSING.tolist()


def test_other_kinds():
    names, (nothing, lists) = read("a=n;b=+l")
    assert names == ["a", "b"] and numpy.isnan(numpy.ma.filled(nothing, numpy.nan)).all()
    assert len(lists) == 12 and lists.dtype.kind == "V"  # not numbers, like a column of text


def test_bare_column():
    names, (values,) = read("=g")
    assert names == [] and values.tolist() == (I + 0.5).tolist()


def test_missing_rows():
    """A row can be missing as a whole."""
    _, (x, day) = read("x=l;day=u", nulls=2)
    assert x.mask.tolist() == MISSING.tolist() and [text is None for text in day] == MISSING.tolist()


class Batch(Source):
    """A table that is passed as a single array."""

    __arrow_c_stream__ = property()  # makes hasattr false

    def __arrow_c_array__(self, requested_schema=None):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
        self.schema, self.array = _arrow._Schema(), _arrow._Array()
        parts = ctypes.addressof(self.schema), ctypes.addressof(self.array)
        self.library.arrow_take.argtypes = [c_void_p] * 3
        assert self.library.arrow_take(self.stream, *parts) == 0
        return make(parts[0], b"arrow_schema", None), make(parts[1], b"arrow_array", None)


def test_one_array():
    batch = Batch("x=g;day=u")
    table = Table(batch, "day")
    assert table.names == ["x"] and table.values[0].tolist() == (I[:4] + 0.5).tolist()
    assert batch.free()  # the stream was not offered
    counts = batch.counts()
    assert counts[:3] == counts[3:]


def test_no_rows():
    names, (values, day) = read("x=g;day=u", rows=0)
    assert names == ["x", "day"] and len(values) == len(day) == 0
    assert read("", rows=0) == ([], [])


@pytest.mark.parametrize(
    "fail_at, words", [(SCHEMA, "the producer gave up"), (0, "error 5"), (2, "broke off: the producer gave up")]
)
def test_broken_streams(fail_at, words):
    with pytest.raises(nonsens.DataError, match=words):
        read("x=g;day=u", fail_at=fail_at)


def test_an_error_while_reading(monkeypatch):
    """The current chunk is released, and everything else, too."""

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_arrow, "_texts", fail)
    with pytest.raises(KeyboardInterrupt):
        read("x=g;day=u")


def test_table():
    source = Source("x=g;y=l;flag=b;day=u%i;note=u", rows=50)
    table = Table(source, "day")
    assert table.names == ["x", "y", "flag", "note"] and table.labels == ["day 1", "day 2", texts([0])[0]]
    assert [values is None for values in table.values] == [False, False, False, True]
    assert not source.free()
    source = Source("x=g", rows=5, nulls=True)
    assert numpy.isnan(Table(source).values[0]).sum() == 3
    assert not source.free()


@pytest.mark.filterwarnings("ignore::nonsens.DataWarning")
def test_same_result_as_from_arrays():
    def columns():
        return Source("x=g;y=c;day=u%i", rows=60, nulls=True)

    words = {"x": "x", "y": "y", "test": "fisher-z", "na": "drop-rows", "keep_all": True}
    source = columns()
    by_arrow = nonsens.independence(source, "day", **words)
    assert not source.free()
    number = numpy.arange(100, 280)
    missing = number % 4 == 3
    frame = {
        "x": numpy.where(missing, numpy.nan, number + 0.5),
        "y": numpy.where(missing, numpy.nan, number.astype("i1")),
        "day": [None if i % 4 == 3 else texts(range(3))[i % 3] for i in number],
    }
    by_arrays = nonsens.independence(frame, "day", **words)
    assert comparable(by_arrow.to_json()) == comparable(by_arrays.to_json())


def test_labels_from_arrow():
    labels = Source("=u%i", rows=20)
    table = Table(numpy.zeros((60, 2)), labels)
    assert len(table.labels) == 3 and table.segment == "segment" and not labels.free()
    labels = Source("day=u%i;hour=b", rows=20)
    table = Table(numpy.zeros((60, 2)), labels)
    assert len(table.labels) == 6 and table.segment == "day,hour" and not labels.free()


def test_list_of_streams():
    both = [Source("x=g;y=l", rows=3), Source("y=l;x=g", rows=3)]
    table = Table(both)
    assert table.rows == 18 and table.labels == ["s1", "s2"] and table.values[0][9] == 100.5
    assert [source.free() for source in both] == [False, False]
