"""The commands of the program as functions."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings as python_warnings
from ctypes import c_void_p
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from . import _library as c
from . import _options
from ._call import Context
from ._errors import DataWarning
from ._graph import Graph
from ._options import OptionValue, RandomState
from ._progress import for_verbosity
from ._results import (
    Comparison,
    DiagnoseResult,
    DirectionResult,
    DiscoverResult,
    IcaResult,
    IndependenceResult,
    PairsResult,
    Simulation,
)
from ._table import Table

Columns = Union[None, str, int, Iterable[Union[str, int]]]

_FORMATS = {"dot": 1, "csv": 2, "tetrad": 3, "graphml": 4}
_LISTS = ("x", "y", "given", "vars", "target")


# ---- reading results ----


def _array(pointer: Any, *shape: int) -> NDArray[Any]:
    """A copy: what is pointed to goes with the result."""
    return np.array(np.ctypeslib.as_array(pointer, shape=shape))


def _sources(result: c_void_p) -> Tuple[Optional[NDArray[Any]], NDArray[Any]]:
    """(rows, sources) or None, and the rows of the input that they belong to, in its order."""
    n, count = c.lib.nonsens_result_rows(result), c.lib.nonsens_result_sources(result)
    rows = _array(c.lib.nonsens_result_input_row(result), n)
    order = np.argsort(rows, kind="stable")
    if count == 0:
        return None, rows[order]
    sources = np.empty((n, count), order="F")
    for k in range(count):
        sources[:, k] = np.ctypeslib.as_array(c.lib.nonsens_result_source(result, k), shape=(n,))[order]
    return sources, rows[order]


def _document(ctx: Context, result: c_void_p) -> Tuple[str, str]:
    """JSON and text, as the program writes them."""
    return (
        ctx.written(c.lib.nonsens_result_write_json, result),
        ctx.written(c.lib.nonsens_result_write_text, result, 0),
    )


def _direction_result(ctx: Context, result: c_void_p) -> DirectionResult:
    return DirectionResult(*_document(ctx, result), *_sources(result))


def _independence_result(ctx: Context, result: c_void_p) -> IndependenceResult:
    return IndependenceResult(*_document(ctx, result))


def _diagnose_result(ctx: Context, result: c_void_p) -> DiagnoseResult:
    return DiagnoseResult(*_document(ctx, result))


def _discover_result(ctx: Context, result: c_void_p) -> DiscoverResult:
    write = c.lib.nonsens_result_write_graph
    formats = {name: ctx.written(write, result, number) for name, number in _FORMATS.items()}
    return DiscoverResult(*_document(ctx, result), formats)


def _ica_result(ctx: Context, result: c_void_p) -> IcaResult:
    sources, rows = _sources(result)
    assert sources is not None
    d = sources.shape[1]
    unmixing = _array(c.lib.nonsens_result_unmixing(result), d, d)
    mixing = _array(c.lib.nonsens_result_mixing(result), d, d)
    return IcaResult(*_document(ctx, result), sources, rows, unmixing, mixing)


# ---- running ----


def _values(
    command: str, table: Table, options: Dict[str, Any], random_state: RandomState, n_jobs: Optional[int]
) -> Dict[str, Any]:
    """Options as the library takes them, keys as in its table."""
    known = [option.name for option in _options.options(command)]
    _options.refuse_unknown(list(options), known, "%s()" % command)
    values: Dict[str, Any] = {"seed": _options.seed_of(random_state), "threads": _options.threads_of(n_jobs)}
    values["segment"], values["segments"] = table.segment or None, table.segments or None
    for name, value in options.items():
        values[name.replace("_", "-")] = table.list_of(value) if name in _LISTS else value
    return values


def _callers_level() -> int:
    """How many frames up the first one is that is not of this package, seen from the caller of this function."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(__package__ + "."):
        level, frame = level + 1, frame.f_back
    return level


def _warn(data: c_void_p) -> None:
    """Python's warnings, at the line that called this package."""
    for i in range(c.lib.nonsens_data_warnings(data)):
        text = c.text(c.lib.nonsens_data_warning(data, i))
        python_warnings.warn(text, DataWarning, stacklevel=_callers_level())


