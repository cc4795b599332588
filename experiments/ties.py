#!/usr/bin/python3
"""ties.py PROGRAM [COUNT [FIRST]] - how coarse may values be before tests and decisions suffer?

Simulates COUNT pairs (default 24, seeds from FIRST, 1) with Gaussian disturbances in ten segments of 512 rows, in which
one variable causes the other, and ten times as many in which neither does.  Both variables are then rounded to k values,
or cut off at a quantile from below.  Prints for each kind the chance that two rows share their value, how often HSIC at
level .05 calls independent variables dependent, and what structured decides where there is a cause."""
import collections
import concurrent.futures
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[1])
count = int(sys.argv[2]) if len(sys.argv) > 2 else 24
first = int(sys.argv[3]) if len(sys.argv) > 3 else 1

KINDS = [('as it is', None)] + [('%d values' % k, k) for k in (50, 20, 10, 5, 3, 2)] + \
        [('%g %% at the floor' % (100 * q), q) for q in (0.1, 0.25, 0.5, 0.75)]


def coarse(values, how):
    """Rounds to `how` values of equal distance over six standard deviations, or cuts off at the quantile `how`."""
    if how is None:
        return values
    if how < 1:
        floor = sorted(values)[int(how * len(values))]
        return [max(v, floor) for v in values]
    mean, sd = statistics.fmean(values), statistics.pstdev(values)
    return [float(min(how - 1, max(0, int((v - mean) / sd * how / 6 + how / 2)))) for v in values]


def tied(values):
    """Returns the chance that two rows share their value."""
    return sum(n * (n - 1) for n in collections.Counter(values).values()) / (len(values) * (len(values) - 1))


def run(*words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True)
    return done.stdout


def ask(path, *words):
    return json.loads(run(words[0], path, '--segment', 'segment', *words[1:], '-q', '--threads', 1, '--json', '-'))


def simulate(folder, name, seed, *words):
    """Returns names of the columns, both columns, labels, and the direction if there is one."""
    path = os.path.join(folder, '%s%d.csv' % (name, seed))
    run('simulate', '--depth', 3, '--noise', 'gaussian', '--seed', seed, '-o', path, '--truth', path + '.json', *words)
    head, *rows = csv.reader(open(path, encoding='utf-8'))
    edges = json.load(open(path + '.json', encoding='utf-8'))['edges']
    x, y, labels = zip(*rows)
    return head, [float(v) for v in x], [float(v) for v in y], labels, '->'.join(edges[0]) if edges else None


def write(path, head, x, y, labels):
    with open(path, 'w', encoding='utf-8') as out:
        out.write(','.join(head) + '\n')
        out.writelines('%r,%r,%s\n' % row for row in zip(x, y, labels))


def study(folder, name, seed, words, ask_one):
    """Returns the answer for each kind, with the chance that two rows share their value."""
    head, x, y, labels, right = simulate(folder, name, seed, *words)
    found = {}
    for kind, how in KINDS:
        path = os.path.join(folder, '%s%d-coarse.csv' % (name, seed))
        both = coarse(x, how), coarse(y, how)
        write(path, head, *both, labels)
        found[kind] = tied(both[0]), ask_one(path, right)
    return found


def is_called_dependent(path, _):
    return ask(path, 'independence', '--x', 'x1', '--y', 'x2')['p_value'] < 0.05


def decision(path, right):
    said = ask(path, 'direction')['decision']
    return said if '->' not in said else 'right' if said == right else 'wrong'


def main():
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tests = list(pool.map(lambda seed: study(folder, 'none', seed, ['--independent'], is_called_dependent),
                              range(first, first + 10 * count)))
        pairs = list(pool.map(lambda seed: study(folder, 'cause', seed, [], decision), range(first, first + count)))
    print('both variables       tied   hsic p < .05   right wrong neither inconclusive independent')
    for kind, _ in KINDS:
        decided = collections.Counter(pair[kind][1] for pair in pairs)
        print('%-19s %5.3f %14.3f   %5d %5d %7d %12d %11d' % (
            kind, statistics.fmean(pair[kind][0] for pair in pairs), statistics.fmean(test[kind][1] for test in tests),
            *(decided[word] for word in ('right', 'wrong', 'neither', 'inconclusive', 'independent'))))


main()
