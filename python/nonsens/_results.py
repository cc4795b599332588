"""Results of runs.  Everything except arrays comes from the JSON that the program writes for the same run."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from numpy.typing import NDArray

from . import _html, _plot
from ._graph import Edge, Graph, Target
from ._page import Page
from ._sentences import document_in_python, in_python

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

    from ._effects import EffectResult


@dataclass(frozen=True)
class Evidence:
    """A value on which a decision is based, or that speaks for or against the assumptions."""

    name: str
    value: Optional[float]
    p_value: Optional[float]
    text: str  #: what it means


@dataclass(frozen=True)
class Opinion:
    """Another method's answer for the same pair."""

    method: str  #: "graph": the mechanisms with which structured finds graphs; otherwise the name of a method
    direction: Optional[str]
    decision: str
    score: Optional[float]
    p_value: Optional[float]


Texts = Tuple[str, str]  # as the program prints it, and with all details


def _real(value: Any) -> Optional[float]:
    return None if value is None else float(value)


class Result:
    """What all results have in common.

    `print(result)` shows the answer, `result.details` also all evidence and the reasoning, and `to_json()` is the
    JSON that the program writes for the same run.
    """

    def __init__(self, document: str, texts: Texts) -> None:
        self._json = document
        self._text, self._details = (in_python(text) for text in texts)
        self._found: Dict[str, Any] = document_in_python(json.loads(document))

    # ---- as a whole ----

    def to_dict(self) -> Dict[str, Any]:
        """Returns the content of `to_json()` as a dict."""
        return dict(json.loads(self._json))

    def to_json(self) -> str:
        """Returns the JSON that the program writes for the same run (only `seconds` and `threads` may differ)."""
        return self._json

    def __str__(self) -> str:
        return self._text

    @property
    def details(self) -> str:
        """The text of `print(result)` with all evidence, all options and the reasoning."""
        return self._details

    def __repr__(self) -> str:
        return "<%s: %s>" % (type(self).__name__, self.summary)

    def _repr_html_(self) -> str:
        return _html.of_result(self)

    @property
    def summary(self) -> str:
        """The result in a few words."""
        return self.method

    # ---- origin ----

    @property
    def method(self) -> str:
        """The method that was run."""
        return str(self._found["method"])

    @property
    def version(self) -> str:
        """Version of the library."""
        return str(self._found["nonsens"]["version"])

    @property
    def seed(self) -> int:
        """Seed of every random number."""
        return int(self._found["nonsens"]["seed"])

    @property
    def options(self) -> Dict[str, Any]:
        """All options of the run that can change its result, keys as on the command line."""
        return dict(self._found["nonsens"]["options"])

    @property
    def data_hash(self) -> str:
        """A hash of the values in an order of the library's own."""
        return str(self._found["nonsens"]["data_hash"])

    @property
    def seconds(self) -> float:
        """The duration of the run."""
        return float(self._found["seconds"])

    # ---- the data ----

    @property
    def names(self) -> List[str]:
        """The variables."""
        return list(self._found["data"]["variables"])

    @property
    def n_rows(self) -> int:
        """How many rows were used."""
        return int(self._found["data"]["rows"])

    @property
    def n_segments(self) -> int:
        """How many segments there are; 0 where none were named."""
        return int(self._found["data"]["segments"])

    @property
    def warnings(self) -> List[str]:
        """The findings of the data audit."""
        return list(self._found["data"]["warnings"])

    # ---- findings ----

    @property
    def evidence(self) -> List[Evidence]:
        """The values behind the result."""
        return [Evidence(e["name"], e["value"], e["p_value"], e["text"]) for e in self._found["evidence"]]

    @property
    def steps(self) -> List[str]:
        """The reasoning from the data to the answer, step by step."""
        return list(self._found["steps"])

    @property
    def notes(self) -> List[str]:
        """Findings in words."""
        return list(self._found["notes"])

    @property
    def note_levels(self) -> List[str]:
        """The level of each note: "info"; "caution": take care; "problem": an assumption does not hold, or the answer
        has no basis."""
        return list(self._found["note_levels"])

    @property
    def assumptions(self) -> Optional[str]:
        """What must hold for the result to be meaningful."""
        return self._found.get("assumptions")

    @property
    def reason(self) -> Optional[str]:
        """The reason for the decision; None if it needs no reason."""
        return self._found.get("reason")

    @property
    def modulation(self) -> Dict[str, Dict[str, Optional[float]]]:
        """{variable or source: {segment: value}}: how strongly it changes; empty if the method has no modulation."""
        return {name: dict(values) for name, values in self._found.get("modulation", {}).items()}


