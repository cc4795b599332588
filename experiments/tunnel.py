#!/usr/bin/env python3
"""Runs `nonsens discover` on the light tunnel of the causal chambers, whose graph is known, and counts its arrows.

    experiments/tunnel.py PROGRAM [--data DIR] [--first SEED] [--samples N] [--rows N] [--only PART] [OPTION...]

DIR (default: $NONSENS_DATA, or ../shared/data) holds chamber/: light_tunnel.csv (six variables; N subsamples of some
rows per environment, drawn with the seeds from SEED on), light_tunnel_small.csv (seven variables) and
light_tunnel_ten.csv (ten), with their graphs.  PART: six, small or ten.  Other options go to every run.

right: true arrows that were found; extra: arrows that the truth does not have; open: edges without direction. SHD:
pairs of variables whose edges differ.  Seconds: processor time over all threads, and wall-clock time.
"""
import argparse
import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

SEGMENT = "environment"


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def read_arrows(path):
    return {tuple(row) for row in read_rows(path)[1:]}


def draw_rows(table, count, seed):
    """Draws `count` rows of each environment at random, in the order of the file."""
    rng, column = random.Random(seed), table[0].index(SEGMENT)
    rows = {}
    for row in table[1:]:
        rows.setdefault(row[column], []).append(row)
    drawn = [[of_one[i] for i in sorted(rng.sample(range(len(of_one)), count))] for of_one in rows.values()]
    return [table[0]] + [row for of_one in drawn for row in of_one]


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def discover(program, path, options):
    """Returns the edges as (from, to, type), processor seconds, wall-clock seconds."""
    command = [program, "discover", path, "--segment", SEGMENT] + options + ["-q", "--json", "-"]
    before, began = processor_seconds(), time.monotonic()
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(f"{' '.join(command)}: {answer.stderr.strip()}")
    edges = [(edge["from"], edge["to"], edge["type"]) for edge in json.loads(answer.stdout)["edges"]]
    return edges, processor_seconds() - before, time.monotonic() - began


def judge(edges, truth):
    """Returns right, extra, open, F1, SHD."""
    arrows = {(a, b) for a, b, kind in edges if kind == "-->"}
    opened = {frozenset((a, b)) for a, b, kind in edges if kind != "-->"}
    right, extra = len(arrows & truth), len(arrows - truth)
    pairs = {frozenset(arrow) for arrow in arrows | truth} | opened
    wrong = sum(pair in opened or {a for a in arrows if frozenset(a) == pair} != {t for t in truth if frozenset(t) == pair}
                for pair in pairs)
    return right, extra, len(opened), 2.0 * right / max(1, len(arrows) + len(truth)), wrong


def show(name, values):
    print(f"{name:12} {values[0]:6.2f} {values[1]:6.2f} {values[2]:6.2f} {values[3]:6.3f} {values[4]:6.2f} "
          f"{values[5]:8.1f} {values[6]:8.1f}", flush=True)


def measure(program, path, truth, options):
    edges, processor, clock = discover(program, path, options)
    return judge(edges, truth) + (processor, clock)


def measure_subsamples(arguments, folder, options):
    table, truth = read_rows(os.path.join(folder, "light_tunnel.csv")), read_arrows(os.path.join(folder, "graph.csv"))
    results = []
    for seed in range(arguments.first, arguments.first + arguments.samples):
        with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(draw_rows(table, arguments.rows, seed))
            file.flush()
            results.append(measure(arguments.program, file.name, truth, options))
        show(f"six {seed}", results[-1])
    show("six, mean", [sum(column) / len(results) for column in zip(*results)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--data", default=os.environ.get("NONSENS_DATA", "../shared/data"))
    parser.add_argument("--first", type=int, default=100001)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--only", choices=("six", "small", "ten"))
    arguments, options = parser.parse_known_args()
    folder = os.path.join(arguments.data, "chamber")
    print(f"{'data':12} {'right':>6} {'extra':>6} {'open':>6} {'F1':>6} {'SHD':>6} {'CPU s':>8} {'clock s':>8}")
    for name, file, graph in (("small", "light_tunnel_small.csv", "graph.csv"), ("ten", "light_tunnel_ten.csv", "graph_ten.csv")):
        if arguments.only in (None, name):
            truth = read_arrows(os.path.join(folder, graph))
            show(name, measure(arguments.program, os.path.join(folder, file), truth, options))
    if arguments.only in (None, "six"):
        measure_subsamples(arguments, folder, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
