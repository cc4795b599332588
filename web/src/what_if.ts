// The answer of effect in words: what would change, by how much, how certain that is.  If there is no single answer,
// that comes first, with the data that would settle it.
import { count, number, sentence, shortName } from './text';
import type { Action, Answer, Counterfactual, Distribution, Interval, PairEffect, Report, Result } from './types';

export interface Words {
  headline: string;
  lines: string[];
  /** Answers of several variables, rows or pairs. */
  list: string[];
  kind: 'decided' | 'open';
}

const LISTED = 8;

/** An answer, with the present distribution of the variable. */
export interface Case {
  then: Answer;
  now: Distribution;
}

/** All answers about one variable: all rows first, or the values of a curve. */
export interface Target {
  on: string;
  cases: Case[];
}

export function isEffect(result: Result): boolean {
  return result.effects !== undefined;
}

export function targetsOf(result: Result): Target[] {
  const targets: Target[] = [];
  (result.effects ?? []).forEach((then, k) => {
    if (targets.at(-1)?.on !== then.on) targets.push({ on: then.on, cases: [] });
    targets.at(-1)!.cases.push({ then, now: result.baseline![k]! });
  });
  return targets;
}

/** Pairs that are connected by a directed path. */
export function pairsOf(result: Result): PairEffect[] {
  return (result.quartile_effects ?? []).filter((p) => p.answered !== 'no path');
}

/** "95 %", with a non-breaking space. */
export function levelOf(report: Report): string {
  const alpha = Number(report.options.find((o) => o.key === 'alpha')?.value ?? 0.05);
  return `${number(100 * (1 - alpha), 3)}\u00a0%`;
}

export function isCurve(target: Target): boolean {
  return target.cases.some((c) => c.then.at !== null);
}

/* ---- parts of sentences ---- */

