// The rows: two variables against each other, and disturbances against both, coloured by segment.
import * as Plot from '@observablehq/plot';
import { palette } from './colours';
import { chooser, el, section } from './dom';
import { naturalOrder } from './labels';
import { multiples } from './multiples';
import { picture } from './picture';
import { behind } from './tables';
import { onTheme } from './theme';
import { count, longName, number, shortName } from './text';
import type { Display, Report } from './types';

interface Point {
  x: number | null;
  y: number | null;
  segment: number;
  title: string;
}

/** The pair that is shown; the graph sets it, too. */
export interface PairView {
  section: HTMLElement;
  show: (from: string, to: string) => void;
}

interface Panel {
  x: number[] | (number | null)[];
  y: (number | null)[];
  xName: string;
  yName: string;
  note: string;
}

const LEGEND_MOST = 60;

function segmentName(d: Display, e: number): string {
  return d.segments === 0 ? 'all rows' : shortName(d.labels[e] ?? `segment ${e + 1}`, 18);
}

/** Segments in natural order of their labels, as indices into d.labels; those without a label come last. */
function segmentOrder(d: Display): number[] {
  const most = Math.max(d.labels.length, ...d.segment.map((e) => e + 1), 1);
  return [...naturalOrder(d.labels), ...Array.from({ length: most }, (_, e) => e).slice(d.labels.length)];
}

class Rows {
  private lit: number | null = null;
  readonly order: number[];
  private readonly pictures: { redraw: () => void }[] = [];
  readonly legend: HTMLElement;

  constructor(private readonly d: Display) {
    this.order = segmentOrder(d);
    this.legend = el('div', { class: 'legend', role: 'group', 'aria-label': 'Segments: press one to see it alone' });
    this.fillLegend();
    onTheme(() => this.fillLegend());
  }

  private fillLegend(): void {
    const colours = palette(this.order.length);
    const shown = this.order.slice(0, LEGEND_MOST);
    this.legend.replaceChildren(
      ...shown.map((e, i) => {
        const swatch = el('span', { class: 'swatch', 'aria-hidden': 'true' });
        swatch.style.backgroundColor = colours[i] ?? '';
        return el(
          'button',
          { type: 'button', class: 'segment', 'aria-pressed': String(this.lit === e), click: () => this.light(e) },
          swatch,
          segmentName(this.d, e),
        );
      }),
    );
    if (shown.length < this.order.length)
      this.legend.append(el('span', {}, `and ${this.order.length - shown.length} more`));
  }

  /** Shows only one segment, or all of them again. */
  private light(e: number): void {
    this.lit = this.lit === e ? null : e;
    [...this.legend.querySelectorAll('button')].forEach((button, i) =>
      button.setAttribute('aria-pressed', String(this.lit === this.order[i])),
    );
    this.pictures.forEach((p) => p.redraw());
  }

  private points(p: Panel): Point[] {
    return p.y.map((y, i) => ({
      x: p.x[i] ?? null,
      y,
      segment: this.d.segment[i] ?? 0,
      title:
        `row ${this.d.row[i]}, segment ` +
        `${segmentName(this.d, this.d.segment[i] ?? 0)}\n${shortName(p.xName)} ` +
        `${number(p.x[i])}\n${shortName(p.yName)} ${number(y)}`,
    }));
  }

  forget(): void {
    this.pictures.length = 0;
  }

  panel(p: Panel, most: number): HTMLElement {
    const points = this.points(p);
    const figure = picture({
      alt:
        `Scatter plot of ${shortName(p.yName)} against ${shortName(p.xName)}, ${points.length} of ` +
        `${this.d.rows} rows, coloured by segment. ${p.note}`,
      caption: p.note,
      most,
      plot: (width) => ({
        width,
        height: Math.round(width * 0.78) + 20,
        marginLeft: 52,
        marginBottom: 42,
        inset: 6,
        x: {
          label: `${shortName(p.xName, 22)} \u2192`,
          labelAnchor: 'center',
          labelArrow: 'none',
          nice: true,
          ticks: Math.max(3, Math.floor(width / 70)),
        },
        y: { label: shortName(p.yName, 22), labelArrow: 'up', nice: true, grid: true },
        color: { type: 'categorical', domain: this.order, range: palette(this.order.length) },
        marks: [
          this.lit === null
            ? null
            : Plot.dot(points, {
                x: 'x',
                y: 'y',
                r: 1.5,
                fill: 'var(--faint)',
                filter: (d: Point) => d.segment !== this.lit,
              }),
          Plot.dot(points, {
            x: 'x',
            y: 'y',
            r: this.lit === null ? 2 : 2.6,
            fill: 'segment',
            fillOpacity: 0.7,
            filter: (d: Point) => this.lit === null || d.segment === this.lit,
          }),
          Plot.tip(
            points,
            Plot.pointer({
              x: 'x',
              y: 'y',
              title: 'title',
              filter: (d: Point) => this.lit === null || d.segment === this.lit,
            }),
          ),
        ],
      }),
    });
    this.pictures.push(figure);
    return figure;
  }
}

