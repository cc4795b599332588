#!/usr/bin/python3
"""time_order.py [OPTION...] NONSENS - measures level and power of explain and independence for rows in time.

    --reps R  --seed S  --cells PATTERN  --rows M per segment (500)  --jobs J data sets at a time

Each data set has two segments, a and b, of M rows that follow one another in time.  Disturbances are autoregressions

    N(t) = C N(t-1) + sqrt(1 - C^2) e(t),    e Laplace of variance 1,    C = 0, .5, .8 or .95,

which start again in each segment.  C = .999 is nearly a random walk, whose memory is longer than 500 rows.  Data set k
uses seed S + k.  Cells:

    explain.none.C         x1 = N1, x2 = 1.5 tanh x1 + .7 N2, x3 = N3, x4 = .7 x2 + .5 x3^2 / (1 + |x3|) + .7 N4, the
                           graph is given, and nothing changes between the segments
    explain.double.C       the same, and one disturbance is twice as wide in b: that of x1, x2, x3, x4 in turn
    independence.none.C    x = N1, y = N2: independent
    independence.linked.C  x = N1, y = .35 N1 + N2

Each cell is run as if rows were independent, and with --block-length auto; each run prints a line:

    time CELL blocks=1|auto key=value...

  level      share of p-values at most .05, of variables (explain) or data sets (independence) where nothing changed, or
             nothing depends
  called     share of these variables with the verdict `changed itself`
  power      the same as level, where something did; the marginal change of other variables is not used
  found      the same as called, where something did
  unclear    share of all variables with the verdict `unclear`, or of data sets that are inconclusive
  length     median of the length that auto chose (1: none)
  own        share of 95 % intervals of the own change that hold 0, of variables that did not change
  scale      share of intervals of the ratio of scales that hold 1, of these
  shift      share of intervals of the shift that hold 0, of these
"""
import argparse
import concurrent.futures
import fnmatch
import functools
import json
import math
import os
import random
import re
import statistics
import subprocess
import tempfile

WARM_UP = 300
NAMES = ('x1', 'x2', 'x3', 'x4')
EDGES = (('x1', 'x2'), ('x2', 'x4'), ('x3', 'x4'))
COEFFICIENTS = (0, .5, .8, .95)
CELLS = ['%s.%s.%g' % (command, change, c) for command, changes in
         (('explain', ('none', 'double')), ('independence', ('none', 'linked'))) for change in changes
         for c in COEFFICIENTS + ((.999,) if change == 'none' else ())]
KEYS = ('level', 'called', 'power', 'found', 'unclear', 'own', 'scale', 'shift')


def series(draw, c, rows):
    """Draws an autoregression of variance 1."""
    value, values = draw.gauss(0, 1), []
    for _ in range(WARM_UP + rows):
        shock = draw.expovariate(math.sqrt(2)) * draw.choice((-1, 1))
        value = c * value + math.sqrt(1 - c * c) * shock
        values.append(value)
    return values[WARM_UP:]


def explained_rows(draw, c, rows, wider):
    """Returns rows of both segments; in the second, disturbance number `wider` is twice as wide (None: none is)."""
    for segment in 'ab':
        noise = [series(draw, c, rows) for _ in NAMES]
        for n in zip(*noise):
            n = [2 * v if segment == 'b' and k == wider else v for k, v in enumerate(n)]
            x2 = 1.5 * math.tanh(n[0]) + .7 * n[1]
            yield segment, n[0], x2, n[2], .7 * x2 + .5 * n[2] ** 2 / (1 + abs(n[2])) + .7 * n[3]


def paired_rows(draw, c, rows, weight):
    for segment in 'ab':
        for x, n in zip(series(draw, c, rows), series(draw, c, rows)):
            yield segment, x, weight * x + n


def write_rows(path, names, rows):
    with open(path, 'w', encoding='utf-8') as f:
        f.write('segment,%s\n' % ','.join(names))
        for segment, *values in rows:
            f.write(segment + ''.join(',%.9g' % v for v in values) + '\n')


