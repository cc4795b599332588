// Pictures and tables of effect: curves with their bands, distributions before and after, differences, effects of all
// pairs, rows as they are and as they would have been.
import * as Plot from '@observablehq/plot';
import { el, section } from './dom';
import { picture } from './picture';
import { behind, type Table } from './tables';
import { count, longName, number, sentence, shortName } from './text';
import type { Counterfactual, Distribution, Interval, PairEffect, Report, Result } from './types';
import {
  estimate,
  estimated,
  gaps,
  isCurve,
  isEffect,
  levelOf,
  pairsOf,
  pointWords,
  strongest,
  targetsOf,
  type Case,
  type Target,
} from './what_if';

const TARGETS = 12;
const PLACES = 25;
const SPANS = 40;
const FULL_SUPPORT = 0.9;

/* ---- tables: columns without any value are left out ---- */

interface Column<T> {
  head: string;
  figure?: boolean;
  cell: (item: T) => string;
}

function tableOf<T>(items: T[], columns: Column<T>[]): Table {
  const used = columns.filter((c) => items.some((item) => c.cell(item) !== ''));
  return {
    head: used.map((c) => c.head),
    figures: used.flatMap((c, j) => (c.figure ? [j] : [])),
    rows: () => items.map((item) => used.map((c) => c.cell(item))),
  };
}

function some(value: number | null, digits = 4): string {
  return value === null ? '' : number(value, digits);
}

/* ---- marks with intervals, one below another ---- */

interface Span {
  label: Label;
  value: number | null;
  /** A thin line. */
  ends: Interval | null;
  /** A thick line: all answers that are possible. */
  range?: Interval | null;
  /** A ring. */
  other?: number | null;
  title: string;
}

function has(pair: Interval | null | undefined): boolean {
  return !!pair && pair[0] !== null && pair[1] !== null;
}

/** A name, or cause and effect, each of which is cut separately if there is no room. */
type Label = string | [string, string];

const ARROW = ' \u2192 ';

function cutLabel(label: Label, most: number): string {
  if (typeof label === 'string') return shortName(label, most);
  const [a, b] = label.map((name) => [...name].length) as [number, number];
  const room = most - ARROW.length;
  const first = Math.max(Math.floor(room / 2), room - b);
  const second = Math.max(Math.ceil(room / 2), room - a);
  return shortName(label[0], first) + ARROW + shortName(label[1], second);
}

function lengthOf(label: Label): number {
  return typeof label === 'string' ? [...label].length : [...label[0], ...ARROW, ...label[1]].length;
}

function axis(labels: Label[], width: number): { left: number; y: Plot.ScaleOptions } {
  const longest = Math.max(...labels.map(lengthOf));
  const left = Math.min(24 + 6.8 * longest, width * 0.4);
  const characters = Math.max(8, Math.floor((left - 14) / 6.6));
  return {
    left,
    y: {
      label: null,
      type: 'point',
      domain: labels.map((_, i) => i),
      padding: 0.6,
      tickFormat: (i: number) => cutLabel(labels[i] ?? '', characters),
    } as Plot.ScaleOptions,
  };
}

function spans(data: Span[], width: number, x: string, zero: boolean): Plot.PlotOptions {
  const { left, y } = axis(data.map((d) => d.label), width);
  const at = (_: Span, i: number): number => i;
  return {
    width,
    height: 62 + 24 * data.length,
    marginLeft: left,
    marginRight: 20,
    marginTop: 16,
    marginBottom: 42,
    x: { label: x, grid: true, nice: true, ticks: Math.max(3, Math.floor((width - left) / 80)) },
    y,
    marks: [
      zero ? Plot.ruleX([0], { stroke: 'currentColor' }) : null,
      Plot.ruleY(data, {
        y: at,
        x1: (d: Span) => d.ends?.[0],
        x2: (d: Span) => d.ends?.[1],
        filter: (d: Span) => has(d.ends),
        stroke: 'var(--first)',
        strokeWidth: 2,
      }),
      Plot.ruleY(data, {
        y: at,
        x1: (d: Span) => d.range?.[0],
        x2: (d: Span) => d.range?.[1],
        filter: (d: Span) => has(d.range),
        stroke: 'var(--first)',
        strokeWidth: 8,
      }),
      Plot.dot(data, {
        y: at,
        x: (d: Span) => d.other,
        filter: (d: Span) => d.other !== null && d.other !== undefined,
        r: 6,
        stroke: 'var(--quiet)',
        strokeWidth: 1.5,
      }),
      Plot.dot(data, { y: at, x: 'value', filter: (d: Span) => d.value !== null, r: 4.5, fill: 'var(--first)' }),
      Plot.tip(data, Plot.pointerY({ y: at, x: (d: Span) => d.value ?? d.range?.[0] ?? d.other, title: 'title' })),
    ],
  };
}

