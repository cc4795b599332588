// What a test asks of the page from inside the browser: these functions are sent there as they stand.

/** Texts whose contrast to what is behind them is too low (4.5, or 3 for large ones), at most ten of them. */
export function contrasts() {
  const parse = (text) => {
    const [r, g, b, a = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    return { r, g, b, a };
  };
  const light = ({ r, g, b }) =>
    [r, g, b]
      .map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let up = node; up; up = up.parentElement) {
      const colour = parse(getComputedStyle(up).backgroundColor);
      if (colour.a > 0.99) return colour;
    }
    return { r: 255, g: 255, b: 255 };
  };
  const wrong = [];
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (
      !own ||
      node.closest('tbody tr:nth-child(n + 10)') ||
      !node.getClientRects().length ||
      ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(node.tagName)
    )
      continue;
    const style = getComputedStyle(node);
    const isSvg = node.namespaceURI.endsWith('svg');
    const front = parse(isSvg ? style.fill : style.color);
    if (Number.isNaN(front.r) || front.r === undefined) continue;
    const inNode = isSvg && node.closest('.node');
    const back = inNode ? parse(getComputedStyle(inNode.querySelector('rect')).fill) : behind(node);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    if (ratio < (size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700) ? 3 : 4.5)) {
      wrong.push(`${node.tagName} ${node.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
  }
  return wrong.slice(0, 10);
}

/** Pictures, buttons, fields and links without a name; ids that are there twice. */
export function unnamed() {
  const wrong = [];
  for (const node of document.querySelectorAll(
    'svg[role=img], svg.graph, button, select, a, summary, .node, .edge[tabindex]',
  )) {
    const label =
      node.getAttribute('aria-label') ||
      node.textContent.trim() ||
      (node.id && document.querySelector(`label[for="${node.id}"]`)?.textContent);
    if (!label) wrong.push(node.outerHTML.slice(0, 80));
  }
  for (const node of document.querySelectorAll('figure svg.plot')) {
    if (!node.getAttribute('aria-label')) wrong.push(`picture without a text: ${node.outerHTML.slice(0, 80)}`);
  }
  for (const node of document.querySelectorAll('select')) {
    if (!document.querySelector(`label[for="${node.id}"]`)) wrong.push(`select ${node.id} without a label`);
  }
  const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
  ids.forEach((id, i) => ids.indexOf(id) !== i && wrong.push(`id ${id} twice`));
  if (document.documentElement.lang !== 'en' || document.querySelectorAll('h1').length !== 1)
    wrong.push('language or headline');
  return wrong.slice(0, 10);
}
