#!/usr/bin/python3
"""root_causes.py [--reps R] [--seed S] [--cells PATTERNS] [--data DIR] [--jobs N] NONSENS - measures how well `explain`
finds root causes.

Simulated cells (graph of 6 to 12 nodes given, 500 normal rows, seeds S, S+1, ...):
  shift.M, scale.M            M rows of a fault: one disturbance is shifted by 5 to 8 standard deviations, or 6 times as
                              wide; with .drift every disturbance is also shifted, by .7 standard deviations on average
  nothing.M, nothing.M.ar     no fault; .ar: disturbances are autoregressions with coefficient .8
Real cells (DIR, default $NONSENS_DATA or ../shared/data; all cases, whatever R is):
  sock_shop.1, sock_shop.2    faults of a micro-service shop, first and second case of each: 28 to 39 metrics, no graph
  petshop.low, petshop.high   faults of a pet shop in the cloud; target and call graph are given, and the first rows of
                              each file are before the fault

Prints a line per cell and rule: first, three (share of data sets whose true variable is first, among the first three),
called (median number of root causes), false (share of variables without a fault that are called), time (seconds).

Rivals, on the same data: shift of the median and of the maximum in interquartile ranges; the Kolmogorov-Smirnov
distance; the correlation with the target; the deepest node whose median shifted by 3 interquartile ranges; a random
walk from the target along correlations, against the arrows; the residual of a linear regression on the causes.

Upper bounds, for simulated cells only, use the true disturbances: `exact` ranks by their root mean square; `oracle` by
the likelihood ratio of fault and no fault with all distributions known, which is the best possible rule.

--jobs N works on N data sets at once; results do not depend on it."""
import argparse
import concurrent.futures
import csv
import fnmatch
import functools
import glob
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

NORMAL_ROWS, FAULT, NORMAL = 500, 'fault', 'normal'


class Case:
    """Two recordings, what is known about them, and the variable to be found (None: nothing happened)."""

    def __init__(self, names, normal, fault, edges=None, truth=None, target=None, options=(), exact=None):
        self.names, self.normal, self.fault = names, normal, fault
        self.exact = exact  # {upper bound: score of each variable}
        self.edges, self.truth, self.target, self.options = edges, truth, target, list(options)

    def parents(self, name):
        return [a for a, b in self.edges or [] if b == name]

    def column(self, rows, name):
        values = rows[:, self.names.index(name)]
        return values[np.isfinite(values)]


# ---- simulated cases ----

MECHANISMS = [lambda x: x, np.tanh, lambda x: x + 0.5 * x * np.abs(x), lambda x: np.where(x > 0, 2 * x, 0.5 * x)]


def noise(rng, kind, rows, memory):
    draws = {'laplace': rng.laplace(size=rows + 100) / math.sqrt(2), 'normal': rng.normal(size=rows + 100),
             'uniform': rng.uniform(-math.sqrt(3), math.sqrt(3), rows + 100)}[kind]
    for i in range(1, rows + 100 if memory else 0):
        draws[i] = memory * draws[i - 1] + math.sqrt(1 - memory ** 2) * draws[i]
    return draws[100:]


def log_density(noise_kind, x):
    """Returns the log density of disturbances with standard deviation 1."""
    if noise_kind == 'laplace':
        return math.log(math.sqrt(0.5)) - math.sqrt(2) * np.abs(x)
    if noise_kind == 'normal':
        return -0.5 * x ** 2 - 0.5 * math.log(2 * math.pi)
    return np.where(np.abs(x) <= math.sqrt(3), -math.log(2 * math.sqrt(3)), -1e6)


def evidence(n, noise_kind, fault, drift):
    """Log likelihood of the disturbances n with the fault, minus that without; drift and shift are integrated out."""
    def average(logs, weights):
        top = logs.max()
        return top + math.log((np.exp(logs - top) * weights).sum() / weights.sum())

    drifts = np.linspace(-4, 4, 401) * drift if drift else np.zeros(1)
    weights = np.exp(-0.5 * np.linspace(-4, 4, 401) ** 2) if drift else np.ones(1)
    normal = average(np.array([log_density(noise_kind, n - u).sum() for u in drifts]), weights)
    if fault == 'scale':
        wide = [log_density(noise_kind, (n - u) / 6).sum() - len(n) * math.log(6) for u in drifts]
        return average(np.array(wide), weights) - normal
    shifts = np.concatenate([np.linspace(-8 - 4 * drift, -5 + 4 * drift, 401), np.linspace(5 - 4 * drift, 8 + 4 * drift, 401)])
    around = np.abs(np.abs(shifts)[:, None] - np.linspace(5, 8, 61))
    density = np.exp(-0.5 * (around / max(drift, 0.025)) ** 2).sum(axis=1)
    return average(np.array([log_density(noise_kind, n - u).sum() for u in shifts]), density) - normal


