// Evidence in both directions as a picture.  If there is one value per direction, the two are found by their names:
// exchanging the variables in one name gives the other.
import * as Plot from '@observablehq/plot';
import { reversal } from './checks';
import { el, section } from './dom';
import { picture } from './picture';
import { behind } from './tables';
import { longName, number, pValue, pValueBound, pWords, sentence, share, shortName } from './text';
import type { Evidence, Report, Result } from './types';

interface Mirrored {
  first: Evidence;
  second: Evidence;
}

function swapped(name: string, a: string, b: string): string {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return name.replace(new RegExp(`${escape(long)}|${escape(short)}`, 'g'), (found) => (found === a ? b : a));
}

export function mirrored(result: Result): Mirrored[] {
  const [a, b] = result.data.variables;
  if (!a || !b) return [];
  const byName = new Map(result.evidence.map((e) => [e.name, e]));
  const done = new Set<string>();
  const found: Mirrored[] = [];
  for (const first of result.evidence) {
    const second = byName.get(swapped(first.name, a, b));
    if (!second || second === first || done.has(first.name)) continue;
    done.add(second.name);
    found.push({ first, second });
  }
  return found;
}

/** The length of a bar; p-values below the bound are drawn as if equal to the bound. */
function strength(p: number): number {
  return -Math.log10(Math.max(p, pValueBound()));
}

interface Bar {
  label: string;
  side: string;
  length: number;
  low?: number;
  high?: number;
  title: string;
}

function longest(labels: string[]): number {
  return Math.min(260, 20 + 6.6 * Math.max(...labels.map((label) => [...label].length)));
}

/** A label that fits into the available space; its names have been cut before. */
function fitted(label: string, characters: number): string {
  const letters = [...label];
  if (letters.length <= characters) return label;
  const end = Math.floor((characters - 1) / 2);
  return [...letters.slice(0, characters - 1 - end), '\u2026', ...letters.slice(letters.length - end)].join('');
}

function bars(data: Bar[], width: number, x: string, rules: { at: number; text: string }[] = []): Plot.PlotOptions {
  const left = Math.min(longest(data.map((d) => d.label)), width * 0.42);
  const characters = Math.floor(left / 6.6);
  return {
    width,
    height: 64 + 26 * data.length + 20,
    marginLeft: left,
    marginTop: 26,
    marginRight: 20,
    marginBottom: 40,
    x: { label: x, grid: true, nice: true },
    y: {
      label: null,
      type: 'band',
      domain: data.map((_, i) => i),
      padding: 0.25,
      tickFormat: (i: number) => fitted(data[i]!.label, characters),
    },
    marks: [
      Plot.barX(data, {
        y: (_, i) => i,
        x1: 0,
        x2: 'length',
        fill: (d: Bar) =>
          d.side === 'first' ? 'var(--first)' : d.side === 'second' ? 'var(--second)' : 'var(--third)',
        title: 'title',
        tip: true,
      }),
      Plot.ruleY(data, {
        y: (_, i) => i,
        filter: (d: Bar) => d.low !== undefined,
        x1: 'low',
        x2: 'high',
        stroke: 'currentColor',
        strokeWidth: 2,
      }),
      Plot.ruleX([0], { stroke: 'currentColor' }),
      Plot.ruleX(rules, { x: 'at', stroke: 'var(--warn)', strokeDasharray: '4 3' }),
      Plot.text(rules, {
        x: 'at',
        text: 'text',
        frameAnchor: 'top',
        dy: -14,
        textAnchor: 'middle',
        fill: 'var(--warn-text)',
      }),
    ],
  };
}

/** structured: how much each direction loses compared with an unrestricted classifier, with 95 % interval. */
function losses(result: Result): { data: Bar[]; alt: string } | null {
  const [a, b] = result.data.variables;
  const data: Bar[] = [];
  for (const [side, name] of [
    ['first', `${a}->${b}`],
    ['second', `${b}->${a}`],
  ] as const) {
    const loss = result.evidence.find((e) => e.name === `loss of ${name}`);
    const z = result.evidence.find((e) => e.name === `z of ${name}`)?.value;
    if (loss?.value === null || loss?.value === undefined) return null;
    const spread = z ? 1.96 * Math.abs(loss.value / z) : 0;
    const [from, to] = side === 'first' ? [a!, b!] : [b!, a!];
    data.push({
      label: `${shortName(from, 16)} \u2192 ${shortName(to, 16)}`,
      side,
      length: loss.value,
      low: loss.value - spread,
      high: loss.value + spread,
      title:
        `${shortName(from)} \u2192 ${shortName(to)} loses ${number(loss.value)} nats per row\n95 % ` +
        `interval ${number(loss.value - spread)} to ${number(loss.value + spread)}\nno loss: ` +
        `${pWords(loss.p_value)}`,
    });
  }
  return { data, alt: data.map((d) => d.title.replace(/\n/g, '; ')).join('. ') };
}

