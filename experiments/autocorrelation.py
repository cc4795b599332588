#!/usr/bin/python3
"""autocorrelation.py TABLE.csv SEGMENT VARIABLE... - measures how far rows in time are from independent.

Prints the mean autocorrelation over segments and variables, and for every k-th row of a segment the number of rows that
are left and 1 + 2 sum_j rho(jk)^2: how much larger the variance of the correlation of two unrelated series of this kind is
than that of independent rows (Bartlett 1935).
"""
import csv
import sys

LAGS = 100


def autocorrelation(x, lag):
    return sum(a * b for a, b in zip(x[lag:], x)) / sum(a * a for a in x)


def main():
    path, segment, variables = sys.argv[1], sys.argv[2], sys.argv[3:]
    segments = {}
    for row in csv.DictReader(open(path, encoding='utf-8')):
        segments.setdefault(row[segment], []).append([float(row[name]) for name in variables])
    series = []
    for rows in segments.values():
        for column in zip(*rows):
            mean = sum(column) / len(column)
            series.append([value - mean for value in column])
    rho = [1.0] + [sum(autocorrelation(x, lag) for x in series) / len(series) for lag in range(1, LAGS + 1)]
    print('lag  autocorrelation')
    for lag in list(range(1, 21)) + [28, 30, 42, 45]:
        print('%3d  %.3f' % (lag, rho[lag]))
    print('every  rows  variance')
    for k in range(1, 21):
        rows = sum((len(rows) + k - 1) // k for rows in segments.values())
        print('%5d %5d  %.3f' % (k, rows, 1 + 2 * sum(rho[j] ** 2 for j in range(k, LAGS + 1, k))))


main()