def simulate(seed, kind, rows, drift, memory):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(6, 13))
    parents = [[i for i in range(j) if rng.random() < 1.6 / max(j, 2)] for j in range(d)]
    form = [[(rng.integers(len(MECHANISMS)), rng.uniform(0.6, 1.4) * rng.choice([-1, 1])) for _ in p] for p in parents]
    kinds = [rng.choice(['laplace', 'normal', 'uniform']) for _ in range(d)]
    root = int(rng.integers(d))
    shift = rng.uniform(5, 8) * rng.choice([-1, 1])
    drifts = rng.normal(size=d) * drift
    recordings, exact = [], {'exact': {}, 'oracle': {}}
    names = ['v%02d' % k for k in rng.permutation(d)]
    for count, faulty in ((NORMAL_ROWS, False), (rows, True)):
        x = np.zeros((count, d))
        for j in range(d):
            n = noise(rng, kinds[j], count, memory)
            n = 6 * n if faulty and kind == 'scale' and j == root else n
            n = n + (shift if kind == 'shift' and j == root else 0.0) + drifts[j] if faulty else n
            exact['exact'][names[j]] = np.mean(n ** 2)
            exact['oracle'][names[j]] = evidence(n, kinds[j], kind, drift) if not memory else 0.0
            x[:, j] = n + sum(w * MECHANISMS[f](x[:, i]) for i, (f, w) in zip(parents[j], form[j]))
        recordings.append(x)
    edges = [(names[i], names[j]) for j in range(d) for i in parents[j]]
    sinks = [names[j] for j in range(d) if j >= root and (j == root or reaches(edges, names[root], names[j]))]
    return Case(names, *recordings, edges=edges, truth=None if kind == 'nothing' else names[root], target=sinks[-1],
                exact=exact)


def reaches(edges, a, b):
    found, grown = {a}, True
    while grown:
        more = {y for x, y in edges if x in found} - found
        found, grown = found | more, bool(more)
    return b in found


# ---- real cases ----

def read_numbers(path):
    with open(path, newline='', encoding='utf-8') as file:
        rows = list(csv.reader(file))
    values = [[float(cell) if cell not in ('', 'nan') else math.nan for cell in row] for row in rows[1:]]
    return rows[0], np.array(values)


def sock_shop(data, half):
    for folder in sorted(glob.glob(os.path.join(data, 'sock_shop', '*_%s' % half))):
        names, normal = read_numbers(os.path.join(folder, 'normal.csv'))
        others, fault = read_numbers(os.path.join(folder, 'anomalous.csv'))
        kept = [name for name in names if name != 'time' and name in others]
        truth = os.path.basename(folder).rsplit('_', 1)[0]
        late = [name for name in kept if name.endswith('_lat_99')]
        yield Case(kept, normal[:, [names.index(k) for k in kept]], fault[:, [others.index(k) for k in kept]],
                   truth=truth, target=late[0])


def read_petshop(path, metric, statistic):
    with open(path, newline='', encoding='utf-8') as file:
        rows = list(csv.reader(file))
    chosen = [k for k in range(1, len(rows[0])) if rows[1][k] == metric and rows[2][k] == statistic]
    values = [[float(row[k]) if row[k] else math.nan for k in chosen] for row in rows[3:] if row[0] and row[0][0].isdigit()]
    return [rows[0][k] for k in chosen], np.array(values)


def petshop(data, traffic):
    root = os.path.join(data, 'petshop', traffic + '_traffic')
    with open(os.path.join(root, 'graph.csv'), newline='', encoding='utf-8') as file:
        rows = list(csv.reader(file))
    calls = [(row[0], name) for row in rows[1:] for name, cell in zip(rows[0][1:], row[1:]) if cell not in ('', '0', '0.0')]
    for folder in sorted(glob.glob(os.path.join(root, 'faults', '*'))):
        with open(os.path.join(folder, 'target.json'), encoding='utf-8') as file:
            about = json.load(file)
        what = about['target']['metric'], about['target']['agg']
        names, normal = read_petshop(os.path.join(root, 'noissue', 'metrics.csv'), *what)
        others, fault = read_petshop(os.path.join(folder, 'metrics.csv'), *what)
        kept = [name for name in names if name in others and np.isfinite(fault[:, others.index(name)]).any()]
        edges = [(b, a) for a, b in calls if a in kept and b in kept]
        yield Case(kept, normal[:, [names.index(k) for k in kept]], fault[:, [others.index(k) for k in kept]],
                   edges=edges, truth=about['root_cause']['node'], target=about['target']['node'],
                   options=['--onset', 'auto', '--target', about['target']['node']])


