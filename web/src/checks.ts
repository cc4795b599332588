// What speaks for and against the assumptions, as checks, whose shape, word and colour agree.
import { el, folded, section } from './dom';
import { behind } from './tables';
import { count, number, pWords, sentence, shortName } from './text';
import type { Evidence, Report, Result } from './types';
import { isEffect, pairsOf } from './what_if';

export type Level = 'fine' | 'caution' | 'problem' | 'untested';

export interface Finding {
  level: Level;
  title: string;
  text: string;
  /** Matches a note of the method with the same content: then only the note is shown. */
  said?: RegExp;
  /** What to do about it, after "check next:". */
  next?: string;
}

const MARKS: Record<Level, string> = { fine: '\u25cf', caution: '\u25b2', problem: '\u25a0', untested: '\u25cb' };
const WORDS: Record<Level, string> = { fine: 'fine', caution: 'caution', problem: 'problem', untested: 'not testable' };
const ORDER: Level[] = ['problem', 'caution', 'fine', 'untested'];

/** Returns the evidence by the first of these names that occurs: names of older versions come last. */
function find(report: Report, ...names: string[]): Evidence | undefined {
  return names.map((name) => report.result.evidence.find((e) => e.name === name)).find((e) => e !== undefined);
}

/** The evidence of what is lost if an edge is reversed. */
export function reversal(result: Result, from: string, to: string): Evidence | undefined {
  const names = [`reversed(${to}->${from})`, `turned(${to}->${from})`];
  return result.evidence.find((e) => names.includes(e.name));
}

