"""The commands of the program as functions."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, TypeVar, Union

import numpy as np

from . import _library as c
from . import _options
from ._call import Context
from ._graph import Graph
from ._lines import PairsResult
from ._options import OptionValue, RandomState
from ._progress import for_verbosity
from ._results import (
    Comparison,
    DiagnoseResult,
    DirectionResult,
    DiscoverResult,
    IcaResult,
    IndependenceResult,
)
from ._running import (
    array,
    diagnose_result,
    direction_result,
    discover_result,
    explain_result,
    graph_of,
    ica_result,
    independence_result,
    run,
    values_of,
    warn,
)
from ._simulation import Simulation
from ._table import Table

Columns = Union[None, str, int, Iterable[Union[str, int]]]


_SHARED = """X : array-like or data frame of shape (n_rows, n_columns), or dict of columns
        The data; columns of a data frame or dict keep their names, those of an array are called c1, c2, ...  NaN, None,
        pandas.NA and masked values are missing: an error, unless na="drop-rows" leaves out their rows.
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


def documented(function: _Function) -> _Function:
    """Writes what all functions have in common into the docstring."""
    shared = _SHARED.replace("{command}", function.__name__)
    function.__doc__ = (function.__doc__ or "").replace("{shared}", shared)
    return function


# ---- the commands ----


@documented
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
    found: DirectionResult = run(
        "direction", direction_result, X, segments, named, random_state, n_jobs, verbose
    )
    return found


@documented
def discover(
    X: Any,
    segments: Any = None,
    *,
    method: str = "structured",
    alpha: float = 0.05,
    bootstrap: int = 0,
    knowledge: "Union[None, str, os.PathLike[str]]" = None,
    targets: "Union[None, str, os.PathLike[str]]" = None,
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
    targets : path
        A CSV file with the interventions, segment,variable,kind: which segments hit which variables (docs/targets.md).

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
    named.update(bootstrap=bootstrap, knowledge=knowledge, targets=targets)
    found: DiscoverResult = run("discover", discover_result, X, segments, named, random_state, n_jobs, verbose)
    return found


@documented
def explain(
    X: Any,
    segments: Any,
    *,
    of: Any,
    against: Any = None,
    graph: Any = None,
    method: str = "structured",
    alpha: float = 0.05,
    knowledge: "Union[None, str, os.PathLike[str]]" = None,
    random_state: RandomState = 1,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: OptionValue,
) -> Any:
    """Which disturbances changed in a segment, and which variables merely follow?

    Parameters
    ----------
    {shared}
    of : label
        The segment to explain; "all": each segment in turn, unless one has this label.
    against : label or None
        The segment to compare it with; None: all others together.
    graph : Graph, matrix, path or None
        What causes what; of a matrix A[i, j] != 0 means that column i causes column j.  None: it is found by `method`.
    method : str
        The method that finds the graph.
    alpha : float
        Error level: the share of false ones among the root causes, on average.
    knowledge : path
        A file with what is known beforehand, in Tetrad's text format; not with `graph`.

    Returns
    -------
    ExplainResult, or SegmentsResult of all segments

    Examples
    --------
    >>> import nonsens
    >>> data = nonsens.simulate(sem="node", nodes=4, segments=9, per_segment=300, fault=4, random_state=3)
    >>> broken = data.truth()["fault"]
    >>> found = nonsens.explain(
    ...     data.to_frame(), "segment", of=broken["segment"], against=broken["against"], graph=data.graph
    ... )
    >>> found.root_causes == [broken["variable"]]
    True
    >>> found.changes[0].verdict, found.changes[0].how
    ('changed itself', 'wider')
    >>> all_found = nonsens.explain(
    ...     data.to_frame(), "segment", of="all", against=broken["against"], graph=data.graph
    ... )
    >>> len(all_found), all_found[-1]["segment"], all_found[-1]["explain"]["root_causes"] == [broken["variable"]]
    (8, 's9', True)
    """
    table = Table(X, segments)
    named: Dict[str, Any] = {"method": method, "alpha": alpha, "knowledge": knowledge, **options}
    named.update(of=table.label_of(of), against=None if against is None else table.label_of(against))
    known = None
    if isinstance(graph, (str, os.PathLike)):
        named["graph"] = graph
    elif graph is not None:
        names = table.numbers(options.get("vars"))
        known = graph if isinstance(graph, Graph) else Graph.from_adjacency(graph, names)
    return run("explain", explain_result, table, None, named, random_state, n_jobs, verbose, graph=known)


@documented
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
    found: IcaResult = run("ica", ica_result, X, segments, named, random_state, n_jobs, verbose)
    return found


@documented
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
    found: IndependenceResult = run(
        "independence", independence_result, X, segments, named, random_state, n_jobs, verbose
    )
    return found


@documented
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
    found: DiagnoseResult = run("diagnose", diagnose_result, X, segments, named, random_state, n_jobs, verbose)
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
        simulation = ctx.run(c.lib.nonsens_simulation_new, c.lib.nonsens_simulation_free, made)
        n = c.lib.nonsens_simulation_row_count(simulation)
        d = c.lib.nonsens_simulation_variable_count(simulation)
        names = [c.text(c.lib.nonsens_simulation_variable_at(simulation, j)) for j in range(d)]
        number = array(c.lib.nonsens_simulation_segments(simulation), n)
        labels = np.array(["s%d" % (k + 1) for k in range(int(number.max()) + 1)])
        return Simulation(
            array(c.lib.nonsens_simulation_values(simulation), d, n).T,
            labels[number],
            names,
            array(c.lib.nonsens_simulation_sources(simulation), d, n).T,
            ctx.written(c.lib.nonsens_simulation_write_truth, simulation),
        )


# ---- many pairs ----


def _quoted(name: str) -> str:
    return '"%s"' % name.replace('"', '""')


@documented
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
    values = values_of("direction", table, named, random_state, n_jobs)
    with Context(for_verbosity(verbose)) as ctx, tempfile.TemporaryDirectory() as folder:
        values["pairs"] = os.fspath(pairs) if isinstance(pairs, (str, os.PathLike)) else os.path.join(folder, "pairs")
        if not isinstance(pairs, (str, os.PathLike)):
            with open(values["pairs"], "w", encoding="utf-8") as file:
                for a, b in pairs:
                    file.write("%s,%s\n" % (_quoted(table.name_of(a)), _quoted(table.name_of(b))))
        made = _options.make(ctx, "direction", values)
        data = table.data(ctx, made)
        warn(data)
        found = ctx.run(c.lib.nonsens_run_pairs, c.lib.nonsens_pairs_free, data, made, None)
        return PairsResult(ctx.written(c.lib.nonsens_pairs_write_json, found))


# ---- comparing graphs ----


def compare(estimate: Any, truth: Any, *, pattern: bool = False, closure: bool = False) -> Comparison:
    """How far is an estimated graph from the true one?

    Parameters
    ----------
    estimate, truth : Graph, matrix or path
        Graphs, also in files as `nonsens compare` reads them; of a matrix A[i, j] != 0 means i -> j.
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
    with Context() as ctx:
        made = _options.make(ctx, "compare", {"pattern": pattern, "closure": closure})
        first, second = graph_of(ctx, estimate, "estimate"), graph_of(ctx, truth, "truth")
        found = ctx.make(c.lib.nonsens_comparison_new, c.lib.nonsens_comparison_free, first, second, made)
        return Comparison(ctx.written(c.lib.nonsens_comparison_write_json, found))
