// The decision in words: the first thing on the page.
import { el } from './dom';
import { effectFigures, hasEffect } from './effect';
import { explainedWords } from './explain';
import { findings } from './lights';
import { count, direction, number, pValue, pWords, sentence, shortName } from './text';
import type { Edge, Report, Result } from './types';
import { effectAnswer, isEffect } from './what_if';

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
  const better = direction(result.direction, result.data.variables);
  const lines: string[] = [];
  let headline: string;
  let kind: Words['kind'] = 'decided';
  if (found) {
    headline = `${shortName(found[0])} causes ${shortName(found[1])}`;
    lines.push(
      result.assumes_effect
        ? 'This method takes for granted that one of them causes the other, and names the more likely one; it ' +
            'cannot say that neither does.'
        : 'If the assumptions below hold.',
    );
  } else if (result.decision === 'independent') {
    headline = `${shortName(a)} and ${shortName(b)} are not seen to depend on one another`;
    lines.push('Inside the segments, if the assumptions below hold: neither is then a cause of the other.');
  } else if (result.decision === 'dependent') {
    headline = `${shortName(a)} and ${shortName(b)} depend on one another`;
  } else if (result.decision === 'neither') {
    headline = `Both directions between ${shortName(a)} and ${shortName(b)} are refuted`;
    lines.push('An assumption of the method does not hold for these data, so it names no cause.');
    kind = 'open';
  } else {
    headline = `No direction between ${shortName(a)} and ${shortName(b)} is established`;
    lines.push('The data do not decide: what would be needed to name the cause is not there.');
    kind = 'open';
  }
  if (result.decision === 'inconclusive' && better) {
    lines.push(`If one direction must be named: ${shortName(better[0])} \u2192 ${shortName(better[1])} fits better.`);
  }
  return { headline, lines, kind };
}

/** What an arrow with two heads means hangs on the method; the result says it. */
export function twoHeads(result: Result): string {
  return /a <-> b: (.*)$/.exec(result.convention ?? '')?.[1] ?? 'hidden common cause';
}

export function edgeWords(e: Edge, result: Result): string {
  const a = shortName(e.from);
  const b = shortName(e.to);
  if (e.type === '<->') return `${a} and ${b} are linked by an arrow with two heads (${twoHeads(result)})`;
  const words = e.type === '-->' ? `${a} causes ${b}` : `${a} and ${b} are linked, direction not known`;
  return e.confounded ? `${words}; a hidden common cause is likely` : words;
}

function graphWords(result: Result): Words {
  const edges = result.edges ?? [];
  const arrows = edges.filter((e) => e.type === '-->').length;
  const lines: string[] = [];
  const others = edges.length - arrows;
  const among = `among ${count(result.nodes?.length ?? 0, 'variable')}`;
  const open = `${count(others, 'link')} without a direction`;
  const headline =
    edges.length === 0
      ? `No links ${among}`
      : arrows === 0
        ? `${open} ${among}`
        : `${count(arrows, 'cause-and-effect link')} ${among}` + (others ? `, and ${open}` : '');
  lines.push(edges.length > 0 ? 'If the assumptions below hold:' : 'If the assumptions below hold.');
  return { headline, lines, kind: arrows > 0 || edges.length === 0 ? 'decided' : 'open' };
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
      .map((e) => el('li', {}, edgeWords(e, result), el('span', { class: 'quiet' }, edgeFigures(e)))),
  );
  if (edges.length > EDGES_IN_WORDS)
    list.append(el('li', {}, `and ${edges.length - EDGES_IN_WORDS} more, in the graph below`));
  return list;
}

export function edgeFigures(e: Edge): string {
  const parts = [];
  if (e.support !== null && e.support !== undefined) parts.push(`support ${number(e.support, 3)}`);
  if (e.p_value !== null && e.p_value !== undefined) parts.push(pWords(e.p_value));
  if (e.weight !== null && e.weight !== undefined) parts.push(`weight ${number(e.weight, 3)}`);
  if (hasEffect(e)) parts.push(`effect ${effectFigures(e)}`);
  return parts.length ? ` (${parts.join(', ')})` : '';
}

