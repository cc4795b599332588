#!/usr/bin/python3
"""independence_peers.py INDEPENDENCE SCRATCH - compares the kernel tests of bench/independence.c with n x n forms in
NumPy.

INDEPENDENCE is the program made from independence.c; SCRATCH a folder for the rows.  Prints `bench NAME VALUE UNIT`.
The peers are the textbook forms on whole matrices, by NumPy and SciPy: HSIC with the median distance and Gretton's
gamma distribution (2007, the variance as a product of traces), and the conditional test of Zhang et al. (2011) with a
ridge of 1e-3 and the gamma distribution.  On the same rows, ours are medians of five runs; the peers run once.
"""
import array
import math
import os
import random
import subprocess
import sys
import time

try:
    import numpy as np
    import scipy
    from scipy import stats
    from scipy.spatial.distance import pdist, squareform
except ImportError:
    np = None


def columns_of(n, given):
    """Draws z, and x and y as Laplace noise around a function of z."""
    rng = random.Random(n + given)
    z = [array.array('d', (rng.gauss(0, 1) for _ in range(n))) for _ in range(given)]
    shift = [sum(math.tanh(v) for v in row) for row in zip(*z)] if given else [0.0] * n
    noisy = [array.array('d', (s + rng.choice((-1, 1)) * rng.expovariate(1) for s in shift)) for _ in range(2)]
    return noisy + z


def run_ours(program, scratch, test, x, runs=5):
    """Returns the median seconds, the p-value, and memory in MB."""
    path = os.path.join(scratch, 'independence.bin')
    with open(path, 'wb') as file:
        array.array('q', (len(x[0]), len(x))).tofile(file)
        for column in x:
            column.tofile(file)
    out = subprocess.run([program, test, path, str(runs)], capture_output=True, text=True, check=True).stdout
    return [float(word) for word in out.split()]


def gauss(v):
    distance = pdist(v.reshape(len(v), -1))
    return np.exp(-squareform(distance) ** 2 / (2 * np.median(distance) ** 2))


def centre(k):
    return k - k.mean(0) - k.mean(1)[:, None] + k.mean()


def hsic_peer(x):
    n = len(x)
    k, l = centre(gauss(x[:, 0])), centre(gauss(x[:, 1]))
    statistic, mean = (k * l).sum() / n, np.trace(k) * np.trace(l) / n ** 2
    variance = 2.0 * (k ** 2).sum() * (l ** 2).sum() / n ** 4
    return stats.gamma.sf(statistic, mean ** 2 / variance, scale=variance / mean)


def kci_peer(x):
    """The test of Zhang, Peters, Janzing, Schoelkopf 2011: ridge residuals of kernel features, gamma distribution."""
    n = len(x)
    z = (x[:, 2:] - x[:, 2:].mean(0)) / x[:, 2:].std(0)
    kx = centre(gauss(np.column_stack([(x[:, 0] - x[:, 0].mean()) / x[:, 0].std(), z / 2])))
    ky, kz = centre(gauss(x[:, 1])), centre(gauss(z))
    r = 1e-3 * np.linalg.inv(kz + 1e-3 * np.eye(n))
    a, b = r @ kx @ r, r @ ky @ r
    va, ua = np.linalg.eigh((a + a.T) / 2)
    vb, ub = np.linalg.eigh((b + b.T) / 2)
    fa, fb = (u[:, v > v.max() * 1e-5] * np.sqrt(v[v > v.max() * 1e-5]) for v, u in ((va, ua), (vb, ub)))
    gram = (fa @ fa.T) * (fb @ fb.T)
    mean, variance = np.trace(gram) / n, 2 * (gram ** 2).sum() / n ** 2
    return stats.gamma.sf((a * b).sum() / n, mean ** 2 / variance, scale=variance / mean)


def timed(peer, columns):
    x = np.column_stack([np.frombuffer(column) for column in columns])
    begun = time.perf_counter()
    peer(x)
    return time.perf_counter() - begun


def report(name, program, scratch, test, x, peer=None):
    seconds, _, memory = run_ours(program, scratch, test, x)
    print('bench %s %.6f s' % (name, seconds))
    print('bench %s.memory %.1f MB' % (name, memory))
    if peer and np:
        theirs = timed(peer, x)
        print('bench %s.numpy-seconds %.4f s' % (name, theirs))
        print('bench %s.vs_numpy %.1f ratio' % (name, theirs / seconds), flush=True)


def main():
    program, scratch = sys.argv[1:]
    if np:
        print('# NumPy and SciPy: %s, %s' % (np.__version__, scipy.__version__), flush=True)
    else:
        print('# SciPy: not installed, comparison left out; to have it: apt-get install python3-scipy, and run again')
    report('hsic.n5000', program, scratch, 'hsic', columns_of(5000, 0), hsic_peer)
    report('hsic.n1e6', program, scratch, 'hsic', columns_of(1000000, 0))
    report('kci1.n2000', program, scratch, 'kci', columns_of(2000, 1), kci_peer)
    report('kci1.n20000', program, scratch, 'kci', columns_of(20000, 1))
    report('rcit1.n2000', program, scratch, 'rcit', columns_of(2000, 1), kci_peer)


main()
