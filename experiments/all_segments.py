#!/usr/bin/python3
"""all_segments.py [--reps N] [--seed S] PROGRAM - measures how often `explain --of all` errs over many segments
(docs/explain.md).

Rows of one model are cut into ten segments of 60; in `fault` one disturbance of the last segment is four times as wide,
and each segment is compared with the first.  Prints a line per cell: the share of segments without a fault that have a
root cause, and the share with q <= .05; the mean share of such segments among all with q <= .05; how many data sets
have any; how often the fault is found.  Standard errors are in parentheses."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

CELLS = {'nothing': [], 'nothing, against s1': ['--against', 's1'], 'fault': [], 'fault, against s1': ['--against', 's1']}


def run(program, *words):
    return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


def make(program, fault, seed):
    """Returns one segment of 600 rows cut into ten alike, or with a fault in the last one."""
    run(program, 'simulate', '--sem', 'node', '--nodes', 6, '--segments', 2, '--per-segment', 600, '--fault', 4, '--seed', seed,
        '-o', 'data.csv', '--truth', 'truth.json')
    head, *rows = open('data.csv', encoding='utf-8').read().splitlines()
    normal, faulty = ([r.rsplit(',', 1)[0] for r in rows if r.endswith(',' + s)] for s in ('s1', 's2'))
    with open('cut.csv', 'w', encoding='utf-8') as file:
        file.write(head + '\n')
        for k, row in enumerate(normal[:540] + (faulty[:60] if fault else normal[540:])):
            file.write('%s,s%d\n' % (row, k // 60 + 1))


def look(program, cell):
    lines = run(program, 'explain', 'cut.csv', '--segment', 'segment', '--of', 'all', '--graph', 'truth.json', '-q', '--json', '-',
                *CELLS[cell])
    return [json.loads(line) for line in lines.splitlines()]


def show(values):
    values = list(values)
    error = statistics.pstdev(values) / len(values) ** 0.5 if values else float('nan')
    return '%.3f (%.3f)' % (statistics.mean(values) if values else float('nan'), error)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--reps', type=int, default=100)
    parser.add_argument('--seed', type=int, default=100001)
    parser.add_argument('program')
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for cell in CELLS:
            called, sure, false, families, found = [], [], [], [], []
            fault = cell.startswith('fault')
            for rep in range(args.reps):
                make(program, fault, args.seed + rep)
                lines = look(program, cell)
                small = [r['q_value'] is not None and r['q_value'] <= 0.05 for r in lines]
                real = [fault and r['segment'] == 's10' for r in lines]
                called += [bool(r['explain']['root_causes']) for r, is_real in zip(lines, real) if not is_real]
                wrong = [s for s, is_real in zip(small, real) if not is_real]
                sure += wrong
                false.append(sum(wrong) / max(1, sum(small)))
                families.append(any(wrong))
                found += [s for s, is_real in zip(small, real) if is_real]
            print('%-20s called %s  q %s  false %s  any %s  found %s' % (cell, *map(show, (called, sure, false, families, found))),
                  flush=True)
        os.chdir('/')


main()
