#!/usr/bin/env python3
"""missing_values.py NONSENS [--seed S] [--reps R] [--rows N] [--share P] [--depth L] [--methods M,...] [--jobs J]

Measures how well graphs of six variables are found if values are missing.  `simulate --sem node` makes the data, ten
segments of N rows.  Cells are then made missing with probability P: in `mcar` independently; in `mar` with probability
2 P times the rank, from 0 to 1, of the row's value of one randomly chosen variable, which has no missing values itself.

Prints F1 of arrows, the structural Hamming distance, and how many edges are missing, extra and reversed, for the
complete data, for --na drop-rows and for --na pairwise: means over data sets with standard errors.  Then prints the
mean differences of F1 on the same data sets."""
import argparse
import concurrent.futures
import json
import os
import random
import statistics
import subprocess
import tempfile

NODES, SEGMENTS = 6, 10


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def read(path):
    with open(path, encoding='utf-8') as file:
        lines = file.read().splitlines()
    return lines[0], [line.split(',') for line in lines[1:]]


def remove_cells(kind, share, seed, rows):
    """Returns a copy of the rows without some cells; the last column is the segment."""
    draw = random.Random(f'{kind} {seed}')
    seen = draw.randrange(NODES)  # in `mar` this variable has all values
    order = sorted(range(len(rows)), key=lambda i: float(rows[i][seen]))
    rank = [0.0] * len(rows)
    for place, i in enumerate(order):
        rank[i] = place / len(rows)
    copy = []
    for i, row in enumerate(rows):
        chance = share if kind == 'mcar' else 2 * share * rank[i]
        whole = [NODES] + ([seen] if kind == 'mar' else [])
        copy.append([cell if j in whole or draw.random() >= chance else '' for j, cell in enumerate(row)])
    return copy


def write(path, head, rows):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join([head] + [','.join(row) for row in rows]) + '\n')


def score(program, folder, path, words):
    result = os.path.join(folder, 'result.json')
    run(program, 'discover', path, '--segment', 'segment', '-q', '--threads', '1', '--json', result, *words)
    compared = json.loads(run(program, 'compare', result, os.path.join(folder, 'truth.json'), '--json', '-'))
    found = compared['comparisons'][0]
    return found['arrows']['f1'], found['shd'], found['missing'], found['extra'], found['reversed'], found['marked']


def measure(program, o, seed, methods):
    """Scores of one data set: {(method, kind, treatment): (f1, shd, missing, extra, reversed, otherwise marked)}."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path, cut = os.path.join(folder, 'data.csv'), os.path.join(folder, 'cut.csv')
        run(program, 'simulate', '--sem', 'node', '--nodes', str(NODES), '--segments', str(SEGMENTS), '--per-segment', str(o.rows),
            '--depth', str(o.depth), '--seed', str(seed), '-o', path, '--truth', os.path.join(folder, 'truth.json'), '-q')
        head, rows = read(path)
        for method in methods:
            found[method, '-', 'complete'] = score(program, folder, path, ['--method', method])
        for kind in ('mcar', 'mar'):
            write(cut, head, remove_cells(kind, o.share, seed, rows))
            for method in methods:
                for na in ('drop-rows', 'pairwise'):
                    found[method, kind, na] = score(program, folder, cut, ['--method', method, '--na', na])
    return found


def mean(values):
    error = statistics.stdev(values) / len(values) ** .5 if len(values) > 1 else float('nan')
    return f'{statistics.mean(values):7.3f} ({error:.3f})'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    for name, usual in (('seed', 1), ('reps', 20), ('rows', 200), ('depth', 3), ('jobs', os.cpu_count())):
        parser.add_argument('--' + name, type=int, default=usual)
    parser.add_argument('--share', type=float, default=.1)
    parser.add_argument('--methods', default='structured')
    o = parser.parse_args()
    methods = o.methods.split(',')
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        sets = list(pool.map(lambda seed: measure(o.program, o, seed, methods), range(o.seed, o.seed + o.reps)))
    print(f'{o.reps} data sets, seeds from {o.seed}, {SEGMENTS} segments of {o.rows} rows, depth {o.depth}, {o.share:g} of cells missing')
    print('method      missing  rows         F1 of arrows             SHD   edges missing           extra        reversed other marks')
    for key in sets[0]:
        print(f'{key[0]:11} {key[1]:8} {key[2]:10}', *(mean([each[key][k] for each in sets]) for k in range(6)))
    print('\nF1 of pairwise less that of')
    for method in methods:
        for kind in ('mcar', 'mar'):
            for other in ((method, '-', 'complete'), (method, kind, 'drop-rows')):
                less = [each[method, kind, 'pairwise'][0] - each[other][0] for each in sets]
                print(f'{method:11} {kind:8} {other[2]:10}', mean(less))


main()