# ---- rivals: they return the variables, likeliest first ----

def scaled(case, name):
    """Scales values to interquartile ranges about the median of normal values; a constant has the range 1e-9."""
    normal, fault = case.column(case.normal, name), case.column(case.fault, name)
    if len(normal) == 0 or len(fault) == 0:
        return np.zeros(1), np.zeros(1)
    low, middle, high = np.quantile(normal, [0.25, 0.5, 0.75])
    spread = max(high - low, 1e-9)
    return (normal - middle) / spread, (fault - middle) / spread


def by(case, score):
    return sorted(case.names, key=lambda name: -score(name))


def rival_median(case):
    return by(case, lambda name: abs(np.median(scaled(case, name)[1])))


def rival_maximum(case):
    return by(case, lambda name: np.max(np.abs(scaled(case, name)[1])))


def rival_ks(case):
    def distance(name):
        normal, fault = (np.sort(part) for part in scaled(case, name))
        at = np.concatenate([normal, fault])
        return np.max(np.abs(np.searchsorted(normal, at, 'right') / len(normal) - np.searchsorted(fault, at, 'right') / len(fault)))
    return by(case, distance)


def correlations(case):
    rows = np.vstack([case.normal, case.fault])
    rows = np.where(np.isfinite(rows), rows, np.nanmedian(rows, axis=0))
    rows = rows - rows.mean(axis=0)
    size = np.sqrt((rows ** 2).sum(axis=0))
    return np.abs(rows.T @ rows) / np.maximum(np.outer(size, size), 1e-12)


def rival_correlation(case):
    with_target = correlations(case)[case.names.index(case.target)]
    return by(case, lambda name: -1.0 if name == case.target else with_target[case.names.index(name)])


def rival_deepest(case):
    if case.edges is None:
        return None
    shift = {name: abs(np.median(scaled(case, name)[1])) for name in case.names}
    def score(name):
        odd_causes = any(shift[parent] > 3 for parent in case.parents(name))
        return (shift[name] > 3 and not odd_causes) * 1e12 + shift[name]
    return by(case, score)


def rival_walk(case):
    weight = correlations(case)
    d = len(case.names)
    allowed = np.ones((d, d)) if case.edges is None else np.eye(d) * 1e-3
    for a, b in case.edges or []:
        allowed[case.names.index(b), case.names.index(a)] = 1.0
    step = weight * allowed + 1e-9
    step /= step.sum(axis=1, keepdims=True)
    at = np.zeros(d)
    start = at.copy()
    start[case.names.index(case.target)] = 1.0
    visits = np.zeros(d)
    at = start
    for _ in range(200):
        at = 0.9 * at @ step + 0.1 * start
        visits += at
    return by(case, lambda name: visits[case.names.index(name)] if name != case.target else 0.0)


def rival_linear(case):
    def score(name):
        parents = case.parents(name)
        columns = [case.names.index(k) for k in [name] + parents]
        normal, fault = (rows[:, columns][np.isfinite(rows[:, columns]).all(axis=1)] for rows in (case.normal, case.fault))
        if len(normal) < 10 or len(fault) == 0:
            return 0.0
        design = np.column_stack([np.ones(len(normal)), normal[:, 1:]])
        b = np.linalg.lstsq(design, normal[:, 0], rcond=None)[0]
        residual = normal[:, 0] - design @ b
        odd = fault[:, 0] - np.column_stack([np.ones(len(fault)), fault[:, 1:]]) @ b
        low, middle, high = np.quantile(residual, [0.25, 0.5, 0.75])
        return abs(np.median(odd) - middle) / max(high - low, 1e-9)
    return by(case, score)


RIVALS = {'median': rival_median, 'maximum': rival_maximum, 'ks': rival_ks, 'correlation': rival_correlation,
          'deepest': rival_deepest, 'walk': rival_walk, 'linear': rival_linear}


# ---- the program ----

