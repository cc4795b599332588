// The graph: laid out in layers by dagre, causes above effects.  Nodes can be dragged, the whole graph zoomed and
// moved, edges and nodes inspected with the pointer or the arrow keys.
import { Graph, layout } from '@dagrejs/dagre';
import { drag } from 'd3-drag';
import { select } from 'd3-selection';
import { zoom, zoomIdentity } from 'd3-zoom';
import { edgeValues, edgeWords, twoHeads } from './decision';
import { el, section, svg } from './dom';
import { curveCell, effectFigures, hasEffect, stepFigures } from './effect';
import { verdictOf, verdictWords } from './explain';
import { supportOf } from './summary';
import { behind, type Table } from './tables';
import { count, longName, number, pValue, share, shortName } from './text';
import type { Edge, Report, Result } from './types';
import { wayOf, type Way } from './way';
import { isEffect } from './what_if';

interface Place {
  x: number;
  y: number;
}

interface NodeView extends Place {
  name: string;
  label: string;
  width: number;
  height: number;
  group: SVGGElement;
}

interface EdgeView {
  edge: Edge;
  from: NodeView;
  to: NodeView;
  bends: Place[];
  width: number;
  group: SVGGElement;
  line: SVGPathElement;
  reach: SVGPathElement;
  text: SVGTextElement | null;
}

const HEIGHT = 34;
const STEP = 12;

/** Thicker if more bootstrap samples have the edge; all alike without bootstrap samples. */
function thickness(e: Edge): number {
  return e.support === null || e.support === undefined ? 2 : 0.8 + 3.6 * e.support;
}

/** The point at which the line from the middle of a box towards a point leaves the box. */
function leave(box: NodeView, to: Place, gap: number): Place {
  const [dx, dy] = [to.x - box.x, to.y - box.y];
  const [w, h] = [box.width / 2 + gap, box.height / 2 + gap];
  const scale = Math.min(dx === 0 ? Infinity : w / Math.abs(dx), dy === 0 ? Infinity : h / Math.abs(dy));
  return Number.isFinite(scale) ? { x: box.x + dx * scale, y: box.y + dy * scale } : { ...to };
}

function path(points: Place[]): string {
  const [first, ...rest] = points;
  const at = (p: Place): string => `${p.x.toFixed(1)},${p.y.toFixed(1)}`;
  if (rest.length === 1) return `M${at(first!)}L${at(rest[0]!)}`;
  let d = `M${at(first!)}`;
  for (let i = 0; i < rest.length - 1; i++) {
    const [p, q] = [rest[i]!, rest[i + 1]!];
    const end = i === rest.length - 2 ? q : { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 };
    d += `Q${at(p)} ${at(end)}`;
  }
  return d;
}

class GraphView {
  readonly root: HTMLElement;
  private readonly picture = svg('svg', { class: 'graph', role: 'group', tabindex: 0 });
  private readonly world = svg('g');
  private readonly nodes = new Map<string, NodeView>();
  private readonly edges: EdgeView[] = [];
  private readonly tip = el('div', { class: 'tip', role: 'status' });
  private readonly behaviour = zoom<SVGSVGElement, unknown>();
  private size = { width: 0, height: 0 };
  private current = -1;
  private readonly way: Way | null;

  constructor(
    private readonly report: Report,
    private readonly picked: (a: string, b: string) => void,
  ) {
    const { result } = report;
    this.way = wayOf(result);
    this.place(result.nodes ?? [], result.edges ?? []);
    this.picture.append(this.heads(), this.world);
    this.picture.setAttribute(
      'aria-label',
      `Graph of ${count(this.nodes.size, 'variable')} and ${count(this.edges.length, 'edge')}. Arrow keys go ` +
        `from one to the next, Enter shows its data, Shift with arrow keys moves a variable. The table below ` +
        `has all edges.`,
    );
    this.prepareZoom();
    this.picture.addEventListener('keydown', (event) => this.key(event));
    this.root = el('div', { class: 'graph-frame' }, this.tools(), this.picture, this.tip);
    this.clear();
  }