function figures(result: Result): HTMLElement {
  const list = el('dl', { class: 'facts' });
  const put = (name: string, value: string, title: string): void => {
    list.append(el('div', { title }, el('dt', {}, name), el('dd', {}, value)));
  };
  const [a, b] = result.data.variables;
  if (result.edges === undefined && result.p_value !== undefined) {
    put(
      'p-value',
      pValue(result.p_value),
      'Of the decision: how often data in which it is wrong would speak for it as clearly',
    );
  }
  if (result.score !== undefined && result.score !== null && a !== undefined && b !== undefined) {
    put('score', number(result.score), 'Positive speaks for the first variable as the cause, negative for the second');
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

/** What speaks against the decision is said beside it, not only further down. */
function objections(report: Report): HTMLElement | null {
  const problems = findings(report).filter((f) => f.light === 'problem').length;
  if (problems === 0) return null;
  return el(
    'p',
    { class: 'problem' },
    `\u25a0 ${count(problems, 'finding')} ${problems === 1 ? 'speaks' : 'speak'} against the assumptions: `,
    el('a', { href: '#lights' }, 'can the answer be trusted?'),
  );
}

const ALTERNATIVES: Record<string, string> = {
  'hidden-cause': 'a hidden common cause',
  'measurement-error': 'an error in the measured cause',
  'mechanism-change': 'a mechanism that differs between segments',
  selection: 'a selection of rows',
};

/** Does the decided direction leave another explanation open? */
function firmness(result: Result): string | null {
  if (result.firm === undefined || result.firm === null) return null;
  if (result.firm) return 'This is firm: no other explanation that was checked is left open.';
  const words = (result.alternatives ?? []).map((name) => ALTERNATIVES[name] ?? name);
  const last = words.pop();
  return `This is not firm: ${words.length ? `${words.join(', ')} or ` : ''}${last ?? 'another explanation'} could look the same.`;
}

/** What other methods say: "graph: agrees; resit: b \u2192 a". */
function opinionWords(result: Result): string | null {
  if (!result.opinions || result.opinions.length === 0) return null;
  const said = result.opinions.map((o) => {
    const ends = direction(o.decision, result.data.variables)?.map(shortName).join(' \u2192 ');
    const words = o.decision === 'inconclusive' ? 'cannot tell' : o.decision === result.decision ? 'agrees' : (ends ?? o.decision);
    return `${o.method}: ${words}`;
  });
  return `Second opinions: ${said.join('; ')}.`;
}

const KICKERS: Record<string, string> = { ica: 'Result', diagnose: 'Result', effect: 'Answer' };

/** The answers of effect, one below the other. */
function answerList(list: string[] | undefined): HTMLElement | null {
  return list?.length ? el('ul', { class: 'links' }, ...list.map((text) => el('li', {}, text))) : null;
}

export function decisionSection(report: Report): HTMLElement {
  const { result } = report;
  const words = decisionWords(report);
  const against = objections(report);
  const [a, b] = result.data.variables;
  return el(
    'section',
    { id: 'decision', class: `decision ${against ? 'open' : words.kind}`, 'aria-labelledby': 'headline' },
    el('p', { class: 'kicker' }, KICKERS[report.name] ?? 'Decision'),
    el('h1', { id: 'headline' }, words.headline),
    ...words.lines.map((line) => el('p', {}, line)),
    answerList(words.list),
    against,
    !result.explain && !isEffect(result) && result.edges && result.edges.length > 0 && edgeList(result.edges, result),
    result.reason && !isEffect(result) && el('p', { class: 'reason' }, sentence(result.reason)),
    firmness(result) && el('p', { class: 'firm' }, firmness(result) ?? ''),
    opinionWords(result) && el('p', { class: 'quiet' }, opinionWords(result) ?? ''),
    figures(result),
    result.score !== undefined &&
      result.score !== null &&
      a !== undefined &&
      b !== undefined &&
      el(
        'p',
        { class: 'quiet' },
        `A positive score speaks for ${shortName(a)} \u2192 ${shortName(b)}, a negative one for ${shortName(b)} ` +
          `\u2192 ${shortName(a)}.`,
      ),
  );
}