function isReversal(e: Evidence): boolean {
  return /^(reversed|turned)\(/.test(e.name);
}

/** Green from `good` upwards, red below `bad`. */
function grade(value: number, good: number, bad: number): Level {
  return value >= good ? 'fine' : value >= bad ? 'caution' : 'problem';
}

function data(report: Report): Finding[] {
  const { result, display } = report;
  const found: Finding[] = [];
  const segments = result.data.segments;
  const wanted = Math.max(10, 2 * result.data.variables.length + 1);
  const needsMany = !result.explain && !isEffect(result); // they learn directions from segments
  if (segments > 0 && needsMany) {
    found.push({
      level: segments >= wanted ? 'fine' : segments >= 3 ? 'caution' : 'problem',
      title: `${count(segments, 'segment')}`,
      text:
        segments >= wanted
          ? `Enough segments to distinguish changes of ${count(result.data.variables.length, 'disturbance')}.`
          : segments >= 3
            ? `Methods that learn from changes need at least three segments; with ${wanted} or more they decide far more often.`
            : 'Too few: methods that learn from changes between segments need at least three.',
      next: `collect more segments (at least ${wanted})`,
    });
  } else if (segments === 0) {
    found.push({
      level: 'untested',
      title: 'No segments',
      text: 'The method was run without segments, so it cannot use changes between conditions.',
    });
  }
  if (display && !display.other && segments > 0 && needsMany) {
    const least = Math.min(...display.sizes);
    const where = display.labels[display.sizes.indexOf(least)];
    if (display.labels.length === segments) {
      found.push({
        level: grade(least, 100, 30),
        title: `Smallest segment: ${count(least, 'row')}`,
        text:
          `Segment ${shortName(where ?? '')}. ` +
          (least >= 100
            ? 'Large enough for tests inside segments.'
            : 'A small segment says little about its own noise, and tests inside it are weak.'),
        next: `collect more rows of segment ${shortName(where ?? '')}`,
      });
    }
  }
  if (display?.other)
    found.push({
      level: 'problem',
      title: 'Other data',
      text: 'The data on this page are not those of the result (data_hash differs).',
      next: 'make this page again with the data of the result',
    });
  for (const warning of result.data.warnings.filter((w) => !needsMany || !/\(2d\+1\)/.test(w)))
    found.push({ level: 'caution', title: 'The data', text: sentence(warning) });
  if (result.data.warnings.length === 0)
    found.push({
      level: 'fine',
      title: 'Reading and audit of the data',
      text: 'No warnings: no duplicated, collinear or categorical variables, and no tiny segments.',
    });
  return found;
}

function classifier(report: Report): Finding[] {
  const found: Finding[] = [];
  const gain = find(report, 'held-out gain') ?? find(report, 'gain of rank 1');
  if (gain && gain.p_value !== null) {
    const differ = gain.p_value < 0.01;
    found.push({
      level: differ ? 'fine' : gain.p_value < 0.05 ? 'caution' : 'problem',
      title: differ ? 'The segments differ' : 'The segments hardly differ',
      text:
        `On held-out rows the classifier gains ${number(gain.value)} nats per row over chance ` +
        `(${pWords(gain.p_value)}). If segments cannot be distinguished, there is no change to learn from.`,
      next: 'choose segments that differ more from one another',
    });
  }
  if (find(report, 'in-sample gain')) {
    found.push({
      level: 'caution',
      title: 'Networks scored rows they were trained on',
      said: /trained on that row/,
      text: 'With one fold nothing is held out: p-values are too small. Use more --folds.',
      next: 'run again with more --folds',
    });
  }
  const second = find(report, 'second singular value ratio');
  if (second?.value !== null && second?.value !== undefined) {
    found.push({
      level: grade(second.value, 0.2, 0.05),
      title: 'Both disturbances change, and differently',
      text:
        `Second singular value over the first: ${number(second.value)}. Near 0 only one disturbance ` +
        `changes, or both change in proportion; the direction then rests on little evidence.`,
    });
  }
  const third = find(report, 'third singular value ratio');
  if (third?.value !== null && third?.value !== undefined) {
    found.push({
      level: third.value <= 0.1 ? 'fine' : third.value <= 0.3 ? 'caution' : 'problem',
      title: 'Nothing else changes',
      said: /differ in more than two ways/,
      text:
        `Third singular value over the second: ${number(third.value)}. Far above 0.1, more changes than one ` +
        `thing per disturbance: a hidden common cause, or the mechanism itself.`,
    });
  }
  const rank = find(report, 'rank');
  if (rank?.value !== null && rank?.value !== undefined && report.result.method === 'structured') {
    found.push({
      level: rank.value === 2 ? 'fine' : rank.value === 0 ? 'problem' : 'caution',
      title: `The segments differ in ${count(rank.value, 'way')}`,
      said: /more than one for each disturbance/,
      text:
        rank.value === 2
          ? 'One for each disturbance, as the model expects.'
          : rank.value > 2
            ? 'More than one for each disturbance: means and scales may both change, or a hidden common cause, or ' +
              'the mechanism.'
            : rank.value === 1
              ? 'Only one disturbance changes visibly; a direction can still follow from it.'
              : 'No change between segments is visible.',
    });
  }
  const contrast = find(report, 'contrast gap');
  if (contrast?.value !== null && contrast?.value !== undefined) {
    const least = 2 * report.result.data.segments;
    found.push({
      level: contrast.value > 5 * least ? 'fine' : contrast.value > least ? 'caution' : 'problem',
      title: 'The disturbances can be separated',
      text:
        `Contrast gap ${number(contrast.value)}. At or below ${least} (twice the number of segments) they are not ` +
        `identified.`,
    });
  }
  const assignment = find(report, 'assignment gap');
  if (assignment?.value !== null && assignment?.value !== undefined) {
    found.push({
      level: grade(assignment.value, 0.1, 0.02),
      title: 'Each disturbance has its variable',
      text:
        `Assignment gap ${number(assignment.value)} nats per row. Near 0 it is not clear which disturbance ` +
        `belongs to which variable.`,
    });
  }
  return found;
}

function decision(report: Report): Finding[] {
  const { result } = report;
  const found: Finding[] = [];
  if (result.decision === 'neither')
    found.push({
      level: 'problem',
      title: 'Both directions are refuted',
      text:
        'So one of the assumptions does not hold: a hidden common cause, a cycle, a mechanism that changes, ' +
        'or noise of another kind.',
      next: 'which assumption fails: look for a hidden common cause or a feedback loop',
    });
  if (result.decision === 'inconclusive')
    found.push({
      level: 'caution',
      title: 'Undecided',
      text: 'The data establish neither direction.',
      next: 'collect more segments, or change one of the two on purpose',
    });
  if (result.assumes_effect)
    found.push({
      level: 'caution',
      title: 'The method assumes that there is an effect',
      text: 'It always names a direction, even if there is none.',
      next: 'run another method, which can also answer "independent"',
    });
  const open = (result.edges ?? []).filter((e) => e.type === '---').length;
  const doubtful = (result.edges ?? []).filter((e) => e.type === '<->').length;
  if (open)
    found.push({
      level: 'caution',
      title: `${count(open, 'edge')} without a direction`,
      said: /edges of these have no direction/,
      text: 'Which end is the cause is not known.',
    });
  if (doubtful)
    found.push({
      level: 'caution',
      title: `${count(doubtful, 'edge')} with two heads`,
      next: 'what else could act on both ends of the edges with two heads',
      text: sentence(result.convention ?? ''),
    });
  const weak = (result.edges ?? []).filter((e) => e.support !== null && e.support !== undefined && e.support < 0.5);
  if (result.bootstrap) {
    found.push(
      weak.length
        ? {
            level: 'caution',
            title: `${count(weak.length, 'edge')} found in less than half of the bootstrap samples`,
            next: `${weak.slice(0, 2).map((e) => `${shortName(e.from)} \u2013 ${shortName(e.to)}`).join(' and ')}: found in less than half of the bootstrap samples`,
            text: weak
              .slice(0, 5)
              .map((e) => `${shortName(e.from)} \u2013 ${shortName(e.to)}`)
              .join(', '),
          }
        : {
            level: 'fine',
            title: 'Edges are stable',
            text: `Each is found in at least half of ${result.bootstrap.replicates} bootstrap samples.`,
          },
    );
  } else if (result.edges && result.edges.length && !result.explain && !isEffect(result)) {
    found.push({
      level: 'untested',
      title: 'Stability of the edges',
      text: 'Not measured: --bootstrap B says in which share of bootstrap samples each edge is found.',
    });
  }
  return found;
}

/** structured, graphs: does each disturbance change, and is the direction of each edge established? */
function graph(report: Report): Finding[] {
  const { result } = report;
  const found: Finding[] = [];
  const nodes = result.nodes ?? [];
  const still = nodes.filter((v) => {
    const p = [find(report, `scale(${v})`)?.p_value, find(report, `location(${v})`, `place(${v})`)?.p_value].filter(
      (x): x is number => typeof x === 'number',
    );
    return p.length > 0 && Math.min(...p) * p.length > 0.05;
  });
  if (find(report, `scale(${nodes[0]})`)) {
    found.push(
      still.length
        ? {
            level: 'caution',
            title: `${count(still.length, 'disturbance')} without a visible change`,
            said: /no change of the disturbance/,
            text: `${still
              .slice(0, 8)
              .map((v) => shortName(v))
              .join(', ')}: directions that depend on them are less certain.`,
          }
        : {
            level: 'fine',
            title: 'Every disturbance changes over the segments',
            text: 'In its scale or its location. Directions are learned from these changes.',
          },
    );
  }
  const unsure = (result.edges ?? []).filter((e) => {
    const lost = reversal(result, e.from, e.to);
    return e.type === '-->' && lost && (lost.p_value ?? 0) > 0.05;
  });
  const fixed = result.evidence.some((e) => isReversal(e) && e.p_value === null);
  if (result.evidence.some(isReversal)) {
    found.push(
      unsure.length
        ? {
            level: 'caution',
            title: `${count(unsure.length, 'edge')} could be reversed`,
            next: `the direction of ${unsure.slice(0, 2).map((e) => `${shortName(e.from)} \u2192 ${shortName(e.to)}`).join(' and ')}: vary the cause on purpose`,
            text: unsure
              .slice(0, 5)
              .map((e) => `${shortName(e.from)} \u2192 ${shortName(e.to)}`)
              .join(', '),
          }
        : {
            level: 'fine',
            title: 'Directions are established',
            text: fixed
              ? 'Reversing any edge that can be reversed predicts held-out rows worse; the other directions follow.'
              : 'Reversing any edge predicts held-out rows worse.',
          },
    );
  }
  return found;
}

const OF_LEVEL = new Map<string, Level>([
  ['info', 'untested'],
  ['caution', 'caution'],
  ['problem', 'problem'],
]);
const TITLE = 90;

/** What a note is about: its first clause, without the variables that it may begin with. */
function opening(note: string, variables: Set<string>): string {
  const words = note.slice(0, 400).replace(/^The graph: /, '');
  const [, before, behind] = /^(.*?): (.*)$/s.exec(words) ?? [];
  const named = before !== undefined && before.split(/, | and /).every((name) => variables.has(name));
  const clause = (named ? behind! : words).split(/[:;.] |[.]$/)[0]!;
  const title = clause.replace(/ \(p(-value)? [^)]*\)/, '');
  return title.length >= 8 && title.length <= TITLE ? title[0]!.toUpperCase() + title.slice(1) : 'The method found';
}

