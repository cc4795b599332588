#!/usr/bin/python3
"""baselines_peers.py NONSENS SCRATCH - times the baselines, and DirectLiNGAM in NumPy on the same rows.

NONSENS is the program; SCRATCH a folder for tables.  Prints `bench NAME VALUE UNIT`: medians of five runs (of three for
200 variables) of the seconds that the program itself reports, without reading.  The peer, which runs once, is
DirectLiNGAM as published: in every round it compares every pair of variables again, by array operations on whole
columns.
"""
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time

try:
    import numpy as np
except ImportError:
    np = None


def write_table(path, names, columns):
    with open(path, 'w', encoding='utf-8', newline='') as file:
        table = csv.writer(file)
        table.writerow(names)
        table.writerows(zip(*columns))
    return path


def linear_columns(d, n, seed=11):
    """Draws columns: each variable has two earlier ones as causes, and Laplace noise."""
    rng = random.Random(seed)
    columns = []
    for j in range(d):
        parents = rng.sample(range(j), min(j, 2))
        weights = [rng.choice((-1, 1)) * rng.uniform(.3, .9) for _ in parents]
        columns.append([sum(w * columns[p][i] for w, p in zip(weights, parents)) +
                        rng.choice((-1, 1)) * rng.expovariate(1) for i in range(n)])
    names = ['v%d' % (j + 1) for j in range(d)]
    mixed = rng.sample(range(d), d)
    return [names[j] for j in mixed], [columns[j] for j in mixed]


def additive_columns(n, seed=12):
    rng = random.Random(seed)
    x = [rng.gauss(0, 1) for _ in range(n)]
    return ['x', 'y'], [x, [math.tanh(2 * v) + .3 * v * v + .3 * rng.gauss(0, 1) for v in x]]


def seconds(nonsens, runs, *words):
    command = [nonsens, *words, '-q', '--json', '-']
    return statistics.median(json.loads(subprocess.run(command, capture_output=True, check=True).stdout)['seconds']
                             for _ in range(runs))


def entropy(u):
    return ((1 + math.log(2 * math.pi)) / 2 - 79.047 * (np.mean(np.log(np.cosh(u))) - .37457) ** 2 -
            7.4129 * np.mean(u * np.exp(-u * u / 2)) ** 2)


def standard(v):
    return (v - v.mean()) / v.std()


def residual(a, b):
    """Returns the residual of a on b."""
    return a - np.mean(a * b) / np.mean(b * b) * b


def lingam_order(x):
    left, order = list(range(x.shape[1])), []
    while left:
        z = {j: standard(x[:, j]) for j in left}
        worst = {}
        for i in left:
            sums = 0.0
            for j in left:
                if i != j:
                    forth = entropy(z[j]) + entropy(standard(residual(z[i], z[j])))
                    back = entropy(z[i]) + entropy(standard(residual(z[j], z[i])))
                    sums += min(0, forth - back) ** 2
            worst[i] = sums
        first = min(left, key=worst.get)
        left.remove(first)
        order.append(first)
        for j in left:
            x[:, j] = residual(x[:, j] - x[:, j].mean(), x[:, first] - x[:, first].mean())
    return order


def compare_lingam(ours, columns):
    if not np:
        print('# NumPy: not installed, comparison left out; to have it: apt-get install python3-numpy, and run again')
        return
    print('# NumPy: %s' % np.__version__)
    begun = time.perf_counter()
    lingam_order(np.column_stack(columns))
    theirs = time.perf_counter() - begun
    print('bench lingam.d50n1000.numpy-seconds %.3f s' % theirs)
    print('bench lingam.d50n1000.vs_numpy %.1f ratio' % (theirs / ours), flush=True)


def main():
    nonsens, scratch = sys.argv[1:]
    table = os.path.join(scratch, 'baseline.csv')
    names, columns = linear_columns(50, 1000)
    ours = seconds(nonsens, 5, 'discover', write_table(table, names, columns), '--method', 'lingam')
    print('bench lingam.d50n1000 %.4f s' % ours, flush=True)
    compare_lingam(ours, columns)
    large = seconds(nonsens, 3, 'discover', write_table(table, *linear_columns(200, 2000)), '--method', 'lingam')
    print('bench lingam.d200n2000 %.4f s' % large, flush=True)
    pair = seconds(nonsens, 5, 'direction', write_table(table, *additive_columns(5000)), '--method', 'resit')
    print('bench resit.n5000 %.4f s' % pair, flush=True)
    subprocess.run([nonsens, 'simulate', '--seed', '5', '-o', table], check=True)
    changes = seconds(nonsens, 5, 'direction', table, '--segment', 'segment', '--method', 'cdnod')
    print('bench cdnod.e10n512 %.4f s' % changes, flush=True)


main()
