"""Computes what would happen if variables were set or changed: the command `effect` as a function."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Mapping, Optional, Union

import numpy as np

from ._effects import EffectResult
from ._errors import DataError, UsageError
from ._graph import Graph
from ._knowledge import KnowledgeLike
from ._options import OptionValue, RandomState, as_text
from ._page import Origin
from ._results import DiscoverResult
from ._running import effect_result, run
from ._runs import Columns, documented
from ._table import Table

Changes = Union[None, str, Mapping[Any, Any]]
Rows = Union[None, str, int, Iterable[int]]

_GRID = "a number, a range, or (first, last, step) for several values"


def _value(value: Any) -> str:
    """Formats a value, or several as first:last:step."""
    if isinstance(value, range) and len(value) > 0:
        value = (value[0], value[-1], value.step)
    if isinstance(value, tuple) and len(value) == 3:
        return ":".join(_value(part) for part in value)
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return as_text(value)
    raise TypeError("%r is no value of a variable; give %s" % (value, _GRID))


def _changes(table: Table, wish: Changes, option: str) -> Optional[str]:
    if wish is None or isinstance(wish, str):
        return wish
    if not isinstance(wish, Mapping):
        raise TypeError("%s=%r: give a dict, such as {'temp': 30}" % (option, wish))
    names = [table.name_of(name) for name in wish]
    for name in names:
        if "," in name:
            raise ValueError("%s: the name %r has a comma; rename the column" % (option, name))
    return ",".join("%s=%s" % (name, _value(value)) for name, value in zip(names, wish.values()))


def _rows(table: Table, wish: Rows) -> Optional[str]:
    """Converts rows, which are counted from 0 here, and from 1 by the program."""
    if wish is None or isinstance(wish, str):
        return wish
    listed = [wish] if isinstance(wish, (int, np.integer)) else list(wish)
    for row in listed:
        if not isinstance(row, (int, np.integer)) or isinstance(row, bool):
            raise TypeError("rows: %r is no row; rows are whole numbers from 0" % (row,))
        if not 0 <= row < table.rows:
            raise ValueError("rows: there is no row %d; X has %d, counted from 0" % (row, table.rows))
    if not listed:
        raise ValueError("rows is empty; name at least one row")
    return ",".join(str(int(row) + 1) for row in listed)


def words_of(table: Table, do: Changes, change: Changes, on: Columns, in_segment: Any, rows: Rows) -> Dict[str, Any]:
    """Formats the question as options."""
    return {
        "do": _changes(table, do, "do"),
        "change": _changes(table, change, "change"),
        "on": on,
        "in_segment": None if in_segment is None else table.label_of(in_segment),
        "rows": _rows(table, rows),
    }


@documented
def effect(
    X: Any,
    segments: Any = None,
    *,
    do: Changes = None,
    change: Changes = None,
    on: Columns = None,
    in_segment: Any = None,
    rows: Rows = None,
    graph: Any = None,
    method: str = "structured",
    alpha: float = 0.05,
    draws: int = 100,
    refute: int = 0,
    extrapolate: bool = False,
    knowledge: KnowledgeLike = None,
    random_state: RandomState = 1,
    n_jobs: Optional[int] = -1,
    verbose: int = 0,
    **options: OptionValue,
) -> EffectResult:
    """What would happen if variables were set or changed?

    Parameters
    ----------
    {shared}
    do : dict or str
        Sets variables: {"temp": 30}.  A range, or (first, last, step), gives a curve: {"temp": (20, 40, 5)}.  Several
        variables are set together.
    change : dict or str
        Adds to variables: {"temp": 1} or {"temp": -2}.  Without `do` and `change` the result is a table of the effects
        of all variables on all others.
    on : str, int or list of these
        The variables asked about, names or positions from 0; None: all others.
    in_segment : label or None
        Asks about this segment; None: about all rows, and about each segment.
    rows : int, list of int or "all"
        Rows of X, from 0: asks what these rows would have been.
    graph : Graph, matrix, path or None
        What causes what; in a matrix, A[i, j] != 0 means that column i causes column j.  None: `method` finds it.
    method : str
        The method that finds the graph.
    alpha : float
        One minus the level of the intervals.
    draws : int
        Bootstrap samples for the intervals; 0: no intervals.
    refute : int
        Repetitions of each refuter, for questions with `do` or `change`: a placebo instead of the cause, whose effect
        must be 0, and random subsets of the rows; see `Effect.placebo` and `Effect.subsets`.  0: none; otherwise at
        least 10.
    extrapolate : bool
        Answers even if few rows of the data are like the changed rows.
    knowledge : dict, list or path
        What is known beforehand, as for :func:`nonsens.discover`; not with `graph`.

    Returns
    -------
    EffectResult

    Examples
    --------
    >>> import nonsens
    >>> data = nonsens.simulate(sem="node", nodes=3, segments=8, per_segment=80, depth=1, random_state=5)
    >>> from nonsens import Edge, Graph
    >>> known = Graph(data.names, [Edge("x1", "x3"), Edge("x2", "x1"), Edge("x2", "x3")])
    >>> answer = nonsens.effect(data.to_frame(), "segment", do={"x2": 0.5}, on="x3", graph=known, draws=20)
    >>> len(answer.effects), answer.effects[0].answered         # all rows, then each of eight segments
    (9, 'one')
    >>> one = answer.effects[0]
    >>> one.difference.interval[0] <= one.difference.mean <= one.difference.interval[1]
    True
    >>> nonsens.effect(data.to_frame(), "segment", do={"x3": 0.5}, on="x2", graph=known).effects[0].answered
    'no path'
    """
    table = Table(X, segments)
    named: Dict[str, Any] = {"method": method, "alpha": alpha, "knowledge": knowledge, **options}
    words = words_of(table, do, change, on, in_segment, rows)
    named.update(draws=draws, refute=refute, extrapolate=extrapolate, **words)
    known = None
    if isinstance(graph, (str, os.PathLike)):
        named["graph"] = graph
    elif graph is not None:
        names = table.numbers(options.get("vars"))
        known = graph if isinstance(graph, Graph) else Graph.from_adjacency(graph, names)
    found: EffectResult = run("effect", effect_result, table, None, named, random_state, n_jobs, verbose, graph=known)
    return found


_SAME_DATA = ("vars", "na", "max-rows")  # options that determine in which data a graph was found


def effect_in(
    found: DiscoverResult,
    origin: Optional[Origin],
    question: Dict[str, Any],
    n_jobs: Optional[int],
    verbose: int,
    options: Dict[str, Any],
) -> EffectResult:
    """Computes the effect in a graph that was found, and in its data."""
    if origin is None:
        raise UsageError(
            "a result that was copied or unpickled has no data; call nonsens.effect with them and this result as graph"
        )
    table = origin.table
    named = {key.replace("-", "_"): origin.values[key] for key in _SAME_DATA if key in origin.values}
    named.update(options)
    named.update(words_of(table, **question))
    seed = named.pop("random_state", found.seed)
    answer: EffectResult = run("effect", effect_result, table, None, named, seed, n_jobs, verbose, graph=found)
    if answer.data_hash != found.data_hash:
        raise DataError("the data are no longer those that the graph was found in; find it again")
    return answer
