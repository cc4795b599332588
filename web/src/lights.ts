// What speaks for and against the assumptions, as traffic lights: shape, word and colour say the same.
import { el, section } from './dom';
import { behind } from './tables';
import { count, number, pWords, sentence, shortName } from './text';
import type { Evidence, Report } from './types';
import { isEffect, pairsOf } from './what_if';

type Light = 'fine' | 'caution' | 'problem' | 'untested';

interface Finding {
  light: Light;
  title: string;
  text: string;
  /** A note of the method that says the same: then the note alone is shown. */
  said?: RegExp;
}

const MARKS: Record<Light, string> = { fine: '\u25cf', caution: '\u25b2', problem: '\u25a0', untested: '\u25cb' };
const WORDS: Record<Light, string> = { fine: 'fine', caution: 'caution', problem: 'problem', untested: 'not testable' };
const ORDER: Light[] = ['problem', 'caution', 'fine', 'untested'];

function find(report: Report, name: string): Evidence | undefined {
  return report.result.evidence.find((e) => e.name === name);
}

/** Green from `good` on, red below `bad`. */
function grade(value: number, good: number, bad: number): Light {
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
      light: segments >= wanted ? 'fine' : segments >= 3 ? 'caution' : 'problem',
      title: `${count(segments, 'segment')}`,
      text:
        segments >= wanted
          ? `Enough conditions to tell changes of ${count(result.data.variables.length, 'disturbance')} apart.`
          : segments >= 3
            ? `Three segments are the least that methods on changes can use; with ${wanted} or more they decide far ` +
              `more often.`
            : 'Too few: methods that live on changes between segments need at least three.',
    });
  } else if (segments === 0) {
    found.push({
      light: 'untested',
      title: 'No segments',
      text: 'The method was run without segments, so nothing is known about changes between conditions.',
    });
  }
  if (display && !display.other && segments > 0 && needsMany) {
    const least = Math.min(...display.sizes);
    const where = display.labels[display.sizes.indexOf(least)];
    if (display.labels.length === segments) {
      found.push({
        light: grade(least, 100, 30),
        title: `Smallest segment: ${count(least, 'row')}`,
        text:
          `Segment ${shortName(where ?? '')}. ` +
          (least >= 100
            ? 'Large enough for tests inside segments.'
            : 'Small segments say little about their own noise, and tests inside them are weak.'),
      });
    }
  }
  if (display?.other)
    found.push({
      light: 'problem',
      title: 'Other data',
      text: 'The data in this page are not those of the result (data_hash differs).',
    });
  for (const warning of result.data.warnings.filter((w) => !needsMany || !/\(2d\+1\)/.test(w)))
    found.push({ light: 'caution', title: 'The data', text: sentence(warning) });
  if (result.data.warnings.length === 0)
    found.push({
      light: 'fine',
      title: 'Reading and audit of the data',
      text: 'No warnings: no duplicated, collinear or categorical variables were seen, no tiny segments.',
    });
  return found;
}

