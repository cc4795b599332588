"""What all commands have in common: input of options and data, the run, and its output as a result."""

from __future__ import annotations

import json
import os
import sys
import warnings as python_warnings
from ctypes import c_void_p
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _library as c
from . import _options
from ._call import Context
from ._effects import EffectResult
from ._errors import DataWarning
from ._graph import Graph
from ._knowledge import knowledge_of
from ._lines import SegmentsResult
from ._options import RandomState
from ._page import Origin, Page
from ._progress import for_verbosity
from ._results import (
    DiagnoseResult,
    DirectionResult,
    DiscoverResult,
    ExplainResult,
    IcaResult,
    IndependenceResult,
    Texts,
)
from ._sentences import in_python
from ._table import Table

_FORMATS = {"dot": 1, "csv": 2, "tetrad": 3, "graphml": 4}
_LISTS = ("x", "y", "given", "vars", "exclude", "target", "on")


# ---- reading results ----


def array(pointer: Any, *shape: int) -> NDArray[Any]:
    """Copies an array, because its memory goes with the library's result."""
    return np.array(np.ctypeslib.as_array(pointer, shape=shape))


def _sources(result: c_void_p) -> Tuple[Optional[NDArray[Any]], NDArray[Any]]:
    """Returns (rows, sources) or None, and the rows of the input that they belong to, in its order."""
    n, count = c.lib.nonsens_result_row_count(result), c.lib.nonsens_result_source_count(result)
    rows = array(c.lib.nonsens_result_input_rows(result), n)
    order = np.argsort(rows, kind="stable")
    if count == 0:
        return None, rows[order]
    sources = np.empty((n, count), order="F")
    for k in range(count):
        sources[:, k] = np.ctypeslib.as_array(c.lib.nonsens_result_source_at(result, k), shape=(n,))[order]
    return sources, rows[order]


def _document(ctx: Context, result: c_void_p) -> Tuple[str, Texts]:
    """Returns JSON and texts, as the program writes them."""
    write = c.lib.nonsens_result_write_text
    texts = ctx.written(write, result, 0), ctx.written(write, result, c.TEXT_ALL | c.TEXT_REASONING)
    return ctx.written(c.lib.nonsens_result_write_json, result), texts


def direction_result(ctx: Context, result: c_void_p) -> DirectionResult:
    return DirectionResult(*_document(ctx, result), *_sources(result))


def independence_result(ctx: Context, result: c_void_p) -> IndependenceResult:
    return IndependenceResult(*_document(ctx, result))


def diagnose_result(ctx: Context, result: c_void_p) -> DiagnoseResult:
    return DiagnoseResult(*_document(ctx, result))


def discover_result(ctx: Context, result: c_void_p) -> DiscoverResult:
    write = c.lib.nonsens_result_write_graph
    formats = {name: ctx.written(write, result, number) for name, number in _FORMATS.items()}
    return DiscoverResult(*_document(ctx, result), formats, *_sources(result))


def explain_result(ctx: Context, result: c_void_p) -> ExplainResult:
    return ExplainResult(*_document(ctx, result))


def effect_result(ctx: Context, result: c_void_p) -> EffectResult:
    return EffectResult(*_document(ctx, result))


def ica_result(ctx: Context, result: c_void_p) -> IcaResult:
    sources, rows = _sources(result)
    assert sources is not None
    d = sources.shape[1]
    unmixing = array(c.lib.nonsens_result_unmixing(result), d, d)
    mixing = array(c.lib.nonsens_result_mixing(result), d, d)
    return IcaResult(*_document(ctx, result), sources, rows, unmixing, mixing)


def graph_of(ctx: Context, graph: Any, name: str) -> c_void_p:
    """Makes the library's graph from a Graph, a matrix or a file; in messages it has this name."""
    if isinstance(graph, (str, os.PathLike)):
        return ctx.make(c.lib.nonsens_graph_read, c.lib.nonsens_graph_free, os.fsencode(graph), None)
    if not isinstance(graph, Graph):
        graph = Graph.from_adjacency(graph)
    edges = [
        {"from": e.source, "to": e.target, "type": e.type, "confounded": bool(e.confounded)} for e in graph.edges
    ]
    document = json.dumps({"nodes": graph.nodes, "edges": edges}).encode()
    free = c.lib.nonsens_graph_free
    return ctx.make(c.lib.nonsens_graph_parse, free, name.encode(), document, len(document), None)


# ---- running ----


def values_of(
    command: str, table: Table, options: Dict[str, Any], random_state: RandomState, n_jobs: Optional[int]
) -> Dict[str, Any]:
    """Returns options as the library takes them, with keys as in its table."""
    known = [option.name for option in _options.options(command)]
    _options.refuse_unknown(list(options), known, "%s()" % command)
    values: Dict[str, Any] = {"seed": _options.seed_of(random_state), "threads": _options.threads_of(n_jobs)}
    values["segment"], values["segments"] = table.segment or None, table.segments or None
    for name, value in options.items():
        values[_options.key_of(name)] = table.list_of(value) if name in _LISTS else value
    return values


def _callers_level() -> int:
    """Returns how many frames up the first frame outside this package is, seen from the caller of this function."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(__package__ + "."):
        level, frame = level + 1, frame.f_back
    return level


def warn(data: c_void_p) -> None:
    """Issues Python warnings at the line that called this package."""
    for i in range(c.lib.nonsens_data_warning_count(data)):
        text = c.text(c.lib.nonsens_data_warning_at(data, i))
        python_warnings.warn(in_python(text), DataWarning, stacklevel=_callers_level())


def warn_of_run(ctx: Context) -> None:
    """Issues the warnings of the last run."""
    text = c.text(c.lib.nonsens_context_warning(ctx.handle))
    if text:
        python_warnings.warn(in_python(text), stacklevel=_callers_level())


def run(
    command: str,
    take: Callable[[Context, c_void_p], Any],
    X: Any,
    segments: Any,
    options: Dict[str, Any],
    random_state: RandomState,
    n_jobs: Optional[int],
    verbose: int,
    graph: Optional[Graph] = None,
) -> Any:
    """Runs the command on X and segments, or on a table made of them; graph: for explain or effect."""
    table = X if isinstance(X, Table) else Table(X, segments)
    known = knowledge_of(table, options.get("knowledge"))
    if known.option is not None:
        options = {**options, "knowledge": known.option}
    values = values_of(command, table, options, random_state, n_jobs)
    with Context(for_verbosity(verbose)) as ctx, known.named_in_errors():
        made = _options.make(ctx, command, values)
        data = table.data(ctx, made)
        warn(data)
        arguments = [data, made]
        if command in ("explain", "effect"):
            arguments.insert(1, None if graph is None else graph_of(ctx, graph, "GRAPH"))
        if command == "explain" and c.lib.nonsens_explains_all(data, made):
            segments_found = ctx.run(c.lib.nonsens_run_explain_all, c.lib.nonsens_explanations_free, *arguments, None)
            warn_of_run(ctx)
            return SegmentsResult(ctx.written(c.lib.nonsens_explanations_write_json, segments_found))
        result = ctx.run(getattr(c.lib, "nonsens_run_" + command), c.lib.nonsens_result_free, *arguments)
        warn_of_run(ctx)
        found = take(ctx, result)
        if isinstance(found, Page):
            found._origin = Origin(command, values, ctx.keep(result), table)
        return found