class _Decision(Result):
    """A result that is a decision."""

    @property
    def summary(self) -> str:
        p_value = _html.p_words(self.p_value)
        return "%s (%s%s)" % (self.decision, self.method, p_value and ", " + p_value)

    @property
    def decision(self) -> str:
        """The decision."""
        return str(self._found["decision"])

    @property
    def p_value(self) -> Optional[float]:
        """The p-value behind the decision; None if there is none.  Below `p_value_bound` it only ranks results, and is
        not a probability."""
        return _real(self._found["p_value"])

    @property
    def p_value_bound(self) -> float:
        """Null distributions were checked down to this p-value only: the text shows smaller ones as "p < 0.001"."""
        return float(self._found["p_value_bound"])

    @property
    def score(self) -> Optional[float]:
        """Signed evidence, positive for first -> second; None if the method has none."""
        return _real(self._found["score"])


class DirectionResult(_Decision, Page):
    """Which of two variables causes the other.

    Attributes
    ----------
    decision : str
        "a->b", "b->a", "independent", "neither" or "inconclusive".
    direction : str or None
        The better direction if one must be named.
    disturbances : ndarray of shape (n_rows, 2) or None
        The estimated disturbances of the two variables, in the order of the input's rows; None if the method estimates
        none.
    rows : ndarray of shape (n_rows,)
        The rows of X, from 0, that `disturbances` belong to: those without missing values.
    """

    def __init__(
        self,
        document: str,
        texts: Texts,
        disturbances: Optional[NDArray[Any]] = None,
        rows: Optional[NDArray[Any]] = None,
    ) -> None:
        super().__init__(document, texts)
        self.disturbances = disturbances
        self.rows = rows

    @property
    def direction(self) -> Optional[str]:
        """The better direction if one must be named, or None."""
        found: Optional[str] = self._found["direction"]
        return found

    @property
    def firm(self) -> Optional[bool]:
        """True if every other explanation that was checked is ruled out; None unless a direction is decided."""
        found: Optional[bool] = self._found["firm"]
        return found

    @property
    def alternatives(self) -> List[str]:
        """Other explanations that a decided direction does not rule out: "hidden-cause", "measurement-error",
        "mechanism-change", "selection"."""
        return list(self._found["alternatives"])

    @property
    def opinions(self) -> List[Opinion]:
        """Other methods' answers for the same pair (option `opinions`)."""
        return [
            Opinion(o["method"], o["direction"], o["decision"], _real(o["score"]), _real(o["p_value"]))
            for o in self._found["opinions"]
        ]

    @property
    def assumes_effect(self) -> bool:
        """Whether the method assumes that one variable causes the other."""
        return bool(self._found.get("assumes_effect", False))

    def to_graph(self) -> Graph:
        """Makes a graph of two nodes, with an arrow if a direction was decided."""
        first, second = self.names
        arrows = {"%s->%s" % (first, second): (first, second), "%s->%s" % (second, first): (second, first)}
        ends = arrows.get(self.decision)
        return Graph(self.names, [Edge(ends[0], ends[1], "-->", p_value=self.p_value)] if ends else [])

    def plot(self, ax: Any = None) -> Any:
        """Draws how the two disturbances change over the segments; returns matplotlib's axes."""
        return _plot.modulation(self.modulation, self.decision, ax)


class IndependenceResult(_Decision):
    """Are two variables independent?  `decision` is "independent", "dependent" or (block_length) "inconclusive"."""

    @property
    def independent(self) -> bool:
        """Whether independence was not rejected."""
        return self.decision == "independent"

    @property
    def test(self) -> str:
        """The tested question, such as "hsic(a, b)"."""
        return self.evidence[0].name

    @property
    def statistic(self) -> Optional[float]:
        """The statistic of the test."""
        return self.evidence[0].value


class DiagnoseResult(Result):
    """What the data can and cannot support: `notes` and `evidence`."""

    @property
    def summary(self) -> str:
        return "%d notes" % len(self.notes)


def _edge_of(e: Dict[str, Any]) -> Edge:
    interval, step = e.get("effect_interval"), e.get("step")
    return Edge(
        e["from"], e["to"], e["type"], e.get("weight"), e.get("p_value"), e.get("support"), e.get("directed_by"),
        bool(e.get("confounded")), e.get("effect"), (interval[0], interval[1]) if interval else None,
        (step[0], step[1]) if step else None)


