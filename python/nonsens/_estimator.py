"""NonSENS as an estimator in the manner of scikit-learn, which need not be installed."""

from __future__ import annotations

import inspect
import os
from html import escape
from typing import Any, Dict, List, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _options
from ._errors import DataError
from ._graph import Graph
from ._knowledge import KnowledgeLike
from ._options import RandomState
from ._results import DirectionResult, DiscoverResult
from ._runs import Columns, direction, discover
from ._table import Table

PathLike = Union[str, "os.PathLike[str]"]

_ALWAYS = ("method", "alpha", "random_state", "n_jobs", "verbose")  # passed to every run; others only if set


class NonSENS:
    """Causal discovery from data with segments, as a scikit-learn estimator.

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
        1: shows a progress bar.
    x, y : str or int
        The two variables, if X has more than two: names, or positions from 0.
    vars : list of str or int
        The variables; None: all columns of numbers.
    bootstrap, knowledge, targets
        As for :func:`nonsens.discover`.
    na : "error" or "drop-rows"
        What to do about missing values.
    block_length : int or "auto"
        For rows that follow one another in time; see :func:`nonsens.options`.
    others
        All further options of :func:`nonsens.direction` and :func:`nonsens.discover`; :func:`nonsens.options` explains
        them.  None stands for the default of the method.

    Attributes
    ----------
    result_ : DirectionResult or DiscoverResult
        All that was found.
    graph_ : Graph
        What causes what.
    adjacency_matrix_ : ndarray of shape (n_features_in_, n_features_in_)
        A[i, j] = 1 if variable i causes variable j: the row is the cause (lingam has it the other way round; see
        `graph_.to_lingam()`).
    decision_, direction_, score_, p_value_
        Of two variables; None for more.
    disturbances_ : ndarray of shape (n_rows, 2) or None
        Of two variables, if the method estimates them.
    feature_names_in_ : ndarray of str
        The variables; c1, c2, ... if X is an array.
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
        x: Optional[Union[str, int]] = None,
        y: Optional[Union[str, int]] = None,
        vars: Columns = None,
        exclude: Columns = None,
        bootstrap: Optional[int] = None,
        knowledge: KnowledgeLike = None,
        targets: Optional[PathLike] = None,
        na: Optional[str] = None,
        block_length: Optional[Union[int, str]] = None,
        opinions: Optional[str] = None,
        max_memory: Optional[int] = None,
        max_rows: Optional[int] = None,
        as_published: Optional[bool] = None,
        journal: Optional[PathLike] = None,
        resume: Optional[bool] = None,
        keep_all: Optional[bool] = None,
        layers: Optional[int] = None,
        width: Optional[int] = None,
        activation: Optional[str] = None,
        last: Optional[str] = None,
        optimiser: Optional[str] = None,
        learning_rate: Optional[float] = None,
        momentum: Optional[float] = None,
        weight_decay: Optional[float] = None,
        batch: Optional[int] = None,
        epochs: Optional[int] = None,
        patience: Optional[int] = None,
        validation: Optional[float] = None,
        folds: Optional[int] = None,
        restarts: Optional[int] = None,
        keep: Optional[int] = None,
        inputs: Optional[str] = None,
        features: Optional[str] = None,
        score_folds: Optional[int] = None,
        basis: Optional[int] = None,
        undersmooth: Optional[float] = None,
        unmixing: Optional[str] = None,
        statistic: Optional[str] = None,
        rule: Optional[str] = None,
        ratio: Optional[str] = None,
        pooling: Optional[str] = None,
        null: Optional[str] = None,
        permutations: Optional[int] = None,
        test_rows: Optional[int] = None,
        regression: Optional[str] = None,
        degree: Optional[int] = None,
        invariance: Optional[str] = None,
        time_limit: Optional[float] = None,
        resample: Optional[str] = None,
        test: Optional[str] = None,
        coefficients: Optional[str] = None,
        target: Optional[Union[str, int]] = None,
        max_given: Optional[int] = None,
        knots: Optional[int] = None,
        colliders: Optional[str] = None,
        conflicts: Optional[str] = None,
        orient_by: Optional[str] = None,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.x = x
        self.y = y
        self.vars = vars
        self.exclude = exclude
        self.bootstrap = bootstrap
        self.knowledge = knowledge
        self.targets = targets
        self.na = na
        self.block_length = block_length
        self.opinions = opinions
        self.max_memory = max_memory
        self.max_rows = max_rows
        self.as_published = as_published
        self.journal = journal
        self.resume = resume
        self.keep_all = keep_all
        self.layers = layers
        self.width = width
        self.activation = activation
        self.last = last
        self.optimiser = optimiser
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.validation = validation
        self.folds = folds
        self.restarts = restarts
        self.keep = keep
        self.inputs = inputs
        self.features = features
        self.score_folds = score_folds
        self.basis = basis
        self.undersmooth = undersmooth
        self.unmixing = unmixing
        self.statistic = statistic
        self.rule = rule
        self.ratio = ratio
        self.pooling = pooling
        self.null = null
        self.permutations = permutations
        self.test_rows = test_rows
        self.regression = regression
        self.degree = degree
        self.invariance = invariance
        self.time_limit = time_limit
        self.resample = resample
        self.test = test
        self.coefficients = coefficients
        self.target = target
        self.max_given = max_given
        self.knots = knots
        self.colliders = colliders
        self.conflicts = conflicts
        self.orient_by = orient_by

    @classmethod
    def _defaults(cls) -> Dict[str, Any]:
        """Returns the parameters and their defaults from the signature."""
        parameters = inspect.signature(cls.__init__).parameters.values()
        return {one.name: one.default for one in parameters if one.name != "self"}

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters, as they were given.

        Parameters
        ----------
        deep : bool
            Without effect: no parameter is an estimator.
        """
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> "NonSENS":
        """Sets parameters and returns the estimator.

        Examples
        --------
        >>> import nonsens
        >>> nonsens.NonSENS().set_params(method="lingam", alpha=0.01)
        NonSENS(method='lingam', alpha=0.01)
        """
        known = list(self._defaults())
        for name in params:
            if name not in known:  # scikit-learn expects a ValueError
                raise ValueError("set_params(): %s" % _options.unknown(name, known))
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: Any = None, segments: Any = None) -> "NonSENS":
        """Finds out what causes what.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns), or dict of columns
            The data.
        y : array-like of shape (n_rows,), str, list of str or None
            Labels of segments, the name of a column of X, several such names, or "equal:K".  scikit-learn calls the
            second argument y; `segments` is the same by its own name.
        segments : array-like of shape (n_rows,), str, list of str or None
            The same as `y`; give one of them.

        Returns
        -------
        NonSENS
            The estimator itself.
        """
        if y is not None and segments is not None:
            raise ValueError("y and segments are the same thing, labels of segments; give one of them")
        table = Table(X, y if segments is None else segments)
        self._check(table)
        params = {name: value for name, value in self.get_params().items() if name in _ALWAYS or value is not None}
        pairwise = self._is_pair(table)
        self.result_ = direction(table, **params) if pairwise else discover(table, **params)
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

    def _wanted(self, table: Table) -> List[str]:
        """Returns the variables of the run."""
        names = table.numbers(self.vars if self.x is None else [self.x, self.x if self.y is None else self.y])
        left_out = [] if self.exclude is None else table.numbers(self.exclude)
        return [name for name in names if name not in left_out]

    def _check(self, table: Table) -> None:
        """Raises errors in the words that scikit-learn's checks look for."""
        shape = (table.rows, len(table.names))
        if shape[1] < 2:
            raise DataError("X has %d feature(s) (shape=%s) while a minimum of 2 is required." % (shape[1], shape))
        if table.rows < 2:
            raise DataError("X has n_samples=%d; causes cannot be found in fewer than 2 rows" % table.rows)
        values = dict(zip(table.names, table.values))
        for name in self._wanted(table):
            column = values.get(name)
            bad = np.zeros(0, dtype=bool) if column is None else ~np.isfinite(column)
            if not bad.any() or column is None:
                continue
            row = int(bad.argmax())
            if np.isinf(column[row]):
                raise DataError('column "%s", data row %d: the value is infinite, inf' % (name, row + 1))
            if self.na in (None, "error"):
                raise DataError(
                    'column "%s" has a missing value, NaN (data row %d); leave out such rows with na="drop-rows"'
                    % (name, row + 1)
                )

    def _is_pair(self, table: Table) -> bool:
        """Whether there are two variables, and the method can decide on a pair."""
        if self.x is not None:
            return True
        can = next((m.direction for m in _options.methods() if m.name == self.method), True)
        return len(self._wanted(table)) == 2 and can

    # ---- what scikit-learn asks of an estimator ----

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")

    def _more_tags(self) -> Dict[str, Any]:
        """Returns the tags for scikit-learn up to version 1.5."""
        return {"non_deterministic": False, "requires_y": False, "allow_nan": False}

    def __sklearn_tags__(self) -> Any:
        """Returns the tags for scikit-learn from version 1.6 on."""
        from sklearn.utils import InputTags, Tags, TargetTags  # type: ignore[import]

        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags(allow_nan=False))

    # ---- display ----

    def __repr__(self) -> str:
        usual = self._defaults()
        given = ["%s=%r" % (k, v) for k, v in self.get_params().items() if v is not usual[k] and v != usual[k]]
        return "NonSENS(%s)" % ", ".join(given)

    def _repr_html_(self) -> str:
        fitted = self.result_._repr_html_() if hasattr(self, "result_") else ""
        return "<div><code>%s</code>%s</div>" % (escape(repr(self)), fitted)