function classifier(report: Report): Finding[] {
  const found: Finding[] = [];
  const gain = find(report, 'held-out gain') ?? find(report, 'gain of rank 1');
  if (gain && gain.p_value !== null) {
    const told = gain.p_value < 0.01;
    found.push({
      light: told ? 'fine' : gain.p_value < 0.05 ? 'caution' : 'problem',
      title: told ? 'The segments differ' : 'The segments hardly differ',
      text:
        `The classifier gains ${number(gain.value)} nats per row over chance on unseen rows ` +
        `(${pWords(gain.p_value)}). Where segments cannot be told apart there is no change to learn from.`,
    });
  }
  if (find(report, 'in-sample gain')) {
    found.push({
      light: 'caution',
      title: 'Networks scored rows they were trained on',
      said: /trained on that row/,
      text: 'With one fold nothing is held out: p-values are too small. Use more --folds.',
    });
  }
  const second = find(report, 'second singular value ratio');
  if (second?.value !== null && second?.value !== undefined) {
    found.push({
      light: grade(second.value, 0.2, 0.05),
      title: 'Both disturbances change, and differently',
      text:
        `Second singular value over the first: ${number(second.value)}. Near 0 only one disturbance ` +
        `changes, or both change in proportion; the direction then rests on little.`,
    });
  }
  const third = find(report, 'third singular value ratio');
  if (third?.value !== null && third?.value !== undefined) {
    found.push({
      light: third.value <= 0.1 ? 'fine' : third.value <= 0.3 ? 'caution' : 'problem',
      title: 'Nothing else changes',
      said: /differ in more than two ways/,
      text:
        `Third singular value over the second: ${number(third.value)}. Far above 0.1 more changes than one ` +
        `thing per disturbance: a hidden common cause, or the mechanism itself.`,
    });
  }
  const rank = find(report, 'rank');
  if (rank?.value !== null && rank?.value !== undefined && report.result.method === 'structured') {
    found.push({
      light: rank.value === 2 ? 'fine' : rank.value === 0 ? 'problem' : 'caution',
      title: `${count(rank.value, 'way')} in which the segments differ`,
      said: /more than one for each disturbance/,
      text:
        rank.value === 2
          ? 'As many as there are disturbances: what the model expects.'
          : rank.value > 2
            ? 'More than there are disturbances: means and scales may both change, or a hidden common cause or ' +
              'the mechanism changes.'
            : rank.value === 1
              ? 'Only one disturbance is seen to change; a direction can still follow from it.'
              : 'No change between segments is seen.',
    });
  }
  const contrast = find(report, 'contrast gap');
  if (contrast?.value !== null && contrast?.value !== undefined) {
    const least = 2 * report.result.data.segments;
    found.push({
      light: contrast.value > 5 * least ? 'fine' : contrast.value > least ? 'caution' : 'problem',
      title: 'The disturbances can be separated',
      text:
        `Contrast gap ${number(contrast.value)}; up to ${least}, twice the number of segments, they are not ` +
        `identified.`,
    });
  }
  const assignment = find(report, 'assignment gap');
  if (assignment?.value !== null && assignment?.value !== undefined) {
    found.push({
      light: grade(assignment.value, 0.1, 0.02),
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
      light: 'problem',
      title: 'Both directions are refuted',
      text:
        'So one of the assumptions does not hold: a hidden common cause, a cycle, a mechanism that changes, ' +
        'or noise of another kind.',
    });
  if (result.decision === 'inconclusive')
    found.push({
      light: 'caution',
      title: 'Undecided',
      text: 'The better direction is named above, but the data do not establish it.',
    });
  if (result.assumes_effect)
    found.push({
      light: 'caution',
      title: 'An effect is taken for granted',
      text: 'This method always names a direction, also where there is none.',
    });
  const open = (result.edges ?? []).filter((e) => e.type === '---').length;
  const doubtful = (result.edges ?? []).filter((e) => e.type === '<->').length;
  if (open)
    found.push({
      light: 'caution',
      title: `${count(open, 'link')} without a direction`,
      said: /edges of these have no direction/,
      text: 'Which end is the cause is not known.',
    });
  if (doubtful)
    found.push({
      light: 'caution',
      title: `${count(doubtful, 'link')} with two heads`,
      text: sentence(result.convention ?? ''),
    });
  const weak = (result.edges ?? []).filter((e) => e.support !== null && e.support !== undefined && e.support < 0.5);
  if (result.bootstrap) {
    found.push(
      weak.length
        ? {
            light: 'caution',
            title: `${count(weak.length, 'link')} found in less than half of the resamples`,
            text: weak
              .slice(0, 5)
              .map((e) => `${shortName(e.from)} \u2013 ${shortName(e.to)}`)
              .join(', '),
          }
        : {
            light: 'fine',
            title: 'Links are stable',
            text: `Each is found in at least half of ${result.bootstrap.replicates} resamples of the rows.`,
          },
    );
  } else if (result.edges && result.edges.length && !result.explain && !isEffect(result)) {
    found.push({
      light: 'untested',
      title: 'Stability under resampling',
      text: 'Not tried: --bootstrap B says how often each link comes out on resampled rows.',
    });
  }
  return found;
}

/** structured, graphs: does each disturbance change, and is each arrow's direction established? */
function graph(report: Report): Finding[] {
  const { result } = report;
  const found: Finding[] = [];
  const nodes = result.nodes ?? [];
  const still = nodes.filter((v) => {
    const p = [find(report, `scale(${v})`)?.p_value, find(report, `place(${v})`)?.p_value].filter(
      (x): x is number => typeof x === 'number',
    );
    return p.length > 0 && Math.min(...p) * p.length > 0.05;
  });
  if (find(report, `scale(${nodes[0]})`)) {
    found.push(
      still.length
        ? {
            light: 'caution',
            title: `${count(still.length, 'disturbance')} without a visible change`,
            said: /no change of the disturbance/,
            text: `${still
              .slice(0, 8)
              .map((v) => shortName(v))
              .join(', ')}: directions that hang on them are less certain.`,
          }
        : {
            light: 'fine',
            title: 'Every disturbance changes over the segments',
            text: 'In its scale or its mean: this is what directions are learned from.',
          },
    );
  }
  const unsure = (result.edges ?? []).filter((e) => {
    const turned = find(report, `turned(${e.to}->${e.from})`);
    return e.type === '-->' && turned && (turned.p_value ?? 0) > 0.05;
  });
  const fixed = result.evidence.some((e) => e.name.startsWith('turned(') && e.p_value === null);
  if (result.evidence.some((e) => e.name.startsWith('turned('))) {
    found.push(
      unsure.length
        ? {
            light: 'caution',
            title: `${count(unsure.length, 'arrow')} could be turned round`,
            text: unsure
              .slice(0, 5)
              .map((e) => `${shortName(e.from)} \u2192 ${shortName(e.to)}`)
              .join(', '),
          }
        : {
            light: 'fine',
            title: 'Directions are established',
            text: fixed
              ? 'Turning any arrow round that can be turned predicts unseen rows worse; the others follow from these.'
              : 'Turning any arrow round predicts unseen rows worse.',
          },
    );
  }
  return found;
}

const OF_LEVEL = new Map<string, Light>([
  ['info', 'untested'],
  ['caution', 'caution'],
  ['problem', 'problem'],
]);
const TITLE = 90;

/** What a note is about: its first words, up to where it pauses, without the variables that it may begin with. */
function opening(note: string, variables: Set<string>): string {
  const words = note.slice(0, 400).replace(/^The graph: /, '');
  const [, before, behind] = /^(.*?): (.*)$/s.exec(words) ?? [];
  const named = before !== undefined && before.split(/, | and /).every((name) => variables.has(name));
  const clause = (named ? behind! : words).split(/[:;.] |[.]$/)[0]!;
  const title = clause.replace(/ \(p(-value)? [^)]*\)/, '');
  return title.length >= 8 && title.length <= TITLE ? title[0]!.toUpperCase() + title.slice(1) : 'The method found';
}

