// How to get the same result again: command, options, seed; and how the page is made.
import { el, folded, section } from './dom';
import { behind } from './tables';
import { count, longName, number, sentence } from './text';
import type { Report } from './types';

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function commandBox(command: string): HTMLElement {
  const code = el('code', {}, command);
  const said = el('span', { class: 'quiet', role: 'status' });
  const button = el(
    'button',
    {
      type: 'button',
      click: () => {
        void copy(command).then((done) => {
          if (!done) window.getSelection()?.selectAllChildren(code);
          said.textContent = done ? 'Copied.' : 'Selected: press Ctrl+C.';
        });
      },
    },
    'Copy',
  );
  return el(
    'div',
    { class: 'command' },
    el('pre', { tabindex: 0, 'aria-label': 'Command that gives the same result' }, code),
    el('p', {}, button, ' ', said),
  );
}

function facts(report: Report): HTMLElement {
  const { result } = report;
  const rows: [string, string][] = [
    ['nonsens', result.nonsens.version],
    ['method', result.method + (report.method ? `: ${report.method.summary}` : '')],
    ['source', report.method?.citation ?? ''],
    ['seed', String(result.nonsens.seed ?? '')],
    ['data_hash', result.nonsens.data_hash],
    ['rows', result.data.rows.toLocaleString('en')],
    ['segments', String(result.data.segments)],
    [
      'variables',
      result.data.variables
        .map((v) => longName(v))
        .slice(0, 60)
        .join(', '),
    ],
    ['seconds', result.seconds == null ? '' : `${number(result.seconds, 3)} on ${count(result.nonsens.threads ?? 1, 'thread')}`],
  ];
  return el(
    'dl',
    { class: 'about' },
    ...rows.filter(([, value]) => value !== '').map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', { dir: 'auto' }, value))),
  );
}

export function aboutSection(report: Report): HTMLElement {
  const set = report.options.filter((o) => o.value !== o.usual);
  return section(
    'again',
    'To get the same result again',
    commandBox(report.command),
    el(
      'p',
      { class: 'quiet' },
      `With nonsens ${report.result.nonsens.version} on the same data. The number of threads, the order of rows ` +
        `and the names of labels do not matter.`,
    ),
    folded('Version, seed and data', facts(report)),
    el(
      'p',
      {},
      set.length
        ? `Options that were set: ${set.map((o) => `${o.key} = ${longName(o.value)}`).join('; ')}.`
        : 'All options have their default values.',
    ),
    behind(`Table: all ${report.options.length} options`, {
      head: ['option', 'value', 'default', 'group', 'what it does'],
      rows: () => report.options.map((o) => [o.key, longName(o.value), o.usual, o.group, sentence(o.text)]),
    }),
  );
}

export function footer(report: Report): HTMLElement {
  const licences = el('pre', { class: 'licences', tabindex: 0, 'aria-label': 'Licences' });
  const details = el('details', {}, el('summary', {}, 'Libraries in this page and their licences'), licences);
  details.addEventListener('toggle', () => {
    licences.textContent = document.getElementById('licences')?.textContent ?? '';
  });
  return el(
    'footer',
    {},
    el('p', {}, `Made by nonsens ${report.version}. This page is one file: it loads nothing and sends nothing.`),
    details,
  );
}