function listing(data: Span[], most = 8): string {
  return data
    .slice(0, most)
    .map((d) => d.title.replace(/\n/g, ', '))
    .join('; ');
}

/* ---- a question: differences and distributions ---- */

function segmentOf({ then }: Case): string {
  return then.segment ?? 'all rows';
}

function place(c: Case): string {
  return c.then.segment === null ? 'all rows' : shortName(c.then.segment);
}

function differenceSpan(c: Case): Span {
  const { difference, range } = c.then;
  const ends: Interval | null = difference.low === null ? null : [difference.low, difference.high];
  const words = range ? `${number(range[0], 3)} to ${number(range[1], 3)}` : estimated(difference, 3);
  return { label: segmentOf(c), value: difference.mean, ends, range, title: `${place(c)}\nchange of the mean ${words}` };
}

function differencePicture(report: Report, cases: Case[]): HTMLElement {
  const data = cases.map(differenceSpan);
  const range = data.some((d) => has(d.range));
  const ends = data.some((d) => has(d.ends));
  return picture({
    alt: `Change of the mean: ${listing(data)}. The table below has all.`,
    caption:
      (range ? 'Change of the mean. Thick: all answers that open directions allow' : 'Dots: change of the mean') +
      (ends ? `; lines: ${levelOf(report)} intervals.` : '.'),
    plot: (width) => spans(data, width, 'change of the mean \u2192', true),
  });
}

const LEVELS = ['0.05', '0.25', '0.5', '0.75', '0.95'] as const;

function quantiles(d: Distribution): string {
  return LEVELS.map((level) => number(d.quantiles[level], 3)).join(', ');
}

/** One distribution: 5 to 95 % thin, 25 to 75 % thick, the median as a dot. */
function boxes(cases: Case[], of: (c: Case) => Distribution, colour: string, dy: number): Plot.Markish[] {
  const at = (_: Case, i: number): number => i;
  const q = (level: string) => (c: Case): number | null => of(c).quantiles[level] ?? null;
  const filter = (c: Case): boolean => LEVELS.every((level) => q(level)(c) !== null);
  return [
    Plot.ruleY(cases, { y: at, x1: q('0.05'), x2: q('0.95'), filter, stroke: colour, strokeWidth: 1.5, dy }),
    Plot.ruleY(cases, { y: at, x1: q('0.25'), x2: q('0.75'), filter, stroke: colour, strokeWidth: 7, dy }),
    Plot.dot(cases, { y: at, x: q('0.5'), filter, r: 3, fill: 'var(--paper)', stroke: colour, strokeWidth: 1.5, dy }),
  ];
}

function distributionPicture(cases: Case[]): HTMLElement {
  const title = (c: Case): string => `${place(c)}\nnow ${quantiles(c.now)}\nthen ${quantiles(c.then)}`;
  const figure = picture({
    alt:
      'Distribution now and then, quantiles at 5, 25, 50, 75 and 95 %: ' +
      `${cases.slice(0, 6).map((c) => title(c).replace(/\n/g, ', ')).join('; ')}. The table below has more.`,
    caption: 'How the variable is distributed now and would be then. Thick: the middle half; thin: from 5 to 95 %; dot: the median.',
    plot: (width) => {
      const { left, y } = axis(cases.map(segmentOf), width);
      return {
        width,
        height: 62 + 30 * cases.length,
        marginLeft: left,
        marginRight: 20,
        marginTop: 16,
        marginBottom: 42,
        x: {
          label: `${shortName(cases[0]!.then.on)} \u2192`,
          grid: true,
          nice: true,
          ticks: Math.max(3, Math.floor((width - left) / 80)),
        },
        y,
        marks: [
          ...boxes(cases, (c) => c.now, 'var(--quiet)', -6),
          ...boxes(cases, (c) => c.then, 'var(--first)', 6),
          Plot.tip(cases, Plot.pointerY({ y: (_: Case, i: number) => i, x: (c: Case) => c.now.quantiles['0.5'], title })),
        ],
      };
    },
  });
  figure.prepend(nowAndThen());
  return figure;
}

