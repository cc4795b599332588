"""Finds the variables that changed by themselves: the command `explain` as a function."""

from __future__ import annotations

import os
from typing import Any, Dict, Literal, Optional, overload

from ._graph import Graph
from ._knowledge import KnowledgeLike
from ._lines import SegmentsResult
from ._options import OptionValue, RandomState
from ._results import ExplainResult
from ._running import explain_result, run
from ._runs import documented
from ._table import Table


@overload
def explain(  # type: ignore[misc]
    X: Any,
    segments: Any = ...,
    *,
    of: Literal["all"],
    against: Any = ...,
    graph: Any = ...,
    method: str = ...,
    alpha: float = ...,
    knowledge: KnowledgeLike = ...,
    random_state: RandomState = ...,
    n_jobs: Optional[int] = ...,
    verbose: int = ...,
    **options: OptionValue,
) -> SegmentsResult: ...


@overload
def explain(
    X: Any,
    segments: Any = ...,
    *,
    of: Any,
    against: Any = ...,
    graph: Any = ...,
    method: str = ...,
    alpha: float = ...,
    knowledge: KnowledgeLike = ...,
    random_state: RandomState = ...,
    n_jobs: Optional[int] = ...,
    verbose: int = ...,
    **options: OptionValue,
) -> ExplainResult: ...


@documented
def explain(
    X: Any,
    segments: Any = None,
    *,
    of: Any,
    against: Any = None,
    graph: Any = None,
    method: str = "structured",
    alpha: float = 0.05,
    knowledge: KnowledgeLike = None,
    random_state: RandomState = 1,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: OptionValue,
) -> "ExplainResult | SegmentsResult":
    """Which variables changed by themselves in a segment, and which only follow their causes?

    Parameters
    ----------
    {shared}
    of : label
        The segment to explain; "all": each segment in turn, unless one has this label.
    against : label or None
        The segment to compare it with; None: all others together.
    graph : Graph, matrix, path or None
        What causes what; in a matrix, A[i, j] != 0 means that column i causes column j.  None: `method` finds it.
    method : str
        The method that finds the graph.
    alpha : float
        Error level: the expected share of false root causes among those found.
    knowledge : dict, list or path
        What is known beforehand, as for :func:`nonsens.discover`; not with `graph`.

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
    found: "ExplainResult | SegmentsResult" = run(
        "explain", explain_result, table, None, named, random_state, n_jobs, verbose, graph=known
    )
    return found
