#!/usr/bin/python3
"""pc_directions.py PROGRAM [REPS [METHOD...]] - measures directions by pc and pc-nonsens on simulated graphs.

Six variables (--sem node, 10 x 512 rows, depth 1 and 3, seeds from 1).  Prints for each setting: the distance of the
marks from the true DAG (a line instead of an arrow counts one) and from its skeleton, correct and wrong arrows, true
edges without direction, seconds; for pc-nonsens also the correct and wrong ones among arrows whose ends may have a
common cause.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SETTINGS = [('pc', '--knots', '4', '--colliders', c, '--conflicts', k) for c in ('plain', 'conservative', 'majority')
            for k in ('bidirected', 'priority')]
SETTINGS += [('pc-nonsens', '--colliders', c) for c in ('plain', 'conservative', 'majority')]


def count(result, truth):
    """Returns differences, correct and wrong arrows, lines on true edges; common causes, correct and wrong."""
    pairs, right, wrong, lines, both = set(), 0, 0, 0, 0
    for e in result['edges']:
        ends = (e['from'], e['to'])
        pairs.add(frozenset(ends))
        right += e['type'] == '-->' and ends in truth
        wrong += e['type'] == '-->' and ends[::-1] in truth
        lines += e['type'] == '---' and (ends in truth or ends[::-1] in truth)
        both += e['type'] == '<->' and (ends in truth or ends[::-1] in truth)
    skeleton = {frozenset(e) for e in truth}
    off = len(pairs ^ skeleton)
    would = [tuple(re.match(r'(\S+) -> (\S+) rests on', n).groups()) for n in result['notes'] if ' rests on ' in n]
    return (off + wrong + lines + both, off, right, wrong, lines, both, sum(w in truth for w in would),
            sum(w[::-1] in truth for w in would), result['seconds'])


def main():
    program, reps = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    methods = sys.argv[3:] or ('pc', 'pc-nonsens')
    print('depth setting: shd skeleton right wrong lines two-headed | common cause right wrong | seconds')
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for depth in (1, 3):
            cells = {}
            for seed in range(1, reps + 1):
                subprocess.run([program, 'simulate', '--sem', 'node', '--nodes', '6', '--segments', '10',
                                '--per-segment', '512', '--depth', str(depth), '--seed', str(seed), '-o', 'd.csv',
                                '--truth', 't.json'], check=True)
                with open('t.json') as file:
                    truth = {tuple(e) for e in json.load(file)['edges']}
                for setting in SETTINGS:
                    if setting[0] in methods:
                        done = subprocess.run([program, 'discover', 'd.csv', '--segment', 'segment', '--method',
                                               *setting, '--threads', '1', '-q', '--json', '-'], check=True,
                                              capture_output=True)
                        cells.setdefault(setting, []).append(count(json.loads(done.stdout), truth))
            for setting, rows in cells.items():
                mean = [sum(r[k] for r in rows) / len(rows) for k in range(9)]
                print('%d %-52s %.2f %.2f %.2f %.2f %.2f %.2f | %.2f %.2f | %.2f' % (depth, ' '.join(setting), *mean),
                      flush=True)


main()