/** Sentences of the method, with what each says of the answer; those that only inform are listed apart. */
function notes(report: Report): Finding[] {
  const { notes: all = [], note_levels: levels = [] } = report.result;
  const variables = new Set(report.result.data.variables);
  return all.map((note, k) => {
    const light = OF_LEVEL.get(levels[k] ?? '') ?? 'caution'; // of an older file: it may be one
    return { light, title: light === 'untested' ? 'Note' : sentence(opening(note, variables)), text: sentence(note) };
  });
}

const UNTESTABLE: Finding[] = [
  {
    light: 'untested',
    title: 'No hidden common cause',
    text:
      'Data alone cannot rule it out. A cause that acts on two variables and was not recorded can look like ' +
      'an arrow between them.',
  },
  {
    light: 'untested',
    title: 'Segments were not formed from these variables',
    text: 'Rows must not have been put into segments by looking at what the variables turned out to be.',
  },
];

/** explain: what its verdicts rest on. */
function explained(report: Report): Finding[] {
  const e = report.result.explain;
  if (!e) return [];
  const least = Math.min(e.of_rows, e.against_rows);
  const unclear = e.variables.filter((c) => c.verdict === 'unclear').length;
  return [
    {
      light: grade(least, 100, 30),
      title: `${count(least, 'row')} in the smaller of the two`,
      said: /ha(s|ve) only \d+ rows/,
      text: least >= 100 ? 'Enough to see moderate changes.' : 'Only large changes can be seen with so few rows.',
    },
    unclear
      ? {
          light: 'caution',
          title: `${count(unclear, 'variable')} without a verdict`,
          text: 'The notes say why; a graph with all directions, or more rows, would tell.',
        }
      : { light: 'fine', title: 'Every variable has a verdict', text: 'None is unclear.' },
    {
      light: 'untested',
      title: 'The graph is right',
      text: 'Verdicts rest on it: a cause that is missing in the graph makes its effect look changed by itself.',
    },
  ];
}