function joined(parts: string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function names(all: string[], most = 4): string {
  const shown = all.slice(0, most).map((n) => shortName(n));
  return joined(all.length > most ? [...shown, `${all.length - most} more`] : shown);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "2.25 to 2.54"; null without an interval. */
export function span(pair: Interval | null | undefined, digits = 3): string | null {
  const [low, high] = pair ?? [null, null];
  return low === null || high === null ? null : `${number(low, digits)} to ${number(high, digits)}`;
}

function intervalOf(d: Distribution): Interval | null {
  return d.low === null || d.high === null || d.low === d.high ? null : [d.low, d.high];
}

/** "2.39 (2.25 to 2.54)" */
export function estimate(value: number | null, pair: Interval | null, digits = 4): string {
  const around = pair && pair[0] === pair[1] ? null : span(pair, digits);
  if (value === null) return around ?? '';
  return around === null ? number(value, digits) : `${number(value, digits)} (${around})`;
}

export function estimated(d: Distribution, digits = 4): string {
  return estimate(d.mean, intervalOf(d), digits);
}

function actionWords(a: Action, values: number[]): string {
  const name = shortName(a.variable);
  const range = `${number(Math.min(...values), 3)} to ${number(Math.max(...values), 3)}`;
  if (a.kind === 'set')
    return a.value === null ? `setting ${name} to values from ${range}` : `setting ${name} to ${number(a.value)}`;
  if (a.value === null) return `adding ${range} to ${name}`;
  return `${a.value < 0 ? 'lowering' : 'raising'} ${name} by ${number(Math.abs(a.value))}`;
}

/** "setting temp to 30 and raising speed by 1" */
function doing(result: Result): string {
  const values = (result.effects ?? []).map((e) => e.at).filter((x): x is number => x !== null);
  const segment = result.effects?.every((e) => e.segment !== null) ? result.effects[0]?.segment : null;
  const words = result.changes?.length
    ? joined(result.changes.map((a) => actionWords(a, values)))
    : `making ${sentence(result.question ?? '')}`;
  return segment ? `${words} in ${shortName(segment)}` : words;
}

/** "temp = 20", at a value of a curve. */
export function pointWords(result: Result, at: number | null): string {
  const curve = result.changes?.find((a) => a.value === null);
  const value = number(at, 3);
  return curve ? `${shortName(curve.variable)}\u00a0${curve.kind === 'set' ? '=' : '+'}\u00a0${value}` : value;
}

/* ---- one variable ---- */

type Change = 'rises' | 'falls' | 'unclear' | 'same' | 'range' | 'none';

function changeOf({ then }: Case): Change {
  if (then.answered !== 'one') return then.answered === 'no path' ? 'same' : then.answered === 'range' ? 'range' : 'none';
  const { mean, low, high } = then.difference;
  const [from, to] = [low ?? mean ?? 0, high ?? mean ?? 0];
  return from > 0 ? 'rises' : to < 0 ? 'falls' : from === 0 && to === 0 ? 'same' : 'unclear';
}

function by(range: Interval): string {
  const [low, high] = [range[0] ?? 0, range[1] ?? 0];
  if (high <= 0) return `lowers the mean by ${number(-high, 3)} to ${number(-low, 3)}`;
  return `${low >= 0 ? 'raises' : 'changes'} the mean by ${number(low, 3)} to ${number(high, 3)}`;
}

function headlineOf(result: Result, c: Case): string {
  const what = doing(result);
  const on = shortName(c.then.on);
  const size = number(Math.abs(c.then.difference.mean ?? 0), 3);
  switch (changeOf(c)) {
    case 'rises':
      return `${capital(what)} raises the mean of ${on} by ${size}`;
    case 'falls':
      return `${capital(what)} lowers the mean of ${on} by ${size}`;
    case 'same':
      return `${capital(what)} does not change ${on}: the effect is exactly 0`;
    case 'range':
      return `${capital(what)} ${by(c.then.range!).replace('the mean', `the mean of ${on}`)}, depending on open directions`;
    case 'none':
      return `No answer to what ${what} does to ${on}`;
    case 'unclear':
      return `${capital(what)}: no clear change in the mean of ${on}`;
  }
}

export const IF = 'If the assumptions below hold.';
const NO_INTERVAL = 'There are no intervals, because no bootstrap samples were drawn (--draws).';

function linesOf(report: Report, { then, now }: Case): string[] {
  const level = levelOf(report);
  const why = [sentence(then.reason), ...(then.settle ? [sentence(then.settle)] : [])];
  const around = span(intervalOf(then));
  const change = span(intervalOf(then.difference));
  if (then.answered === 'range')
    return [...(change ? [`With sampling error the change lies between ${change.replace(' to ', ' and ')} (${level} interval).`] : []), ...why];
  if (then.answered !== 'one') return why;
  const levels =
    `The mean is ${number(now.mean, 3)} now and would be ${number(then.mean, 3)}` +
    (around ? ` (${level} interval ${around}).` : '.');
  if (!change) return [levels, NO_INTERVAL, IF];
  const zero = (then.difference.low ?? 0) <= 0 && (then.difference.high ?? 0) >= 0;
  return [
    `${levels} The change is ${number(then.difference.mean, 3)} (${level} interval ${change})` +
      (zero ? ': the interval contains 0, so it is not known whether the mean rises or falls.' : '.'),
    IF,
  ];
}

/* ---- a curve ---- */

interface Ends {
  lowest: Case;
  highest: Case;
}

function endsOf(target: Target): Ends | null {
  const known = target.cases.filter((c) => c.then.mean !== null);
  const sorted = [...known].sort((p, q) => p.then.mean! - q.then.mean!);
  return sorted.length > 1 && sorted[0]!.then.mean !== sorted.at(-1)!.then.mean
    ? { lowest: sorted[0]!, highest: sorted.at(-1)! }
    : null;
}

function overlaps({ lowest, highest }: Ends): boolean {
  return (lowest.then.high ?? -Infinity) >= (highest.then.low ?? Infinity);
}

function endWords(result: Result, { then }: Case): string {
  return `${estimated(then, 3)} at ${pointWords(result, then.at)}`;
}

/** The values at which there is no answer, and why. */
export function gaps(result: Result, target: Target): string | null {
  const open = target.cases.filter((c) => c.then.answered === 'none');
  if (open.length === 0 || open.length === target.cases.length) return null;
  return `No answer at ${joined(open.map((c) => pointWords(result, c.then.at)))}: ${sentence(open[0]!.then.reason)}`;
}

function curveWords(report: Report, target: Target): Words | null {
  const { result } = report;
  const ends = endsOf(target);
  if (!ends) return null;
  const { lowest, highest } = ends;
  const overlap = overlaps(ends);
  const missing = gaps(result, target);
  return {
    headline:
      `The mean of ${shortName(target.on)} is lowest at ${pointWords(result, lowest.then.at)} and highest at ` +
      pointWords(result, highest.then.at),
    lines: [
      `Of the values with an answer: ${endWords(result, lowest)} and ${endWords(result, highest)}` +
        `${intervalOf(lowest.then) ? ` (mean with ${levelOf(report)} interval)` : ''}; now it is ` +
        `${number(lowest.now.mean, 3)}.`,
      ...(overlap ? ['The two intervals overlap, so it is not sure that these means differ.'] : []),
      ...(missing ? [missing] : []),
      ...(intervalOf(lowest.then) ? [] : [NO_INTERVAL]),
      IF,
    ],
    list: [],
    kind: !isClear(target) || missing ? 'open' : 'decided',
  };
}

/* ---- several variables ---- */

const RANK: Change[] = ['none', 'range', 'rises', 'falls', 'unclear', 'same'];

function item(report: Report, target: Target): string {
  const c = target.cases[0]!;
  const name = shortName(target.on);
  const ends = isCurve(target) ? endsOf(target) : null;
  if (ends)
    return (
      `${name}: ${isClear(target) ? '' : 'no clear difference; '}lowest ${endWords(report.result, ends.lowest)}, ` +
      `highest ${endWords(report.result, ends.highest)}`
    );
  switch (changeOf(c)) {
    case 'none':
      return `${name}: no answer. ${sentence(c.then.reason)}${c.then.settle ? ` ${sentence(c.then.settle)}` : ''}`;
    case 'range':
      return `${name}: ${by(c.then.range!)}, depending on open directions. ${sentence(c.then.settle ?? '')}`;
    case 'unclear':
      return `${name}: no clear change, ${estimated(c.then.difference, 3)}`;
    default:
      return (
        `${name}: the mean ${changeOf(c)} from ${number(c.now.mean, 3)} to ${number(c.then.mean, 3)}; change ` +
        estimated(c.then.difference, 3)
      );
  }
}

/** Does the mean clearly change, from its present value or over the values of a curve? */
function isClear(target: Target): boolean {
  if (!isCurve(target)) return ['rises', 'falls'].includes(changeOf(target.cases[0]!));
  const known = target.cases.map((c) => c.then).filter((d) => d.mean !== null);
  const lows = known.map((d) => d.low ?? d.mean!);
  const highs = known.map((d) => d.high ?? d.mean!);
  return Math.max(...lows) > Math.min(...highs); // two of the intervals do not overlap
}

function severalWords(report: Report, targets: Target[]): Words {
  const { result } = report;
  const of = (...kinds: Change[]): Target[] => targets.filter((t) => kinds.includes(changeOf(t.cases[0]!)));
  const clear = targets.filter(isClear).map((t) => t.on);
  const same = of('same').map((t) => t.on);
  const shown = targets
    .filter((t) => !same.includes(t.on))
    .sort((p, q) => RANK.indexOf(changeOf(p.cases[0]!)) - RANK.indexOf(changeOf(q.cases[0]!)));
  const list = shown.slice(0, LISTED).map((t) => item(report, t));
  if (shown.length > LISTED) list.push(`and ${shown.length - LISTED} more, in the table below`);
  if (same.length) list.push(`Exactly unchanged, because no directed path leads to them: ${names(same, 12)}`);
  const open = of('none', 'range');
  const headline = open.length
    ? `${capital(doing(result))}: no single answer for ${names(open.map((t) => t.on))}`
    : clear.length
        ? `${capital(doing(result))} changes the mean of ${names(clear)}`
        : `${capital(doing(result))}: no clear change in the mean of any of ${count(targets.length, 'variable')}`;
  const draws = targets.some((t) => t.cases.some((c) => intervalOf(c.then)));
  return {
    headline,
    lines: draws ? [`Means with ${levelOf(report)} intervals, if the assumptions below hold:`] : [NO_INTERVAL, IF],
    list,
    kind: open.length || !clear.length ? 'open' : 'decided',
  };
}

function questionWords(report: Report): Words {
  const targets = targetsOf(report.result);
  const [first] = targets;
  if (targets.length !== 1 || !first) return severalWords(report, targets);
  const curve = isCurve(first) ? curveWords(report, first) : null;
  if (curve) return curve;
  const c = first.cases.find((x) => x.then.answered !== 'none') ?? first.cases[0]!;
  return {
    headline:
      isCurve(first) && changeOf(c) === 'range'
        ? `${capital(doing(report.result))} has no single answer for ${shortName(first.on)}: directions are open`
        : headlineOf(report.result, c),
    lines: linesOf(report, c).slice(isCurve(first) && changeOf(c) === 'range' ? 1 : 0),
    list: [],
    kind: ['none', 'range', 'unclear'].includes(changeOf(c)) ? 'open' : 'decided',
  };
}

/* ---- all pairs ---- */

function holdsZero({ total_interval: ends }: PairEffect): boolean {
  return !!ends && (ends[0] ?? 0) < 0 && (ends[1] ?? 0) > 0;
}

/** "If flow goes from -0.08 to 0.9 ..., the mean of quality rises by 1.93 (...)". */
function pairWords(report: Report, p: PairEffect, open: boolean): string {
  const around = span(p.total_interval);
  const way = holdsZero(p) ? 'changes' : (p.total ?? 0) >= 0 ? 'rises' : 'falls';
  const size = holdsZero(p) ? p.total : Math.abs(p.total ?? 0);
  return (
    `${open ? 'The strongest of the others: if' : 'If'} ${shortName(p.cause)} goes from its lower to its upper quartile (${number(p.from, 3)} to ` +
    `${number(p.to, 3)}) in all rows, the mean of ${shortName(p.on)} ${way} by ${number(size, 3)}` +
    (around ? ` (${levelOf(report)} interval of the change ${around})` : '') +
    `: ${number(holdsZero(p) ? p.standardised : Math.abs(p.standardised ?? 0), 3)} standard deviations of ${shortName(p.on)}.`
  );
}

/** Pairs with an answer, the strongest first. */
export function strongest(pairs: PairEffect[]): PairEffect[] {
  return pairs
    .filter((p) => p.answered === 'one')
    .sort((p, q) => Math.abs(q.standardised ?? 0) - Math.abs(p.standardised ?? 0));
}

function tableWords(report: Report): Words {
  const { result } = report;
  const pairs = pairsOf(result);
  const known = strongest(pairs);
  const first = known.find((p) => !holdsZero(p)) ?? known[0];
  const open = pairs.filter((p) => p.answered !== 'one');
  const unclear = known.filter(holdsZero);
  const among = `among ${count(result.nodes?.length ?? 0, 'variable')}`;
  const reasons = [...new Set(open.map((p) => p.reason))];
  const lines = [
    ...reasons.slice(0, 3).map((reason) => sentence(reason)),
    ...(first ? [pairWords(report, first, open.length > 0)] : []),
    ...(unclear.length ? [`The interval of ${count(unclear.length, 'effect')} contains 0: whether the mean rises or falls is not known.`] : []),
    'All other pairs have no directed path between them: their effects are exactly 0.',
    IF,
  ];
  return {
    headline: !pairs.length
      ? `No effects ${among}: no directed path connects two of them`
      : open.length
        ? `${open.length} of ${count(pairs.length, 'effect')} ${among} ${open.length === 1 ? 'has' : 'have'} no single answer`
        : holdsZero(first!)
          ? `None of ${count(pairs.length, 'effect')} ${among} is clearly different from 0`
          : `The strongest of ${count(pairs.length, 'effect')} ${among}: ${shortName(first!.cause)} ${stepWords(first!)}`,
    lines: pairs.length ? lines : [],
    list: [],
    kind: open.length ? 'open' : 'decided',
  };
}

function stepWords(p: PairEffect): string {
  return `${(p.total ?? 0) >= 0 ? 'raises' : 'lowers'} the mean of ${shortName(p.on)} by ${number(Math.abs(p.total ?? 0), 3)}`;
}

/* ---- rows ---- */

function rowWords(c: Counterfactual): string {
  const name = `${shortName(c.on)} in row ${c.row}`;
  if (c.then === null) return `${name}: no answer; it is ${number(c.now, 3)} now`;
  if (c.then === c.now) return `${name}: the same, ${number(c.now, 3)}`;
  return `${name}: ${estimate(c.then, c.interval, 3)} instead of ${number(c.now, 3)}`;
}

const COVERS = 'the error of the fitted model, if the assumptions below hold';

function rowsWords(report: Report): Words {
  const { result } = report;
  const rows = result.rows!;
  const question = sentence(result.question ?? '').replace(/ ([=+-]) /g, '\u00a0$1\u00a0');
  const [only] = rows;
  const open = rows.some((c) => c.then === null);
  const draws = rows.some((c) => span(c.interval));
  const level = levelOf(report);
  if (rows.length === 1 && only && only.then !== null)
    return {
      headline: `With ${question}, ${shortName(only.on)} in row ${only.row} would have been ${only.then === only.now ? 'the same' : `${number(only.then, 3)}, not ${number(only.now, 3)}`}`,
      lines: only.then === only.now ? [] : [draws ? `${level} interval ${span(only.interval)}. It covers ${COVERS}.` : NO_INTERVAL],
      list: [],
      kind: 'decided',
    };
  const shown = [...rows.filter((c) => c.then === null), ...rows.filter((c) => c.then !== null && c.then !== c.now)];
  const list = shown.slice(0, LISTED).map(rowWords);
  if (shown.length > LISTED) list.push(`and ${(shown.length - LISTED).toLocaleString('en')} more, in the table below`);
  if (!shown.length) list.push('Nothing changes in these rows.');
  return {
    headline: `What ${count(new Set(rows.map((c) => c.row)).size, 'row')} would have been with ${question}`,
    lines: [draws ? `In brackets: ${level} intervals, which cover ${COVERS}:` : NO_INTERVAL],
    list,
    kind: open ? 'open' : 'decided',
  };
}

export function effectAnswer(report: Report): Words {
  const { result } = report;
  if (result.rows?.length) return rowsWords(report);
  return result.effects?.length ? questionWords(report) : tableWords(report);
}