  /** Assigns layers by dagre; an undirected edge counts as one from first to second. */
  private place(names: string[], edges: Edge[]): void {
    const g = new Graph({ multigraph: true });
    g.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 56, marginx: 24, marginy: 24 });
    g.setDefaultEdgeLabel(() => ({}));
    const labels = names.map((name) => shortName(name, 22));
    names.forEach((_, i) =>
      g.setNode(String(i), { width: Math.max(48, 22 + 7.6 * [...labels[i]!].length), height: HEIGHT }),
    );
    const index = new Map(names.map((name, i) => [name, i]));
    edges.forEach((e, k) => g.setEdge(String(index.get(e.from)), String(index.get(e.to)), {}, String(k)));
    layout(g);
    names.forEach((name, i) => {
      const { x, y, width, height } = g.node(String(i)) as { x: number; y: number; width: number; height: number };
      this.nodes.set(name, { name, label: labels[i]!, x, y, width, height, group: svg('g') });
      this.size = {
        width: Math.max(this.size.width, x + width / 2 + 24),
        height: Math.max(this.size.height, y + height / 2 + 24),
      };
    });
    edges.forEach((e, k) => {
      const points = (
        (g.edge(String(index.get(e.from)), String(index.get(e.to)), String(k)) as { points?: Place[] }).points ?? []
      ).slice(1, -1);
      this.addEdge(e, points.length === 1 ? [] : points);
    });
    for (const node of this.nodes.values()) this.addNode(node);
  }

  private addEdge(edge: Edge, bends: Place[]): void {
    const from = this.nodes.get(edge.from)!;
    const to = this.nodes.get(edge.to)!;
    const line = svg('path', { class: 'line', 'stroke-width': thickness(edge) });
    const reach = svg('path', { class: 'reach' });
    const label = edge.support ?? null;
    const text = label === null ? null : svg('text', { class: 'support', 'text-anchor': 'middle' }, number(label, 2));
    const group = svg(
      'g',
      {
        class: edgeClass(edge.type, edge.confounded) + (this.way?.on.has(edge) ? ' way' : ''),
        tabindex: -1,
        role: 'img',
        'aria-label': edgeWords(edge, this.report.result) + edgeValues(edge, this.report.result),
      },
      reach,
      line,
      text,
    );
    if (edge.type !== '---') line.setAttribute('marker-end', 'url(#head)');
    if (edge.type === '<->') line.setAttribute('marker-start', 'url(#tail)');
    const view: EdgeView = { edge, from, to, bends, width: thickness(edge), group, line, reach, text };
    this.edges.push(view);
    this.route(view);
    this.listen(
      group,
      () => this.showEdge(view),
      () => this.picked(edge.from, edge.to),
    );
    this.world.append(group);
  }

  private addNode(node: NodeView): void {
    const verdict = verdictOf(this.report.result.explain, node.name)?.verdict ?? '';
    const part = this.way?.changed.has(node.name) ? 'set' : this.way?.asked.has(node.name) ? 'asked' : '';
    node.group.setAttribute('class', `node ${verdict.replace(' ', '-') || part}`.trim());
    node.group.setAttribute('tabindex', '-1');
    node.group.setAttribute('role', 'img');
    node.group.setAttribute('aria-label', this.nodeWords(node));
    const inside: (SVGElement | false)[] = [
      svg('rect', { x: -node.width / 2, y: -node.height / 2, width: node.width, height: node.height, rx: 8 }),
      (verdict === 'changed itself' || part === 'set') &&
        svg('rect', {
          class: 'inner',
          x: 4 - node.width / 2,
          y: 4 - node.height / 2,
          width: node.width - 8,
          height: node.height - 8,
          rx: 5,
        }),
      svg('text', { 'text-anchor': 'middle', 'dominant-baseline': 'central' }, node.label),
    ];
    node.group.append(...inside.filter((part) => part !== false));
    this.move(node, node.x, node.y);
    this.listen(
      node.group,
      () => this.showNode(node),
      () => undefined,
    );
    select<SVGGElement, unknown>(node.group).call(
      drag<SVGGElement, unknown>()
        .subject(() => ({ x: node.x, y: node.y }))
        .on('drag', (event: { x: number; y: number }) => this.move(node, event.x, event.y)),
    );
    this.world.append(node.group);
  }

  private move(node: NodeView, x: number, y: number): void {
    const moved = x !== node.x || y !== node.y;
    node.x = x;
    node.y = y;
    node.group.setAttribute('transform', `translate(${x.toFixed(1)},${y.toFixed(1)})`);
    for (const view of this.edges) {
      if (view.from !== node && view.to !== node) continue;
      if (moved) view.bends = [];
      this.route(view);
    }
  }

  private route(view: EdgeView): void {
    const inner = view.bends;
    const start = leave(view.from, inner[0] ?? view.to, view.edge.type === '<->' ? 9 : 1);
    const end = leave(view.to, inner.at(-1) ?? view.from, view.edge.type === '---' ? 1 : 9);
    const d = path([start, ...inner, end]);
    view.line.setAttribute('d', d);
    view.reach.setAttribute('d', d);
    const middle = inner[Math.floor(inner.length / 2)] ?? { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
    view.text?.setAttribute('x', (middle.x + 10).toFixed(1));
    view.text?.setAttribute('y', (middle.y - 4).toFixed(1));
  }

  private heads(): SVGDefsElement {
    const head = (id: string, d: string, at: number): SVGMarkerElement =>
      svg(
        'marker',
        {
          id,
          viewBox: '0 0 10 10',
          refX: at,
          refY: 5,
          markerWidth: 10,
          markerHeight: 10,
          markerUnits: 'userSpaceOnUse',
          orient: 'auto',
        },
        svg('path', { d, class: 'head' }),
      );
    return svg('defs', {}, head('head', 'M0,0L10,5L0,10z', 2), head('tail', 'M10,0L0,5L10,10z', 8));
  }

  /** The wheel zooms after a click on the graph or with Ctrl; otherwise the page scrolls as usual. */
  private prepareZoom(): void {
    this.behaviour
      .scaleExtent([0.2, 6])
      .filter(
        (event: Event) =>
          event.type !== 'wheel' || (event as WheelEvent).ctrlKey || this.picture.contains(document.activeElement),
      )
      .on('zoom', (event: { transform: { toString: () => string } }) =>
        this.world.setAttribute('transform', event.transform.toString()),
      );
    this.picture.setAttribute('viewBox', `0 0 ${this.size.width} ${this.size.height}`);
    this.picture.setAttribute('preserveAspectRatio', 'xMidYMid meet');
    const height = Math.min(Math.max(this.size.height, 220), 640);
    this.picture.setAttribute('height', String(height));
    select<SVGSVGElement, unknown>(this.picture).call(this.behaviour);
  }

  private tools(): HTMLElement {
    const by = (factor: number) => () =>
      select<SVGSVGElement, unknown>(this.picture).call(this.behaviour.scaleBy, factor);
    const button = (text: string, label: string, click: () => void): HTMLElement =>
      el('button', { type: 'button', 'aria-label': label, title: label, click }, text);
    return el(
      'div',
      { class: 'tools' },
      button('+', 'Zoom in', by(1.4)),
      button('\u2212', 'Zoom out', by(1 / 1.4)),
      button('Fit', 'Show the whole graph', () =>
        select<SVGSVGElement, unknown>(this.picture).call(this.behaviour.transform, zoomIdentity),
      ),
    );
  }

  private listen(group: SVGGElement, show: () => void, chosen: () => void): void {
    group.addEventListener('pointerenter', show);
    group.addEventListener('pointerleave', () => group !== document.activeElement && this.clear());
    group.addEventListener('focus', show);
    group.addEventListener('blur', () => this.clear());
    group.addEventListener('click', () => {
      group.focus();
      chosen();
    });
  }

  private nodeWords(node: NodeView): string {
    const edges = this.report.result.edges ?? [];
    const list = (names: string[]): string => names.map((n) => shortName(n)).join(', ');
    const causes = edges.filter((e) => e.type === '-->' && e.to === node.name).map((e) => e.from);
    const effects = edges.filter((e) => e.type === '-->' && e.from === node.name).map((e) => e.to);
    const linked = edges
      .filter((e) => e.type !== '-->' && (e.from === node.name || e.to === node.name))
      .map((e) => (e.from === node.name ? e.to : e.from));
    const change = verdictOf(this.report.result.explain, node.name);
    return [
      `${shortName(node.name, 60)}${change ? `: ${verdictWords(change)}` : ''}.`,
      causes.length ? `Causes: ${list(causes)}.` : 'No causes in the graph.',
      effects.length ? `Effects: ${list(effects)}.` : 'No effects.',
      linked.length ? `Edges without a direction: ${list(linked)}.` : '',
      this.way?.changed.has(node.name) ? 'Set or changed here.' : '',
    ]
      .join(' ')
      .trim();
  }

  private showNode(node: NodeView): void {
    const near = new Set(this.edges.filter((v) => v.from === node || v.to === node));
    this.highlight(
      (v) => near.has(v),
      (n) => n === node || [...near].some((v) => v.from === n || v.to === n),
    );
    this.tip.textContent = this.nodeWords(node);
  }

  private showEdge(view: EdgeView): void {
    this.highlight(
      (v) => v === view,
      (n) => n === view.from || n === view.to,
    );
    this.tip.textContent =
      edgeWords(view.edge, this.report.result) +
      edgeValues(view.edge, this.report.result) +
      '.' +
      (this.report.display ? ' Press it to see its data.' : '');
  }

  private highlight(edge: (v: EdgeView) => boolean, node: (n: NodeView) => boolean): void {
    this.edges.forEach((v) => v.group.classList.toggle('dim', !edge(v)));
    this.nodes.forEach((n) => n.group.classList.toggle('dim', !node(n)));
  }

  private clear(): void {
    this.highlight(
      () => true,
      () => true,
    );
    this.tip.textContent =
      'Point at a variable or an edge, or use the arrow keys. Drag variables; zoom with the buttons, or with ' +
      'Ctrl and the wheel.';
  }

  private key(event: KeyboardEvent): void {
    const ways: Record<string, [number, number, number]> = {
      ArrowRight: [1, STEP, 0],
      ArrowDown: [1, 0, STEP],
      ArrowLeft: [-1, -STEP, 0],
      ArrowUp: [-1, 0, -STEP],
    };
    const way = ways[event.key];
    const all = [...this.nodes.values(), ...this.edges];
    const now = all[this.current];
    if (way && event.shiftKey && now && 'name' in now) this.move(now, now.x + way[1], now.y + way[2]);
    else if (way && all.length) {
      this.current = (this.current + way[0] + all.length) % all.length;
      all[this.current]!.group.focus();
    } else if (event.key === 'Enter' && now && 'edge' in now) this.picked(now.edge.from, now.edge.to);
    else if (event.key === '+' || event.key === '-')
      select<SVGSVGElement, unknown>(this.picture).call(this.behaviour.scaleBy, event.key === '+' ? 1.4 : 1 / 1.4);
    else return;
    event.preventDefault();
  }
}

