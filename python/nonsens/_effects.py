"""What would happen if variables were set or changed: the results of `effect`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from ._graph import Graph
from ._page import Page
from ._results import Result, Texts, edges_of

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

Interval = Optional[Tuple[float, float]]


@dataclass(frozen=True)
class Distribution:
    """The distribution of a variable over rows, in the units of the data.  Unknown values are None."""

    mean: Optional[float]
    interval: Interval  #: of the mean
    quantiles: Dict[float, Optional[float]]  #: at 0.05, 0.25, 0.5 (the median), 0.75 and 0.95
    quantile_intervals: Dict[float, Interval]

    @property
    def median(self) -> Optional[float]:
        """The middle value."""
        return self.quantiles[0.5]


@dataclass(frozen=True)
class Refutation:
    """One refuter's result: the differences of the mean that came out in repetitions."""

    repetitions: int
    mean: Optional[float]  #: over repetitions
    range: Interval  #: the middle 95 % of them
    p_value: Optional[float]  #: probability of such a result if the answer is correct
    passes: bool  #: whether p_value is at least alpha


@dataclass(frozen=True)
class Effect:
    """The effect on one variable of setting or changing variables."""

    on: str  #: the variable
    segment: Optional[str]  #: rows of this segment; None: all rows
    at: Optional[float]  #: the value on a curve; None without one
    answered: str  #: "one", "no path" (the effect is exactly 0), "range" (over open directions) or "none"
    now: Distribution  #: as the rows are
    then: Distribution  #: as they would be
    difference: Distribution  #: then minus now
    range: Interval  #: the smallest and the largest difference of the mean, if directions are open
    reason: str  #: how the graph answers
    settle: Optional[str]  #: which data would settle an open answer
    support: Optional[float]  #: share of the changed rows that are like rows of the data
    robustness: Optional[float]  #: how strong a hidden common cause must be to bring the difference to 0
    robustness_of_interval: Optional[float]  #: how strong it must be to bring 0 into the interval
    placebo: Optional[Refutation]  #: with shuffled values of the changed variables: 0 is expected; None: not asked for
    subsets: Optional[Refutation]  #: in random subsets of the rows: `difference` is expected; None: not asked for

    @property
    def identified(self) -> bool:
        """Whether there is a single answer."""
        return self.answered in ("one", "no path")


@dataclass(frozen=True)
class QuartileEffect:
    """The effect of one variable on another, if the cause goes from its lower to its upper quartile in all rows."""

    cause: str
    on: str
    lower: float  #: the quartiles of the cause
    upper: float
    total: Optional[float]  #: change of the mean, if all variables on the way follow
    total_interval: Interval
    direct: Optional[float]  #: the same, if the other causes of the variable stay as they are; 0 without an edge
    direct_interval: Interval
    standardised: Optional[float]  #: the total effect in standard deviations of the variable
    answered: str  #: as in Effect
    reason: str
    support: Optional[float]

    @property
    def identified(self) -> bool:
        """Whether there is a single answer."""
        return self.answered in ("one", "no path")


@dataclass(frozen=True)
class Counterfactual:
    """The value that a variable would have had in one row."""

    row: int  #: of X, from 0
    on: str  #: the variable
    now: float
    then: Optional[float]  #: None if the graph does not answer
    interval: Interval


def _pair(ends: Any) -> Interval:
    return None if ends is None else (ends[0], ends[1])


def _distribution(found: Dict[str, Any]) -> Distribution:
    mean = None if found["low"] is None or found["high"] is None else (found["low"], found["high"])
    quantiles = {float(level): value for level, value in found["quantiles"].items()}
    intervals = {float(level): _pair(ends) for level, ends in found["quantile_intervals"].items()}
    return Distribution(found["mean"], mean, quantiles, intervals)


def _refutation(found: Optional[Dict[str, Any]]) -> Optional[Refutation]:
    if found is None:
        return None
    return Refutation(found["repetitions"], found["mean"], _pair(found["range"]), found["p_value"], found["passes"])


def _effect(then: Dict[str, Any], now: Dict[str, Any]) -> Effect:
    same = ("on", "segment", "at", "answered", "reason", "settle", "support", "robustness", "robustness_of_interval")
    return Effect(
        now=_distribution(now),
        then=_distribution(then),
        difference=_distribution(then["difference"]),
        range=_pair(then["range"]),
        placebo=_refutation(then["placebo"]),
        subsets=_refutation(then["subsets"]),
        **{name: then[name] for name in same},
    )


