// Direct effects of edges: how much the mean of the effect changes, as numbers and as a small curve.
import { el, svg } from './dom';
import { number, shortName } from './text';
import type { Edge, EffectCurve } from './types';

const WIDTH = 96;
const HEIGHT = 32;
const MARGIN = 3;

export function hasEffect(e: Edge): boolean {
  return e.effect !== null && e.effect !== undefined;
}

/** "1.2 (0.8 to 1.6)" */
export function effectFigures(e: Edge): string {
  const [low, high] = e.effect_interval ?? [null, null];
  return low === null || high === null
    ? number(e.effect, 3)
    : `${number(e.effect, 3)} (${number(low, 3)} to ${number(high, 3)})`;
}

/** "2 to 5", the step of the cause that the effect belongs to. */
export function stepFigures(e: Edge): string {
  return e.step ? `${number(e.step[0], 3)} to ${number(e.step[1], 3)}` : '';
}

/** What the curve shows, in words. */
function curveWords(e: Edge, { x, y }: EffectCurve): string {
  const points = x.map((value, i) => `${number(value, 3)}: ${number(y[i], 3)}`).join(', ');
  return (
    `Change of the mean of ${shortName(e.to)} by ${shortName(e.from)}, ` +
    `against its median, other causes as observed. ${points}`
  );
}

/** The curve, with a line at zero change; null if the edge has no curve. */
function curvePicture(e: Edge): SVGElement | null {
  const { curve } = e;
  if (!curve || curve.x.length < 2 || curve.x.length !== curve.y.length) return null;
  const [left, right] = [curve.x[0]!, curve.x.at(-1)!];
  const low = Math.min(0, ...curve.y);
  const high = Math.max(0, ...curve.y);
  const across = (x: number): number => MARGIN + ((x - left) / (right - left || 1)) * (WIDTH - 2 * MARGIN);
  const down = (y: number): number => HEIGHT - MARGIN - ((y - low) / (high - low || 1)) * (HEIGHT - 2 * MARGIN);
  const points = curve.x.map((x, i) => `${across(x).toFixed(1)},${down(curve.y[i]!).toFixed(1)}`);
  const words = curveWords(e, curve);
  return svg(
    'svg',
    { class: 'curve', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: 'img', 'aria-label': words },
    svg('title', {}, words),
    svg('line', { class: 'zero', x1: MARGIN, x2: WIDTH - MARGIN, y1: down(0), y2: down(0) }),
    svg('polyline', { points: points.join(' ') }),
  );
}

/** A cell with the curve of an edge. */
export function curveCell(e: Edge): Node {
  return curvePicture(e) ?? el('span', { class: 'quiet' }, hasEffect(e) ? '' : 'open');
}
