// The paragraph at the top, for readers who read nothing else: what the data show, how certain it is, and next checks.
import { findings, reversal, type Finding } from './checks';
import { effectFigures, hasEffect } from './effect';
import { count, direction, number, pWords, sentence, share, shortName } from './text';
import type { Change, Edge, Report, ResampledPair, Result } from './types';
import { IF, isEffect } from './what_if';

export interface Summary {
  what: string[];
  sure: string[];
  next: string[];
}

const LISTED = 4;
const STEPS = 3;

export function joined(parts: string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function namesOf(all: string[], most = LISTED): string {
  const shown = all.slice(0, most).map((name) => shortName(name));
  return joined(all.length > most ? [...shown, `${all.length - most} more`] : shown);
}

function level(report: Report): number {
  return Number(report.options.find((o) => o.key === 'alpha')?.value ?? 0.05);
}

/* ---- a pair ---- */

function pairWhat(result: Result): string[] {
  const [a = 'x', b = 'y'] = result.data.variables.map((v) => shortName(v));
  const found = direction(result.decision, result.data.variables)?.map((v) => shortName(v));
  const better = direction(result.direction, result.data.variables)?.map((v) => shortName(v));
  if (found && result.assumes_effect)
    return [`${found[0]} \u2192 ${found[1]} is the more likely direction. The method assumes that one of the two causes the other.`];
  if (found) return [`A change that starts in ${found[0]} passes on to ${found[1]}; one that starts in ${found[1]} does not pass on to ${found[0]}.`];
  if (result.decision === 'independent') return [`Inside the segments ${a} and ${b} do not visibly depend on each other, so neither causes the other.`];
  if (result.decision === 'dependent') return [`${a} and ${b} depend on each other.`];
  if (result.decision === 'neither') return ['An assumption of the method does not hold for these data, so it names no cause.'];
  return [
    'The data do not decide which of the two is the cause.',
    ...(better ? [`If one direction must be named, ${better[0]} \u2192 ${better[1]} fits better.`] : []),
  ];
}

const ALTERNATIVES: Record<string, string> = {
  'hidden-cause': 'a hidden common cause',
  'measurement-error': 'an error in the measured cause',
  'mechanism-change': 'a mechanism that differs between segments',
  selection: 'a selection of rows',
};

/** Does the decided direction leave another explanation open? */
function firmness(result: Result): string[] {
  if (result.firm === undefined || result.firm === null) return [];
  if (result.firm) return ['This is firm: no other explanation that was checked remains.'];
  const words = (result.alternatives ?? []).map((name) => ALTERNATIVES[name] ?? name);
  const last = words.pop();
  return [`This is not firm: ${words.length ? `${words.join(', ')} or ` : ''}${last ?? 'another explanation'} could look the same.`];
}

function evidenceOfPair(report: Report): string[] {
  const { result } = report;
  if (!direction(result.decision, result.data.variables)) return [];
  if (typeof result.p_value !== 'number') return ['This method has no p-value.'];
  return result.p_value < level(report)
    ? [`The opposite direction is rejected (${pWords(result.p_value)}).`]
    : [`The opposite direction is not rejected (${pWords(result.p_value)}).`];
}

function opinions(result: Result): string[] {
  const all = result.opinions ?? [];
  const agree = all.filter((o) => o.decision === result.decision).length;
  if (all.length === 0 || !direction(result.decision, result.data.variables)) return [];
  if (all.length === 1) {
    const words = agree ? 'agrees' : all[0]!.decision === 'inconclusive' ? 'cannot tell' : 'disagrees';
    return [`A second method (${all[0]!.method}) ${words}.`];
  }
  return [`${agree} of ${all.length} other methods agree.`];
}

/* ---- a graph ---- */

function incoming(edges: Edge[]): [string, string[]][] {
  const causes = new Map<string, string[]>();
  for (const e of edges.filter((edge) => edge.type === '-->')) causes.set(e.to, [...(causes.get(e.to) ?? []), e.from]);
  return [...causes];
}

/** Effects in the order of the graph, causes first. */
function graphWhat(result: Result): string[] {
  const edges = result.edges ?? [];
  const order = result.order ?? result.nodes ?? [];
  const effects = incoming(edges).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const words = effects.slice(0, LISTED).map(([to, from]) => `${namesOf(from)} ${from.length === 1 ? 'causes' : 'cause'} ${shortName(to)}`);
  if (effects.length > LISTED) words.push(`${count(effects.length - LISTED, 'more variable')} ${effects.length === LISTED + 1 ? 'has' : 'have'} causes (see the graph)`);
  const open = edges.filter((e) => e.type === '---');
  const heads = edges.filter((e) => e.type === '<->');
  return [
    ...(words.length ? [`In this graph ${words.join('; ')}.`] : []),
    ...(open.length ? [`The direction is open for ${pairsOf(open)}.`] : []),
    ...(heads.length ? [`A hidden common cause is possible for ${pairsOf(heads)}.`] : []),
    ...(edges.length === 0 ? ['No variable is seen to depend on another one.'] : []),
  ];
}

function pairsOf(edges: Edge[]): string {
  const shown = edges.slice(0, LISTED).map((e) => `${shortName(e.from)} \u2013 ${shortName(e.to)}`);
  return joined(edges.length > LISTED ? [...shown, `${edges.length - LISTED} more`] : shown);
}

/** The shares of bootstrap samples in which an edge is found, in either direction and in this one. */
export interface Support {
  present: number | null;
  direction: number | null;
}

export function supportOf(e: Edge, result: Result): Support {
  const is = (p: ResampledPair): boolean => (p.a === e.from && p.b === e.to) || (p.a === e.to && p.b === e.from);
  const pair = result.bootstrap?.pairs.find(is);
  const present = pair && typeof pair.none === 'number' ? 1 - pair.none : null;
  const kind = !pair || e.type !== '-->' ? null : pair.a === e.from ? pair['a --> b'] : pair['b --> a'];
  return { present, direction: kind ?? (e.type === '-->' ? (e.support ?? null) : null) };
}

function graphSure(report: Report): string[] {
  const { result } = report;
  const arrows = (result.edges ?? []).filter((e) => e.type === '-->');
  const tested = arrows.map((e) => reversal(result, e.from, e.to)?.p_value).filter((p): p is number => typeof p === 'number');
  const firm = tested.filter((p) => p <= 0.05).length;
  const supports = arrows.map((e) => supportOf(e, result));
  const least = (of: (s: Support) => number | null): number | null => {
    const known = supports.map(of).filter((x): x is number => x !== null);
    return known.length ? Math.min(...known) : null;
  };
  const [present, way] = [least((s) => s.present), least((s) => s.direction)];
  return [
    ...(tested.length
      ? [
          firm === tested.length
            ? `Reversing any of ${count(tested.length, 'edge')} that can be reversed predicts held-out rows worse.`
            : `${firm} of ${count(tested.length, 'direction')} ${firm === 1 ? 'is' : 'are'} established; the others could be reversed.`,
        ]
      : []),
    ...(present !== null && present === 1 && way === 1
      ? ['Every edge is found, in this direction, in all bootstrap samples.']
      : present !== null && way !== null
        ? [`Every edge is present in at least ${share(present)} of the bootstrap samples, and in this direction in at least ${share(way)}.`]
        : way !== null
          ? [`Every edge is found in at least ${share(way)} of the bootstrap samples.`]
          : []),
    ...(tested.length === 0 && way === null && arrows.length > 0 ? ['How stable the edges are was not measured (--bootstrap).'] : []),
  ];
}

/** Largest direct effects, in words: what a manager can act on. */
function graphSizes(result: Result): string[] {
  const known = (result.edges ?? []).filter((e) => hasEffect(e) && (e.p_value ?? 0) < 0.05);
  return known.length && known.length <= 2
    ? known.map((e) => `The direct effect of ${shortName(e.from)} on ${shortName(e.to)} is ${effectFigures(e)}.`)
    : [];
}

/* ---- explain ---- */

function changeSure(c: Change): string {
  const parts = [
    ...(c.how ? [sentence(c.how)] : []),
    ...(typeof c.scale === 'number' && /wider|narrower/.test(c.how) ? [`its noise is ${number(c.scale, 3)} times as wide`] : []),
    ...(typeof c.p_value === 'number' ? [pWords(c.q_value ?? c.p_value).replace(/^p/, c.q_value === null ? 'p' : 'q')] : []),
  ];
  return `${shortName(c.variable)}: ${parts.join(', ')}`;
}

function explained(report: Report): Summary {
  const e = report.result.explain!;
  const changes = e.variables.filter((c) => e.root_causes.includes(c.variable));
  const followers = e.variables.filter((c) => c.verdict === 'follows').map((c) => c.variable);
  const unclear = e.variables.filter((c) => c.verdict === 'unclear').map((c) => c.variable);
  const of = shortName(e.of);
  const against = e.against === null ? 'all other segments' : shortName(e.against);
  const them = changes.length === 1 ? 'this variable' : 'these variables';
  const many = followers.length > 1;
  return {
    what: [
      `Compared with ${against} (${count(e.against_rows, 'row')}), ${of} (${count(e.of_rows, 'row')}) differs in what enters ` +
        `${e.root_causes.length ? `${namesOf(e.root_causes)}, beyond what ${them === 'this variable' ? 'its' : 'their'} causes explain` : 'no single variable visibly'}.`,
      ...(followers.length ? [`${namesOf(followers)} changed only because ${many ? 'their' : 'its'} causes did.`] : []),
      ...(unclear.length ? [`There is no verdict for ${namesOf(unclear)}.`] : []),
    ],
    sure: changes.length ? [`${changes.slice(0, 3).map(changeSure).join('; ')}.`] : [],
    next: e.root_causes.length
      ? [`what happened to ${namesOf(e.root_causes)} in ${of}: settings, sensors, supplies, people`]
      : [],
  };
}

/* ---- effect ---- */

function effected(report: Report, words: string[]): Summary {
  const { result } = report;
  const settle = [...new Set((result.effects ?? []).map((a) => a.settle).filter((s): s is string => !!s))];
  return {
    what: words.filter((line) => line !== IF),
    sure: [],
    next: [
      ...(settle.length ? ['what would settle the answer, named above'] : []),
      'whether the graph is right: an effect holds only if its graph does',
    ],
  };
}

/* ---- what to check ---- */

/** What any answer leaves to people who know the data. */
function unrecorded(report: Report): string[] {
  const { result } = report;
  const found = direction(result.decision, result.data.variables);
  if (found)
    return [
      `whether something that was not recorded acts on both ${shortName(found[0])} and ${shortName(found[1])}`,
      `if possible, change ${shortName(found[0])} on purpose and see whether ${shortName(found[1])} follows`,
    ];
  if (result.edges?.length && report.name === 'discover')
    return ['whether something that was not recorded acts on several variables', 'if possible, change a cause on purpose and see whether its effects follow'];
  return [];
}

function steps(checks: Finding[]): string[] {
  const asked = checks.filter((f) => f.level === 'problem' || f.level === 'caution');
  const own = asked.flatMap((f) => (f.next ? [f.next] : []));
  return [...new Set(own)].slice(0, STEPS);
}

function standing(checks: Finding[]): string[] {
  const of = (wanted: Finding['level']): string[] => checks.filter((f) => f.level === wanted).map((f) => f.title);
  const [problems, cautions] = [of('problem'), of('caution')];
  const which = (titles: string[]): string => (titles.length <= 2 ? `: ${titles.map((t) => `\u201c${t}\u201d`).join(' and ')}` : '');
  if (problems.length)
    return [`${count(problems.length, 'check')} ${problems.length === 1 ? 'speaks' : 'speak'} against the assumptions${which(problems)}.`];
  if (cautions.length) return [`${count(cautions.length, 'check')} ${cautions.length === 1 ? 'asks' : 'ask'} for caution${which(cautions)}.`];
  return ['No check speaks against it.'];
}

/** `words`: what the answer of effect says, unless it is shown above the paragraph. */
export function summaryOf(report: Report, words: string[]): Summary {
  const { result } = report;
  const checks = findings(report);
  const pair = report.name === 'direction' || report.name === 'independence';
  const own: Summary = result.explain
    ? explained(report)
    : isEffect(result)
      ? effected(report, words)
      : result.edges
        ? { what: graphWhat(result), sure: [...graphSure(report), ...graphSizes(result)], next: [] }
        : { what: pair ? pairWhat(result) : [], sure: pair ? [...evidenceOfPair(report), ...firmness(result), ...opinions(result)] : [], next: [] };
  return {
    what: own.what,
    sure: [...own.sure, ...standing(checks)],
    next: [...new Set([...own.next, ...steps(checks), ...unrecorded(report)])].slice(0, STEPS),
  };
}
