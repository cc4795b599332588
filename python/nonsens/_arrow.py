"""Tables and columns that other packages hand over by the Arrow C data interface, read with ctypes.

Apache Arrow, "The Arrow C data interface" and "The Arrow C stream interface": three C structs that a producer fills and
a consumer releases.  Values are copied chunk by chunk, and each chunk is released as soon as it is copied.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p, py_object
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ._errors import DataError


class _Schema(ctypes.Structure):
    """struct ArrowSchema"""


class _Array(ctypes.Structure):
    """struct ArrowArray"""


class _Stream(ctypes.Structure):
    """struct ArrowArrayStream"""


_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", CFUNCTYPE(None, POINTER(_Schema))),
    ("private_data", c_void_p),
]
_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", CFUNCTYPE(None, POINTER(_Array))),
    ("private_data", c_void_p),
]
_Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(_Stream))),
    ("release", CFUNCTYPE(None, POINTER(_Stream))),
    ("private_data", c_void_p),
]

_NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "e": "f2"}
_NUMBERS.update({"f": "f4", "g": "f8"})
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}  # of timestamps
_INLINE = 12  # bytes of a string that fit into a view itself


class _Part(NamedTuple):
    """A column of one chunk."""

    values: NDArray[Any]
    missing: Optional[NDArray[Any]]  # None: no value is missing


# ---- ownership ----


def speaks_arrow(value: Any) -> bool:
    """Whether a value offers its data by Arrow's interface; data frames of pandas are read directly."""
    has = hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")
    return has and not hasattr(value, "iloc") and not isinstance(value, type)


def _pointer(capsule: Any, name: bytes, kind: Any) -> Any:
    """Returns the pointer in a PyCapsule."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [py_object, c_char_p]
    return ctypes.cast(get(capsule, name), POINTER(kind))


class _Released:
    """Releases an Arrow struct at the end of a `with` statement, if it was filled in."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer

    def __enter__(self) -> Any:
        return self.pointer

    def __exit__(self, *_: object) -> None:
        if self.pointer.contents.release:
            self.pointer.contents.release(self.pointer)


# ---- buffers ----


def _buffer(array: Any, place: int, dtype: str, start: int, count: int) -> NDArray[Any]:
    """Returns (count) values of a buffer, starting with number `start`; a view of the producer's memory."""
    kind = np.dtype(dtype)
    if count <= 0:
        return np.empty(0, dtype=kind)
    if place >= array.n_buffers or not array.buffers[place]:
        raise DataError("an Arrow column lacks a buffer; make the table anew")
    raw = (ctypes.c_char * (count * kind.itemsize)).from_address(array.buffers[place] + start * kind.itemsize)
    return np.frombuffer(memoryview(raw), dtype=kind)