def edges_of(found: Dict[str, Any]) -> List[Edge]:
    return [_edge_of(e) for e in found["edges"]]


class DiscoverResult(Result, Graph, Page):
    """The causes among many variables: a :class:`Graph` with the evidence behind it.

    Attributes
    ----------
    disturbances : ndarray of shape (n_rows, n_variables) or None
        The estimated disturbances, in the order of the input's rows; None if the method estimates none.
    rows : ndarray of shape (n_rows,)
        The rows of X, from 0, that `disturbances` belong to: those without missing values.
    """

    def __init__(
        self,
        document: str,
        texts: Texts,
        formats: Dict[str, str],
        disturbances: Optional[NDArray[Any]] = None,
        rows: Optional[NDArray[Any]] = None,
    ) -> None:
        Result.__init__(self, document, texts)
        Graph.__init__(self, self._found["nodes"], edges_of(self._found))
        self._formats = formats
        self.disturbances = disturbances
        self.rows = rows

    def __repr__(self) -> str:
        return "<DiscoverResult: %s, %s>" % (self.method, Graph._in_words(self))

    def __str__(self) -> str:
        return Result.__str__(self)

    def _repr_html_(self) -> str:
        return _html.of_result(self)

    @property
    def summary(self) -> str:
        return "%s, %s" % (self.method, self._in_words())

    @property
    def order(self) -> Optional[List[str]]:
        """Variables with causes before effects, for methods that order all variables; otherwise None."""
        return self._found.get("order")

    @property
    def targets(self) -> List[Target]:
        """Segments in which a mechanism differs, by segment and variable."""
        return [Target(t["segment"], t["variable"], t["kind"], bool(t["known"]), t.get("p_value"))
                for t in self._found.get("targets", [])]

    @property
    def unfinished(self) -> bool:
        """True if `time_limit` ended the search: the graph is only the best one so far."""
        return bool(self._found.get("unfinished", False))

    @property
    def bootstrap(self) -> Optional[Dict[str, Any]]:
        """How often each edge was found in bootstrap samples; None without `bootstrap`."""
        return self._found.get("bootstrap")

    @property
    def convention(self) -> str:
        """What the edges mean."""
        return str(self._found["convention"])

    def effect(
        self,
        do: Any = None,
        change: Any = None,
        on: Any = None,
        *,
        in_segment: Any = None,
        rows: Any = None,
        n_jobs: Optional[int] = -1,
        verbose: int = 0,
        **options: Any,
    ) -> "EffectResult":
        """What would happen if variables were set or changed, in this graph and the data in which it was found?

        Arguments are those of :func:`nonsens.effect`.  The result keeps no copy of the data, so they must not have
        changed since.  A result that was copied or unpickled has no data.
        """
        from ._what_if import effect_in

        named = {"do": do, "change": change, "on": on, "in_segment": in_segment, "rows": rows}
        return effect_in(self, self._origin, named, n_jobs, verbose, options)

    def effects(self, on: Any = None, **options: Any) -> "pandas.DataFrame":
        """Makes a pandas.DataFrame of the effects of all variables on all others, or on some: the change of the mean if
        the cause goes from its lower to its upper quartile.  `options` are those of `effect`."""
        return self.effect(on=on, **options).to_frame()

    def to_dot(self) -> str:
        """Returns the graph for Graphviz, as the program writes it."""
        return self._formats["dot"]

    def to_csv(self) -> str:
        """Returns the list of edges as CSV, as the program writes it."""
        return self._formats["csv"]

    def to_tetrad(self) -> str:
        """Returns the graph for Tetrad, as the program writes it."""
        return self._formats["tetrad"]

    def to_graphml(self) -> str:
        """Returns the graph as GraphML, as the program writes it."""
        return self._formats["graphml"]


@dataclass(frozen=True)
class Change:
    """How one variable changed in the segment.  Unknown values are None."""

    variable: str
    rank: int
    verdict: str  #: "changed itself", "follows", "unchanged", "unclear", or "elsewhere": it cannot reach the target
    how: str  #: "wider", "narrower", "higher", "lower"; empty if unknown
    size: Optional[float]  #: shift of its disturbance, in interquartile ranges of normal rows
    score: Optional[float]  #: how far its rows are from normal, in standard deviations
    own_change: Optional[float]  #: how much its disturbance differs: Jeffreys divergence, nats per row
    standard_error: Optional[float]
    interval: Optional[Tuple[float, Optional[float]]]  #: a lower bound, and None
    p_value: Optional[float]
    q_value: Optional[float]
    scale: Optional[float]  #: ratio of the widths of its disturbance
    shift: Optional[float]
    marginal_change: Optional[float]  #: how much the variable itself differs
    causes: Tuple[str, ...]  #: its causes in the graph
    follows: Tuple[str, ...]  #: the root causes that it follows


