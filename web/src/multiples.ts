// Small multiples: cause and effect in each segment, side by side on common axes, in natural order of the segments.
import * as Plot from '@observablehq/plot';
import { el } from './dom';
import { picture } from './picture';
import { count, number, shortName } from './text';
import type { Display } from './types';

const PANELS = 24;
const NARROWEST = 150;

interface Point {
  x: number;
  y: number;
  panel: number;
}

/** Chooses at most 24 segments, evenly spaced from first to last, including the one to mark. */
function chosen(order: number[], always: number): number[] {
  if (order.length <= PANELS) return order;
  const step = (order.length - 1) / (PANELS - 1);
  const places = Array.from({ length: PANELS }, (_, k) => Math.round(k * step));
  const at = order.indexOf(always);
  if (at >= 0 && !places.includes(at)) {
    const nearest = places.reduce((best, p, k) => (Math.abs(p - at) < Math.abs(places[best]! - at) ? k : best), 0);
    places[nearest] = at;
  }
  return places.map((p) => order[p]!);
}

function pointsOf(d: Display, x: (number | null)[], y: (number | null)[], panels: number[]): Point[] {
  const panelOf = new Map(panels.map((e, k) => [e, k]));
  return d.segment.flatMap((e, i) => {
    const [panel, across, up] = [panelOf.get(e), x[i], y[i]];
    return panel === undefined || typeof across !== 'number' || typeof up !== 'number' ? [] : [{ x: across, y: up, panel }];
  });
}

/** The correlation of a panel, for the picture's text. */
function correlation(points: Point[]): number | null {
  const mean = (of: (p: Point) => number): number => points.reduce((sum, p) => sum + of(p), 0) / points.length;
  const [mx, my] = [mean((p) => p.x), mean((p) => p.y)];
  const spread = Math.sqrt(mean((p) => (p.x - mx) ** 2) * mean((p) => (p.y - my) ** 2));
  return points.length > 2 && spread > 0 ? mean((p) => (p.x - mx) * (p.y - my)) / spread : null;
}

export interface Pair {
  from: number;
  to: number;
  /** The segments in natural order. */
  order: number[];
  name: (segment: number) => string;
  /** A segment to mark, as an index into d.labels; -1 for none. */
  marked: number;
}

/** Returns null unless there are at least two segments. */
export function multiples(d: Display, pair: Pair): HTMLElement | null {
  const panels = chosen(pair.order, pair.marked);
  if (d.segments < 2 || panels.length < 2) return null;
  const [a, b] = [shortName(d.variables[pair.from]!, 22), shortName(d.variables[pair.to]!, 22)];
  const points = pointsOf(d, d.values[pair.from]!, d.values[pair.to]!, panels);
  const names = panels.map((e) => pair.name(e));
  const marked = panels.indexOf(pair.marked);
  const said = panels.map((_, k) => `${names[k]} ${number(correlation(points.filter((p) => p.panel === k)), 2)}`);
  const left = pair.order.length - panels.length;
  const figure = picture({
    alt: `${b} against ${a} in ${count(panels.length, 'segment')}, on common axes. Correlations: ${said.join(', ')}.`,
    caption:
      `${b} against ${a} in each segment, in the order of the segments, on common axes.` +
      (marked >= 0 ? ` ${names[marked]} is marked.` : '') +
      (left > 0 ? ` These are ${panels.length} of ${pair.order.length} segments, evenly spaced; press any segment above to see it alone.` : ''),
    plot: (width) => {
      const columns = Math.min(panels.length, Math.max(2, Math.floor((width - 46) / NARROWEST)));
      const rows = Math.ceil(panels.length / columns);
      const fx = (panel: number): number => panel % columns;
      const fy = (panel: number): number => Math.floor(panel / columns);
      return {
        width,
        height: 44 + rows * Math.round(((width - 46) / columns) * 0.72 + 18),
        marginLeft: 46,
        marginRight: 8,
        marginTop: 20,
        marginBottom: 40,
        inset: 3,
        fx: { axis: null, padding: 0.06, domain: Array.from({ length: columns }, (_, k) => k) },
        fy: { axis: null, padding: 0.16, domain: Array.from({ length: rows }, (_, k) => k) },
        x: { label: `${a} \u2192`, labelAnchor: 'center', labelArrow: 'none', nice: true, ticks: 3 },
        y: { label: b, labelArrow: 'up', nice: true, ticks: 3, grid: true },
        marks: [
          Plot.frame({ stroke: 'var(--rule)' }),
          marked < 0 ? null : Plot.frame({ stroke: 'var(--second)', strokeWidth: 2, fx: fx(marked), fy: fy(marked) }),
          Plot.dot(points, {
            x: 'x',
            y: 'y',
            fx: (p: Point) => fx(p.panel),
            fy: (p: Point) => fy(p.panel),
            r: 1.5,
            fill: (p: Point) => (p.panel === marked ? 'var(--second)' : 'var(--first)'),
            fillOpacity: 0.6,
          }),
          Plot.text(panels, {
            text: (_, k) => names[k]!,
            fx: (_, k) => fx(k),
            fy: (_, k) => fy(k),
            frameAnchor: 'top-left',
            dy: -13,
            fill: 'currentColor',
          }),
        ],
        color: { type: 'identity' },
      };
    },
  });
  figure.classList.add('multiples');
  return el('div', {}, el('h3', {}, 'Segment by segment'), figure);
}