def _quartile_effect(found: Dict[str, Any]) -> QuartileEffect:
    same = ("cause", "on", "total", "direct", "standardised", "answered", "reason", "support")
    return QuartileEffect(
        lower=found["from"],
        upper=found["to"],
        total_interval=_pair(found["total_interval"]),
        direct_interval=_pair(found["direct_interval"]),
        **{name: found[name] for name in same},
    )


def _low_high(prefix: str, interval: Interval) -> Dict[str, Optional[float]]:
    low, high = (None, None) if interval is None else interval
    return {prefix + "low": low, prefix + "high": high}


def _row_of_effect(e: Effect) -> Dict[str, Any]:
    row: Dict[str, Any] = {"on": e.on, "segment": e.segment, "at": e.at, "now": e.now.mean, "then": e.then.mean}
    row.update(_low_high("then_", e.then.interval))
    row["difference"] = e.difference.mean
    row.update(_low_high("difference_", e.difference.interval or e.range))
    row.update(now_median=e.now.median, then_median=e.then.median, answered=e.answered, support=e.support)
    return row


def _row_of_pair(e: QuartileEffect) -> Dict[str, Any]:
    row: Dict[str, Any] = {"cause": e.cause, "on": e.on, "lower": e.lower, "upper": e.upper, "total": e.total}
    row.update(_low_high("total_", e.total_interval))
    row["direct"] = e.direct
    row.update(_low_high("direct_", e.direct_interval))
    row.update(standardised=e.standardised, answered=e.answered, support=e.support)
    return row


def _row_of_row(c: Counterfactual) -> Dict[str, Any]:
    row: Dict[str, Any] = {"row": c.row, "on": c.on, "now": c.now, "then": c.then}
    row.update(_low_high("then_", c.interval))
    return row


class EffectResult(Result, Page):
    """The effects of setting or changing variables, given a graph.

    `effects` has the answers to `do` and `change`, `counterfactuals` those about single rows.  If nothing is set or
    changed, `table` has the effects of all variables on all others.  The others are empty.

    Attributes
    ----------
    graph : Graph
        The graph on which the answers are based.
    """

    def __init__(self, document: str, texts: Texts) -> None:
        super().__init__(document, texts)
        self.graph = Graph(self._found["nodes"], edges_of(self._found))

    @property
    def summary(self) -> str:
        if self.table:
            return "effects of %d variables on one another" % len({pair.cause for pair in self.table})
        if self.counterfactuals:
            return "%d rows with %s" % (len({one.row for one in self.counterfactuals}), self.question)
        return "effect of %s on %s" % (self.question, ", ".join(dict.fromkeys(e.on for e in self.effects)))

    @property
    def question(self) -> str:
        """What is set or changed, in words."""
        return str(self._found["question"])

    @property
    def identified(self) -> bool:
        """Whether the graph gives one answer to every part of the question."""
        return bool(self._found["identified"])

    @property
    def effects(self) -> List[Effect]:
        """The answers, by variable, then by value of a curve, then all rows before segments."""
        return [_effect(then, now) for then, now in zip(self._found["effects"], self._found["baseline"])]

    @property
    def table(self) -> List[QuartileEffect]:
        """The effects of all variables on all others; empty if something is set or changed."""
        return [_quartile_effect(one) for one in self._found["quartile_effects"]]

    @property
    def counterfactuals(self) -> List[Counterfactual]:
        """The values that the requested rows would have had."""
        return [
            Counterfactual(one["row"] - 1, one["on"], one["now"], one["then"], _pair(one["interval"]))
            for one in self._found["rows"]
        ]

    @property
    def graph_check(self) -> Optional[str]:
        """How well a given graph agrees with the data; None if it was found."""
        found: Optional[str] = self._found["graph_check"]
        return found

    def to_frame(self) -> "pandas.DataFrame":
        """The answers as a pandas.DataFrame: a row for each effect, each pair of the table, or each counterfactual."""
        import pandas

        rows = [_row_of_row(one) for one in self.counterfactuals] or [_row_of_pair(one) for one in self.table]
        return pandas.DataFrame(rows or [_row_of_effect(one) for one in self.effects])
