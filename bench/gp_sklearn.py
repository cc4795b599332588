#!/usr/bin/python3
"""gp_sklearn.py GP SCRATCH - compares Gaussian-process regression of bench/gp.c with scikit-learn's on the same rows.

GP is the program made from gp.c; SCRATCH a folder for the rows.  Prints `bench NAME VALUE UNIT`.  One regressor, 5,000
rows, Matern 5/2; signal, length and noise maximise the likelihood.  scikit-learn runs once, without restarts; ours is
the median of five runs on one thread, after one that does not count.  The ratio is scikit-learn's time over ours, in
wall-clock time and, for busy machines, in processor time.  Further lines: a million rows, three regressors (ours only).
NumPy is made to use OpenBLAS if it is installed.
"""
import array
import glob
import math
import os
import random
import statistics
import subprocess
import sys
import time

try:
    import numpy as np
    import sklearn
    import threadpoolctl
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
except ImportError:
    sklearn = None

ROWS, MANY, RUNS = 5000, 1000000, 5


def wave(n, d=1):
    """Draws regressors, one array each, and y = sin(2 x1) + (x2^2 + ...) / 2 + noise."""
    rng = random.Random(n + d)
    x = [array.array('d', (rng.gauss(0, 1) for _ in range(n))) for _ in range(d)]
    y = array.array('d', (math.sin(2 * row[0]) + sum(v * v for v in row[1:]) / 2 + rng.gauss(0, 0.3)
                          for row in zip(*x)))
    return x, y


def write_problem(path, x, y):
    with open(path, 'wb') as file:
        array.array('q', (len(y), len(x))).tofile(file)
        for column in x + [y]:
            column.tofile(file)


def run_ours(program, path, runs):
    """Returns the median wall-clock and processor seconds."""
    text = subprocess.run([program, path], input='\n' * runs, capture_output=True, text=True, check=True).stdout
    times = [[float(v) for v in line.split()[:2]] for line in text.splitlines()][1 if runs > 1 else 0:]
    return [statistics.median(t[i] for t in times) for i in range(2)]


def run_sklearn(x, y):
    model = GaussianProcessRegressor(ConstantKernel() * Matern(nu=2.5) + WhiteKernel(), normalize_y=True)
    clock, processor = time.perf_counter(), time.process_time()
    model.fit(x, y)
    residual = y - model.predict(x)
    return time.perf_counter() - clock, time.process_time() - processor, residual


def blas():
    """Returns the BLAS that NumPy and SciPy use."""
    found = [p for p in threadpoolctl.threadpool_info() if p['user_api'] == 'blas']
    return ', '.join('%s %s %s, %d threads' % (p['internal_api'], p['version'], p['filepath'], p['num_threads'])
                     for p in found) or 'not OpenBLAS'


def use_openblas():
    """If NumPy uses another BLAS, restarts this program with OpenBLAS loaded first."""
    found = sorted(glob.glob('/usr/lib/*/openblas-*/libblas.so.3'))
    if 'openblas' not in blas() and found and 'GP_BLAS_SET' not in os.environ:
        folder = os.path.dirname(found[0])
        path = ':'.join(p for p in (folder, os.environ.get('LD_LIBRARY_PATH')) if p)
        os.execve(sys.executable, [sys.executable] + sys.argv, dict(os.environ, LD_LIBRARY_PATH=path, GP_BLAS_SET='1'))


def main():
    program, scratch = sys.argv[1:]
    if sklearn:
        use_openblas()
    path = os.path.join(scratch, 'gp.bin')
    for name, n, d, runs in (('gp1.n1e6', MANY, 1, RUNS + 1), ('gp3.n5000', ROWS, 3, 2), ('gp3.n1e6', MANY, 3, 1)):
        write_problem(path, *wave(n, d))
        print('bench %s %.3f s' % (name, run_ours(program, path, runs)[0]), flush=True)
    x, y = wave(ROWS)
    write_problem(path, x, y)
    ours = run_ours(program, path, RUNS + 1)
    print('bench gp1.n5000.seconds %.6f s' % ours[0], flush=True)
    if not sklearn:
        print('# scikit-learn: not installed, comparison left out; to have it: apt-get install python3-sklearn, and '
              'run again')
        return
    print('# scikit-learn: %s' % sklearn.__version__)
    print('# sklearn blas: %s' % blas(), flush=True)
    theirs = run_sklearn(np.frombuffer(x[0]).reshape(-1, 1), np.frombuffer(y))
    print('bench gp1.n5000.sklearn-seconds %.3f s' % theirs[0])
    print('bench gp1.n5000.vs_sklearn %.0f ratio' % (theirs[0] / ours[0]))
    print('bench gp1.n5000.vs_sklearn-undisturbed %.0f ratio' % (theirs[1] / ours[1]))
    together = np.corrcoef(np.fromfile(path + '.residual'), theirs[2])[0, 1]
    print('bench gp1.n5000.residual-correlation %.9f ratio' % together, flush=True)


main()
