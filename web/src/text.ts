// Names and numbers as they are shown.  Names come from data files and may contain anything: they only ever become text
// nodes and attributes, are cut in the middle if long, and cannot reverse the text around them.

const ISOLATE = '\u2068';
const END_ISOLATE = '\u2069';
const SHORT = 60;
const LONG = 200;
const SHORTEST_CUT = 8;
const SENTENCE = 4000;

/** Replaces control characters by Unicode's pictures of them, and removes marks that reverse the direction of text. */
function visible(text: string): string {
  return text
    .replace(/[\u0000-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\u007f/g, '\u2421')
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, '');
}

function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : characters.slice(0, most - 1).join('') + '\u2026';
}

/** Stands for the part that is cut out of a name. */
export const CUT = '\u2026';
/** Splits a text at its names, which become separate items. */
export const CUT_NAME = /(\u2068[^\u2068\u2069]*\u2069)/;
const WHOLE_MOST = 2000;
const whole = new Map<string, string>();

/** The whole name for a name that was cut; null for any other text. */
export function wholeName(cutName: string): string | null {
  return whole.get(cutName) ?? null;
}

/** Keeps beginning and end, which say most about a name. */
function cutMiddle(text: string, most: number): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return [...characters.slice(0, most - 1 - end), CUT, ...characters.slice(characters.length - end)].join('');
}

/** Long names of the report: two of them should not look alike once they are cut. */
let long: string[] = [];
const cuts = new Map<string, string>();

export function setNames(names: string[]): void {
  long = [...new Set(names.map(visible))].filter((name) => [...name].length > SHORTEST_CUT);
  cuts.clear();
}

/** The number of characters with which all of them begin. */
function common(names: string[][]): number {
  const [first = [], ...rest] = names;
  const at = first.findIndex((c, i) => rest.some((other) => other[i] !== c));
  return at < 0 ? first.length : at;
}

/** The part in which a name differs from others, with as much around it as there is room for. */
function differing(name: string, others: string[], most: number): string {
  const all = [name, ...others].map((text) => [...text]);
  const letters = all[0]!;
  const start = common(all);
  const end = Math.min(common(all.map((text) => [...text].reverse())), letters.length - start);
  const core = letters.slice(start, letters.length - end);
  const room = most - 2;
  if (core.length >= room) return CUT + cutMiddle(core.join(''), room) + CUT;
  const from = Math.max(0, Math.min(start - Math.floor((room - core.length) / 2), letters.length - room));
  const part = letters.slice(from, from + room).join('');
  return (from > 0 ? CUT : '') + part + (from + room < letters.length ? CUT : '');
}

function cutVisible(shown: string, most: number): string {
  const short = cutMiddle(shown, most);
  if (short === shown) return shown;
  const known = cuts.get(`${most} ${shown}`);
  if (known !== undefined) return known;
  const alike = long.filter((other) => other !== shown && cutMiddle(other, most) === short);
  const result = alike.length === 0 ? short : differing(shown, alike, most);
  cuts.set(`${most} ${shown}`, result);
  return result;
}

function cutName(name: string, most: number): string {
  const shown = visible(name);
  const text = cutVisible(shown, most);
  const short = ISOLATE + text + END_ISOLATE;
  if (text !== shown) whole.set(short, cut(shown, WHOLE_MOST));
  return short;
}

/** A name in a sentence, a label or a legend. */
export function shortName(text: string, most = SHORT): string {
  return cutName(text, most);
}

/** A name that has enough room and may wrap. */
export function longName(text: string): string {
  const short = cutName(text, LONG);
  return wholeName(short) === null ? short.slice(1, -1) : short;
}

/** A sentence of the result. */
export function sentence(text: string): string {
  return cut(visible(text), SENTENCE);
}

export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '\u2013';
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4)
    return value
      .toExponential(digits - 2)
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e');
  return String(Number(value.toPrecision(digits)));
}

/** Smaller p-values are not shown as numbers, because no distribution of a test was verified further out. */
let bound = 0;
export function setPValueBound(value: number): void {
  bound = value;
}
export function pValueBound(): number {
  return bound;
}

/** A p-value in a table: "0.03", "< 0.001". */
export function pValue(p: number | null | undefined): string {
  if (p === null || p === undefined) return '\u2013';
  return p < bound ? `<\u00a0${bound}` : number(p, 3);
}

/** A p-value in a sentence: "p = 0.03", "p < 0.001". */
export function pWords(p: number | null | undefined): string {
  if (p === null || p === undefined) return 'no p-value';
  return `p\u00a0${p < bound ? '' : '=\u00a0'}${pValue(p)}`;
}

export function count(n: number, thing: string, things = `${thing}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? thing : things}`;
}

export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? '\u2013' : `${Number((100 * value).toPrecision(3))} %`;
}

/** Splits "a->b" by means of the two names, which may contain arrows themselves. */
export function direction(text: string | null | undefined, variables: string[]): [string, string] | null {
  const [a, b] = variables;
  if (!text || a === undefined || b === undefined) return null;
  if (text === `${a}->${b}`) return [a, b];
  return text === `${b}->${a}` ? [b, a] : null;
}