function lossPicture(result: Result): HTMLElement | null {
  const found = losses(result);
  return (
    found &&
    picture({
      alt: `Loss of each direction. ${found.alt}.`,
      caption:
        'How much worse each direction predicts held-out rows than a model without that restriction. The true ' +
        'direction loses nothing: its bar, with its 95 % interval, reaches zero or lies below. A bar clearly to ' +
        'the right of zero rejects its direction.',
      plot: (width) => bars(found.data, width, 'nats per row lost \u2192'),
    })
  );
}

/** Methods with tests: the p-values for the two directions, as powers of ten. */
function testPicture(result: Result, form: string): HTMLElement | null {
  const pairs = mirrored(result).filter((m) => m.first.p_value !== null && m.second.p_value !== null);
  if (pairs.length === 0) return null;
  const data = pairs.flatMap((m) =>
    [m.first, m.second].map((e, k): Bar => ({
      label: shortName(e.name, 48),
      side: k ? 'second' : 'first',
      length: strength(e.p_value!),
      title: `${shortName(e.name, 80)}\n${pWords(e.p_value)}\n${wrap(e.text)}`,
    })),
  );
  const level = result.evidence.find((e) => e.name === 'level of each test')?.value;
  const [a, b] = result.data.variables.map((v) => shortName(v));
  const names = new Set(result.evidence.map((e) => e.name));
  const reading = names.has(`hsic(${result.data.variables[0]}, N_${result.data.variables[1]})`)
    ? ` A cause is independent of the disturbance N of its effect: if ${a} causes ${b}, the bar of ${a} ` +
      `and N_${b} is short and all others are long; if ${b} causes ${a}, that of ${b} and N_${a}.`
    : '';
  return picture({
    alt:
      `P-values of the tests in both directions: ` +
      `${data.map((d) => d.title.split('\n').slice(0, 2).join(' ')).join('; ')}.`,
    caption:
      `How clearly each test rejects: the bar is \u2212log10 of the p-value, at most that of ${pValueBound()}. ` +
      `Every two bars are one test in two forms, one per ${form}.` +
      (level ? ' Bars beyond the broken line reject.' : '') +
      reading,
    plot: (width) =>
      bars(
        data,
        width,
        '\u2212log10 of the p-value \u2192',
        level ? [{ at: strength(level), text: `level ${number(level)}` }] : [],
      ),
  });
}

/** Methods without tests: the two values side by side. */
function valuePicture(result: Result): HTMLElement | null {
  const pair = mirrored(result).find((m) => m.first.value !== null && m.second.value !== null);
  if (!pair) return null;
  const data = [pair.first, pair.second].map((e, k): Bar => ({
    label: shortName(e.name, 48),
    side: k ? 'second' : 'first',
    length: e.value!,
    title: `${shortName(e.name, 80)}: ${number(e.value)}\n${wrap(e.text)}`,
  }));
  return picture({
    alt: data.map((d) => d.title.replace(/\n/g, ': ')).join('; '),
    caption: sentence(pair.first.text),
    plot: (width) => bars(data, width, 'value \u2192'),
  });
}

export function wrap(text: string, columns = 60): string {
  return sentence(text).replace(new RegExp(`(?![^\\n]{1,${columns}}$)([^\\n]{1,${columns}})\\s`, 'g'), '$1\n');
}

/** Graphs: what each edge gains, and what is lost if it is reversed. */
function arrowPicture(result: Result): HTMLElement | null {
  const data: Bar[] = [];
  for (const e of result.edges ?? []) {
    const gain = result.evidence.find((x) => x.name === `gain(${e.from}->${e.to})`);
    const lost = reversal(result, e.from, e.to);
    const arrow = `${shortName(e.from, 14)} \u2192 ${shortName(e.to, 14)}`;
    if (gain?.value !== null && gain?.value !== undefined) {
      data.push({
        label: `${arrow}: edge present`,
        side: 'first',
        length: gain.value,
        title: `${arrow} gains ${number(gain.value)} nats per row over no edge\n${pWords(gain.p_value)}`,
      });
    }
    if (lost?.value !== null && lost?.value !== undefined) {
      data.push({
        label: `${arrow}: this direction`,
        side: 'second',
        length: lost.value,
        title: `Reversing ${arrow} loses ${number(lost.value)} nats per row\n${pWords(lost.p_value)}`,
      });
    }
  }
  const most = 60;
  return data.length === 0
    ? null
    : picture({
        alt: `For each edge what it gains over no edge and over the opposite direction. ${data
          .slice(0, 20)
          .map((d) => d.title.replace(/\n/g, '; '))
          .join('. ')}.`,
        caption:
          'What each edge gains on held-out rows: over no edge ("edge present"), and over the opposite direction ' +
          '("this direction"). The second bar is the evidence for the direction.' +
          (data.length > most ? ` The first ${most / 2} edges; the table has all.` : ''),
        plot: (width) => bars(data.slice(0, most), width, 'nats per row gained \u2192'),
      });
}

