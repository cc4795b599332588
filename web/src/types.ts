// What src/write/html.c writes into the page (docs/json.md describes the result).

export interface Evidence {
  name: string;
  value: number | null;
  p_value: number | null;
  text: string;
}

export interface Edge {
  from: string;
  to: string;
  type: string;
  weight: number | null;
  p_value: number | null;
  support: number | null;
  confounded?: boolean;
  /** In discover: the direct effect of a step from a lower to an upper value of the cause. */
  effect?: number | null;
  effect_interval?: [number | null, number | null] | null;
  step?: [number | null, number | null] | null;
  curve?: EffectCurve | null;
}

/** Change of the effect's mean at values of the cause, relative to the cause's median. */
export interface EffectCurve {
  x: number[];
  y: number[];
}

export interface ResampledPair {
  a: string;
  b: string;
  'a --> b': number | null;
  'b --> a': number | null;
  'a --- b': number | null;
  'a <-> b': number | null;
  none: number | null;
}

/** The lowest, middle and highest loss over the networks, epoch by epoch. */
export interface Curve {
  low: (number | null)[];
  middle: (number | null)[];
  high: (number | null)[];
}

export interface Training {
  networks: number;
  chance: number | null;
  running: number[];
  trained_on: Curve;
  held_out: Curve;
}

/** A variable, as ranked by explain. */
export interface Change {
  variable: string;
  rank: number;
  verdict: string;
  size: number | null;
  score: number | null;
  own_change: number | null;
  interval: [number | null, number | null] | null;
  p_value: number | null;
  q_value: number | null;
  how: string;
  scale: number | null;
  scale_interval: [number | null, number | null] | null;
  shift: number | null;
  marginal_change: number | null;
  follows: string[];
}

export interface Explained {
  of: string;
  against: string | null;
  of_rows: number;
  against_rows: number;
  ranking_only: boolean;
  root_causes: string[];
  variables: Change[];
}

export type Interval = [number | null, number | null];

/** Keys of quantiles: "0.05", "0.25", "0.5", "0.75", "0.95". */
export interface Distribution {
  mean: number | null;
  low: number | null;
  high: number | null;
  quantiles: Record<string, number | null>;
}

/** In effect: what would happen to a variable, in all rows, in a segment, or at a value of a curve. */
export interface Answer extends Distribution {
  on: string;
  segment: string | null;
  at: number | null;
  difference: Distribution;
  answered: string;
  range: Interval | null;
  reason: string;
  settle: string | null;
  support: number | null;
  robustness: number | null;
  robustness_of_interval: number | null;
}

/** The effect of a variable on another if it goes from its lower to its upper quartile. */
export interface PairEffect {
  cause: string;
  on: string;
  from: number | null;
  to: number | null;
  total: number | null;
  total_interval: Interval | null;
  direct: number | null;
  direct_interval: Interval | null;
  standardised: number | null;
  answered: string;
  reason: string;
  support: number | null;
}

/** The value that a variable would have had in a row. */
export interface Counterfactual {
  row: number;
  on: string;
  now: number | null;
  then: number | null;
  interval: Interval | null;
}

/** A variable that is set, or to which something is added; without a value it takes the values of a curve. */
export interface Action {
  variable: string;
  kind: string;
  value: number | null;
}

/** What another method concludes about the same pair. */
export interface Opinion {
  method: string;
  direction: string | null;
  decision: string;
}

export interface Result {
  nonsens: { version: string; seed?: number; threads?: number; options: Record<string, unknown>; data_hash: string };
  data: { rows: number; segments: number; variables: string[]; warnings: string[] };
  method: string;
  decision?: string | null;
  direction?: string | null;
  score?: number | null;
  p_value?: number | null;
  firm?: boolean | null;
  alternatives?: string[];
  opinions?: Opinion[];
  evidence: Evidence[];
  reason?: string | null;
  assumes_effect?: boolean;
  nodes?: string[];
  edges?: Edge[];
  order?: string[];
  bootstrap?: { replicates: number; failed: number; pairs: ResampledPair[] };
  convention?: string;
  explain?: Explained;
  question?: string;
  changes?: Action[];
  effects?: Answer[];
  baseline?: Distribution[];
  quartile_effects?: PairEffect[];
  rows?: Counterfactual[];
  graph_check?: string | null;
  sources?: string[];
  assumptions?: string | null;
  notes?: string[];
  note_levels?: string[];
  modulation?: Record<string, Record<string, number | null>>;
  training?: Training;
  seconds?: number | null;
}

export type Moments = [number | null, number | null];

export interface Sources {
  names: string[];
  values: (number | null)[][];
  summary: Moments[][];
}

/** Some rows of the data, and mean and standard deviation of all rows in each segment. */
export interface Display {
  other: boolean;
  rows: number;
  segments: number;
  labels: string[];
  sizes: number[];
  variables: string[];
  row: number[];
  segment: number[];
  values: (number | null)[][];
  summary: Moments[][];
  sources: Sources | null;
}

export interface OptionRow {
  key: string;
  value: string;
  usual: string;
  group: string;
  text: string;
}

export interface Report {
  version: string;
  p_value_bound: number;
  /** Of the data; of the result if the data are not available. */
  files: string[];
  /** The period in which the rows were recorded, from a column of dates. */
  dates: { column: string; first: string; last: string } | null;
  command: string;
  name: string;
  method: { name: string; summary: string; citation: string } | null;
  options: OptionRow[];
  /** In effect: how many items of the result the page leaves out. */
  left_out: { effects: number; pairs: number; rows: number } | null;
  result: Result;
  display: Display | null;
}
