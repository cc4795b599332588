// Tables: the figures behind every picture, made when they are opened.
import { el } from './dom';

export interface Table {
  head: string[];
  rows: () => (string | Node)[][];
  /** Columns of figures, which stand to the right. */
  figures?: number[];
}

const ROWS_MOST = 2500;

export function table(t: Table): HTMLElement {
  const figures = new Set(t.figures ?? []);
  const rows = t.rows();
  const cell = (text: string | Node, j: number): HTMLElement =>
    j === 0
      ? el('th', { scope: 'row', dir: 'auto' }, text)
      : el('td', { class: figures.has(j) && 'figure', dir: 'auto' }, text);
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
        el('tr', {}, ...t.head.map((text, j) => el('th', { scope: 'col', class: figures.has(j) && 'figure' }, text))),
      ),
      body,
    ),
  );
  if (rows.length > ROWS_MOST) whole.append(el('p', {}, `The first ${ROWS_MOST} of ${rows.length} rows.`));
  return whole;
}

/** The table of a picture, closed until somebody asks for it. */
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
