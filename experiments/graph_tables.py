#!/usr/bin/env python3
"""graph_tables.py TABLE.csv [JOURNAL] - prints the tables of docs/results/six-variables.md
from the output of `nonsens reproduce six-variables`."""
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


def arrows(edges):
    return {(edge[0], edge[1]) for edge in edges if edge[2] == "-->"}


def f1(unit):
    found, truth = arrows(unit["edges"]), arrows(unit["truth"])
    return 2 * len(found & truth) / (len(found) + len(truth)) if found or truth else 1.0


def over_all_depths(units, base):
    """Prints F1 minus that of `base` on the same data; errors are over seeds, as depths of a seed share their graph."""
    score = {}
    for unit in units:
        if "edges" in unit:
            generator, depth, method = unit["cell"].split("-", 2)
            score.setdefault(method, {})[unit["seed"], generator, depth] = f1(unit)
    print("F1 of arrows less that of `%s`, mean over the depths that both have, on the same data sets.\n" % base)
    print("| method | seeds | difference | standard error |\n|---|---|---|---|")
    for method, each in score.items():
        by_seed = {}
        for data, value in each.items():
            by_seed.setdefault(data[0], []).append(value - score[base][data])
        d = [sum(values) / len(values) for values in by_seed.values()]
        mean = sum(d) / len(d)
        if method != base:
            error = (sum((v - mean) ** 2 for v in d) / (len(d) - 1) / len(d)) ** .5
            print("| `%s` | %d | %+.3f | %.3f |" % (method, len(d), mean, error))
    print()


def totals(units):
    """Prints the edges of all graphs that a method found, and its seconds per data set on one core."""
    by_method = {}
    for unit in units:
        by_method.setdefault(unit["cell"].split("-", 2)[2], []).append(unit)
    print("Edges found in all data sets, and seconds of a data set on one core.\n")
    print("| method | data sets | edges | without direction | seconds, mean | largest |\n|---|---|---|---|---|---|")
    for method, each in by_method.items():
        edges = [edge for unit in each for edge in unit.get("edges", [])]
        seconds = [unit["seconds"] for unit in each]
        print("| `%s` | %d | %d | %d | %.1f | %.1f |" % (method, len(each), len(edges), sum(edge[2] == "---" for edge in edges),
                                                      sum(seconds) / len(seconds), max(seconds)))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = {(r["generator"], r["depth"], r["method"]): r for r in csv.DictReader(file)}
    for generator in dict.fromkeys(generator for generator, _, _ in rows):
        depths = sorted({depth for g, depth, _ in rows if g == generator})
        for measure, words in MEASURES:
            print("%s, `%s` data: mean (standard error).\n" % (words, generator))
            table(rows, generator, measure, depths)
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            units = sorted(map(json.loads, file), key=lambda unit: (unit["seed"], unit["cell"]))
        for base in "pc", "structured":
            over_all_depths(units, base)
        totals(units)


main()
