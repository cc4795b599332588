"""The functions of the package, one for each command of the program."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, TypeVar, Union

import numpy as np

from . import _library as c
from . import _options
from ._call import Context
from ._graph import Graph
from ._knowledge import KnowledgeLike
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


_SHARED = """X : array-like, data frame, Arrow table or dict of columns
        The data: rows and columns of numbers.  The columns of an array are called c1, c2, ...  A list of frames, or a
        dict {name: frame}, has a segment in each frame.  NaN, None, pandas.NA, null and masked values are missing: an
        error, unless na="drop-rows" leaves out their rows or, in direction and discover, na="pairwise" uses the rows
        that have the variables in question.
    segments : array-like of shape (n_rows,), str, list of str or None
        The label of each row's segment, any text or number, used as a category only; or the name of a column of X; or
        the names of several, which together are the label; or "equal:K", which cuts the rows into K blocks; or None,
        for methods that need no segments.
    random_state : int, RandomState, Generator or None
        Seed of every random number: the same seed gives the same result.  None draws one.
    n_jobs : int or None
        Threads: -1 all cores, None one, -2 all cores but one.  Results do not depend on it.
    verbose : int
        1 shows a progress bar, in terminals and notebooks.
    **options
        Further options; ``nonsens.options("{command}")`` explains them."""


_Function = TypeVar("_Function", bound=Callable[..., Any])


def documented(function: _Function) -> _Function:
    """Adds the parameters that all functions share to the docstring."""
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
        The two variables, if X has more than two: names, or positions from 0.
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
    knowledge: KnowledgeLike = None,
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
        Number of bootstrap samples in which the graph is found again; `Edge.support` is the share that has the edge.
    knowledge : dict, list or path
        What is known beforehand: {"forbidden": [("a", "b")], "required": [("b", "c")], "tiers": [["a"], ["b", "c"]]},
        each part if you have it.  No arrow leads from a later tier to an earlier one.  A list holds required arrows, a
        path names a file in Tetrad's text format (docs/knowledge.md).
    targets : path
        A CSV file with the interventions: which segments changed which variables (docs/targets.md).

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
    """Separates 2 to 100 variables into as many sources, which are independent inside each segment (linear ICA).

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
    """Are two variables independent, inside each segment if there are segments?

    Parameters
    ----------
    {shared}
    x, y : str, int or list of these
        The two variables, names or positions from 0; several are tested as a vector.
    given : str, int or list of these
        Variables to condition on: are x and y independent given these?
    test : str
        "auto" ("hsic", or "kci" if `given`), "rcit", "fisher-z", "residuals" or "information"; or "ks", "levene" or
        "kruskal", which test whether x alone differs between segments.
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
        Checks this pair only.
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
    """Simulates data with known causes.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        Seed of every random number.
    **options
        Among them sem ("layered" or "node"), nodes, depth, segments, per_segment, noise, scale=(lo, hi),
        mean=(lo, hi), modulate, cyclic, independent, confounded and edge_prob; ``nonsens.options("simulate")``
        explains all of them.

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
    """Which variable causes the other, for many pairs?  With q-values.

    Parameters
    ----------
    {shared}
    pairs : "all", list of (x, y) or path
        All pairs of columns, a list of pairs, or a file with two names per line.
    method, alpha
        As for :func:`nonsens.direction`.
    fdr : str
        How q-values are computed: "bh" (Benjamini-Hochberg), "by" (Benjamini-Yekutieli) or "none".

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
        Graphs; in a matrix, A[i, j] != 0 means i -> j.
    pattern : bool
        Compares with the pattern (CPDAG) of the truth.
    closure : bool
        Compares with the transitive closure of the truth as well.

    Returns
    -------
    Comparison

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
