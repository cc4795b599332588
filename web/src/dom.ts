// Elements without innerHTML: whatever a name holds, it is text.

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

function add(node: Element, children: Child[]): void {
  for (const child of children) {
    if (child) node.append(child);
  }
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return el('section', { id, 'aria-labelledby': `${id}-title` }, el('h2', { id: `${id}-title` }, title), ...children);
}

let buttons = 0;
/** A choice among texts, with its label; calls back with the index. */
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
