#!/usr/bin/env python3
"""How reliable are losses on held-out rows?

    experiments/held_out_level.py PROGRAM [SETS [FIRST_SEED]]

Five folds share most of their rows, so that held-out rows are not independent.  One mechanism and its segments give a
large table, which is cut into SETS disjoint data sets (ten segments of 512 rows each).  In each, the loss of both
directions and its standard error are estimated.  The mean of the estimates stands for the true loss.  `spread` is the
standard deviation of the estimates over the mean of their standard errors.  `below` and `above` say how often the upper
and the lower 2.5 % bound miss the true loss; `widened` is `below` for errors 1.5 times as large, which the test of
equivalence uses.
"""
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROWS, QUANTILE, WIDENED = 512, 1.96, 1.5
DESIGNS = [(depth, kind) for depth in (1, 3, 5) for kind in ("causal", "cyclic")]


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def cut(program, folder, design, seed, sets):
    """Simulates a table and distributes the rows of each segment in turn over the sets; returns their paths."""
    depth, kind = design
    table = os.path.join(folder, "table.csv")
    run(program, "simulate", "--depth", str(depth), "--seed", str(seed), "--per-segment", str(ROWS * sets), "-o", table, "-q",
        *(["--cyclic"] if kind == "cyclic" else []))
    paths = [os.path.join(folder, f"{k}.csv") for k in range(sets)]
    files = [open(path, "w", encoding="utf-8") for path in paths]
    with open(table, encoding="utf-8") as lines:
        head = next(lines)
        for file in files:
            file.write(head)
        for i, line in enumerate(lines):
            files[i % sets].write(line)
    for file in files:
        file.close()
    return paths


def losses(program, path):
    """Returns loss and standard error of each direction that was compared with the free classifier."""
    result = json.loads(run(program, "direction", path, "--segment", "segment", "-q", "--threads", "1", "--opinions", "none",
                            "--json", "-"))
    evidence = {item["name"]: item["value"] for item in result["evidence"]}
    found = {}
    for arrow in ("x1->x2", "x2->x1"):
        loss, z = evidence.get("loss of " + arrow), evidence.get("z of " + arrow)
        if loss is not None and z:
            found[arrow] = (loss, loss / z)
    return found


def main():
    program, sets, first = sys.argv[1], int((sys.argv[2:3] or [100])[0]), int((sys.argv[3:4] or [1])[0])
    print(f"design            loss     error  spread   below  above  widened   ({sets} data sets, seeds from {first})")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, design in enumerate(DESIGNS):
            with tempfile.TemporaryDirectory() as folder:
                paths = cut(program, folder, design, first + number, sets)
                found = list(pool.map(lambda path: losses(program, path), paths))
            for arrow in ("x1->x2", "x2->x1"):
                pairs = [each[arrow] for each in found if arrow in each]
                true, error = statistics.mean(p[0] for p in pairs), statistics.mean(p[1] for p in pairs)
                below = statistics.mean(loss + QUANTILE * e < true for loss, e in pairs)
                above = statistics.mean(loss - QUANTILE * e > true for loss, e in pairs)
                widened = statistics.mean(loss + QUANTILE * WIDENED * e < true for loss, e in pairs)
                print(f"{design[0]} {design[1]:6} {arrow} {true:8.5f} {error:8.5f} {statistics.stdev(p[0] for p in pairs) / error:6.2f}"
                      f"  {below:6.2f} {above:6.2f} {widened:8.2f}", flush=True)


if __name__ == "__main__":
    main()