def _change(found: Dict[str, Any]) -> Change:
    tuples = {"interval", "causes", "follows"}
    wanted = {name: found[name] for name in Change.__dataclass_fields__}
    return Change(**{k: tuple(v) if k in tuples and v is not None else v for k, v in wanted.items()})


class ExplainResult(Result, Page):
    """Which disturbances changed in a segment.

    Attributes
    ----------
    graph : Graph
        The graph on which the verdicts are based.
    """

    def __init__(self, document: str, texts: Texts) -> None:
        super().__init__(document, texts)
        self.graph = Graph(self._found["nodes"], edges_of(self._found))

    @property
    def summary(self) -> str:
        found = self._found["explain"]
        if found["ranking_only"]:
            likeliest = ", ".join(variable["variable"] for variable in found["variables"][:3])
            return "root causes of %s: ranking only, likeliest first: %s" % (found["of"], likeliest)
        return "root causes of %s: %s" % (found["of"], ", ".join(self.root_causes) or "none found")

    @property
    def drift(self) -> float:
        """The median shift of all variables, in interquartile ranges; at least 1."""
        return float(self._found["explain"]["drift"])

    @property
    def ranking_only(self) -> bool:
        """Whether everything shifted, so that variables are only ranked and none is called a root cause."""
        return bool(self._found["explain"]["ranking_only"])

    @property
    def root_causes(self) -> List[str]:
        """The variables that changed by themselves, the largest change first."""
        return list(self._found["explain"]["root_causes"])

    @property
    def changes(self) -> List[Change]:
        """All variables, by rank."""
        return [_change(variable) for variable in self._found["explain"]["variables"]]

    def to_frame(self) -> "pandas.DataFrame":
        """Makes a pandas.DataFrame of the changes, a row per variable."""
        import pandas

        return pandas.DataFrame(self._found["explain"]["variables"])

    def plot(self, ax: Any = None) -> Any:
        """Draws how much each disturbance differs, with its bound, or its score; returns matplotlib's axes."""
        return _plot.changes(self.changes, self.summary, ax)


class IcaResult(Result):
    """Independent sources whose linear mixtures are the variables."""

    def __init__(
        self,
        document: str,
        texts: Texts,
        sources: NDArray[Any],
        rows: NDArray[Any],
        unmixing: NDArray[Any],
        mixing: NDArray[Any],
    ) -> None:
        super().__init__(document, texts)
        self.sources, self.rows, self.unmixing, self.mixing = sources, rows, unmixing, mixing

    @property
    def summary(self) -> str:
        return "%d sources (%s)" % (self.sources.shape[1], self.method)

    @property
    def source_names(self) -> List[str]:
        """s1, s2, ..."""
        return list(self._found["sources"])

    @property
    def converged(self) -> bool:
        """Whether the unmixing converged."""
        return bool(self._found["converged"])

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return int(self._found["iterations"])

    @property
    def convention(self) -> str:
        """The meaning of sources and matrices, and how scales, signs and order of sources are chosen."""
        return str(self._found["convention"])

    def plot(self, ax: Any = None) -> Any:
        """Draws how the sources change over the segments, or without segments the mixing; returns the axes."""
        if self.modulation:
            return _plot.modulation(self.modulation, "sources", ax)
        return _plot.matrix(self.mixing, self.names, self.source_names, "mixing", ax)


class Comparison:
    """The distance of an estimated graph from the true one."""

    def __init__(self, document: str) -> None:
        self._found: Dict[str, Any] = json.loads(document)
        for graph in (self._found["estimate"], self._found["truth"]):
            graph.pop("file", None)  # set by us, and already deleted

    def to_dict(self) -> Dict[str, Any]:
        """Returns all values, as in the program's JSON."""
        return copy.deepcopy(self._found)

    @property
    def shd(self) -> int:
        """Structural Hamming distance: missing, extra, reversed and otherwise marked edges."""
        return int(self._first["shd"])

    @property
    def f1(self) -> Optional[float]:
        """F1 of the arrows; None if neither graph has one."""
        return _real(self._first["arrows"]["f1"])

    @property
    def _first(self) -> Dict[str, Any]:
        distance: Dict[str, Any] = self._found["comparisons"][0]
        return distance

    def __repr__(self) -> str:
        return "<Comparison: shd %d>" % self.shd
