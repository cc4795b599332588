"""Finds out what causes what from data that were recorded under several conditions (segments).

    >>> import nonsens
    >>> data = nonsens.simulate(depth=2, per_segment=300, random_state=3)
    >>> nonsens.direction(data.X, data.segments).decision
    'c2->c1'

Functions
    direction       which of two variables causes the other?
    directions      the same for many pairs
    discover        what causes what among many variables?
    explain         which variables changed by themselves in a segment?
    effect          what would happen if a variable were set or changed?
    diagnose        what can the data support, and what not?
    independence    tests of independence
    ica             linear ICA
    simulate        data with known causes
    compare         how far are two graphs apart?
    methods         the methods
    options         the further keyword arguments of a function

`NonSENS` is a scikit-learn estimator.  Results are those of the program `nonsens`, bit for bit.
"""

from ._effects import Counterfactual as Counterfactual
from ._effects import Distribution as Distribution
from ._effects import Effect as Effect
from ._effects import EffectResult as EffectResult
from ._effects import QuartileEffect as QuartileEffect
from ._effects import Refutation as Refutation
from ._errors import DataError as DataError
from ._errors import DataWarning as DataWarning
from ._errors import NonsensError as NonsensError
from ._errors import NumericError as NumericError
from ._errors import OutputError as OutputError
from ._errors import UsageError as UsageError
from ._estimator import NonSENS
from ._explain import explain
from ._graph import Edge, Graph
from ._graph import Target as Target
from ._library import __version__
from ._library import lib as _lib
from ._library import text as _text
from ._lines import PairsResult as PairsResult
from ._lines import SegmentsResult as SegmentsResult
from ._options import Method as Method
from ._options import Option as Option
from ._options import methods, options
from ._results import Change as Change
from ._results import Comparison as Comparison
from ._results import DiagnoseResult as DiagnoseResult
from ._results import DirectionResult as DirectionResult
from ._results import DiscoverResult as DiscoverResult
from ._results import Evidence as Evidence
from ._results import ExplainResult as ExplainResult
from ._results import IcaResult as IcaResult
from ._results import IndependenceResult as IndependenceResult
from ._results import Opinion as Opinion
from ._results import Result as Result
from ._runs import compare, diagnose, direction, directions, discover, ica, independence, simulate
from ._simulation import Simulation as Simulation
from ._what_if import effect

# Names that help(nonsens) shows.  Errors and types of results are public as well.
__all__ = [
    "Edge",
    "Graph",
    "NonSENS",
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
    """Describes how the library was built: compiler, BLAS, JSON library."""
    return _text(_lib.nonsens_build_info())


def __dir__() -> "list[str]":
    return sorted(name for name in globals() if not name.startswith("_") or name.startswith("__"))
