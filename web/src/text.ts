// Names and numbers as they are shown.  Names come from data files and may hold anything: they only ever become text
// nodes and attributes, are cut where they are long, and cannot turn the direction of the text around them.

const ISOLATE = '\u2068';
const END_ISOLATE = '\u2069';
const SHORT = 28;
const LONG = 200;
const SENTENCE = 4000;

/** Control characters as the pictures that Unicode has of them; marks that turn the direction of text are left out. */
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

/** A name in a sentence, a label or a legend. */
export function shortName(text: string, most = SHORT): string {
  return ISOLATE + cut(visible(text), most) + END_ISOLATE;
}

/** A name where there is room. */
export function longName(text: string): string {
  return cut(visible(text), LONG);
}

/** What the result says in words. */
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

/** Smaller p-values are not shown as numbers, since no law of a test was checked further out. */
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
  return p < bound ? `< ${bound}` : number(p, 3);
}

/** A p-value in a sentence: "p = 0.03", "p < 0.001". */
export function pWords(p: number | null | undefined): string {
  if (p === null || p === undefined) return 'no p-value';
  return `p ${p < bound ? '' : '= '}${pValue(p)}`;
}

export function count(n: number, thing: string, things = `${thing}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? thing : things}`;
}

export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? '\u2013' : `${Number((100 * value).toPrecision(3))} %`;
}

/** Labels with numbers in them in the order of these numbers. */
const collator = new Intl.Collator('en', { numeric: true });
export function byLabel(a: string, b: string): number {
  return collator.compare(a, b);
}

/** "a->b" taken apart with the help of the two names, which may hold arrows themselves. */
export function direction(text: string | null | undefined, variables: string[]): [string, string] | null {
  const [a, b] = variables;
  if (!text || a === undefined || b === undefined) return null;
  if (text === `${a}->${b}`) return [a, b];
  return text === `${b}->${a}` ? [b, a] : null;
}
