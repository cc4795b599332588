// Labels of segments: the order in which people list them, and the dates in them.
import type { Report } from './types';

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONTHS = [
  'january', 'february', 'march', 'april', 'may', 'june',
  'july', 'august', 'september', 'october', 'november', 'december',
];

/** The position in time of a label of one kind; null if it is of another kind. */
type Key = (label: string) => number | null;

/** At least three letters of a word are enough: "Mon", "Sept". */
function wordOf(text: string, words: string[]): number | null {
  const at = text.length < 3 ? -1 : words.findIndex((word) => word.startsWith(text.toLowerCase()));
  return at < 0 ? null : at;
}

function weekday(label: string): number | null {
  return wordOf(label, WEEKDAYS);
}

/** "Jan", "January 2024", "2024 Jan" */
function month(label: string): number | null {
  const found = /^(\d{1,4})?[ ./_-]*([a-z]+)[ ./_-]*(\d{1,4})?$/i.exec(label);
  const at = found && !(found[1] && found[3]) ? wordOf(found[2]!, MONTHS) : null;
  return at === null ? null : 12 * Number(found![1] ?? found![3] ?? 0) + at;
}

interface Day {
  year: number;
  month: number;
  day: number;
  time: string;
}

/** "2024-03-01", "2024/03/01", "20240301" or, with the day at index dayAt, "01.03.2024"; a time may follow. */
function dayOf(label: string, dayAt: 0 | 1): Day | null {
  const [, year, y, m = '1', , d = '1', rest = ''] =
    /^((\d{4})[-/](\d{1,2})([-/](\d{1,2}))?)(?:[T ](.*))?$/.exec(label) ??
    /^((20\d\d|19\d\d)(\d\d)()(\d\d))$/.exec(label) ??
    [];
  if (year) return real({ year: Number(y), month: Number(m), day: Number(d), time: rest });
  const other = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:[T ](.*))?$/.exec(label);
  if (!other) return null;
  const [first, second] = [Number(other[1]), Number(other[2])];
  return real({
    year: Number(other[3]),
    month: dayAt === 0 ? second : first,
    day: dayAt === 0 ? first : second,
    time: other[4] ?? '',
  });
}

function real(day: Day): Day | null {
  return day.month >= 1 && day.month <= 12 && day.day >= 1 && day.day <= 31 ? day : null;
}

function keyOf(day: Day | null): number | null {
  if (!day) return null;
  const [, hour = 0, minute = 0, second = 0] = (/^(\d\d):(\d\d)(?::(\d\d))?/.exec(day.time) ?? []).map(Number);
  return ((day.year * 13 + day.month) * 32 + day.day) * 86400 + hour * 3600 + minute * 60 + (second || 0);
}

const DAYS: Key[] = [(label) => keyOf(dayOf(label, 0)), (label) => keyOf(dayOf(label, 1))];

/** The first kind to which all labels belong. */
function kindOf(labels: string[], kinds: Key[]): Key | null {
  return (labels.length > 0 && kinds.find((key) => labels.every((label) => key(label) !== null))) || null;
}

const collator = new Intl.Collator('en', { numeric: true });

function numberOf(label: string): number | null {
  const value = label.trim() === '' ? NaN : Number(label);
  return Number.isFinite(value) ? value : null;
}

/** Indices of the labels in natural order: numbers, weekdays, months and dates by value, digits in words as numbers. */
export function naturalOrder(labels: string[]): number[] {
  const key = kindOf(labels, [weekday, month, ...DAYS]);
  const keys = labels.map((label) => (key ?? numberOf)(label) ?? Infinity);
  return labels
    .map((_, i) => i)
    .sort((i, j) => (keys[i] === keys[j] ? 0 : keys[i]! - keys[j]!) || collator.compare(labels[i]!, labels[j]!));
}

export function inOrder(labels: string[]): string[] {
  return naturalOrder(labels).map((i) => labels[i]!);
}

function dayWords(day: Day): string {
  const name = MONTHS[day.month - 1]!;
  return `${day.day} ${name[0]!.toUpperCase()}${name.slice(1)} ${day.year}`;
}

function timeWords(day: Day): string {
  return /^\d\d:\d\d/.exec(day.time)?.[0] ?? '';
}

function spanWords(first: Day, last: Day): string {
  const [from, to] = [dayWords(first), dayWords(last)];
  if (from !== to) return `${from} to ${to}`;
  const [begin, end] = [timeWords(first), timeWords(last)];
  return begin !== end ? `${from}, ${begin} to ${end}` : from;
}

/** Labels of the segments, as far as the page contains them. */
function segmentLabels(report: Report): string[] {
  const { modulation } = report.result;
  return report.display?.segments
    ? report.display.labels
    : Object.keys((modulation && Object.values(modulation)[0]) ?? {});
}

/** "1 March 2024 to 14 March 2024": from a column of dates, or from segments that are dates; null without dates. */
export function period(report: Report): string | null {
  const labels = segmentLabels(report);
  const key = kindOf(labels, DAYS);
  const sorted = key ? [...labels].sort((a, b) => key(a)! - key(b)!) : [];
  const ends = report.dates ? [report.dates.first, report.dates.last] : [sorted[0] ?? '', sorted.at(-1) ?? ''];
  const [first, last] = ends.map((text) => dayOf(text, key === DAYS[1] ? 1 : 0)) as [Day | null, Day | null];
  if (!first || !last) return null;
  // labels that name only months have no day
  return !report.dates && labels.every((label) => /^\d{4}[-/]\d{1,2}$/.test(label))
    ? spanWords(first, last).replace(/\b1 (?=[A-Z])/g, '')
    : spanWords(first, last);
}
