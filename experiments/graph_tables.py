#!/usr/bin/env python3
"""graph_tables.py TABLE.csv [JOURNAL] - tables of docs/results/six-variables.md from what `nonsens reproduce six-variables` wrote."""
import csv
import json
import sys

MEASURES = [("f1", "F1 of arrows"), ("shd", "Structural Hamming distance"), ("skeleton_f1", "F1 of the skeleton"),
            ("direction_accuracy", "Direction accuracy"), ("closure_f1", "F1 of arrows against the transitive closure of the truth"),
            ("closure_shd", "Structural Hamming distance from the transitive closure")]


def short(text, digits=2):
    number = "%.*f" % (digits, float(text))
    return number.lstrip("0") if number.startswith("0.") else number


def cell(row, measure):
    if row is None or row[measure] == "":
        return "-"
    return short(row[measure]) + (" (%s)" % short(row[measure + "_se"]) if row[measure + "_se"] else "")


def table(rows, generator, measure, depths):
    methods = dict.fromkeys(method for g, _, method in rows if g == generator)
    print("| method | " + " | ".join("depth %s" % depth for depth in depths) + " |")
    print("|---" * (len(depths) + 1) + "|")
    for method in methods:
        print("| `%s` | %s |" % (method, " | ".join(cell(rows.get((generator, depth, method)), measure) for depth in depths)))
    print()


def times(path):
    """Mean and largest seconds of a data set on one core, by method, from the journal."""
    seconds = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            unit = json.loads(line)
            if "seconds" in unit:
                seconds.setdefault(unit["cell"].split("-", 2)[2], []).append(unit["seconds"])
    print("Seconds of a data set on one core.\n\n| method | data sets | mean | largest |\n|---|---|---|---|")
    for method, each in seconds.items():
        print("| `%s` | %d | %.1f | %.1f |" % (method, len(each), sum(each) / len(each), max(each)))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = {(r["generator"], r["depth"], r["method"]): r for r in csv.DictReader(file)}
    for generator in dict.fromkeys(generator for generator, _, _ in rows):
        depths = sorted({depth for g, depth, _ in rows if g == generator})
        for measure, words in MEASURES:
            print("%s, `%s` data: mean (standard error).\n" % (words, generator))
            table(rows, generator, measure, depths)
    if len(sys.argv) > 2:
        times(sys.argv[2])


main()