function nowAndThen(): HTMLElement {
  const entry = (kind: string, text: string): HTMLElement =>
    el('span', {}, el('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' }), text);
  return el('p', { class: 'legend' }, entry('swatch-now', 'now'), entry('swatch-0', 'then'));
}

function heading(target: Target, all: Target[]): HTMLElement | null {
  return all.length > 1 ? el('h3', { dir: 'auto' }, shortName(target.on, 60)) : null;
}

function questionPictures(report: Report, target: Target, all: Target[]): HTMLElement[] {
  const cases = target.cases.filter((c) => c.then.answered === 'one' || c.then.answered === 'range').slice(0, PLACES);
  const boxed = cases.filter((c) => LEVELS.every((level) => typeof c.then.quantiles[level] === 'number'));
  const lost = target.cases.filter((c) => c.then.answered === 'none');
  const head = heading(target, all);
  return [
    ...(head ? [head] : []),
    el('div', { class: 'grid' }, differencePicture(report, cases), boxed.length > 0 && distributionPicture(boxed)),
    ...(lost.length
      ? [el('p', { class: 'quiet' }, `No answer for ${lost.map(place).slice(0, 10).join(', ')}: ${sentence(lost[0]!.then.reason)}`)]
      : []),
  ];
}

/* ---- a curve ---- */

function curvePicture(report: Report, target: Target): HTMLElement {
  const { result } = report;
  const known = target.cases.filter((c) => c.then.low !== null || c.then.mean !== null);
  const now = target.cases[0]!.now.mean;
  const weak = known.some((c) => c.then.support !== null && c.then.support < FULL_SUPPORT);
  const title = ({ then }: Case): string => `${pointWords(result, then.at)}\nmean ${estimated(then, 3)}`;
  const band = known.some((c) => c.then.low !== null && c.then.low !== c.then.high);
  const lines = known.filter((c) => c.then.mean !== null);
  const missing = gaps(result, target);
  const curve = result.changes?.find((a) => a.value === null);
  const across = curve ? `${shortName(curve.variable)} ${curve.kind === 'set' ? 'set to' : 'plus'}` : 'value';
  return picture({
    alt:
      `Mean of ${shortName(target.on)} against ${across}: ${known.map((c) => title(c).replace('\n', ', ')).join('; ')}. ` +
      `Now ${number(now, 3)}.`,
    caption:
      `Mean of ${shortName(target.on)}` +
      (band ? (lines.length ? ` with its ${levelOf(report)} interval` : `: all answers that open directions allow, with the ${levelOf(report)} interval`) : '') +
      '; broken line: the mean now.' +
      (weak ? ` Hollow dots: fewer than ${100 * FULL_SUPPORT} % of the rows would be like rows of the data.` : '') +
      (missing ? ` ${missing}` : ''),
    most: 560,
    plot: (width) => ({
      width,
      height: Math.min(300, 120 + width / 2.4),
      marginLeft: 52,
      marginRight: 16,
      marginTop: 24,
      marginBottom: 42,
      x: { label: `${across} \u2192`, ticks: Math.max(3, Math.floor(width / 90)) },
      y: { label: `\u2191 mean of ${shortName(target.on, 20)}`, grid: true, nice: true },
      marks: [
        band ? Plot.areaY(known, { x: (c: Case) => c.then.at, y1: (c: Case) => c.then.low, y2: (c: Case) => c.then.high, fill: 'var(--first)', fillOpacity: 0.18 }) : null,
        now === null ? null : Plot.ruleY([now], { stroke: 'var(--quiet)', strokeWidth: 1.5, strokeDasharray: '5 3' }),
        now === null ? null : Plot.text([now], { y: (d: number) => d, text: () => 'now', frameAnchor: 'right', dy: -7, fill: 'var(--quiet)' }),
        Plot.lineY(lines, { x: (c: Case) => c.then.at, y: (c: Case) => c.then.mean, stroke: 'var(--first)', strokeWidth: 2 }),
        Plot.dot(lines, {
          x: (c: Case) => c.then.at,
          y: (c: Case) => c.then.mean,
          r: 4,
          stroke: 'var(--first)',
          strokeWidth: 2,
          fill: (c: Case) => (c.then.support !== null && c.then.support < FULL_SUPPORT ? 'var(--paper)' : 'var(--first)'),
        }),
        Plot.tip(known, Plot.pointerX({ x: (c: Case) => c.then.at, y: (c: Case) => c.then.mean ?? c.then.high, title })),
      ],
      color: { type: 'identity' },
    }),
  });
}