function pairPanels(d: Display, rows: Rows, from: number, to: number, known: boolean, marked: number): HTMLElement[] {
  const a = d.variables[from]!;
  const b = d.variables[to]!;
  const own = rows.panel({ x: d.values[from]!, y: d.values[to]!, xName: a, yName: b, note: '' }, 620);
  const small = multiples(d, { from, to, order: rows.order, name: (e) => segmentName(d, e), marked });
  const parts = [el('h3', {}, 'The two variables'), own, ...(small ? [small] : []), table(d, from, to)];
  const s = d.sources;
  if (!s || s.names.length !== d.variables.length) return parts;
  const against = (of: number, with_: number, note: string): HTMLElement =>
    rows.panel({ x: d.values[with_]!, y: s.values[of]!, xName: d.variables[with_]!, yName: s.names[of]!, note }, 420);
  const other = known
    ? [
        'Disturbance of the effect against the cause: inside a segment (one colour) they are independent if the ' +
          'direction is right.',
        'Disturbance of the cause against the effect: they are dependent, because the effect depends on the cause.',
      ]
    : [
        'Disturbance of the second against the first: independent inside a segment if the first causes the second.',
        'Disturbance of the first against the second: independent inside a segment if the second causes the first.',
      ];
  parts.push(
    el('h3', {}, 'Recovered disturbances against causes and effects'),
    el(
      'p',
      { class: 'quiet' },
      'A disturbance is the part of a variable that its causes do not explain. The method recovers it up to a ' +
        'function, so its sign and scale may be lost.',
    ),
    el(
      'div',
      { class: 'grid' },
      against(to, from, other[0]!),
      against(from, to, other[1]!),
      against(from, from, `Disturbance of ${shortName(a)} against ${shortName(a)} itself.`),
      against(to, to, `Disturbance of ${shortName(b)} against ${shortName(b)} itself.`),
    ),
  );
  return parts;
}

function table(d: Display, from: number, to: number): HTMLElement {
  const s = d.sources && d.sources.names.length === d.variables.length ? d.sources : null;
  return behind(`Table: the ${d.row.length} rows in these pictures`, {
    head: [
      'row',
      'segment',
      longName(d.variables[from]!),
      longName(d.variables[to]!),
      ...(s ? [longName(s.names[from]!), longName(s.names[to]!)] : []),
    ],
    figures: [0, 2, 3, 4, 5],
    rows: () =>
      d.row.map((row, i) => [
        String(row),
        segmentName(d, d.segment[i] ?? 0),
        number(d.values[from]![i], 6),
        number(d.values[to]![i], 6),
        ...(s ? [number(s.values[from]![i], 6), number(s.values[to]![i], 6)] : []),
      ]),
  });
}

function startPair(report: Report): [string, string] {
  const { result } = report;
  const strongest = [...(result.edges ?? [])].sort(
    (p, q) => (p.p_value ?? 1) - (q.p_value ?? 1) || (q.support ?? 0) - (p.support ?? 0),
  )[0];
  const [a = '', b = a] = result.data.variables;
  const root = result.explain?.root_causes[0];
  const touched = (result.edges ?? []).find((e) => e.from === root) ?? (result.edges ?? []).find((e) => e.to === root);
  if (root !== undefined && touched) return [touched.from, touched.to];
  const changed = result.changes?.[0]?.variable;
  const asked = [...(result.effects ?? []), ...(result.rows ?? [])].find((answer) => answer.on !== changed)?.on;
  if (changed !== undefined && asked !== undefined) return [changed, asked];
  return strongest ? [strongest.from, strongest.to] : [a, b];
}

export function rowsSection(report: Report): PairView | null {
  const d = report.display;
  if (!d || d.variables.length < 2) return null;
  const rows = new Rows(d);
  const holder = el('div', {});
  const edges = new Map(
    (report.result.edges ?? []).map((e) => [`${d.variables.indexOf(e.from)} ${d.variables.indexOf(e.to)}`, e.type]),
  );
  let [from, to] = startPair(report).map((name) => Math.max(0, d.variables.indexOf(name))) as [number, number];
  if (from === to) to = from === 0 ? 1 : 0;
  const choices = el('p', { class: 'choices' });
  const fill = (): void => {
    rows.forget();
    if (d.variables.length > 2) {
      const names = d.variables.map((v) => shortName(v, 40));
      choices.replaceChildren(
        chooser('Across:', names, from, (i) => {
          from = i;
          fill();
        }),
        ' ',
        chooser('Up:', names, to, (i) => {
          to = i;
          fill();
        }),
      );
    }
    const known =
      edges.get(`${from} ${to}`) === '-->' ||
      (report.result.decision ?? '') === `${d.variables[from]}->${d.variables[to]}`;
    holder.replaceChildren(...pairPanels(d, rows, from, to, known, d.labels.indexOf(report.result.explain?.of ?? '')));
  };
  const decided = report.result.decision;
  if (!report.result.edges && decided === `${d.variables[1]}->${d.variables[0]}`) [from, to] = [1, 0];
  fill();
  const thinned =
    d.row.length < d.rows
      ? `${count(d.row.length, 'row')} of ${d.rows.toLocaleString('en')}, taken evenly from every segment. `
      : '';
  const whole = section(
    'rows',
    'The data',
    d.other &&
      el(
        'p',
        { class: 'problem', role: 'note' },
        'These are not the data of the result: their data_hash differs. The pictures below may not show what ' +
          'the decision depends on.',
      ),
    el('p', {}, `${thinned}Press a segment to see it alone.`),
    choices,
    rows.legend,
    holder,
    !d.sources &&
      el(
        'p',
        { class: 'quiet' },
        'There are no disturbances here: the method does not estimate them, or the page was made from a result ' +
          'file, which does not contain them (--html of nonsens direction and discover does).',
      ),
  );
  return {
    section: whole,
    show: (a, b) => {
      const [i, j] = [d.variables.indexOf(a), d.variables.indexOf(b)];
      if (i >= 0 && j >= 0) {
        [from, to] = [i, j];
        fill();
      }
    },
  };
}