def inside(value, interval):
    """Returns whether the value is in the interval; an end of None is unbounded."""
    if interval is None:
        return None
    low, high = interval
    return (low is None or low <= value) and (high is None or value <= high)


def judge_explained(found, wider):
    for v in found['explain']['variables']:
        changed = wider is not None and v['variable'] == NAMES[wider]
        yield 'power' if changed else 'level', (v['p_value'] is not None and v['p_value'] <= .05)
        yield 'found' if changed else 'called', v['verdict'] == 'changed itself'
        yield 'unclear', v['verdict'] == 'unclear'
        if not changed:
            yield 'own', inside(0, v['interval'])
            yield 'scale', inside(1, v['scale_interval'])
            yield 'shift', inside(0, v['shift_interval'])


def judge_pair(found, linked):
    yield 'power' if linked else 'level', found['decision'] == 'dependent'
    yield 'unclear', found['decision'] == 'inconclusive'


def block_length(found):
    """Returns the block length that the notes name; 1 if they name none."""
    lengths = [int(m.group(1)) for note in found['notes'] for m in
               [re.search(r'(?:Blocks of|; rows) (\d+)', note)] if m]
    return lengths[0] if lengths else 1


def run(program, cell, rows, seed):
    """Returns (blocks, key, value) of one data set."""
    command, change, c = cell.split('.', 2)
    draw = random.Random('%s %d' % (cell, seed))
    wider = seed % len(NAMES) if change == 'double' else None
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        data, graph, out = (os.path.join(folder, name) for name in ('data.csv', 'graph.csv', 'found.json'))
        if command == 'explain':
            write_rows(data, NAMES, explained_rows(draw, float(c), rows, wider))
            with open(graph, 'w', encoding='utf-8') as f:
                f.write('from,to\n' + ''.join('%s,%s\n' % edge for edge in EDGES))
            words = ['--of', 'b', '--graph', graph]
        else:
            write_rows(data, ('x', 'y'), paired_rows(draw, float(c), rows, .35 if change == 'linked' else 0))
            words = ['--x', 'x', '--y', 'y']
        for blocks in ('1', 'auto'):
            subprocess.run([program, command, data, '-q', '--threads', '1', '--segment', 'segment', '--json', out, '-o',
                            '/dev/null'] + words + ['--block-length', blocks], check=True)
            with open(out, encoding='utf-8') as f:
                found = json.load(f)
            judged = judge_explained(found, wider) if command == 'explain' else judge_pair(found, change == 'linked')
            counts += [(blocks, key, value) for key, value in judged if value is not None]
            counts.append((blocks, 'length', block_length(found)))
    return counts


def line(cell, blocks, counts):
    values = {}
    for of, key, value in counts:
        if of == blocks:
            values.setdefault(key, []).append(float(value))
    parts = ['%s=%.3f(%d)' % (key, statistics.mean(values[key]), len(values[key])) for key in KEYS if key in values]
    return 'time %s blocks=%s length=%g %s' % (cell, blocks, statistics.median(values['length']), ' '.join(parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', help='the program, build/nonsens')
    parser.add_argument('--reps', type=int, default=200)
    parser.add_argument('--seed', type=int, default=100001)
    parser.add_argument('--rows', type=int, default=500, help='of a segment')
    parser.add_argument('--jobs', type=int, default=1, help='data sets at a time')
    parser.add_argument('--cells', default='*')
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for cell in CELLS:
            if not fnmatch.fnmatch(cell, options.cells):
                continue
            seeds = range(options.seed, options.seed + options.reps)
            judge = functools.partial(run, options.program, cell, options.rows)
            counts = [count for found in pool.map(judge, seeds) for count in found]
            for blocks in ('1', 'auto'):
                print(line(cell, blocks, counts), flush=True)


if __name__ == '__main__':
    main()