def _run(
    command: str,
    take: Callable[[Context, c_void_p], Any],
    X: Any,
    segments: Any,
    options: Dict[str, Any],
    random_state: RandomState,
    n_jobs: Optional[int],
    verbose: int,
) -> Any:
    table = Table(X, segments)
    values = _values(command, table, options, random_state, n_jobs)
    with Context(for_verbosity(verbose)) as ctx:
        made = _options.make(ctx, command, values)
        data = table.data(ctx, made)
        _warn(data)
        run = getattr(c.lib, "nonsens_" + command)
        return take(ctx, ctx.run(run, c.lib.nonsens_result_free, data, made))


_SHARED = """X : array-like or data frame of shape (n_rows, n_columns)
        The data; columns of a data frame keep their names, those of an array are called c1, c2, ...
    segments : array-like of shape (n_rows,), str or None
        The label of each row's segment (any text or number, used as a category only); or the name of a column of X; or
        "equal:K", which cuts the rows, in their order, into K blocks; or None, for methods that need no segments.
    random_state : int, RandomState, Generator or None
        Seed of every random number, 1 by default: the same seed gives the same result.  None draws one.
    n_jobs : int or None
        Threads: -1 (the default) all cores, None one, -2 all cores but one.  Results do not depend on it.
    verbose : int
        1 shows a progress bar, in terminals and notebooks.
    **options
        Further options of `nonsens {command}`, with _ for -; :func:`nonsens.options` lists them."""


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _documented(function: _Function) -> _Function:
    """Writes what all functions have in common into the docstring."""
    shared = _SHARED.replace("{command}", function.__name__)
    function.__doc__ = (function.__doc__ or "").replace("{shared}", shared)
    return function


# ---- the commands ----


@_documented
def direction(
    X: Any,
    segments: Any = None,
    *,
    x: Union[None, str, int] = None,
    y: Union[None, str, int] = None,
    method: str = "structured",
    alpha: float = 0.05,
    random_state: RandomState = 1,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: OptionValue,
) -> DirectionResult:
    """Which of two variables causes the other?

    Parameters
    ----------
    {shared}
    x, y : str or int
        The two variables, where X has more than two: names, or places counted from 0.
    method : str
        The method that decides; :func:`nonsens.methods` lists them.
    alpha : float
        Error level of the decision as a whole.

    Returns
    -------
    DirectionResult

    Examples
    --------
    >>> import nonsens
    >>> data = nonsens.simulate(depth=2, per_segment=300, random_state=3)
    >>> data.edges
    [('x2', 'x1')]
    >>> result = nonsens.direction(data.to_frame(), "segment")
    >>> result.decision
    'x2->x1'
    """
    named: Dict[str, Any] = {"x": x, "y": y, "method": method, "alpha": alpha, **options}
    found: DirectionResult = _run(
        "direction", _direction_result, X, segments, named, random_state, n_jobs, verbose
    )
    return found


@_documented
def discover(
    X: Any,
    segments: Any = None,
    *,
    method: str = "structured",
    alpha: float = 0.05,
    bootstrap: int = 0,
    knowledge: "Union[None, str, os.PathLike[str]]" = None,
    random_state: RandomState = 1,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: OptionValue,
) -> DiscoverResult:
    """What causes what among two or more variables?

    Parameters
    ----------
    {shared}
    method : str
        The method that finds the graph; :func:`nonsens.methods` lists them.
    alpha : float
        Error level of the decision as a whole; for pc, pc-nonsens and cdnod of each test of independence.
    bootstrap : int
        Find the graph again in so many resamples of the rows, and tell how many of them have each edge.
    knowledge : path
        A file with what is known beforehand, in Tetrad's text format: tiers, forbidden and required arrows.

    Returns
    -------
    DiscoverResult

    Examples
    --------
    >>> import nonsens
    >>> data = nonsens.simulate(sem="node", nodes=3, depth=1, per_segment=200, random_state=5)
    >>> graph = nonsens.discover(data.X, data.segments, method="lingam")
    >>> graph.nodes
    ['c1', 'c2', 'c3']
    >>> graph.adjacency.shape
    (3, 3)
    """
    named: Dict[str, Any] = {"method": method, "alpha": alpha, **options}
    named.update(bootstrap=bootstrap, knowledge=knowledge)
    found: DiscoverResult = _run("discover", _discover_result, X, segments, named, random_state, n_jobs, verbose)
    return found