/* ---- the table of a question ---- */

function thenCell({ then }: Case): string {
  if (then.answered === 'none') return 'no answer';
  return then.answered === 'range' ? estimate(null, [then.low, then.high]) || 'a range' : estimated(then);
}

function differenceCell({ then }: Case): string {
  if (then.answered === 'none') return '';
  if (then.answered === 'no path') return '0 (exactly)';
  return then.range ? estimate(null, then.range) : estimated(then.difference);
}

function share(value: number | null): string {
  return value === null ? '' : `${number(100 * value, 3)} %`;
}

function questionTable(result: Result, targets: Target[]): HTMLElement {
  const cases = targets.flatMap((t) => t.cases);
  const curve = targets.some(isCurve);
  const median = (d: Distribution): number | null => d.quantiles['0.5'] ?? null;
  const whole = tableOf(cases, [
    { head: 'variable', cell: (c) => (targets.length > 1 ? longName(c.then.on) : '') },
    { head: curve ? 'value' : 'where', cell: (c) => (curve ? pointWords(result, c.then.at) : c.then.segment === null ? 'all\u00a0rows' : longName(c.then.segment)) },
    { head: 'mean now', figure: true, cell: (c) => some(c.now.mean) },
    { head: 'then', figure: true, cell: thenCell },
    { head: 'change', figure: true, cell: differenceCell },
    { head: 'median now', figure: true, cell: (c) => some(median(c.now)) },
    { head: 'median then', figure: true, cell: (c) => some(median(c.then)) },
    { head: '5 to 95 % then', figure: true, cell: (c) => estimate(null, [c.then.quantiles['0.05'] ?? null, c.then.quantiles['0.95'] ?? null]) },
    { head: 'support', figure: true, cell: (c) => share(c.then.support) },
  ]);
  return behind(`Table: ${count(cases.length, 'answer')}`, whole, cases.length <= 15);
}

/* ---- all pairs ---- */

function inDeviations(p: PairEffect): { ends: Interval | null; direct: number | null } {
  const scale = p.total && p.standardised ? p.standardised / p.total : null;
  if (scale === null) return { ends: null, direct: null };
  const [low, high] = p.total_interval ?? [null, null];
  return { ends: low === null || high === null ? null : [low * scale, high * scale], direct: p.direct === null ? null : p.direct * scale };
}

function pairSpan(p: PairEffect): Span {
  const { ends, direct } = inDeviations(p);
  const arrow = `${shortName(p.cause)} \u2192 ${shortName(p.on)}`;
  return {
    label: [p.cause, p.on],
    value: p.standardised,
    ends,
    other: direct,
    title: `${arrow}\ntotal ${estimate(p.total, p.total_interval, 3)}, ${number(p.standardised, 3)} per sd\ndirect ${estimate(p.direct, p.direct_interval, 3)}`,
  };
}

function pairCell(p: PairEffect, value: string): string {
  return p.answered === 'one' ? value : '';
}

function pairsTable(pairs: PairEffect[]): HTMLElement {
  const whole = tableOf(pairs, [
    { head: 'cause', cell: (p) => longName(p.cause) },
    { head: 'effect', cell: (p) => longName(p.on) },
    { head: 'step of the cause', figure: true, cell: (p) => estimate(null, [p.from, p.to]) },
    { head: 'total effect', figure: true, cell: (p) => (p.answered === 'one' ? estimate(p.total, p.total_interval) : p.answered === 'range' ? 'open' : 'no answer') },
    { head: 'per sd', figure: true, cell: (p) => pairCell(p, some(p.standardised)) },
    { head: 'direct effect', figure: true, cell: (p) => pairCell(p, p.direct === null ? '' : estimate(p.direct, p.direct_interval)) },
    { head: 'support', figure: true, cell: (p) => share(p.support) },
  ]);
  return behind(`Table: ${count(pairs.length, 'effect')}`, whole, pairs.length <= 15);
}

