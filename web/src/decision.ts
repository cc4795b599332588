// The decision in words: the first thing on the page.
import { findings } from './checks';
import { el, folded } from './dom';
import { effectFigures, hasEffect } from './effect';
import { explainedWords } from './explain';
import { period } from './labels';
import { joined, summaryOf, supportOf } from './summary';
import { count, direction, number, pValue, pWords, sentence, share, shortName } from './text';
import type { Edge, Report, Result } from './types';
import { IF, effectAnswer, isEffect } from './what_if';

interface Words {
  headline: string;
  lines: string[];
  list?: string[];
  /** For the mark beside the headline. */
  kind: 'decided' | 'open';
}

function pairWords(result: Result): Words {
  const [a = 'x', b = 'y'] = result.data.variables;
  const found = direction(result.decision, result.data.variables);
  if (found) return { headline: `${shortName(found[0])} causes ${shortName(found[1])}`, lines: [], kind: 'decided' };
  const [x, y] = [shortName(a), shortName(b)];
  if (result.decision === 'independent') return { headline: `${x} and ${y} do not visibly depend on each other`, lines: [], kind: 'decided' };
  if (result.decision === 'dependent') return { headline: `${x} and ${y} depend on each other`, lines: [], kind: 'decided' };
  return {
    headline: result.decision === 'neither' ? `Both directions between ${x} and ${y} are refuted` : `No direction between ${x} and ${y} is established`,
    lines: [],
    kind: 'open',
  };
}

/** The meaning of an edge with two heads depends on the method; the result states it. */
export function twoHeads(result: Result): string {
  return /a <-> b: (.*)$/.exec(result.convention ?? '')?.[1] ?? 'hidden common cause';
}

export function edgeWords(e: Edge, result: Result): string {
  const a = shortName(e.from);
  const b = shortName(e.to);
  if (e.type === '<->') return `${a} and ${b} have an edge with two heads (${twoHeads(result)})`;
  const words = e.type === '-->' ? `${a} causes ${b}` : `${a} and ${b} have an edge, direction not known`;
  return e.confounded ? `${words}; a hidden common cause is likely` : words;
}

function graphWords(result: Result): Words {
  const edges = result.edges ?? [];
  const arrows = edges.filter((e) => e.type === '-->').length;
  const others = edges.length - arrows;
  const among = `among ${count(result.nodes?.length ?? 0, 'variable')}`;
  const open = `${count(others, 'edge')} without a direction`;
  const headline =
    edges.length === 0
      ? `No edges ${among}`
      : arrows === 0
        ? `${open} ${among}`
        : `${count(arrows, 'cause-and-effect edge')} ${among}` + (others ? `, and ${open}` : '');
  return { headline, lines: [], kind: arrows > 0 || edges.length === 0 ? 'decided' : 'open' };
}

function otherWords(report: Report): Words {
  const headline =
    report.name === 'ica'
      ? `${count(report.result.sources?.length ?? 0, 'independent source')} of ` +
        `${count(report.result.data.variables.length, 'variable')}`
      : 'What these data can and cannot support';
  return { headline, lines: [], kind: 'decided' };
}

const EDGES_IN_WORDS = 8;

function edgeList(edges: Edge[], result: Result): HTMLElement {
  const list = el(
    'ul',
    { class: 'links' },
    ...edges
      .slice(0, EDGES_IN_WORDS)
      .map((e) => el('li', {}, edgeWords(e, result), el('span', { class: 'quiet' }, edgeValues(e, result)))),
  );
  if (edges.length > EDGES_IN_WORDS)
    list.append(el('li', {}, `and ${edges.length - EDGES_IN_WORDS} more, in the graph below`));
  if (result.bootstrap) list.append(el('li', { class: 'quiet' }, `Shares are of ${count(result.bootstrap.replicates, 'bootstrap sample')}.`));
  return list;
}

export function edgeValues(e: Edge, result: Result): string {
  const parts = [];
  const { present, direction: way } = supportOf(e, result);
  if (present !== null) parts.push(`edge present ${share(present)}, this direction ${share(way ?? e.support)}`);
  else if (e.support !== null && e.support !== undefined) parts.push(`support ${share(e.support)}`);
  if (e.p_value !== null && e.p_value !== undefined) parts.push(pWords(e.p_value));
  if (e.weight !== null && e.weight !== undefined) parts.push(`weight ${number(e.weight, 3)}`);
  if (hasEffect(e)) parts.push(`effect ${effectFigures(e)}`);
  return parts.length ? `: ${parts.join('; ')}` : '';
}

function values(result: Result): HTMLElement {
  const list = el('dl', { class: 'facts' });
  const put = (name: string, value: string, title: string): void => {
    list.append(el('div', { title }, el('dt', {}, name), el('dd', {}, value)));
  };
  const [a, b] = result.data.variables;
  if (result.edges === undefined && typeof result.p_value === 'number')
    put('p-value', pValue(result.p_value), 'Of the decision: how often data in which it is wrong would support it as clearly');
  if (result.score !== undefined && result.score !== null && a !== undefined && b !== undefined) {
    put('score', number(result.score), 'Positive supports the first variable as the cause, negative the second');
  }
  if (isEffect(result))
    put('graph', result.method === 'given' ? 'given' : `found by ${result.method}`, 'Where the graph comes from');
  else put('method', result.method, 'The method that was run');
  put('rows', result.data.rows.toLocaleString('en'), 'Rows that were used');
  put(
    'segments',
    result.data.segments ? result.data.segments.toLocaleString('en') : 'none',
    'Conditions under which the rows were recorded',
  );
  return list;
}

