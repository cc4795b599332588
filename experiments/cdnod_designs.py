#!/usr/bin/python3
"""cdnod_designs.py SEGMENTS ROWS PAIRS [FIRST_SEED] - compares designs of the third phase of CD-NOD.

Draws pairs in which location and scale of the cause and slope, level and noise of the effect change over segments of
ROWS rows, and prints for each design the share in which the dependence between the changes of P(cause) and
P(effect | cause) is smaller in the correct direction.  src/methods/cdnod/cdnod_changes.c describes the parts of the
designs.
"""
import sys

import numpy as np
from scipy.stats import norm, rankdata


def draw_pair(rng, segments, rows):
    def law(kind, count):
        if kind == 0:
            return rng.normal(size=count)
        if kind == 1:
            return np.sqrt(12) * (rng.uniform(size=count) - .5)
        return np.where(rng.uniform(size=count) < .5, .8, -.8) + .6 * rng.normal(size=count)

    def per_row(least, most):
        return np.repeat(rng.uniform(least, most, segments), rows)

    n = segments * rows
    x = per_row(-1.5, 1.5) + per_row(.3, 1.2) * law(rng.integers(3), n)
    weight, slope = rng.choice([-1, 1], 3) * rng.uniform(.5, 1.5, 3), rng.uniform(1, 3, 3)
    f = sum(w * np.tanh(s * (x - p)) for w, s, p in zip(weight, slope, rng.uniform(-1.5, 1.5, 3)))
    noise = rng.uniform(.2, .6) * law(rng.integers(2), n)
    return x, per_row(.5, 2) * (f - f.mean()) / f.std() + per_row(-1, 1) + per_row(.4, 2) * noise


def features(v, most, unit):
    """Returns leading kernel principal components, from a grid of quantiles."""
    grid = np.quantile(v, np.linspace(.005, .995, 40))
    gaps = np.abs(v[:, None] - v[None, ::5])
    width = .33 * np.median(gaps[gaps > 0])
    values, vectors = np.linalg.eigh(np.exp(-(grid[:, None] - grid) ** 2 / (2 * width ** 2)))
    good = values > 1e-9 * values.max()
    rows = np.exp(-(v[:, None] - grid) ** 2 / (2 * width ** 2)) @ vectors[:, good] / np.sqrt(values[good])
    rows -= rows.mean(0)
    values, vectors = np.linalg.eigh(rows.T @ rows)
    leading = rows @ vectors[:, np.argsort(-values)[:most]]
    return leading / np.sqrt((leading ** 2).mean(0)) if unit else leading


def embed(target, given, segments, ridge=.3):
    """Returns coefficients and second moments of the given variables, segment by segment."""
    phi, u = features(target, 12, False), np.ones((len(target), 1))
    if given is not None:
        u = np.column_stack([u, features(given, 8, True)])
    phi -= u @ (u.T @ phi / len(target))
    k, parts = u.shape[1], list(zip(np.split(u, segments), np.split(phi, segments)))
    b = [np.linalg.solve(a.T @ a + ridge * k * np.eye(k), a.T @ r) for a, r in parts]
    return b, [a.T @ a / len(a) + .02 * np.eye(k) for a, _ in parts]


def distances(b, moments=None, averaged=False):
    square = np.zeros((len(b), len(b)))
    for c in range(len(b)):
        for d in range(c):
            gap = b[c] - b[d]
            weight = np.eye(len(gap))
            if moments:
                weight = np.linalg.inv(np.linalg.inv(moments[c]) + np.linalg.inv(moments[d]))
            square[c, d] = square[d, c] = np.sum(gap * (weight @ gap)) / (np.trace(weight) if averaged else 1)
    return square


def centred(m):
    return m - m.mean(0) - m.mean(1)[:, None] + m.mean()


def correlation(a, b):
    return np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b))


def unbiased(m):
    n, sums = len(m), m.sum(0)
    out = m - sums[:, None] / (n - 2) - sums / (n - 2) + sums.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(out, 0)
    return out


def gauss(square):
    return centred(np.exp(-square / np.median(square[square > 0])))


def dependences(cause, effect, segments):
    (b1, _), (b2, moments) = embed(cause, None, segments), embed(effect, cause, segments)
    one, two, shared = distances(b1), distances(b2), distances(b2, moments)
    g1, g2 = gauss(one), gauss(two)
    root = lambda m: centred(-np.sqrt(m))
    return {'gaussian over traces (the paper)': np.sum(g1 * g2) / (np.trace(g1) * np.trace(g2)),
            'gaussian over norms': correlation(g1, g2),
            'distance correlation': correlation(root(one), root(two)),
            'distance correlation, bias-corrected': correlation(unbiased(np.sqrt(one)), unbiased(np.sqrt(two))),
            'distance correlation, shared rows, averaged': correlation(root(one), root(distances(b2, moments, True))),
            'distance correlation, shared rows': correlation(root(one), root(shared))}


def scores(v):
    return norm.ppf((rankdata(v) - .5) / len(v))


def main():
    segments, rows, pairs = (int(word) for word in sys.argv[1:4])
    first, right = int(sys.argv[4]) if len(sys.argv) > 4 else 1, {}
    for seed in range(first, first + pairs):
        x, y = (scores(v) for v in draw_pair(np.random.default_rng(seed), segments, rows))
        forth, back = dependences(x, y, segments), dependences(y, x, segments)
        for name in forth:
            right[name] = right.get(name, 0) + (forth[name] < back[name])
    for name, count in right.items():
        print('%-45s %.3f (%.3f)' % (name, count / pairs, np.sqrt(count / pairs * (1 - count / pairs) / pairs)))


main()
