// How variables and disturbances change over the segments: a line per variable if they are few, a map if they are many.
import * as Plot from '@observablehq/plot';
import { palette, swatches } from './colours';
import { el, section } from './dom';
import { inOrder, naturalOrder } from './labels';
import { picture } from './picture';
import { behind, type Table } from './tables';
import { count, longName, number, shortName } from './text';
import type { Report, Result } from './types';

/** Variable and segment as indices: two names may look alike once they are cut. */
interface Entry {
  variable: number;
  segment: number;
  value: number | null;
  title: string;
}

const LINES_MOST = 6;
/** Tables with more columns of values have a row per variable instead: wide tables do not fit a page. */
const WIDE = 6;

function meaning(report: Report): string {
  const { result } = report;
  if (result.method === 'structured' && !result.edges) {
    return (
      'The segment\u2019s mean of the estimated feature that distinguishes the segments (mean 0, variance 1 ' +
      'over all rows). It follows how strongly the disturbance of each variable changes.'
    );
  }
  return result.method === 'structured'
    ? 'The fitted scale of each variable\u2019s disturbance in each segment.'
    : 'Standard deviation of each disturbance in a segment over that of all rows.';
}

function change(
  entries: Entry[],
  variables: string[],
  segments: string[],
  y: string,
  alt: string,
  caption: string,
): HTMLElement {
  const few = variables.length <= LINES_MOST;
  const names = variables.map((v) => shortName(v, 18));
  const values = entries.map((e) => e.value).filter((v): v is number => v !== null);
  const ends = few ? '' : ` Dark is ${number(Math.min(...values), 3)}, bright ${number(Math.max(...values), 3)}.`;
  const figure = picture({
    alt,
    caption: caption + ends,
    plot: (width) => (few ? lines(entries, names, segments, y, width) : map(entries, names, segments, y, width)),
  });
  if (few) figure.prepend(swatches(names));
  return figure;
}

const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'wye'];

function segmentAxis(segments: string[], width: number): Plot.ScaleOptions {
  const every = Math.ceil(segments.length / Math.max(1, Math.floor(width / 42)));
  const places = segments.map((_, i) => i);
  const long = segments.some((s) => [...s].length > 8);
  return {
    label: 'segment',
    domain: places,
    ticks: places.filter((i) => i % every === 0),
    tickRotate: long ? -35 : 0,
    tickFormat: (i: number) => segments[i] ?? '',
  } as Plot.ScaleOptions;
}

function lines(entries: Entry[], names: string[], segments: string[], y: string, width: number): Plot.PlotOptions {
  return {
    width,
    height: 300,
    marginLeft: 56,
    marginBottom: 60,
    x: { ...segmentAxis(segments, width), type: 'point' },
    y: { label: y, grid: true, nice: true, zero: entries.every((e) => (e.value ?? 0) >= 0) },
    color: { type: 'categorical', domain: names.map((_, i) => i), range: palette(names.length) },
    symbol: { domain: names.map((_, i) => i), range: SYMBOLS.slice(0, names.length) },
    marks: [
      Plot.lineY(entries, { x: 'segment', y: 'value', stroke: 'variable', strokeOpacity: 0.6 }),
      Plot.dot(entries, {
        x: 'segment',
        y: 'value',
        stroke: 'variable',
        fill: 'variable',
        symbol: 'variable',
        r: 4,
        title: 'title',
        tip: true,
      }),
    ],
  };
}

function map(entries: Entry[], names: string[], segments: string[], y: string, width: number): Plot.PlotOptions {
  return {
    width,
    height: 90 + 15 * names.length,
    marginLeft: 140,
    marginBottom: 60,
    x: { ...segmentAxis(segments, width - 140), type: 'band' },
    y: { label: null, type: 'band', domain: names.map((_, i) => i), tickFormat: (i: number) => names[i] ?? '' },
    color: { scheme: 'viridis', label: y },
    marks: [Plot.cell(entries, { x: 'segment', y: 'variable', fill: 'value', title: 'title', tip: true, inset: 0.5 })],
  };
}

function modulation(report: Report): HTMLElement[] {
  const found = report.result.modulation;
  const variables = Object.keys(found ?? {});
  if (!found || variables.length === 0) return [];
  const labels = inOrder(Object.keys(found[variables[0]!] ?? {}));
  const entries = variables.flatMap((v, j) =>
    labels.map((s, i): Entry => ({
      variable: j,
      segment: i,
      value: found[v]?.[s] ?? null,
      title: `${shortName(v)} in segment ${shortName(s)}: ${number(found[v]?.[s])}`,
    })),
  );
  const thinned =
    labels.length < report.result.data.segments
      ? ` The ${labels.length} largest of ${report.result.data.segments} segments.`
      : '';
  return [
    el('h3', {}, 'Disturbances'),
    change(
      entries,
      variables,
      labels.map((s) => shortName(s, 12)),
      'change of the disturbance',
      `How the disturbances of ${count(variables.length, 'variable')} change over ` +
        `${count(labels.length, 'segment')}; the table below has every value.`,
      meaning(report) + thinned,
    ),
    behind(
      'Table: change of the disturbances',
      table('segment', labels, variables, (s, v) => number(found[v]?.[s])),
    ),
  ];
}

function table(
  head: string,
  labels: string[],
  variables: string[],
  value: (label: string, variable: string) => string,
): Table {
  if (variables.length > WIDE)
    return {
      head: [head, 'variable', 'change'],
      figures: [2],
      rows: () => labels.flatMap((s) => variables.map((v) => [longName(s), longName(v), value(s, v)])),
    };
  return {
    head: [head, ...variables.map(longName)],
    figures: variables.map((_, i) => i + 1),
    rows: () => labels.map((s) => [longName(s), ...variables.map((v) => value(s, v))]),
  };
}

