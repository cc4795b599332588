#!/usr/bin/python3
"""structured_six.py NONSENS SCRATCH - times `discover` by structured on six variables, 20 segments of 512 rows.

NONSENS is the program; SCRATCH a folder for the tables.  Ten simulated data sets (node generator, depths 1 to 5 twice,
two expected neighbours per node), two threads.  Prints `bench structured.d6e20 VALUE s`, the median time of the whole
program, and `bench structured.d6e20.most`, the longest.
"""
import json
import os
import statistics
import subprocess
import sys
import time


def main():
    nonsens, table = sys.argv[1], os.path.join(sys.argv[2], 'six.csv')
    took = []
    for seed in range(1, 11):
        subprocess.run([nonsens, 'simulate', '--sem', 'node', '--nodes', '6', '--segments', '20', '--depth',
                        str(1 + seed % 5), '--seed', str(seed), '-o', table], capture_output=True, check=True)
        begun = time.perf_counter()
        done = subprocess.run([nonsens, 'discover', table, '--segment', 'segment', '--threads', '2', '-q', '--json', '-'],
                              capture_output=True, check=True)
        took.append((time.perf_counter() - begun, len(json.loads(done.stdout)['edges'])))
    seconds, edges = max(took)
    print('bench structured.d6e20 %.2f s' % statistics.median(s for s, _ in took))
    print('bench structured.d6e20.most %.2f s' % seconds)
    print('# edges of structured.d6e20.most: %d' % edges)


main()
