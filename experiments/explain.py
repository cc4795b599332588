#!/usr/bin/python3
"""explain.py [--reps R] [--seed S] [--cells PATTERN] [--jobs N] NONSENS - measures how well `nonsens explain` finds
what changed.

Each data set of a cell is simulated (d = 6, node generator, seeds S, S+1, ...), explained, and compared with the scales
of its true disturbances.  One line per cell:

    explain CELL key=value...

  first      share of data sets whose first-ranked variable has the largest true own change
  found      share of the variables that changed (true ratio of scales not 1) with the verdict `changed itself`
  followers  share of unchanged descendants of changed variables with that verdict (false discoveries), and
  followed   with the verdict `follows`
  others     share of unchanged other variables with the verdict `changed itself`
  fdp        mean share of false ones among those with that verdict (0 if there are none)
  bound      share of lower bounds of the own change that the true divergence reaches, of changed variables without
             causes
  bound_c    the same for changed variables with causes, whose disturbance is not known but estimated
  bound0     share of lower bounds that are 0, of unchanged variables
  scale      share of bounds of the ratio of scales that hold for the true one, of changed variables (Laplace
             disturbances alone: scales of others are known up to a power only)
  ratio      median of estimate over true divergence, of changed variables without causes
  ratio_c    the same for those with causes

--jobs N works on N data sets at once; results do not depend on it.
"""
import argparse
import concurrent.futures
import fnmatch
import functools
import json
import math
import os
import statistics
import subprocess
import tempfile

FAULT = ['--fault', '3']
# name: options of simulate, options of explain, whether the graph is given
CELLS = {
    'fault.graph-given': (FAULT, ['--of', 's10', '--against', 's1'], True),
    'fault.graph-found': (FAULT, ['--of', 's10', '--against', 's1'], False),
    'fault.against-all': (FAULT + ['--scale', '1:1'], ['--of', 's10'], True),
    'fault.weak': (['--fault', '1.5'], ['--of', 's10', '--against', 's1'], True),
    'fault.strong': (['--fault', '10'], ['--of', 's10', '--against', 's1'], True),
    'fault.narrower': (['--fault', '0.4'], ['--of', 's10', '--against', 's1'], True),
    'fault.n128': (FAULT + ['--per-segment', '128'], ['--of', 's10', '--against', 's1'], True),
    'fault.n2048': (FAULT + ['--per-segment', '2048'], ['--of', 's10', '--against', 's1'], True),
    'fault.gaussian': (FAULT + ['--noise', 'gaussian'], ['--of', 's10', '--against', 's1'], True),
    'fault.student': (FAULT + ['--noise', 'student'], ['--of', 's10', '--against', 's1'], True),
    'fault.layered': (FAULT + ['--sem', 'layered'], ['--of', 's10', '--against', 's1'], True),
    'nothing': (['--fault', '1'], ['--of', 's10', '--against', 's1'], True),
    'nothing.against-all': (['--fault', '1', '--scale', '1:1'], ['--of', 's10'], True),
    'all.graph-given': ([], ['--of', 's2', '--against', 's1'], True),
    'all.graph-found': ([], ['--of', 's2', '--against', 's1'], False),
}


def divergence(noise, ratio):
    """Returns the Jeffreys divergence of a disturbance and one `ratio` times as wide; None without a closed form."""
    if noise == 'laplace':
        return ratio + 1 / ratio - 2
    if noise == 'gaussian':
        return 0.5 * (ratio ** 2 + ratio ** -2) - 1
    return None


def descendants(edges, roots):
    reached, fresh = set(), set(roots)
    while fresh:
        fresh = {b for a, b in edges if a in fresh} - reached
        reached |= fresh
    return reached


def run(program, cell, seed):
    """Returns (truth, explanation) of one data set."""
    with tempfile.TemporaryDirectory() as folder:
        return run_in(folder, program, cell, seed)


def run_in(folder, program, cell, seed):
    simulate, explain, given = CELLS[cell]
    data, truth, found = (os.path.join(folder, name) for name in ('data.csv', 'truth.json', 'found.json'))
    subprocess.run([program, 'simulate', '--sem', 'node', '--nodes', '6', '--seed', str(seed), '-o', data, '--truth',
                    truth] + simulate, check=True)
    subprocess.run([program, 'explain', data, '-q', '--threads', '1', '--segment', 'segment', '--json', found, '-o',
                    '/dev/null'] + explain + (['--graph', truth] if given else []), check=True)
    with open(truth, encoding='utf-8') as t, open(found, encoding='utf-8') as f:
        return json.load(t), json.load(f)['explain']


def ratios(truth, explain):
    """Returns each variable's true ratio of scales, segment over reference; several references have equal scales."""
    against = explain['against'] or 's1'
    return {name: scale[explain['of']] / scale[against] for name, scale in truth['modulation'].items()}


class Tally:
    """Counts of a cell."""

    def __init__(self):
        self.of = {}

    def add(self, key, value):
        if value is not None:
            self.of.setdefault(key, []).append(float(value))

    def text(self):
        parts = []
        for key in ('first', 'found', 'followers', 'followed', 'others', 'fdp', 'bound', 'bound_c', 'bound0',
                    'scale'):
            if key in self.of:
                values = self.of[key]
                parts.append('%s=%.3f(%d)' % (key, sum(values) / len(values), len(values)))
        for key in ('ratio', 'ratio_c'):
            if key in self.of:
                parts.append('%s=%.2f' % (key, statistics.median(self.of[key])))
        return ' '.join(parts)


def inside(value, interval):
    if value is None or interval is None:
        return None
    return (interval[0] is None or interval[0] <= value) and (interval[1] is None or value <= interval[1])


def judge(tally, truth, explain):
    ratio = ratios(truth, explain)
    noise = truth['options']['noise']
    changed = {name for name, r in ratio.items() if abs(math.log(r)) > 1e-9}
    follower = descendants(truth['edges'], changed) - changed
    variables = explain['variables']
    roots = explain['root_causes']
    if changed:
        tally.add('first', variables[0]['variable'] == max(changed, key=lambda name: abs(math.log(ratio[name]))))
    tally.add('fdp', len(set(roots) - changed) / len(roots) if roots else 0)
    for v in variables:
        name, called = v['variable'], v['verdict'] == 'changed itself'
        true = divergence(noise, ratio[name])
        if name in changed:
            tally.add('found', called)
            caused = any(effect == name for _, effect in truth['edges'])
            tally.add('bound_c' if caused else 'bound', inside(true, v['interval']))
            if true and v['interval']:  # null if the causes cannot be compared
                tally.add('ratio_c' if caused else 'ratio', v['own_change'] / true)
            if noise == 'laplace':
                tally.add('scale', inside(ratio[name], v['scale_interval']))
            continue
        tally.add('followers' if name in follower else 'others', called)
        if name in follower:
            tally.add('followed', v['verdict'] == 'follows')
        tally.add('bound0', inside(0.0, v['interval']))


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
            if not fnmatch.fnmatch(cell, options.cells):
                continue
            tally = Tally()
            for found in pool.map(functools.partial(run, options.program, cell), seeds):
                judge(tally, *found)
            print('explain %s reps=%d %s' % (cell, options.reps, tally.text()), flush=True)


if __name__ == '__main__':
    main()