/** Sentences of the method, with their level; those that only inform are listed separately. */
function notes(report: Report): Finding[] {
  const { notes: all = [], note_levels: levels = [] } = report.result;
  const variables = new Set(report.result.data.variables);
  return all.map((note, k) => {
    const level = OF_LEVEL.get(levels[k] ?? '') ?? 'caution'; // older files have no levels: it may be a caution
    return { level, title: level === 'untested' ? 'Note' : sentence(opening(note, variables)), text: sentence(note) };
  });
}

const UNTESTABLE: Finding[] = [
  {
    level: 'untested',
    title: 'No hidden common cause',
    text:
      'Data alone cannot rule it out. A cause that acts on two variables and was not recorded can look like ' +
      'an edge between them.',
  },
  {
    level: 'untested',
    title: 'Segments were not formed from these variables',
    text: 'Rows must not have been assigned to segments by the values of these variables.',
  },
];

/** explain: what its verdicts depend on. */
function explained(report: Report): Finding[] {
  const e = report.result.explain;
  if (!e) return [];
  const least = Math.min(e.of_rows, e.against_rows);
  const unclear = e.variables.filter((c) => c.verdict === 'unclear').length;
  return [
    {
      level: grade(least, 100, 30),
      title: `${count(least, 'row')} in the smaller of the two`,
      said: /ha(s|ve) only \d+ rows/,
      text: least >= 100 ? 'Enough to see moderate changes.' : 'With so few rows only large changes are visible.',
      next: 'collect more rows of the smaller side',
    },
    unclear
      ? {
          level: 'caution',
          title: `${count(unclear, 'variable')} without a verdict`,
          text: 'The notes say why. A graph with all directions, or more rows, would settle it.',
          next: 'the variables without a verdict: give the graph with all directions (--graph), or more rows',
        }
      : { level: 'fine', title: 'Every variable has a verdict', text: 'None is unclear.' },
    {
      level: 'untested',
      title: 'The graph is right',
      text: 'Verdicts rest on it: a cause that is missing in the graph makes its effect look changed by itself.',
    },
  ];
}

