#!/usr/bin/python3
"""sachs.py PROGRAM [FOLDER] - runs all methods of `nonsens discover` on the data of Sachs et al. (Science 308, 2005).

FOLDER (default: sachs under $NONSENS_DATA, else under ../shared/data) holds sachs_14conditions_tidy.csv, a column
`segment` and eleven proteins, and sachs_edges.csv, a list of edges with a column of zeros and ones for each published
network.  The values are positive and heavy-tailed, so their logarithms are used, in the usual nine conditions, segments
1 to 9 (7,466 cells).  Prints a line per method: edges, seconds and, for each network, F1 of the skeleton and of arrows,
direction accuracy and SHD, all by `nonsens compare` (docs/graphs.md).  Both networks are acyclic; they show what the
literature assumes, not what is known to be true.

    --methods A,B    only these (default: all that `nonsens methods` lists for discover)
    --targets        tells methods that can use it which condition acted on which protein (sachs_conditions.csv): an
                     inhibitor of a protein's activity changes its effects on others, anything else changes its
                     mechanism
    --options TEXT   further options of discover, such as '--alpha 0.01'
    --limit S        a method that takes longer is stopped and reported as such (default 600)
    --threads T      (default 1)
    --out FILE.csv   the same table as CSV

If the data are missing, one line says so, and the exit status is 0.
"""
import argparse
import csv
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile

NETWORKS = ('bnlearn17', 'consensus20_cmu')
CONDITIONS = {str(k) for k in range(1, 10)}
MEASURES = ('skeleton', 'f1', 'direction', 'shd')


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('program')
    parser.add_argument('folder', nargs='?',
                        default=os.path.join(os.environ.get('NONSENS_DATA', '../shared/data'), 'sachs'))
    parser.add_argument('--methods', default='')
    parser.add_argument('--options', default='')
    parser.add_argument('--targets', action='store_true')
    parser.add_argument('--limit', type=float, default=600)
    parser.add_argument('--threads', default='1')
    parser.add_argument('--out')
    return parser.parse_args()


def write_logarithms(source, target):
    """Writes segment and logarithms of all proteins, in the nine conditions."""
    with open(source, newline='') as file, open(target, 'w', newline='') as out:
        rows, writer = csv.DictReader(file), csv.writer(out)
        proteins = [name for name in rows.fieldnames if name not in ('segment', 'condition')]
        writer.writerow(['segment', *proteins])
        for row in rows:
            if row['segment'] in CONDITIONS:
                writer.writerow([row['segment'], *(repr(math.log(float(row[p]))) for p in proteins)])


def write_targets(source, target):
    """Writes the interventions of the nine conditions for --targets."""
    with open(source, newline='') as file, open(target, 'w', newline='') as out:
        writer = csv.writer(out)
        writer.writerow(['segment', 'variable', 'kind'])
        for row in csv.DictReader(file):
            inhibits_activity = row['kind'] == 'inhibition' and 'activity' in row['effect']
            for protein in filter(None, row['target_variable'].split('/')):
                if row['segment'] in CONDITIONS:
                    writer.writerow([row['segment'], protein, 'activity' if inhibits_activity else 'changed'])


def discover_methods(program):
    """Returns the names of the methods that `nonsens methods` lists for discover."""
    lines = subprocess.run([program, 'methods'], check=True, capture_output=True, text=True).stdout.splitlines()
    words = [line.replace(',', ' ').split() for line in lines]
    return [w[0] for w in words if 'discover' in w[1:3]]


def compare(program, estimate, edges, network):
    done = subprocess.run([program, 'compare', estimate, edges, '--truth-column', network, '-q', '--json', '-'],
                          check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)['comparisons'][0]
    return {'skeleton': found['skeleton']['f1'], 'f1': found['arrows']['f1'], 'direction': found['direction_accuracy'],
            'shd': found['shd']}


def run_method(asked, method, data, edges, estimate, extra):
    """Returns a row of the table; with `why` if there is no graph."""
    command = [asked.program, 'discover', data, '--segment', 'segment', '--method', method, '--threads', asked.threads,
               '-q', '--json', estimate, *shlex.split(asked.options), *extra]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=asked.limit)
    except subprocess.TimeoutExpired:
        return {'method': method, 'why': 'stopped after %g s' % asked.limit}
    if done.returncode != 0:
        return {'method': method, 'why': 'failed: ' + ' '.join(done.stderr.split())}
    with open(estimate) as file:
        result = json.load(file)
    row = {'method': method, 'edges': len(result['edges']),
           'arrows': sum(e['type'] == '-->' for e in result['edges']), 'seconds': round(result['seconds'], 2)}
    for network in NETWORKS:
        for key, value in compare(asked.program, estimate, edges, network).items():
            row[network + '_' + key] = '' if value is None else round(value, 3)
    return row


def show(row):
    if 'why' in row:
        print('sachs %-12s %s' % (row['method'], row['why']), flush=True)
        return
    text = 'sachs %-12s edges=%d arrows=%d seconds=%.2f' % (row['method'], row['edges'], row['arrows'], row['seconds'])
    for network in NETWORKS:
        text += ' | %s' % network
        for key in MEASURES:
            text += ' %s=%s' % (key, row[network + '_' + key])
    print(text, flush=True)


def main():
    asked = arguments()
    asked.program = os.path.abspath(asked.program)
    data, edges = (os.path.join(asked.folder, name) for name in ('sachs_14conditions_tidy.csv', 'sachs_edges.csv'))
    if not (os.path.exists(data) and os.path.exists(edges)):
        print('sachs: skipped, %s has no sachs_14conditions_tidy.csv and sachs_edges.csv' % asked.folder)
        return 0
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        table, estimate = os.path.join(folder, 'sachs.csv'), os.path.join(folder, 'graph.json')
        write_logarithms(data, table)
        extra = []
        if asked.targets:
            extra = ['--targets', os.path.join(folder, 'targets.csv')]
            write_targets(os.path.join(asked.folder, 'sachs_conditions.csv'), extra[1])
        for method in asked.methods.split(',') if asked.methods else discover_methods(asked.program):
            rows.append(run_method(asked, method, table, edges, estimate, extra))
            show(rows[-1])
    if asked.out:
        with open(asked.out, 'w', newline='') as file:
            names = ['method', 'edges', 'arrows', 'seconds', *(n + '_' + k for n in NETWORKS for k in MEASURES), 'why']
            writer = csv.DictWriter(file, names, restval='', lineterminator='\n')
            writer.writeheader()
            writer.writerows(rows)
    return 0


sys.exit(main())
