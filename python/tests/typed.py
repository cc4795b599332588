"""Uses the whole public interface in a typed program: mypy --strict must find no errors (test_docs.py)."""

from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

import nonsens
from nonsens import DirectionResult, DiscoverResult, Edge, EffectResult, ExplainResult, Graph, SegmentsResult

data: nonsens.Simulation = nonsens.simulate(sem="node", nodes=4, scale=(0.2, 3), random_state=3)
X: "NDArray[np.float64]" = data.X
labels: Sequence[str] = data.segments.tolist()
truth: Dict[str, object] = data.truth()
kind: str = data.kind
arrows: List[Tuple[str, str]] = data.edges

# ---- functions ----

pair: DirectionResult = nonsens.direction(X, labels, x="c1", y=1, method="lingam", alpha=0.01, score_folds=4)
decision: str = pair.decision
direction: Optional[str] = pair.direction
p_value: Optional[float] = pair.p_value
score: Optional[float] = pair.score
firm: Optional[bool] = pair.firm
opinions: List[nonsens.Opinion] = pair.opinions
evidence: List[nonsens.Evidence] = pair.evidence
first: Tuple[str, Optional[float], Optional[float], str] = (
    evidence[0].name,
    evidence[0].value,
    evidence[0].p_value,
    evidence[0].text,
)
words: List[str] = pair.notes + pair.note_levels + pair.warnings + pair.steps + pair.alternatives + pair.names
texts: Tuple[str, str, str] = (str(pair), pair.details, pair.to_json())
counts: Tuple[int, int, int, float] = (pair.n_rows, pair.n_segments, pair.seed, pair.seconds)
graph_of_pair: Graph = pair.to_graph()
pair.to_html(Path("report.html"), X, labels)

pairs: nonsens.PairsResult = nonsens.directions(X, labels, pairs=[("c1", "c2"), (0, 3)], fdr="by")
decisions: List[object] = [one["decision"] for one in pairs]
pairs.to_frame().head()

known = {"forbidden": [("c1", "c2")], "required": [("c3", "c4")], "tiers": [["c3"], ["c4", "c1"]]}
found: DiscoverResult = nonsens.discover(X, labels, knowledge=known, bootstrap=20, targets=Path("targets.csv"))
nonsens.discover([X[:100], X[100:]], knowledge=[("c1", "c2")], na="drop-rows")
nonsens.discover({"monday": X, "tuesday": X}, knowledge="known.txt", vars=["c1", "c2"])
edges: List[Edge] = found.edges
strength: Tuple[Optional[float], Optional[Tuple[float, float]]] = (edges[0].effect, edges[0].effect_interval)
order: Optional[List[str]] = found.order
targets: List[nonsens.Target] = found.targets
formats: List[str] = [found.to_dot(), found.to_csv(), found.to_tetrad(), found.to_graphml()]
table = found.effects(on="c1", draws=0)
table.head()
answer: EffectResult = found.effect(do={"c1": 0.5}, on="c2", draws=20)

one: ExplainResult = nonsens.explain(X, labels, of="s3", against="s1", graph=found, alpha=0.1)
each: SegmentsResult = nonsens.explain(X, labels, of="all", graph=np.eye(4, k=1))
causes: List[str] = one.root_causes
change: nonsens.Change = one.changes[0]
verdict: Tuple[str, Optional[float]] = (change.verdict, change.size)

answer = nonsens.effect(X, labels, do={"c1": (0, 1, 0.5)}, on=["c2"], graph=data.graph, refute=10, in_segment="s1")
effect: nonsens.Effect = answer.effects[0]
then: nonsens.Distribution = effect.then
mean: Tuple[Optional[float], Optional[float], bool] = (then.mean, then.median, effect.identified)
refuted: Optional[nonsens.Refutation] = effect.placebo
quartile: nonsens.QuartileEffect = answer.table[0]
row: nonsens.Counterfactual = answer.counterfactuals[0]

tested: nonsens.IndependenceResult = nonsens.independence(X, "equal:5", x=["c1", "c2"], y=2, given="c4", test="kci")
independent: bool = tested.independent
sources: "NDArray[np.float64]" = nonsens.ica(X, labels, method="fastica").sources
notes: List[str] = nonsens.diagnose(X, labels).notes
distance: nonsens.Comparison = nonsens.compare(found, [[0, 1], [0, 0]], pattern=True)
shd: int = distance.shd
f1: Optional[float] = distance.f1

# ---- graphs, estimator, tables, errors ----

graph = Graph(["a", "b"], [Edge("a", "b", weight=0.5), Edge("b", "a", "<->")])
graph = Graph.from_adjacency([[0, 1], [0, 0]], ["a", "b"])
matrices: "List[NDArray[np.float64]]" = [graph.adjacency, graph.weights, graph.to_lingam(), graph.to_pcalg("pag")]
parents: List[str] = graph.parents("b") + graph.children("a")

model: nonsens.NonSENS = nonsens.NonSENS("structured", alpha=0.01, bootstrap=3, knowledge=known, block_length="auto")
model = model.set_params(alpha=0.1).fit(X, labels)
model = model.fit(X, segments=["day", "operator"])
result: Union[DirectionResult, DiscoverResult] = model.result_
adjacency: "NDArray[np.int64]" = model.adjacency_matrix_
fitted: Tuple[Graph, Optional[str], Optional[float]] = (model.graph_, model.decision_, model.p_value_)
parameters: Dict[str, object] = model.get_params()

method: nonsens.Method = nonsens.methods()[0]
option: nonsens.Option = nonsens.options("direction")[0]
any_result: nonsens.Result = found
version: str = nonsens.__version__ + nonsens.build_info()
try:
    nonsens.direction(X)
except (nonsens.DataError, nonsens.UsageError, nonsens.NumericError, nonsens.OutputError) as error:
    message: nonsens.NonsensError = error
