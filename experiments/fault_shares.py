#!/usr/bin/python3
"""fault_shares.py [--reps R] [--seed S] [--cells PATTERN] [--jobs N] NONSENS - measures whether `nonsens explain
--target` attributes the change of a variable to the faulted variable that causes it.

Each data set of a cell is simulated (d = 6, node generator, 10 x 512 rows, seeds S, S+1, ...) with one disturbance
three times as wide in the last segment, and explained once for each variable that the faulted one causes.  One line
per cell:

    fault_shares CELL key=mean(standard error over data sets) of N

  largest    share of targets for which the faulted variable's share of the change is the largest of all, in absolute
             value; an answer without shares counts as wrong
  beats_rest share of targets for which it is also larger than the rest, the share of all variables that get none
  given      share of targets whose answer has shares
  clear      share of targets whose mean changed by more than two standard errors
  part       mean part of the change that is attributed to the faulted variable, of these targets (true: 1)
  rest_z     share of targets for which the rest, in truth only chance differences between rows, is within 1.96
             standard errors of 0

Data sets whose faulted variable causes no other variable are not counted.  --jobs N works on N data sets at once;
results do not depend on it.  Standard error shows the line of the data sets so far.
"""
import argparse
import concurrent.futures
import fnmatch
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile

SETS_BETWEEN = 10  # progress is printed on standard error after this many data sets
KEYS = ['largest', 'beats_rest', 'given', 'clear', 'part', 'rest_z']
# name: depth of mechanisms, whether the true graph is given
CELLS = {'depth1.given': (1, True), 'depth3.given': (3, True), 'depth1.found': (1, False), 'depth3.found': (3, False)}


def descendants(edges, root):
    reached, fresh = set(), {root}
    while fresh:
        fresh = {b for a, b in edges if a in fresh} - reached
        reached |= fresh
    return sorted(reached)


def judge(explain, fault):
    """Evaluates one target."""
    shares = {v['variable']: abs(v['effect_share']) for v in explain['variables'] if v['effect_share'] is not None}
    own = shares.get(fault)
    if own is None:
        return {'largest': 0.0, 'beats_rest': 0.0, 'given': 0.0}
    target = explain['target']
    rest, change = target['others_share'], target['change']
    clear = abs(change) > 2 * target['standard_error']
    found = {'largest': float(own == max(shares.values())), 'given': 1.0, 'clear': float(clear),
             'rest_z': float(abs(rest) <= 1.96 * target['others_standard_error'])}
    found['beats_rest'] = float(found['largest'] and own > abs(rest))
    if clear:
        found['part'] = next(v['effect_part'] for v in explain['variables'] if v['variable'] == fault)
    return found


def run(program, cell, seed):
    """Evaluates all targets of one data set."""
    depth, given = CELLS[cell]
    with tempfile.TemporaryDirectory() as folder:
        data, truth, result, graph = (os.path.join(folder, name)
                                      for name in ('data.csv', 'truth.json', 'found.json', 'graph.json'))
        subprocess.run([program, 'simulate', '--sem', 'node', '--nodes', '6', '--depth', str(depth), '--segments', '10',
                        '--per-segment', '512', '--fault', '3', '--seed', str(seed), '-o', data, '--truth', truth],
                       check=True)
        with open(truth, encoding='utf-8') as file:
            true = json.load(file)
        fault = true['fault']['variable']
        found = []
        for target in descendants(true['edges'], fault):
            if not given and not os.path.exists(graph):
                subprocess.run([program, 'discover', data, '-q', '--threads', '1', '--segment', 'segment', '--json',
                                graph, '-o', '/dev/null'], check=True)
            subprocess.run([program, 'explain', data, '-q', '--threads', '1', '--segment', 'segment', '--of', 's10',
                            '--against', 's1', '--target', target, '--graph', truth if given else graph, '--json',
                            result, '-o', '/dev/null'], check=True)
            with open(result, encoding='utf-8') as file:
                found.append(judge(json.load(file)['explain'], fault))
        return found


def text(sets, keys):
    """Returns means over targets, with standard errors over data sets."""
    parts = []
    for key in keys:
        clusters = [[f[key] for f in found if key in f] for found in sets]
        clusters = [c for c in clusters if c]
        values = [v for c in clusters for v in c]
        if values:
            mean = statistics.fmean(values)
            square = sum(sum(v - mean for v in c) ** 2 for c in clusters)
            parts.append('%s=%.3f(%.3f) of %d' % (key, mean, square ** 0.5 / len(values), len(values)))
    return ' '.join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', help='the program, build/nonsens')
    parser.add_argument('--reps', type=int, default=100)
    parser.add_argument('--seed', type=int, default=100001)
    parser.add_argument('--cells', default='*')
    parser.add_argument('--jobs', type=int, default=1, help='data sets at once')
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.reps)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for cell in CELLS:
            if fnmatch.fnmatch(cell, options.cells):
                sets = []
                for found in pool.map(functools.partial(run, options.program, cell), seeds):
                    sets.append(found)
                    if len(sets) % SETS_BETWEEN == 0:
                        print('%d: %s' % (len(sets), text(sets, KEYS)), file=sys.stderr, flush=True)
                print('fault_shares %s sets=%d %s' % (cell, sum(map(bool, sets)), text(sets, KEYS)), flush=True)


if __name__ == '__main__':
    main()
