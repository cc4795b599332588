// Tables: the values behind every picture, created when they are opened.  Columns without any value are omitted.
import { el } from './dom';

export interface Table {
  head: string[];
  rows: () => (string | Node)[][];
  /** Columns of numbers, which are right-aligned. */
  figures?: number[];
}

const ROWS_MOST = 2500;

/** Texts up to this length stay on one line. */
const SHORT = 16;
const NONE = '\u2013';

function isShort(text: string | Node): boolean {
  return typeof text === 'string' && text.length <= SHORT;
}

function isEmpty(cell: string | Node): boolean {
  return typeof cell === 'string' ? cell === '' || cell === NONE : cell.textContent === '';
}

/** Removes the columns that are empty in every row, except the first. */
function filled(t: Table): { head: string[]; figures: Set<number>; rows: (string | Node)[][] } {
  const rows = t.rows();
  const kept = t.head.flatMap((_, j) => (j === 0 || rows.some((row) => !isEmpty(row[j] ?? '')) ? [j] : []));
  return {
    head: kept.map((j) => t.head[j]!),
    figures: new Set(kept.flatMap((j, k) => (t.figures?.includes(j) ? [k] : []))),
    rows: rows.map((row) => kept.map((j) => (row[j] === NONE ? '' : row[j]!))),
  };
}

export function table(t: Table): HTMLElement {
  const { head, figures, rows } = filled(t);
  const cell = (text: string | Node, j: number): HTMLElement =>
    j === 0
      ? el('th', { scope: 'row', dir: 'auto', class: isShort(text) && 'short' }, text)
      : el('td', { class: figures.has(j) ? 'figure' : isShort(text) && 'short', dir: 'auto' }, text);
  const body = el('tbody', {}, ...rows.slice(0, ROWS_MOST).map((row) => el('tr', {}, ...row.map(cell))));
  const whole = el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table' },
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el('tr', {}, ...head.map((text, j) => el('th', { scope: 'col', class: [figures.has(j) && 'figure', isShort(text) && 'brief'].filter(Boolean).join(' ') || null }, text))),
      ),
      body,
    ),
  );
  if (rows.length > ROWS_MOST) whole.append(el('p', {}, `The first ${ROWS_MOST} of ${rows.length} rows.`));
  return whole;
}

/** The table of a picture, closed until the reader opens it. */
export function behind(title: string, t: Table | (() => Table), open = false): HTMLElement {
  const details = el('details', { class: 'behind' }, el('summary', {}, title));
  const fill = (): void => {
    if (details.childElementCount === 1) details.append(table(typeof t === 'function' ? t() : t));
  };
  details.addEventListener('toggle', () => details.open && fill());
  if (open) {
    details.open = true;
    fill();
  }
  return details;
}
