#!/usr/bin/python3
"""bnlearn_check.py PROGRAM FOLDER [ALPHA] - compares pc on samples of Gaussian networks with a separate PC written
here.

FOLDER holds NAME_*.csv samples and NAME_edges.csv (cause, effect, coefficient) of networks from the bnlearn repository.
For each network the skeleton of `nonsens discover --method pc` must be that of a plain PC-stable with the same test
(Fisher's z of partial correlations, by inverting correlation matrices).  Prints the edges, the tests and the structural
Hamming distance to the pattern (CPDAG) of the true graph.  The exit status is 1 if a skeleton differs.
"""
import csv
import glob
import itertools
import json
import os
import subprocess
import sys

import numpy
from scipy import stats


def read_table(path):
    with open(path, newline='') as file:
        head, *rows = csv.reader(file)
    return head, rows


class FisherZ:
    """Computes the p-value of x and y given a set, from the correlation matrix."""

    def __init__(self, x):
        self.n, self.r = len(x), numpy.corrcoef(x, rowvar=False)

    def __call__(self, x, y, given):
        index = [x, y, *given]
        precision = numpy.linalg.inv(self.r[numpy.ix_(index, index)])
        partial = -precision[0, 1] / numpy.sqrt(precision[0, 0] * precision[1, 1])
        return 2 * stats.norm.sf(abs(numpy.arctanh(partial)) * numpy.sqrt(self.n - len(given) - 3))


def pc_stable(d, test, alpha, most=100):
    """Returns the adjacent nodes of every node, and the number of tests."""
    near, tests = {a: set(range(d)) - {a} for a in range(d)}, 0
    for size in range(most + 1):
        frozen = {a: frozenset(s) for a, s in near.items()}
        if all(len(s) - 1 < size for s in frozen.values()):
            break
        for x, y in itertools.combinations(range(d), 2):
            if y not in frozen[x]:
                continue
            sets = dict.fromkeys(itertools.chain(itertools.combinations(sorted(frozen[x] - {y}), size),
                                                 itertools.combinations(sorted(frozen[y] - {x}), size)))
            for given in sets:
                tests += 1
                if test(x, y, given) > alpha:
                    near[x].discard(y)
                    near[y].discard(x)
                    break
    return near, tests


def pattern(arrows, d):
    """Returns the CPDAG of a DAG as a set of arrows, a line as both; by v-structures and Meek's rules one to three."""
    adjacent = lambda a, b: (a, b) in arrows or (b, a) in arrows
    fixed = set()
    for b in range(d):
        for a, c in itertools.combinations([a for a in range(d) if (a, b) in arrows], 2):
            if not adjacent(a, c):
                fixed |= {(a, b), (c, b)}
    changed = True
    while changed:
        changed = False
        for a, b in arrows:
            if (a, b) in fixed:
                continue
            first = any((c, a) in fixed and not adjacent(c, b) for c in range(d))
            second = any((a, c) in fixed and (c, b) in fixed for c in range(d))
            lines = [c for c in range(d) if (c, b) in fixed and adjacent(a, c) and not {(a, c), (c, a)} & fixed]
            third = any(not adjacent(c, e) for c, e in itertools.combinations(lines, 2))
            if first or second or third:
                fixed.add((a, b))
                changed = True
    return fixed | {pair for a, b in arrows - fixed for pair in ((a, b), (b, a))}


def marks(edges, d):
    """Returns the matrix of marks of a set of arrows."""
    m = numpy.zeros((d, d), int)
    for a, b in edges:
        m[a, b] = 1
    return m


def found_graph(result, place):
    """Returns the skeleton, and arrows; a line is both of them, an arrow with two heads has its own mark (2)."""
    d = len(place)
    m = numpy.zeros((d, d), int)
    for e in result['edges']:
        a, b = place[e['from']], place[e['to']]
        m[a, b] = 2 if e['type'] == '<->' else 1
        m[b, a] = {'-->': 0, '---': 1, '<->': 2}[e['type']]
    return m


def check(program, folder, edges_path, alpha):
    name = os.path.basename(edges_path)[:-len('_edges.csv')]
    sample = [p for p in sorted(glob.glob(os.path.join(glob.escape(folder), name + '_*.csv')))
              if not p.endswith(('_edges.csv', '_nodes.csv'))]
    if not sample:
        print('%s: no sample, skipped' % name)
        return True
    head, rows = read_table(sample[0])
    place, d = {v: k for k, v in enumerate(head)}, len(head)
    done = subprocess.run([program, 'discover', sample[0], '--method', 'pc', '--alpha', str(alpha), '--max-given',
                           '100', '--json', '-', '-q'], capture_output=True, text=True)
    if done.returncode:
        print('%s: %s' % (name, done.stderr.strip()))
        return False
    result = json.loads(done.stdout)
    near, tests = pc_stable(d, FisherZ(numpy.array(rows, float)), alpha)
    mine = {(a, b) for a in near for b in near[a] if a < b}
    m = found_graph(result, place)
    theirs = {(a, b) for a in range(d) for b in range(a + 1, d) if m[a, b] or m[b, a]}
    arrows = {(place[a], place[b]) for a, b, *_ in read_table(edges_path)[1]}
    truth = marks(pattern(arrows, d), d)
    differ = (m != truth) | (m != truth).T
    true_edges = {(min(e), max(e)) for e in arrows}
    print('%s: %d variables, %d rows, alpha %g: skeletons %s; %d edges, %d of %d true ones; %d tests here; SHD %d; '
          '%.4f s' % (name, d, len(rows), alpha, 'equal' if mine == theirs else 'DIFFER', len(theirs),
                      len(theirs & true_edges), len(true_edges), tests, numpy.triu(differ, 1).sum(), result['seconds']))
    if mine != theirs:
        print('  here alone: %s; there alone: %s' % tuple([(head[a], head[b]) for a, b in sorted(s)]
                                                          for s in (mine - theirs, theirs - mine)))
    return mine == theirs


def main():
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    alpha = float(sys.argv[3]) if len(sys.argv) > 3 else 0.01
    networks = sorted(glob.glob(os.path.join(glob.escape(folder), '*_edges.csv')))
    if not networks:
        print('no networks in %s, skipped' % folder)
        return
    if not all([check(program, folder, path, alpha) for path in networks]):
        sys.exit(1)


if __name__ == '__main__':
    main()