function edgeClass(type: string, confounded = false): string {
  const kind = type === '-->' ? 'arrow' : type === '<->' ? 'both' : 'open';
  return confounded && type !== '<->' ? `edge ${kind} marked` : `edge ${kind}`;
}

function legend(report: Report): HTMLElement {
  const edges = report.result.edges ?? [];
  const kinds = new Set(edges.map((e) => e.type));
  const way = wayOf(report.result);
  const sample = (type: string, text: string, marked = false): HTMLElement | null => {
    if (!edges.some((e) => e.type === type && (!marked || e.confounded))) return null;
    const line = svg('path', { class: 'line', d: 'M10,8L38,8', 'stroke-width': 2 });
    if (type !== '---') line.setAttribute('marker-end', 'url(#head)');
    if (type === '<->') line.setAttribute('marker-start', 'url(#tail)');
    return el(
      'span',
      {},
      svg(
        'svg',
        { width: 52, height: 16, class: 'graph-sample', 'aria-hidden': 'true' },
        svg('g', { class: edgeClass(type, marked) }, line),
      ),
      text,
    );
  };
  const supported = (report.result.edges ?? []).some((e) => e.support !== null && e.support !== undefined);
  return el(
    'p',
    { class: 'legend' },
    sample('-->', 'cause \u2192 effect'),
    sample('---', 'direction not known'),
    sample('<->', twoHeads(report.result)),
    sample('-->', 'and a hidden common cause is likely', true),
    sample('---', 'and a hidden common cause is likely', true),
    way && el('span', {}, 'Double frame: set or changed; coloured frame: asked about; coloured edges: the paths of the effect.'),
    supported && el('span', {}, 'Numbers and thickness: the share of bootstrap samples with this edge in this direction.'),
    report.result.explain && el('span', {}, 'Double frame: changed itself; dashed frame: no verdict.'),
    !supported &&
      !report.result.explain &&
      !isEffect(report.result) &&
      kinds.size > 0 &&
      el('span', {}, 'Edges are equally thick: how stable they are was not measured (--bootstrap).'),
  );
}