function pairsSection(report: Report): HTMLElement | null {
  const pairs = pairsOf(report.result);
  if (pairs.length === 0) return null;
  const known = strongest(pairs);
  const data = known.slice(0, SPANS).map(pairSpan);
  const left = report.left_out?.pairs ?? 0;
  return section(
    'effects',
    'All effects',
    data.length > 0 &&
      picture({
        alt: `Effects in standard deviations: ${listing(data)}. The table below has all.`,
        caption:
          'How far the mean of the effect moves, in its standard deviations, if the cause goes from its lower to its ' +
          'upper quartile in all rows. Filled: the total effect' +
          (data.some((d) => has(d.ends)) ? ` with its ${levelOf(report)} interval` : '') +
          '; rings: the direct effect, with the other causes as they are.' +
          (known.length > data.length ? ` The strongest ${data.length} of ${known.length}.` : ''),
        plot: (width) => spans(data, width, 'standard deviations of the effect \u2192', true),
      }),
    pairsTable([...known, ...pairs.filter((p) => p.answered !== 'one')]),
    left > 0 && el('p', { class: 'quiet' }, `${count(left, 'more effect')} are in the JSON of this result.`),
  );
}

/* ---- rows ---- */

function rowSpan(c: Counterfactual): Span {
  return {
    label: `row ${c.row}`,
    value: c.then,
    ends: c.interval,
    other: c.now,
    title: `row ${c.row}\nnow ${number(c.now, 4)}\nwould have been ${estimate(c.then, c.interval)}`,
  };
}

function rowPicture(report: Report, on: string, rows: Counterfactual[]): HTMLElement {
  const data = rows.slice(0, SPANS).map(rowSpan);
  return picture({
    alt: `${shortName(on)}: ${listing(data)}. The table below has all.`,
    caption:
      `${shortName(on)}: rings: now; filled: what it would have been` +
      (data.some((d) => has(d.ends)) ? `, with its ${levelOf(report)} interval.` : '.') +
      (rows.length > data.length ? ` The first ${data.length} of ${rows.length.toLocaleString('en')} rows.` : ''),
    plot: (width) => spans(data, width, `${shortName(on)} \u2192`, false),
  });
}

function rowsTable(rows: Counterfactual[]): HTMLElement {
  const whole = tableOf(rows, [
    { head: 'row', cell: (c) => String(c.row) },
    { head: 'variable', cell: (c) => longName(c.on) },
    { head: 'now', figure: true, cell: (c) => some(c.now) },
    { head: 'would have been', figure: true, cell: (c) => (c.then === null ? 'no answer' : c.then === c.now ? 'the same' : estimate(c.then, c.interval)) },
  ]);
  return behind(`Table: ${count(rows.length, 'answer')}`, whole, rows.length <= 30);
}

function rowsSection(report: Report): HTMLElement {
  const rows = report.result.rows!;
  const changed = rows.filter((c) => c.then !== null && c.then !== c.now);
  const targets = [...new Set(changed.map((c) => c.on))].slice(0, TARGETS);
  const left = report.left_out?.rows ?? 0;
  return section(
    'effects',
    'Rows now, and as they would have been',
    el('div', { class: 'grid' }, ...targets.map((on) => rowPicture(report, on, changed.filter((c) => c.on === on)))),
    rowsTable(rows),
    left > 0 && el('p', { class: 'quiet' }, `${left.toLocaleString('en')} more answers are in the JSON of this result.`),
  );
}

/* ---- the section ---- */

function questionSection(report: Report): HTMLElement | null {
  const targets = targetsOf(report.result);
  const shown = targets.filter((t) => t.cases.some((c) => ['one', 'range'].includes(c.then.answered)));
  const pictured = shown.slice(0, TARGETS);
  const curve = targets.some(isCurve);
  const left = report.left_out?.effects ?? 0;
  return section(
    'effects',
    'What would change',
    ...(curve
      ? [el('div', { class: 'grid' }, ...pictured.map((t) => curvePicture(report, t)))]
      : pictured.flatMap((t) => questionPictures(report, t, targets))),
    shown.length === 0 && el('p', {}, 'There is no picture: nothing changes, or there is no answer. The table says how the variables are now.'),
    shown.length > pictured.length &&
      el('p', { class: 'quiet' }, `Pictures of the first ${pictured.length} of ${shown.length} variables; the table has all.`),
    questionTable(report.result, targets),
    left > 0 && el('p', { class: 'quiet' }, `${left.toLocaleString('en')} more answers are in the JSON of this result.`),
  );
}

export function whatIfSection(report: Report): HTMLElement | null {
  const { result } = report;
  if (!isEffect(result)) return null;
  if (result.rows?.length) return rowsSection(report);
  return result.effects?.length ? questionSection(report) : pairsSection(report);
}
