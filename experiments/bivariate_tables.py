#!/usr/bin/env python3
"""bivariate_tables.py TABLE.csv - prints the tables of docs/results/bivariate.md from the table of `nonsens reproduce
bivariate`."""
import csv
import sys

DEPTHS = range(1, 6)
POINTS = [("10", "512"), ("30", "512"), ("50", "512"), ("10", "128"), ("10", "2048")]
DECIDING = ["structured", "nonsens", "as-published", "true-sources", "true-sources-pooled", "linear-ica", "lingam",
            "resit", "icp", "cdnod"]
NAMING = ["structured", "nonsens", "nonsens-lr", "as-published", "as-published-lr", "true-sources-lr", "linear-ica-lr",
          "lingam", "resit", "icp", "cdnod", "reci"]


def short(text):
    """Prints .95 for 0.95, 1 for 1."""
    return "-" if text == "" else ("%.2f" % float(text)).lstrip("0") if float(text) < 1 else "1"


def cell(row, measure):
    return short(row[measure]) if row else "-"


def table(rows, structure, point, measure, rules):
    print("| rule | " + " | ".join("depth %d" % depth for depth in DEPTHS) + " |")
    print("|---" * (len(DEPTHS) + 1) + "|")
    for rule in rules:
        found = [rows.get((structure, str(depth), *point, rule)) for depth in DEPTHS]
        if any(found):
            print("| `%s` | %s |" % (rule, " | ".join(cell(row, measure) for row in found)))
    print()


def mean_over(rows, structure, depths, measure, rule):
    found = [rows.get((structure, str(depth), *point, rule)) for depth in depths for point in POINTS]
    values = [float(row[measure]) for row in found if row and row[measure] not in ("", "-")]
    return "%.3f" % (sum(values) / len(values)) if values else "-"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = {(r["structure"], r["depth"], r["segments"], r["rows_per_segment"], r["rule"]): r
                for r in csv.DictReader(file)}
    reps = sorted({int(r["reps"]) for r in rows.values()})
    print("Repetitions a cell: %s.\n" % (reps[0] if len(reps) == 1 else "%d to %d" % (reps[0], reps[-1])))
    for point in POINTS:
        print("Causal data, %s segments of %s rows: share of data sets in which the cause is named.\n" % point)
        table(rows, "causal", point, "right", DECIDING)
    for point in (POINTS[0], POINTS[2]):
        print("Cyclic data, %s segments of %s rows: share in which the question is left open.\n" % point)
        table(rows, "cyclic", point, "right", DECIDING)
    for point in (POINTS[0], POINTS[2]):
        print("An effect assumed, %s segments of %s rows: share in which the better direction is the true one.\n" % point)
        table(rows, "causal", point, "named", NAMING)
    print("Means over all five settings.\n\n| rule | right, depth 1 | right, depths 2 to 5 | wrong, all depths | "
          "left open, cyclic | named, depths 2 to 5 |\n|---|---|---|---|---|---|")
    for rule in dict.fromkeys(DECIDING + NAMING):
        print("| `%s` | %s | %s | %s | %s | %s |" % (
            rule, mean_over(rows, "causal", [1], "right", rule), mean_over(rows, "causal", range(2, 6), "right", rule),
            mean_over(rows, "causal", DEPTHS, "wrong", rule), mean_over(rows, "cyclic", DEPTHS, "right", rule),
            mean_over(rows, "causal", range(2, 6), "named", rule)))


main()
