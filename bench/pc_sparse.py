#!/usr/bin/python3
"""pc_sparse.py NONSENS SCRATCH - times PC on a sparse Gaussian table: 200 variables with two expected neighbours, 1,000
rows, alpha .01, sets of any size, one thread.

NONSENS is the program; SCRATCH a folder for the table.  Prints `bench pc.d200n1000 VALUE s`: the median over five runs
of the seconds that the program itself reports for the whole search, including directions but not reading; and `bench
pc.d200n1000.program`, which also includes start, reading, canonical order and audit.
"""
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import time


def sparse_columns(d, n, neighbours, seed=17):
    """Draws columns with weights of size .4 to .9 and random sign, like bench/graph.c."""
    rng, columns = random.Random(seed), []
    for j in range(d):
        column = [rng.gauss(0, 1) for _ in range(n)]
        for cause in columns:
            if rng.random() * (d - 1) < neighbours:
                weight = rng.choice((-1, 1)) * rng.uniform(.4, .9)
                column = [v + weight * u for v, u in zip(column, cause)]
        columns.append(column)
    return columns


def main():
    nonsens, path = sys.argv[1], os.path.join(sys.argv[2], 'sparse.csv')
    with open(path, 'w', encoding='utf-8', newline='') as file:
        table = csv.writer(file)
        table.writerow('v%d' % (j + 1) for j in range(200))
        table.writerows(zip(*sparse_columns(200, 1000, 2)))
    search, whole = [], []
    for _ in range(5):
        begun = time.perf_counter()
        done = subprocess.run([nonsens, 'discover', path, '--method', 'pc', '--alpha', '0.01', '--max-given', '100',
                               '--threads', '1', '-q', '--json', '-'], capture_output=True, check=True)
        whole.append(time.perf_counter() - begun)
        search.append(json.loads(done.stdout)['seconds'])
    print('bench pc.d200n1000 %.4f s' % statistics.median(search))
    print('bench pc.d200n1000.program %.4f s' % statistics.median(whole))


main()