function observed(report: Report): HTMLElement[] {
  const d = report.display;
  if (!d || d.segments === 0) return [];
  const order = naturalOrder(d.labels).map((i) => ({ label: d.labels[i]!, i }));
  const entries = d.variables.flatMap((v, j) =>
    order.map(({ label, i }, place): Entry => {
      const [mean, sd] = d.summary[j]?.[i] ?? [null, null];
      const whole = pooled(d.summary[j] ?? [], d.sizes);
      return {
        variable: j,
        segment: place,
        value: sd === null || !whole ? null : sd / whole,
        title:
          `${shortName(v)} in segment ${shortName(label)} (${count(d.sizes[i] ?? 0, 'row')})\nmean ` +
          `${number(mean)}, standard deviation ${number(sd)}`,
      };
    }),
  );
  return [
    el('h3', {}, 'Variables'),
    change(
      entries,
      d.variables,
      order.map(({ label }) => shortName(label, 12)),
      'standard deviation, relative',
      `Standard deviation of ${count(d.variables.length, 'variable')} in ${count(order.length, 'segment')}, ` +
        `over that of all segments; the table below has every value.`,
      'Standard deviation of each variable in a segment over that of all segments, from all rows.',
    ),
    behind('Table: rows, means and standard deviations in each segment', {
      head: ['segment', 'rows', 'variable', 'mean', 'standard deviation'],
      figures: [1, 3, 4],
      rows: () =>
        order.flatMap(({ label, i }) =>
          d.variables.map((v, j) => [
            longName(label),
            String(d.sizes[i]),
            longName(v),
            ...(d.summary[j]?.[i] ?? [null, null]).map((x) => number(x)),
          ]),
        ),
    }),
  ];
}

/** Standard deviation within segments, over all of them. */
function pooled(moments: [number | null, number | null][], sizes: number[]): number {
  const rows = sizes.reduce((a, b) => a + b, 0);
  return Math.sqrt(moments.reduce((sum, [, sd], i) => sum + (sizes[i] ?? 0) * (sd ?? 0) ** 2, 0) / rows);
}

export function segmentsSection(report: Report): HTMLElement | null {
  const parts = [...modulation(report), ...observed(report)];
  return parts.length ? section('segments', 'Change over the segments', ...parts) : null;
}

export function trainingSection(result: Result): HTMLElement | null {
  const t = result.training;
  if (!t || t.held_out.middle.length === 0) return null;
  const rows = (['trained_on', 'held_out'] as const)
    .flatMap((key) =>
      t[key].middle.map((_, i) => ({
        what: key === 'held_out' ? 'held-out rows' : 'rows trained on',
        epoch: i + 1,
        low: t[key].low[i],
        middle: t[key].middle[i],
        high: t[key].high[i],
        title:
          `epoch ${i + 1}, ${key === 'held_out' ? 'held-out rows' : 'rows trained on'}\nmedian ` +
          `${number(t[key].middle[i])}, from ${number(t[key].low[i])} to ` +
          `${number(t[key].high[i])}\n${count(t.running[i] ?? 0, 'network')} still training`,
      })),
    )
    .filter((row) => row.middle !== null);
  const domain = ['rows trained on', 'held-out rows'];
  const figure = picture({
    alt:
      `Cross-entropy of ${count(t.networks, 'network')} over ${count(t.held_out.middle.length, 'epoch')}: on ` +
      `held-out rows the median goes from ${number(t.held_out.middle[0])} to ` +
      `${number(t.held_out.middle.at(-1))}; chance is ${number(t.chance)}.`,
    caption:
      `Cross-entropy of the segment classifiers (${count(t.networks, 'network')}): median, and the range ` +
      `of all of them as a band. Training has worked if the held-out curve lies clearly below chance and ` +
      `does not rise again for long before training stops.`,
    plot: (width) => ({
      width,
      height: 310,
      marginLeft: 56,
      marginBottom: 42,
      x: { label: 'epoch \u2192' },
      y: { label: '\u2191 nats per row', grid: true, nice: true },
      color: { domain, range: palette(2) },
      marks: [
        Plot.areaY(rows, { x: 'epoch', y1: 'low', y2: 'high', fill: 'what', fillOpacity: 0.15 }),
        ...domain.map((what, i) =>
          Plot.lineY(
            rows.filter((row) => row.what === what),
            { x: 'epoch', y: 'middle', stroke: 'what', strokeWidth: 2, ...(i === 0 && { strokeDasharray: '5 3' }) },
          ),
        ),
        t.chance === null ? null : Plot.ruleY([t.chance], { stroke: 'var(--warn)', strokeDasharray: '4 3' }),
        t.chance === null
          ? null
          : Plot.text([t.chance], {
              y: (d: number) => d,
              text: () => 'chance',
              frameAnchor: 'right',
              dy: -7,
              fill: 'var(--warn-text)',
            }),
        Plot.tip(rows, Plot.pointer({ x: 'epoch', y: 'middle', title: 'title' })),
      ],
    }),
  });
  figure.prepend(swatches(domain));
  return section(
    'training',
    'Training',
    figure,
    behind('Table: training curves', {
      head: ['epoch', 'networks', 'trained on: median', 'lowest', 'highest', 'held out: median', 'lowest', 'highest'],
      figures: [1, 2, 3, 4, 5, 6, 7],
      rows: () =>
        t.held_out.middle.map((_, i) => [
          String(i + 1),
          String(t.running[i]),
          ...[t.trained_on, t.held_out].flatMap((c) => [c.middle[i], c.low[i], c.high[i]].map((x) => number(x))),
        ]),
    }),
  );
}