/** effect: can the graph answer, do the data cover the question, how strong would a hidden cause have to be? */
function whatIf(report: Report): Finding[] {
  const { result } = report;
  if (!isEffect(result)) return [];
  const asked = result.effects!.length ? result.effects! : pairsOf(result);
  const found: Finding[] = [...answeredBy(asked), ...supportOf(asked)];
  const check = result.graph_check;
  if (check)
    found.push({
      level: /passes/.test(check) ? 'fine' : 'untested',
      title: 'The graph against the data',
      said: /Effects hold only as far as the graph does/,
      text: sentence(check),
    });
  found.push(hiddenCause(report));
  return found;
}

function answeredBy(asked: { answered: string }[]): Finding[] {
  if (asked.length === 0) return [];
  const open = asked.filter((a) => a.answered === 'range').length;
  const none = asked.filter((a) => a.answered === 'none').length;
  const of = `of ${count(asked.length, 'answer')}`;
  if (none)
    return [{ level: 'problem', title: 'Questions without an answer', text: `${none} ${of}: the reasons are in the answer above.` }];
  if (open)
    return [{ level: 'caution', title: 'Answers that are ranges', text: `${open} ${of}: the data leave directions open.` }];
  return [{ level: 'fine', title: 'The graph answers the question', text: 'No direction is open, and no hidden common cause is on the path.' }];
}