@_documented
def ica(
    X: Any,
    segments: Any = None,
    *,
    method: str = "auto",
    random_state: RandomState = 1,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: OptionValue,
) -> IcaResult:
    """Separates 2 to 100 variables into as many sources that are independent inside each segment.

    Parameters
    ----------
    {shared}
    method : str
        "score-matching" (what "auto" means), "joint-diagonalisation", "two-statistic", "entropy", "fastica" or
        "infomax".

    Returns
    -------
    IcaResult

    Examples
    --------
    >>> import numpy, nonsens
    >>> data = nonsens.simulate(sem="node", nodes=3, depth=1, per_segment=200, random_state=3)
    >>> result = nonsens.ica(data.X, data.segments)
    >>> numpy.allclose(result.sources, (data.X - data.X.mean(axis=0)) @ result.unmixing.T)
    True
    """
    named: Dict[str, Any] = {"method": method, **options}
    found: IcaResult = _run("ica", _ica_result, X, segments, named, random_state, n_jobs, verbose)
    return found


@_documented
def independence(
    X: Any,
    segments: Any = None,
    *,
    x: Columns = None,
    y: Columns = None,
    given: Columns = None,
    test: str = "auto",
    alpha: float = 0.05,
    random_state: RandomState = 1,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: OptionValue,
) -> IndependenceResult:
    """Are two variables independent, inside each segment where there are segments?

    Parameters
    ----------
    {shared}
    x, y : str, int or list of these
        The two variables, names or places counted from 0; several make a vector.
    given : str, int or list of these
        Variables to condition on: the question is then whether x and y are independent once these are known.
    test : str
        "hsic" and "kci" (without and with `given`: what "auto" means), "rcit", "fisher-z", "residuals",
        "information"; or, of x alone against the segment, "ks", "levene" and "kruskal".
    alpha : float
        Error level.

    Returns
    -------
    IndependenceResult

    Examples
    --------
    >>> import nonsens
    >>> data = nonsens.simulate(sem="node", nodes=4, depth=2, per_segment=200, random_state=3)
    >>> nonsens.independence(data.to_frame(), "segment", x="x1", y="x2").decision
    'dependent'
    >>> nonsens.independence(data.to_frame(), "segment", x="x1", y="x2", given=["x3"]).decision
    'independent'
    """
    named: Dict[str, Any] = {"x": x, "y": y, "given": given, "test": test, "alpha": alpha, **options}
    found: IndependenceResult = _run(
        "independence", _independence_result, X, segments, named, random_state, n_jobs, verbose
    )
    return found


@_documented
def diagnose(
    X: Any,
    segments: Any = None,
    *,
    x: Union[None, str, int] = None,
    y: Union[None, str, int] = None,
    alpha: float = 0.05,
    random_state: RandomState = 1,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: OptionValue,
) -> DiagnoseResult:
    """What can the data support, and what not?

    Parameters
    ----------
    {shared}
    x, y : str or int
        Look at this pair alone.
    alpha : float
        Error level of the tests.

    Returns
    -------
    DiagnoseResult

    Examples
    --------
    >>> import nonsens
    >>> data = nonsens.simulate(depth=2, per_segment=100, random_state=3)
    >>> len(nonsens.diagnose(data.X, data.segments).notes) > 0
    True
    """
    named: Dict[str, Any] = {"x": x, "y": y, "alpha": alpha, **options}
    found: DiagnoseResult = _run("diagnose", _diagnose_result, X, segments, named, random_state, n_jobs, verbose)
    return found


def simulate(*, random_state: RandomState = 1, **options: OptionValue) -> Simulation:
    """Data with known causes.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        Seed of every random number.
    **options
        Options of `nonsens simulate`, with _ for -, among them sem ("layered" or "node"), nodes, depth, segments,
        per_segment, noise, scale=(lo, hi), mean=(lo, hi), modulate, cyclic, independent, confounded, edge_prob;
        :func:`nonsens.options` lists them.

    Returns
    -------
    Simulation

    Examples
    --------
    >>> import nonsens
    >>> data = nonsens.simulate(nodes=3, segments=5, per_segment=100, noise="gaussian", random_state=7)
    >>> data.X.shape, data.segments[0], data.names
    ((500, 3), 's1', ['x1', 'x2', 'x3'])
    """
    _options.refuse_unknown(list(options), [o.name for o in _options.options("simulate")], "simulate()")
    values: Dict[str, Any] = {name.replace("_", "-"): value for name, value in options.items()}
    values["seed"] = _options.seed_of(random_state)
    with Context() as ctx:
        made = _options.make(ctx, "simulate", values)
        simulation = ctx.run(c.lib.nonsens_simulate, c.lib.nonsens_simulation_free, made)
        n = c.lib.nonsens_simulation_rows(simulation)
        d = c.lib.nonsens_simulation_variables(simulation)
        names = [c.text(c.lib.nonsens_simulation_name(simulation, j)) for j in range(d)]
        number = _array(c.lib.nonsens_simulation_segment(simulation), n)
        labels = np.array(["s%d" % (k + 1) for k in range(int(number.max()) + 1)])
        return Simulation(
            _array(c.lib.nonsens_simulation_values(simulation), d, n).T,
            labels[number],
            names,
            _array(c.lib.nonsens_simulation_sources(simulation), d, n).T,
            ctx.written(c.lib.nonsens_simulation_write_truth, simulation),
        )


