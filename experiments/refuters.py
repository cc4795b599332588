#!/usr/bin/python3
"""refuters.py PROGRAM FIRST LAST MEAN DEPTH set|shift - measures how often correct answers fail the refuters of
`effect`.

Three variables in six segments of 100 rows, with the true graph; MEAN as in `simulate --mean`.  `set` sets the first
cause to 0.5, `shift` adds 0.5 to the second.  Prints a line per seed: the effect, the mean placebo effect, and the
p-values of both refuters; then how many fail at .05 (docs/effects.md)."""
import collections
import json
import os
import subprocess
import sys
import tempfile


def refute(program, folder, seed, mean, depth, kind):
    data, truth = os.path.join(folder, 'data.csv'), os.path.join(folder, 'truth.json')
    subprocess.run([program, 'simulate', '--sem', 'node', '--nodes', '3', '--edge-prob', '1', '--segments', '6',
                    '--per-segment', '100', '--depth', depth, '--seed', str(seed), '--mean=' + mean, '-o', data,
                    '--truth', truth, '-q'], check=True)
    with open(truth, encoding='utf-8') as file:
        found = json.load(file)
    effects = collections.Counter(cause for cause, _ in found['edges'])
    first, second, last = sorted(found['nodes'], key=lambda name: -effects[name])
    asked = ['--do', first + '=0.5'] if kind == 'set' else ['--change', second + '=0.5']
    done = subprocess.run([program, 'effect', data, '-q', '--segment', 'segment', '--graph', truth, *asked, '--on', last,
                           '--refute', '20', '--extrapolate', '--json', '-'], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)['effects'][0]


def main():
    program, first, last, mean, depth, kind = sys.argv[1:]
    count, failed = 0, [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last) + 1):
            e = refute(program, folder, seed, mean, depth, kind)
            p = e['placebo']['p_value'], e['subsets']['p_value']
            print(seed, '%.4g %.4g %.4g %.4g' % (e['difference']['mean'], e['placebo']['mean'], *p), flush=True)
            count, failed = count + 1, [failed[k] + (p[k] < 0.05) for k in range(2)]
    print('of %d: placebo cause fails %d, random subsets %d' % (count, *failed))


main()
