#!/usr/bin/python3
"""pc_tests.py PROGRAM [REPS] [TEST...] - compares tests of independence for pc inside segments.

Simulates graphs of six variables (--sem node, 10 x 512 rows, depth 1 and 3, seeds from 1).  Prints F1 of the skeleton,
missing and extra edges, seconds on one thread.  `knots` is fisher-z with --knots 4, `scores` fisher-z on normal scores
inside segments.
"""
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from scipy import stats

TESTS = ('fisher-z', 'knots', 'scores', 'kci')  # and rcit


def write_scores(source, target):
    """Writes normal scores inside segments."""
    with open(source, newline='') as file:
        head, *rows = csv.reader(file)
    label = numpy.array([r[-1] for r in rows])
    x = numpy.array([r[:-1] for r in rows], float)
    for segment in set(label):
        part = x[label == segment]
        x[label == segment] = stats.norm.ppf((stats.rankdata(part, axis=0) - 0.5) / len(part))
    with open(target, 'w', newline='') as file:
        csv.writer(file).writerows([head] + [list(map(repr, map(float, v))) + [s] for v, s in zip(x, label)])


def f1(found, truth):
    right = len(found & truth)
    return 2 * right / (len(found) + len(truth)) if found or truth else 1.0


def main():
    program, reps = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    tests = sys.argv[3:] or TESTS
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for depth in (1, 3):
            cells = {}
            for seed in range(1, reps + 1):
                subprocess.run([program, 'simulate', '--sem', 'node', '--nodes', '6', '--segments', '10',
                                '--per-segment', '512', '--depth', str(depth), '--seed', str(seed), '-o', 'd.csv',
                                '--truth', 't.json'], check=True)
                with open('t.json') as file:
                    truth = {frozenset(e) for e in json.load(file)['edges']}
                write_scores('d.csv', 's.csv')
                for test in tests:
                    for alpha in ('0.05', '0.01', '0.001'):
                        begun = time.time()
                        table = 's.csv' if test == 'scores' else 'd.csv'
                        done = subprocess.run([program, 'discover', table, '--segment', 'segment', '--method', 'pc',
                                               '--test',
                                               'fisher-z' if test in ('scores', 'knots') else test, '--knots',
                                               '4' if test == 'knots' else '0', '--alpha', alpha, '--threads',
                                               '1', '-q', '--json', '-'], check=True, capture_output=True)
                        found = {frozenset((e['from'], e['to'])) for e in json.loads(done.stdout)['edges']}
                        cells.setdefault((test, alpha), []).append(
                            (f1(found, truth), len(truth - found), len(found - truth), time.time() - begun))
            for (test, alpha), rows in cells.items():
                print('depth %d %-9s alpha %-6s F1 %.3f missing %.2f extra %.2f seconds %.2f' % (
                    depth, test, alpha, *(statistics.mean(r[k] for r in rows) for k in range(4))), flush=True)


main()
