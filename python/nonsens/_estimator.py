"""NonSENS as an estimator in the manner of scikit-learn, which need not be installed."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _options
from ._graph import Graph
from ._options import OptionValue, RandomState
from ._results import DirectionResult, DiscoverResult
from ._runs import direction, discover

_NAMED = ("method", "alpha", "random_state", "n_jobs", "verbose")


def _known() -> Tuple[str, ...]:
    both = _options.options("direction") + _options.options("discover")
    return tuple(dict.fromkeys(option.name for option in both if option.name not in _NAMED))


class NonSENS:
    """Causal discovery from segmented data.

    Two variables are decided on as by :func:`nonsens.direction`, more as by :func:`nonsens.discover`.

    Parameters
    ----------
    method : str
        The method; :func:`nonsens.methods` lists them.
    alpha : float
        Error level.
    random_state : int, RandomState, Generator or None
        Seed of every random number.
    n_jobs : int or None
        Threads: -1 all cores, None one.
    verbose : int
        1 shows a progress bar.
    **options
        Further options, with _ for -, as :func:`nonsens.options` lists them for "direction" and "discover".

    Attributes
    ----------
    result_ : DirectionResult or DiscoverResult
        All that was found.
    graph_ : Graph
        What causes what.
    adjacency_matrix_ : ndarray of shape (n_features_in_, n_features_in_)
        A[i, j] = 1 where variable i causes variable j: the row is the cause (lingam has it the other way round; see
        `graph_.to_lingam()`).
    decision_, direction_, score_, p_value_
        Of two variables; None for more.
    disturbances_ : ndarray of shape (n_rows, 2) or None
        Of two variables, where the method estimates them.
    feature_names_in_ : ndarray of str
        The variables.
    n_features_in_, n_segments_ : int
        How many variables and segments there are.

    Examples
    --------
    >>> import nonsens
    >>> data = nonsens.simulate(depth=2, per_segment=300, random_state=3)
    >>> model = nonsens.NonSENS(random_state=1).fit(data.X, data.segments)
    >>> model.decision_
    'c2->c1'
    >>> model.adjacency_matrix_
    array([[0, 0],
           [1, 0]])
    """

    result_: "DirectionResult | DiscoverResult"
    graph_: Graph
    adjacency_matrix_: NDArray[Any]
    decision_: Optional[str]
    direction_: Optional[str]
    score_: Optional[float]
    p_value_: Optional[float]
    disturbances_: Optional[NDArray[Any]]
    feature_names_in_: NDArray[Any]
    n_features_in_: int
    n_segments_: int

    def __init__(
        self,
        method: str = "structured",
        *,
        alpha: float = 0.05,
        random_state: RandomState = 1,
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
        **options: OptionValue,
    ) -> None:
        _options.refuse_unknown(list(options), _known(), "NonSENS()")
        self.method = method
        self.alpha = alpha
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self._options: Dict[str, OptionValue] = dict(options)

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters, as they were given."""
        return {**{name: getattr(self, name) for name in _NAMED}, **self._options}

    def set_params(self, **params: Any) -> "NonSENS":
        """Sets parameters anew and returns the estimator."""
        _options.refuse_unknown(list(params), _NAMED + _known(), "set_params()")
        for name, value in params.items():
            if name in _NAMED:
                setattr(self, name, value)
            else:
                self._options[name] = value
        return self

    def fit(self, X: Any, segments: Any = None) -> "NonSENS":
        """Finds out what causes what.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns), or dict of columns
            The data.
        segments : array-like of shape (n_rows,), str or None
            Labels of segments, the name of a column of X, or "equal:K".

        Returns
        -------
        NonSENS
            The estimator itself.
        """
        params = self.get_params()
        pairwise = self._is_pair(X, segments)
        self.result_ = direction(X, segments, **params) if pairwise else discover(X, segments, **params)
        found = self.result_
        pair = found if isinstance(found, DirectionResult) else None
        self.graph_ = found.to_graph() if isinstance(found, DirectionResult) else Graph(found.nodes, found.edges)
        self.adjacency_matrix_ = self.graph_.adjacency
        self.decision_ = pair.decision if pair else None
        self.direction_ = pair.direction if pair else None
        self.score_ = pair.score if pair else None
        self.p_value_ = pair.p_value if pair else None
        self.disturbances_ = pair.disturbances if pair else None
        self.feature_names_in_ = np.array(found.names, dtype=object)
        self.n_features_in_ = len(found.names)
        self.n_segments_ = found.n_segments
        return self

    def _is_pair(self, X: Any, segments: Any) -> bool:
        """Two variables, once the column of labels is taken away; a method for graphs alone makes a graph of them."""
        if self._options.get("x") is not None:
            return True
        from ._table import Table

        table = Table(X, segments)
        wanted = self._options.get("vars")
        names = (table.list_of(wanted) or "").split(",") if wanted is not None else table.names
        numeric = [name for name, values in zip(table.names, table.values) if values is not None and name in names]
        can = next((m.direction for m in _options.methods() if m.name == self.method), True)
        return len(numeric) == 2 and can

    def __repr__(self) -> str:
        usual = {"method": "structured", "alpha": 0.05, "random_state": 1, "n_jobs": -1, "verbose": 0}
        given = ["%s=%r" % (k, v) for k, v in self.get_params().items() if k not in usual or usual[k] != v]
        return "NonSENS(%s)" % ", ".join(given)

    def _repr_html_(self) -> str:
        from html import escape

        fitted = self.result_._repr_html_() if hasattr(self, "result_") else ""
        return "<div><code>%s</code>%s</div>" % (escape(repr(self)), fitted)