/** effect: does the graph answer, do the data reach, how strong a hidden cause would have to be. */
function whatIf(report: Report): Finding[] {
  const { result } = report;
  if (!isEffect(result)) return [];
  const asked = result.effects!.length ? result.effects! : pairsOf(result);
  const found: Finding[] = [...answeredBy(asked), ...supportOf(asked)];
  const check = result.graph_check;
  if (check)
    found.push({
      light: /passes/.test(check) ? 'fine' : 'untested',
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
    return [{ light: 'problem', title: 'Questions without an answer', text: `${none} ${of}: the reasons are in the answer above.` }];
  if (open)
    return [{ light: 'caution', title: 'Answers that are ranges', text: `${open} ${of}: the data leave directions open.` }];
  return [{ light: 'fine', title: 'The graph answers the question', text: 'No direction is open and no hidden common cause is on the way.' }];
}

function supportOf(asked: { support: number | null }[]): Finding[] {
  const known = asked.map((a) => a.support).filter((x): x is number => x !== null);
  if (known.length === 0) return [];
  const least = Math.min(...known);
  return [
    {
      light: grade(least, 0.9, 0.5),
      title: 'Support of the data',
      said: /would be like rows of the data/,
      text:
        `${known.length > 1 ? 'At least ' : ''}${number(100 * least, 3)} % of the rows would be like rows of the data. ` +
        `Below 90 % the answer rests on how the mechanisms go on where there are no data.`,
    },
  ];
}

const WEAK = 0.05;

function hiddenCause(report: Report): Finding {
  const targets = (report.result.effects ?? []).filter((e) => e.robustness !== null && e.segment === null && e.at === null);
  const weakest = targets.sort((p, q) => p.robustness! - q.robustness!)[0];
  const title = 'No hidden common cause';
  if (!weakest)
    return { light: 'untested', title, text: 'Data alone cannot rule out one that the graph lacks.' };
  const zero = weakest.robustness_of_interval
    ? `, and ${number(100 * weakest.robustness_of_interval, 2)} % to bring 0 into the interval.`
    : '; 0 is in the interval already.';
  return {
    light: weakest.robustness! < WEAK ? 'caution' : 'untested',
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
    ...text.filter((f) => f.light !== 'untested'),
    ...(['direction', 'discover', 'explain'].includes(report.name) ? UNTESTABLE : []),
  ].sort((a, b) => ORDER.indexOf(a.light) - ORDER.indexOf(b.light));
}

export function lightsSection(report: Report): HTMLElement {
  const all = findings(report);
  const plain = notes(report).filter((f) => f.light === 'untested');
  const { assumptions } = report.result;
  return section(
    'lights',
    'Can the answer be trusted?',
    el(
      'p',
      { class: 'quiet' },
      ORDER.map((light) => `${MARKS[light]} ${all.filter((f) => f.light === light).length} ${WORDS[light]}`).join(
        '   ',
      ),
    ),
    el(
      'ul',
      { class: 'lights' },
      ...all.map((f) =>
        el(
          'li',
          { class: f.light },
          el('span', { class: 'light', 'aria-hidden': 'true' }, MARKS[f.light]),
          el(
            'div',
            {},
            el('strong', {}, f.title),
            ' ',
            el('span', { class: 'word' }, WORDS[f.light]),
            el('p', {}, f.text),
          ),
        ),
      ),
    ),
    plain.length > 0 && el('h3', {}, 'What else the method says'),
    plain.length > 0 && el('ul', {}, ...plain.map((f) => el('li', {}, f.text))),
    assumptions && el('h3', {}, 'What the method assumes'),
    assumptions && el('p', {}, sentence(assumptions)),
    behind('Table: all findings', {
      head: ['finding', 'light', 'explanation'],
      rows: () => [...all, ...plain].map((f) => [f.title, WORDS[f.light], f.text]),
    }),
  );
}
