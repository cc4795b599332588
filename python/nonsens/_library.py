"""The shared library: where it is, and the arguments and results of its functions (include/nonsens/nonsens.h)."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint, c_void_p
from pathlib import Path
from typing import Iterator, List, Optional

__version__ = "0.2.0"

OK, ERR_MEMORY, ERR_USAGE, ERR_DATA, ERR_OUTPUT, ERR_NUMERIC, CANCELLED = range(7)

# Commands, as bits of the option table.
COMMANDS = {
    "simulate": 1,
    "direction": 2,
    "independence": 4,
    "diagnose": 8,
    "ica": 16,
    "discover": 64,
    "compare": 128,
    "explain": 256,
    "effect": 2048,
}

TEXT_ALL, TEXT_REASONING = 1, 2  # nonsens_text_detail

PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_int64, c_int64)


class OptionInfo(ctypes.Structure):
    """nonsens_option_info"""

    _fields_ = [
        ("key", c_char_p),
        ("type", c_int),
        ("commands", c_uint),
        ("group", c_char_p),
        ("default_value", c_char_p),
        ("lowest", c_double),
        ("highest", c_double),
        ("bounds", c_char_p),
        ("choices", c_char_p),
        ("unit", c_char_p),
        ("text", c_char_p),
    ]


class MethodInfo(ctypes.Structure):
    """nonsens_method_info"""

    _fields_ = [
        ("name", c_char_p),
        ("citation", c_char_p),
        ("summary", c_char_p),
        ("assumes", c_char_p),
        ("direction_options", c_char_p),
        ("discover_options", c_char_p),
        ("commands", c_uint),
        ("disturbances", c_uint),
        ("needs_segments", c_int),
    ]


class Column(ctypes.Structure):
    """nonsens_column"""

    _fields_ = [("name", c_char_p), ("values", c_void_p), ("stride", c_int64)]


def _installed() -> Optional[str]:
    """Returns where `make install` put the library, if it also installed this package."""
    try:
        from . import _installed as place  # type: ignore[attr-defined]  # written by `make install`
    except ImportError:
        return None
    return str(place.LIBRARY)


def candidates() -> Iterator[str]:
    """Yields files that may be the library, the preferred ones first."""
    wish = os.environ.get("NONSENS_LIBRARY")
    if wish:
        yield wish
        return  # a path that is named explicitly is the only candidate
    here = Path(__file__).resolve().parent
    installed = _installed()
    places: List[Path] = [here / "libnonsens.so"]
    if installed:
        places.append(Path(installed))
    places.append(here.parent.parent / "build" / "src" / "libnonsens.so")  # in a source tree after `make`
    for place in places:
        if place.exists():
            yield str(place)
    yield "libnonsens.so." + __version__.rpartition(".")[0]


def _load() -> ctypes.CDLL:
    tried = []
    for name in candidates():
        try:
            found = ctypes.CDLL(name)
        except OSError as error:
            tried.append("%s (%s)" % (name, error))
            continue
        found.nonsens_version.restype = c_char_p
        version = found.nonsens_version().decode()
        if version == __version__:
            return found
        tried.append("%s (version %s, the package is %s)" % (name, version, __version__))
    raise ImportError(
        "nonsens: the shared library was not found; run `make` in the source tree, `pip install ./python`, or name the "
        "file in the environment variable NONSENS_LIBRARY. Tried: " + "; ".join(tried)
    )


_HANDLE = c_void_p
_OUT = POINTER(c_void_p)

# Function: result, arguments.
_PROTOTYPES = {
    "nonsens_version": (c_char_p, []),
    "nonsens_build_info": (c_char_p, []),
    "nonsens_p_value_bound": (c_double, []),
    "nonsens_context_new": (_HANDLE, []),
    "nonsens_context_free": (None, [_HANDLE]),
    "nonsens_context_message": (c_char_p, [_HANDLE]),
    "nonsens_context_warning": (c_char_p, [_HANDLE]),
    "nonsens_context_set_progress": (None, [_HANDLE, PROGRESS, c_void_p]),
    "nonsens_context_set_members": (None, [_HANDLE, c_void_p]),
    "nonsens_context_cancel": (None, [_HANDLE]),
    "nonsens_context_finish": (None, [_HANDLE]),
    "nonsens_option_count": (c_size_t, []),
    "nonsens_option_at": (POINTER(OptionInfo), [c_size_t]),
    "nonsens_options_new": (c_int, [_HANDLE, c_uint, _OUT]),
    "nonsens_options_free": (None, [_HANDLE]),
    "nonsens_options_set": (c_int, [_HANDLE, _HANDLE, c_char_p, c_char_p]),
    "nonsens_data_from_columns": (
        c_int,
        [_HANDLE, c_int64, c_int64, POINTER(Column), c_void_p, c_int64, POINTER(c_char_p), _HANDLE, _OUT],
    ),
    "nonsens_data_free": (None, [_HANDLE]),
    "nonsens_data_warning_count": (c_int64, [_HANDLE]),
    "nonsens_data_warning_at": (c_char_p, [_HANDLE, c_int64]),
    "nonsens_data_note_count": (c_int64, [_HANDLE]),
    "nonsens_data_note_at": (c_char_p, [_HANDLE, c_int64]),
    "nonsens_method_count": (c_size_t, []),
    "nonsens_method_at": (POINTER(MethodInfo), [c_size_t]),
    "nonsens_run_direction": (c_int, [_HANDLE, _HANDLE, _HANDLE, _OUT]),
    "nonsens_run_discover": (c_int, [_HANDLE, _HANDLE, _HANDLE, _OUT]),
    "nonsens_run_explain": (c_int, [_HANDLE, _HANDLE, _HANDLE, _HANDLE, _OUT]),
    "nonsens_run_effect": (c_int, [_HANDLE, _HANDLE, _HANDLE, _HANDLE, _OUT]),
    "nonsens_run_independence": (c_int, [_HANDLE, _HANDLE, _HANDLE, _OUT]),
    "nonsens_run_diagnose": (c_int, [_HANDLE, _HANDLE, _HANDLE, _OUT]),
    "nonsens_run_ica": (c_int, [_HANDLE, _HANDLE, _HANDLE, _OUT]),
    "nonsens_result_free": (None, [_HANDLE]),
    "nonsens_result_row_count": (c_int64, [_HANDLE]),
    "nonsens_result_input_rows": (POINTER(c_int64), [_HANDLE]),
    "nonsens_result_source_count": (c_int64, [_HANDLE]),
    "nonsens_result_source_at": (POINTER(c_double), [_HANDLE, c_int64]),
    "nonsens_result_unmixing": (POINTER(c_double), [_HANDLE]),
    "nonsens_result_mixing": (POINTER(c_double), [_HANDLE]),
    "nonsens_result_write_json": (c_int, [_HANDLE, _HANDLE, c_char_p]),
    "nonsens_result_write_text": (c_int, [_HANDLE, _HANDLE, c_uint, c_char_p]),
    "nonsens_result_write_html": (c_int, [_HANDLE, _HANDLE, _HANDLE, POINTER(c_char_p), c_int64, c_char_p]),
    "nonsens_report_write_html": (
        c_int,
        [_HANDLE, c_char_p, POINTER(c_char_p), c_int64, c_char_p, c_char_p, POINTER(c_int)],
    ),
    "nonsens_result_write_graph": (c_int, [_HANDLE, _HANDLE, c_int, c_char_p]),
    "nonsens_run_pairs": (c_int, [_HANDLE, _HANDLE, _HANDLE, c_char_p, _OUT]),
    "nonsens_journal_merge": (c_int, [_HANDLE, POINTER(c_char_p), c_int64, c_char_p]),
    "nonsens_pairs_free": (None, [_HANDLE]),
    "nonsens_pairs_write_json": (c_int, [_HANDLE, _HANDLE, c_char_p]),
    "nonsens_explains_all": (c_int, [_HANDLE, _HANDLE]),
    "nonsens_run_explain_all": (c_int, [_HANDLE, _HANDLE, _HANDLE, _HANDLE, c_char_p, _OUT]),
    "nonsens_explanations_free": (None, [_HANDLE]),
    "nonsens_explanations_write_json": (c_int, [_HANDLE, _HANDLE, c_char_p]),
    "nonsens_graph_read": (c_int, [_HANDLE, c_char_p, c_char_p, _OUT]),
    "nonsens_graph_parse": (c_int, [_HANDLE, c_char_p, c_char_p, c_size_t, c_char_p, _OUT]),
    "nonsens_graph_free": (None, [_HANDLE]),
    "nonsens_comparison_new": (c_int, [_HANDLE, _HANDLE, _HANDLE, _HANDLE, _OUT]),
    "nonsens_comparison_free": (None, [_HANDLE]),
    "nonsens_comparison_write_json": (c_int, [_HANDLE, _HANDLE, c_char_p]),
    "nonsens_simulation_new": (c_int, [_HANDLE, _HANDLE, _OUT]),
    "nonsens_simulation_free": (None, [_HANDLE]),
    "nonsens_simulation_row_count": (c_int64, [_HANDLE]),
    "nonsens_simulation_variable_count": (c_int64, [_HANDLE]),
    "nonsens_simulation_variable_at": (c_char_p, [_HANDLE, c_int64]),
    "nonsens_simulation_values": (POINTER(c_double), [_HANDLE]),
    "nonsens_simulation_sources": (POINTER(c_double), [_HANDLE]),
    "nonsens_simulation_segments": (POINTER(c_int32), [_HANDLE]),
    "nonsens_simulation_write_truth": (c_int, [_HANDLE, _HANDLE, c_char_p]),
    "nonsens_simulation_write_targets": (c_int, [_HANDLE, _HANDLE, c_char_p]),
}


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _declare(_load())


def text(value: Optional[bytes]) -> str:
    """Decodes a text of the library, which is in UTF-8."""
    return "" if value is None else value.decode("utf-8", "replace")
