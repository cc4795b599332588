// The paths of an effect through the graph: which edges lie on directed paths from changed variables to targets.
import type { Edge, Result } from './types';

export interface Way {
  changed: Set<string>;
  asked: Set<string>;
  on: Set<Edge>;
}

type Step = [from: string, to: string, edge: Edge];

/** An edge without a direction may lead either way; nothing leads into a variable that is set. */
function steps(result: Result): Step[] {
  const set = new Set((result.changes ?? []).filter((a) => a.kind === 'set').map((a) => a.variable));
  const all = (result.edges ?? []).flatMap((e): Step[] =>
    e.type === '<->' ? [] : e.type === '-->' ? [[e.from, e.to, e]] : [[e.from, e.to, e], [e.to, e.from, e]],
  );
  return all.filter(([, to]) => !set.has(to));
}

function reach(from: Iterable<string>, ways: Step[], forward: boolean): Set<string> {
  const found = new Set(from);
  const next = new Map<string, string[]>();
  for (const [a, b] of ways) {
    const [here, there] = forward ? [a, b] : [b, a];
    next.set(here, [...(next.get(here) ?? []), there]);
  }
  const queue = [...found];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const other of next.get(node) ?? []) {
      if (!found.has(other)) queue.push(other);
      found.add(other);
    }
  }
  return found;
}

/** Returns null if nothing is changed, as in the table of all effects. */
export function wayOf(result: Result): Way | null {
  const changed = new Set((result.changes ?? []).map((a) => a.variable));
  if (changed.size === 0) return null;
  const asked = new Set([...(result.effects ?? []), ...(result.rows ?? [])].map((answer) => answer.on));
  const ways = steps(result);
  const behind = reach(changed, ways, true);
  const before = reach(asked, ways, false);
  const on = new Set(ways.filter(([a, b]) => behind.has(a) && before.has(b)).map(([, , edge]) => edge));
  return { changed, asked, on };
}
