#!/usr/bin/python3
"""hidden_causes.py NONSENS [--seed S] [--reps R] [--kinds KIND,...] [--threads T] - finds hidden common causes in
additive graphs.

Graphs of six variables in a random order; each variable causes each later one with probability .4.  A hidden variable
causes two of them, which do not cause one another (kinds with `direct`: the first causes the second, too).  Mechanisms
are linear (weights of size .5 to 1.5) or 2 tanh(x); 10 segments of 512 rows; each disturbance has a scale uniform on
[.3, 2] in each segment, the hidden variable's is 1 or (`changing`) uniform on [.3, 2], its weights are of size .6 to 1.4.

For each kind it prints the share of data sets in which the edge between the two is marked (confounded, or <->), is <->,
or is an arrow without a mark; the share of the true edges found that are marked; and F1 of arrows, with its standard
error."""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

NODES, SEGMENTS, ROWS = 6, 10, 512
KINDS = ['linear-laplace', 'linear-uniform', 'linear-gaussian', 'linear-laplace-changing', 'tanh-laplace', 'tanh-gaussian',
         'tanh-laplace-direct', 'linear-laplace-none']
NOISE = {'laplace': lambda r, n: r.laplace(size=n) / 2 ** .5, 'gaussian': lambda r, n: r.normal(size=n),
         'uniform': lambda r, n: r.uniform(-1, 1, n) * 3 ** .5}


def draw_weights(r, children, direct):
    weights = np.zeros((NODES, NODES))  # [effect, cause]
    for effect in range(NODES):
        for cause in range(effect):
            size = r.uniform(.5, 1.5) * r.choice([-1, 1])
            joined = r.uniform() < .4
            if {cause, effect} == set(children):
                joined = direct
            weights[effect, cause] = size * joined
    return weights


def draw_segment(r, weights, kind, children, hidden_weights):
    draw = NOISE[kind[1]]
    scale = r.uniform(.3, 2, NODES)
    hidden = draw(r, ROWS) * (r.uniform(.3, 2) if 'changing' in kind else 1)
    x = np.zeros((ROWS, NODES))
    for j in range(NODES):
        causes = np.tanh(x) * 2 if kind[0] == 'tanh' else x
        x[:, j] = causes @ weights[j] + scale[j] * draw(r, ROWS)
        if j in children and 'none' not in kind:
            x[:, j] += hidden_weights[children.index(j)] * hidden
    return x


def draw_graph(kind, seed):
    """Returns the rows (SEGMENTS * ROWS, NODES), the weights and the two children; columns are in random order."""
    r = np.random.default_rng([seed, KINDS.index('-'.join(kind))])
    children = sorted(r.choice(NODES, 2, replace=False).tolist())
    weights = draw_weights(r, children, 'direct' in kind)
    hidden_weights = r.uniform(.6, 1.4, 2) * r.choice([-1, 1], 2)
    x = np.vstack([draw_segment(r, weights, kind, children, hidden_weights) for _ in range(SEGMENTS)])
    order = r.permutation(NODES)
    place = np.argsort(order)
    return x[:, order], weights[np.ix_(order, order)], {int(place[c]) for c in children}


def discover(program, x, threads):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'data.csv')
        labels = np.repeat(np.arange(SEGMENTS), ROWS)
        np.savetxt(path, np.column_stack([x, labels]), delimiter=',', comments='',
                   header=','.join('x%d' % j for j in range(NODES)) + ',segment', fmt=['%.12g'] * NODES + ['%d'])
        out = subprocess.run([program, 'discover', path, '--segment', 'segment', '--threads', str(threads), '--json', '-'],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(out.stdout)


def judge(found, weights, children):
    """Returns marked, bidirected, unmarked arrow; marked good edges, good edges; F1."""
    arrows, marked, both, unmarked, good_marked, good = set(), False, False, False, 0, 0
    for e in found['edges']:
        a, b = int(e['from'][1:]), int(e['to'][1:])
        if e['type'] == '-->':
            arrows.add((a, b))
        if {a, b} == children:
            marked, both = e['confounded'], e['type'] == '<->'
            unmarked = not e['confounded'] and e['type'] == '-->'
        elif weights[a, b] or weights[b, a]:
            good += 1
            good_marked += e['confounded']
    true = {(int(c), int(e)) for e, c in zip(*np.nonzero(weights))}
    return marked, both, unmarked, good_marked, good, 2 * len(arrows & true) / max(1, len(arrows) + len(true))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('program')
    arguments.add_argument('--seed', type=int, default=1)
    arguments.add_argument('--reps', type=int, default=40)
    arguments.add_argument('--kinds', default=','.join(KINDS))
    arguments.add_argument('--threads', type=int, default=1)
    o = arguments.parse_args()
    for kind in o.kinds.split(','):
        rows = []
        for seed in range(o.seed, o.seed + o.reps):
            x, weights, children = draw_graph(kind.split('-'), seed)
            rows.append(judge(discover(o.program, x, o.threads), weights, children))
        v = np.array(rows, dtype=float)
        print('%-24s marked %.2f  <-> %.2f  unmarked arrow %.2f  good edges marked %.3f of %d  F1 %.3f (%.3f)' % (
            kind, v[:, 0].mean(), v[:, 1].mean(), v[:, 2].mean(), v[:, 3].sum() / max(1, v[:, 4].sum()), v[:, 4].sum(),
            v[:, 5].mean(), v[:, 5].std(ddof=min(1, len(v) - 1)) / len(v) ** .5), flush=True)


if __name__ == '__main__':
    main()
