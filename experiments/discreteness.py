#!/usr/bin/env python3
"""How many distinct values does a variable need, and how many rows may share one?

    experiments/discreteness.py PROGRAM [REPETITIONS [FIRST_SEED]]

Simulates pairs (ten segments of 512 rows, depth 3), makes them discrete, and counts what `nonsens direction` says.
`values K`: both variables are rounded to K equal steps between their .1 % and 99.9 % quantiles.  `share S`: in both
variables the smallest values, a share S of the rows, become equal, as below an instrument's detection limit.
"""
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

VALUES = (5, 8, 12, 16, 24, 32, 64, 128)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)


def quantile(column, level):
    return sorted(column)[min(int(level * len(column)), len(column) - 1)]


def rounded(column, values):
    low, high = quantile(column, 0.001), quantile(column, 0.999)
    step = (high - low) / (values - 1)
    return [low + step * round((min(max(v, low), high) - low) / step) for v in column]


def censored(column, share):
    low = quantile(column, share)
    return [max(v, low) for v in column]


CASES = [("none", 0, lambda column, _: column)] + [("values", k, rounded) for k in VALUES] + \
    [("share", s, censored) for s in SHARES]


def judge(program, folder, seed, case):
    name, amount, change = case
    path = os.path.join(folder, f"{seed}-{name}-{amount}.csv")
    subprocess.run([program, "simulate", "--depth", "3", "--seed", str(seed), "-o", path, "--truth", path + ".json", "-q"],
                   check=True)
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = {name: change([float(row[name]) for row in rows], amount) for name in ("x1", "x2")}
    with open(path, "w", encoding="utf-8") as file:
        file.write("x1,x2,segment\n")
        for i, row in enumerate(rows):
            file.write(f"{columns['x1'][i]!r},{columns['x2'][i]!r},{row['segment']}\n")
    found = json.loads(subprocess.run([program, "direction", path, "--segment", "segment", "-q", "--threads", "1",
                                       "--json", "-"], capture_output=True, check=True).stdout)
    with open(path + ".json", encoding="utf-8") as file:
        cause, effect = json.load(file)["edges"][0]
    os.unlink(path)
    if "->" not in found["decision"]:
        return found["decision"]
    return ("right" if found["decision"] == f"{cause}->{effect}" else "wrong") + (" firm" if found["firm"] else "")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, reps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 100001
    print(f"{'discrete':12} {'right':>6} {'firm':>6} {'wrong':>6} {'firm':>6} {'neither':>8} {'other':>6}   ({reps} each, seeds from {first})")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case in CASES:
            said = list(pool.map(lambda seed, c=case: judge(program, folder, seed, c), range(first, first + reps)))
            share = {word: sum(s.startswith(word) for s in said) / reps for word in ("right", "wrong", "neither")}
            firm = {word: sum(s == word + " firm" for s in said) / reps for word in ("right", "wrong")}
            print(f"{case[0]:6} {case[1]:<5} {share['right']:6.2f} {firm['right']:6.2f} {share['wrong']:6.2f} "
                  f"{firm['wrong']:6.2f} {share['neither']:8.2f} {1 - sum(share.values()):6.2f}", flush=True)


if __name__ == "__main__":
    main()
