#!/usr/bin/python3
"""effects_found.py [--reps R] [--seed S] [--cells PATTERN] [--samples B] [--jobs N] [--keep FILE] NONSENS - measures
how often the intervals of `nonsens effect` hold the truth if the graph is found in the same data.

Each data set of a cell is simulated (d = 6, node generator, 10 x 512 rows, seeds S, S+1, ...).  One variable that
causes others, a different one for each seed, is set to nine values spread evenly over its middle 80 %; the effects on
all variables that it causes are asked for.  The truth is the mean of 10 x 3,072 rows under the intervention (`simulate
--do`).  One line per cell:

    effects_found CELL key=mean(standard error over data sets) of N

  covered    share of intervals with --graph-uncertainty B that hold the truth, among answered questions
  answered   share of questions with an interval; other questions are refused
  ranges     share of questions that were answered with a range, because directions are open
  no_path    share of questions without a path in the found graph, so that the answer is exactly 0
  given      share of intervals without --graph-uncertainty, given the found graph, that hold the truth
  width      mean width of the first intervals over that of the second
  error      mean absolute error in standard deviations of the target (of a range: of its middle)

--samples B is 20 by default; intervals from more half samples, up to 38, contain those from fewer.  Data sets without
an edge are not counted.  --jobs N works on N data sets at once; results do not depend on it.
--keep FILE keeps finished data sets and does not run them again.
"""
import argparse
import concurrent.futures
import csv
import fnmatch
import functools
import json
import os
import statistics
import subprocess
import tempfile

from fault_shares import descendants, text

VALUES = 9
KEYS = ['covered', 'answered', 'ranges', 'no_path', 'given', 'width', 'error']
# name: options of the generator
CELLS = {'depth1': ['--depth', '1'], 'depth3': ['--depth', '3'],
         'depth1.two-change': ['--depth', '1', '--changing', '2'],
         'depth3.two-change': ['--depth', '3', '--changing', '2']}


def simulate(program, cell, seed, path, *more):
    subprocess.run([program, 'simulate', '--sem', 'node', '--nodes', '6', '--segments', '10', '--seed', str(seed),
                    *CELLS[cell], *more, '-o', path], check=True, capture_output=True)


def read_columns(path):
    with open(path, encoding='utf-8', newline='') as file:
        rows = csv.reader(file)
        names = next(rows)
        return {name: [float(value) for value in column]
                for name, column in zip(names, zip(*rows)) if name != 'segment'}


def ask(program, path, question, more):
    run = subprocess.run([program, 'effect', path, '--segment', 'segment', '-q', '--threads', '1', '--do', question,
                          '--on', 'all', '--json', '-', *more], capture_output=True, check=True)
    return {(effect['on'], number): effect
            for on, group in group_by_target(json.loads(run.stdout)['effects']).items()
            for number, effect in enumerate(group)}


def group_by_target(effects):
    groups = {}
    for effect in effects:
        groups.setdefault(effect['on'], []).append(effect)
    return groups


def middle(effect):
    """Returns the answer, or the middle of a range."""
    if effect['range'] is None:
        return effect['mean']
    return statistics.fmean([effect['low'], effect['high']])


def judge(wide, narrow, truth, spread):
    """Evaluates one question."""
    is_answered = wide['low'] is not None
    found = {'answered': float(is_answered), 'ranges': float(wide['answered'] == 'range'),
             'no_path': float(wide['answered'] == 'no path')}
    if is_answered:
        found['covered'] = float(wide['low'] <= truth <= wide['high'])
        found['error'] = abs(middle(wide) - truth) / spread
    if narrow['low'] is not None:
        found['given'] = float(narrow['low'] <= truth <= narrow['high'])
        if is_answered and narrow['high'] > narrow['low']:
            found['width'] = (wide['high'] - wide['low']) / (narrow['high'] - narrow['low'])
    return found


def run(program, samples, cell, seed):
    """Evaluates all questions of one data set."""
    with tempfile.TemporaryDirectory() as folder:
        data, then, truth = (os.path.join(folder, name) for name in ('data.csv', 'then.csv', 'truth.json'))
        simulate(program, cell, seed, data, '--truth', truth)
        with open(truth, encoding='utf-8') as file:
            edges = json.load(file)['edges']
        causes = sorted({a for a, _ in edges})
        if not causes:
            return []
        cause = causes[seed % len(causes)]
        columns = read_columns(data)
        ordered = sorted(columns[cause])
        low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
        question = '%s=%.17g:%.17g:%.17g' % (cause, low, high, (high - low) / (VALUES - 1))
        narrow = ask(program, data, question, [])
        wide = ask(program, data, question, ['--graph-uncertainty', str(samples)])
        found = []
        for number in range(VALUES):
            value = low + (high - low) * number / (VALUES - 1)
            simulate(program, cell, seed, then, '--per-segment', '3072', '--do', '%s=%.17g' % (cause, value))
            under = read_columns(then)
            for on in descendants(edges, cause):
                found.append(judge(wide[on, number], narrow[on, number], statistics.fmean(under[on]),
                                   statistics.pstdev(columns[on])))
        return found


def read_kept(path):
    kept = {}
    if path and os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            for line in file:
                cell, seed, found = json.loads(line)
                kept[cell, seed] = found
    return kept


def run_cell(options, cell, seeds, kept):
    left = [seed for seed in seeds if (cell, seed) not in kept]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(functools.partial(run, options.program, options.samples, cell, seed)): seed for seed in left}
        for done in concurrent.futures.as_completed(runs):
            kept[cell, runs[done]] = done.result()
            if options.keep:
                with open(options.keep, 'a', encoding='utf-8') as file:
                    file.write(json.dumps([cell, runs[done], done.result()]) + '\n')
    return [kept[cell, seed] for seed in seeds]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', help='the program, build/nonsens')
    parser.add_argument('--reps', type=int, default=100)
    parser.add_argument('--seed', type=int, default=100001)
    parser.add_argument('--cells', default='*')
    parser.add_argument('--samples', type=int, default=20, help='half samples of --graph-uncertainty')
    parser.add_argument('--jobs', type=int, default=1, help='data sets at once')
    parser.add_argument('--keep', help='file of finished data sets')
    options = parser.parse_args()
    kept = read_kept(options.keep)
    for cell in CELLS:
        if fnmatch.fnmatch(cell, options.cells):
            sets = run_cell(options, cell, range(options.seed, options.seed + options.reps), kept)
            print('effects_found %s sets=%d %s' % (cell, sum(map(bool, sets)), text(sets, KEYS)), flush=True)


if __name__ == '__main__':
    main()