const KINDS = ['a --> b', 'b --> a', 'a --- b', 'a <-> b', 'none'] as const;
const KIND_WORDS: Record<string, string> = {
  'a --> b': 'first causes second',
  'b --> a': 'second causes first',
  'a --- b': 'direction open',
  'a <-> b': 'two heads',
  none: 'no edge',
};

function bootstrapPicture(result: Result): HTMLElement | null {
  const all = result.bootstrap?.pairs ?? [];
  if (all.length === 0) return null;
  const strongest = [...all].sort((p, q) => (p.none ?? 1) - (q.none ?? 1)).slice(0, 30);
  const label = (a: string, b: string): string => `${shortName(a, 14)} \u2013 ${shortName(b, 14)}`;
  const rows = strongest.flatMap((p, i) => {
    let at = 0; // an edge of two kinds in one sample counts for each: shares are scaled to sum to one
    const sum = KINDS.reduce((total, kind) => total + (p[kind] ?? 0), 0) || 1;
    return KINDS.map((kind) => {
      const from = at;
      at += (p[kind] ?? 0) / sum;
      return {
        i,
        label: label(p.a, p.b),
        kind,
        from,
        to: at,
        title: `${label(p.a, p.b)}\n${KIND_WORDS[kind]}: ${share(p[kind])} of the bootstrap samples`,
      };
    });
  });
  const colours = ['var(--first)', 'var(--second)', 'var(--third)', 'var(--fourth)', 'var(--faint)'];
  const legend = el(
    'p',
    { class: 'legend' },
    ...KINDS.map((kind, i) =>
      el('span', {}, el('span', { class: `swatch swatch-${i}`, 'aria-hidden': 'true' }), KIND_WORDS[kind] ?? kind),
    ),
  );
  const figure = picture({
    alt: `Shares of bootstrap samples with each kind of edge: ${strongest
      .slice(0, 10)
      .map((p) => `${label(p.a, p.b)} ${KINDS.map((k) => `${KIND_WORDS[k]} ${share(p[k])}`).join(', ')}`)
      .join('; ')}.`,
    caption:
      `Both directions in ${result.bootstrap!.replicates} bootstrap samples of the rows: the share of samples with ` +
      `each kind of edge, most certain pairs first.`,
    plot: (width) => ({
      width,
      height: 60 + 24 * strongest.length,
      marginLeft: Math.min(longest(rows.map((r) => r.label)), width * 0.42),
      marginRight: 20,
      x: { label: 'share of bootstrap samples \u2192', percent: true, domain: [0, 100] },
      y: {
        label: null,
        type: 'band',
        domain: strongest.map((_, i) => i),
        tickFormat: (i: number) => label(strongest[i]!.a, strongest[i]!.b),
      },
      color: { domain: [...KINDS], range: colours },
      marks: [
        Plot.barX(rows, {
          y: 'i',
          x1: 'from',
          x2: 'to',
          fill: 'kind',
          title: 'title',
          tip: true,
          insetLeft: 0.5,
          insetRight: 0.5,
        }),
      ],
    }),
  });
  figure.prepend(legend);
  return figure;
}

function evidenceTable(result: Result): HTMLElement {
  return behind(`Table: all ${result.evidence.length} values of the evidence`, {
    head: ['name', 'value', 'p-value', 'what it is'],
    figures: [1, 2],
    rows: () => result.evidence.map((e) => [longName(e.name), number(e.value), pValue(e.p_value), sentence(e.text)]),
  });
}

function bootstrapTable(result: Result): HTMLElement | null {
  const pairs = result.bootstrap?.pairs;
  return pairs
    ? behind('Table: shares of bootstrap samples', {
        head: ['first', 'second', 'edge present', ...KINDS.map((k) => KIND_WORDS[k] ?? k)],
        figures: [2, 3, 4, 5, 6, 7],
        rows: () =>
          pairs.map((p) => [
            longName(p.a),
            longName(p.b),
            share(p.none === null ? null : 1 - p.none),
            ...KINDS.map((k) => share(p[k])),
          ]),
      })
    : null;
}

export function evidenceSection(report: Report): HTMLElement | null {
  const { result } = report;
  if (result.evidence.length === 0 && !result.bootstrap) return null;
  const pictures = result.edges
    ? [bootstrapPicture(result), arrowPicture(result)]
    : [
        lossPicture(result) ??
          testPicture(result, report.name === 'direction' ? 'direction' : 'variable') ??
          valuePicture(result),
      ];
  const there = pictures.filter((p): p is HTMLElement => p !== null);
  return section(
    'evidence',
    result.edges || report.name !== 'direction' ? 'Evidence' : 'Evidence in both directions',
    there.length === 0 &&
      el(
        'p',
        {},
        result.edges
          ? 'There is no picture: no edge has values of its own. The evidence is in the table.'
          : 'This method has no value for each of the two directions; its evidence is in the table.',
      ),
    ...there,
    bootstrapTable(result),
    result.evidence.length > 0 && evidenceTable(result),
  );
}
