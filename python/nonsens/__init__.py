"""Causal discovery from data that were recorded under several conditions (segments).

    >>> import nonsens
    >>> data = nonsens.simulate(depth=2, per_segment=300, random_state=3)
    >>> nonsens.direction(data.X, data.segments).decision
    'c2->c1'

The functions are the commands of the program `nonsens`, and give the same results, bit for bit: :func:`direction`,
:func:`directions` (many pairs), :func:`discover`, :func:`explain`, :func:`effect`, :func:`independence`, :func:`ica`,
:func:`diagnose`, :func:`simulate`, :func:`compare`.  :class:`NonSENS` is an estimator in the manner of scikit-learn.
Options that messages call `--some-option` are keyword arguments `some_option`.
"""

from ._effects import Counterfactual, Distribution, Effect, EffectResult, QuartileEffect, Refutation
from ._errors import DataError, DataWarning, NonsensError, NumericError, OutputError, UsageError
from ._estimator import NonSENS
from ._graph import Edge, Graph, Target
from ._library import __version__
from ._library import lib as _lib
from ._library import text as _text
from ._lines import PairsResult, SegmentsResult
from ._options import Method, Option, methods, options
from ._results import (
    Change,
    Comparison,
    DiagnoseResult,
    DirectionResult,
    DiscoverResult,
    Evidence,
    ExplainResult,
    IcaResult,
    IndependenceResult,
    Opinion,
    Result,
)
from ._runs import compare, diagnose, direction, directions, discover, explain, ica, independence, simulate
from ._simulation import Simulation
from ._what_if import effect

__all__ = [
    "Change",
    "Comparison",
    "Counterfactual",
    "DataError",
    "DataWarning",
    "DiagnoseResult",
    "DirectionResult",
    "DiscoverResult",
    "Distribution",
    "Edge",
    "Effect",
    "EffectResult",
    "Evidence",
    "ExplainResult",
    "Graph",
    "IcaResult",
    "IndependenceResult",
    "Method",
    "NonSENS",
    "NonsensError",
    "NumericError",
    "Opinion",
    "Option",
    "OutputError",
    "PairsResult",
    "QuartileEffect",
    "Refutation",
    "Result",
    "SegmentsResult",
    "Simulation",
    "Target",
    "UsageError",
    "__version__",
    "build_info",
    "compare",
    "diagnose",
    "direction",
    "directions",
    "discover",
    "effect",
    "explain",
    "ica",
    "independence",
    "methods",
    "options",
    "simulate",
]


def build_info() -> str:
    """How the library was built: compiler, BLAS, JSON library."""
    return _text(_lib.nonsens_build_info())