function supportOf(asked: { support: number | null }[]): Finding[] {
  const known = asked.map((a) => a.support).filter((x): x is number => x !== null);
  if (known.length === 0) return [];
  const least = Math.min(...known);
  return [
    {
      level: grade(least, 0.9, 0.5),
      title: 'Support of the data',
      said: /would be like rows of the data/,
      text:
        `${known.length > 1 ? 'At least ' : ''}${number(100 * least, 3)} % of the rows would be like rows of the data. ` +
        `Below 90 % the answer rests on how the mechanisms continue beyond the data.`,
      next: 'a smaller change, closer to values that occur in the data',
    },
  ];
}

const WEAK = 0.05;

function hiddenCause(report: Report): Finding {
  const targets = (report.result.effects ?? []).filter((e) => e.robustness !== null && e.segment === null && e.at === null);
  const weakest = targets.sort((p, q) => p.robustness! - q.robustness!)[0];
  const title = 'No hidden common cause';
  if (!weakest)
    return { level: 'untested', title, text: 'Data alone cannot rule out one that the graph lacks.' };
  const zero = weakest.robustness_of_interval
    ? `, and ${number(100 * weakest.robustness_of_interval, 2)} % to bring 0 into the interval.`
    : '; 0 is in the interval already.';
  return {
    level: weakest.robustness! < WEAK ? 'caution' : 'untested',
    title,
    text:
      `One that the graph lacks would have to explain ${number(100 * weakest.robustness!, 2)} % of what is left of both what is ` +
      `changed and ${shortName(weakest.on)} to bring the effect to 0${zero}`,
  };
}

export function findings(report: Report): Finding[] {
  const all = [...decision(report), ...classifier(report), ...graph(report), ...explained(report), ...whatIf(report), ...data(report)];
  const text = notes(report);
  const said = (f: Finding): boolean => f.said !== undefined && text.some((note) => f.said!.test(note.text));
  return [
    ...all.filter((f) => !said(f)),
    ...text.filter((f) => f.level !== 'untested'),
    ...(['direction', 'discover', 'explain'].includes(report.name) ? UNTESTABLE : []),
  ].sort((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
}

export function checksSection(report: Report): HTMLElement {
  const all = findings(report);
  const plain = notes(report).filter((f) => f.level === 'untested');
  const { assumptions } = report.result;
  return section(
    'checks',
    'Can the answer be trusted?',
    el(
      'p',
      { class: 'quiet' },
      ORDER.map((level) => `${MARKS[level]} ${all.filter((f) => f.level === level).length} ${WORDS[level]}`).join(
        '   ',
      ),
    ),
    el(
      'ul',
      { class: 'checks' },
      ...all.map((f) =>
        el(
          'li',
          { class: f.level },
          el('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[f.level]),
          el(
            'div',
            {},
            el('strong', {}, f.title),
            ' ',
            el('span', { class: 'word' }, WORDS[f.level]),
            el('p', {}, f.text),
          ),
        ),
      ),
    ),
    plain.length > 0 && folded('What else the method says', el('ul', {}, ...plain.map((f) => el('li', {}, f.text)))),
    assumptions && folded('What the method assumes', el('p', {}, sentence(assumptions))),
    behind('Table: all checks', {
      head: ['check', 'result', 'explanation'],
      rows: () => [...all, ...plain].map((f) => [f.title, WORDS[f.level], f.text]),
    }),
  );
}