def write_case(case, folder):
    path = os.path.join(folder, 'data.csv')
    with open(path, 'w', newline='', encoding='utf-8') as file:
        out = csv.writer(file)
        out.writerow(case.names + ['recording'])
        for rows, label in ((case.normal, NORMAL), (case.fault, FAULT)):
            for row in rows:
                out.writerow(['' if math.isnan(x) else repr(float(x)) for x in row] + [label])
    if case.edges is not None:
        with open(os.path.join(folder, 'graph.json'), 'w', encoding='utf-8') as file:
            json.dump({'nodes': case.names, 'edges': [list(edge) for edge in case.edges]}, file)
    return path


def explain(case, program):
    """Returns the variables, likeliest first, and those called root causes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, 'explain', write_case(case, folder), '--segment', 'recording', '--of', FAULT, '--against', NORMAL]
        if case.edges is not None:
            command += ['--graph', os.path.join(folder, 'graph.json')]
        answer = subprocess.run(command + case.options + ['-q', '--threads', '1', '--json', '-'], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit('%s: %s' % (' '.join(command), answer.stderr.strip()))
    found = json.loads(answer.stdout)['explain']
    return [v['variable'] for v in found['variables']], found['root_causes']


# ---- cells ----

def cells():
    for kind in ('shift', 'scale'):
        for rows in (1, 5, 30):
            for drift in ('', '.drift'):
                yield '%s.%d%s' % (kind, rows, drift)
    for rows in (1, 5, 30):
        yield from ('nothing.%d' % rows, 'nothing.%d.ar' % rows)
    yield from ('sock_shop.1', 'sock_shop.2', 'petshop.low', 'petshop.high')


def cases_of(cell, args):
    kind, rows = cell.split('.')[:2]
    if kind == 'sock_shop':
        return sock_shop(args.data, rows)
    if kind == 'petshop':
        return petshop(args.data, rows)
    return (simulate(seed, kind, int(rows), 0.7 if cell.endswith('.drift') else 0.0, 0.8 if cell.endswith('.ar') else 0.0)
            for seed in range(args.seed, args.seed + args.reps))


def share(hits):
    p = sum(hits) / len(hits)
    return '%.3f(%.3f)' % (p, math.sqrt(p * (1 - p) / len(hits)))


def show(cell, rule, ranked, more=''):
    hits = [(order[0] == truth, truth in order[:3]) for order, truth in ranked if truth is not None]
    places = 'first=%s three=%s ' % tuple(share([hit[k] for hit in hits]) for k in (0, 1)) if hits else ''
    print('root_causes %s %s n=%d %s%s' % (cell, rule, len(ranked), places, more), flush=True)


def study(program, case):
    """Returns (order, root causes, {rule: order}) of a data set."""
    order, roots = explain(case, program)
    rules = RIVALS if case.truth is not None else {}
    orders = {name: rule(case) for name, rule in rules.items()}
    for name, score in (case.exact or {}).items() if case.truth is not None else ():
        orders[name] = by(case, score.get)
    return order, roots, orders


def run(cell, args, pool):
    ranked, called, false, rivals, begun = [], [], [], {}, time.time()
    cases = list(cases_of(cell, args))
    for case, (order, roots, orders) in zip(cases, pool.map(functools.partial(study, args.nonsens), cases)):
        ranked.append((order, case.truth))
        called.append(len(roots))
        false += [name in roots for name in case.names if name != case.truth]
        if args.verbose:
            print('  %s place=%s called=%s' % (case.truth, order.index(case.truth) + 1 if case.truth in order else '-', roots))
        for name, found in orders.items():
            rivals.setdefault(name, []).extend([(found, case.truth)] if found else [])
    if not ranked:
        print('root_causes %s: no data' % cell)
        return
    show(cell, 'nonsens', ranked, 'called=%g false=%s time=%.1f' % (statistics.median(called), share(false), time.time() - begun))
    for name, orders in rivals.items():
        if orders:
            show(cell, name, orders)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--reps', type=int, default=40)
    parser.add_argument('--seed', type=int, default=100001)
    parser.add_argument('--cells', default='*')
    parser.add_argument('--data', default=os.environ.get('NONSENS_DATA', os.path.join('..', 'shared', 'data')))
    parser.add_argument('--jobs', type=int, default=1, help='data sets at once')
    parser.add_argument('--verbose', action='store_true', help='a line per case')
    parser.add_argument('nonsens')
    args = parser.parse_args()
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for cell in cells():
            if any(fnmatch.fnmatch(cell, pattern) for pattern in args.cells.split(',')):
                run(cell, args, pool)


if __name__ == '__main__':
    main()