def _bits(array: Any, place: int, start: int, count: int) -> NDArray[Any]:
    """Returns (count) bits of a buffer as booleans, starting with bit `start`."""
    first = start // 8
    packed = _buffer(array, place, "u1", first, (start + count + 7) // 8 - first)
    return np.unpackbits(packed, bitorder="little")[start - 8 * first :][:count].astype(bool)


def _missing(array: Any, start: int, count: int) -> Optional[NDArray[Any]]:
    """Returns (count) whether each value is missing, or None if none is."""
    if array.null_count == 0 or array.n_buffers == 0 or not array.buffers[0]:
        return None
    missing = ~_bits(array, 0, start, count)
    return missing if missing.any() else None


def _bytes(array: Any, place: int, start: int, count: int) -> bytes:
    return _buffer(array, place, "u1", start, count).tobytes()


# ---- kinds of columns ----


def _strings(array: Any, offsets: str, start: int, count: int) -> List[bytes]:
    end = _buffer(array, 1, offsets, start, count + 1)
    first = int(end[0])
    data = _bytes(array, 2, first, int(end[-1]) - first)
    return [data[a - first : b - first] for a, b in zip(end[:-1].tolist(), end[1:].tolist())]


def _views(array: Any, start: int, count: int, missing: Optional[NDArray[Any]]) -> List[bytes]:
    """Returns (count) strings; up to 12 bytes are in the view itself, for longer ones it has their position."""
    views = _buffer(array, 1, "V16", start, count)
    found = []
    for i, view in enumerate(views):
        raw = view.tobytes()
        length = int.from_bytes(raw[:4], "little", signed=True)
        if missing is not None and missing[i]:
            found.append(b"")
        elif length <= _INLINE:
            found.append(raw[4 : 4 + length])
        else:
            place, offset = (int.from_bytes(raw[k : k + 4], "little", signed=True) for k in (8, 12))
            found.append(_bytes(array, 2 + place, offset, length))
    return found


def _texts(form: str, array: Any, start: int, count: int, missing: Optional[NDArray[Any]]) -> NDArray[Any]:
    """Returns (count) objects: strings, or None for missing ones."""
    if count == 0:
        return np.empty(0, dtype=object)
    raw = (
        _views(array, start, count, missing)
        if form == "vu"
        else _strings(array, "i4" if form == "u" else "i8", start, count)
    )
    known: Dict[bytes, str] = {}
    values = np.empty(count, dtype=object)
    values[:] = [known.setdefault(text, text.decode("utf-8", "replace")) for text in raw]
    if missing is not None:
        values[missing] = None
    return values


def _decimals(form: str, array: Any, start: int, count: int) -> Optional[NDArray[Any]]:
    """Returns (count) doubles from decimal numbers of 128 bits; None for other widths."""
    facts = form[2:].split(",")
    if len(facts) > 2 and facts[2] != "128":
        return None
    halves = _buffer(array, 1, "u8", 2 * start, 2 * count).reshape(-1, 2)
    low, high = halves[:, 0], halves[:, 1].astype(np.int64)
    small = high == np.where(low >= 2**63, -1, 0)  # fits into 64 bits
    wide = high.astype(np.float64) * 2.0**64 + low.astype(np.float64)
    number = np.where(small, low.astype(np.int64).astype(np.float64), wide)
    scale = int(facts[1])
    return number / 10.0**scale if scale >= 0 else number * 10.0**-scale


def _encoded(schema: Any, array: Any, start: int, count: int) -> _Part:
    """Reads a dictionary-encoded column: positions in a list of values."""
    inner, values = schema.dictionary.contents, array.dictionary.contents
    form = schema.format.decode()
    missing = _missing(array, start, count)
    place = _buffer(array, 1, _NUMBERS.get(form, "i4"), start, count).astype(np.int64)
    table = _part(inner, values, 0, values.length)
    if missing is not None:
        place = np.where(missing, 0, place)
    if values.length == 0:
        return _Part(np.full(count, None, dtype=object), np.ones(count, dtype=bool))
    if table.missing is not None:
        missing = table.missing[place] if missing is None else missing | table.missing[place]
    taken = table.values[place]
    if taken.dtype == object and missing is not None:
        taken[missing] = None
    return _Part(taken, missing)


def _part(schema: Any, array: Any, start: int, count: int) -> _Part:
    """Reads the values start to start + count of a column, counted from its own offset."""
    if schema.dictionary and array.dictionary:
        return _encoded(schema, array, array.offset + start, count)
    form, start = schema.format.decode(), array.offset + start
    if form == "n":
        return _Part(np.full(count, np.nan), np.ones(count, dtype=bool))
    missing = _missing(array, start, count)
    values: Optional[NDArray[Any]] = None
    if form in _NUMBERS:
        values = _buffer(array, 1, _NUMBERS[form], start, count).copy()
    elif form == "b":
        values = _bits(array, 1, start, count)
    elif form in ("u", "U", "vu"):
        values = _texts(form, array, start, count, missing)
    elif form == "tdD":
        values = _buffer(array, 1, "i4", start, count).astype("i8").view("M8[D]")
    elif form == "tdm":
        values = _buffer(array, 1, "i8", start, count).copy().view("M8[ms]")
    elif form.startswith("ts"):
        values = _buffer(array, 1, "i8", start, count).copy().view("M8[%s]" % _UNITS[form[2]])
    elif form.startswith("d:"):
        values = _decimals(form, array, start, count)
    # Other kinds are neither numbers nor labels: lists, structs, bytes, durations.
    return _Part(np.empty(count, dtype="V1"), None) if values is None else _Part(values, missing)


def _joined(parts: List[_Part]) -> NDArray[Any]:
    """Joins a column's chunks; missing values become NaN, NaT or None, or are masked if its type has none of these."""
    if not parts:
        return np.empty(0)
    values: NDArray[Any] = np.concatenate([part.values for part in parts]) if len(parts) > 1 else parts[0].values
    if all(part.missing is None for part in parts) or values.dtype == object:
        return values
    missing = np.concatenate(
        [np.zeros(len(p.values), dtype=bool) if p.missing is None else p.missing for p in parts]
    )
    if values.dtype.kind in "fM":
        values[missing] = np.nan if values.dtype.kind == "f" else np.datetime64("NaT")
        return values
    masked: NDArray[Any] = np.ma.MaskedArray(values, missing)  # type: ignore[no-untyped-call]
    return masked


# ---- chunks ----


def _columns_of_chunk(schema: Any, array: Any) -> List[_Part]:
    """Reads the columns of one chunk; a chunk that is not a struct is itself the only column."""
    if schema.format != b"+s":
        return [_part(schema, array, 0, array.length)]
    absent = _missing(array, array.offset, array.length)
    parts = []
    for k in range(schema.n_children):
        part = _part(schema.children[k].contents, array.children[k].contents, array.offset, array.length)
        if absent is not None:
            missing = absent if part.missing is None else part.missing | absent
            if part.values.dtype == object:
                part.values[missing] = None
            part = _Part(part.values, missing)
        parts.append(part)
    return parts


def _fail(stream: Any, code: int) -> DataError:
    text = stream.contents.get_last_error(stream) if stream.contents.get_last_error else None
    words = text.decode("utf-8", "replace") if text else "error %d" % code
    return DataError("the Arrow stream of X broke off: %s" % words)


def _chunks(stream: Any) -> Iterator[Any]:
    """Yields the chunks of a stream; each is released when the next one is requested."""
    while True:
        chunk = _Array()
        code = stream.contents.get_next(stream, ctypes.byref(chunk))
        with _Released(ctypes.pointer(chunk)):
            if code != 0:
                raise _fail(stream, code)
            if not chunk.release:  # the end of the stream
                return
            yield chunk


def _names(schema: Any) -> List[str]:
    """Returns the names of the columns; none for a single column without a struct around it."""
    if schema.format != b"+s":
        return []
    names = (schema.children[k].contents.name for k in range(schema.n_children))
    return [(name or b"").decode("utf-8", "replace") for name in names]


def _read(schema: Any, chunks: Iterator[Any]) -> Tuple[List[str], List[NDArray[Any]]]:
    names = _names(schema)
    parts: List[List[_Part]] = [[] for _ in range(len(names) if schema.format == b"+s" else 1)]
    for chunk in chunks:
        for column, part in zip(parts, _columns_of_chunk(schema, chunk)):
            column.append(part)
    return names, [_joined(column) for column in parts]


def read(source: Any) -> Tuple[List[str], List[NDArray[Any]]]:
    """Reads names and columns of a table; a single column has no name."""
    if not hasattr(source, "__arrow_c_stream__"):
        schema_capsule, array_capsule = source.__arrow_c_array__()
        with _Released(_pointer(schema_capsule, b"arrow_schema", _Schema)) as schema:
            with _Released(_pointer(array_capsule, b"arrow_array", _Array)) as array:
                return _read(schema.contents, iter([array.contents]))
    capsule = source.__arrow_c_stream__()
    with _Released(_pointer(capsule, b"arrow_array_stream", _Stream)) as stream:
        made = _Schema()
        code = stream.contents.get_schema(stream, ctypes.byref(made))
        with _Released(ctypes.pointer(made)):
            if code != 0:
                raise _fail(stream, code)
            chunks = _chunks(stream)
            try:
                return _read(made, chunks)
            finally:
                chunks.close()  # type: ignore[attr-defined]  # releases the chunk that an error interrupted