# ---- many pairs ----


def _quoted(name: str) -> str:
    return '"%s"' % name.replace('"', '""')


@_documented
def directions(
    X: Any,
    segments: Any = None,
    *,
    pairs: "Union[str, os.PathLike[str], Iterable[Tuple[Union[str, int], Union[str, int]]]]" = "all",
    method: str = "structured",
    alpha: float = 0.05,
    fdr: str = "bh",
    random_state: RandomState = 1,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: OptionValue,
) -> PairsResult:
    """A direction for each of many pairs, with q-values.

    Parameters
    ----------
    {shared}
    pairs : "all", list of (x, y) or path
        All pairs of columns, those listed, or those in a file with two names a line.
    method, alpha
        As for :func:`nonsens.direction`.
    fdr : str
        How q-values are made: "bh", "by" or "none".

    Returns
    -------
    PairsResult

    Examples
    --------
    >>> import nonsens
    >>> data = nonsens.simulate(sem="node", nodes=3, depth=1, per_segment=100, random_state=5)
    >>> [(pair["x"], pair["y"]) for pair in nonsens.directions(data.to_frame(), "segment", method="lingam")]
    [('x1', 'x2'), ('x1', 'x3'), ('x2', 'x3')]
    """
    table = Table(X, segments)
    named: Dict[str, Any] = {"method": method, "alpha": alpha, "fdr": fdr, **options}
    values = _values("direction", table, named, random_state, n_jobs)
    with Context(for_verbosity(verbose)) as ctx, tempfile.TemporaryDirectory() as folder:
        values["pairs"] = os.fspath(pairs) if isinstance(pairs, (str, os.PathLike)) else os.path.join(folder, "pairs")
        if not isinstance(pairs, (str, os.PathLike)):
            with open(values["pairs"], "w", encoding="utf-8") as file:
                for a, b in pairs:
                    file.write("%s,%s\n" % (_quoted(table.name_of(a)), _quoted(table.name_of(b))))
        made = _options.make(ctx, "direction", values)
        data = table.data(ctx, made)
        _warn(data)
        found = ctx.run(c.lib.nonsens_pairs_run, c.lib.nonsens_pairs_free, data, made, None)
        return PairsResult(ctx.written(c.lib.nonsens_pairs_write_json, found))


# ---- comparing graphs ----


def _graph_file(graph: Any, path: str) -> bytes:
    if not isinstance(graph, Graph):
        graph = Graph.from_adjacency(graph)
    edges = [{"from": e.source, "to": e.target, "type": e.type} for e in graph.edges]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"nodes": graph.nodes, "edges": edges}, file)
    return path.encode()


def compare(estimate: Any, truth: Any, *, pattern: bool = False, closure: bool = False) -> Comparison:
    """How far is an estimated graph from the true one?

    Parameters
    ----------
    estimate, truth : Graph or matrix
        Graphs; of a matrix A[i, j] != 0 means i -> j.
    pattern : bool
        Compare with the truth's pattern (CPDAG).
    closure : bool
        Compare with the transitive closure of the truth as well.

    Examples
    --------
    >>> import nonsens
    >>> nonsens.compare([[0, 1], [0, 0]], [[0, 0], [1, 0]]).shd
    1
    """
    with Context() as ctx, tempfile.TemporaryDirectory() as folder:
        made = _options.make(ctx, "compare", {"pattern": pattern, "closure": closure})
        read, free = c.lib.nonsens_graph_read, c.lib.nonsens_graph_free
        first = ctx.make(read, free, _graph_file(estimate, os.path.join(folder, "estimate.json")), None)
        second = ctx.make(read, free, _graph_file(truth, os.path.join(folder, "truth.json")), None)
        found = ctx.make(c.lib.nonsens_compare, c.lib.nonsens_comparison_free, first, second, made)
        return Comparison(ctx.written(c.lib.nonsens_comparison_write_json, found))