export function decisionWords(report: Report): Words {
  const { result } = report;
  if (result.explain) return explainedWords(result.explain);
  if (isEffect(result)) return effectAnswer(report);
  if (result.edges) return graphWords(result);
  return report.name === 'direction' || report.name === 'independence' ? pairWords(result) : otherWords(report);
}

/** Objections to the decision are shown beside it, not only further down. */
function objections(report: Report): HTMLElement | null {
  const problems = findings(report).filter((f) => f.level === 'problem').length;
  if (problems === 0) return null;
  return el(
    'p',
    { class: 'problem' },
    `\u25a0 ${count(problems, 'check')} ${problems === 1 ? 'speaks' : 'speak'} against the assumptions: `,
    el('a', { href: '#checks' }, 'can the answer be trusted?'),
  );
}

/** What other methods conclude: "graph: agrees; resit: b \u2192 a". */
function opinionWords(result: Result): string | null {
  if (!result.opinions || result.opinions.length === 0) return null;
  const said = result.opinions.map((o) => {
    const ends = direction(o.decision, result.data.variables)?.map(shortName).join(' \u2192 ');
    const words = o.decision === 'inconclusive' ? 'cannot tell' : o.decision === result.decision ? 'agrees' : (ends ?? o.decision);
    return `${o.method}: ${words}`;
  });
  return `Second opinions: ${said.join('; ')}.`;
}

const FILES_NAMED = 3;
const KICKERS: Record<string, string> = { ica: 'Result', diagnose: 'Result', effect: 'Answer' };

/** The answers of effect, one below another. */
function answerList(list: string[] | undefined): HTMLElement | null {
  return list?.length ? el('ul', { class: 'links' }, ...list.map((text) => el('li', {}, text))) : null;
}

/** "plant.csv" for a path; if there are several files, the names of the first. */
export function sourceWords(report: Report): string | null {
  const names = report.files.map((path) => (path === '-' ? 'standard input' : (path.split('/').at(-1) ?? path)));
  if (names.length === 0) return null;
  const shown = names.slice(0, names.length > FILES_NAMED ? FILES_NAMED - 1 : FILES_NAMED).map((name) => shortName(name));
  return joined(names.length > shown.length ? [...shown, `${names.length - shown.length} more files`] : shown);
}

/** Period, rows and segments of the data. */
function dataWords(report: Report): string {
  const { rows, segments } = report.result.data;
  const when = period(report);
  return `${when ? `${when} \u00b7 ` : ''}${count(rows, 'row')}${segments ? ` in ${count(segments, 'segment')}` : ', no segments'}`;
}

function summaryParagraph(report: Report, words: string[]): HTMLElement {
  const { what, sure, next } = summaryOf(report, words);
  const part = (title: string, text: string): (Node | string)[] => (text ? [el('strong', {}, title), ` ${text} `] : []);
  return el(
    'p',
    { class: 'summary' },
    ...part('', what.join(' ')).slice(1),
    ...part('How sure:', sure.join(' ')),
    ...part('Check next:', next.length ? `${next.join('; ')}.` : ''),
    IF_ASSUMPTIONS,
  );
}

const IF_ASSUMPTIONS = 'All of this holds only if the assumptions do.';

function scoreWords(result: Result): string | null {
  const [a, b] = result.data.variables;
  if (result.score === undefined || result.score === null || a === undefined || b === undefined) return null;
  return (
    `A positive score supports ${shortName(a)} \u2192 ${shortName(b)}, a negative one ${shortName(b)} \u2192 ` +
    `${shortName(a)}.`
  );
}

export function decisionSection(report: Report): HTMLElement {
  const { result } = report;
  const words = decisionWords(report);
  const against = objections(report);
  const source = sourceWords(report);
  const reason = result.reason && !isEffect(result) ? sentence(result.reason) : null;
  const more = [reason, opinionWords(result), scoreWords(result)].filter((text): text is string => text !== null);
  return el(
    'section',
    { id: 'decision', class: `decision ${against ? 'open' : words.kind}`, 'aria-labelledby': 'headline' },
    el('p', { class: 'kicker' }, KICKERS[report.name] ?? 'Decision'),
    el('h1', { id: 'headline' }, source && el('span', { class: 'source', title: report.files.join(', ') }, source, el('span', { class: 'spoken' }, ': ')), words.headline),
    el('p', { class: 'quiet period' }, dataWords(report)),
    ...(words.list?.length ? words.lines : []).filter((line) => line !== IF).map((line) => el('p', {}, line)),
    answerList(words.list),
    summaryParagraph(report, words.list?.length ? [] : words.lines),
    against,
    !result.explain && !isEffect(result) && result.edges && result.edges.length > 0 && edgeList(result.edges, result),
    folded('Details of this answer', ...more.map((text) => el('p', {}, text)), values(result)),
  );
}
