// Creates elements without innerHTML: whatever a name contains, it becomes text.

import { CUT, CUT_NAME, wholeName } from './text';

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | null | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  setAll(node, attributes);
  add(node, children);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAll(node, attributes);
  add(node, children);
  return node;
}

function setAll(node: Element, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
}

/** Adds text in which names may be cut: pointing at one shows the whole name. */
function addCut(node: Element, text: string): void {
  if (node instanceof HTMLElement && !['OPTION', 'TITLE'].includes(node.tagName)) {
    for (const part of text.split(CUT_NAME)) {
      const whole = wholeName(part);
      node.append(whole === null ? part : el('span', { class: 'cut', title: whole }, new Text(part)));
    }
    return;
  }
  node.append(text);
  const whole = text.split(CUT_NAME).map(wholeName).filter((name) => name !== null);
  if (whole.length > 0 && node instanceof HTMLElement) node.title = whole.join(', ');
  else if (whole.length > 0 && !['title', 'tspan'].includes(node.tagName)) node.append(svg('title', {}, new Text(whole.join(', '))));
}

/** Does the same for a picture drawn by a library. */
export function nameCuts(drawn: Element): void {
  for (const text of drawn.querySelectorAll('text')) {
    const whole = (text.textContent ?? '').split(CUT_NAME).map(wholeName).filter((name) => name !== null);
    if (whole.length > 0 && text.childElementCount === 0) text.append(svg('title', {}, new Text(whole.join(', '))));
  }
}

function add(node: Element, children: Child[]): void {
  for (const child of children) {
    if (typeof child === 'string' && child.includes(CUT)) addCut(node, child);
    else if (child) node.append(child);
  }
}

/** Details that are closed until the reader opens them. */
export function folded(title: string, ...children: Child[]): HTMLElement {
  return el('details', { class: 'behind' }, el('summary', {}, title), ...children);
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return el('section', { id, 'aria-labelledby': `${id}-title` }, el('h2', { id: `${id}-title` }, title), ...children);
}

let buttons = 0;
/** A choice among texts, with its label; calls back with the index of the choice. */
export function chooser(
  label: string,
  items: string[],
  selected: number,
  changed: (index: number) => void,
): HTMLElement {
  const id = `choice-${++buttons}`;
  const select = el(
    'select',
    { id, change: () => changed(select.selectedIndex) },
    ...items.map((text, i) => el('option', { value: i, selected: i === selected }, text)),
  );
  return el('span', { class: 'choice' }, el('label', { for: id }, label), ' ', select);
}