/** All edges; columns without any value are omitted. */
function edgeTable(result: Result): Table {
  const edges = result.edges ?? [];
  const has = (value: (e: Edge) => unknown): boolean => edges.some((e) => value(e) !== null && value(e) !== undefined);
  const columns: { head: string; figure?: boolean; cell: (e: Edge) => string | Node }[] = [
    { head: 'from (cause)', cell: (e) => longName(e.from) },
    { head: 'edge', cell: (e) => e.type },
    { head: 'to (effect)', cell: (e) => longName(e.to) },
  ];
  columns.push(
    { head: 'edge present', figure: true, cell: (e) => share(supportOf(e, result).present) },
    { head: 'this direction', figure: true, cell: (e) => share(supportOf(e, result).direction) },
  );
  if (has((e) => e.support) && !result.bootstrap)
    columns.push({ head: 'support', figure: true, cell: (e) => share(e.support) });
  if (has((e) => e.p_value)) columns.push({ head: 'p-value', figure: true, cell: (e) => pValue(e.p_value) });
  if (has((e) => e.weight)) columns.push({ head: 'weight', figure: true, cell: (e) => number(e.weight) });
  if (edges.some(hasEffect))
    columns.push(
      { head: 'direct effect (95 %)', figure: true, cell: (e) => (hasEffect(e) ? effectFigures(e) : 'open') },
      { head: 'if the cause goes from', figure: true, cell: stepFigures },
      { head: 'effect against cause', cell: curveCell },
    );
  columns.push({ head: 'in words', cell: (e) => edgeWords(e, result) });
  return {
    head: columns.map((c) => c.head),
    figures: columns.flatMap((c, j) => (c.figure ? [j] : [])),
    rows: () => edges.map((e) => columns.map((c) => c.cell(e))),
  };
}

export function graphSection(report: Report, picked: (a: string, b: string) => void): HTMLElement | null {
  const { result } = report;
  if (!result.nodes || !result.edges) return null;
  const view = new GraphView(report, picked);
  const edges = result.edges;
  return section(
    'graph',
    'The graph',
    legend(report),
    view.root,
    result.order && el('p', {}, `Order, causes first: ${result.order.map((n) => shortName(n)).join(', ')}.`),
    behind(
      `Table: all ${count(edges.length, 'edge')}`,
      edgeTable(result),
      edges.length > 0 && edges.length <= 12,
    ),
  );
}
