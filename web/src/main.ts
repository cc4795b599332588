// The page: sections in the order in which readers ask.
import { aboutSection, footer } from './about';
import { decisionSection, decisionWords, sourceWords } from './decision';
import { el } from './dom';
import { evidenceSection } from './evidence';
import { explainSection } from './explain';
import { graphSection } from './graph';
import { checksSection } from './checks';
import { rowsSection } from './scatter';
import { segmentsSection, trainingSection } from './segments';
import './style.css';
import { setNames, setPValueBound } from './text';
import { themeSwitch } from './theme';
import type { Report } from './types';
import { isEffect } from './what_if';
import { whatIfSection } from './what_if_pictures';

function navigation(sections: HTMLElement[], answer: string): HTMLElement {
  return el(
    'nav',
    { 'aria-label': 'Sections' },
    ...sections.map((s) =>
      el('a', { href: `#${s.id}` }, s.id === 'decision' ? answer : (s.querySelector('h2')?.textContent ?? s.id)),
    ),
  );
}

function build(report: Report, page: HTMLElement): void {
  setPValueBound(report.p_value_bound);
  const { result, display } = report;
  setNames([...result.data.variables, ...(result.nodes ?? []), ...(display?.labels ?? [])]);
  const rows = rowsSection(report);
  const jump = (a: string, b: string): void => {
    rows?.show(a, b);
    rows?.section.scrollIntoView({ block: 'start' });
  };
  const sections = [
    decisionSection(report),
    explainSection(report),
    whatIfSection(report),
    report.result.edges ? graphSection(report, jump) : null,
    evidenceSection(report),
    checksSection(report),
    rows?.section ?? null,
    segmentsSection(report),
    trainingSection(report.result),
    aboutSection(report),
  ].filter((s): s is HTMLElement => s !== null);
  const answer = isEffect(report.result) ? 'Answer' : 'Decision';
  page.replaceChildren(
    el('a', { class: 'skip', href: '#decision' }, `Skip to the ${answer.toLowerCase()}`),
    el('header', {}, el('span', { class: 'brand' }, `nonsens ${report.name}`), navigation(sections, answer), themeSwitch()),
    el('main', {}, ...sections),
    footer(report),
  );
  const source = sourceWords(report);
  const title = `${source ? `${source}: ` : ''}${decisionWords(report).headline} \u2013 nonsens`;
  document.title = title.replace(/[\u2068\u2069]/g, '');
}

const page = document.getElementById('page')!;
const report = JSON.parse(document.getElementById('report')!.textContent ?? 'null') as Report | string;
if (typeof report === 'string')
  page.replaceChildren(el('p', {}, 'This is the empty page; nonsens fills it in (--html, or nonsens report).'));
else build(report, page);
