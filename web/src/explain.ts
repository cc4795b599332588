// Which disturbances changed in a segment: which variables changed by themselves, by how much, and which merely follow.
import * as Plot from '@observablehq/plot';
import { el, section } from './dom';
import { picture } from './picture';
import { behind } from './tables';
import { count, longName, number, pValue, pWords, sentence, shortName } from './text';
import type { Change, Explained, Report } from './types';

/** Colour and shape express the same as the word. */
const LOOKS: Record<string, { colour: string; symbol: Plot.SymbolType }> = {
  'changed itself': { colour: 'var(--second)', symbol: 'square' },
  follows: { colour: 'var(--first)', symbol: 'triangle' },
  unclear: { colour: 'var(--fourth)', symbol: 'times' },
  unchanged: { colour: 'var(--quiet)', symbol: 'circle' },
};
const SHOWN = 40;

function listed(names: string[], most = 5): string {
  const shown = names.slice(0, most).map((n) => shortName(n));
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function other(e: Explained): string {
  return e.against === null ? 'all other segments' : shortName(e.against);
}

export function verdictOf(e: Explained | undefined, variable: string): Change | undefined {
  return e?.variables.find((c) => c.variable === variable);
}

export function verdictWords(c: Change): string {
  if (c.verdict === 'changed itself') return `changed itself${c.how ? `: ${sentence(c.how)}` : ''}`;
  return c.verdict === 'follows' && c.follows.length ? `follows ${listed(c.follows, 3)}` : sentence(c.verdict);
}

export function explainedWords(e: Explained): { headline: string; lines: string[]; kind: 'decided' | 'open' } {
  const roots = e.root_causes;
  const of = shortName(e.of);
  return {
    headline: e.ranking_only
      ? `Ranking only: everything shifted in ${of}, likeliest ${listed(e.variables.slice(0, 3).map((c) => c.variable))}`
      : roots.length
      ? `In ${of}, ${roots.length === 2 ? roots.map((n) => shortName(n)).join(' and ') : listed(roots)} changed ${roots.length === 1 ? 'by itself' : 'by themselves'}`
      : `No variable visibly changed by itself in ${of}`,
    lines: [],
    kind: roots.length ? 'decided' : 'open',
  };
}

/** What the picture shows of a variable: its own change, or its score if there are too few rows for that. */
type Value = 'own_change' | 'score';

function valueOf(changes: Change[]): Value {
  return changes.some((c) => c.own_change !== null) ? 'own_change' : 'score';
}

function plotOf(changes: Change[], width: number): Plot.PlotOptions {
  const name = (c: Change): string => shortName(c.variable, 24);
  const left = Math.min(190, width * 0.35);
  const value = valueOf(changes);
  return {
    width,
    height: 70 + 26 * changes.length,
    marginLeft: left,
    marginRight: 24,
    marginTop: 20,
    marginBottom: 42,
    x: {
      label: value === 'score' ? 'score (standard deviations) \u2192' : 'how far it differs (nats per row) \u2192',
      grid: true,
      nice: true,
    },
    y: {
      label: null,
      type: 'point',
      domain: changes.map((_, i) => i),
      padding: 0.6,
      tickFormat: (i: number) => name(changes[i]!),
    },
    marks: [
      Plot.ruleX([0], { stroke: 'currentColor' }),
      Plot.ruleY(changes, {
        y: (_, i) => i,
        x1: (c: Change) => Math.min(c.interval?.[0] ?? c[value]!, c[value]!),
        x2: (c: Change) => c.interval?.[1] ?? c[value],
        stroke: (c: Change) => LOOKS[c.verdict]?.colour ?? 'currentColor',
        strokeWidth: 2,
        filter: (c: Change) => c[value] !== null,
      }),
      Plot.dot(changes, {
        y: (_, i) => i,
        x: 'marginal_change',
        r: 6,
        stroke: 'var(--quiet)',
        strokeWidth: 1.5,
        filter: (c: Change) => c.marginal_change !== null && c.marginal_change !== c.own_change,
      }),
      Plot.dot(changes, {
        y: (_, i) => i,
        x: value,
        r: 5,
        symbol: (c: Change) => LOOKS[c.verdict]?.symbol ?? 'circle',
        fill: (c: Change) => LOOKS[c.verdict]?.colour ?? 'currentColor',
        stroke: (c: Change) => LOOKS[c.verdict]?.colour ?? 'currentColor',
        title: (c: Change) =>
          `${name(c)}: ${verdictWords(c)}\nsize ${number(c.size, 3)}, own change ${number(c.own_change, 3)}, ` +
          `${pWords(c.p_value)}\nitself ${number(c.marginal_change, 3)}`,
        tip: true,
        filter: (c: Change) => c[value] !== null,
      }),
    ],
    symbol: { type: 'identity' },
    color: { type: 'identity' },
  };
}

function legend(changes: Change[]): HTMLElement {
  const marks: Record<string, string> = {
    'changed itself': '\u25a0',
    follows: '\u25b2',
    unclear: '\u00d7',
    unchanged: '\u25cf',
    elsewhere: '\u25cf',
  };
  const there = Object.keys(marks).filter((verdict) => changes.some((c) => c.verdict === verdict));
  return el(
    'p',
    { class: 'legend' },
    ...there.map((verdict) =>
      el(
        'span',
        {},
        el('span', { class: `verdict ${verdict.replace(' ', '-')}`, 'aria-hidden': 'true' }, marks[verdict]!),
        ` ${verdict}`,
      ),
    ),
    el('span', {}, '\u25cb the variable itself, causes and all'),
  );
}

function interval(pair: [number | null, number | null] | null | undefined): string {
  if (!pair) return '\u2013';
  const [low, high] = pair;
  return high === null
    ? `at least ${number(low, 3)}`
    : low === null
      ? `at most ${number(high, 3)}`
      : `${number(low, 3)} to ${number(high, 3)}`;
}

function withInterval(value: number | null, pair: [number | null, number | null] | null): string {
  return value === null || !pair ? number(value, 3) : `${number(value, 3)} (${interval(pair)})`;
}

export function explainSection(report: Report): HTMLElement | null {
  const e = report.result.explain;
  if (!e) return null;
  const shown = e.variables.slice(0, SHOWN);
  return section(
    'changes',
    'What changed',
    legend(shown),
    picture({
      alt:
        `How far each disturbance differs between ${shortName(e.of)} and ${other(e)}: ` +
        `${shown
          .slice(0, 8)
          .map((c) => `${shortName(c.variable)} ${number(c[valueOf(shown)], 3)}, ${verdictWords(c)}`)
          .join('; ')}. The table below has all.`,
      caption:
        (valueOf(shown) === 'score'
          ? 'How far the disturbance of each variable is from normal.'
          : 'Filled marks, with their lower bounds: how far the own disturbance of a variable differs between the ' +
            'two (Jeffreys divergence). Rings, of variables with causes: how far the variable itself differs. If the ' +
            'ring is far out and the mark near 0, the variable only follows its causes.') +
        (e.variables.length > shown.length ? ` The first ${shown.length} of ${e.variables.length}.` : ''),
      plot: (width) => plotOf(shown, width),
    }),
    behind(
      `Table: all ${count(e.variables.length, 'variable')}`,
      {
        head: 'variable,rank,verdict,size,own change (95 %),p,q,scale (95 %),shift,itself'.split(','),
        figures: [1, 3, 4, 5, 6, 7, 8, 9],
        rows: () =>
          e.variables.map((c) => [
            longName(c.variable),
            String(c.rank),
            verdictWords(c),
            number(c.size, 3),
            withInterval(c.own_change, c.interval),
            pValue(c.p_value),
            pValue(c.q_value),
            withInterval(c.scale, c.scale_interval),
            number(c.shift, 3),
            number(c.marginal_change, 3),
          ]),
      },
      e.variables.length <= 12,
    ),
  );
}
