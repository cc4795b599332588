#!/usr/bin/python3
"""fastica_sklearn.py FASTICA SCRATCH - compares FastICA of bench/fastica.c with scikit-learn's on the same rows.

FASTICA is the program made from fastica.c; SCRATCH a folder for the rows.  Prints `bench NAME VALUE UNIT`.  Both
whiten, start at the same rotation, use log cosh for all sources at once, and stop by scikit-learn's default criterion;
both use their default number of threads.  They run in turn, after one run that does not count. Times are medians of
five; ratios are scikit-learn's time over ours (above 1: ours is faster), in wall-clock time and, for busy machines, in
processor time.
"""
import os
import statistics
import subprocess
import sys
import time
import warnings

try:
    import numpy as np
    import sklearn
    from sklearn.decomposition import FastICA
    from sklearn.exceptions import ConvergenceWarning
except ImportError:
    print('# scikit-learn: not installed, comparison left out; to have it: apt-get install python3-sklearn, and run '
          'again')
    sys.exit(0)

SIZES, ROWS, RUNS = (6, 20), (5000, 100000), 5


def mixture(n, d):
    """Draws mixtures of Laplace, uniform and exponential sources."""
    rng = np.random.default_rng(1000 * d + n)
    draws = (lambda: rng.laplace(size=n), lambda: rng.uniform(-1, 1, size=n), lambda: rng.exponential(size=n))
    sources = np.column_stack([draws[j % 3]() for j in range(d)])
    start = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return sources @ (rng.normal(size=(d, d)) + np.eye(d)).T, start


def whitening(x):
    """Whitens as scikit-learn does."""
    u, scale = np.linalg.svd((x - x.mean(0)).T, full_matrices=False)[:2]
    u *= np.sign(u[0])
    return (u / scale).T * np.sqrt(len(x))


def write_problem(path, x, start):
    with open(path, 'wb') as file:
        np.array(x.shape, dtype=np.int64).tofile(file)
        np.ascontiguousarray(x.T).tofile(file)
        np.ascontiguousarray((start @ whitening(x)).T).tofile(file)


def run_sklearn(x, start):
    """Returns wall-clock seconds, seconds of all processors, iterations."""
    model = FastICA(fun='logcosh', whiten='unit-variance', w_init=start)
    clock, processor = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', ConvergenceWarning)
        model.fit(x)
    return time.perf_counter() - clock, time.process_time() - processor, model.n_iter_


def run_ours(program):
    program.stdin.write('\n')
    program.stdin.flush()
    clock, processor, iterations = program.stdout.readline().split()
    return float(clock), float(processor), int(iterations)


def compare(program_path, scratch, n, d):
    """Returns the ratio of wall-clock times."""
    path, name = os.path.join(scratch, 'fastica.bin'), 'fastica.d%d.n%d.' % (d, n)
    x, start = mixture(n, d)
    write_problem(path, x, start)
    with subprocess.Popen([program_path, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        runs = [(run_ours(program), run_sklearn(x, start)) for _ in range(RUNS + 1)][1:]
        program.stdin.close()
    ours, theirs = ([statistics.median(run[k][i] for run in runs) for i in range(3)] for k in range(2))
    print('bench %sseconds %.6f s' % (name, ours[0]))
    print('bench %ssklearn-seconds %.6f s' % (name, theirs[0]))
    print('bench %siterations %d iterations' % (name, ours[2]))
    print('bench %ssklearn-iterations %d iterations' % (name, theirs[2]))
    print('bench %svs_sklearn %.2f ratio' % (name, theirs[0] / ours[0]))
    print('bench %svs_sklearn-undisturbed %.2f ratio' % (name, theirs[1] / ours[1]), flush=True)
    return theirs[0] / ours[0]


def main():
    program, scratch = sys.argv[1:]
    print('# scikit-learn: %s' % sklearn.__version__, flush=True)
    for d in SIZES:
        ratios = [compare(program, scratch, n, d) for n in ROWS]
        print('bench fastica.d%d.vs_sklearn %.2f ratio' % (d, min(ratios)), flush=True)


main()
